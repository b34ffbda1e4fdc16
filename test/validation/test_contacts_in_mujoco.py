# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots on a floor move in MuJoCo as here: the same bodies, efforts, springs and dampers."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from benchmarks.contact_cases import CASES, PERIOD
from benchmarks.contact_speed import OURS, SPRING, THEIRS, Subject, run_of
from validation.mujoco_world import SPRING as AS_SPRING
from validation.mujoco_world import USUAL, MujocoWorld

PERIODS = 300


@pytest.mark.parametrize("robot", list(CASES))
def test_the_base_moves_as_in_mujoco(robot: str) -> None:
    case = CASES[robot]()
    case = case._replace(servo=case.servo.first(PERIODS))
    ours = run_of(case, Subject(OURS, SPRING, "rk4", 8))().base
    theirs = run_of(case, Subject(THEIRS, SPRING, "RK4", 8))().base
    moved = np.ptp(ours, axis=0).max()
    assert moved > 1e-3
    np.testing.assert_allclose(theirs, ours, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("impedance", [AS_SPRING, USUAL])
def test_the_hexapod_rests_as_deep_as_the_stiffness_says(impedance: float) -> None:
    case = CASES["athena"]()
    found = MujocoWorld(case.spring_world, case.contact, impedance)
    model, data, servo = found.model, found.data, case.servo
    model.opt.timestep = 0.25 * PERIOD
    data.qpos[:] = found.start
    for _ in range(1000):
        q, v = data.qpos[found.position_entries], data.qvel[found.velocity_entries]
        data.ctrl[:] = servo.effort[0] + servo.kp * (servo.position[0] - q) - servo.kd * v
        mujoco.mj_step(model, data, nstep=4)
    depth, force = -data.contact.dist, np.zeros(6)
    assert data.ncon == 6
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        assert force[0] / depth[k] == pytest.approx(case.contact.stiffness, rel=1e-3)
