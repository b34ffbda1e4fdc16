# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""World files: materials, contacts and entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np

from charmie_dynamics.errors import MissingFileError, ModelFileError, choices, shown

from ..files import read_text
from ..mechanisms import MechanismSet, parse_mechanisms
from ..mechanisms.added_joints import with_added_joints
from ..meshes import Polyhedron, find_mesh, read_mesh
from ..names import LONGEST_NAME
from ..package_robots import PACKAGE_ROBOTS, model_files
from ..robot import RobotTree, Vector3
from ..schema_faults import describe, require_finite
from ..urdf import parse_urdf
from ..yaml_document import Key, Lines, line_of, load_yaml
from .contact_rules import ContactRules
from .contacts import CONTACTS, MATERIALS, parse_contacts
from .entities import (
    SHAPES,
    Entity,
    RobotEntity,
    ShapeEntity,
    separable_links,
    with_solid_links,
)
from .materials import Material
from .merging import WORLD, name_in
from .named_poses import NAMED_POSE, NUMBER, SIX, TEXTS, NamedWorldPose, read_named_poses
from .placement import SIX_ZEROS, EntityPlacement, EntityPose, placed

GRAVITY: Vector3 = (0.0, 0.0, -9.81)
NAME_FORM = r"^[^/\s]+$(?!\n)"
NAME = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME, "pattern": NAME_FORM}
NAMED_POSES = "named_poses"
TEXT = {"type": "string", "minLength": 1}
ENTITY_KEYS: dict[str, dict[str, Any]] = {
    "shape": {"enum": list(SHAPES), "description": "shape of a single body"},
    "size": {
        "type": "array",
        "items": {"type": "number", "exclusiveMinimum": 0},
        "description": "sphere: radius; box: edges; cylinder, capsule: radius, length (m); "
        "mesh: factors along its axes, 1 if omitted",
    },
    "mesh": {
        **TEXT,
        "description": "STL, OBJ or DAE file of a convex mesh (m), from this file's folder",
    },
    "mass": {"type": "number", "exclusiveMinimum": 0, "description": "mass of a movable body (kg)"},
    "urdf": {**TEXT, "description": "file, or name of a robot of the package"},
    "mechanisms": {**TEXT, "description": "file, or name of a robot of the package"},
    "pose": {**SIX, "description": "x y z (m) roll pitch yaw (rad) at the start"},
    "on": {**NAME, "description": "entity above in the file that the pose is relative to"},
    "spread": {
        **SIX,
        "items": {"type": "number", "minimum": 0},
        "description": "largest random change of each number of the pose, see `load_world`",
    },
    "twist": {**SIX, "description": "linear, angular velocity at the start, world axes"},
    "moves": {"enum": ["free", "fixed"], "description": "whether its root moves"},
    "position": {
        "type": "object",
        "additionalProperties": NUMBER,
        "description": "initial positions of some coordinates of a robot (rad, m)",
    },
    "material": {**NAME, "description": "one of the materials"},
    "solid": {
        "type": "array",
        "items": TEXT,
        "description": "links of a robot that can touch anything (default: all with shapes)",
    },
    "self": {
        "oneOf": [
            {"type": "boolean"},
            {
                "type": "array",
                "items": {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2},
            },
        ],
        "description": "which links of a robot can touch each other: pairs of links, or true: all "
        "but those that a joint connects",
    },
    "source": {"type": "string", "description": "origin of the values, for readers; not used"},
}
ENTITY = {"type": "object", "additionalProperties": False, "properties": ENTITY_KEYS}


@dataclass(frozen=True)
class WorldDescription:
    """What a world file says.

    Attributes
    ----------
    name : str
    gravity : tuple of float
        In the world frame (m/s^2).
    materials : mapping of str to Material
    contacts : ContactRules
    entities : tuple of Entity
    slots : int
        So many points may be in contact at a time; 0: by the number of shapes.
    named_poses : tuple of NamedWorldPose
    """

    name: str
    gravity: Vector3
    materials: Mapping[str, Material]
    contacts: ContactRules
    entities: tuple[Entity, ...]
    slots: int = 0
    named_poses: tuple[NamedWorldPose, ...] = ()


