# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanisms that load the bodies of the tree: one file for each type.

In reading order:

- ``registry``: the names of all types, one line each.
- ``kernels``: the interface that the file of a type implements.
- ``auxiliary_bodies``: frames of the bodies that mechanisms consist of (step 5).
- ``springs``: extension springs between two bodies.
- ``balance_mechanisms``: static balancing of a vertical slide.
- ``loop_joints``: constraints between two bodies.
- ``joint_springs``: a spring and a damper on one joint.
- ``all_types``: the kernels of all types, run one after another by steps 5 and 7.

Linear actuators are not among these types: they move joints, and are part of steps 3 and 7.
"""
