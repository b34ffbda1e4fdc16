# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The package on a ROS 2 graph: with ``view`` and ``demo`` the only folders that know rclpy.

- ``nodes``: the nodes.
- ``inputs``: subscriptions and requests.
- ``outputs``: publications.
- ``controller``: actions and topics of trajectories.
- ``simulator``: a simulated robot.
- ``watch``: checks, counters and reports.
- ``process``: start, waiting and end of a process.
"""
