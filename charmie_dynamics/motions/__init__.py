# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions to run and to judge.

In reading order:

- ``splines``: motions between the points of a trajectory.
- ``named``: the papers' motions and a natural one, by name.
- ``trajectory``: whether the robot can follow a trajectory, before it runs.
"""
