# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Picture of the linear actuators' forces over their ranges, by the model and by MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from charmie_dynamics import Model

from .mujoco_robot import ClosedLoopRobot

LINE_POINTS, DOTS = 121, 13
ACCELERATION = 0.5  # m/s^2, of the curves in motion
ROUND_OFF = 1e-16  # lowest residual that the logarithmic axis shows (N)
COLORS = ("#333333", "#0072b2", "#d55e00")


def plot_forces(path: Path, model: Model, robot: ClosedLoopRobot) -> None:
    """Draw the force of each linear actuator over its length, and the differences below.

    The other linear actuators stand at the middle of their ranges and all else at the rest pose.
    Three curves: at rest, and at rated speed while gaining and losing speed.
    """
    parts = model.mechanisms.linear_actuators
    figure = Figure(figsize=(4.6 * len(parts), 5.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, len(parts), sharex="col", height_ratios=(3, 1), squeeze=False)
    for (top, bottom), part in zip(axes.T, parts, strict=True):
        limit = part.limit
        lengths = np.linspace(limit.lower, limit.upper, LINE_POINTS)
        for color, gain in zip(COLORS, (0.0, ACCELERATION, -ACCELERATION), strict=True):
            speed = limit.velocity if gain else 0.0
            motions = _sweep(model, part.name, lengths, speed, gain)
            i = model.actuator_names.index(part.name)
            ours = model.compute_batch(*motions).actuator_effort[:, i]
            dots = np.linspace(0, LINE_POINTS - 1, DOTS).astype(int)
            samples = zip(*(column[dots] for column in motions), strict=True)
            theirs = np.array([robot.forces(robot.close(*case)).effort[i] for case in samples])
            label = f"{speed:g} m/s, {gain:+g} m/s$^2$" if gain else "at rest"
            top.plot(1e3 * lengths, ours, color=color, lw=1.2, label=label)
            top.plot(1e3 * lengths[dots], theirs, "o", color=color, ms=4, mfc="none")
            difference = np.maximum(np.abs(ours[dots] - theirs), ROUND_OFF)
            bottom.semilogy(1e3 * lengths[dots], difference, "o-", color=color, ms=3, lw=0.6)
        top.set_title(part.name)
        top.set_ylabel("force (N)")
        top.legend(title="lines: model, circles: MuJoCo", fontsize=8, title_fontsize=8)
        bottom.set_ylabel("difference (N)")
        bottom.set_xlabel("length (mm)")
        bottom.set_ylim(1e-13, 1e-7)
        for axis in (top, bottom):
            axis.grid(alpha=0.3)
    figure.savefig(path, dpi=100)


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
