# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes that may touch, as the arrays that the kernels of contact read."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from charmie_dynamics.collision.contact_shape import KINDS, ContactShape, require_methods
from charmie_dynamics.collision.polyhedra import polyhedra_of
from charmie_dynamics.core.contact.detection.methods import method_addresses
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
from charmie_dynamics.core.contact.records import MEMORY, ContactSizes, SceneAddresses, ShapeLaws
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import InputError
from charmie_dynamics.model.description.world import ContactRule, ContactRules, Surface
from charmie_dynamics.model.flat.flat_robot import FlatRobot
from charmie_dynamics.numerics.addresses import address_block, address_of_block
from charmie_dynamics.numerics.blocks import lay_out, places_of
from charmie_dynamics.numerics.vectors import Floats, Ints

# in contact at a time, about
POINTS = {PLANE: 0, SPHERE: 1, CAPSULE: 2, BOX: 8, CYLINDER: 4, MESH: 8}
FEWEST_SLOTS = 8
NEIGHBOURS = 12  # of a shape whose boxes overlap at a time, at most on average


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
    address : Address
        Of a block of `SceneAddresses`, for `run_contact_loads`.
    motion : ShapeMotion
        How fast the shapes are at the state that was last computed with a horizon.
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
        self.shapes = self._first_shapes = tuple(shapes)
        self._tree = flat.tree
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
        normal, friction = laws.parameters()
        self._law_counts = counts = ContactSizes(
            len(shapes), len(groups), len(normal), normal.shape[1], friction.shape[1]
        )
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
        scene.normal_parameters[:], scene.friction_parameters[:] = normal, friction
        scene.method_address[:] = method_addresses(KINDS[shape.kind] for shape in shapes)
        self._kinds = [KINDS[shape.kind] for shape in shapes]
        self._half_sizes = [shape.half_size for shape in shapes]
        self._polyhedra = polyhedra_of(
            self._kinds, self._half_sizes, [shape.mesh for shape in shapes]
        )
        given = self._polyhedra
        self._detection_counts = DetectionSizes(
            len(shapes), self._room_for_pairs(), max(1, len(self._pairs)),
            len(given.vertex), len(given.edge_vertex), len(given.face_normal),
            len(given.corner_vertex),
        )  # fmt: skip
        self.detach()

    def detach(self) -> None:
        """Use separate arrays for the detection of contacts, in their initial state."""
        self._addresses = address_block(SceneAddresses(0, 0, 0, 0))
        self.address = address_of_block(self._addresses)
        self._make_detection()

    def _make_detection(self) -> None:
        self._ints, self._floats = _block(Detection, self._detection_counts)
        self._detection = lay_out(Detection, self._ints, self._floats, self._detection_counts)
        self.motion = self._detection.moving
        # at the same address, which the steppers keep
        for k, ints in ((0, self._scene), (2, self._ints)):
            self._addresses[k] = address_of_block(ints)
        for k, floats in ((1, self._scene_floats), (3, self._floats)):
            self._addresses[k] = address_of_block(floats)
        self.begin()

    def enlarge(self) -> None:
        """Make the workspace for pairs of shapes that are near each other twice as large."""
        self._detection_counts = self._detection_counts._replace(
            pairs=2 * self._detection_counts.pairs
        )
        floor = self.motion.speed_floor
        self._make_detection()
        self.motion.speed_floor[:] = floor

    def copied(self) -> ContactScene:
        """Return the same shapes and laws for another plant, with a separate detection."""
        other = copy.copy(self)
        other.detach()
        return other

    def watching(self, pairs: Iterable[tuple[str, str]]) -> ContactScene:
        """Return the same shapes and laws, where `PlantBatch.watched` looks at some pairs.

        Parameters
        ----------
        pairs : iterable of tuple of str
            Links.
        """
        other = copy.copy(self)
        other.watch(pairs)
        return other

    def watch(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Watch pairs of links from now on, see `watching`; copies that exist do not."""
        groups: dict[str, set[int]] = {}
        for shape, group in zip(self.shapes, self._members.tolist(), strict=True):
            groups.setdefault(shape.link, set()).add(group)
        self._scene = self._scene.copy()
        laws = lay_out(ShapeLaws, self._scene, self._scene_floats, self._law_counts)
        for first, second in pairs:
            for a, b in itertools.product(groups[first], groups[second]):
                laws.is_watched[a, b] = laws.is_watched[b, a] = 1
        self.detach()

    def scale_friction(self, factor: float) -> None:
        """Multiply the coefficients of friction of the files by a factor; not those of copies."""
        self._scene_floats = self._scene_floats.copy()
        laws = lay_out(ShapeLaws, self._scene, self._scene_floats, self._law_counts)
        for row, rule in zip(laws.friction_parameters, self._laws.rules, strict=False):
            law = FRICTION_LAWS[rule.friction]
            for k, value in enumerate(law.numbers(rule.friction_values)):
                is_coefficient = law.parameters[k].name in ("static", "kinetic")
                row[k] = value * factor if is_coefficient else value
        self._addresses[1] = address_of_block(self._scene_floats)

    def begin(self) -> None:
        """Reset the detection: the same states then give the same contacts, bit for bit."""
        self._ints[:] = 0
        self._floats[:] = 0.0
        detection = self._detection
        detection.detection_sizes[:] = self._detection_counts
        found = detection.shapes
        moving = detection.moving
        found.shape_type[:] = self._kinds
        moving.shape_reach[:] = [shape.reach for shape in self.shapes]
        moving.half_thickness[:] = [shape.half_thickness for shape in self.shapes]
        if self.shapes:
            found.shape_size[:] = self._half_sizes
            found.R_body_shape[:] = [shape.R_link_shape for shape in self.shapes]
            found.p_body_shape[:] = [shape.p_link_shape for shape in self.shapes]
        for given, kept in zip(self._polyhedra, detection.polyhedra, strict=False):
            kept[...] = given
        found.shape_body[:] = self._bodies
        found.excluded_pairs[: len(self._pairs)] = self._pairs
        detection.placed.sweep_order[:] = np.arange(len(self.shapes))

    def place(self, link: str, p_world_link: Floats, R_world_link: Floats) -> None:
        """Move the shapes of a link that is fixed to the world, and reset the detection.

        Frames of the model stay: contacts read the shapes alone.

        Parameters
        ----------
        link : str
        p_world_link : (3,) array
            m
        R_world_link : (3, 3) array

        Raises
        ------
        InputError
            If there is no such link with a shape, or it moves.
        """
        at_link = [k for k, shape in enumerate(self._first_shapes) if shape.link == link]
        if not at_link:
            raise InputError(f"pose of '{link}': expected the name of a link with shapes")
        if self._moves[at_link].any():
            raise InputError(f"pose of '{link}': expected a link that is fixed to the world")
        p, R = self._fixed_pose(link)
        shapes = list(self.shapes)
        for k in at_link:
            shape = self._first_shapes[k]
            shapes[k] = replace(
                shape,
                p_link_shape=R.T @ (p_world_link + R_world_link @ shape.p_link_shape - p),
                R_link_shape=R.T @ R_world_link @ shape.R_link_shape,
            )
        self.shapes = tuple(shapes)
        self.begin()

    def _fixed_pose(self, link: str) -> tuple[Floats, Floats]:
        """Return the pose of a link that is fixed to the world, in the model."""
        tree, body = self._tree, self._bodies[[shape.link for shape in self.shapes].index(link)]
        p, R = np.zeros(3), np.eye(3)
        while body > 0:
            p = tree.p_parent_joint[body] + tree.R_parent_joint[body] @ p
            R = tree.R_parent_joint[body] @ R
            body = tree.parent[body]
        return p, R

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
        require_methods(self.shapes, np.column_stack([first, second])[~never].tolist())
        pairs: Ints = np.sort(first[never] * h + second[never])
        return pairs

    def _room_for_pairs(self) -> int:
        h = len(self.shapes)
        planes = sum(shape.kind == "plane" for shape in self.shapes)
        return max(1, min(h * (h - 1) // 2, (NEIGHBOURS + planes) * h))

    def _slots(self) -> int:
        points = sum(POINTS[KINDS[shape.kind]] for shape in self.shapes)
        return max(FEWEST_SLOTS, 2 * points)


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
