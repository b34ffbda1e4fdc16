# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is attached to a tree, read from a mechanisms file and checked: one file for each type.

In reading order:

- ``mechanism``: what the file of a type has to say.
- ``linear_actuators``: linear actuators that move a joint indirectly.
- ``members``: what these have in common with the springs between two bodies.
- ``springs``: extension springs between two bodies.
- ``balance_mechanisms``: static balancing of a vertical slide.
- ``loop_joints``: joints that close loops of the tree.
- ``joint_springs``: springs and dampers on single joints.
- ``sections``: the types by the names of their sections, from the registry of ``core``.
- ``mechanism_set``: all that a mechanisms file says.
- ``mechanisms_file``: a mechanisms file, held against its schema.
"""

from .mechanism_set import MechanismSet
from .mechanisms_file import parse_mechanisms

__all__ = ["MechanismSet", "parse_mechanisms"]
