# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random robots: hypothesis draws the structure, seeds give the numbers.

A new feature of the input language is one function of `FEATURES`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from descriptions import RADIUS, SINGLE, Description, Joint, JointMotion, Link, rotation, rpy
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from charmie_dynamics import Payload, Wrench
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.model.description.mechanisms.loop_joints import WITH_AXIS
from charmie_dynamics.simulation.integrators.adaptive import METHODS

Random = np.random.Generator
KINDS = ("revolute", "prismatic", "continuous", "fixed", "planar", "floating")
LOOP_TYPES = {
    "spherical": 3, "revolute": 5, "prismatic": 5, "fixed": 6, "distance": 1, "plane": 1,
}  # fmt: skip
MOST_JOINTS = 5

SIZES = {"sphere": 1, "box": 3, "cylinder": 2, "capsule": 2, "mesh": 3}  # of single bodies
VARYING = ("adaptive", *METHODS)  # integrators of steps that vary
CONTACT_NUMBERS = {
    **{"stiffness": 1e5, "exponent": 1.5, "damping": 20.0, "restitution": 0.6},
    **{"kinetic": 0.4, "static": 0.5, "v0": 0.02, "v1": 0.05},
    **{"tangential_stiffness": 5e4, "tangential_damping": 50.0},
}


class JointPlan(NamedTuple):
    """The structure of a joint: its type, the link that carries it, whether it mimics another."""

    kind: str
    parent: int
    mimics: bool


class Plan(NamedTuple):
    """The structure of a robot, and the seed of its numbers."""

    joints: tuple[JointPlan, ...]
    features: tuple[str, ...]
    seed: int


@st.composite
def plans(
    draw: st.DrawFn, features: tuple[str, ...], *, kinds: tuple[str, ...] = KINDS, least: int = 1
) -> Plan:
    """Draw plans of robots with some of the features."""
    count = draw(st.integers(least, MOST_JOINTS))
    joints = tuple(
        JointPlan(
            draw(st.sampled_from(kinds)),
            draw(st.integers(0, k)),
            draw(st.sampled_from("nnnm")) == "m",
        )
        for k in range(count)
    )
    chosen = draw(st.lists(st.sampled_from(features), max_size=4)) if features else []
    return Plan(joints, tuple(chosen), draw(st.integers(0, 999)))


@lru_cache(maxsize=4000)
def described(plan: Plan) -> Description:
    """Return the robot of a plan; copy it before changing it."""
    robot = Description()
    rng = np.random.default_rng([plan.seed])
    robot.links.append(random_link("link_0", rng))
    for k, joint in enumerate(plan.joints):
        _add_planned_joint(robot, k, joint, np.random.default_rng([plan.seed, 1, k]))
    for k, name in enumerate(plan.features):
        changed = robot.copy()
        {**FEATURES, **CYLINDERS}[name](changed, np.random.default_rng([plan.seed, 2, k]))
        if not any(is_faulty(changed) for is_faulty in KNOWN_FAULTS.values()):
            robot = changed
    return robot


def unit(rng: Random) -> np.ndarray:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def random_rotation(rng: Random) -> np.ndarray:
    return rotation(unit(rng), rng.uniform(-1.4, 1.4))


def random_inertia(rng: Random) -> np.ndarray:
    """Return the inertia of six point masses, which a body can have."""
    p = 0.2 * rng.normal(size=(6, 3))
    return np.asarray(sum(x @ x * np.eye(3) - np.outer(x, x) for x in p))


def random_link(name: str, rng: Random) -> Link:
    mass, com = float(rng.uniform(0.5, 3.0)), 0.2 * rng.normal(size=3)
    return Link(name, mass, com, random_inertia(rng), *random_geometry(name, rng))


