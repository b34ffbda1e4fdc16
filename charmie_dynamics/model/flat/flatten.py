# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 2: from the description of a robot to the flat arrays which the kernels read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.core import arrays
from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.core.inverse.records import MechanismParameters, Mechanisms, Robot, Sizes
from charmie_dynamics.errors import ModelFileError, choices, shown
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.mechanisms.linear_actuators import LinearActuator
from charmie_dynamics.model.description.mechanisms.mechanism import Mechanism, Numbering
from charmie_dynamics.model.description.mechanisms.sections import MECHANISM_TYPES
from charmie_dynamics.model.description.names import length_fault
from charmie_dynamics.model.description.robot import SINGLE_JOINTS, RobotTree
from charmie_dynamics.numerics.addresses import Blocks
from charmie_dynamics.numerics.blocks import pack
from charmie_dynamics.numerics.vectors import Ints

from .freedoms import (
    coordinates_by_link,
    read_only_ints,
)
from .friction_laws import flatten_friction
from .numbered_tree import numbered_tree
from .passive_joints import require_loops_of_passive
from .roller_wheels import require_axles


@dataclass(frozen=True)
class FlatRobot:
    """The kernels' arrays and the names that belong to their rows."""

    tree: arrays.Tree
    freedoms: arrays.Freedoms
    mechanisms: Mechanisms
    sizes: Sizes
    blocks: Blocks  # those of `numerics.blocks` with all of the above
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]  # one for each coordinate, as the next
    velocity_names: tuple[str, ...]
    position_names: tuple[str, ...]
    actuator_names: tuple[str, ...]
    actuator_index: Ints  # of the coordinates
    spring_names: tuple[str, ...]
    spring_tips: tuple[str, ...]  # frames at the tips of these
    mechanism_names: Mapping[str, tuple[str, ...]]  # by type
    frame_names: tuple[str, ...]
    frame_parents: tuple[str, ...]


def flatten(robot: RobotTree, mechanisms: MechanismSet, source: str) -> FlatRobot:
    """Give bodies, coordinates and frames their numbers, and fill the arrays.

    Parameters
    ----------
    robot : RobotTree
        From a URDF.
    mechanisms : MechanismSet
        From a mechanisms file, or empty.
    source : str
        Name of the mechanisms file, for messages.

    Raises
    ------
    ModelFileError
        Where the mechanisms do not fit the tree.
    """
    links, index, names, tree, freedoms = numbered_tree(robot, mechanisms)
    coordinates = names.first
    _require_known(robot, mechanisms, coordinates, source)
    driven = {actuator.joint: actuator.name for actuator in mechanisms.linear_actuators}
    _require_actuators(mechanisms, names.actuated, source)
    frames = _name_frames(robot, links, mechanisms)
    parts = [part for _, part in mechanisms.parts()]
    members = [part.name for part in parts if part.is_member]
    sprung = [(part, part.spring_ends[1]) for part in parts if part.spring_ends is not None]
    _require_frames_of_points(mechanisms, [name for name, _ in frames], source)
    numbering = Numbering(
        tree=robot,
        links=index,
        coordinates=coordinates,
        frames={name: f for f, (name, _) in enumerate(frames)},
        members={name: m for m, name in enumerate(members)},
        springs={part.name: t for t, (part, _) in enumerate(sprung)},
        places={
            part.name: mechanisms.where(source, section, part.name)
            for section, part in mechanisms.parts()
        },
        moved_by=coordinates_by_link(links, freedoms),
        coordinate_count=len(names.joints),
        passive=mechanisms.passive_joints,
    )
    by_type = {name: getattr(mechanisms, name) for name in MECHANISM_TYPES}
    flat = Mechanisms(
        actuators=LinearActuator.flatten(mechanisms.linear_actuators, numbering),
        rotors=_flatten_rotors(robot, mechanisms, tree, numbering, source),
        springs=_flatten_springs([part for part, _ in sprung]),
        friction=flatten_friction(robot, mechanisms, coordinates),
        is_loaded=_mark_loaded(
            robot, [part for of_type in by_type.values() for part in of_type], tree.parent, index
        ),
        by_type=MechanismParameters(
            **{name: MECHANISM_TYPES[name].flatten(by_type[name], numbering) for name in by_type}
        ),
    )
    _require_usable_frames(links, mechanisms, source)
    loop_joints = flat.by_type.loop_joints
    require_loops_of_passive(mechanisms, loop_joints, names, source)
    sizes = Sizes(
        n=len(links),
        q=len(names.joints),
        w=len(names.positions) - len(names.joints),
        d=len(freedoms.freedom_body),
        s=int((freedoms.solved_at < 0).sum()),
        a=len(mechanisms.linear_actuators),
        m=len(members),
        t=len(sprung),
        f=len(frames),
        r=len(loop_joints.row_joint),
        e=len(flat.friction.viscous),
        **{name: len(of_type) for name, of_type in by_type.items()},
    )
    ints, floats = pack(Robot(np.array(sizes, dtype=np.int64), tree, freedoms, flat), sizes)
    return FlatRobot(
        tree=tree,
        freedoms=freedoms,
        mechanisms=flat,
        sizes=sizes,
        blocks=Blocks(ints, floats),
        body_names=tuple(links),
        joint_names=names.joints,
        velocity_names=tuple(driven.get(name, name) for name in names.joints),
        position_names=tuple(driven.get(name, name) for name in names.positions),
        actuator_names=tuple(driven.get(name, name) for name in names.actuated),
        actuator_index=read_only_ints(coordinates[name] for name in names.actuated),
        spring_names=tuple(part.name for part, _ in sprung),
        spring_tips=tuple(f"{part.name}_{tip}" for part, tip in sprung),
        mechanism_names={
            name: tuple(part.name for part in of_type) for name, of_type in by_type.items()
        },
        frame_names=tuple(name for name, _ in frames),
        frame_parents=tuple(parent for _, parent in frames),
    )


