# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loads on the coordinates other than friction: efforts within their limits, and stops.

A stop is a spring and a damper that only push. The damping grows from zero with the depth x up to
the depth `ramp`, so that the effort is continuous:

    effort = max(0, stiffness x + damping min(1, x / ramp) x')

The spring stores 1/2 stiffness x^2. The remaining energy is dissipated.
"""

from __future__ import annotations

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints

from .step_arrays import (
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
def load_joints(laws: Floats, entries: Ints, arrays: StepArrays) -> None:
    """Write the loads at the state of a stage, and the powers.

    Parameters
    ----------
    laws : (LAW_COUNT, v) array
    entries : (v,) array
        Index of the position of each coordinate among the positions.
    arrays : StepArrays
        Efforts and powers are written.
    """
    work, lost = 0.0, 0.0
    for c in range(arrays.asked.shape[0]):
        velocity = arrays.stage_velocity[c]
        largest = laws[LARGEST_EFFORT, c]
        acting = min(max(arrays.asked[c], -largest), largest)
        resistance, spring = 0.0, 0.0
        if laws[STOP_STIFFNESS, c] > 0.0:
            depth, side = depth_in_stop(laws, c, arrays.stage_position[entries[c]])
            if depth > 0.0:
                spring = laws[STOP_STIFFNESS, c] * depth
                damper = -damping_at(laws, c, depth) * side * velocity
                resistance = -side * max(damper, -spring)
                spring *= side
        arrays.acting[c] = acting
        arrays.resistance[c] = resistance
        arrays.effort[c] = acting - resistance + spring
        work += acting * velocity
        lost += resistance * velocity
    arrays.totals[WORK_POWER] = work
    arrays.totals[LOST_POWER] = lost


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
def load_slopes(laws: Floats, entries: Ints, arrays: StepArrays, c: int) -> tuple[float, float]:
    """Return the negative derivatives of a stop's effort by position and velocity."""
    by_position, by_velocity = 0.0, 0.0
    if laws[STOP_STIFFNESS, c] > 0.0:
        depth, _ = depth_in_stop(laws, c, arrays.stage_position[entries[c]])
        if depth > 0.0:
            by_position += laws[STOP_STIFFNESS, c]
            by_velocity += damping_at(laws, c, depth)
    return by_position, by_velocity