def random_geometry(name: str, rng: Random) -> tuple[str, str]:
    """Return the collision geometry of a link, within `RADIUS`, and the content of its mesh."""
    kind = str(rng.choice(["sphere", "box", "cylinder", "mesh"]))
    angle, sides = rng.uniform(0.4, 1.2), rng.uniform(0.3, 1.0, 3)
    x, y, z = (2.0 * RADIUS / np.linalg.norm(sides) * sides).round(6)
    radius, length = RADIUS * np.sin(angle), 2.0 * RADIUS * np.cos(angle)
    text = {
        "sphere": f'<sphere radius="{RADIUS}"/>',
        "box": f'<box size="{x} {y} {z}"/>',
        "cylinder": f'<cylinder radius="{radius:.6f}" length="{length:.6f}"/>',
        "mesh": f'<mesh filename="{name}.obj" scale="{RADIUS} {RADIUS} {RADIUS}"/>',
    }[kind]
    return text, random_mesh(rng)[0] if kind == "mesh" else ""


def random_motion(kind: str, rng: Random) -> JointMotion:
    count = {"planar": 3, "floating": 6}.get(kind, 1)
    position = rng.uniform(-1.0, 1.0, count)
    if kind == "floating":
        quaternion = rng.normal(size=4)
        position = np.concatenate((position[:3], quaternion / np.linalg.norm(quaternion)))
    return JointMotion(position, *rng.uniform(-2.0, 2.0, (2, count)))


def random_mesh(rng: Random) -> tuple[str, np.ndarray]:
    """Return the OBJ text of a convex polyhedron, and its corners."""
    corners = np.array([unit(rng) for _ in range(int(rng.integers(8, 15)))]).round(3)
    hull = ConvexHull(corners)
    lines = [f"v {x} {y} {z}" for x, y, z in corners.tolist()]
    for loop, plane in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = corners[loop]
        out = np.cross(b - a, c - a) @ plane[:3] > 0.0
        lines.append("f " + " ".join(str(k + 1) for k in (loop if out else loop[::-1])))
    return "\n".join(lines), corners


def contact_rule(normal: str, friction: str) -> dict[str, str | float]:
    """Return the rule of a world with two laws."""
    parameters = (*NORMAL_LAWS[normal].parameters, *FRICTION_LAWS[friction].parameters)
    names = [each.name for each in parameters if each.name in CONTACT_NUMBERS]
    numbers = {name: CONTACT_NUMBERS[name] for name in names}
    return {"normal": normal, "friction": friction, **numbers}


def add_joint(robot: Description, kind: str, parent: str, rng: Random, name: str = "") -> Joint:
    """Add a joint and the link that it carries, with random numbers."""
    number = len(robot.links)
    link = random_link(f"link_{number}", rng)
    joint = Joint(name or f"joint_{number}", kind, parent, link.name)
    joint.p, joint.R, joint.axis = 0.4 * rng.normal(size=3), random_rotation(rng), unit(rng)
    robot.links.append(link)
    robot.joints.append(joint)
    if kind != "fixed":
        robot.motion[joint.name] = random_motion(kind, rng)
    return joint


def _add_planned_joint(robot: Description, k: int, plan: JointPlan, rng: Random) -> None:
    parent = robot.links[plan.parent].name
    leaders = [joint for joint in robot.joints if joint.kind in SINGLE]
    joint = add_joint(robot, plan.kind, parent, rng)
    if plan.mimics and leaders and plan.kind in SINGLE:
        leader = leaders[int(rng.integers(len(leaders)))]
        joint.mimic = leader.name, float(rng.uniform(-1.5, 1.5)), float(rng.uniform(-0.5, 0.5))
        del robot.motion[joint.name]
    if plan.kind == "fixed" and rng.random() < 0.4:
        link = robot.links[-1]
        robot.links[-1] = Link(link.name)


def _two_links(robot: Description, rng: Random) -> list[str]:
    first, second = rng.choice(len(robot.links), 2, replace=False)
    return [robot.links[first].name, robot.links[second].name]


def _name(robot: Description, kind: str) -> str:
    count = sum(len(each) for each in robot.mechanisms.values() if isinstance(each, dict))
    return f"{kind}_{count}"


def add_linear_actuator(robot: Description, rng: Random) -> None:
    """Add one whose lever is not small, on the branch of the present position."""
    taken = {*_driven(robot), *_passive(robot), *robot.section("friction")}
    joints = [each for each in robot.independent(*SINGLE) if each.name not in taken]
    _add_linear_actuator_of(robot, joints, rng)


