# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Many cycles in one call, several samples at once."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.branches import LANES, as_lanes
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats, Ints

from .cycle import run_steps
from .records import CycleRecord, Robot, sizes_in


def room_for(block_size: int) -> Floats:
    """Return what `run_batch` works in, (block_size, LANES).

    A row fills a line of the processor's cache and begins where a line begins: with rows across
    two lines a batch takes 1.35 times as long (Xeon).
    """
    row = 8 * LANES  # bytes
    memory = np.empty((block_size + 1) * LANES)
    first = -memory.ctypes.data % row // 8
    return memory[first : first + block_size * LANES].reshape(block_size, LANES)


@compiled_for(
    "ints",
    "floats",
    "(floats2, floats2, floats2)",
    "ints",
    "floats2",
    "floats2",
    "bool",
    nogil=True,
)
def run_batch(
    ints: Ints,
    floats: Floats,
    inputs: tuple[Floats, Floats, Floats],
    columns: Ints,
    out: Floats,
    block: Floats,
    dynamics: bool,
) -> int:
    """Run one cycle for each sample and keep some of the results.

    Parameters
    ----------
    ints, floats, dynamics
        As for `run_cycle`.
    inputs : (N, q + w) and two (N, q) arrays
        Position, velocity and acceleration of the actuators, finite.
    columns : (k,) array of int
        Which numbers of a cycle's block are kept.
    out : (N, k) array
        Output.
    block : (m, LANES) array
        Room for the blocks of some samples, one column each; from `room_for`.

    Returns
    -------
    int
        Index of the first of `LANES` samples of which one could not be computed, or -1.
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    cycle = lay_out(CycleRecord, ints, as_lanes(block), sizes)
    freedoms = robot.freedoms
    position, velocity, acceleration = inputs
    count = position.shape[0]
    q = sizes.q
    for first in range(0, count, LANES):
        for k in range(LANES):
            n = min(first + k, count - 1)  # the last group is filled up with the last sample
            for c in range(q):
                # the inputs stand first in the block, see `CycleRecord`
                block[c, k] = position[n, freedoms.position_entry[c]]
                block[q + c, k] = velocity[n, c]
                block[2 * q + c, k] = acceleration[n, c]
            for j in range(sizes.w):
                block[3 * q + j, k] = position[n, freedoms.scalar_entry[j]]
        if run_steps(robot, cycle, dynamics) != REACHED:
            return first
        for n in range(first, min(first + LANES, count)):
            for j in range(columns.shape[0]):
                out[n, j] = block[columns[j], n - first]
    return -1
