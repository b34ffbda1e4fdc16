# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions to run and to judge.

In reading order:

- ``splines``: motions between the points of a trajectory.
- ``legs``: where the hinges of legs have to be for their feet.
- ``gaits``: which legs swing when, and the path of the torso.
- ``rolling``: the paths of feet that roll in stance.
- ``walking``: a robot with legs walks.
- ``workday``: what CHARMIE does in ten minutes of work.
- ``tabulated``: motions in tables.
- ``names``: the names of these motions.
- ``named``: the papers' motions, a natural one, a day's work and gaits, by name.
- ``trajectory``: whether the robot can follow a trajectory, before it runs.
"""