def _driven(robot: Description) -> dict[str, str]:
    """Return the first linear actuator of each joint that one moves."""
    entries = robot.section("linear_actuators").items()
    return {each["joint"]: name for name, each in reversed(entries) if "joint" in each}


def _passive(robot: Description) -> set[str]:
    """Return the joints without actuator, those replaced by linear actuators included."""
    entries = robot.section("linear_actuators").values()
    replaced = [each["joints"][1] for each in entries if "joints" in each]
    return {*robot.mechanisms.get("passive_joints", ()), *replaced}


def _add_linear_actuator_of(robot: Description, joints: list[Joint], rng: Random) -> None:
    """Add one to one of the joints."""
    for _ in range(40 if joints else 0):
        joint = joints[int(rng.integers(len(joints)))]
        base, tip = 0.5 * rng.normal(size=(2, 3))
        levers = []
        for q in (0.0, float(robot.motion[joint.name].position[0])):
            if joint.kind == "prismatic":
                d = tip + q * joint.axis - base
                levers.append((float(d @ joint.axis), np.linalg.norm(d)))
            else:
                turned = rotation(joint.axis, q) @ tip
                d = turned - base
                levers.append((float(d @ np.cross(joint.axis, turned)), np.linalg.norm(d)))
        if min(abs(lever) / length for lever, length in levers) > 0.15:
            robot.section("linear_actuators")[_name(robot, "actuator")] = {
                "joint": joint.name,
                "base_body": joint.parent,
                "base_point": joint.p + joint.R @ base,
                "tip_body": joint.child,
                "tip_point": tip,
                "branch": "upright" if levers[0][0] * levers[1][0] > 0.0 else "inverted",
            }
            return


def add_shared_load(robot: Description, rng: Random) -> None:
    """Add a linear actuator on the joint of another."""
    if not _driven(robot):
        add_linear_actuator(robot, rng)
    joints = [robot.joint(name) for name in _driven(robot)]
    entries = robot.section("linear_actuators")
    before = list(entries)
    _add_linear_actuator_of(robot, joints, rng)
    added = [name for name in entries if name not in before]
    joint = entries[added[0]]["joint"] if added else None
    own = [each for each in entries.values() if added and each.get("joint") == joint]
    if rng.random() < 0.5 or any("share" in each for each in own):
        shares = rng.dirichlet(np.full(len(own), 4.0)).tolist() if own else []
        for entry, share in zip(own, shares, strict=True):
            entry["share"] = share


def _random_mass(rng: Random) -> dict[str, float]:
    mass, center, inertia = rng.uniform(0.2, 1.5), rng.uniform(-0.1, 0.4), rng.uniform(0.0, 0.1)
    return {"mass": float(mass), "center": float(center), "inertia": float(inertia)}


def add_cylinder_with_mass(robot: Description, rng: Random) -> None:
    """Give mass to a barrel, a rod, or both, of a linear actuator of one joint."""
    if not _driven(robot):
        add_linear_actuator(robot, rng)
    entries = robot.section("linear_actuators")
    names = [name for name, entry in entries.items() if "joint" in entry]
    if names:
        entry = entries[str(rng.choice(names))]
        for part in (["barrel", "rod"], ["barrel"], ["rod"])[int(rng.integers(3))]:
            entry[part] = _random_mass(rng)


