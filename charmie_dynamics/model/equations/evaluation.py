# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Calls of the kernels of `core.equations` and `core.forward`, for one state and for many."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import REACHED, WRONG_SHAPE
from charmie_dynamics.core.equations.kernels import RobotAddresses, run_rows
from charmie_dynamics.core.equations.loop_derivatives import WIDTH, run_loop_derivatives
from charmie_dynamics.core.equations.records import EquationsRoom, LoopRoom
from charmie_dynamics.core.equations.tree import run_tree
from charmie_dynamics.core.inverse.batch import room_for, run_lanes
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.core.inverse.records import Sizes
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.model.flat.checks import (
    are_many,
    computed_again,
    error_of_sample,
    in_rows,
    refusal,
    require_finite,
)
from charmie_dynamics.model.flat.flat_robot import FlatRobot
from charmie_dynamics.model.flat.parallel import run_in_parts
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot
from charmie_dynamics.numerics.addresses import Address, address_block, address_of, address_of_block
from charmie_dynamics.numerics.blocks import Place, float_count, places_of
from charmie_dynamics.numerics.branches import LANES
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

# position, velocity and acceleration or effort (..., n) of the actuators; None: zeros
Inputs = tuple["npt.ArrayLike | None", "npt.ArrayLike | None", "npt.ArrayLike | None"]
Rows = tuple[Floats, Floats, Floats]
Result = TypeVar("Result")
SMALLEST_PART = 256  # rows for each of two threads


@dataclass(frozen=True, eq=False)
class KernelCall:
    """A kernel of one algorithm and what it needs.

    Attributes
    ----------
    kernel : function
    result, workspace : type
        Records that it writes, and that it works in.
    with_loops : bool
        Whether its workspace is followed by that of `run_loop_derivatives`.
    calls : tuple of function
        Kernels that it calls by their addresses in `RobotAddresses`, apart from `run_cycle` and
        `run_loop_derivatives`.
    last : str
        Name of its last input, for messages.
    in_lanes : type, optional
        Record in front of its workspace, of which each number has `LANES` floats.
    cycle : function
        That it calls as `run_cycle`.
    derivatives : KernelCall, optional
        Of `run_derivatives`, where the kernel calls that.
    is_reduced : bool
        Whether its result is that of the coordinates that are not passive.
    batch : function, optional
        For many states of robots without mechanisms, as `run_derivatives_batch`.
    """

    kernel: Callable[..., int]
    result: type[tuple[Any, ...]]
    workspace: type[tuple[Any, ...]]
    with_loops: bool = False
    calls: tuple[Callable[..., int], ...] = (run_tree,)
    last: str = "acceleration"
    in_lanes: type[tuple[Any, ...]] | None = None
    cycle: Callable[..., int] = run_cycle
    derivatives: KernelCall | None = None
    is_reduced: bool = False
    batch: Callable[..., int] | None = None

    def __call__(self, robot: PreparedRobot) -> PreparedKernel:
        """Return the kernel with its arguments for a robot."""
        blocks, sizes = robot.flat.blocks, robot.flat.sizes
        of_result = sizes
        if self.is_reduced:
            passive = robot.flat.mechanisms.by_type.loop_joints.is_passive
            of_result = sizes._replace(q=int((passive == 0).sum()))
        places, size = places_of(self.result, of_result)[1::2]
        workspace_size = float_count(self.workspace, sizes)
        if self.in_lanes is not None:
            workspace_size += LANES * float_count(self.in_lanes, sizes)
        duals = np.zeros(0)
        loops: Address = 0  # never called
        if self.with_loops and any(robot.mechanisms.parts()):
            duals, loops = duals_of(robot.flat), address_of(run_loop_derivatives)
            workspace_size += loop_workspace_size(sizes)
        ints, floats = blocks.addresses
        others = {kernel.__name__: address_of(kernel) for kernel in self.calls}
        if self.derivatives is not None:
            others["run_derivatives"] = address_of(self.derivatives.kernel)
            others["of_derivatives"] = robot.cache[self.derivatives].addresses
        addresses = address_block(
            RobotAddresses(
                ints,
                floats,
                address_of(self.cycle),
                duals=address_of_block(duals),
                run_loop_derivatives=loops,
                **others,
            )
        )
        return PreparedKernel(
            ready(self.kernel),
            address_of_block(addresses),
            places,
            size,
            workspace_size,
            np.zeros(sizes.q),
            (blocks, duals, addresses, self.derivatives and robot.cache[self.derivatives]),
        )


