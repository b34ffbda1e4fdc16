# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Descriptions of robots as data: URDF, mechanisms file, loads and a motion of all joints."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from charmie_dynamics import Model, ModelFileWarning, Payload, Wrench, load_model

Floats = np.ndarray
RADIUS = 0.03  # m, of a ball about the origin of each link with mass, around its shape
SINGLE = ("revolute", "continuous", "prismatic")
# numbers of position and of velocity, as they follow the joint's name
NUMBERS = {
    "planar": (("/x", "/y", "/angle"),) * 2,
    "floating": (
        ("/x", "/y", "/z", "/qx", "/qy", "/qz", "/qw"),
        ("/vx", "/vy", "/vz", "/wx", "/wy", "/wz"),
    ),
    **dict.fromkeys(SINGLE, (("",), ("",))),
}


@dataclass
class Link:
    """Mass (kg), centre of mass (m), inertia about it (kg m^2); along the axes of the link.

    `geometry` is the shape that touches the ground, within `RADIUS` about the origin; `mesh` is the
    content of its OBJ file.
    """

    name: str
    mass: float = 0.0
    com: Floats = field(default_factory=lambda: np.zeros(3))
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))
    geometry: str = f'<sphere radius="{RADIUS}"/>'
    mesh: str = ""

    @property
    def shape(self) -> str:
        return self.geometry[1:].split()[0]


@dataclass
class Joint:
    """A joint, its pose in the parent, and the leader, multiplier and offset of a mimic joint."""

    name: str
    kind: str
    parent: str
    child: str
    p: Floats = field(default_factory=lambda: np.zeros(3))
    R: Floats = field(default_factory=lambda: np.eye(3))
    axis: Floats = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    mimic: tuple[str, float, float] | None = None
    limit: float = 9.0
    friction: tuple[float, float] | None = None  # viscous and Coulomb, as in <dynamics>


class JointMotion(NamedTuple):
    """Position, velocity and acceleration of one independent joint."""

    position: Floats
    velocity: Floats
    acceleration: Floats


@dataclass
class Description:
    """Everything that defines a robot and a state of it.

    Attributes
    ----------
    motion : dict
        Of each independent joint.
    loads : dict of tuple of dict
        Payloads and wrenches by link.
    """

    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    mechanisms: dict[str, Any] = field(default_factory=dict)
    motion: dict[str, JointMotion] = field(default_factory=dict)
    payloads: dict[str, Payload] = field(default_factory=dict)
    wrenches: dict[str, Wrench] = field(default_factory=dict)

    def copy(self) -> Description:
        return copy.deepcopy(self)

    def joint(self, name: str) -> Joint:
        return next(joint for joint in self.joints if joint.name == name)

    def link(self, name: str) -> Link:
        return next(link for link in self.links if link.name == name)

    def independent(self, *kinds: str) -> list[Joint]:
        return [each for each in self.joints if each.mimic is None and each.kind in kinds]

    def leader_of(self, joint: Joint) -> tuple[str, float, float]:
        """Return the independent joint that a joint follows, multiplier and offset."""
        leader, multiplier, offset = joint.mimic or (joint.name, 1.0, 0.0)
        while self.joint(leader).mimic:
            leader, m, o = self.joint(leader).mimic
            multiplier, offset = multiplier * m, multiplier * o + offset
        return leader, multiplier, offset

    def section(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.mechanisms.setdefault(name, {})
        return found

    def urdf(self) -> str:
        parts = [*map(_link_text, self.links), *map(_joint_text, self.joints)]
        return "\n".join(['<robot name="random">', *parts, "</robot>"])

    def file(self) -> str:
        return yaml.safe_dump(json.loads(json.dumps(self.mechanisms, default=_plain)))

    def report(self) -> str:
        loads = [
            f"{link}: {load}" for link, load in [*self.payloads.items(), *self.wrenches.items()]
        ]
        states = [f"{name}: {motion}" for name, motion in self.motion.items()]
        named = ("URDF", self.urdf()), ("mechanisms file", self.file())
        rest = ("loads", "\n".join(loads)), ("motion of the joints", "\n".join(states))
        return "\n".join(f"--- {title}\n{text}" for title, text in (*named, *rest) if text)

    @contextlib.contextmanager
    def files(self) -> Iterator[dict[str, str]]:
        """Write both files; yield them as in the entity of a world."""
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelFileWarning)  # inertials without a real body
            urdf, file = Path(folder) / "random.urdf", Path(folder) / "random.yaml"
            urdf.write_text(self.urdf(), encoding="utf-8")
            file.write_text(self.file(), encoding="utf-8")
            for link in self.links:
                if link.mesh:
                    (Path(folder) / f"{link.name}.obj").write_text(link.mesh, encoding="utf-8")
            yield {"urdf": str(urdf), **({"mechanisms": str(file)} if self.mechanisms else {})}

    def load(self) -> Model:
        with self.files() as files:
            model = load_model(**files)
        if self.payloads or self.wrenches:
            model = model.with_loads(self.payloads, self.wrenches)
        return model

    def bare(self) -> Description:
        """Return the tree alone."""
        return Description(self.links, self.joints, motion=self.motion)

    def frames(self) -> dict[str, tuple[Floats, Floats]]:
        """Return position and rotation of all links in this state."""
        model = self.bare().load()
        state = model.compute(arrays(self.bare(), model)[0])
        return {link.name: state.frame(link.name) for link in self.links}


