# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The same states computed by the model and by MuJoCo with real closed loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from charmie_dynamics import Model

from .mujoco_robot import ClosedLoopRobot
from .mujoco_simulation import accelerations, harden

HEAVY_SUBSTITUTE = 1e-3  # kg, to see the effect of the masses that massless bodies are given

ALL = slice(None)
Case = tuple[np.ndarray, np.ndarray, np.ndarray]


class Comparison(NamedTuple):
    """Results for n cases by the model (ours) and by MuJoCo (theirs), same shapes.

    Attributes
    ----------
    effort : pair of (n, q) array
        Forces of the actuators.
    acceleration : pair of (n, q) array
        Of the actuators: demanded, and what MuJoCo's solver makes of our efforts.
    joints : pair of (n, 3, q) array
        Position, velocity and acceleration of the independent joints.
    lengths : pair of (n, 3, a) array
        Length, rate and acceleration of the linear actuators from the joints. MuJoCo has no
        acceleration of a tendon: that of its slide stands there.
    spring_length, tension : pair of (n, s) array
    origins : pair of (n, f, 3) array
        Of all bodies, tubes, rods, bars and uprights.
    gap : (n,) array
        How far MuJoCo's loops are open where our kinematics puts the bodies (m, rad).
    unbalanced : float
        Largest force that neither actuators nor constraints account for.
    undetermined : int
        Largest number of actuator forces that MuJoCo's constraints leave open.
    """

    effort: tuple[np.ndarray, np.ndarray]
    acceleration: tuple[np.ndarray, np.ndarray]
    joints: tuple[np.ndarray, np.ndarray]
    lengths: tuple[np.ndarray, np.ndarray]
    spring_length: tuple[np.ndarray, np.ndarray]
    tension: tuple[np.ndarray, np.ndarray]
    origins: tuple[np.ndarray, np.ndarray]
    gap: np.ndarray
    unbalanced: float
    undetermined: int


def cases(model: Model, grid: int, motions: int, seed: int) -> Iterator[Case]:
    """Yield actuator positions, velocities and accelerations (q,) all over the ranges.

    At each point of a grid over the ranges of the linear actuators, ends included: once at rest,
    and in `motions` random motions; all other actuators stand and move at random.
    """
    rng = np.random.default_rng(seed)
    limits = model.actuator_limits()
    low = np.array([max(limit.lower, -1.5) for limit in limits])
    high = np.array([min(limit.upper, 1.5) for limit in limits])
    linear = [model.actuator_names.index(a.name) for a in model.mechanisms.linear_actuators]
    axes = [np.linspace(low[i], high[i], grid) for i in linear]
    for lengths in np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(linear)):
        for motion in range(1 + motions):
            position = rng.uniform(low, high)
            position[linear] = lengths
            velocity, acceleration = rng.uniform(-1.0, 1.0, size=(2, len(low))) * (high - low)
            moving = float(motion > 0)
            yield position, moving * velocity, 2.0 * moving * acceleration


def compare(model: Model, robot: ClosedLoopRobot, motions: Sequence[Case]) -> Comparison:
    """Compute every case with the model and with MuJoCo.

    Parameters
    ----------
    model : Model
    robot : ClosedLoopRobot
        Of the same model. Its constraints are hardened.
    motions : sequence of cases
    """
    harden(robot)
    batch = model.compute(*(np.array(column) for column in zip(*motions, strict=True)))
    bodies = tuple(
        name
        for name in model.frame_names[1:]
        if mujoco.mj_name2id(robot.mj_model, mujoco.mjtObj.mjOBJ_BODY, name) >= 0
    )
    tree = [robot.joint(name) for name in model.joint_names]
    actuators = model.mechanisms.linear_actuators
    slides = [robot.joint(f"{actuator.name}_slide") for actuator in actuators]
    theirs: dict[str, list[np.ndarray]] = {name: [] for name in Comparison._fields[:7]}
    converted, gap, forces = [], [], []
    for i, (position, velocity, acceleration) in enumerate(motions):
        state = model.compute(position, velocity, acceleration)
        gap.append(np.abs(robot.constraints(robot.configuration(state))[0]).max())
        motion = robot.close(position, velocity, acceleration)
        forces.append(robot.forces(motion))
        robot.place(motion.position, motion.velocity)
        theirs["origins"].append(robot.origins(bodies))
        theirs["spring_length"].append(
            np.array([robot.tendon(name)[0] for name in model.spring_names])
        )
        pins = np.array([robot.tendon(actuator.name) for actuator in actuators]).reshape(-1, 2)
        theirs["lengths"].append(np.vstack([pins.T, motion.acceleration[slides]]))
        joint_motion = np.array([motion.position, motion.velocity, motion.acceleration])[:, tree]
        theirs["joints"].append(joint_motion)
        columns = [model.joint_names.index(actuator.joint) for actuator in actuators]
        converted.append(
            [
                model.actuator_from_joint(actuator.joint, *joint_motion[:, c])
                for actuator, c in zip(actuators, columns, strict=True)
            ]
        )
        theirs["acceleration"].append(accelerations(robot, motion, batch.actuator_effort[i]))
    frames = np.stack([batch.frame(name)[0] for name in bodies], axis=1)
    joints = [batch.joint_position, batch.joint_velocity, batch.joint_acceleration]
    spring_length = np.stack(list(batch.spring_length.values()), axis=-1)
    tension = np.stack(list(batch.spring_tension.values()), axis=-1)
    return Comparison(
        effort=(batch.actuator_effort, np.array([f.effort for f in forces])),
        acceleration=(batch.acceleration, np.array(theirs["acceleration"])),
        joints=(np.stack(joints, axis=1), np.array(theirs["joints"])),
        lengths=(np.swapaxes(np.array(converted), 1, 2), np.array(theirs["lengths"])),
        spring_length=(spring_length, np.array(theirs["spring_length"])),
        tension=(tension, np.array([f.tension for f in forces])),
        origins=(frames, np.array(theirs["origins"])),
        gap=np.array(gap),
        unbalanced=max(f.unbalanced for f in forces),
        undetermined=max(f.undetermined for f in forces),
    )


def relative(pair: tuple[np.ndarray, np.ndarray], rows: slice | np.ndarray = ALL) -> float:
    """Return the largest difference in some rows.

    It is taken, for each column (last axis), as a share of the column's largest value in all rows.
    """
    ours, theirs = pair
    scale = np.abs(theirs).reshape(-1, theirs.shape[-1]).max(axis=0)
    return float((np.abs(ours - theirs)[rows] / scale).max())


def absolute(pair: tuple[np.ndarray, np.ndarray]) -> float:
    """Return the largest difference."""
    return float(np.abs(pair[0] - pair[1]).max())


def mass_effect(model: Model, motions: Sequence[Case]) -> tuple[float, float]:
    """Return what the substitute mass does to the actuators' forces.

    Returns
    -------
    extrapolated : float
        Largest relative difference to the model's forces of those that two heavy substitute
        masses, one twice the other, give when extrapolated to no mass along a line.
    slope : float
        Largest change of a force with the substitute mass (N or N m per kg).
    """
    light, heavy = (ClosedLoopRobot(model, n * HEAVY_SUBSTITUTE) for n in (1.0, 2.0))
    once, twice = (
        np.array([robot.forces(robot.close(*case)).effort for case in motions])
        for robot in (light, heavy)
    )
    ours = np.array([model.compute(*case).actuator_effort for case in motions])
    slope = float(np.abs(twice - once).max()) / HEAVY_SUBSTITUTE
    return relative((ours, 2.0 * once - twice)), slope