@dataclass(frozen=True, eq=False)
class PreparedKernel:
    """A kernel, ready to be called for one robot.

    Attributes
    ----------
    run : callable
    addresses : Address
        Of a block of `RobotAddresses`, the first argument of the kernel.
    places : dict
        Place of each array of the result.
    size, workspace_size : int
    at_rest : (q,) array
        Zeros.
    kept : tuple
        The objects with these addresses.
    """

    run: Callable[..., int]
    addresses: Address
    places: dict[str, Place]
    size: int
    workspace_size: int
    at_rest: Floats
    kept: tuple[Any, ...]


class _Workspaces(threading.local):
    workspace = np.empty(0)


_workspaces = _Workspaces()


def thread_workspace(size: int) -> Floats:
    """Return the workspace (size,) of this thread."""
    workspace = _workspaces.workspace
    if len(workspace) < size:
        workspace = _workspaces.workspace = np.empty(size)
    return workspace if len(workspace) == size else workspace[:size]


def duals_of(flat: FlatRobot) -> Floats:
    """Return the floats of a robot as duals, (8 k,), without derivatives."""
    duals = np.zeros((len(flat.blocks.floats), WIDTH))
    duals[:, 0] = flat.blocks.floats
    return duals.ravel()


def loop_workspace_size(sizes: Sizes) -> int:
    """Return the size of the workspace and the output of `run_loop_derivatives`."""
    q: int = sizes.q
    return WIDTH * (float_count(LoopRoom, sizes) + 5 * q)


def inputs_of_block(
    flat: FlatRobot, position: Floats, velocity: Floats, acceleration: Floats
) -> Floats:
    """Return the first numbers of a cycle's block, for a state (p,), (v,), (v,)."""
    freedoms = flat.freedoms
    own = position[freedoms.position_entry], velocity, acceleration
    return np.concatenate((*own, position[freedoms.scalar_entry]))


def evaluate(
    robot: PreparedRobot, call: KernelCall, inputs: Inputs, workers: int | None = None
) -> tuple[Floats, dict[str, Place]]:
    """Return the results (..., k) of a kernel, and the places of its arrays.

    Raises
    ------
    InputError, OutOfReachError
        As `Model.compute`.
    """
    kernel = robot.cache[call]
    position: Any
    position, velocity, acceleration = inputs
    out = np.empty(kernel.size)
    workspace = thread_workspace(kernel.workspace_size)
    rest = kernel.at_rest
    try:
        arrays = (
            position,
            rest if velocity is None else velocity,
            rest if acceleration is None else acceleration,
        )
        # the kernel refuses many states as well, but slowly
        status = position.ndim - 1 or kernel.run(kernel.addresses, *arrays, workspace, out)
    except Exception:  # whatever is no contiguous array of floats: copies are tried below
        status = WRONG_SHAPE
    if status != REACHED:
        if are_many(*inputs):
            return _evaluate_rows(robot, call, inputs, workers), kernel.places
        computed_again(
            robot,
            inputs,
            lambda *copies: kernel.run(kernel.addresses, *copies, workspace, out),
            call.last,
        )
    return out, kernel.places


