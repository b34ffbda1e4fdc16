# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanisms of a tree, read from a mechanisms file and checked: one module for each type.

In reading order:

- ``mechanism``: the interface of a type.
- ``linear_actuators``: linear actuators that move a joint indirectly.
- ``members``: the common part of these and of springs between two bodies.
- ``springs``: extension springs between two bodies.
- ``balance_mechanisms``: static balancing of a vertical slide.
- ``loop_joints``: joints that close loops of the tree.
- ``joint_springs``: springs and dampers on single joints.
- ``sections``: the types by the names of their sections, from the registry of ``core``.
- ``mechanism_set``: the content of a mechanisms file.
- ``cylinders``: linear actuators with mass, across two joints or on one joint, in a tree.
- ``added_joints``: loop joints with coordinates and joint relations, in a tree.
- ``mechanisms_file``: a mechanisms file, checked against its schema.
"""

from .mechanism_set import MechanismSet
from .mechanisms_file import parse_mechanisms

__all__ = ["MechanismSet", "parse_mechanisms"]
