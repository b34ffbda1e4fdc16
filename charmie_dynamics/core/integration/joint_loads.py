# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loads on the coordinates other than friction: efforts within their limits, drives, and stops.

A drive adds an effort to the requested one, before the limits apply. Its target moves at constant
acceleration:

    effort = stiffness (target - x) + damping (target' - x')

A stop is a spring and a damper that only push. The damping grows from zero with the depth x up to
the depth `ramp`, so that the effort is continuous:

    effort = max(0, stiffness x + damping min(1, x / ramp) x')

The spring stores 1/2 stiffness x^2. The remaining energy is dissipated.
"""

from __future__ import annotations

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats

from .step_arrays import (
    DRIVE_DAMPING,
    DRIVE_STIFFNESS,
    LARGEST_EFFORT,
    LOST_POWER,
    LOWER_STOP,
    STOP_DAMPING,
    STOP_RAMP,
    STOP_STIFFNESS,
    UPPER_STOP,
    WORK_POWER,
    StepArrays,
)


@compiled
def load_joints(step: StepArrays, ahead: float) -> None:
    """Write the efforts at the state of a stage, and their powers.

    Parameters
    ----------
    step : StepArrays
    ahead : float
        Time since the beginning of the step (s).
    """
    laws = step.laws
    work, lost = 0.0, 0.0
    for c in range(step.asked.shape[0]):
        velocity = step.stage_velocity[c]
        largest = laws[LARGEST_EFFORT, c]
        asked, position = step.asked[c], step.stage.position[step.position_entry[c]]
        if laws[DRIVE_STIFFNESS, c] > 0.0 or laws[DRIVE_DAMPING, c] > 0.0:
            change = ahead * step.target_acceleration[c]
            rate = step.target_velocity[c] + change
            target = step.target_position[c] + ahead * (rate - 0.5 * change)
            asked += laws[DRIVE_STIFFNESS, c] * (target - position)
            asked += laws[DRIVE_DAMPING, c] * (rate - velocity)
        acting = min(max(asked, -largest), largest)
        resistance, spring = 0.0, 0.0
        if laws[STOP_STIFFNESS, c] > 0.0:
            depth, side = depth_in_stop(laws, c, position)
            if depth > 0.0:
                spring = laws[STOP_STIFFNESS, c] * depth
                damper = -damping_at(laws, c, depth) * side * velocity
                resistance = -side * max(damper, -spring)
                spring *= side
        step.acting[c] = acting
        step.resistance[c] = resistance
        step.effort[c] = acting - resistance + spring
        work += acting * velocity
        lost += resistance * velocity
    step.totals[WORK_POWER] = work
    step.totals[LOST_POWER] = lost


@compiled
def depth_in_stop(laws: Floats, c: int, position: float) -> tuple[float, float]:
    """Return the depth of a coordinate in a stop, and the sign of the stop's effort."""
    below = laws[LOWER_STOP, c] - position
    above = position - laws[UPPER_STOP, c]
    return (below, 1.0) if below > above else (above, -1.0)


@compiled
def damping_at(laws: Floats, c: int, depth: float) -> float:
    """Return the damping of a stop at a depth."""
    damping: float = laws[STOP_DAMPING, c] * min(1.0, depth / laws[STOP_RAMP, c])
    return damping


@compiled
def load_slopes(step: StepArrays, c: int) -> tuple[float, float]:
    """Return the negative derivatives of the effort of drive and stop by position and velocity."""
    laws, by_position, by_velocity = step.laws, 0.0, 0.0
    if abs(step.acting[c]) < laws[LARGEST_EFFORT, c]:
        by_position, by_velocity = laws[DRIVE_STIFFNESS, c], laws[DRIVE_DAMPING, c]
    if laws[STOP_STIFFNESS, c] > 0.0:
        depth, _ = depth_in_stop(laws, c, step.stage.position[step.position_entry[c]])
        if depth > 0.0:
            by_position += laws[STOP_STIFFNESS, c]
            by_velocity += damping_at(laws, c, depth)
    return by_position, by_velocity
