# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the robot looks like; knows no ROS.

- ``shapes``: coloured shapes in the frames of a robot.
- ``scene``: what a picture shows, whoever draws it.
- ``pictures``: pictures, films and charts in files.
- ``study_charts``: charts of studies.
"""
