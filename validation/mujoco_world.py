# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A world in MuJoCo: its robots by `write_mjcf`, its shapes, and contacts as stiff as asked for.

In MuJoCo a contact of depth x whose bodies approach at x' and that accelerates by a yields

    f = d / ((1 - d) A) (B x' + d K x - a)

with the impedance d, and A what it takes for the inverse mass at the contact; K and B follow from
`solref`, whose negative values are d^2 K and d B. So the stiffness is what is asked for with

    solref = -stiffness (1 - d) A, -damping (1 - d) A

and what is left, d / ((1 - d) A), acts as a mass that the contact moves. With d small it is none:
the contact is a spring and a damper. With the d that MuJoCo has by default it is nine times the
mass of a foot: the contact is as stiff at rest, but slower. Friction is a damper as that of the
normal force, up to the friction cone.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from benchmarks.contact_cases import SpringDamper
from charmie_dynamics.collision.contact_shape import ContactShape
from charmie_dynamics.conversion.mjcf_writer import joint_values, write_mjcf
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.robots import without_friction
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation import World

SUBSTITUTE_MASS = 1e-6  # kg; MuJoCo moves no body without mass
SPRING = 1e-4  # impedance, the least that MuJoCo takes: a spring and a damper
USUAL = 0.9  # impedance, the one that it has by default at depth zero
HARD = 0.9999  # impedance of the loops
LOOP_TIME = 2e-3  # s, time constant of the loops: two of the longest steps
LOOP_COMPLIANCE = 1e-6  # 1/kg, see `mujoco_simulation.harden`
GEOMS = {
    "plane": mujoco.mjtGeom.mjGEOM_PLANE,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
}


class MujocoWorld:
    """A world of a robot on a floor in MuJoCo.

    Parameters
    ----------
    world : World
    contact : SpringDamper
        Between the floor and each other shape.
    impedance : float
        `SPRING`, `USUAL` or between them.

    Attributes
    ----------
    model, data
        MuJoCo's own.
    position_entries, velocity_entries : (a,) array of int
        Of the actuators, in the order of the world.
    base_entry : int
        Of the first number of the floating joint.
    start : (nq,) array
        The world's start.
    """

    def __init__(self, world: World, contact: SpringDamper, impedance: float) -> None:
        text = write_mjcf(Model.of(without_friction(world.model.robot)), SUBSTITUTE_MASS)
        spec = mujoco.MjSpec.from_string(text)
        spec.option.disableflags = 0
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        geoms = []
        for shape in world.contacts.shapes:
            of_floor = shape.kind == "plane"
            geom = add_shape(
                spec,
                shape,
                contype=0 if of_floor else 1,
                conaffinity=1 if of_floor else 0,
                friction=[contact.friction, 0.0, 0.0],
                condim=3,
                priority=0 if of_floor else 1,
                solimp=[impedance, impedance, 1e-3, 0.5, 2.0],
            )
            geoms.append((geom, shape.link))
        self.model: Any = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._set_compliance(contact, impedance, [link for _, link in geoms])
        joints = self.model.actuator_trnid[:, 0]
        self.position_entries: Ints = np.array(self.model.jnt_qposadr[joints], dtype=np.int64)
        self.velocity_entries: Ints = np.array(self.model.jnt_dofadr[joints], dtype=np.int64)
        (base,) = (joint for joint in world.model.tree.joints if joint.type == "floating")
        self.base_entry = int(self.model.joint(base.name).qposadr[0])
        self.start = start_of(world, self.model)

    def _set_compliance(self, contact: SpringDamper, impedance: float, links: list[str]) -> None:
        """Set the inverse masses that MuJoCo scales softness with, and what follows from them."""
        model, touching = self.model, set()
        for geom, link in enumerate(links):
            body = model.body(link).id
            inverse = float(model.body_invweight0[body, 0])
            if impedance == SPRING:
                inverse = model.body_invweight0[body, 0] = 1.0 if inverse > 0.0 else 0.0
            touching.add(body)
            share = (1.0 - impedance) * inverse
            model.geom_solref[geom] = -contact.stiffness * share, -contact.damping * share
        others = [k for k in range(model.nbody) if k not in touching]
        model.body_invweight0[others] = LOOP_COMPLIANCE
        model.dof_invweight0[:] = LOOP_COMPLIANCE
        model.eq_solimp[:, :2] = HARD
        model.eq_solref[:, 0] = LOOP_TIME


def add_shape(spec: Any, shape: ContactShape, **options: Any) -> Any:
    """Add a shape to the body of its link, and return MuJoCo's geom."""
    return spec.body(shape.link).add_geom(
        type=GEOMS[shape.kind],
        size=[10.0, 10.0, 0.1] if shape.kind == "plane" else list(shape.half_size),
        pos=shape.p_link_shape,
        quat=_quaternion(shape.R_link_shape),
        mass=0.0,
        **options,
    )


def start_of(world: World, model: Any) -> Floats:
    """Return the coordinates (nq,) of a world's start in its model of MuJoCo."""
    q = np.zeros(model.nq)
    state = world.model.compute(world.position)
    for name, value in joint_values(world.model, state).items():
        q[model.joint(name).qposadr[0]] = value
    for joint in world.model.tree.joints:
        if joint.type == "floating":
            place, R = state.frame(joint.child)
            first = model.joint(joint.name).qposadr[0]
            q[first : first + 7] = *place, *_quaternion(R)
    return q


def _quaternion(R: Floats) -> Floats:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(R).ravel())
    return quaternion
