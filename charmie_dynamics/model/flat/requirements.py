# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Requirements of mechanisms on the tree of the robot, with their messages.

All functions raise `ModelFileError`. The argument `source` is the name of the mechanisms file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from charmie_dynamics.core.mechanisms.loop_joints import LoopJoints
from charmie_dynamics.errors import ModelFileError, choices, shown
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.names import length_fault
from charmie_dynamics.model.description.robot import RobotTree

from .actuators import actuator_limits, reach_of
from .freedoms import CoordinateNames
from .load_sharing import companions, lengths_in
from .prepared_robot import PreparedRobot

AXLES = ("revolute", "continuous")


def require_known(
    robot: RobotTree, mechanisms: MechanismSet, coordinates: dict[str, int], source: str
) -> None:
    """Refuse links and joints that the tree does not have."""
    links = robot.links
    parts = list(mechanisms.parts())
    used: list[tuple[str, tuple[str, ...], str]] = [
        (
            f"{part.title} '{shown(part.name)}': {field}",
            (section, part.name, field),
            getattr(part, field),
        )
        for section, part in parts
        for field in part.links
    ]
    if mechanisms.base_body:
        used.append(("top level: base_body", ("base_body",), mechanisms.base_body))
    used += [
        (f"payload_links: {payload}", ("payload_links", payload), link)
        for payload, link in mechanisms.payload_links.items()
    ]
    for subject, path, name in used:
        if name not in links:
            raise ModelFileError(
                f"{mechanisms.where(source, *path)}: {subject} '{shown(name)}' is no link"
                f"{choices(name, links)}"
            )
    movable = {joint.name for joint in robot.joints if joint.type != "fixed"}
    moved: list[tuple[tuple[str, ...], str]] = [
        ((section, part.name, field), getattr(part, field))
        for section, part in parts
        for field in part.joints
        if not (part.takes_mimics and getattr(part, field) in movable)
    ]
    held: list[tuple[tuple[str | int, ...], str]] = [
        (("base_joints", k), name) for k, name in enumerate(mechanisms.base_joints)
    ]
    held += [(("passive_joints", k), name) for k, name in enumerate(mechanisms.passive_joints)]
    for place, name in [*moved, *held]:
        if name not in coordinates:
            raise ModelFileError(
                f"{mechanisms.where(source, *place)}: '{shown(name)}' is no independent movable "
                f"joint{choices(name, coordinates)}"
            )


def require_actuators(
    robot: RobotTree, mechanisms: MechanismSet, coordinates: CoordinateNames, source: str
) -> None:
    """Refuse linear actuators with the name of a joint, and settings of no actuator."""
    joints = coordinates.actuated
    drivers = {part.joint: part.name for part in mechanisms.linear_actuators}
    sharing = {part.name: drivers[part.joint] for part in mechanisms.load_sharing}
    others = (n for n in joints if n not in drivers and n not in mechanisms.passive_joints)
    names = dict.fromkeys([*drivers.values(), *others])
    resting = [name for name in mechanisms.rest_pose if name not in mechanisms.passive_joints]
    by_actuator: list[tuple[tuple[str, ...], Iterable[str]]] = [
        (("rest_pose",), resting),
        (("friction",), mechanisms.friction),
        (("contact", "thresholds"), mechanisms.contact_thresholds),
    ]
    for path, entries in by_actuator:
        for name in entries:
            if name not in names:
                fault = f"is no actuator{choices(name, names)}"
                if name in sharing:
                    fault = (
                        f"shares the load of a joint; expected its actuator "
                        f"'{shown(sharing[name])}', with the sum of all on this joint"
                    )
                elif path == ("friction",) and name in mechanisms.passive_joints:
                    fault = "is passive: give its friction as <dynamics> of the URDF"
                raise ModelFileError(
                    f"{mechanisms.where(source, *path, name)}: {'.'.join(path)}: '{shown(name)}' "
                    f"{fault}"
                )
    for part in mechanisms.linear_actuators:
        if part.joint not in joints:
            place = mechanisms.where(source, "linear_actuators", part.name, "joint")
            raise ModelFileError(
                f"{place}: linear actuator '{shown(part.name)}': joint '{shown(part.joint)}' is "
                f"moved by no single actuator{choices(part.joint, joints)}"
            )
    _require_separate_groups(mechanisms, {**{n: n for n in names}, **drivers}, source)
    taken = {*(joint.name for joint in robot.joints), *coordinates.joints, *coordinates.positions}
    for name in (*drivers.values(), *sharing):
        if name in taken:
            raise ModelFileError(
                f"{mechanisms.where(source, 'linear_actuators', name)}: linear actuator "
                f"'{shown(name)}' has the name of a joint or of a coordinate; expected another name"
            )


def _require_separate_groups(
    mechanisms: MechanismSet, actuator_of: Mapping[str, str], source: str
) -> None:
    """Refuse groups and grippers of unknown joints, and actuators that belong to two groups.

    Parameters
    ----------
    mechanisms : MechanismSet
    actuator_of : mapping of str to str
        Actuator of each actuated joint, and of each actuator itself.
    source : str
    """
    parts = [("joint_groups", *entry) for entry in mechanisms.joint_groups.items()]
    parts += [("grippers", name, (joint,)) for name, joint in mechanisms.grippers.items()]
    owners: dict[str, str] = {}
    for section, group, names in parts:
        place = f"{mechanisms.where(source, section, group)}: {section}: {group}"
        for name in names:
            if name not in actuator_of:
                raise ModelFileError(
                    f"{place}: '{shown(name)}' is no actuated joint or actuator"
                    f"{choices(name, actuator_of)}"
                )
            owner = owners.setdefault(actuator_of[name], group)
            if owner != group or len({actuator_of[n] for n in names}) < len(names):
                raise ModelFileError(
                    f"{place}: expected each actuator once, '{shown(name)}' is also moved by "
                    f"'{shown(owner)}'"
                )
    both = set(mechanisms.joint_groups) & set(mechanisms.grippers)
    for group in sorted(both):
        raise ModelFileError(
            f"{mechanisms.where(source, 'grippers', group)}: grippers: '{shown(group)}' is the "
            "name of a joint group, too; expected another name"
        )


