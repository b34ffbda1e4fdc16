# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes that may touch, as the arrays that the kernels of contact read."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.core.contact.detection.methods import method_addresses
from charmie_dynamics.core.contact.detection.pairs import NONE, method_of
from charmie_dynamics.core.contact.detection.records import (
    BOX,
    CAPSULE,
    CYLINDER,
    MESH,
    PLANE,
    SPHERE,
    Detection,
    DetectionSizes,
)
from charmie_dynamics.core.contact.records import MEMORY, ContactSizes, ShapeLaws
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.model.description.meshes import Polyhedron
from charmie_dynamics.model.description.world import ContactRule, ContactRules, Material, Surface
from charmie_dynamics.model.flat.flatten import FlatRobot
from charmie_dynamics.numerics.addresses import address_of_block
from charmie_dynamics.numerics.blocks import lay_out, places_of
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.vectors import Floats, Ints

from .polyhedra import polyhedra_of

KINDS = {
    "plane": PLANE,
    "sphere": SPHERE,
    "capsule": CAPSULE,
    "box": BOX,
    "cylinder": CYLINDER,
    "mesh": MESH,
}
# in contact at a time, about
POINTS = {PLANE: 0, SPHERE: 1, CAPSULE: 2, BOX: 8, CYLINDER: 4, MESH: 8}
FEWEST_SLOTS = 8
NEIGHBOURS = 12  # of a shape whose boxes overlap at a time, at most on average


@dataclass(frozen=True, eq=False)
class ContactShape:
    """A shape fixed to a link.

    Attributes
    ----------
    entity, link : str
    kind : str
        One of `KINDS`.
    size : tuple of float
        As in a world file (m); empty for a mesh.
    p_link_shape, R_link_shape : (3,), (3, 3) array
    material : Material or None
    u_shape_axle : (3,) array or None
        Axle of a wheel with rollers; None for other shapes.
    roller_angle : float
        From the axle to the axis of the roller at the floor, about the upward normal (rad).
    mesh : Polyhedron or None
        Of a mesh; the origin of the shape is the centre of its bounds.
    """

    entity: str
    link: str
    kind: str
    size: tuple[float, ...]
    p_link_shape: Floats
    R_link_shape: Floats
    material: Material | None = None
    u_shape_axle: Floats | None = None
    roller_angle: float = 0.0
    mesh: Polyhedron | None = None

    @property
    def half_size(self) -> tuple[float, float, float]:
        """The three numbers that the kernels read, see `core.contact.detection.records`."""
        if self.mesh is not None:
            x, y, z = self.mesh.half_size.tolist()
            return x, y, z
        size = self.size
        if self.kind == "box":
            return 0.5 * size[0], 0.5 * size[1], 0.5 * size[2]
        if self.kind in ("cylinder", "capsule"):
            return size[0], 0.5 * size[1], 0.0
        return (size[0], 0.0, 0.0) if size else (0.0, 0.0, 0.0)

    @property
    def half_thickness(self) -> float:
        """Half of the smallest thickness (m); inf of a plane."""
        if self.mesh is not None:
            return self.mesh.half_thickness
        return min((half for half in self.half_size if half > 0.0), default=math.inf)

    @property
    def corners(self) -> Floats:
        """Points (n, 3) of the surface that are farthest from the middle, in the shape's frame."""
        if self.mesh is not None:
            return self.mesh.vertices
        radius, half, _ = size = self.half_size
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
        if self.kind == "box":
            return signs * size
        if self.kind == "sphere":
            return radius * np.concatenate([np.eye(3), -np.eye(3)])
        rim = np.array([radius, radius, half])
        if self.kind == "cylinder":
            return np.concatenate([signs * rim * (1, 0, 1), signs * rim * (0, 1, 1)])
        ends = np.array([[0.0, 0.0, half + radius], [0.0, 0.0, -half - radius]])
        return np.concatenate([ends, signs * rim * (1, 0, 1), signs * rim * (0, 1, 1)])

    @property
    def reach(self) -> float:
        """Largest distance from the middle to a point that moves when the shape turns (m).

        A capsule is swept by a sphere along its axis, so that the ends of the axis count.
        """
        if self.mesh is not None:
            return float(np.linalg.norm(self.mesh.vertices, axis=1).max())
        if self.kind == "capsule":
            return self.half_size[1]
        return 0.0 if self.kind == "sphere" else math.hypot(*self.half_size)

    @property
    def surface(self) -> Surface:
        """The properties that may determine the stiffness of its contacts."""
        radius = {"plane": math.inf, "sphere": self.size[0] if self.size else 0.0}.get(self.kind)
        return Surface(self.entity, self.material, radius, self.link)