def _flatten_rotors(
    robot: RobotTree,
    mechanisms: MechanismSet,
    tree: arrays.Tree,
    numbering: Numbering,
    source: str,
) -> arrays.Rotors:
    """Return the reflected inertia of all rotors; that of a mimic joint acts on its leader."""
    joints = {joint.name: joint for joint in robot.joints}
    rows = {part.name: k for k, part in enumerate(mechanisms.linear_actuators)}
    of_joints, of_actuators = np.zeros(numbering.coordinate_count), np.zeros(len(rows))
    for name, rotor in mechanisms.all_rotors(robot).items():
        if name in rows:
            of_actuators[rows[name]] = rotor.reflected
            continue
        joint = joints.get(name)
        if joint is None or joint.type not in SINGLE_JOINTS:
            single = [joint.name for joint in robot.joints if joint.type in SINGLE_JOINTS]
            kind = "no joint and no linear actuator" if joint is None else f"a {joint.type} joint"
            raise ModelFileError(
                f"{mechanisms.where(source, 'rotors', name)}: rotors: '{shown(name)}' is {kind}; "
                f"expected a revolute, continuous or prismatic joint or a linear actuator"
                f"{choices(name, [*rows, *single])}"
            )
        body = numbering.links[joint.child]
        of_joints[tree.coordinate[body]] += tree.multiplier[body] ** 2 * rotor.reflected
    return read_only(arrays.Rotors(of_joints, of_actuators))


def _flatten_springs(parts: Sequence[Mechanism]) -> arrays.Springs:
    """Return the laws of the springs of some mechanisms, which all have one."""
    fields = arrays.Springs._fields
    columns = ([getattr(part, field) for part in parts] for field in fields)
    return read_only(arrays.Springs(*(np.array(column, dtype=np.float64) for column in columns)))


