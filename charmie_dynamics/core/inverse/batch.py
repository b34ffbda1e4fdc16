# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Many cycles in one call, several samples at once."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.branches import LANES, as_lanes
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Ints

from .cycle import run_steps
from .records import CycleRecord, Robot, sizes_in


def room_for(block_size: int) -> Floats:
    """Return the workspace of `run_batch`, (block_size, LANES).

    Each row fills one line of the processor's cache.
    """
    row = 8 * LANES  # bytes
    memory = np.empty((block_size + 1) * LANES)
    first = -memory.ctypes.data % row // 8
    return memory[first : first + block_size * LANES].reshape(block_size, LANES)


@compiled_for("int", "int", "floats2", "bool")
def run_lanes(ints: Address, floats: Address, block: Floats, dynamics: bool) -> int:
    """Run one cycle for each of `LANES` samples, with arguments as for `run_batch`."""
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    return run_steps(robot, lay_out(CycleRecord, ints, as_lanes(block), sizes), dynamics)


@compiled
def fill_block(
    robot: Robot,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    first: int,
    block: Floats,
    with_last: bool,
) -> None:
    """Write the inputs of some samples, from `first` on, into their blocks.

    The last group of samples is filled up with the last sample.

    Parameters
    ----------
    robot : Robot
    position, velocity, acceleration, block
        As for `run_batch`.
    first : int
    with_last : bool
        False: the accelerations are zero.
    """
    freedoms = robot.freedoms
    count, q = velocity.shape
    for k in range(LANES):
        n = min(first + k, count - 1)
        for c in range(q):
            # the block begins with the inputs, see `CycleRecord`
            block[c, k] = position[n, freedoms.position_entry[c]]
            block[q + c, k] = velocity[n, c]
            block[2 * q + c, k] = acceleration[n, c] if with_last else 0.0
        for j in range(freedoms.scalar_entry.shape[0]):
            block[3 * q + j, k] = position[n, freedoms.scalar_entry[j]]


@compiled_for(
    *("int", "int", "int"),
    *("floats2", "floats2", "floats2"),
    *("ints", "floats2", "floats2", "bool"),
    nogil=True,
)
def run_batch(
    ints: Address,
    floats: Address,
    run_lanes: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    columns: Ints,
    out: Floats,
    block: Floats,
    dynamics: bool,
) -> int:
    """Run one cycle for each sample and keep some of the results.

    Parameters
    ----------
    ints, floats, run_lanes : Address
        Of the blocks of a `Robot`, and of `run_lanes`.
    position, velocity, acceleration : (N, q + w) and two (N, q) arrays
        Of the actuators, finite.
    columns : (k,) array of int
        Indices in a cycle's block of the results to keep.
    out : (N, k) array
        Output.
    block : (m, LANES) array
        Workspace for the blocks of some samples, one column each; from `room_for`.
    dynamics : bool
        As for `run_cycle`.

    Returns
    -------
    int
        Index of the first of `LANES` samples of which one could not be computed, or -1.
    """
    robot = lay_out(Robot, ints, floats, sizes_in(ints))
    count = out.shape[0]
    for first in range(0, count, LANES):
        fill_block(robot, position, velocity, acceleration, first, block, True)
        if call_at(run_lanes, ints, floats, block, dynamics) != REACHED:
            return first
        for n in range(first, min(first + LANES, count)):
            for j in range(columns.shape[0]):
                out[n, j] = block[columns[j], n - first]
    return -1


@compiled
def copy_lanes(numbers: Floats, first: int, out: Floats) -> None:
    """Copy the results of some samples, from `first` on, to their rows.

    Parameters
    ----------
    numbers : (m, LANES) array
        At least as many as a row has.
    first : int
    out : (N, k) array
        Output.
    """
    count = min(LANES, out.shape[0] - first)
    for j in range(out.shape[1]):
        for k in range(count):
            out[first + k, j] = numbers[j, k]
