# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The package on a ROS 2 graph: with ``view`` and ``demo`` the only folders that know rclpy.

- ``nodes``: the nodes.
- ``inputs``: what they subscribe to and what they are asked.
- ``outputs``: what they publish.
- ``simulator``: a simulated robot.
- ``watch``: what they notice, count and report.
- ``process``: how a process starts, waits, and ends.
"""
