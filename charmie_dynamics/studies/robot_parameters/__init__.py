# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The inertial parameters of a robot, and its files with other parameters.

In reading order:

- ``closed_motions``: motions of all coordinates, from those of the actuators.
- ``base_parameters``: the combinations of inertial parameters that a motion determines.
- ``robot_files``: write the files of a robot with other numbers.
"""
