# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot with its loops as real closed loops, written as a MuJoCo model (MJCF).

Tree, pins, springs and balance mechanisms come from a `Model`, so that no number is written
twice. What the core reduces to formulas is here bodies and joints:

- a linear actuator is a tube on a hinge pin, a rod that slides in it, and a hinge pin (two
  `connect` constraints on its axis) that closes the loop. Where a loop is not planar, the pin of
  the tube is a universal joint and one `connect` closes the loop.
- a balance mechanism is a bar on a hinge, an upright on a hinge at the bar's tip, and a slider
  that moves along x on the carried body; a `weld` of upright and slider closes the loop.
- a spring is a spatial tendon with stiffness.
- a mimic joint is a joint of its own with a `joint` constraint.
- a loop joint is a `connect` (spherical), two of them on its axis (revolute), a `weld` (fixed), a
  `weld` to a body that slides (prismatic), a `connect` to a body that slides along two axes
  (plane), or a tendon of constant length (distance).
- a joint relation is a fixed tendon of constant length.
- joint springs, friction and rotors are numbers of the joints.

Every joint but a floating one has one coordinate, so that without such coordinates, rates and
accelerations share their indices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np

from charmie_dynamics.core.arrays import PRISMATIC, REVOLUTE
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.model.description.mechanisms.added_joints import (
    relation_links,
    relation_of,
    relation_sliders,
)
from charmie_dynamics.model.description.mechanisms.balance_mechanisms import BalanceMechanism
from charmie_dynamics.model.description.mechanisms.linear_actuators import LinearActuator
from charmie_dynamics.model.description.mechanisms.loop_joints import LoopJoint
from charmie_dynamics.model.description.mechanisms.springs import Spring
from charmie_dynamics.model.description.robot import Collision, Joint, JointRelation
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.robots import without_loops
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.rotations import plane_across, quaternion_from_rows
from charmie_dynamics.numerics.vectors import Floats

PLANAR = 1e-9  # m, largest distance of the pins along the joint's axis in a planar loop
PIN_HALF_WIDTH = 0.02  # m, of the pin that closes a planar loop; no result depends on it
SMALLEST = 1e-12  # kg m^2: MuJoCo takes no moment of inertia of zero, as thin rods have
SUBSTITUTE_RADIUS = 0.1  # m, radius of gyration of the bodies that have no mass of their own
PINS = {"pin": (1.0, 0.0, 0.0), "second_pin": (0.0, 1.0, 0.0)}  # axes in the tube
SLIDES = ("slide_1", "slide_2")  # of the body that moves in the plane of a loop joint
ORIGIN = (0.0, 0.0, 0.0)


def write_mjcf(model: Model, substitute_mass: float, *, with_shapes: bool = False) -> str:
    """Return the MJCF of a robot.

    Bodies are named as the model's frames, motors as its actuators, tendons as its springs, and
    for each linear actuator a tendon without stiffness from pin to pin bears its name.

    Parameters
    ----------
    model : Model
    substitute_mass : float
        Mass (kg) of each moving body that has none in `model`: tubes, rods, bars, uprights and
        sliders, and links without inertial. MuJoCo moves no body without mass.
    with_shapes : bool
        Whether the shapes of the links are geoms, which may touch. Meshes are left out.

    Raises
    ------
    UnsupportedError
        For a planar joint.
    """
    return _Writer(model, substitute_mass, with_shapes).text


def tube_axes(model: Model, k: int) -> tuple[Floats, Floats]:
    """Return the axes of linear actuator `k` at joint position zero in the bodies at its ends.

    Returns
    -------
    R_base_tube, R_tip_tube : (3, 3) array
        z from the base pin to the tip pin; x along the pins of a planar loop.
    """
    zero = model.kinematics(model.zero_position())
    part = model.mechanisms.linear_actuators[k]
    joint = next(j for j in model.tree.joints if j.name == part.joint)
    z = zero.kinematics.u_world_member[k]
    axis = zero.frame(joint.child)[1] @ joint.axis
    if joint.type == "prismatic":
        axis = np.cross(axis, z)  # across the plane of slide and actuator
    x = axis - (axis @ z) * z
    if np.linalg.norm(x) < PLANAR:  # along its slide or hinge: any pins across it serve
        x = plane_across(z)[0]
    x /= np.linalg.norm(x)
    R_world_tube = np.column_stack([x, np.cross(z, x), z])
    base, tip = (zero.frame(body)[1] for body in (part.base_body, part.tip_body))
    return base.T @ R_world_tube, tip.T @ R_world_tube