def add_cylinder_across_joints(robot: Description, rng: Random) -> None:
    """Add a linear actuator across two joints, in place of one of these."""
    kinds = ("revolute", "continuous", "prismatic")
    taken = {*_driven(robot), *_passive(robot), *robot.section("friction")}
    single = robot.independent(*SINGLE)
    pairs = [(a, b) for a in single for b in single if b.parent == a.child and b.name not in taken]
    if not pairs:
        a = add_joint(robot, str(rng.choice(kinds)), str(rng.choice(robot.links).name), rng)
        pairs = [(a, add_joint(robot, str(rng.choice(kinds)), a.child, rng))]
    a, b = pairs[int(rng.integers(len(pairs)))]
    frames = robot.frames()
    (p_parent, R_parent), (p, R) = frames[a.parent], frames[b.child]
    for _ in range(40):
        ends = [(a.parent, a.p + a.R @ rng.normal(size=3)), (b.child, 0.5 * rng.normal(size=3))]
        line = p + R @ ends[1][1] - p_parent - R_parent @ ends[0][1]
        moved = b.axis if b.kind == "prismatic" else np.cross(b.axis, ends[1][1])
        if abs(line @ R @ moved) > 0.3 * np.linalg.norm(line):
            break
    else:
        return
    (base, base_point), (tip, tip_point) = ends if rng.random() < 0.5 else ends[::-1]
    entry = {"joints": [a.name, b.name], "base_body": base, "base_point": base_point}
    entry.update(tip_body=tip, tip_point=tip_point)
    if rng.random() < 0.5:
        entry["barrel"] = _random_mass(rng)
    robot.section("linear_actuators")[_name(robot, "cylinder")] = entry


def add_spring(robot: Description, rng: Random, damping: float = 0.0) -> None:
    first, second = _two_links(robot, rng)
    robot.section("springs")[_name(robot, "spring")] = {
        "base_body": first,
        "base_point": 0.5 * rng.normal(size=3),
        "tip_body": second,
        "tip_point": 0.5 * rng.normal(size=3),
        "stiffness": float(rng.uniform(5.0, 60.0)),
        "free_length": float(rng.uniform(0.0, 0.6)),
        "pretension": float(rng.uniform(0.0, 8.0)),
        "damping": damping,
        "acts": str(rng.choice(["both", "tension"])),
    }


def add_damped_spring(robot: Description, rng: Random) -> None:
    add_spring(robot, rng, float(rng.uniform(1.0, 8.0)))


def add_balance_mechanism(robot: Description, rng: Random) -> None:
    parent = robot.links[int(rng.integers(len(robot.links)))].name
    joint = add_joint(robot, "prismatic", parent, rng)
    joint.R, joint.axis, joint.p, joint.limit = np.eye(3), np.eye(3)[2], np.array([0, 0, 0.2]), 0.1
    position, *rates = robot.motion[joint.name]
    robot.motion[joint.name] = JointMotion(0.1 * position, *rates)
    robot.section("balance_mechanisms")[_name(robot, "balance")] = {
        "frame_body": parent,
        "carried_body": joint.child,
        "pivot": [0.04, 0.02, 0.3],
        "side": int(rng.choice([-1, 1])),
        "bar_length": 0.3,
        "spring_arm": 0.12,
        "link_height": 0.15,
        "carried_point_z": 0.25,
        "spring_anchor": [-0.13, 0.02, float(rng.uniform(0.5, 0.7))],
        "stiffness": 300.0,
        "free_length": 0.05,
        "pretension": float(rng.uniform(0.0, 50.0)),
    }


def add_rollers(robot: Description, rng: Random) -> None:
    wheels = [joint.child for joint in robot.joints if joint.kind in ("revolute", "continuous")]
    if wheels:
        robot.section("rollers")[str(rng.choice(wheels))] = {"angle": 0.6}


def add_friction(robot: Description, rng: Random) -> None:
    passive, actuators = _passive(robot), _driven(robot)
    joints = [joint.name for joint in robot.independent(*SINGLE) if joint.name not in passive]
    if joints:
        joint = str(rng.choice(joints))
        viscous, coulomb = rng.uniform(0.1, 2.0, 2).tolist()
        entry = {"viscous": viscous, "coulomb": coulomb}
        robot.section("friction")[actuators.get(joint, joint)] = entry


def add_joint_friction(robot: Description, rng: Random) -> None:
    joints = [joint for joint in robot.joints if joint.kind in SINGLE]
    if joints:
        joints[int(rng.integers(len(joints)))].friction = tuple(rng.uniform(0.1, 2.0, 2).tolist())


