# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a world file says, read and checked.

In reading order:

- ``materials``: materials and surfaces, and the stiffness of a pair of materials.
- ``contact_rules``: which laws of contact act between which entities, as data.
- ``contact_entries``: the entries of the section ``contacts``, checked against the laws.
- ``contacts``: the sections ``materials`` and ``contacts``, checked against their schema.
- ``placement``: where entities are, relative to each other, and at random.
- ``named_poses``: poses with a name, and volumes about them.
- ``entities``: robots and single shapes in a world.
- ``merging``: a world as one tree.
- ``world_file``: the whole file.
- ``world_headers``: names and tags of world files.
- ``robot_contacts``: contact points of a robot with the floor, from a contacts file or a world.
"""

from .contact_rules import ContactRule, ContactRules
from .contacts import parse_contacts
from .entities import Entity, RobotEntity, ShapeEntity
from .materials import Material, Surface
from .named_poses import BoundingVolume, NamedWorldPose
from .world_file import (
    WorldDescription,
    parse_entity,
    parse_world,
    read_world,
    require_entity_name,
)

__all__ = [
    "BoundingVolume",
    "ContactRule",
    "ContactRules",
    "Entity",
    "Material",
    "NamedWorldPose",
    "RobotEntity",
    "ShapeEntity",
    "Surface",
    "WorldDescription",
    "parse_contacts",
    "parse_entity",
    "parse_world",
    "read_world",
    "require_entity_name",
]
