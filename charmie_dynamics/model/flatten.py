"""Step 2: from the description of a robot to the flat arrays which the kernels read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.core import arrays
from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.core.inverse.forward_kinematics import joint_terms
from charmie_dynamics.errors import ModelFileError, choices, shown
from charmie_dynamics.numerics.blocks import pack
from charmie_dynamics.numerics.vectors import Floats, Ints

from .description.mimics import follow_mimics
from .description.robot import BalanceMechanism, LinearActuator, MechanismSet, Spring, Tree
from .loops import flatten_balance, flatten_linear_actuators

# the bodies of an actuator, a spring and a balance mechanism, which are frames of their own
_TWO, _ENDS = ("tube", "rod"), ("base", "tip")
_FOUR = ("bar", "upright", "spring_base", "spring_tip")
CORE_TYPE = {
    "fixed": arrays.FIXED,
    "revolute": arrays.REVOLUTE,
    "continuous": arrays.REVOLUTE,
    "prismatic": arrays.PRISMATIC,
}


@dataclass(frozen=True)
class FlatRobot:
    """The kernels' arrays and the names that belong to their rows."""

    tree: arrays.Tree
    mechanisms: arrays.Mechanisms
    sizes: arrays.Sizes
    ints: Ints  # the two blocks of `numerics.blocks` with all of the above
    floats: Floats
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    actuator_names: tuple[str, ...]
    member_names: tuple[str, ...]
    spring_names: tuple[str, ...]
    balance_names: tuple[str, ...]
    frame_names: tuple[str, ...]
    frame_parents: tuple[str, ...]