def add_rotor(robot: Description, rng: Random) -> None:
    passive = _passive(robot)
    joints = [joint.name for joint in robot.independent(*SINGLE) if joint.name not in passive]
    across = [k for k, each in robot.section("linear_actuators").items() if "joints" in each]
    names = [*joints, *_driven(robot).values(), *across]
    if names:
        inertia, ratio = float(rng.uniform(1e-5, 1e-4)), float(rng.uniform(20.0, 100.0))
        rotor = {"inertia": inertia, "gear_ratio": ratio}
        robot.section("rotors")[str(rng.choice(names))] = rotor


def add_joint_spring(robot: Description, rng: Random) -> None:
    joints = [joint.name for joint in robot.joints if joint.kind in SINGLE]
    if joints:
        stiffness, rest, damping = rng.uniform(0.5, 20.0, 3).tolist()
        entry = {"stiffness": stiffness, "rest": 0.05 * rest, "damping": 0.2 * damping}
        name = _name(robot, "joint_spring")
        robot.section("joint_springs")[name] = {"joint": str(rng.choice(joints)), **entry}


def add_payload(robot: Description, rng: Random) -> None:
    link = str(rng.choice([each.name for each in robot.links]))
    robot.payloads[link] = Payload(rng.uniform(0.2, 1.0), rng.normal(size=3), random_inertia(rng))


def add_wrench(robot: Description, rng: Random) -> None:
    link = str(rng.choice([each.name for each in robot.links]))
    robot.wrenches[link] = Wrench(5.0 * rng.normal(size=3), rng.normal(size=3))


def add_gravity(robot: Description, rng: Random) -> None:
    robot.mechanisms["gravity"] = 6.0 * rng.normal(size=3)


def loop_of(kind: str) -> Callable[[Description, Random], None]:
    """Return the feature that closes a loop with a joint of a type at the present pose."""

    def add_loop(robot: Description, rng: Random) -> None:
        first = str(rng.choice([each.name for each in robot.links]))
        # planar and floating joints in a loop would be passive
        links = [
            each.name for each in robot.links if _head(robot, each.name) == _head(robot, first)
        ]
        carrier = add_joint(robot, "revolute", str(rng.choice(links)), rng).child
        joints = []
        for passive in _passive_kinds(kind, rng):
            joints.append(add_joint(robot, passive, carrier, rng))
            carrier = joints[-1].child
        (p_first, R_first), (p_second, R_second) = (robot.frames()[k] for k in (first, carrier))
        first_point, axis = 0.3 * rng.normal(size=3), unit(rng)
        at = p_first + R_first @ first_point
        entry = {"type": kind, "first_body": first, "second_body": carrier}
        if kind == "distance":
            second_point = 0.3 * rng.normal(size=3)
            entry["length"] = float(np.linalg.norm(p_second + R_second @ second_point - at))
        else:
            at = at + (0.2 * R_first @ axis if kind == "prismatic" else 0.0)
            second_point = R_second.T @ (at - p_second)
        if kind in WITH_AXIS:
            entry["axis"] = axis
        if kind == "revolute":
            entry["second_axis"] = R_second.T @ R_first @ axis
        if kind in ("prismatic", "fixed"):
            entry["second_rpy"] = rpy(R_first.T @ R_second)
        points = {"first_point": first_point, "second_point": second_point}
        robot.section("loop_joints")[_name(robot, "loop")] = {**entry, **points}
        robot.mechanisms.setdefault("passive_joints", []).extend(each.name for each in joints)

    return add_loop


def add_loaded_loop_joint(robot: Description, rng: Random) -> None:
    """Add a loop joint with a spring, and friction or a motor, closed at the present pose."""
    kind, count = str(rng.choice(["revolute", "prismatic"])), len(robot.joints)
    loop_of(kind)(robot, rng)
    name, entry = list(robot.section("loop_joints").items())[-1]
    entry.pop("second_axis", None)
    if kind == "revolute":
        (_, R_first), (_, R_second) = (
            robot.frames()[entry[f"{end}_body"]] for end in ("first", "second")
        )
        entry["second_rpy"] = rpy(R_first.T @ R_second)
    entry["limits"] = [-2.0, 2.0]
    robot.motion[name] = random_motion(kind, rng)._replace(
        position=np.array([0.2 if kind == "prismatic" else 0.0])
    )
    stiffness, rest, damping, viscous, coulomb = rng.uniform(0.5, 5.0, 5).tolist()
    spring = {"joint": name, "stiffness": stiffness, "rest": 0.1 * rest, "damping": 0.2 * damping}
    robot.section("joint_springs")[_name(robot, "joint_spring")] = spring
    if rng.random() < 0.5:
        robot.section("friction")[name] = {"viscous": viscous, "coulomb": coulomb}
    if rng.random() < 0.5:  # in the place of the joint that carries the passive ones
        entry["driven"] = True
        robot.mechanisms["passive_joints"].append(robot.joints[count].name)