def _evaluate_rows(
    robot: PreparedRobot, call: KernelCall, inputs: Inputs, workers: int | None
) -> Floats:
    kernel = robot.cache[call]
    rows, leading = rows_of(robot, inputs, call.last)
    out = np.empty((len(rows[0]), kernel.size))
    if call.batch is not None and not any(robot.mechanisms.parts()):
        failed = _in_lanes(robot, call.batch, rows, out, kernel.size, workers)
    else:
        failed = _row_by_row(call, kernel, rows, out, workers)
    if failed:
        _raise_refusal(robot, kernel, rows, min(failed))
    result: Floats = out.reshape(*leading, kernel.size)
    return result


def _raise_refusal(robot: PreparedRobot, kernel: PreparedKernel, rows: Rows, n: int) -> None:
    """Raise the error of the first state, from `n` on, that cannot be computed."""
    out, workspace = np.empty(kernel.size), thread_workspace(kernel.workspace_size)
    while True:
        sample = rows[0][n].copy(), rows[1][n].copy(), rows[2][n].copy()
        status = kernel.run(kernel.addresses, *sample, workspace, out)
        if status != REACHED:
            raise refusal(robot, status, sample, sample_number=n)
        n += 1


def _in_lanes(
    robot: PreparedRobot,
    batch: Callable[..., int],
    rows: Rows,
    out: Floats,
    size: int,
    workers: int | None,
) -> list[int]:
    """Compute several states at once; return the first of those of which one failed."""
    addresses = *robot.flat.blocks.addresses, address_of(run_lanes)
    room, run = float_count(EquationsRoom, robot.flat.sizes) + size, ready(batch)

    def make_work() -> Callable[[slice], int]:
        block = room_for(room)

        def work(here: slice) -> int:
            found: int = run(*addresses, *(array[here] for array in rows), out[here], block)
            return found if found < 0 else found + here.start

        return work

    failed = run_in_parts(len(out), workers, make_work, SMALLEST_PART)
    return [n for n in failed if n >= 0]


def _row_by_row(
    call: KernelCall, kernel: PreparedKernel, rows: Rows, out: Floats, workers: int | None
) -> list[int]:
    """Compute one state after the other; return those that failed."""
    address, run = address_of(call.kernel), ready(run_rows)

    def make_work() -> Callable[[slice], int]:
        workspace = np.empty(kernel.workspace_size)

        def work(here: slice) -> int:
            part = (array[here] for array in rows)
            found: int = run(address, kernel.addresses, *part, workspace, out[here])
            return found if found < 0 else found + here.start

        return work

    failed = run_in_parts(len(out), workers, make_work, SMALLEST_PART)
    return [n for n in failed if n >= 0]


def rows_of(
    robot: PreparedRobot, inputs: Inputs, last: str = "acceleration"
) -> tuple[Rows, tuple[int, ...]]:
    """Return N states as (N, p), (N, v) and (N, v) arrays for a kernel, and their leading axes.

    The arrays are copied only if necessary. The leading axes are () for one state.

    Raises
    ------
    InputError
        For other shapes, and values that are not finite.
    """
    names = robot.flat.position_names, robot.flat.velocity_names, robot.flat.velocity_names
    subjects = "position", "velocity", last
    found, leading = in_rows(subjects, inputs, names)
    rows = []
    for subject, array, own in zip(subjects, found, names, strict=True):
        if array is None:
            array = np.zeros((math.prod(leading), len(own)))
        else:
            require_finite(subject, array if leading else array[0], own)
            if not (array.flags.c_contiguous and array.flags.writeable):
                array = array.copy()
        rows.append(array)
    return (rows[0], rows[1], rows[2]), leading


def of_each(
    rows: Rows, leading: tuple[int, ...], compute: Callable[[int, Rows], Result]
) -> list[Result]:
    """Return the results of a function of the number and the motion of each state.

    Errors name the state, unless there is only one, without leading axes.
    """
    results = []
    for n, motion in enumerate(zip(*rows, strict=True)):
        try:
            results.append(compute(n, motion))
        except CharmieError as error:
            if not leading:
                raise
            raise error_of_sample(n, error) from None
    return results
