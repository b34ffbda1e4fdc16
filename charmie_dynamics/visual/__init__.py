# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes, pictures and charts of robots and worlds; without ROS.

- ``shapes``: coloured shapes in the frames of a robot.
- ``scene``: the content of a picture, independent of the viewer.
- ``pictures``: pictures, films and charts in files.
- ``study_charts``: charts of studies.
"""