def add_joint_relation(robot: Description, rng: Random) -> None:
    """Add a joint that a relation with two or three others moves."""
    passive = _passive(robot)
    leaders = [each.name for each in robot.independent(*SINGLE) if each.name not in passive]
    while len(leaders) < 2:
        leaders.append(add_joint(robot, "revolute", robot.links[0].name, rng).name)
    chosen = rng.permutation(leaders)[: int(rng.integers(2, 4))].tolist()
    kind = str(rng.choice(["revolute", "prismatic"]))
    follower = add_joint(robot, kind, str(rng.choice(robot.links).name), rng)
    ratios = {k: float(rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 1.5)) for k in chosen}
    coefficients = {follower.name: float(rng.uniform(0.5, 2.0)), **ratios}
    constant = sum(c * float(robot.motion[k].position[0]) for k, c in coefficients.items())
    entry = {"coefficients": coefficients, "constant": constant}
    robot.section("joint_relations")[_name(robot, "relation")] = entry
    robot.mechanisms.setdefault("passive_joints", []).append(follower.name)


def _head(robot: Description, link: str) -> str:
    """Return the last link before a planar or floating joint on the way to the root."""
    carriers = {joint.child: joint for joint in robot.joints}
    while link in carriers and carriers[link].kind not in ("planar", "floating"):
        link = carriers[link].parent
    return link


def _passive_kinds(kind: str, rng: Random) -> list[str]:
    """Return types of joints whose coordinates are as many as the constraints of a loop joint.

    As many of them turn as constraints are of the orientation.
    """
    count = LOOP_TYPES[kind]
    if count == 6 and rng.random() < 0.3:
        return ["floating"]
    kinds = ["planar"] if count >= 5 and rng.random() < 0.4 else []
    slides = int(rng.integers(0, 2)) if count >= 3 else 0
    slides *= not (kind == "prismatic" and kinds)
    singles = count - 3 * len(kinds)
    kinds += ["prismatic"] * slides + ["revolute"] * (singles - slides)
    return [kinds[k] for k in rng.permutation(len(kinds))]


LOOP_JOINTS = tuple(f"{kind} loop joint" for kind in LOOP_TYPES)
LOOPS = (*LOOP_JOINTS, "loaded loop joint", "joint relation")
CYLINDERS: dict[str, Callable[[Description, Random], None]] = {
    "shared load": add_shared_load,
    "cylinder with mass": add_cylinder_with_mass,
    "cylinder across two joints": add_cylinder_across_joints,
}
FEATURES: dict[str, Callable[[Description, Random], None]] = {
    "linear actuator": add_linear_actuator,
    "spring": add_spring,
    "damped spring": add_damped_spring,
    "balance mechanism": add_balance_mechanism,
    "rollers": add_rollers,
    "friction": add_friction,
    "joint friction": add_joint_friction,
    "rotor": add_rotor,
    "joint spring": add_joint_spring,
    "payload": add_payload,
    "wrench": add_wrench,
    "gravity": add_gravity,
    "loaded loop joint": add_loaded_loop_joint,
    "joint relation": add_joint_relation,
    **{name: loop_of(kind) for name, kind in zip(LOOP_JOINTS, LOOP_TYPES, strict=True)},
}
OF_TREES = tuple(name for name in FEATURES if name not in LOOPS)


# Combinations that are known to be faulty; a feature that makes one is left out of the robot.
KNOWN_FAULTS: dict[str, Callable[[Description], bool]] = {}