def _mark_loaded(
    robot: RobotTree, parts: Sequence[Mechanism], parent: Ints, index: dict[str, int]
) -> Ints:
    """Return 1 for each body that a mechanism loads, and for the ancestors of such a body."""
    is_loaded = np.zeros(len(parent), dtype=np.int64)
    for part in parts:
        for link in part.loaded_links(robot):
            i = index[link]
            while i >= 0:
                is_loaded[i] = 1
                i = parent[i]
    is_loaded.flags.writeable = False
    return is_loaded


def _require_known(
    robot: RobotTree, mechanisms: MechanismSet, coordinates: dict[str, int], source: str
) -> None:
    """Refuse links and joints that the tree does not have."""
    links = robot.links
    require_axles(robot, mechanisms, source)
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
        (("base_joints",), name) for name in mechanisms.base_joints
    ]
    held += [(("passive_joints", k), name) for k, name in enumerate(mechanisms.passive_joints)]
    for place, name in [*moved, *held]:
        if name not in coordinates:
            raise ModelFileError(
                f"{mechanisms.where(source, *place)}: '{shown(name)}' is no independent movable "
                f"joint{choices(name, coordinates)}"
            )


def _require_actuators(mechanisms: MechanismSet, joints: Sequence[str], source: str) -> None:
    """Refuse linear actuators that share a joint or a name, and settings of no actuator."""
    drivers: dict[str, str] = {}
    for part in mechanisms.linear_actuators:
        first = drivers.setdefault(part.joint, part.name)
        if first != part.name:
            place = mechanisms.where(source, "linear_actuators", part.name, "joint")
            raise ModelFileError(
                f"{place}: two linear actuators move the same joint '{shown(part.joint)}', "
                f"'{shown(first)}' and '{shown(part.name)}'; expected one"
            )
    others = (n for n in joints if n not in drivers and n not in mechanisms.passive_joints)
    names = dict.fromkeys([*drivers.values(), *others])
    by_actuator: list[tuple[tuple[str, ...], Iterable[str]]] = [
        (("rest_pose",), mechanisms.rest_pose),
        (("friction",), mechanisms.friction),
        (("contact", "thresholds"), mechanisms.contact_thresholds),
    ]
    for path, entries in by_actuator:
        for name in entries:
            if name not in names:
                raise ModelFileError(
                    f"{mechanisms.where(source, *path, name)}: {'.'.join(path)}: '{shown(name)}' "
                    f"is no actuator{choices(name, names)}"
                )
    for part in mechanisms.linear_actuators:
        if part.joint not in joints:
            place = mechanisms.where(source, "linear_actuators", part.name, "joint")
            raise ModelFileError(
                f"{place}: linear actuator '{shown(part.name)}': joint '{shown(part.joint)}' is "
                f"moved by no single actuator{choices(part.joint, joints)}"
            )
    for name in drivers.values():
        if name in joints:
            raise ModelFileError(
                f"{mechanisms.where(source, 'linear_actuators', name)}: linear actuator "
                f"'{shown(name)}' has the name of a joint"
            )


def _name_frames(
    robot: RobotTree, links: Sequence[str], mechanisms: MechanismSet
) -> list[tuple[str, str]]:
    """Return the names of all frames in the order of `core.arrays`, with those of their parents."""
    parent_of = {joint.child: joint.parent for joint in robot.joints}
    frames = [(link, parent_of.get(link, "")) for link in links]
    for _, part in mechanisms.parts():
        frames += [(f"{part.name}_{body}", part.frame_parent) for body in part.bodies]
    return frames


def _require_frames_of_points(mechanisms: MechanismSet, frames: Sequence[str], source: str) -> None:
    """Refuse tracked points of frames that the robot does not have."""
    for point in mechanisms.tracked_points:
        if point.frame not in frames:
            raise ModelFileError(
                f"{mechanisms.where(source, 'tracked_points', point.name, 'frame')}: "
                f"tracked_points: {point.name}: '{shown(point.frame)}' is no frame"
                f"{choices(point.frame, frames)}"
            )


def _require_usable_frames(links: Iterable[str], mechanisms: MechanismSet, source: str) -> None:
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
