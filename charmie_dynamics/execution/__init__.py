# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Trajectories on their way to efforts: followed, supervised, ended. Without ROS, without clocks.

In reading order:

- ``following``: desired motions: held poses, trajectories, named motions.
- ``groups``: groups of joints, and grippers.
- ``goals``: goals of a group, and their tolerances.
- ``goal_check``: check of a goal before it is executed.
- ``execution``: goals begin, are watched, and end.
- ``robot_controller``: efforts; what happens without measurements and after a stop.
"""
