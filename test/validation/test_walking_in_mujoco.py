# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The gaits carry their robots over the floor of MuJoCo; the joints follow with PD gains."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.motions import LeggedWalk

STEP = 1e-3  # s
FRICTION = 0.8


class Course(NamedTuple):
    """Positions (k, 3) and tilts (k,) of the base each 10 ms, and the largest effort."""

    position: np.ndarray
    tilt: np.ndarray
    effort: float


def simulated(robot: str, gait: str, stiffness: float, damping: float) -> Course:
    model = load_model(robot)
    walk = LeggedWalk(model, gait)
    spec = mujoco.MjSpec.from_string(model.tree.urdf)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[10.0, 10.0, 0.1])
    spec.option.timestep = STEP
    theirs = spec.compile()
    theirs.geom_friction[:, 0] = FRICTION
    data = mujoco.MjData(theirs)
    joints = [theirs.joint(name) for name in model.actuator_names]
    q, v = ([int(getattr(j, key)[0]) for j in joints] for key in ("qposadr", "dofadr"))
    data.qpos[:7] = [0.0, 0.0, walk.height, 1.0, 0.0, 0.0, 0.0]
    data.qpos[q] = walk.at(0.0)[0]
    motion = walk.sampled(np.arange(round(walk.duration / STEP)) * STEP)
    rows, largest = [], 0.0
    for k, (position, velocity) in enumerate(zip(motion.position, motion.velocity, strict=True)):
        effort = stiffness * (position - data.qpos[q]) + damping * (velocity - data.qvel[v])
        largest = max(largest, float(np.abs(effort).max()))
        data.qfrc_applied[v] = effort
        mujoco.mj_step(theirs, data)
        if k % 10 == 0:
            _, x, y, _ = data.qpos[3:7]
            rows.append([*data.qpos[:3], np.arccos(1.0 - 2.0 * (x**2 + y**2))])
    found = np.array(rows)
    return Course(found[:, :3], found[:, 3], largest)


def test_the_hexapod_walks_with_its_torso_level() -> None:
    course = simulated("athena", "tripod", stiffness=120.0, damping=1.5)
    assert 0.47 < course.position[-1, 0] < 0.505  # its feet creep, and gains alone lag behind
    assert np.abs(course.position[:, 1]).max() < 5e-3
    assert np.ptp(course.position[50:, 2]) < 5e-3
    assert np.degrees(course.tilt.max()) < 0.5
    assert course.effort < 8.0  # N m, the rated one


def test_the_quadruped_trots_without_falling() -> None:
    course = simulated("quadruped", "trot", stiffness=800.0, damping=12.0)
    assert 1.55 < course.position[-1, 0] < 2.05
    assert np.abs(course.position[:, 1]).max() < 0.1
    assert np.ptp(course.position[50:, 2]) < 0.02
    assert np.degrees(course.tilt.max()) < 3.0
    assert course.effort < 90.0
