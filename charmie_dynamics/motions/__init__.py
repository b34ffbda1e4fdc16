# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions, and the check of trajectories.

In reading order:

- ``splines``: motions between the points of a trajectory.
- ``legs``: inverse kinematics of legs.
- ``gaits``: timing of the swings of legs, and the path of the torso.
- ``rolling``: the paths of feet that roll in stance.
- ``walking``: the motion of a robot that walks.
- ``workday``: ten minutes of work of CHARMIE.
- ``tabulated``: motions in tables.
- ``names``: the names of these motions.
- ``named``: motions by name: those of the papers, a smooth one, a day's work and gaits.
- ``trajectory``: check whether the robot can follow a trajectory.
"""
