# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random closed linkages, and their accelerations and reactions by multipliers in NumPy.

An independent witness: the links are rigid bodies with Jacobians of their own, and terms that need
a time derivative are central differences along the motion. Covers all joint types of the tree, all
types of loop joints, mimic joints, linear actuators, springs with dampers and the three kinds of
base.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import yaml
from scipy.spatial.transform import Rotation

Values = dict[str, Any]
GRAVITY = np.array([0.4, -0.3, -9.7])
STEP = 2e-5  # s, of the central differences
COUNT = {"planar": 3, "floating": 6, "fixed": 0}
SUFFIX = {
    "planar": (("x", "y", "angle"), ("x", "y", "angle")),
    "floating": (("x", "y", "z", "qx", "qy", "qz", "qw"), ("vx", "vy", "vz", "wx", "wy", "wz")),
}


@dataclass
class Joint:
    """A joint of the tree.

    `follows`: leader, multiplier and offset of a mimic joint. `damping`: viscous friction (N s/m or
    N m s/rad).
    """

    name: str
    kind: str
    parent: str
    child: str
    place: Any
    rpy: Any
    axis: Any
    follows: tuple[str, float, float] | None = None
    damping: float = 0.0

    @property
    def count(self) -> int:
        """Number of velocities."""
        return COUNT.get(self.kind, 1)