def slide_origin(model: Model, balance: BalanceMechanism) -> Floats:
    """Return the origin (3,) of the slide of a balance mechanism, with all joints at zero."""
    flat = model.flat
    place: Floats = flat.tree.p_parent_joint[flat.body_names.index(balance.carried_body)]
    return place


def is_planar(model: Model, k: int) -> bool:
    """Return whether the loop of linear actuator `k` moves in one plane."""
    actuators = model.flat.mechanisms.actuators
    revolute = model.flat.tree.joint_type[actuators.joint_body[k]] == REVOLUTE
    return not revolute or bool(abs(actuators.along_zero[k]) < PLANAR)


def joint_values(model: Model, state: State) -> dict[str, float]:
    """Return the coordinate of each joint of `write_mjcf`, but for floating ones, at a state."""
    found: dict[str, float] = {}
    tree, entries = model.flat.tree, model.flat.freedoms.position_entry
    kinematics: Any = state.kinematics
    joint_of = {joint.child: joint.name for joint in model.tree.joints}
    chains = relation_links(model.tree, model.mechanisms.loop_joints)
    for i, body in enumerate(model.flat.body_names):
        c = tree.coordinate[i]
        if body not in chains and c >= 0 and tree.joint_type[i] in (REVOLUTE, PRISMATIC):
            value = state.joint_position[entries[c]]
            found[joint_of[body]] = float(tree.multiplier[i] * value + tree.offset[i])
    for k, actuator in enumerate(model.mechanisms.linear_actuators):
        if actuator.across:  # the joint of its rod is one of the tree
            continue
        R_world_base = state.frame(actuator.base_body)[1]
        R_base_tube = tube_axes(model, k)[0]
        x, y, z = R_base_tube.T @ R_world_base.T @ state.kinematics.u_world_member[k]
        found[f"{actuator.name}_pin"] = math.atan2(-y, z)
        if not is_planar(model, k):
            found[f"{actuator.name}_second_pin"] = math.asin(x)
        found[f"{actuator.name}_slide"] = float(state.kinematics.member_length[k])
    for k, balance in enumerate(model.mechanisms.balance_mechanisms):
        tip = kinematics.balance_tip[k]
        x, _, z = balance.side * (tip - balance.pivot)
        found[f"{balance.name}_pivot"] = math.atan2(-z, x)
        found[f"{balance.name}_foot"] = math.atan2(z, x)
        found[f"{balance.name}_slide"] = float(tip[0] - slide_origin(model, balance)[0])
    for loop in model.mechanisms.loop_joints:
        if loop.type == "prismatic" or (loop.type == "plane" and loop.second_body not in chains):
            first, second = (
                state.motion(body, point).position
                for body, point in (
                    (loop.first_body, loop.first_point), (loop.second_body, loop.second_point),
                )
            )  # fmt: skip
            axis = np.array(loop.axis) / np.linalg.norm(loop.axis)
            R_world_first = state.frame(loop.first_body)[1]
            ways = {"slide": axis}
            if loop.type == "plane":
                ways = dict(zip(SLIDES, plane_across(axis), strict=True))
            for name, way in ways.items():
                found[f"{loop.name}_{name}"] = float(R_world_first @ way @ (second - first))
    return found


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def _quat(R: Floats) -> str:
    x, y, z, w = plain(quaternion_from_rows)(*R.tolist())
    return _text((w, x, y, z))


