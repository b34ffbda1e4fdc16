# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Accelerations of many samples in one call, several samples at once."""

from __future__ import annotations

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.inverse.batch import fill_block
from charmie_dynamics.core.inverse.cycle import has_non_finite
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.branches import LANES, as_lanes, where
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .forward_dynamics import REFINEMENTS, accelerate, begin, is_poor
from .records import ForwardRoom


@compiled_for(
    *("int", "int", "int"),
    *("floats2", "floats2", "floats2"),
    *("floats2", "floats2", "floats2"),
    nogil=True,
)
def run_forward_batch(
    ints: Address,
    floats: Address,
    run_lanes: Address,
    position: Floats,
    velocity: Floats,
    effort: Floats,
    out: Floats,
    block: Floats,
    workspace: Floats,
) -> int:
    """Write the accelerations that result from the efforts of each sample.

    Parameters
    ----------
    ints, floats, run_lanes : Address
        Of the blocks of a `Robot`, and of `run_lanes`.
    position, velocity, effort : (N, q + w) and two (N, q) arrays
        Of the actuators, finite.
    out : (N, q) array
        Output.
    block, workspace : (m, LANES) array
        For the blocks of some samples, and the floats of their `ForwardRoom`; from `room_for`.

    Returns
    -------
    int
        As `run_batch`.
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    cycle = lay_out(CycleRecord, ints, as_lanes(block), sizes)
    work = lay_out(ForwardRoom, ints, as_lanes(workspace), sizes)
    acceleration = cycle.inputs.acceleration
    count, q = out.shape
    for first in range(0, count, LANES):
        fill_block(robot, position, velocity, effort, first, block, False)
        for k in range(LANES):
            n = min(first + k, count - 1)
            for c in range(q):
                workspace[q + c, k] = effort[n, c]  # `ForwardRoom.effort`
        for k in range(1 + REFINEMENTS):
            if call_at(run_lanes, ints, floats, block, True) != REACHED:
                return first
            if k == 0 and begin(robot, cycle, work) >= 0:
                return first
            for c in range(q):
                work.at_rest[c] = acceleration[c]
            accelerate(robot, cycle, work)
            if k > 0:
                for c in range(q):  # only of samples that need it, as for single samples
                    poor = work.bodies.is_poor[0] > 0.5
                    acceleration[c] = where(poor, acceleration[c], work.at_rest[c])
            if not is_poor(work):
                break
        if has_non_finite(acceleration):
            return first
        for n in range(first, min(first + LANES, count)):
            for c in range(q):
                out[n, c] = block[2 * q + c, n - first]
    return -1