@dataclass
class Linkage:
    """A robot with loops, and a position at which they are closed."""

    joints: list[Joint]
    bodies: dict[str, tuple[float, Any, Any]]  # mass, centre, inertia about it
    loops: Values
    springs: Values
    cylinders: Values
    position: Values  # by joint: one number, three, or seven
    passive: list[str] = field(default_factory=list)
    base: str = "fixed"

    def __post_init__(self) -> None:
        self.columns: dict[str, int] = {}
        self.size = 0
        for joint in self.joints:
            if joint.kind != "fixed" and joint.follows is None:
                self.columns[joint.name] = self.size
                self.size += joint.count

    def frames(self, position: Values) -> dict[str, tuple[Any, Any, Any]]:
        """Return place, axes and Jacobian (6, v) at the origin (linear, angular) of all links."""
        found = {"world": (np.zeros(3), np.eye(3), np.zeros((6, self.size)))}
        for joint in self.joints:
            p, R, J = found[joint.parent]
            arm = R @ joint.place
            R = R @ Rotation.from_euler("xyz", joint.rpy).as_matrix()
            leader, factor, offset = joint.follows or (joint.name, 1.0, 0.0)
            place, axis = p + arm, R @ joint.axis
            q: Any = position.get(leader, 0.0)
            if joint.kind != "floating":
                q = q * factor + offset
            own: list[tuple[Any, Any]] = []  # linear and angular part at the new origin
            turn = np.eye(3)
            if joint.kind == "prismatic":
                place = place + q * axis
                own = [(axis, np.zeros(3))]
            elif joint.kind in ("revolute", "continuous"):
                turn = Rotation.from_rotvec(q * joint.axis).as_matrix()
                own = [(np.zeros(3), axis)]
            elif joint.kind == "planar":
                plane = R @ plane_axes(joint.axis)
                place = place + plane[:, :2] @ q[:2]
                turn = Rotation.from_rotvec(q[2] * joint.axis).as_matrix()
                own = [(plane[:, 0], np.zeros(3)), (plane[:, 1], np.zeros(3)), (np.zeros(3), axis)]
            elif joint.kind == "floating":
                pose = position[joint.name]
                place = place + R @ pose[:3]
                turn = Rotation.from_quat(pose[3:]).as_matrix()
                axes = (R @ turn).T
                own = [(x, np.zeros(3)) for x in axes] + [(np.zeros(3), x) for x in axes]
            J = J.copy()
            J[:3] -= cross(place - p) @ J[3:]
            for k, (linear, angular) in enumerate(own):
                column = self.columns[leader] + k
                J[:3, column] += factor * linear
                J[3:, column] += factor * angular
            found[joint.child] = place, R @ turn, J
        return found

    def moved(self, position: Values, velocity: Any, time: float) -> Values:
        """Return the position after a motion with a constant velocity (v,)."""
        found = {}
        for name, first in self.columns.items():
            value = position[name]
            if np.ndim(value) == 1 and len(value) == 7:
                R = Rotation.from_quat(value[3:])
                turned = R * Rotation.from_rotvec(time * velocity[first + 3 : first + 6])
                half = R * Rotation.from_rotvec(0.5 * time * velocity[first + 3 : first + 6])
                slide = half.apply(time * velocity[first : first + 3])
                found[name] = np.concatenate((value[:3] + slide, turned.as_quat()))
            elif np.ndim(value) == 1:
                found[name] = value + time * velocity[first : first + 3]
            else:
                found[name] = value + time * velocity[first]
        return found

    def rows(self, frames: Values) -> list[tuple[str, Any, Any, Any]]:
        """Return loop joint, force, torque about the second point and row (v,) of each constraint.

        Force and torque are those of the first body on the second, in world axes.
        """
        found = []
        for name, entry in self.loops.items():
            p_first, R_first, J_first = frames[entry["first_body"]]
            p_second, R_second, J_second = frames[entry["second_body"]]
            p = p_first + R_first @ entry["first_point"]
            q = p_second + R_second @ entry["second_point"]
            relative = J_second - J_first
            relative[:3] = J_second[:3] - cross(q - p_second) @ J_second[3:]
            relative[:3] -= J_first[:3] - cross(q - p_first) @ J_first[3:]
            axes = R_first
            if "axis" in entry:
                axes = R_first @ across(np.asarray(entry["axis"]))
            kind = entry["type"]
            slides = axes.T[:2] if kind == "prismatic" else axes.T
            if kind == "distance":
                slides = [unit(q - p)]
            turns = {"revolute": axes.T[:2], "prismatic": axes.T, "fixed": axes.T}.get(kind, [])
            zero = np.zeros(3)
            found += [(name, u, zero, u @ relative[:3]) for u in slides]
            found += [(name, zero, u, u @ relative[3:]) for u in turns]
        return found

    def jacobian(self, position: Values) -> Any:
        """Return the rows of all constraints (r, v)."""
        return np.array([row for *_, row in self.rows(self.frames(position))])

    def opening(self, position: Values) -> float:
        """Return the largest error of closure (m, rad)."""
        frames, largest = self.frames(position), 0.0
        for entry in self.loops.values():
            p_first, R_first, _ = frames[entry["first_body"]]
            p_second, R_second, _ = frames[entry["second_body"]]
            d = R_first.T @ (p_second + R_second @ entry["second_point"] - p_first)
            d = d - entry["first_point"]
            kind, R = entry["type"], R_first.T @ R_second
            if kind == "distance":
                largest = max(largest, abs(np.linalg.norm(d) - entry["length"]))
                continue
            if kind == "prismatic":
                axis = unit(np.asarray(entry["axis"]))
                d = d - axis * (axis @ d)
            largest = max(largest, float(np.linalg.norm(d)))
            if kind == "revolute":
                axis, other = unit(np.asarray(entry["axis"])), R @ np.asarray(entry["second_axis"])
                turn = np.arctan2(np.linalg.norm(np.cross(axis, other)), axis @ other)
                largest = max(largest, float(turn))
            elif kind in ("prismatic", "fixed"):
                wanted = Rotation.from_euler("xyz", entry["second_rpy"])
                turn = (wanted.inv() * Rotation.from_matrix(R)).magnitude()
                largest = max(largest, float(turn))
        return largest

    def terms(self, position: Values, velocity: Any) -> tuple[Any, Any]:
        """Return the mass matrix M and the efforts h (v,): M a + h are the efforts of the tree."""
        frames = self.frames(position)
        ahead, behind = (
            self.frames(self.moved(position, velocity, time)) for time in (STEP, -STEP)
        )
        M, h = np.zeros((self.size, self.size)), np.zeros(self.size)
        for link, (mass, centre, inertia) in self.bodies.items():
            _, R, J = frames[link]
            arm = R @ centre
            J_c = J[:3] - cross(arm) @ J[3:]
            drift = (ahead[link][2] - behind[link][2]) @ velocity / (2.0 * STEP)
            w = J[3:] @ velocity
            a_c = drift[:3] - cross(arm) @ drift[3:] + np.cross(w, np.cross(w, arm))
            I = R @ inertia @ R.T  # noqa: E741
            M += mass * J_c.T @ J_c + J[3:].T @ I @ J[3:]
            h += J_c.T @ (mass * (a_c - GRAVITY))
            h += J[3:].T @ (I @ drift[3:] + np.cross(w, I @ w))
        for spring in self.springs.values():
            along, elastic, damping = self.pull(spring, frames, velocity)
            h += along * (elastic + damping)
        for column, factor, damping in self.dampers():
            h[column] += damping * factor**2 * velocity[column]
        return M, h

    def line(self, entry: Values, frames: Values, velocity: Any) -> tuple[Any, float, float]:
        """Return the Jacobian (v,), length and rate of the line between two pins."""
        ends = []
        for end in ("base", "tip"):
            p, R, J = frames[entry[f"{end}_body"]]
            arm = R @ entry[f"{end}_point"]
            ends.append((p + arm, J[:3] - cross(arm) @ J[3:]))
        d = ends[1][0] - ends[0][0]
        along = unit(d) @ (ends[1][1] - ends[0][1])
        return along, float(np.linalg.norm(d)), float(along @ velocity)

    def damping_power(self, position: Values, velocity: Any) -> float:
        """Return what the dampers of springs and joints take (W)."""
        frames = self.frames(position)
        pulls = [self.pull(spring, frames, velocity) for spring in self.springs.values()]
        power = sum(damping * (along @ velocity) for along, _, damping in pulls)
        power += sum(d * (factor * velocity[column]) ** 2 for column, factor, d in self.dampers())
        return float(power)

    def dampers(self) -> list[tuple[int, float, float]]:
        """Return column, multiplier and damping of the joints with viscous friction."""
        found = []
        for joint in self.joints:
            if joint.damping:
                leader, factor, _ = joint.follows or (joint.name, 1.0, 0.0)
                found.append((self.columns[leader], factor, joint.damping))
        return found

    def pull(self, spring: Values, frames: Values, velocity: Any) -> tuple[Any, float, float]:
        """Return the Jacobian (v,) of a spring's length, and what spring and damper pull (N)."""
        along, length, rate = self.line(spring, frames, velocity)
        elastic = spring["stiffness"] * (length - spring["free_length"])
        damping = spring["damping"] * rate
        if spring["acts"] == "tension":
            elastic = max(elastic, 0.0)
            damping = max(damping, -elastic) if elastic > 0.0 else 0.0
        return along, elastic, damping

    def solve(self, position: Values, velocity: Any, effort: Any) -> Solution:
        """Return accelerations and reactions under efforts (v,) of the coordinates."""
        M, h = self.terms(position, velocity)
        rows = self.rows(self.frames(position))
        D = np.array([row for *_, row in rows])
        ahead, behind = (
            self.jacobian(self.moved(position, velocity, time)) for time in (STEP, -STEP)
        )
        gamma = -(ahead - behind) @ velocity / (2.0 * STEP)
        matrix = np.block([[M, -D.T], [D, np.zeros((len(D), len(D)))]])
        right = np.concatenate((effort - h, gamma))
        scale = np.concatenate((1.0 / np.sqrt(np.diag(M)), np.ones(len(D))))
        scaled = scale[:, None] * matrix * scale
        solved = scale * np.linalg.lstsq(scaled, scale * right, rcond=1e-11)[0]
        reaction = {name: np.zeros(6) for name in self.loops}
        for (name, force, torque, _), value in zip(rows, solved[self.size :], strict=True):
            reaction[name] += value * np.concatenate((force, torque))
        values = np.linalg.svd(D, compute_uv=False)
        rank = int((values > 1e-8 * values[0]).sum())
        return Solution(solved[: self.size], reaction, rank, len(D))

    def urdf(self) -> str:
        """Return the robot as URDF."""
        parts = ['<robot name="r"><link name="world"/>']
        for link, (mass, centre, inertia) in self.bodies.items():
            i = {a + b: inertia["xyz".index(a), "xyz".index(b)] for a in "xyz" for b in "xyz"}
            moments = " ".join(f'i{k}="{i[k]!r}"' for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
            parts.append(
                f'<link name="{link}"><inertial><origin xyz="{text(centre)}"/>'
                f'<mass value="{mass!r}"/><inertia {moments}/></inertial></link>'
            )
        for joint in self.joints:
            parts.append(
                f'<joint name="{joint.name}" type="{joint.kind}"><parent link="{joint.parent}"/>'
                f'<child link="{joint.child}"/>'
                f'<origin xyz="{text(joint.place)}" rpy="{text(joint.rpy)}"/>'
                f'<axis xyz="{text(joint.axis)}"/>'
            )
            if joint.kind in ("revolute", "prismatic"):
                parts.append('<limit lower="-9" upper="9" effort="99" velocity="9"/>')
            if joint.damping:
                parts.append(f'<dynamics damping="{joint.damping!r}"/>')
            if joint.follows is not None:
                leader, factor, offset = joint.follows
                parts.append(
                    f'<mimic joint="{leader}" multiplier="{factor!r}" offset="{offset!r}"/>'
                )
            parts.append("</joint>")
        return "".join([*parts, "</robot>"]).replace("np.float64(", "").replace(")", "")

    def mechanisms(self) -> str:
        """Return the mechanisms file."""
        content: Values = {
            "gravity": GRAVITY,
            "passive_joints": self.passive,
            "loop_joints": self.loops,
            "springs": self.springs,
            "linear_actuators": self.cylinders,
        }
        return str(yaml.safe_dump(plain({k: v for k, v in content.items() if len(v)})))

    def inputs(self, model: Any, position: Values, velocity: Any) -> tuple[Any, Any]:
        """Return position (p,) and velocity (v,) as the model takes them."""
        frames = self.frames(position)
        by_joint = {entry["joint"]: entry for entry in self.cylinders.values()}
        places: Values = {}
        rates: Values = {}
        for joint in self.joints:
            if joint.name not in self.columns:
                continue
            first, value = self.columns[joint.name], position[joint.name]
            own = velocity[first : first + joint.count]
            names, speeds = SUFFIX.get(joint.kind, (("",), ("",)))
            tag = f"{joint.name}/" if joint.kind in SUFFIX else joint.name
            if joint.name in by_joint:
                along, value, _ = self.line(by_joint[joint.name], frames, velocity)
                own = along[first] * own
                tag = next(k for k, e in self.cylinders.items() if e["joint"] == joint.name)
            places.update(zip((tag + n for n in names), np.atleast_1d(value), strict=True))
            rates.update(zip((tag + n for n in speeds), own, strict=True))
        return (
            np.array([places[name] for name in model.position_names]),
            np.array([rates[name] for name in model.velocity_names]),
        )

    def joint_efforts(self, model: Any, position: Values, effort: Any) -> Any:
        """Return the efforts (v,) of the coordinates for those (a,) of the actuators."""
        frames, found = self.frames(position), np.zeros(self.size)
        for name, value in zip(model.actuator_names, effort, strict=True):
            if name in self.cylinders:
                found += value * self.line(self.cylinders[name], frames, np.zeros(self.size))[0]
            else:
                found[self.columns[name]] += value
        return found

    def order(self, model: Any) -> Any:
        """Return the column here of each coordinate (v,) of the model."""
        places = {}
        for name, first in self.columns.items():
            kind = next(joint.kind for joint in self.joints if joint.name == name)
            for k, suffix in enumerate(SUFFIX[kind][1] if kind in SUFFIX else ("",)):
                places[f"{name}/{suffix}" if suffix else name] = first + k
        return np.array([places[name] for name in model.joint_names])


class Solution(NamedTuple):
    """What efforts lead to: accelerations (v,), reactions (6,) by loop joint, rank and rows."""

    acceleration: Any
    reaction: dict[str, Any]
    rank: int
    rows: int


def random_linkage(seed: int) -> Linkage | None:
    """Return a random linkage; None if the seed gives loops that cannot be driven."""
    rng = np.random.default_rng(seed)
    base = str(rng.choice(["fixed", "floating", "planar"], p=[0.6, 0.25, 0.15]))
    joints = [Joint("base_joint", base, "world", "b0", *random_frame(rng))]
    count = int(rng.integers(4, 9))
    kinds = ["revolute", "continuous", "prismatic", "planar", "floating", "fixed"]
    for k in range(1, count):
        kind = str(rng.choice(kinds, p=[0.35, 0.2, 0.2, 0.1, 0.07, 0.08]))
        parent = f"b{k - 1}" if rng.random() < 0.5 else f"b{rng.integers(0, k)}"
        joints.append(Joint(f"j{k}", kind, parent, f"b{k}", *random_frame(rng)))
        leaders = [j for j in joints[1:-1] if j.kind == kind and j.follows is None]
        if kind in ("revolute", "prismatic") and leaders and rng.random() < 0.15:
            leader = leaders[int(rng.integers(len(leaders)))].name
            factor, offset = float(rng.uniform(-1.5, 1.5)), float(rng.uniform(-0.2, 0.2))
            joints[-1].follows = leader, factor, offset
    bodies = {f"b{k}": random_body(rng) for k in range(count)}
    position: Values = {}
    for joint in joints:
        if joint.kind == "planar":
            position[joint.name] = rng.uniform(-0.6, 0.6, 3)
        elif joint.kind == "floating":
            turn = Rotation.from_rotvec(rng.uniform(-1.0, 1.0, 3)).as_quat()
            position[joint.name] = np.concatenate((rng.uniform(-0.5, 0.5, 3), turn))
        elif joint.kind != "fixed":
            scale = 0.3 if joint.kind == "prismatic" else 1.0
            position[joint.name] = float(scale * rng.uniform(-1.0, 1.0))
    linkage = Linkage(joints, bodies, {}, {}, {}, position, base=base)
    for k in range(int(rng.integers(1, 3))):
        add_loop(linkage, f"loop{k}", rng)
    if not linkage.loops or not choose_passive(linkage, rng):
        return None
    for k in range(int(rng.integers(0, 3))):
        add_spring(linkage, f"spring{k}", rng)
    add_cylinder(linkage, rng)
    for joint in joints:
        if joint.kind not in COUNT and rng.random() < 0.3:
            joint.damping = float(rng.uniform(0.1, 2.0))
    return linkage


def random_frame(rng: Any) -> tuple[Any, Any, Any]:
    """Return place, roll, pitch, yaw and axis of a joint."""
    axis = rng.normal(size=3) if rng.random() < 0.5 else np.eye(3)[rng.integers(3)]
    return rng.uniform(-0.4, 0.4, 3), rng.uniform(-1.0, 1.0, 3), unit(axis)


def random_body(rng: Any) -> tuple[float, Any, Any]:
    """Return mass, centre and inertia."""
    mass = float(rng.uniform(0.3, 4.0))
    points = rng.normal(size=(6, 3)) * 0.15
    points -= points.mean(axis=0)
    inertia = mass / 6 * sum((x @ x) * np.eye(3) - np.outer(x, x) for x in points)
    return mass, rng.uniform(-0.2, 0.2, 3), inertia


def add_loop(linkage: Linkage, name: str, rng: Any) -> None:
    """Add a loop joint that is closed at the position."""
    frames = linkage.frames(linkage.position)
    links = ["world", *linkage.bodies] if linkage.base == "fixed" else list(linkage.bodies)
    for _ in range(20):
        first, second = rng.choice(links, 2, replace=False)
        kind = str(rng.choice(["spherical", "revolute", "prismatic", "fixed", "distance"]))
        p_first, R_first, _ = frames[first]
        p_second, R_second, _ = frames[second]
        point = rng.uniform(-0.3, 0.3, 3)
        place = p_first + R_first @ point
        entry: Values = {
            "type": kind,
            "first_body": str(first),
            "second_body": str(second),
            "first_point": point,
        }
        axis = unit(rng.normal(size=3))
        R = R_first.T @ R_second
        if kind == "prismatic":
            place = place + R_first @ axis * rng.uniform(-0.3, 0.3)
        if kind == "distance":
            place = place + rng.uniform(-0.5, 0.5, 3)
        second_point = R_second.T @ (place - p_second)
        entry["second_point"] = second_point
        if kind in ("revolute", "prismatic"):
            entry["axis"] = axis
        if kind == "revolute":
            entry["second_axis"] = R.T @ axis
        if kind in ("prismatic", "fixed"):
            entry["second_rpy"] = Rotation.from_matrix(R).as_euler("xyz")
        if kind == "distance":
            entry["length"] = float(np.linalg.norm(place - p_first - R_first @ point))
        linkage.loops[name] = entry
        D = linkage.jacobian(linkage.position)
        own = np.array([n == name for n, *_ in linkage.rows(frames)])
        values = np.linalg.svd(D, compute_uv=False)
        rank = int((values > 1e-8).sum())
        moves = abs(D[own]).max() > 1e-3
        clear = not ((values > 1e-8) & (values < 1e-2)).any()
        if moves and clear and linkage.size - rank > (6 if linkage.base == "floating" else 0):
            return
        del linkage.loops[name]


def choose_passive(linkage: Linkage, rng: Any) -> bool:
    """Make as many joints of the loops passive as the constraints determine."""
    D = linkage.jacobian(linkage.position)
    inside = abs(D).max(axis=0) > 1e-9
    single: list[str] = []
    chosen: list[int] = []
    for joint in linkage.joints:
        if joint.name not in linkage.columns:
            continue
        first = linkage.columns[joint.name]
        own = list(range(first, first + joint.count))
        if not inside[own].any():
            continue
        if joint.count > 1:
            chosen += own
            if rng.random() < 0.5:
                linkage.passive.append(joint.name)
        else:
            single.append(joint.name)
    if not np.isfinite(D).all():
        return False
    if chosen and np.linalg.svd(D[:, chosen], compute_uv=False)[-1] < 1e-2:
        return False
    if len(chosen) > len(D):
        return False
    for name in rng.permutation(single):
        trial = [*chosen, linkage.columns[name]]
        if len(trial) <= len(D) and np.linalg.svd(D[:, trial], compute_uv=False)[-1] > 3e-2:
            chosen = trial
            linkage.passive.append(str(name))
    driven = set(linkage.columns) - set(linkage.passive) - {"base_joint"}
    return bool(driven)


def add_spring(linkage: Linkage, name: str, rng: Any) -> None:
    """Add a spring with a damper between two links."""
    base, tip = rng.choice([*linkage.bodies, "world"], 2, replace=False)
    linkage.springs[name] = {
        "base_body": str(base),
        "base_point": rng.uniform(-0.3, 0.3, 3),
        "tip_body": str(tip),
        "tip_point": rng.uniform(-0.3, 0.3, 3),
        "stiffness": float(rng.uniform(20.0, 200.0)),
        "free_length": float(rng.uniform(0.1, 0.5)),
        "damping": float(rng.uniform(0.0, 20.0)),
        "acts": str(rng.choice(["tension", "both"])),
    }


def add_cylinder(linkage: Linkage, rng: Any) -> None:
    """Put a linear actuator in place of a driven hinge."""
    followed = {joint.follows[0] for joint in linkage.joints if joint.follows}
    for joint in linkage.joints:
        hinge = joint.kind in ("revolute", "continuous") and joint.follows is None
        if hinge and joint.name not in {*linkage.passive, *followed} and rng.random() < 0.4:
            entry = {
                "joint": joint.name,
                "base_body": joint.parent,
                "base_point": rng.uniform(-0.4, 0.4, 3),
                "tip_body": joint.child,
                "tip_point": rng.uniform(-0.4, 0.4, 3),
            }
            at_zero = {**linkage.position, joint.name: 0.0}
            column, rest = linkage.columns[joint.name], np.zeros(linkage.size)
            lever, lever_at_zero = (
                linkage.line(entry, linkage.frames(position), rest)[0][column]
                for position in (linkage.position, at_zero)
            )
            if min(abs(lever), abs(lever_at_zero)) > 0.05:
                entry["branch"] = "upright" if lever * lever_at_zero > 0.0 else "inverted"
                linkage.cylinders[f"{joint.name}_cylinder"] = entry


def plane_axes(normal: Any) -> Any:
    """Return x, y and the normal (columns): the smallest turn of z to the normal."""
    turn = np.cross((0.0, 0.0, 1.0), normal)
    sine = np.linalg.norm(turn)
    if sine < 1e-12:
        return np.eye(3) if normal[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return Rotation.from_rotvec(turn / sine * np.arctan2(sine, normal[2])).as_matrix()


def across(axis: Any) -> Any:
    """Return two axes across a vector and the unit vector along it, as columns."""
    axis = unit(axis)
    x = unit(np.cross(axis, np.eye(3)[np.argmin(abs(axis))]))
    return np.column_stack((x, np.cross(axis, x), axis))


def unit(vector: Any) -> Any:
    """Return a vector of length one."""
    return vector / np.linalg.norm(vector)


def cross(vector: Any) -> Any:
    """Return the matrix of the product with a vector."""
    x, y, z = vector
    return np.array([(0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)])


def text(numbers: Any) -> str:
    """Return numbers as URDF has them."""
    return " ".join(repr(float(x)) for x in numbers)


def plain(value: Any) -> Any:
    """Return a value without arrays."""
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(entry) for entry in value]
    return float(value) if isinstance(value, np.floating) else value
