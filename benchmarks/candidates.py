# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Our package and the textbook recursion as rows of the table.

What is timed of the kernel stands here alone: `kernel`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import cycle, islice
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from charmie_dynamics import Model, State
from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.core.inverse.records import CycleRecord
from charmie_dynamics.numerics.blocks import lay_out, places_of
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Ints

from .case import Array, Case, Solution
from .textbook import inverse_dynamics, read_bodies

OPEN_TREE = "open tree"
WHOLE = "whole cycle"
BATCH_BODIES = 2**20  # bodies in all samples of a batch
MOST_SAMPLES = 2**15


class Run(Protocol):
    """Make calls, each with other inputs than the one before, and return the time they took (s)."""

    def __call__(self, calls: int) -> float:
        """Make `calls` calls."""
        ...


@dataclass(frozen=True)
class Candidate:
    """A row: what is timed, and what it computes.

    Attributes
    ----------
    name, version : str
    computes : str
        OPEN_TREE (poses of all links and generalised forces) or WHOLE.
    solve : callable
        Results for state k of the case, by the code that is timed.
    run : Run
    cycles : int
        Samples that one call computes.
    """

    name: str
    version: str
    computes: str
    solve: Callable[[int], Solution]
    run: Run
    cycles: int = 1


def rows(states: Array) -> Iterator[Array]:
    """Return an endless iterator over (position, velocity, acceleration) of states (3, N, q)."""
    return cycle(list(np.ascontiguousarray(states.swapaxes(0, 1))))


def run_each(function: Callable[..., Any], states: Array) -> Run:
    """Return what calls a function with position, velocity and acceleration of one state."""
    endless = rows(states)

    def run(calls: int) -> float:
        chosen = [tuple(state) for state in islice(endless, calls)]
        start = perf_counter()
        for position, velocity, acceleration in chosen:
            function(position, velocity, acceleration)
        return perf_counter() - start

    return run


def textbook(case: Case) -> Candidate:
    """Return the row of the numpy recursion."""
    bodies, gravity = read_bodies(case.tree), case.tree.flat.tree.gravity

    def compute(q: Array, qd: Array, qdd: Array) -> Solution:
        result = inverse_dynamics(bodies, gravity, q, qd, qdd)
        return Solution(result.p_world_body, result.generalized_force)

    return Candidate(
        "Textbook recursion in numpy",
        f"numpy {np.__version__}",
        OPEN_TREE,
        lambda k: compute(*case.joints[:, k]),
        run_each(compute, case.joints),
    )


def compute(case: Case, version: str) -> Candidate:
    """Return the row of `Model.compute`."""
    model = case.model
    return Candidate(
        "`Model.compute`",
        version,
        WHOLE,
        lambda k: _solution(model, model.compute(*case.actuators[:, k])),
        run_each(model.compute, case.actuators),
    )


def compute_tree(case: Case, version: str) -> Candidate:
    """Return the row of `Model.compute` of the URDF alone, without what mechanisms add."""
    model = case.tree
    return Candidate(
        "`Model.compute`, URDF alone",
        version,
        OPEN_TREE,
        lambda k: _solution(model, model.compute(*case.joints[:, k])),
        run_each(model.compute, case.joints),
    )


def kernel(case: Case, version: str) -> Candidate:
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

    return Candidate("Kernel in a compiled loop", version, WHOLE, solve, run)


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


def batch(case: Case, version: str, cores: int) -> Candidate:
    """Return the row of `compute_batch` on a number of cores."""
    model, actuators = case.model, case.actuators
    samples = min(MOST_SAMPLES, max(16, BATCH_BODIES // len(model.flat.body_names)))
    tiled = np.tile(actuators, (1, -(-samples // actuators.shape[1]), 1))[:, :samples]
    # two batches in another order, so that no call has the inputs of the one before
    endless = cycle([tuple(tiled.copy()), tuple(tiled[:, ::-1].copy())])
    first = tuple(tiled.copy())
    compute_batch = model.compute_batch

    def run(calls: int) -> float:
        chosen = list(islice(endless, calls))
        start = perf_counter()
        for inputs in chosen:
            compute_batch(*inputs, workers=cores)
        return perf_counter() - start

    @lru_cache(maxsize=1)
    def state() -> State:
        return compute_batch(*first, workers=cores)

    name = f"`compute_batch`, per sample, {cores} core{'s' if cores > 1 else ''}"
    return Candidate(name, version, WHOLE, lambda k: _solution(model, state(), k), run, samples)


def _solution(model: Model, state: State, k: int | None = None) -> Solution:
    bodies = len(model.flat.body_names)
    found = (state.kinematics.p_world_frame, state.generalized_force, state.actuator_effort)
    position, force, effort = found if k is None else (array[k] for array in found)
    return Solution(position[:bodies], force, effort)
