# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Linear actuators that move a joint indirectly: section ``linear_actuators``.

Each loop is reduced to the plane across its joint's axis (step 2).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from charmie_dynamics.core import arrays
from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.errors import shown
from charmie_dynamics.numerics.rotations import plane_across
from charmie_dynamics.numerics.vectors import Floats

from ..robot import Joint, Limit, RobotTree, Vector3
from .mechanism import (
    NAME,
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    RANGE,
    SHARE,
    VECTOR3,
    Mechanism,
    Numbering,
    described,
    entry_schema,
)
from .members import pins_of

Branch = Literal["upright", "inverted"]
AS_LINKS = (  # advice in messages
    "Name both joints of a cylinder across two as `joints`, and describe one across more as links: "
    "a barrel, a rod on a driven prismatic joint, and a loop joint at its pin"
)
SOLID: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["mass", "center"],
    "properties": {"mass": POSITIVE, "center": NUMBER, "inertia": NOT_NEGATIVE},
}


@dataclass(frozen=True)
class CylinderPart:
    """Mass (kg) of a barrel or rod, `center` (m) from its own pin, `inertia` (kg m^2) across."""

    mass: float
    center: float
    inertia: float = 0.0


@dataclass(frozen=True)
class LinearActuator(Mechanism):
    """A linear actuator between two pins that moves a joint indirectly (lengths in m, force N).

    It is the actuator in place of that joint: its position is the distance of the pins, its effort
    the force along it, positive when it pushes them apart. Of several on one joint the first is the
    actuator; its effort is that of all. One across two joints that follow each other takes the
    place of the second, or of the first where the second has an actuator.
    """

    base_body: str
    base_point: Vector3
    tip_body: str
    tip_point: Vector3
    limit: Limit
    joint: str = ""  # of one across two joints: that of its own rod, once there are links
    across: tuple[str, ...] = ()  # `joints` of the file
    branch: Branch = "upright"
    share: float | None = None
    reaction_share: float = 0.0
    barrel: CylinderPart | None = None
    rod: CylinderPart | None = None
    has_links: bool = False  # barrel and rod are links of the tree, see `cylinders`

    title: ClassVar = "linear actuator"
    schema: ClassVar = entry_schema(
        required={
            "base_body": described(NAME, "link of the fixed end"),
            "base_point": described(VECTOR3, "its pin, in that link (m)"),
            "tip_body": described(NAME, "link of the moving end"),
            "tip_point": described(VECTOR3, "its pin, in that link (m)"),
        },
        optional={
            "joint": described(NAME, "joint of the tree that it moves"),
            "joints": described(
                {"type": "array", "items": NAME, "minItems": 2, "maxItems": 2},
                "instead of `joint`: two joints that it spans",
            ),
            "length_limits": described(RANGE, "shortest and longest distance of the pins (m)"),
            "effort_limit": described(POSITIVE, "rated force (N)"),
            "velocity_limit": described(POSITIVE, "rated speed (m/s)"),
            "branch": described(
                {"enum": ["upright", "inverted"]},
                "which of the two joint positions a length means: the one on the side of the "
                "joint's zero, or the other",
            ),
            "share": described(
                {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                "part of the load of its joint, if there are several (default: equal parts)",
            ),
            "barrel": described(
                SOLID,
                "mass (kg), center (m from the base pin towards the tip pin) and inertia across "
                "the line of the pins (kg m^2, default 0) of what turns about the base pin",
            ),
            "rod": described(
                SOLID,
                "mass, center (m from the tip pin towards the base pin) and inertia of what turns "
                "about the tip pin",
            ),
            "reaction_share": described(
                SHARE,
                "part of the statically indeterminate reactions on the pins instead of the "
                "joint; changes no actuator effort",
            ),
        },
    )
    links: ClassVar = ("base_body", "tip_body")
    joints: ClassVar = ("joint",)
    bodies: ClassVar = ("tube", "rod")
    revolute: ClassVar = 2
    prismatic: ClassVar = 1
    is_member: ClassVar = True

    @classmethod
    def read(cls, name: str, entry: Mapping[str, Any]) -> Mechanism:
        """Return the actuator of an entry, its limits as one."""
        lower, upper = entry.get("length_limits", (0.0, math.inf))
        limit = Limit(
            float(lower),
            float(upper),
            float(entry.get("effort_limit", math.inf)),
            float(entry.get("velocity_limit", math.inf)),
        )
        others = {key: value for key, value in entry.items() if "_limit" not in key}
        for part in {"barrel", "rod"} & set(others):
            numbers = {key: float(value) for key, value in others[part].items()}
            others[part] = CylinderPart(**numbers)
        others["across"] = others.pop("joints", ())
        return super().read(name, {**others, "limit": limit})

    @property
    def link_joints(self) -> tuple[str, ...]:
        """The joints of its links: two of the barrel, and that of the rod along it."""
        names = ("swing", "lean", "stroke") if self.has_links else ()
        return tuple(f"{self.name}_{name}" for name in names)

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield the faults of its joints and of its length limits, by key."""
        name = shown(self.name)
        if bool(self.joint) == bool(self.across):
            got = "both" if self.joint else "neither"
            yield "joint", f"linear actuator '{name}': expected joint or joints, got {got}"
        if len(set(self.across)) < len(self.across):
            yield (
                "joints",
                f"joints of '{name}': expected two joints, got '{shown(self.across[0])}' twice",
            )
        for key in ("branch", "share", "reaction_share"):
            if self.across and getattr(self, key) != getattr(LinearActuator, key):
                yield key, f"{key} of '{name}': expected none, since it spans two joints"
        lower, upper = self.limit.lower, self.limit.upper
        if not 0.0 <= lower < upper:
            yield (
                "length_limits",
                f"length_limits of '{shown(self.name)}' must be 0 <= lower < upper, got {lower} "
                f"and {upper}",
            )

    @classmethod
    def flatten(
        cls, parts: Sequence[LinearActuator], numbering: Numbering
    ) -> arrays.LinearActuators:
        """Reduce each linear actuator's loop to the plane across its joint's axis.

        Those behind the first on a joint have pins and shares, but no coordinate.

        Raises
        ------
        ModelFileError
            Where the pins do not lie on the two sides of the joint, or the geometry is degenerate.
        """
        links, coordinates = numbering.links, numbering.coordinates
        joints = {joint.name: joint for joint in numbering.tree.joints}
        loops = [_reduce(part, joints[part.joint], numbering) for part in parts]
        count = len({part.joint for part in parts})
        shares = load_shares(parts)
        bodies = [links[joints[part.joint].child] for part in parts]
        moving, fixed, common = (
            np.array([links[loop.carriers[i]] for loop in loops], dtype=np.int64) for i in range(3)
        )
        result = arrays.LinearActuators(
            **pins_of(parts, numbering),
            joint_body=np.array(bodies, dtype=np.int64),
            coordinate=np.array(
                [coordinates[part.joint] for part in parts[:count]], dtype=np.int64
            ),
            moving_pin_body=moving,
            fixed_pin_body=fixed,
            common_body=common,
            side=np.array([loop.side for loop in loops]),
            p_body_pin=np.array([loop.p_body_pin for loop in loops]).reshape(-1, 3),
            load_share=np.array([shares[part.name] for part in parts], dtype=np.float64),
            F=np.array([loop.F for loop in loops]).reshape(-1, 2),
            G_zero=np.array([loop.G_zero for loop in loops]).reshape(-1, 2),
            along_zero=np.array([loop.along_zero for loop in loops]),
            across=np.array([loop.across for loop in loops]),
            branch=np.array([loop.branch for loop in loops]),
            reaction_share=np.array([part.reaction_share for part in parts], dtype=np.float64),
        )
        return read_only(result)


def load_shares(parts: Iterable[LinearActuator]) -> dict[str, float]:
    """Return the shares of linear actuators in the loads of their joints, which add up to 1.

    Those without `share` have equal parts of the remainder.
    """
    of_joint: dict[str, list[LinearActuator]] = {}
    for part in parts:
        of_joint.setdefault(part.joint, []).append(part)
    found: dict[str, float] = {}
    for own in of_joint.values():
        given = [part.share for part in own if part.share is not None]
        rest = (1.0 - sum(given)) / max(len(own) - len(given), 1)
        shares = [rest if part.share is None else part.share for part in own]
        whole = sum(shares)
        found.update((part.name, share / whole) for part, share in zip(own, shares, strict=True))
    return found


class _Loop(NamedTuple):
    """A row of `LinearActuators`, with the names of the bodies."""

    carriers: tuple[str, str, str]  # of the moving pin, of the fixed pin, of both
    side: float
    p_body_pin: Floats
    F: Floats
    G_zero: Floats
    along_zero: float
    across: float
    branch: float


def _reduce(part: LinearActuator, joint: Joint, numbering: Numbering) -> _Loop:
    """Return the loop of an actuator in the plane across the axis of the joint that it moves."""
    if part.across:  # along its own rod
        zero, length = np.zeros(3), float(joint.p_parent_joint[0])
        bodies = joint.child, joint.parent, joint.parent
        return _Loop(bodies, 1.0, zero, zero[:2], zero[:2], length, 0.0, 1.0)
    p_joint_fixed, p_joint_pin, side = _pins(numbering, joint, part)
    ends = (part.tip_body, part.base_body)
    moving, fixed = ends if side > 0.0 else ends[::-1]
    d = p_joint_pin - p_joint_fixed
    along = float(joint.axis @ d)
    across = 0.0
    F, G_zero = np.zeros(2), np.zeros(2)
    if joint.type == "prismatic":
        across = math.sqrt(max(float(d @ d) - along**2, 0.0))
        zero_branch = along
        if part.reaction_share:
            raise numbering.fault(
                part,
                f"reaction_share is for a revolute joint, but '{joint.name}' is prismatic and "
                "bears all undetermined reactions; expected 0",
            )
    else:
        basis = plane_across(joint.axis)
        F = basis @ p_joint_fixed
        G_zero = basis @ p_joint_pin
        zero_branch = float(F[1] * (G_zero[0] - F[0]) - F[0] * (G_zero[1] - F[1]))
        if min(math.hypot(*F), math.hypot(*G_zero)) < 1e-9:
            raise numbering.fault(
                part, f"a pin lies on the axis of '{joint.name}'; it could not turn it"
            )
    if abs(zero_branch) < 1e-9:
        raise numbering.fault(
            part,
            f"at the zero position of '{joint.name}' the loop is at a dead centre, where the two "
            "branches coincide; move the joint's zero",
        )
    branch = math.copysign(1.0, zero_branch) * (1.0 if part.branch == "upright" else -1.0)
    carriers = moving, fixed, _common_ancestor(numbering.tree, moving, fixed)
    return _Loop(carriers, side, p_joint_pin, F, G_zero, along, across, branch)


def _pins(numbering: Numbering, joint: Joint, part: LinearActuator) -> tuple[Floats, Floats, float]:
    """Return fixed and moving pin in the joint's frame at zero, and which end moves (+1: tip)."""
    robot = numbering.tree
    ends = [
        _in_movable_body(robot, part.base_body, np.array(part.base_point)),
        _in_movable_body(robot, part.tip_body, np.array(part.tip_point)),
    ]
    ground, p_ground_parent, R_ground_parent = _movable_body(robot, joint.parent)
    side = 1.0
    if ends[0][0] == joint.child:
        ends.reverse()
        side = -1.0
    (fixed_body, p_fixed), (moving_body, p_moving) = ends
    if fixed_body != ground or moving_body != joint.child:
        raise numbering.fault(
            part,
            f"expected one pin on each side of joint '{joint.name}' (on '{joint.parent}' and on "
            f"'{joint.child}', or on bodies fixed to them), got '{part.base_body}' and "
            f"'{part.tip_body}'. {AS_LINKS}",
        )
    p_parent_fixed = R_ground_parent.T @ (p_fixed - p_ground_parent)
    return joint.R_parent_joint.T @ (p_parent_fixed - joint.p_parent_joint), p_moving, side


def _common_ancestor(robot: RobotTree, one: str, other: str) -> str:
    """Return the nearest common ancestor of two links, which may be one of the two."""
    path = set(robot.path_to_root(one))
    return next(link for link in robot.path_to_root(other) if link in path)


def _movable_body(robot: RobotTree, link: str) -> tuple[str, Floats, Floats]:
    """Return the movable body (or root) that `link` is fixed to, and the pose of `link` in it.

    The pose is p_body_link (3,) and R_body_link (3, 3).
    """
    p = np.zeros(3)
    R = np.eye(3)
    joint = robot.joint_of(link)
    while joint is not None and joint.type == "fixed":
        p = joint.p_parent_joint + joint.R_parent_joint @ p
        R = joint.R_parent_joint @ R
        link = joint.parent
        joint = robot.joint_of(link)
    return link, p, R


def _in_movable_body(robot: RobotTree, link: str, p_link_point: Floats) -> tuple[str, Floats]:
    body, p_body_link, R_body_link = _movable_body(robot, link)
    return body, p_body_link + R_body_link @ p_link_point