class ContactScene:
    """The shapes of a robot or a world, and the laws between them.

    Parameters
    ----------
    flat : FlatRobot
    shapes : sequence of ContactShape
    rules : ContactRules
    slots : int
        So many points may be in contact at a time; 0: by the shapes.

    Attributes
    ----------
    shapes : tuple of ContactShape
    addresses : tuple of Address
        Its arguments of `run_contact_loads`.
    motion : ShapeMotion
        How fast the shapes are at the state that was last computed with a horizon.
    parameters : tuple of (laws, k) array
    memory_size : int
        Numbers of the state that belong to contacts.
    is_elastic : bool
        Whether the friction law of any pair has an internal displacement.

    Raises
    ------
    ModelFileError
        If a stiffness does not follow from materials and radii.
    """

    def __init__(
        self, flat: FlatRobot, shapes: Sequence[ContactShape], rules: ContactRules, slots: int = 0
    ) -> None:
        self.shapes = tuple(shapes)
        bodies = {name: i for i, name in enumerate(flat.body_names)}
        self._bodies = np.array([bodies[shape.link] for shape in shapes], dtype=np.int64)
        self._moves = flat.freedoms.last_freedom[self._bodies] >= 0
        groups, members = _groups(self.shapes)
        laws = _LawTable(rules)
        table = np.full((len(groups), len(groups)), -1, dtype=np.int64)
        for a, b in itertools.combinations_with_replacement(range(len(groups)), 2):
            table[a, b] = table[b, a] = laws.row_of(groups[a], groups[b])
        self._table, self._members = table, members
        self._pairs = self._excluded(table, members)
        self.memory_size = MEMORY * (slots or self._slots())
        self._laws = laws
        self.is_elastic = any(FRICTION_LAWS[rule.friction].is_elastic for rule in laws.rules)
        counts = ContactSizes(len(shapes), len(groups), max(1, len(laws.rules)), 0)
        self._scene, self._scene_floats = _block(ShapeLaws, counts)
        scene = lay_out(ShapeLaws, self._scene, self._scene_floats, counts)
        scene.counts[:] = counts
        scene.shape_group[:] = members
        scene.law_of_groups[:] = table
        scene.normal_address[: len(laws.rules)] = laws.normal_addresses
        scene.friction_address[: len(laws.rules)] = laws.friction_addresses
        for i, shape in enumerate(shapes):
            if shape.u_shape_axle is not None:
                scene.has_rollers[i] = 1
                scene.u_shape_axle[i] = shape.u_shape_axle
                scene.roller_turn[i] = math.cos(shape.roller_angle), math.sin(shape.roller_angle)
        scene.method_address[:] = method_addresses(KINDS[shape.kind] for shape in shapes)
        self.parameters = laws.parameters()
        self._polyhedra = polyhedra_of(
            [KINDS[shape.kind] for shape in shapes],
            [shape.half_size for shape in shapes],
            [shape.mesh for shape in shapes],
        )
        _, _, vertices, edges, _, normals, _, _, corners, _ = self._polyhedra
        self._detection_counts = DetectionSizes(
            len(shapes), self._room_for_pairs(), max(1, len(self._pairs)),
            len(vertices), len(edges), len(normals), len(corners),
        )  # fmt: skip
        self.detach()

    def detach(self) -> None:
        """Use separate arrays for the detection of contacts, in their initial state."""
        self._ints, self._floats = _block(Detection, self._detection_counts)
        self._detection = lay_out(Detection, self._ints, self._floats, self._detection_counts)
        self.motion = self._detection.moving
        self.addresses = tuple(
            address_of_block(block)
            for block in (self._scene, self._scene_floats, self._ints, self._floats)
        )
        self.begin()

    def enlarge(self) -> None:
        """Make the workspace for pairs of shapes that are near each other twice as large."""
        self._detection_counts = self._detection_counts._replace(
            pairs=2 * self._detection_counts.pairs
        )
        floor = self.motion.speed_floor
        self.detach()
        self.motion.speed_floor[:] = floor

    def copied(self) -> ContactScene:
        """Return the same shapes and laws for another plant, with a separate detection."""
        other = copy.copy(self)
        other.detach()
        return other

    def begin(self) -> None:
        """Reset the detection: the same states then give the same contacts, bit for bit."""
        self._ints[:] = 0
        self._floats[:] = 0.0
        detection = self._detection
        detection.detection_sizes[:] = self._detection_counts
        found = detection.shapes
        for i, shape in enumerate(self.shapes):
            found.shape_type[i] = KINDS[shape.kind]
            found.shape_size[i] = shape.half_size
            found.R_body_shape[i] = shape.R_link_shape
            found.p_body_shape[i] = shape.p_link_shape
            detection.moving.shape_reach[i] = shape.reach
            detection.moving.half_thickness[i] = shape.half_thickness
        for given, kept in zip(self._polyhedra, detection.polyhedra, strict=False):
            kept[...] = given
        found.shape_body[:] = self._bodies
        found.excluded_pairs[: len(self._pairs)] = self._pairs
        detection.placed.sweep_order[:] = np.arange(len(self.shapes))

    @property
    def moves(self) -> tuple[bool, ...]:
        """Whether each shape moves, or is fixed to the world."""
        return tuple(self._moves.tolist())

    def friction_coefficients(self, first: Ints, second: Ints) -> Floats:
        """Return those of pairs of shapes (c,), see `FrictionLaw.coefficient`."""
        of_laws = [
            FRICTION_LAWS[rule.friction].coefficient(rule.friction_values)
            for rule in self._laws.rules
        ]
        rows = self._table[self._members[first], self._members[second]]
        found: Floats = np.append(of_laws, math.nan)[rows]  # -1, the last: no law
        return found

    def rules_of_pairs(self) -> Iterator[tuple[tuple[int, int], ContactRule]]:
        """Yield the pairs of shapes that may meet, and the rule of each."""
        for i, j, law in zip(*(each.tolist() for each in self.meeting_pairs()), strict=True):
            yield (i, j), self._laws.rules[law]

    @property
    def rules(self) -> Sequence[ContactRule]:
        """The rules of which `meeting_pairs` returns the numbers."""
        return self._laws.rules

    def meeting_pairs(self) -> tuple[Ints, Ints, Ints]:
        """Return first and second shape of all pairs that may meet, and the rule of each (k,)."""
        h = len(self.shapes)
        first, second = np.triu_indices(h, 1)
        meets = ~np.isin(first * h + second, self._pairs)
        first, second = first[meets], second[meets]
        return first, second, self._table[self._members[first], self._members[second]]

    def _excluded(self, table: Ints, members: Ints) -> Ints:
        """Return the pairs that never meet, as numbers of `Shapes.excluded_pairs`."""
        h = len(self.shapes)
        first, second = np.triu_indices(h, 1)
        kinds = np.array([KINDS[shape.kind] for shape in self.shapes])
        never = table[members[first], members[second]] < 0
        never |= ~(self._moves[first] | self._moves[second])
        never |= (kinds[first] == PLANE) & (kinds[second] == PLANE)
        never |= self._bodies[first] == self._bodies[second]
        self._require_methods(first[~never], second[~never])
        pairs: Ints = np.sort(first[never] * h + second[never])
        return pairs

    def _require_methods(self, first: Ints, second: Ints) -> None:
        for i, j in zip(first.tolist(), second.tolist(), strict=True):
            low, high = sorted((self.shapes[i], self.shapes[j]), key=lambda s: KINDS[s.kind])
            if plain(method_of)(KINDS[low.kind], KINDS[high.kind]) == NONE:
                raise ModelFileError(
                    f"contact of '{low.link}' and '{high.link}': a {low.kind} and a {high.kind} "
                    f"are not supported; a {high.kind} meets {', '.join(_partners(high.kind))}"
                )

    def _room_for_pairs(self) -> int:
        h = len(self.shapes)
        planes = sum(shape.kind == "plane" for shape in self.shapes)
        return max(1, min(h * (h - 1) // 2, (NEIGHBOURS + planes) * h))

    def _slots(self) -> int:
        points = sum(POINTS[KINDS[shape.kind]] for shape in self.shapes)
        return max(FEWEST_SLOTS, 2 * points)


def _partners(kind: str) -> list[str]:
    """Return the kinds that a kind can meet."""
    pairs = {other: sorted((KINDS[kind], KINDS[other])) for other in KINDS}
    return [other for other, pair in pairs.items() if plain(method_of)(*pair) != NONE]


def _groups(shapes: Sequence[ContactShape]) -> tuple[list[Surface], Ints]:
    """Return the different surfaces, and which of them each shape has."""
    found: dict[Surface, int] = {}
    members = [found.setdefault(shape.surface, len(found)) for shape in shapes]
    return list(found), np.array(members, dtype=np.int64)


def _block(record: type, counts: tuple[int, ...]) -> tuple[Ints, Floats]:
    _, _, ints, floats = places_of(record, counts)
    return np.zeros(ints, dtype=np.int64), np.zeros(floats)


class _LawTable:
    """The laws that act somewhere, a row each."""

    def __init__(self, rules: ContactRules) -> None:
        self._rules = rules
        self.rules: list[ContactRule] = []
        self._rows: dict[tuple[object, ...], int] = {}

    def row_of(self, first: Surface, second: Surface) -> int:
        """Return the row of two surfaces, -1 if no law acts between them."""
        rule = self._rules.between(first, second)
        if rule is None:
            return -1
        key = (
            rule.normal, rule.friction,
            *sorted(rule.normal_values.items()), *sorted(rule.friction_values.items()),
        )  # fmt: skip
        if key not in self._rows:
            self._rows[key] = len(self.rules)
            self.rules.append(rule)
        return self._rows[key]

    @property
    def normal_addresses(self) -> list[int]:
        """Of the normal laws."""
        return [NORMAL_LAWS[rule.normal].address for rule in self.rules]

    @property
    def friction_addresses(self) -> list[int]:
        """Of the friction laws."""
        return [FRICTION_LAWS[rule.friction].address for rule in self.rules]

    def parameters(self) -> tuple[Floats, Floats]:
        """Return the parameters of the normal laws and of the friction laws."""
        normal = [NORMAL_LAWS[rule.normal].numbers(rule.normal_values) for rule in self.rules]
        friction = [
            FRICTION_LAWS[rule.friction].numbers(rule.friction_values) for rule in self.rules
        ]
        return _rows(normal), _rows(friction)


def _rows(arrays: Sequence[Floats]) -> Floats:
    """Return arrays of different lengths as rows of one."""
    rows = np.zeros((max(1, len(arrays)), max((len(array) for array in arrays), default=1) or 1))
    for row, array in zip(rows, arrays, strict=False):
        row[: len(array)] = array
    return rows
