# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics of the closed-loop robot by MuJoCo's own solver, driven by given efforts."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from charmie_dynamics import Model

from .mujoco_robot import ClosedLoopRobot, Motion

HARDEST = 0.9999  # impedance of a constraint; MuJoCo clips it there
COMPLIANCE = 1e-6  # 1/kg, in place of the inverse masses that MuJoCo scales the softness with
SOLVER_ITERATIONS = 100


class Run(NamedTuple):
    """A simulated motion: (n,) times, (n, q) actuator positions, planned ones, and open loops."""

    time: np.ndarray
    position: np.ndarray
    planned: np.ndarray
    gap: np.ndarray


def harden(robot: ClosedLoopRobot) -> None:
    """Make the constraints of a robot nearly rigid.

    MuJoCo lets a constraint yield by (1 - impedance) / impedance times its force times the
    inverse mass behind it. Light bodies make it soft, so that all get the same small compliance.
    """
    robot.mj_model.opt.tolerance = 0.0
    robot.mj_model.opt.iterations = SOLVER_ITERATIONS
    robot.mj_model.eq_solimp[:, :2] = HARDEST
    robot.mj_model.body_invweight0[:] = COMPLIANCE
    robot.mj_model.dof_invweight0[:] = COMPLIANCE


def accelerations(robot: ClosedLoopRobot, motion: Motion, effort: np.ndarray) -> np.ndarray:
    """Return the actuators' accelerations (q,) at a state of motion under efforts (q,)."""
    data = robot.mj_data
    data.qpos[:], data.qvel[:], data.ctrl[:] = motion.position, motion.velocity, effort
    data.qacc_warmstart[:] = 0.0
    mujoco.mj_forward(robot.mj_model, data)
    return data.qacc[robot.driven].copy()


def simulate(robot: ClosedLoopRobot, duration: float, step: float) -> Run:
    """Let the robot move from rest under the model's efforts for a planned motion, nothing else.

    Lift and torso go through the middle three fifths of their ranges and back within
    `duration`, all others swing at their own rates. No controller corrects the robot, whose
    constraints are hardened.
    """
    harden(robot)
    model = robot.model
    time = step * np.arange(round(duration / step) + 1)
    planned, _, _ = planned_motion(model, time, duration)
    effort = model.compute(*planned_motion(model, time[:-1] + 0.5 * step, duration))
    robot.mj_model.opt.timestep = step
    robot.mj_model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    robot.mj_model.eq_solref[:, 0] = 2.0 * step
    data = robot.mj_data
    mujoco.mj_resetData(robot.mj_model, data)
    still = np.zeros(len(planned[0]))
    data.qpos[:] = robot.close(planned[0], still, still).position
    data.qvel[:] = 0.0
    position, gap = [planned[0]], [0.0]
    for u in effort.actuator_effort:
        data.ctrl[:] = u
        mujoco.mj_step(robot.mj_model, data)
        position.append(data.qpos[robot.driven].copy())
        gap.append(float(np.abs(robot.constraints(data.qpos.copy())[0]).max()))
    return Run(time, np.array(position), planned, np.array(gap))


def planned_motion(
    model: Model, time: np.ndarray, duration: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions, velocities and accelerations (n, q): cosines that start at rest."""
    start, swing = np.empty((2, len(model.actuator_names)))
    cycles = np.ones(len(start))
    linear = {actuator.name for actuator in model.mechanisms.linear_actuators}
    for i, limit in enumerate(model.actuator_limits()):
        name = model.actuator_names[i]
        if name in linear:
            start[i] = limit.lower + 0.2 * (limit.upper - limit.lower)
            swing[i] = 0.6 * (limit.upper - limit.lower)
        else:
            start[i] = model.mechanisms.rest_pose.get(name, 0.0)
            swing[i] = 0.1 if i % 2 else -0.1
            cycles[i] = 1 + i % 3
    w = 2.0 * np.pi * cycles / duration
    phase = np.multiply.outer(time, w)
    return (
        start + 0.5 * swing * (1.0 - np.cos(phase)),
        0.5 * swing * w * np.sin(phase),
        0.5 * swing * w * w * np.cos(phase),
    )
