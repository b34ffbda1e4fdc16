# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contact points of a robot with the floor, from a contacts file or a world file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np

from charmie_dynamics.errors import ModelFileError, choices, shown

from ..files import read_text
from ..package_robots import world_file
from ..robot import Collision, RobotTree, Vector3
from ..schema_faults import describe, require_finite
from ..yaml_document import Key, line_of, load_yaml
from .entities import RobotEntity, ShapeEntity
from .materials import Surface
from .merging import name_in
from .world_file import WorldDescription, parse_world

RIM = 8  # points on each rim of a cylinder
LEVEL: Vector3 = (0.0, 0.0, 1.0)
NOT_LESS = {"type": "number", "minimum": 0}
THREE = {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}
CONTACT_KEYS: dict[str, dict[str, Any]] = {
    "link": {"type": "string", "description": "link (default: the name of the entry)"},
    "point": {**THREE, "description": "position in the link's frame (m) (default: its origin)"},
    "radius": {**NOT_LESS, "description": "radius of a ball about the point (m)"},
    "friction": {
        **NOT_LESS,
        "description": "coefficient of this contact (default: the common one)",
    },
}
KEYS: dict[str, dict[str, Any]] = {
    "contacts": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "type": ["object", "null"],
            "additionalProperties": False,
            "properties": CONTACT_KEYS,
        },
    },
    "friction": {**NOT_LESS, "description": "friction coefficient"},
    "floor": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "height": {"type": "number", "description": "height along the normal (m)"},
            "normal": {**THREE, "description": "normal in world axes"},
        },
    },
    "touch": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "height": {
                **NOT_LESS,
                "description": "above the floor, at which a point touches no more (m)",
            },
            "speed": {**NOT_LESS, "description": "away from the floor, up to which it does (m/s)"},
        },
    },
    "passive": {"type": "array", "items": {"type": "string"}},
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["contacts"],
    "properties": KEYS,
}


@dataclass(frozen=True)
class RobotContact:
    """A point of a link, or a ball about it, that may touch the floor; m."""

    name: str
    link: str
    point: Vector3
    radius: float
    friction: float


@dataclass(frozen=True)
class RobotContacts:
    """Where a robot may touch the floor, and when it does.

    Attributes
    ----------
    contacts : tuple of RobotContact
    normal : tuple of float
        Of the floor, world axes.
    floor : float
        How far the floor is from the world's origin along the normal (m).
    height, speed : float
        Above the floor, at which a point touches no more (m); away from it, up to which it does
        (m/s).
    passive : tuple of str
        Actuators without effort.
    """

    contacts: tuple[RobotContact, ...]
    normal: Vector3 = LEVEL
    floor: float = 0.0
    height: float = 2e-3
    speed: float = 0.05
    passive: tuple[str, ...] = ()


def read_robot_contacts(path: str | Path, robot: RobotTree) -> RobotContacts:
    """Read the contacts of a robot from a contacts file, or from a world that contains the robot.

    Parameters
    ----------
    path : str or path
        Of the file; or the name of a world of this package.
    robot : RobotTree

    Raises
    ------
    ModelFileError
        Naming file, line, entry, the expected and the actual value.
    """
    found = world_file(path)
    text, source = read_text(found), str(path)
    document, _ = load_yaml(text, source)
    if isinstance(document, dict) and "entities" in document:
        return contacts_of_world(parse_world(text, source, found.parent), robot, source)
    return parse_robot_contacts(text, robot, source)


def parse_robot_contacts(text: str, robot: RobotTree, source: str) -> RobotContacts:
    """Return the contacts of the text of a file; errors as of `read_robot_contacts`.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.description.world.robot_contacts import parse_robot_contacts
    >>> text = "{friction: 0.6, contacts: {leg_1_foot: {radius: 0.018}, leg_2_foot: }}"
    >>> parse_robot_contacts(text, load_model("athena").tree, "feet.yaml").contacts[0].radius
    0.018
    """
    document, lines = load_yaml(text, source)
    validator = jsonschema.Draft7Validator(SCHEMA)
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
        raise ModelFileError(describe(error, lines, source))
    require_finite(document, (), lines, source)

    def fault(message: str, *path: Key) -> ModelFileError:
        subject = ".".join(shown(str(key)) for key in path)
        return ModelFileError(f"{source}, line {line_of(path, lines)}: {subject}: {message}")

    contacts = []
    for name, given in document["contacts"].items():
        entry: Mapping[str, Any] = given or {}
        link = entry.get("link", name)
        if link not in robot.links:
            known = choices(str(link), robot.links)
            raise fault(f"link '{shown(str(link))}' is unknown{known}", "contacts", name)
        friction = entry.get("friction", document.get("friction"))
        if friction is None:
            raise fault("expected friction, here or for all contacts", "contacts", name)
        x, y, z = entry.get("point", (0.0, 0.0, 0.0))
        radius = float(entry.get("radius", 0.0))
        contacts.append(RobotContact(str(name), link, (x, y, z), radius, float(friction)))
    floor, touch = document.get("floor", {}), document.get("touch", {})
    x, y, z = floor.get("normal", LEVEL)
    if not any((x, y, z)):
        raise fault("expected a direction, got zeros", "floor", "normal")
    return RobotContacts(
        tuple(contacts),
        (x, y, z),
        float(floor.get("height", 0.0)),
        float(touch.get("height", RobotContacts.height)),
        float(touch.get("speed", RobotContacts.speed)),
        tuple(document.get("passive", ())),
    )