class _Writer:
    """The sections of the file, filled in the order of the model's description."""

    def __init__(self, model: Model, substitute_mass: float, with_shapes: bool) -> None:
        self.model = model
        self.substitute_mass, self.with_shapes = substitute_mass, with_shapes
        self.rotors = model.mechanisms.all_rotors(model.tree)
        root = Element("mujoco", model=model.name)
        SubElement(root, "compiler", angle="radian", autolimits="false", inertiafromgeom="false")
        settings = {"gravity": _text(model.mechanisms.gravity), "jacobian": "dense"}
        option = SubElement(root, "option", settings)
        if not with_shapes:
            SubElement(option, "flag", contact="disable")
        self.bodies = {model.tree.root: SubElement(root, "worldbody")}
        self.tendons = SubElement(root, "tendon")
        self.equality = SubElement(root, "equality")
        self.motors = SubElement(root, "actuator")

        joint_of = {joint.child: joint for joint in model.tree.joints}
        chains = relation_links(model.tree, model.mechanisms.loop_joints)
        for name in model.flat.body_names[1:]:
            if name not in chains:
                self.add_link(joint_of[name])
        for k, part in enumerate(model.mechanisms.linear_actuators):
            if not part.across:
                self.add_linear_actuator(part, k)
        for spring in model.mechanisms.springs:
            self.add_spring(spring)
        for balance in model.mechanisms.balance_mechanisms:
            self.add_balance(balance)
        for loop in model.mechanisms.loop_joints:
            self.add_loop(loop)
        slides = {
            a.name: a.joint if a.across else f"{a.name}_slide"
            for a in model.mechanisms.linear_actuators
        }
        for name in model.actuator_names:
            SubElement(self.motors, "motor", name=name, joint=slides.get(name, name))
        self.text = tostring(root, encoding="unicode")

    def add_link(self, joint: Joint) -> None:
        name, floats = joint.child, joint.type == "floating"
        # its joint has the position in the world, whatever it is written in
        parent = self.model.tree.root if floats else joint.parent
        body = self.add_body(name, parent, joint.p_parent_joint, joint.R_parent_joint)
        if floats:
            SubElement(body, "freejoint", name=joint.name)
        elif joint.type == "planar":
            raise UnsupportedError(f"joint '{joint.name}': MJCF has no planar joint")
        elif joint.type != "fixed":
            kind = "slide" if joint.type == "prismatic" else "hinge"
            numbers = self.laws_of(joint)
            SubElement(body, "joint", numbers, name=joint.name, type=kind, axis=_text(joint.axis))
            self.add_mimic(joint)
        for shape in self.model.tree.links[name].collisions if self.with_shapes else ():
            self.add_shape(body, shape)
        inertial = self.model.tree.links[name].inertial
        if inertial is not None:
            moments, R_link_principal = np.linalg.eigh(inertial.inertia)
            R_link_principal[:, 2] *= np.sign(np.linalg.det(R_link_principal))
            moments = np.maximum(moments, SMALLEST)
            self.add_inertial(body, inertial.mass, inertial.p_link_com, R_link_principal, moments)
        elif joint.type != "fixed":
            self.add_substitute(body)

    def laws_of(self, joint: Joint) -> dict[str, str]:
        """Return spring, friction, rotor and range of a joint."""
        mechanisms, numbers = self.model.mechanisms, {"damping": 0.0, "armature": 0.0}
        springs = [s for s in mechanisms.joint_springs if s.joint == joint.name and s.stiffness]
        numbers["damping"] += sum(
            s.damping for s in mechanisms.joint_springs if s.joint == joint.name
        )
        across = (part for part in mechanisms.linear_actuators if part.across)
        name = {part.joint: part.name for part in across}.get(joint.name, joint.name)
        friction = mechanisms.friction.get(name, joint.friction)
        if friction is not None:
            numbers["damping"] += friction.viscous
            numbers["frictionloss"] = friction.coulomb
        if name in self.rotors:
            numbers["armature"] = self.rotors[name].reflected
        if springs:
            # several springs are one: their stiffness adds up, as do their efforts at zero
            numbers["stiffness"] = sum(s.stiffness for s in springs)
            numbers["springref"] = sum(s.stiffness * s.rest for s in springs) / numbers["stiffness"]
        attributes = {name: repr(float(value)) for name, value in numbers.items() if value}
        if np.isfinite((joint.limit.lower, joint.limit.upper)).all() and self.with_shapes:
            attributes |= {
                "limited": "true",
                "range": _text((joint.limit.lower, joint.limit.upper)),
            }
        return attributes

    def add_shape(self, body: Element, shape: Collision) -> None:
        """Add a shape as a geom; a mesh is left out."""
        if shape.kind == "mesh":
            return
        # MuJoCo has half lengths
        sizes = np.array(shape.size) * (
            0.5 if shape.kind == "box" else (1.0, 0.5)[: len(shape.size)]
        )
        pose = {"pos": _text(shape.p_link_collision), "quat": _quat(shape.R_link_collision)}
        SubElement(body, "geom", pose, type=shape.kind, size=_text(sizes))

    def add_loop(self, loop: LoopJoint) -> None:
        """Add the constraints of a loop joint."""
        joints = self.model.flat.mechanisms.by_type.loop_joints
        k = self.model.flat.mechanism_names["loop_joints"].index(loop.name)
        R_first_second = joints.R_first_second[k]
        if loop.type == "distance":
            tendon = SubElement(self.tendons, "spatial", name=loop.name)
            for body, point in (
                (loop.first_body, loop.first_point), (loop.second_body, loop.second_point),
            ):  # fmt: skip
                SubElement(tendon, "site", site=self.add_site(body, point))
            # relative to the length with all joints at zero, where the loop may be open
            zero = Model.of(without_loops(self.model.robot))
            state = zero.kinematics(zero.zero_position())
            own, other = (
                state.motion(body, point).position
                for body, point in (
                    (loop.first_body, loop.first_point), (loop.second_body, loop.second_point),
                )
            )  # fmt: skip
            length = joints.row_length[list(joints.row_joint).index(k)]
            more = (length - float(np.linalg.norm(other - own)), 0.0, 0.0, 0.0, 0.0)
            SubElement(
                self.equality, "tendon", name=loop.name, tendon1=loop.name, polycoef=_text(more)
            )
            return
        sliders = relation_sliders(self.model.tree, loop)
        if sliders:
            self.add_relation(loop.name, relation_of(loop, sliders))
            return
        first, second = (np.array(point) for point in (loop.first_point, loop.second_point))
        if loop.type == "plane":
            ways = dict(zip(SLIDES, plane_across(joints.axis_first[k]), strict=True))
            body = self.add_slider(loop, ways)
            ends = self.add_site(body, ORIGIN), self.add_site(loop.second_body, second)
            SubElement(self.equality, "connect", site1=ends[0], site2=ends[1])
            return
        if loop.type in ("spherical", "revolute"):
            axis, own = joints.axis_first[k], joints.axis_second[k]
            offsets = (-PIN_HALF_WIDTH, PIN_HALF_WIDTH) if loop.type == "revolute" else (0.0,)
            for offset in offsets:
                ends = (
                    self.add_site(loop.first_body, first + offset * axis),
                    self.add_site(loop.second_body, second + offset * own),
                )
                SubElement(self.equality, "connect", site1=ends[0], site2=ends[1])
            return
        body = loop.first_body
        if loop.type == "prismatic":
            body = self.add_slider(loop, {"slide": joints.axis_first[k]})
            first = np.zeros(3)
        ends = (
            self.add_site(body, first, R_first_second),
            self.add_site(loop.second_body, second),
        )
        SubElement(self.equality, "weld", site1=ends[0], site2=ends[1])

    def add_slider(self, loop: LoopJoint, ways: dict[str, Floats]) -> str:
        """Add a body that slides from the first point of a loop joint, and return its name."""
        name = f"{loop.name}_slider"
        slider = self.add_body(name, loop.first_body, loop.first_point, np.eye(3))
        for way, axis in ways.items():
            SubElement(slider, "joint", name=f"{loop.name}_{way}", type="slide", axis=_text(axis))
        self.add_substitute(slider)
        return name

    def add_relation(self, name: str, relation: JointRelation) -> None:
        tendon = SubElement(self.tendons, "fixed", name=name)
        for joint, coefficient in relation.coefficients.items():
            SubElement(tendon, "joint", joint=joint, coef=repr(float(coefficient)))
        line = _text((relation.constant, 0.0, 0.0, 0.0, 0.0))
        SubElement(self.equality, "tendon", name=name, tendon1=name, polycoef=line)

    def add_mimic(self, joint: Joint) -> None:
        if joint.mimic is not None:
            line = _text((joint.mimic.offset, joint.mimic.multiplier, 0.0, 0.0, 0.0))
            SubElement(
                self.equality, "joint", joint1=joint.name, joint2=joint.mimic.joint, polycoef=line
            )

    def add_linear_actuator(self, part: LinearActuator, k: int) -> None:
        R_base_tube, R_tip_rod = tube_axes(self.model, k)
        planar = is_planar(self.model, k)
        tube = self.add_body(f"{part.name}_tube", part.base_body, part.base_point, R_base_tube)
        for pin, axis in list(PINS.items())[: 1 if planar else 2]:
            SubElement(tube, "joint", name=f"{part.name}_{pin}", type="hinge", axis=_text(axis))
        self.add_substitute(tube)
        rod = self.add_body(f"{part.name}_rod", f"{part.name}_tube", ORIGIN, np.eye(3))
        rotor = self.rotors.get(part.name)
        friction = self.model.mechanisms.friction.get(part.name)
        numbers = {
            "armature": rotor.reflected if rotor else 0.0,
            "damping": friction.viscous if friction else 0.0,
            "frictionloss": friction.coulomb if friction else 0.0,
        }
        own = {name: repr(float(value)) for name, value in numbers.items() if value}
        SubElement(rod, "joint", own, name=f"{part.name}_slide", type="slide", axis="0 0 1")
        self.add_substitute(rod)
        for offset in (-PIN_HALF_WIDTH, PIN_HALF_WIDTH) if planar else (0.0,):
            on_tip = np.array(part.tip_point) + offset * R_tip_rod[:, 0]
            ends = (
                self.add_site(f"{part.name}_rod", (offset, 0.0, 0.0)),
                self.add_site(part.tip_body, on_tip),
            )
            SubElement(self.equality, "connect", site1=ends[0], site2=ends[1])
        self.add_tendon(part, {})

    def add_spring(self, spring: Spring) -> None:
        self.add_tendon(spring, self.spring_law(spring))

    def add_balance(self, balance: BalanceMechanism) -> None:
        name, y = balance.name, np.array([0.0, 1.0, 0.0])
        bar = self.add_body(f"{name}_bar", balance.frame_body, balance.pivot, np.eye(3))
        SubElement(bar, "joint", name=f"{name}_pivot", type="hinge", axis=_text(y))
        self.add_substitute(bar)
        along = np.array([float(balance.side), 0.0, 0.0])
        foot = balance.bar_length * along
        upright = self.add_body(f"{name}_upright", f"{name}_bar", foot, np.eye(3))
        SubElement(upright, "joint", name=f"{name}_foot", type="hinge", axis=_text(y))
        self.add_substitute(upright)
        p_frame_slide = slide_origin(self.model, balance)
        track = (0.0, balance.pivot[1] - p_frame_slide[1], balance.carried_point_z)
        slider = self.add_body(f"{name}_slider", balance.carried_body, track, np.eye(3))
        SubElement(slider, "joint", name=f"{name}_slide", type="slide", axis="1 0 0")
        self.add_substitute(slider)
        top = self.add_site(f"{name}_upright", (0.0, 0.0, balance.link_height))
        SubElement(self.equality, "weld", site1=top, site2=self.add_site(f"{name}_slider", ORIGIN))
        tendon = SubElement(self.tendons, "spatial", self.spring_law(balance), name=name)
        for body, point in (
            (balance.frame_body, balance.spring_anchor),
            (f"{name}_bar", balance.spring_arm * along),
        ):
            SubElement(tendon, "site", site=self.add_site(body, point))

    def add_tendon(self, part: LinearActuator | Spring, law: dict[str, str]) -> None:
        tendon = SubElement(self.tendons, "spatial", law, name=part.name)
        for body, point in ((part.base_body, part.base_point), (part.tip_body, part.tip_point)):
            SubElement(tendon, "site", site=self.add_site(body, point))

    @staticmethod
    def spring_law(spring: Spring | BalanceMechanism) -> dict[str, str]:
        """Return the tendon's law: k (L - L0) + F0 as k (L - (L0 - F0 / k)), slack below that.

        A MuJoCo spring has no pretension. The two laws agree where L > L0; nearer than that to
        L0 - F0 / k, the tendon pulls and the spring does not. A spring that pushes has one law.
        """
        zero_tension = spring.free_length - spring.pretension / spring.stiffness
        pushes = isinstance(spring, Spring) and spring.acts == "both"
        slack = _text((zero_tension if pushes else min(zero_tension, 0.0), zero_tension))
        law = {"stiffness": repr(spring.stiffness), "springlength": slack}
        if isinstance(spring, Spring) and spring.damping:
            law["damping"] = repr(spring.damping)
        return law

    def add_body(self, name: str, parent: str, p: Iterable[float], R: Floats) -> Element:
        self.bodies[name] = SubElement(
            self.bodies[parent], "body", name=name, pos=_text(p), quat=_quat(R)
        )
        return self.bodies[name]

    def add_site(self, body: str, point: Iterable[float], R: Floats | None = None) -> str:
        """Add a point of a body, with axes if they matter, and return its name."""
        name = f"{body}_site_{len(self.bodies[body])}"
        axes = {} if R is None else {"quat": _quat(R)}
        SubElement(self.bodies[body], "site", axes, name=name, pos=_text(point))
        return name

    def add_substitute(self, body: Element) -> None:
        moment = self.substitute_mass * SUBSTITUTE_RADIUS**2
        self.add_inertial(body, self.substitute_mass, ORIGIN, np.eye(3), (moment,) * 3)

    @staticmethod
    def add_inertial(
        body: Element,
        mass: float,
        p_body_com: Iterable[float],
        R_body_principal: Floats,
        moments: Iterable[float],
    ) -> None:
        SubElement(
            body,
            "inertial",
            mass=repr(float(mass)),
            pos=_text(p_body_com),
            quat=_quat(R_body_principal),
            diaginertia=_text(moments),
        )
