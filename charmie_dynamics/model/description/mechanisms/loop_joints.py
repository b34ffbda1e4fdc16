# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints that close loops of the tree: section ``loop_joints``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.core.mechanisms import loop_joints as core
from charmie_dynamics.errors import shown
from charmie_dynamics.numerics.rotations import plane_across
from charmie_dynamics.numerics.vectors import Floats, Ints

from ..mimics import follow_mimics
from ..robot import Joint, RobotTree, Vector3
from .mechanism import (
    NAME,
    POSITIVE,
    RANGE,
    VECTOR3,
    Mechanism,
    Numbering,
    described,
    entry_schema,
)

LoopJointType = Literal["spherical", "revolute", "prismatic", "fixed", "distance", "plane"]
TYPES = get_args(LoopJointType)
WITH_AXIS = ("revolute", "prismatic", "plane")
AS_JOINTS = ("revolute", "prismatic")  # types that can be joints of the tree, see `added_joints`
WITH_RPY = ("revolute", "prismatic", "fixed")
NO_AXIS = (0.0, 0.0, 0.0)
Pose = tuple[Floats, Floats]


@dataclass(frozen=True)
class LoopJoint(Mechanism):
    """A joint between two links that closes a loop of the tree (m).

    ``spherical`` keeps the two points together, ``revolute`` the axis as well, ``fixed`` all axes.
    ``prismatic`` lets the second point slide along the axis through the first and keeps all axes
    parallel. ``distance`` keeps the points apart by ``length``, as a rod between two spherical
    joints does. ``plane`` keeps the second point in the plane across the axis through the first.
    Without ``second_axis``, ``second_rpy`` and ``length`` axis, orientation and distance are kept
    that there are with all joints at zero.

    A revolute or prismatic loop joint that is driven, has limits, or whose name is that of a joint
    in another section, is a joint of the tree with a coordinate of its own: see `added_joints`. Its
    position is zero in the orientation of ``second_rpy``, or with the points in one place.
    """

    type: LoopJointType
    first_body: str
    second_body: str
    first_point: Vector3 = (0.0, 0.0, 0.0)
    second_point: Vector3 = (0.0, 0.0, 0.0)
    axis: Vector3 = NO_AXIS
    second_axis: Vector3 = NO_AXIS
    second_rpy: Vector3 | None = None
    length: float = 0.0
    driven: bool = False
    limits: tuple[float, float] | None = None
    effort_limit: float | None = None
    velocity_limit: float | None = None

    title: ClassVar = "loop joint"
    schema: ClassVar = entry_schema(
        required={
            "type": described({"enum": list(TYPES)}, "constraint between the two links"),
            "first_body": described(NAME, "link on one side"),
            "second_body": described(NAME, "link on the other side"),
        },
        optional={
            "first_point": described(VECTOR3, "point of the first link, in its frame (m)"),
            "second_point": described(VECTOR3, "point of the second link, in its frame (m)"),
            "axis": described(
                VECTOR3, f"axis of a {' or '.join(WITH_AXIS)} joint, in the first link; any length"
            ),
            "second_axis": described(
                VECTOR3,
                "axis of a revolute joint, in the second link (default: along `axis` with all "
                "joints at zero)",
            ),
            "second_rpy": described(
                VECTOR3,
                f"roll, pitch and yaw of the second link in the first, if {', '.join(WITH_RPY)} "
                "(rad) (default: those with all joints at zero)",
            ),
            "driven": described(
                {"type": "boolean"},
                "whether a motor moves it: then it is an actuator, and another joint of the loop "
                "is passive (default: false)",
            ),
            "limits": described(RANGE, "least and largest position (rad or m)"),
            "effort_limit": described(POSITIVE, "rated effort of its motor (N m or N)"),
            "velocity_limit": described(POSITIVE, "rated velocity (rad/s or m/s)"),
            "length": described(
                POSITIVE,
                "distance of the points (m), of `distance` (default: that with joints at zero)",
            ),
        },
    )
    links: ClassVar = ("first_body", "second_body")
    parts_of_their_own: ClassVar = ("axis", "second_axis", "length")

    @classmethod
    def read(cls, name: str, entry: Mapping[str, Any]) -> Mechanism:
        """Return the loop joint of an entry."""
        others = {key: value for key, value in entry.items() if key != "driven"}
        part: Any = super().read(name, others)
        found: Mechanism = replace(part, driven=bool(entry.get("driven", False)))
        return found

    @property
    def has_joint(self) -> bool:
        """Whether it has a coordinate of its own by its entry alone."""
        return self.driven or self.limits is not None

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield axes and lengths where they are missing or mean nothing."""
        name = shown(self.name)
        needs = self.type in WITH_AXIS
        if needs and not any(self.axis):
            yield (
                "axis" if self.axis != NO_AXIS else "type",
                f"loop joint '{name}': expected axis, a vector in {self.first_body} that is not "
                f"zero, since its type is {self.type}",
            )
        if self.axis != NO_AXIS and not needs:
            yield "axis", f"loop joint '{name}': axis is only for {', '.join(WITH_AXIS)}"
        if self.second_axis != NO_AXIS and self.type != "revolute":
            yield "second_axis", f"loop joint '{name}': second_axis is for revolute ones"
        if self.second_rpy is not None and self.type not in WITH_RPY:
            yield "second_rpy", f"loop joint '{name}': second_rpy is for {', '.join(WITH_RPY)}"
        if self.second_rpy is not None and self.second_axis != NO_AXIS:
            yield (
                "second_axis",
                f"loop joint '{name}': expected second_axis or second_rpy, got both",
            )
        for key in ("driven", "limits"):
            if getattr(self, key) and self.type not in AS_JOINTS:
                yield key, f"loop joint '{name}': {key} is for {', '.join(AS_JOINTS)}"
        for key in ("effort_limit", "velocity_limit"):
            if getattr(self, key) is not None and not self.has_joint:
                yield key, f"loop joint '{name}': {key} needs driven or limits"
        if self.limits is not None and not self.limits[0] < self.limits[1]:
            yield (
                "limits",
                f"limits of '{name}': expected lower < upper, got {self.limits[0]} and "
                f"{self.limits[1]}",
            )
        if self.length and self.type != "distance":
            yield "length", f"loop joint '{name}': length is for distance"
        if self.first_body == self.second_body:
            yield (
                "second_body",
                f"loop joint '{name}': expected two links, got '{shown(self.first_body)}' twice",
            )

    def loaded_links(self, tree: RobotTree) -> list[str]:
        """Return none: what it does to the links is not known before the cycle is computed."""
        return []

    @classmethod
    def flatten(cls, parts: Sequence[LoopJoint], numbering: Numbering) -> core.LoopJoints:
        """Return the constraints of all loop joints, and which coordinates are in the loops.

        Raises
        ------
        ModelFileError
            Where no joint moves the two links apart, points of a distance are in one place, or a
            passive joint is in no loop.
        """
        links = numbering.links
        poses = poses_at_zero(numbering.tree) if parts else {}
        loop_count = np.zeros(numbering.coordinate_count, dtype=np.int64)
        common = []
        rows: list[tuple[Any, ...]] = []
        for k, part in enumerate(parts):
            paths = [
                numbering.tree.path_to_root(link) for link in (part.first_body, part.second_body)
            ]
            shared = next(link for link in paths[0] if link in paths[1])
            common.append(links[shared])
            moved = [
                c
                for path in paths
                for link in path[: path.index(shared)]
                for c in numbering.moved_by[link]
            ]
            if not moved:
                raise numbering.fault(
                    part,
                    f"no joint moves '{part.second_body}' in '{part.first_body}', expected two "
                    "links with joints between them",
                )
            loop_count[np.unique(moved)] += 1
            rows += [(k, *row) for row in _rows(part, poses, numbering)]
        is_passive = _without_actuator(numbering, loop_count)
        columns = zip(*rows, strict=True) if rows else [()] * 4
        of_joint, form, first, length = columns
        closed = [_closed_orientation(part, poses) for part in parts]
        result = core.LoopJoints(
            first_body=np.array([links[part.first_body] for part in parts], dtype=np.int64),
            p_first_point=np.array([part.first_point for part in parts]).reshape(-1, 3),
            second_body=np.array([links[part.second_body] for part in parts], dtype=np.int64),
            p_second_point=np.array([part.second_point for part in parts]).reshape(-1, 3),
            common_body=np.array(common, dtype=np.int64),
            row_joint=np.array(of_joint, dtype=np.int64),
            R_first_second=np.array([pose.R_first_second for pose in closed]).reshape(-1, 3, 3),
            axis_first=np.array([pose.axis_first for pose in closed]).reshape(-1, 3),
            axis_second=np.array([pose.axis_second for pose in closed]).reshape(-1, 3),
            row_form=np.array(form, dtype=np.int64),
            u_first=np.array(first).reshape(-1, 3),
            row_length=np.array(length, dtype=np.float64),
            is_passive=is_passive,
            loop_count=loop_count,
            stabilization=np.zeros(2),
        )
        return read_only(result)


class ClosedOrientation(NamedTuple):
    """The orientation of the second body in the first, and the axis in both, when closed."""

    R_first_second: Floats
    axis_first: Floats
    axis_second: Floats


def _closed_orientation(part: LoopJoint, poses: dict[str, Pose]) -> ClosedOrientation:
    R_first_second = poses[part.first_body][1].T @ poses[part.second_body][1]
    axis = np.array(part.axis if part.type in WITH_AXIS else (1.0, 0.0, 0.0))
    axis = axis / np.linalg.norm(axis)
    second = R_first_second.T @ axis
    if any(part.second_axis):
        second = np.array(part.second_axis) / np.linalg.norm(part.second_axis)
    if part.second_rpy is not None:
        R_first_second = _from_rpy(part.second_rpy)
        second = R_first_second.T @ axis
    return ClosedOrientation(R_first_second, axis, second)


def _without_actuator(numbering: Numbering, loop_count: Ints) -> Ints:
    """Return 1 for each coordinate (q,) that is passive.

    All coordinates of the joints that the mechanisms file lists, and those of planar and floating
    joints in loops: these have no actuators.
    """
    is_passive = np.zeros(numbering.coordinate_count, dtype=np.int64)
    for joint in numbering.tree.joints:
        if joint.mimic is None and joint.type != "fixed":
            own = list(numbering.moved_by[joint.child])
            if joint.name in numbering.passive or (len(own) > 1 and loop_count[own].all()):
                is_passive[own] = 1
    return is_passive


def _rows(
    part: LoopJoint, poses: dict[str, Pose], numbering: Numbering
) -> Iterator[tuple[int, Floats, float]]:
    """Yield form, u and length of each constraint of a loop joint."""
    if part.type == "distance":
        p_world_first, R_world_first = poses[part.first_body]
        p_world_second, R_world_second = poses[part.second_body]
        apart = (
            p_world_second
            + R_world_second @ part.second_point
            - p_world_first
            - R_world_first @ part.first_point
        )
        length = part.length or float(np.linalg.norm(apart))
        if length < 1e-9:
            raise numbering.fault(
                part,
                "its two points are in the same place; expected a distance above 0, or type "
                "spherical",
            )
        yield core.DISTANCE, np.array([1.0, 0.0, 0.0]), length
        return
    axes = np.eye(3)
    if part.type in WITH_AXIS:
        axis = np.array(part.axis) / np.linalg.norm(part.axis)
        axes = np.vstack([plane_across(axis), axis])
    # along a slide the points may move
    in_points = {"prismatic": axes[:2], "plane": axes[2:]}
    for u in in_points.get(part.type, axes):
        yield core.POINT, u, 0.0
    if part.type == "revolute":
        for u in axes[:2]:
            yield core.AXIS, u, 0.0
    elif part.type in ("prismatic", "fixed"):
        for u in axes:
            yield core.ORIENTATION, u, 0.0


def poses_at_zero(tree: RobotTree) -> dict[str, Pose]:
    """Return position and rotation in the world of each link with all joints at zero."""
    followed = follow_mimics(tree.joints)
    children: dict[str, list[Joint]] = {}
    for joint in tree.joints:
        children.setdefault(joint.parent, []).append(joint)
    poses = {tree.root: (np.zeros(3), np.eye(3))}
    pending = [tree.root]
    while pending:
        parent = pending.pop()
        for joint in children.get(parent, ()):
            p, R = poses[parent]
            p = p + R @ joint.p_parent_joint
            R = R @ joint.R_parent_joint
            _, _, offset = followed[joint.name]  # of a mimic joint
            if joint.type == "prismatic":
                p = p + offset * (R @ joint.axis)
            elif offset:
                R = R @ turn_about(joint.axis, offset)
            poses[joint.child] = p, R
            pending.append(joint.child)
    return poses


def turn_about(axis: Floats, angle: float) -> Floats:
    """Return the rotation (3, 3) by an angle about a unit vector."""
    x, y, z = axis
    K = np.array([(0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)])
    R: Floats = np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)
    return R


def _from_rpy(angles: Vector3) -> Floats:
    """Return the rotation of roll, pitch and yaw as URDF has them."""
    roll, pitch, yaw = angles
    x, y, z = np.eye(3)
    R: Floats = turn_about(z, yaw) @ turn_about(y, pitch) @ turn_about(x, roll)
    return R


TYPE = LoopJoint
