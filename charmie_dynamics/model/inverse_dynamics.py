# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inverse dynamics: steps 3 to 7 of the cycle, for one state and for many.

Steps 3 to 5 are the kinematics, steps 6 and 7 the dynamics; `core.inverse` lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from charmie_dynamics.core import arrays
from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.addresses import Blocks
from charmie_dynamics.numerics.vectors import Floats

from .batch import INPUTS, BatchState
from .equations.evaluation import Inputs
from .flat.checks import are_many, computed_again, in_rows, refusal, require_finite
from .flat.loop_cycles import cycle_kernel
from .flat.prepared_robot import PreparedRobot
from .robots import without_friction
from .state import State


@dataclass(frozen=True, eq=False)
class CycleKernel:
    """The kernel of a cycle, ready for one robot; `blocks` owns the addresses."""

    run: Callable[..., int]
    at_rest: Floats
    blocks: Blocks


def prepare_cycle(robot: PreparedRobot) -> CycleKernel:
    """Return the kernel of a cycle with its arguments for a robot."""
    blocks = robot.flat.blocks
    run = partial(cycle_kernel(robot.flat), *blocks.addresses)
    return CycleKernel(run, np.zeros(robot.flat.sizes.q), blocks)


def compute(
    robot: PreparedRobot, inputs: Inputs, friction: bool = True, workers: int | None = None
) -> State:
    """Return the state, or states, of inverse dynamics; see `Model.compute`."""
    return run_steps(robot if friction else without_friction(robot), inputs, True, workers)


def kinematics(robot: PreparedRobot, inputs: Inputs, workers: int | None = None) -> State:
    """Return the state, or states, of kinematics; see `Model.kinematics`."""
    return run_steps(robot, inputs, False, workers)


def run_steps(
    robot: PreparedRobot, inputs: Inputs, dynamics: bool, workers: int | None = None
) -> State:
    """Run the steps 3 to 7, or 3 to 5 without dynamics.

    The kernel first runs with the unmodified inputs, so that valid inputs cost no checks. Only if
    it fails, inputs are checked: many states run as a batch, and one state runs again with copies,
    which either succeeds or raises the error.
    """
    position: Any
    position, velocity, acceleration = inputs
    if getattr(position, "ndim", 1) > 1:  # needs no kernel of one state
        return _run_batch(robot, inputs, dynamics, workers)
    cycle = robot.cache[prepare_cycle]
    rest = cycle.at_rest
    block = np.empty(robot.layout.size)
    try:
        status = cycle.run(
            position,
            rest if velocity is None else velocity,
            rest if acceleration is None else acceleration,
            block,
            dynamics,
        )
    except Exception:  # an input is no contiguous array of floats
        status = arrays.WRONG_SHAPE
    if status != arrays.REACHED:
        if are_many(*inputs):
            return _run_batch(robot, inputs, dynamics, workers)
        _run_again(robot, inputs, block, dynamics)
    return State(robot.layout, block, dynamics)


def _run_again(robot: PreparedRobot, inputs: Inputs, block: Floats, dynamics: bool) -> None:
    """Run with copies of the inputs; raise the error if one occurs."""
    run = robot.cache[prepare_cycle].run
    computed_again(robot, inputs, lambda *copies: run(*copies, block, dynamics))


def _run_batch(
    robot: PreparedRobot, inputs: Inputs, dynamics: bool, workers: int | None
) -> BatchState:
    names = robot.flat.position_names, robot.flat.velocity_names, robot.flat.velocity_names
    (p, v, a), leading = in_rows(INPUTS, inputs, names)
    if p is None:
        raise InputError(f"position: expected shape (..., {len(names[0])}), got None")
    states = BatchState(robot.layout, (p, v, a), dynamics, workers, leading=leading)
    if states.is_unfit:
        for subject, array, own in zip(INPUTS, states.inputs, names, strict=True):
            require_finite(subject, array, own)
    return checked_states(robot, states)


def checked_states(robot: PreparedRobot, states: BatchState) -> BatchState:
    """Return the states; raise the error of the first state that could not be computed."""
    if states.failure is not None:
        n, status = states.failure
        p, v, a = (array[n] for array in states.inputs)
        raise refusal(robot, status, (p, v, a), sample_number=n)
    return states
