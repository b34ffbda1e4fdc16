# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Picture of the linear actuators' forces over their ranges, by the model and by MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from charmie_dynamics import Model

from .harness.charts import Diagram, Line, draw
from .mujoco_robot import ClosedLoopRobot

LINE_POINTS, DOTS = 121, 13
ACCELERATION = 0.5  # m/s^2, of the curves in motion
ROUND_OFF = 1e-16  # lowest residual that the logarithmic axis shows (N)


def plot_forces(path: Path, model: Model, robot: ClosedLoopRobot) -> None:
    """Draw the force of each linear actuator over its length, and the differences below.

    The other linear actuators stand at the middle of their ranges and all else at the rest pose.
    Three curves: at rest, and at rated speed while gaining and losing speed.
    """
    above, below = [], []
    for part in model.mechanisms.linear_actuators:
        limit, forces, differences = part.limit, [], []
        lengths = np.linspace(limit.lower, limit.upper, LINE_POINTS)
        i = model.actuator_names.index(part.name)
        dots = np.linspace(0, LINE_POINTS - 1, DOTS).astype(int)
        for color, gain in enumerate((0.0, ACCELERATION, -ACCELERATION)):
            speed = limit.velocity if gain else 0.0
            motions = _sweep(model, part.name, lengths, speed, gain)
            ours = model.compute(*motions).actuator_effort[:, i]
            samples = zip(*(column[dots] for column in motions), strict=True)
            theirs = np.array([robot.forces(robot.close(*case)).effort[i] for case in samples])
            label = f"{speed:g} m/s, {gain:+g} m/s^2" if gain else "at rest"
            at = 1e3 * lengths[dots]
            forces += [
                Line(label, 1e3 * lengths, ours, "-", color),
                Line("", at, theirs, "o", color),
            ]
            difference = np.maximum(np.abs(ours[dots] - theirs), ROUND_OFF)
            differences.append(Line("", at, difference, "o-", color))
        above.append(Diagram(part.name, "length / mm", "force / N", forces))
        below.append(Diagram("", "length / mm", "difference / N", differences, "y"))
    title, subtitle = "Forces of the linear actuators", "lines: model, circles: MuJoCo"
    draw(path, [*above, *below], title, subtitle, len(above))


def _sweep(
    model: Model, name: str, lengths: np.ndarray, speed: float, gain: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions, velocities and accelerations (n, q) with one actuator in motion."""
    position = np.array([model.mechanisms.rest_pose.get(n, 0.0) for n in model.actuator_names])
    for part in model.mechanisms.linear_actuators:
        middle = 0.5 * (part.limit.lower + part.limit.upper)
        position[model.actuator_names.index(part.name)] = middle
    i = model.actuator_names.index(name)
    positions = np.tile(position, (len(lengths), 1))
    velocities, accelerations = np.zeros((2, *positions.shape))
    positions[:, i] = lengths
    velocities[:, i] = speed
    accelerations[:, i] = gain
    return positions, velocities, accelerations
