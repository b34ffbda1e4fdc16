# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 2: from the description of a robot to the flat arrays which the kernels read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.core import arrays
from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.core.inverse.records import MechanismParameters, Mechanisms, Robot, Sizes
from charmie_dynamics.errors import ModelFileError, choices, shown
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.mechanisms.linear_actuators import LinearActuator
from charmie_dynamics.model.description.mechanisms.mechanism import Mechanism, Numbering
from charmie_dynamics.model.description.mechanisms.sections import MECHANISM_TYPES
from charmie_dynamics.model.description.robot import SINGLE_JOINTS, RobotTree
from charmie_dynamics.numerics.addresses import Blocks
from charmie_dynamics.numerics.blocks import pack
from charmie_dynamics.numerics.vectors import Ints

from .flat_robot import FlatRobot
from .freedoms import coordinates_by_link, read_only_ints
from .friction_laws import flatten_friction
from .numbered_tree import numbered_tree
from .requirements import (
    require_actuators,
    require_axles,
    require_frames_of_points,
    require_known,
    require_loops_of_passive,
    require_usable_frames,
)


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
    require_axles(robot, mechanisms, source)
    require_known(robot, mechanisms, coordinates, source)
    driven = {actuator.joint: actuator.name for actuator in mechanisms.linear_actuators}
    require_actuators(robot, mechanisms, names, source)
    frames = _name_frames(robot, links, mechanisms)
    parts = [part for _, part in mechanisms.parts()]
    members = [part.name for part in parts if part.is_member]
    sprung = [(part, part.spring_ends[1]) for part in parts if part.spring_ends is not None]
    require_frames_of_points(mechanisms, [name for name, _ in frames], source)
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
        actuators=LinearActuator.flatten(
            (*mechanisms.linear_actuators, *mechanisms.load_sharing), numbering
        ),
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
    require_usable_frames(links, mechanisms, source)
    loop_joints = flat.by_type.loop_joints
    require_loops_of_passive(mechanisms, loop_joints, names, source)
    sizes = Sizes(
        n=len(links),
        q=len(names.joints),
        w=len(names.positions) - len(names.joints),
        d=len(freedoms.freedom_body),
        s=int((freedoms.solved_at < 0).sum()),
        a=len(mechanisms.linear_actuators),
        b=len(mechanisms.linear_actuators) + len(mechanisms.load_sharing),
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
        linear_actuator_names=tuple(
            part.name for part in (*mechanisms.linear_actuators, *mechanisms.load_sharing)
        ),
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


def _name_frames(
    robot: RobotTree, links: Sequence[str], mechanisms: MechanismSet
) -> list[tuple[str, str]]:
    """Return the names of all frames in the order of `core.arrays`, with those of their parents."""
    parent_of = {joint.child: joint.parent for joint in robot.joints}
    frames = [(link, parent_of.get(link, "")) for link in links]
    for _, part in mechanisms.parts():
        frames += [(f"{part.name}_{body}", part.frame_parent) for body in part.bodies]
    return frames