def world_schema() -> dict[str, Any]:
    """Return the JSON schema of a world file; `contact_schema` defines two of its sections."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["entities"],
        "properties": {
            "world": {"type": "string", "description": "name, for readers"},
            "description": {"type": "string", "description": "for users"},
            "tags": {**TEXTS, "description": "for the selection of worlds, such as indoor"},
            "gravity": {
                "type": "array", "items": NUMBER, "minItems": 3, "maxItems": 3,
                "description": "gravitational acceleration in the world frame (m/s^2)",
            },
            "contact_slots": {
                "type": "integer", "minimum": 1, "maximum": 100000,
                "description": "so many points may be in contact at a time",
            },
            MATERIALS: {"type": "object"},
            CONTACTS: {"type": "object"},
            "entities": {
                "type": "object", "propertyNames": NAME, "additionalProperties": ENTITY,
                "minProperties": 1,
            },
            NAMED_POSES: {
                "type": "object", "propertyNames": NAME, "additionalProperties": NAMED_POSE,
            },
        },
    }  # fmt: skip


def parse_world(text: str, source: str, folder: Path | None = None) -> WorldDescription:
    """Read a world file.

    Parameters
    ----------
    text : str
        The YAML.
    source : str
        Name of the file, for messages.
    folder : Path, optional
        Where the files of robots and meshes are looked for, if their paths are not absolute.

    Raises
    ------
    ModelFileError
        Naming file, line, entry, the expected and the actual value; or from a robot's files.

    Examples
    --------
    >>> from charmie_dynamics.model.description.world import parse_world
    >>> world = parse_world('''
    ... contacts: {default: {normal: hooke, stiffness: 1.0e5}}
    ... entities:
    ...   ground: {shape: plane}
    ...   ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.5, 0, 0, 0]}
    ... ''', "ball.yaml")
    >>> [entity.name for entity in world.entities]
    ['ground', 'ball']
    """
    document, lines = load_yaml(text, source)
    validator = jsonschema.Draft7Validator(world_schema())
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
        raise ModelFileError(describe(error, lines, source))
    require_finite(document, (), lines, source)
    given = document["entities"]
    materials, rules = parse_contacts(document, lines, source, tuple(given))
    entities: list[Entity] = []
    for name, entry in given.items():
        reader = _EntityReader(name, entry, lines, source)
        if name == WORLD:
            raise reader.fault(f"expected another name, as '{WORLD}' is the frame of all")
        reader.require_material(materials)
        reader.require_base(entities)
        entities.append(reader.robot(folder) if "urdf" in entry else reader.shape(folder))
    poses = placed({entity.name: entity.placement for entity in entities})
    entities = [replace(entity, pose=poses[entity.name]) for entity in entities]
    _require_links(rules, entities)
    own = (entity.self_pairs for entity in entities if isinstance(entity, RobotEntity))
    rules = replace(rules, self_pairs=frozenset[frozenset[str]]().union(*own))
    _require_self_pairs(rules)
    x, y, z = (float(value) for value in document.get("gravity", GRAVITY))
    name = document.get("world", "world")

    def fault(message: str, *path: Key) -> ModelFileError:
        subject = ".".join(shown(str(key)) for key in (NAMED_POSES, *path))
        line = line_of((NAMED_POSES, *path), lines)
        return ModelFileError(f"{source}, line {line}: {subject}: {message}")

    return WorldDescription(
        name, (x, y, z), materials, rules, tuple(entities), document.get("contact_slots", 0),
        read_named_poses(document.get(NAMED_POSES, {}), fault),
    )  # fmt: skip


def _require_links(rules: ContactRules, entities: Sequence[Entity]) -> None:
    """Refuse pairs of contacts with a link that its robot does not have."""
    trees = {entity.name: entity.tree for entity in entities if isinstance(entity, RobotEntity)}
    for names, rule in rules.pairs.items():
        for name in names:
            entity, slash, link = name.partition("/")
            links = trees[entity].links if entity in trees else ()
            if slash and link not in links:
                raise ModelFileError(
                    f"{rule.place}: {CONTACTS}.pairs.between: link '{shown(name)}' is unknown"
                    f"{choices(link, links)}"
                )


def _require_self_pairs(rules: ContactRules) -> None:
    """Refuse rules between links of one robot that can never touch each other."""
    for names, rule in rules.pairs.items():
        entities = {name.partition("/")[0] for name in names}
        if len(entities) == 1 and not any(names - entities <= pair for pair in rules.self_pairs):
            first, second = (shown(name) for name in sorted(names))
            raise ModelFileError(
                f"{rule.place}: {CONTACTS}.pairs.between: expected links that can touch each "
                f"other, got '{first}' and '{second}'; name the links in the key self of the robot"
            )


def read_world(path: str | Path) -> WorldDescription:
    """Read a world file from a path; see `parse_world`."""
    return parse_world(read_text(Path(path)), str(path), Path(path).parent)


def parse_entity(
    name: str,
    text: str,
    source: str,
    materials: Mapping[str, Material] | None = None,
    folder: Path | None = None,
) -> Entity:
    """Read one entity, in the form of its entry in a world file.

    Parameters
    ----------
    name : str
    text : str
        The YAML.
    source : str
        Of the text, for messages.
    materials : mapping of str to Material, optional
        Those of the world.
    folder : Path, optional
        As of `parse_world`.

    Raises
    ------
    ModelFileError
        Naming line, key, the expected and the actual value; or from a robot's files.

    Examples
    --------
    >>> from charmie_dynamics.model.description.world import parse_entity
    >>> can = parse_entity("can", "{shape: cylinder, size: [0.03, 0.1], mass: 0.4}", "can.yaml")
    >>> can.moves
    'free'
    """
    document, lines = load_yaml(text, source)
    for error in jsonschema.Draft7Validator(ENTITY).iter_errors(document):
        raise ModelFileError(describe(error, lines, source))
    require_finite(document, (), lines, source)
    reader = _EntityReader(name, document, lines, source, ())
    require_entity_name(name, source)
    reader.require_material(materials or {})
    reader.require_base(())
    return reader.robot(folder) if "urdf" in document else reader.shape(folder)


def require_entity_name(name: str, source: str) -> None:
    """Raise an error unless the name is valid for an entity.

    Raises
    ------
    ModelFileError
    """
    if name == WORLD or not jsonschema.Draft7Validator(NAME).is_valid(name):
        raise ModelFileError(
            f"{source}: name '{shown(name)}': expected 1 to {LONGEST_NAME} characters without "
            f"blanks and '/', and not '{WORLD}'"
        )


class _EntityReader:
    """Reads an entry of the section ``entities``, which its schema accepts."""

    def __init__(
        self,
        name: str,
        entry: Mapping[str, Any],
        lines: Lines,
        source: str,
        place: tuple[Key, ...] | None = None,
    ) -> None:
        self._name, self._entry, self._lines, self._source = name, entry, lines, source
        self._place = ("entities", name) if place is None else place

    def fault(
        self, message: str, *path: Key, kind: type[ModelFileError] = ModelFileError
    ) -> ModelFileError:
        """Return the error for a fault, with its place in the file."""
        line = line_of((*self._place, *path), self._lines)
        subject = ".".join(shown(str(key)) for key in (*self._place, *path))
        return kind(f"{self._source}, line {line}: {subject or shown(self._name)}: {message}")

    def require_material(self, materials: Mapping[str, Material]) -> None:
        """Refuse a material that the file does not have."""
        material = self._entry.get("material")
        if material is not None and material not in materials:
            raise self.fault(
                f"material '{shown(material)}' is unknown{choices(material, materials)}", "material"
            )

    def require_base(self, before: Sequence[Entity]) -> None:
        """Refuse a base (`on`) that is not one of the fixed entities before this one."""
        fixed = [entity.name for entity in before if entity.moves == "fixed"]
        base = self._entry.get("on")
        if base is not None and base not in fixed:
            raise self.fault(
                f"'{shown(base)}' is no fixed entity above{choices(base, fixed)}", "on"
            )

    def shape(self, folder: Path | None) -> ShapeEntity:
        """Return a single body."""
        entry = self._entry
        if "shape" not in entry:
            raise self.fault("expected shape or urdf")
        self._refuse("a single body", "mechanisms", "position", "solid", "self")
        kind = entry["shape"]
        moves = entry.get("moves", "fixed" if kind == "plane" else "free")
        factors = (1.0, 1.0, 1.0) if kind == "mesh" else ()
        size = tuple(float(x) for x in entry.get("size", factors))
        if len(size) != SHAPES[kind]:
            raise self.fault(
                f"expected {SHAPES[kind]} numbers of a {kind}, got {len(size)}",
                *(("size",) if "size" in entry else ()),
            )
        if moves == "free" and kind == "plane":
            raise self.fault("a plane has no end and does not move: expected fixed", "moves")
        if moves == "free" and "mass" not in entry:
            raise self.fault("expected mass, as it moves")
        return ShapeEntity(
            self._name, kind, size, float(entry.get("mass", 0.0)), self._pose(),
            self._twist(moves), moves, entry.get("material", ""), self._mesh(kind, size, folder),
            self._placement(),
        )  # fmt: skip

    def _mesh(self, kind: str, size: tuple[float, ...], folder: Path | None) -> Polyhedron | None:
        if kind != "mesh":
            self._refuse(f"a {kind}", "mesh")
            return None
        if "mesh" not in self._entry:
            raise self.fault("expected mesh, the file of it")
        try:
            return read_mesh(find_mesh(self._entry["mesh"], folder), size)
        except ModelFileError as error:
            raise self.fault(str(error), "mesh", kind=type(error)) from None

    def robot(self, folder: Path | None) -> RobotEntity:
        """Return a robot, with what its files say."""
        entry = self._entry
        self._refuse("a robot", "shape", "size", "mesh", "mass")
        urdf = _found(entry["urdf"], folder)
        mechanisms = _found(entry.get("mechanisms", ""), folder)
        is_named = mechanisms in PACKAGE_ROBOTS
        try:
            urdf_path, mechanisms_path = model_files(urdf, "" if is_named else mechanisms)
            if is_named:
                _, mechanisms_path = model_files(mechanisms, "")
        except ModelFileError as error:
            raise self.fault(str(error), "urdf", kind=MissingFileError) from None
        if is_named and mechanisms_path is None and mechanisms != urdf:
            raise self.fault(
                f"expected a robot of the package with mechanisms, got '{mechanisms}'", "mechanisms"
            )
        for key, path in (("urdf", urdf_path), ("mechanisms", mechanisms_path)):
            if path is not None and not path.exists():
                robots = choices(str(entry[key]), PACKAGE_ROBOTS)
                raise self.fault(
                    f"'{shown(entry[key])}' is no file and no robot of the package{robots}",
                    key,
                    kind=MissingFileError,
                )
        tree = self._solid(parse_urdf(read_text(urdf_path), str(urdf_path)))
        of_file = MechanismSet()
        if mechanisms_path is not None:
            of_file = parse_mechanisms(read_text(mechanisms_path), str(mechanisms_path))
            tree, of_file = with_added_joints(tree, of_file, str(mechanisms_path))
        moves = entry.get("moves", "fixed")
        position = {name: float(x) for name, x in entry.get("position", {}).items()}
        files = str(urdf_path), str(mechanisms_path or "")
        return RobotEntity(
            self._name, tree, of_file, self._pose(), self._twist(moves), moves, position,
            entry.get("material", ""), files, self._self_pairs(tree), self._placement(),
            tuple(entry["solid"]) if "solid" in entry else None,
        )  # fmt: skip

    def _solid(self, tree: RobotTree) -> RobotTree:
        """Return a robot with the shapes of its solid links alone."""
        shaped = {name: link for name, link in tree.links.items() if link.collisions}
        for k, name in enumerate(self._entry.get("solid", ())):
            if name not in shaped:
                known = choices(name, shaped)
                raise self.fault(
                    f"expected a link with shapes, got '{shown(name)}'{known}", "solid", k
                )
        return with_solid_links(tree, self._entry.get("solid"))

    def _self_pairs(self, tree: RobotTree) -> frozenset[frozenset[str]]:
        """Return the pairs of links that can touch each other, by their names in the world."""
        given = self._entry.get("self", False)
        if given is True:
            return separable_links(self._name, tree)
        pairs: list[frozenset[str]] = []
        for k, pair in enumerate(given or ()):
            for name in pair:
                if name not in tree.links:
                    message = f"link '{shown(name)}' is unknown{choices(name, tree.links)}"
                    raise self.fault(message, "self", k)
                if not tree.links[name].collisions:
                    raise self.fault(
                        f"expected links with shapes, '{shown(name)}' has none", "self", k
                    )
            if pair[0] == pair[1]:
                raise self.fault(f"expected two links, got '{shown(pair[0])}' twice", "self", k)
            pairs.append(frozenset(pair))
        return frozenset(frozenset(name_in(self._name, link) for link in pair) for pair in pairs)

    def _refuse(self, what: str, *keys: str) -> None:
        for key in keys:
            if key in self._entry:
                raise self.fault(f"{what} has no such key", key)

    def _pose(self) -> EntityPose:
        return EntityPose.of(self._placement().pose)

    def _placement(self) -> EntityPlacement:
        pose, spread = (
            tuple(float(x) for x in self._entry.get(key, SIX_ZEROS)) for key in ("pose", "spread")
        )
        return EntityPlacement(pose, spread, self._entry.get("on", ""))

    def _twist(self, moves: str) -> Any:
        twist = np.array(self._entry.get("twist", (0.0,) * 6), dtype=np.float64)
        if moves == "fixed" and twist.any():
            raise self.fault("it does not move: expected moves: free", "twist")
        return twist


def _found(name: str, folder: Path | None) -> str:
    """Return a path relative to the file's folder, or the unchanged name of a packaged robot."""
    if not name or folder is None or Path(name).is_absolute() or name in PACKAGE_ROBOTS:
        return name
    # a Path would turn ./charmie in the folder . into the name of a robot
    return f"{folder}/{name}"
