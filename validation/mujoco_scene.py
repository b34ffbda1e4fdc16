# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A world with position drives in MuJoCo: the same shapes, pairs that may touch, loops and drives.

Contacts are as stiff as in the world, at the impedance that MuJoCo has by default, see
`mujoco_world`. A drive is a force that is affine in position and velocity.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from charmie_dynamics.conversion.mjcf_writer import write_mjcf
from charmie_dynamics.core.integration.step_arrays import (
    DRIVE_DAMPING,
    DRIVE_STIFFNESS,
    LARGEST_EFFORT,
)
from charmie_dynamics.model.description.world import ContactRule
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.robots import without_friction
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation import World

from .mujoco_world import (
    HARD,
    LOOP_COMPLIANCE,
    LOOP_TIME,
    SUBSTITUTE_MASS,
    USUAL,
    add_shape,
    start_of,
)


class MujocoScene:
    """A world in MuJoCo.

    Parameters
    ----------
    world : World
    laws : (LAW_COUNT, v) array
        Drives and largest efforts, see `joint_laws`.

    Attributes
    ----------
    model
        MuJoCo's own.
    position_entries : (a,) array of int
        Of the actuators, in the order of the world.
    stiffness, damping : (a,) array
        Of the drives.
    start : (nq,) array
        The world's start.
    """

    def __init__(self, world: World, laws: Floats) -> None:
        driven = world.model.actuator_index
        self.stiffness, self.damping = laws[DRIVE_STIFFNESS, driven], laws[DRIVE_DAMPING, driven]
        smooth = Model.of(without_friction(world.model.robot))  # as the plant is simulated
        spec = mujoco.MjSpec.from_string(write_mjcf(smooth, SUBSTITUTE_MASS))
        spec.option.disableflags = 0
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        shapes = world.contacts.shapes
        for i, shape in enumerate(shapes):
            add_shape(spec, shape, name=f"shape_{i}", contype=0, conaffinity=0)
        rules = []
        for (i, j), rule in world.contacts.rules_of_pairs():
            friction = rule.friction_values["kinetic"]
            spec.add_pair(
                geomname1=f"shape_{i}",
                geomname2=f"shape_{j}",
                condim=3,
                friction=[friction, friction, 0.0, 0.0, 0.0],
                solimp=[USUAL, USUAL, 1e-3, 0.5, 2.0],
            )
            rules.append((shapes[i].link, shapes[j].link, rule))
        limits = world.model.actuator_limits()
        for k, (actuator, limit) in enumerate(zip(spec.actuators, limits, strict=True)):
            actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
            actuator.biasprm[1:3] = -self.stiffness[k], -self.damping[k]
            largest = laws[LARGEST_EFFORT, driven[k]]
            if math.isfinite(largest):
                actuator.forcelimited, actuator.forcerange = 1, [-largest, largest]
            if math.isfinite(limit.lower) and math.isfinite(limit.upper):
                joint = spec.joint(actuator.target)
                joint.limited, joint.range = 1, [limit.lower, limit.upper]
        self.model: Any = spec.compile()
        self._set_compliance(rules)
        joints = self.model.actuator_trnid[:, 0]
        self.position_entries: Ints = np.array(self.model.jnt_qposadr[joints], dtype=np.int64)
        self.start = start_of(world, self.model)

    def _set_compliance(self, rules: list[tuple[str, str, ContactRule]]) -> None:
        """Set the inverse masses that MuJoCo scales softness with, and what follows from them."""
        model, touching = self.model, set()
        for pair, (first, second, rule) in enumerate(rules):
            bodies = [model.body(link).id for link in (first, second)]
            touching.update(bodies)
            inverse = float(model.body_invweight0[bodies, 0].sum())
            stiffness, bounce = (rule.normal_values[n] for n in ("stiffness", "restitution"))
            # of a linear spring and damper with this restitution
            ratio = -math.log(bounce) / math.hypot(math.pi, math.log(bounce))
            damping = 2.0 * ratio * math.sqrt(stiffness / inverse)
            share = (1.0 - USUAL) * inverse
            model.pair_solref[pair] = -stiffness * share, -damping * share
        others = [k for k in range(model.nbody) if k not in touching]
        model.body_invweight0[others] = LOOP_COMPLIANCE
        model.dof_invweight0[:] = LOOP_COMPLIANCE
        model.eq_solimp[:, :2] = HARD
        model.eq_solref[:, 0] = LOOP_TIME

    def states(self, count: int) -> Floats:
        """Return the start of n worlds (n, k), for `mujoco.rollout`."""
        data = mujoco.MjData(self.model)
        data.qpos[:] = self.start
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.empty(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, data, state, kind)
        return np.tile(state, (count, 1))

    def positions(self, states: Floats) -> Floats:
        """Return the positions (..., a) of the actuators in states (..., k)."""
        found: Floats = states[..., 1 + self.position_entries]  # behind the time
        return found
