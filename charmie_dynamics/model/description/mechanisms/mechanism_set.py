# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""All that a mechanisms file adds to a tree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, make_dataclass
from typing import Any

from charmie_dynamics.core.mechanisms.registry import TYPES

from ..robot import JointFriction, JointRelation, RobotTree, Roller, Rotor, TrackedPoint, Vector3
from .linear_actuators import LinearActuator
from .mechanism import Mechanism
from .sections import SECTIONS

_ByType: Any = make_dataclass(
    "_ByType", [(name, tuple[Any, ...], ()) for name in TYPES], frozen=True
)


@dataclass(frozen=True)
class MechanismSet(_ByType):
    """Contents of a mechanisms file.

    `base_body` is the body whose load `base_wrench` reports (empty: the root); `base_joints` are
    those which may be held at zero when no input reports them; `passive_joints` are those without
    actuator, which the loops move; `rest_pose` is a natural stance by actuator or passive joint;
    `wheel_contacts` are the points, in the base body's frame, that support the robot (m, all at the
    height of the floor; empty: unknown); `rollers` are those of Swedish wheels, by the links of the
    wheels; `payload_links` are the links that can hold a payload, by the payloads' names;
    `joint_groups` are the joints or actuators that one trajectory moves, and `grippers` those of
    grippers, by the names of groups and grippers; `tracked_points` are those whose motion is
    published by default; `friction` and `contact_thresholds` (N m or N) are by actuator,
    `contact_share` is the threshold of the others as a share of their rated effort; `rotors` are by
    joint or linear actuator; `load_sharing` are the linear actuators whose joint one of
    `linear_actuators` moves, too (set by a model); `sources` states whether each group of values is
    published or estimated; `lines` are the lines of the entries in the file, by key (empty: there
    is no file).

    `joint_relations` are linear relations of joints, by their names (a model replaces them).

    The mechanisms of each other type are a tuple with the name of their section: ``springs``,
    ``balance_mechanisms`` and the other sections of the registry.
    """

    gravity: Vector3 = (0.0, 0.0, -9.81)
    base_body: str = ""
    base_joints: tuple[str, ...] = ()
    rest_pose: Mapping[str, float] = field(default_factory=dict)
    wheel_contacts: tuple[Vector3, ...] = ()
    rollers: Mapping[str, Roller] = field(default_factory=dict)
    payload_links: Mapping[str, str] = field(default_factory=dict)
    joint_groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    grippers: Mapping[str, str] = field(default_factory=dict)
    tracked_points: tuple[TrackedPoint, ...] = ()
    friction: Mapping[str, JointFriction] = field(default_factory=dict)
    rotors: Mapping[str, Rotor] = field(default_factory=dict)
    joint_relations: Mapping[str, JointRelation] = field(default_factory=dict)
    contact_thresholds: Mapping[str, float] = field(default_factory=dict)
    contact_share: float = math.inf
    sources: Mapping[str, str] = field(default_factory=dict)
    linear_actuators: tuple[LinearActuator, ...] = ()
    load_sharing: tuple[LinearActuator, ...] = ()
    passive_joints: tuple[str, ...] = ()
    lines: Mapping[tuple[str | int, ...], int] = field(
        default_factory=dict, repr=False, compare=False
    )

    def parts(self) -> Iterator[tuple[str, Mechanism]]:
        """Yield section and mechanism of each, the linear actuators first, in their order."""
        for section in SECTIONS:
            others = self.load_sharing if section == "linear_actuators" else ()
            for part in (*getattr(self, section), *others):
                yield section, part

    def all_rotors(self, tree: RobotTree) -> dict[str, Rotor]:
        """Return the rotors of the transmissions of a URDF, replaced by those of the file."""
        return {**tree.rotors, **self.rotors}

    def where(self, source: str, *path: str | int) -> str:
        """Return how a message names the place of an entry: file, and line where it is known."""
        for length in range(len(path), 0, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return f"{source}, line {line}"
        return source
