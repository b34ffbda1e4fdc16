# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions to run and to judge.

In reading order:

- ``splines``: motions between the points of a trajectory.
- ``legs``: where the hinges of legs have to be for their feet.
- ``gaits``: which legs swing when, and the paths of torso and feet.
- ``walking``: a robot with legs walks.
- ``tabulated``: motions in tables.
- ``named``: the papers' motions, a natural one and gaits, by name.
- ``trajectory``: whether the robot can follow a trajectory, before it runs.
"""