def flatten(robot: Tree, mechanisms: MechanismSet, source: str) -> FlatRobot:
    """Give bodies, coordinates and frames their numbers, and fill the arrays.

    Parameters
    ----------
    robot : Tree
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
    links = _order_links(robot)
    index = {name: i for i, name in enumerate(links)}
    independent = [j for j in robot.joints if j.type != "fixed" and j.mimic is None]
    coordinates = {joint.name: c for c, joint in enumerate(independent)}
    tree = _flatten_tree(robot, links, index, coordinates, mechanisms)

    _require_known(mechanisms, index, coordinates, source)
    driven = {actuator.joint: actuator.name for actuator in mechanisms.linear_actuators}
    members: list[LinearActuator | Spring]
    members = [*mechanisms.linear_actuators, *mechanisms.springs]
    springs: list[Spring | BalanceMechanism]
    springs = [*mechanisms.springs, *mechanisms.balance_mechanisms]
    flat = arrays.Mechanisms(
        members=_flatten_members(members, index),
        actuators=flatten_linear_actuators(robot, mechanisms, index, coordinates, source),
        springs=_flatten_springs(springs, tree.parent, index),
        balance=flatten_balance(robot, mechanisms, index, source),
    )
    frames, parents = _name_frames(robot, links, mechanisms, source)
    sizes = arrays.Sizes(
        n=len(links),
        q=len(coordinates),
        a=len(mechanisms.linear_actuators),
        s=len(mechanisms.springs),
        b=len(mechanisms.balance_mechanisms),
        m=len(members),
        t=len(springs),
        f=len(frames),
    )
    ints, floats = pack(arrays.Robot(np.array(sizes, dtype=np.int64), tree, flat), sizes)
    return FlatRobot(
        tree=tree,
        mechanisms=flat,
        sizes=sizes,
        ints=ints,
        floats=floats,
        body_names=tuple(links),
        joint_names=tuple(coordinates),
        actuator_names=tuple(driven.get(name, name) for name in coordinates),
        member_names=tuple(member.name for member in members),
        spring_names=tuple(spring.name for spring in springs),
        balance_names=tuple(balance.name for balance in mechanisms.balance_mechanisms),
        frame_names=frames,
        frame_parents=parents,
    )


def _flatten_members(
    members: Sequence[LinearActuator | Spring], index: dict[str, int]
) -> arrays.Members:
    return read_only(
        arrays.Members(
            base_body=np.array([index[member.base_body] for member in members], dtype=np.int64),
            p_body_base=np.array([member.base_point for member in members]).reshape(-1, 3),
            tip_body=np.array([index[member.tip_body] for member in members], dtype=np.int64),
            p_body_tip=np.array([member.tip_point for member in members]).reshape(-1, 3),
        )
    )


def _flatten_springs(
    springs: Sequence[Spring | BalanceMechanism], parent: Ints, index: dict[str, int]
) -> arrays.Springs:
    loads = np.zeros(len(parent), dtype=np.int64)
    for spring in springs:
        for body in _ends(spring):
            i = index[body]
            while i >= 0:
                loads[i] = 1
                i = parent[i]
    return read_only(
        arrays.Springs(
            stiffness=np.array([spring.stiffness for spring in springs], dtype=np.float64),
            free_length=np.array([spring.free_length for spring in springs], dtype=np.float64),
            pretension=np.array([spring.pretension for spring in springs], dtype=np.float64),
            loads=loads,
        )
    )


def _ends(spring: Spring | BalanceMechanism) -> tuple[str, str]:
    if isinstance(spring, Spring):
        return spring.base_body, spring.tip_body
    return spring.frame_body, spring.carried_body


def _order_links(robot: Tree) -> list[str]:
    """Return the links with each parent before its children, branches in the order of the file."""
    children: dict[str, list[str]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint.child)
    order: list[str] = []
    pending = [robot.root]
    while pending:
        link = pending.pop()
        order.append(link)
        pending.extend(reversed(children.get(link, [])))
    return order


def _flatten_tree(
    robot: Tree,
    links: Sequence[str],
    index: dict[str, int],
    coordinates: dict[str, int],
    mechanisms: MechanismSet,
) -> arrays.Tree:
    n = len(links)
    parent = np.full(n, -1, dtype=np.int64)
    joint_type = np.zeros(n, dtype=np.int64)
    axis = np.zeros((n, 3))
    R = np.tile(np.eye(3), (n, 1, 1))
    p = np.zeros((n, 3))
    coordinate = np.full(n, -1, dtype=np.int64)
    multiplier = np.zeros(n)
    offset = np.zeros(n)
    mass = np.zeros(n)
    com = np.zeros((n, 3))
    inertia = np.zeros((n, 3, 3))
    followed = follow_mimics(robot.joints)
    for joint in robot.joints:
        i = index[joint.child]
        parent[i] = index[joint.parent]
        joint_type[i] = CORE_TYPE[joint.type]
        axis[i] = joint.axis
        R[i] = joint.R_parent_joint
        p[i] = joint.p_parent_joint
        if joint.type != "fixed":
            leader, multiplier[i], offset[i] = followed[joint.name]
            coordinate[i] = coordinates[leader]
    for i, name in enumerate(links):
        inertial = robot.links[name].inertial
        if inertial is not None:
            mass[i] = inertial.mass
            com[i] = inertial.p_link_com
            inertia[i] = inertial.inertia
    R_sine, R_versine, u_parent_axis = joint_terms(R, axis)
    tree = arrays.Tree(
        parent=parent,
        joint_type=joint_type,
        axis=axis,
        R_parent_joint=R,
        p_parent_joint=p,
        coordinate=coordinate,
        multiplier=multiplier,
        offset=offset,
        mass=mass,
        p_body_com=com,
        inertia=inertia,
        gravity=np.array(mechanisms.gravity, dtype=np.float64),
        R_sine=R_sine,
        R_versine=R_versine,
        u_parent_axis=u_parent_axis,
        external_force=np.zeros((n, 3)),
        external_torque=np.zeros((n, 3)),
    )
    return read_only(tree)


def _require_known(
    mechanisms: MechanismSet, links: dict[str, int], coordinates: dict[str, int], source: str
) -> None:
    used: list[tuple[str, tuple[str, ...], str]] = [
        (f"{kind} '{shown(part.name)}': {role}", (group, part.name, role), getattr(part, role))
        for kind, group, parts, roles in (
            (
                "linear actuator",
                "linear_actuators",
                mechanisms.linear_actuators,
                ("base_body", "tip_body"),
            ),
            ("spring", "springs", mechanisms.springs, ("base_body", "tip_body")),
            (
                "balance mechanism",
                "balance_mechanisms",
                mechanisms.balance_mechanisms,
                ("frame_body", "carried_body"),
            ),
        )
        for part in parts
        for role in roles
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
    moved = [
        (("linear_actuators", part.name, "joint"), part.joint)
        for part in mechanisms.linear_actuators
    ]
    held = [(("base_joints",), name) for name in mechanisms.base_joints]
    for place, name in [*moved, *held]:
        if name not in coordinates:
            raise ModelFileError(
                f"{mechanisms.where(source, *place)}: '{shown(name)}' is no independent movable "
                f"joint{choices(name, coordinates)}"
            )
    drivers = {name: path for path, name in reversed(moved)}
    for path, name in moved:
        if drivers[name] != path:
            raise ModelFileError(
                f"{mechanisms.where(source, *path)}: two linear actuators move the same joint "
                f"'{shown(name)}', '{shown(drivers[name][1])}' and '{shown(path[1])}'; expected one"
            )
    names = [a.name for a in mechanisms.linear_actuators]
    actuators = dict.fromkeys([*names, *(name for name in coordinates if name not in drivers)])
    by_actuator: list[tuple[tuple[str, ...], Iterable[str]]] = [
        (("rest_pose",), mechanisms.rest_pose),
        (("friction",), mechanisms.friction),
        (("contact", "thresholds"), mechanisms.contact_thresholds),
    ]
    for path, entries in by_actuator:
        for name in entries:
            if name not in actuators:
                raise ModelFileError(
                    f"{mechanisms.where(source, *path, name)}: {'.'.join(path)}: '{shown(name)}' "
                    f"is no actuator{choices(name, actuators)}"
                )
    for name in names:
        if name in coordinates:
            raise ModelFileError(
                f"{mechanisms.where(source, 'linear_actuators', name)}: linear actuator "
                f"'{shown(name)}' has the name of a joint"
            )


def _name_frames(
    robot: Tree, links: Sequence[str], mechanisms: MechanismSet, source: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of all frames in the order of `core.arrays`, and those of their parents."""
    parent_of = {joint.child: joint.parent for joint in robot.joints}
    named = {link: parent_of.get(link, "") for link in links}
    parts = (
        *(("linear_actuators", a.name, a.base_body, _TWO) for a in mechanisms.linear_actuators),
        *(("springs", s.name, s.base_body, _ENDS) for s in mechanisms.springs),
        *(
            ("balance_mechanisms", b.name, b.frame_body, _FOUR)
            for b in mechanisms.balance_mechanisms
        ),
    )
    for group, name, parent, bodies in parts:
        for body in bodies:
            frame = f"{name}_{body}"
            if frame in named:
                raise ModelFileError(
                    f"{mechanisms.where(source, group, name)}: frame name '{shown(frame)}' is used "
                    "more than once: choose another name for the mechanism or for the link"
                )
            named[frame] = parent
    return tuple(named), tuple(named.values())