def require_frames_of_points(mechanisms: MechanismSet, frames: Sequence[str], source: str) -> None:
    """Refuse tracked points of frames that the robot does not have."""
    for point in mechanisms.tracked_points:
        if point.frame not in frames:
            raise ModelFileError(
                f"{mechanisms.where(source, 'tracked_points', point.name, 'frame')}: "
                f"tracked_points: {point.name}: '{shown(point.frame)}' is no frame"
                f"{choices(point.frame, frames)}"
            )


def require_usable_frames(links: Iterable[str], mechanisms: MechanismSet, source: str) -> None:
    """Refuse auxiliary bodies with a name that is too long, or that of another frame."""
    seen = set(links)
    for section, part in mechanisms.parts():
        for frame in (f"{part.name}_{body}" for body in part.bodies):
            where = f"{mechanisms.where(source, section, part.name)}: frame name '{shown(frame)}'"
            fault = length_fault(frame)
            if fault is not None:
                raise ModelFileError(f"{where} {fault}: choose a shorter name for the mechanism")
            if frame in seen:
                raise ModelFileError(
                    f"{where} is used more than once: choose another name for the mechanism or for "
                    "the link"
                )
            seen.add(frame)


def require_loops_of_passive(
    mechanisms: MechanismSet, joints: LoopJoints, names: CoordinateNames, source: str
) -> None:
    """Refuse passive joints that no loop determines."""
    for k, name in enumerate(mechanisms.passive_joints):
        place = f"{mechanisms.where(source, 'passive_joints', k)}: passive joint '{shown(name)}'"
        if not joints.loop_count[names.first[name]]:
            looped = [joint for joint, c in names.first.items() if joints.loop_count[c]]
            raise ModelFileError(
                f"{place}: no loop joint determines how it moves; expected a joint in a loop"
                f"{choices(name, looped)}"
            )


def require_axles(robot: RobotTree, mechanisms: MechanismSet, source: str) -> None:
    """Refuse rollers of links that do not exist or do not turn about an axle."""
    wheels = [joint.child for joint in robot.joints if joint.type in AXLES]
    for name in mechanisms.rollers:
        place = f"{mechanisms.where(source, 'rollers', name)}: rollers: '{shown(name)}'"
        if name not in robot.links:
            raise ModelFileError(f"{place} is no link{choices(name, wheels)}")
        if name not in wheels:
            raise ModelFileError(
                f"{place} turns about no axle; expected a link on a revolute or continuous joint"
                f"{choices(name, wheels)}"
            )


def require_limits_within_reach(robot: PreparedRobot, source: str) -> None:
    """Refuse limits of a linear actuator at which its loop does not close."""
    mechanisms = robot.mechanisms
    for k, actuator in enumerate(mechanisms.linear_actuators):
        low, high = reach_of(robot, k)
        limit = actuator.limit
        given = limit.lower > 0.0 or math.isfinite(limit.upper)
        if given and not (low < limit.lower and limit.upper < high):
            path = ("linear_actuators", actuator.name, "length_limits")
            raise ModelFileError(
                f"{mechanisms.where(source, *path)}: linear actuator '{actuator.name}': "
                f"length_limits {limit.lower:.6g} to {limit.upper:.6g} m must lie within the "
                f"reach, ends excluded: {low:.6g} to {high:.6g} m"
            )
        _require_common_limits(robot, k, source)


def _require_common_limits(robot: PreparedRobot, k: int, source: str) -> None:
    """Refuse length limits of those that share the load of linear actuator `k` within its own."""
    mechanisms, flat = robot.mechanisms, robot.flat
    parts = (*mechanisms.linear_actuators, *mechanisms.load_sharing)
    first = parts[k]
    for j in companions(flat, k)[1:]:
        lengths = lengths_in(flat, first.limit, k, j)
        low, high = float(lengths.min()), float(lengths.max())
        limit, slack = parts[j].limit, 1e-6 * high
        if low < limit.lower - slack or high > limit.upper + slack:
            path = ("linear_actuators", parts[j].name, "length_limits")
            raise ModelFileError(
                f"{mechanisms.where(source, *path)}: linear actuator '{shown(parts[j].name)}': "
                f"expected length_limits that contain those of '{shown(first.name)}' on the same "
                f"joint, at which it is {low:.6g} to {high:.6g} m long; got {limit.lower:.6g} to "
                f"{limit.upper:.6g} m. Narrow the length_limits of '{shown(first.name)}'"
            )


def require_rest_pose_within_limits(robot: PreparedRobot, source: str) -> None:
    """Refuse a rest pose outside the range of an actuator."""
    ranges = dict(zip(robot.flat.actuator_names, actuator_limits(robot), strict=True))
    for name, value in robot.mechanisms.rest_pose.items():
        limit = ranges.get(name)
        if limit is not None and not limit.lower <= value <= limit.upper:
            raise ModelFileError(
                f"{robot.mechanisms.where(source, 'rest_pose', name)}: rest_pose: '{name}' at "
                f"{value} lies outside its range, {limit.lower} to {limit.upper}"
            )