def arrays(robot: Description, model: Model) -> tuple[Floats, Floats, Floats]:
    """Return position (p,), velocity and acceleration (v,) as the model orders them."""
    numbers: list[dict[str, float]] = [{}, {}, {}]
    for joint in robot.joints:
        if joint.name in robot.motion:
            names = NUMBERS[joint.kind]
            for k, values in enumerate(robot.motion[joint.name]):
                suffixes = names[min(k, 1)]
                numbers[k].update(zip((joint.name + s for s in suffixes), values, strict=True))
    for name in set(model.joint_names) & set(robot.mechanisms.get("loop_joints", {})):
        for k, values in enumerate(robot.motion[name]):
            numbers[k][name] = float(values[0])
    linear = robot.mechanisms.get("linear_actuators", {})
    wholes = {k: each for k, each in linear.items() if {"joints", "barrel", "rod"} & set(each)}
    frames = robot.frames() if wholes else {}
    for name, entry in linear.items():
        if "joints" in entry:
            _, rate, acceleration = robot.motion[entry["joints"][1]]
            numbers[0][name] = float(np.linalg.norm(_line(entry, frames)))
            numbers[1][name], numbers[2][name] = 0.3 * rate[0], 0.3 * acceleration[0]
        elif name in model.actuator_names:  # the first on its joint
            state = [float(each[0]) for each in robot.motion[entry["joint"]]]
            for k, value in enumerate(model.actuator_from_joint(entry["joint"], *state)):
                numbers[k][name] = value
    for name, entry in wholes.items():
        own = {joint.name: joint for joint in model.tree.joints}
        x, y, z = own[f"{name}_swing"].R_parent_joint.T @ _line(entry, frames)
        length = float(np.linalg.norm((x, y, z)))
        at_zero = own[f"{name}_stroke"].p_parent_joint[0]
        angles = math.atan2(y, x), -math.asin(z / length)
        for part, value in zip(
            ("swing", "lean", "stroke"), (*angles, length - at_zero), strict=True
        ):
            numbers[0][f"{name}_{part}"] = value
            numbers[1][f"{name}_{part}"] = numbers[2][f"{name}_{part}"] = 0.0
    names = model.position_names, *[model.velocity_names] * 2
    x, v, a = (np.array([n[k] for k in of]) for n, of in zip(numbers, names, strict=True))
    return x, v, a


def _line(entry: dict[str, Any], frames: dict[str, tuple[Floats, Floats]]) -> Floats:
    """Return the line between the pins of a linear actuator, in the axes of its base body."""
    (p_base, R_base), (p_tip, R_tip) = (frames[entry[f"{end}_body"]] for end in ("base", "tip"))
    p_tip = p_tip + R_tip @ entry["tip_point"]
    line: Floats = R_base.T @ (p_tip - p_base) - entry["base_point"]
    return line


def rotation(axis: Floats, angle: float) -> Floats:
    K = np.cross(np.eye(3), axis)
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)


def rpy(R: Floats) -> list[float]:
    """Return roll, pitch and yaw; the pitch of random rotations is never 90 degrees."""
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    return [math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])]


def of_quaternion(q: Floats) -> Floats:
    """Return the rotation of x, y, z, w."""
    vector, w = q[:3], q[3]
    K = np.cross(np.eye(3), vector)
    return np.eye(3) + 2.0 * w * K + 2.0 * K @ K


def plane_axes(normal: Floats) -> Floats:
    """Return x and y (rows) of a planar joint: those of the smallest turn of z to the normal."""
    axis = np.cross([0.0, 0.0, 1.0], normal)
    sine = np.linalg.norm(axis)
    if sine == 0.0:
        return np.eye(3)[:2]
    return rotation(axis / sine, math.atan2(sine, normal[2])).T[:2]


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def _plain(value: Any) -> Any:
    return value.tolist()


def _link_text(link: Link) -> str:
    if not link.mass:
        return f'<link name="{link.name}"/>'
    entries = zip(
        ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), link.inertia[np.triu_indices(3)], strict=True
    )
    inertia = " ".join(f'{name}="{float(value)!r}"' for name, value in entries)
    return (
        f'<link name="{link.name}"><inertial><origin xyz="{_text(link.com)}"/>'
        f'<mass value="{link.mass!r}"/><inertia {inertia}/></inertial>'
        f"<collision><geometry>{link.geometry}</geometry></collision></link>"
    )


def _joint_text(joint: Joint) -> str:
    mimic = limit = ""
    if joint.mimic:
        leader, multiplier, offset = joint.mimic
        mimic = f'<mimic joint="{leader}" multiplier="{multiplier!r}" offset="{offset!r}"/>'
    if joint.kind in ("revolute", "prismatic"):
        limit = f'<limit lower="{-joint.limit}" upper="{joint.limit}" effort="50" velocity="9"/>'
    if joint.friction:
        viscous, coulomb = joint.friction
        limit += f'<dynamics damping="{viscous!r}" friction="{coulomb!r}"/>'
    axis = "" if joint.kind in ("fixed", "floating") else f'<axis xyz="{_text(joint.axis)}"/>'
    return (
        f'<joint name="{joint.name}" type="{joint.kind}"><parent link="{joint.parent}"/>'
        f'<child link="{joint.child}"/><origin xyz="{_text(joint.p)}" rpy="{_text(rpy(joint.R))}"/>'
        f"{axis}{limit}{mimic}</joint>"
    )
