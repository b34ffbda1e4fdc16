# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanisms in the frames of their auxiliary bodies: one file for each type.

In reading order:

- ``drawing``: the interface of the file of a type.
- ``linear_actuators``: tube and rod.
- ``coils``: the extension springs of all types.
- ``springs``: extension springs between two bodies.
- ``balance_mechanisms``: bar and upright.
- ``loop_joints``: lines to their points.
- ``joint_springs``: spirals on revolute joints.
- ``drawings``: the types by the names of their sections, from the registry of ``core``.
"""
