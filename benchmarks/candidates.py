# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Our package and the textbook recursion as rows of the table.

What is timed of the kernel stands here alone: `kernel`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from time import perf_counter
from typing import NamedTuple

import numpy as np

from charmie_dynamics import Model, State
from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.core.inverse.records import CycleRecord
from charmie_dynamics.numerics.blocks import lay_out, places_of
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Ints
from validation.harness.machine import package_version
from validation.harness.timing import Calls, calls_of

from .case import Array, Case, Solution
from .textbook import inverse_dynamics, read_bodies

OPEN_TREE = "open tree"
WHOLE = "whole cycle"
BATCH_BODIES = 2**20  # bodies in all samples of a batch
MOST_SAMPLES = 2**15
CHECKED = 16  # states
# of the largest force, and of the largest distance from the origin
TOLERANCE = 1e-9


class Candidate(NamedTuple):
    """A row: what is timed, and what it computes.

    Attributes
    ----------
    name, version : str
    computes : str
        OPEN_TREE (poses of all links and generalised forces) or WHOLE.
    solve : callable
        Results for state k of the case, by the code that is timed.
    run : callable
        Makes calls, see `calls_of`.
    cycles : int
        Samples that one call computes.
    """

    name: str
    version: str
    computes: str
    solve: Callable[[int], Solution]
    run: Calls
    cycles: int = 1

    def difference(self, other: Candidate, states: int = CHECKED) -> float:
        """Return the largest relative difference between what both rows have.

        NaN, which is within no tolerance, if one of them has one.
        """
        largest = 0.0
        for k in range(states):
            for mine, theirs in zip(self.solve(k), other.solve(k), strict=True):
                if mine is not None and theirs is not None:
                    scale = max(1e-3, float(np.abs(theirs).max()))
                    largest = float(np.maximum(largest, np.abs(mine - theirs).max() / scale))
        return largest


def textbook(case: Case) -> Candidate:
    """Return the row of the numpy recursion."""
    compute = partial(inverse_dynamics, read_bodies(case.tree), case.tree.flat.tree.gravity)

    def solve(k: int) -> Solution:
        found = compute(*case.joints[:, k])
        return Solution(found.p_world_body, found.generalized_force)

    run = calls_of(compute, case.joints.swapaxes(0, 1))
    return Candidate(
        "Textbook recursion in numpy", f"numpy {np.__version__}", OPEN_TREE, solve, run
    )


def compute(case: Case) -> Candidate:
    """Return the row of `Model.compute`."""
    return _single("`Model.compute`", WHOLE, case.model, case.actuators)


def compute_tree(case: Case) -> Candidate:
    """Return the row of `Model.compute` of the URDF alone, without what mechanisms add."""
    return _single("`Model.compute`, URDF alone", OPEN_TREE, case.tree, case.joints)


def _single(name: str, computes: str, model: Model, states: Array) -> Candidate:
    def solve(k: int) -> Solution:
        return _solution(model, model.compute(*states[:, k]))

    run = calls_of(model.compute, np.ascontiguousarray(states.swapaxes(0, 1)))
    return Candidate(name, package_version(), computes, solve, run)


def kernel(case: Case) -> Candidate:
    """Return the row of the kernel in a compiled loop, without Python around each cycle."""
    flat = case.model.flat
    block = np.empty(places_of(CycleRecord, flat.sizes)[3])
    position, velocity, acceleration = (np.ascontiguousarray(array) for array in case.actuators)
    loop = partial(_kernel_loop, *flat.blocks.addresses, position, velocity, acceleration, block)
    place = 0

    def run(calls: int) -> float:
        nonlocal place
        start = perf_counter()
        failed = loop(place, calls)
        elapsed = perf_counter() - start
        require_none(failed)
        place = (place + calls) % len(position)
        return elapsed

    def solve(k: int) -> Solution:
        require_none(loop(k, 1))
        cycle = lay_out(CycleRecord, flat.blocks.ints, block.copy(), flat.sizes)
        position = cycle.kinematics.p_world_frame[: len(flat.body_names)]
        loads = cycle.dynamics
        return Solution(position, loads.generalized_force, loads.actuator_effort)

    def require_none(failed: int) -> None:
        if failed:
            raise RuntimeError(f"{case.name}: the kernel refused {failed} of its inputs")

    return Candidate("Kernel in a compiled loop", package_version(), WHOLE, solve, run)


@compiled
def _kernel_loop(
    ints: Ints,
    floats: Array,
    position: Array,
    velocity: Array,
    acceleration: Array,
    block: Array,
    k: int,
    calls: int,
) -> int:
    """Return how many cycles failed."""
    failed = 0
    for _ in range(calls):
        status = run_cycle(ints, floats, position[k], velocity[k], acceleration[k], block, True)
        if status != REACHED:
            failed += 1
        k += 1
        if k == position.shape[0]:
            k = 0
    return failed


def batch(case: Case, cores: int) -> Candidate:
    """Return the row of `Model.compute` of many states on a number of cores."""
    model, actuators = case.model, case.actuators
    samples = min(MOST_SAMPLES, max(16, BATCH_BODIES // len(model.flat.body_names)))
    tiled = np.tile(actuators, (1, -(-samples // actuators.shape[1]), 1))[:, :samples]
    compute = partial(model.compute, workers=cores)
    # two batches in another order, so that no call has the inputs of the one before
    run = calls_of(compute, (tiled.copy(), tiled[:, ::-1].copy()))

    @lru_cache(maxsize=1)
    def state() -> State:
        return compute(*tiled)

    name = f"`compute` of many states, per sample, {cores} core{'s' if cores > 1 else ''}"
    return Candidate(
        name, package_version(), WHOLE, lambda k: _solution(model, state(), k), run, samples
    )


def _solution(model: Model, state: State, k: int | None = None) -> Solution:
    bodies = len(model.flat.body_names)
    found = (state.kinematics.p_world_frame, state.generalized_force, state.actuator_effort)
    position, force, effort = found if k is None else (array[k] for array in found)
    return Solution(position[:bodies], force, effort)