def contacts_of_world(
    world: WorldDescription, robot: RobotTree, source: str = "world"
) -> RobotContacts:
    """Return the contacts of a robot's shapes with the plane of a world.

    Those of a sphere, the ends of a capsule, the corners of a box, eight points on each rim of a
    cylinder. Links without a contact rule have none. The coefficient is the largest of the friction
    law of the link and the plane; actuators with a rated effort of zero are passive. The only point
    of a link has its name; several points are numbered (``foot_1``), without names of links.

    Raises
    ------
    ModelFileError
        If the world has not one plane and such a robot, or a shape of another kind.
    """
    planes = [e for e in world.entities if isinstance(e, ShapeEntity) and e.shape == "plane"]
    robots = [e for e in world.entities if isinstance(e, RobotEntity) and e.tree.name == robot.name]
    if len(planes) != 1 or len(robots) != 1:
        raise ModelFileError(
            f"{source}: expected one plane and one robot '{robot.name}', got {len(planes)} and "
            f"{len(robots)}"
        )
    plane, name = Surface(planes[0].name), robots[0].name
    contacts = []
    taken = set(robots[0].tree.links)
    for link in robots[0].tree.links.values():
        surface = Surface(name, link=name_in(name, link.name))
        rule = world.contacts.of_surfaces(plane, surface)
        if rule is None:
            continue
        values = rule.friction_values
        friction = max(values.get("static", 0.0), values.get("kinetic", 0.0))
        found = [
            (point, radius)
            for shape in link.collisions
            for point, radius in _points_of(shape, link.name, source)
        ]
        numbered = (f"{link.name}_{k}" for k in count(1))
        for point, radius in found:
            title = link.name
            if len(found) > 1:
                title = next(each for each in numbered if each not in taken)
                taken.add(title)
            contacts.append(RobotContact(title, link.name, point, radius, friction))
    if not contacts:
        raise ModelFileError(f"{source}: expected a contact of the robot with the plane, got none")
    pose = planes[0].pose
    x, y, z = pose.R_world_body[:, 2].tolist()
    floor = float(pose.p_world_body @ pose.R_world_body[:, 2])
    # without a limit, both are zero
    passive = tuple(
        joint.name for joint in robot.joints if joint.limit.effort == 0.0 < joint.limit.velocity
    )
    return RobotContacts(tuple(contacts), (x, y, z), floor, passive=passive)


def _points_of(shape: Collision, link: str, source: str) -> Iterator[tuple[Vector3, float]]:
    """Yield points in the link's frame, each with the radius of a ball about it."""
    if shape.kind == "sphere":
        inner, radius = [(0.0, 0.0, 0.0)], shape.size[0]
    elif shape.kind == "capsule":
        radius, length = shape.size
        inner = [(0.0, 0.0, 0.5 * length), (0.0, 0.0, -0.5 * length)]
    elif shape.kind == "box":
        a, b, c = (0.5 * edge for edge in shape.size)
        inner = [(x, y, z) for x in (a, -a) for y in (b, -b) for z in (c, -c)]
        radius = 0.0
    elif shape.kind == "cylinder":
        a, length = shape.size
        inner = [
            (a * math.cos(angle), a * math.sin(angle), side * 0.5 * length)
            for angle in np.linspace(0.0, 2.0 * math.pi, RIM, endpoint=False).tolist()
            for side in (1.0, -1.0)
        ]
        radius = 0.0
    else:
        raise ModelFileError(
            f"{source}: shape of link '{link}': expected a sphere, capsule, box or cylinder, got a "
            f"{shape.kind}; name the points that touch in a file of contacts"
        )
    for point in inner:
        x, y, z = (shape.p_link_collision + shape.R_link_collision @ np.array(point)).tolist()
        yield (x, y, z), radius
