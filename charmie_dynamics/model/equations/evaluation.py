# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Calls of the kernels of `core.equations`, for one state and for many."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import REACHED, WRONG_SHAPE
from charmie_dynamics.core.equations.kernels import run_rows
from charmie_dynamics.core.equations.loop_derivatives import WIDTH, run_loop_derivatives
from charmie_dynamics.core.equations.records import LoopRoom
from charmie_dynamics.core.equations.tree import run_tree
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.core.inverse.records import Sizes
from charmie_dynamics.model.flat.checks import (
    are_many,
    computed_again,
    in_rows,
    refusal_of_sample,
    require_finite,
)
from charmie_dynamics.model.flat.described_robot import DescribedRobot
from charmie_dynamics.model.flat.flatten import FlatRobot
from charmie_dynamics.model.flat.parallel import run_in_parts
from charmie_dynamics.numerics.addresses import Address, address_of, address_of_block
from charmie_dynamics.numerics.blocks import Place, float_count, places_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

Given = tuple["npt.ArrayLike | None", "npt.ArrayLike | None", "npt.ArrayLike | None"]
Rows = tuple[Floats, Floats, Floats]
SMALLEST_PART = 256  # rows for each of two threads


@dataclass(frozen=True, eq=False)
class KernelCall:
    """A kernel of `core.equations`, with what it needs.

    Attributes
    ----------
    kernel : function
    result : type
        Record that it writes.
    room : type
        Record that it works in.
    with_loops : bool
        Whether it needs room for `run_loop_derivatives` behind that.
    adds : bool
        Whether it adds to its result, which begins with zeros. Large memory that the system hands
        out is zero anyway, and clearing it once more takes longer than the kernel.
    calls : tuple of function
        Kernels that it calls by their addresses: none, or two in the places of the robot as duals
        and of `run_loop_derivatives`.
    calls_tree : bool
        Whether it calls `run_tree`.
    last : str
        What the last of its inputs is, for messages.
    """

    kernel: Callable[..., int]
    result: type[tuple[Any, ...]]
    room: type[tuple[Any, ...]]
    with_loops: bool = False
    adds: bool = False
    calls: tuple[Callable[..., int], ...] = ()
    calls_tree: bool = True
    last: str = "acceleration"


class Prepared(NamedTuple):
    """A kernel, ready to be called for one robot.

    Attributes
    ----------
    run : callable
    addresses : tuple of Address
        What the kernel is given of the robot.
    places : dict
        Where each array of the result is.
    make : callable
        Returns memory for the result.
    size, room_size : int
        Of result and room.
    at_rest : (q,) array
        Zeros.
    kept : tuple
        What the addresses are of.
    """

    run: Callable[..., int]
    addresses: tuple[Address, ...]
    places: dict[str, Place]
    make: Callable[[Any], Floats]
    size: int
    room_size: int
    at_rest: Floats
    kept: tuple[Any, ...]


class _Rooms(threading.local):
    room = np.empty(0)


_rooms = _Rooms()


def room_for_thread(size: int) -> Floats:
    """Return memory of this thread to work in, (size,) or more."""
    room = _rooms.room
    if len(room) < size:
        room = _rooms.room = np.empty(size)
    return room


def room_of(size: int) -> Floats:
    """Return memory of this thread to work in, (size,)."""
    room = room_for_thread(size)
    return room if len(room) == size else room[:size]


def duals_of(flat: FlatRobot) -> Floats:
    """Return the floats of a robot as duals, (8 k,), without derivatives."""
    duals = np.zeros((len(flat.blocks.floats), WIDTH))
    duals[:, 0] = flat.blocks.floats
    return duals.ravel()


def loop_room_size(sizes: Sizes) -> int:
    """Return how much room `run_loop_derivatives` and its output take."""
    q: int = sizes.q
    return WIDTH * (float_count(LoopRoom, sizes) + 5 * q)


def inputs_of_block(
    flat: FlatRobot, position: Floats, velocity: Floats, acceleration: Floats
) -> Floats:
    """Return the numbers with which a cycle's block begins, for a state (p,), (v,), (v,)."""
    freedoms = flat.freedoms
    own = position[freedoms.position_entry], velocity, acceleration
    return np.concatenate((*own, position[freedoms.scalar_entry]))


def prepare(robot: DescribedRobot, call: KernelCall) -> Prepared:
    """Return what a kernel needs of a robot."""
    blocks, sizes = robot.flat.blocks, robot.flat.sizes
    places, size = places_of(call.result, sizes)[1::2]
    room_size = float_count(call.room, sizes)
    duals = np.zeros(0)
    loops: Address = 0  # never called
    if call.with_loops and any(robot.mechanisms.parts()):
        duals, loops = duals_of(robot.flat), address_of(run_loop_derivatives)
        room_size += loop_room_size(sizes)
    addresses = (
        *blocks.addresses,
        address_of(run_cycle),
        *(map(address_of, call.calls) if call.calls else (address_of_block(duals), loops)),
        address_of(run_tree) if call.calls_tree else 0,
    )
    prepared = Prepared(
        ready(call.kernel),
        addresses,
        places,
        np.zeros if call.adds else np.empty,
        size,
        room_size,
        np.zeros(sizes.q),
        (duals,),
    )
    blocks.prepared[call] = prepared
    return prepared


def evaluate(
    robot: DescribedRobot, call: KernelCall, given: Given, workers: int | None = None
) -> tuple[Floats, Prepared]:
    """Return the results (..., k) of a kernel, and where its arrays are.

    Parameters
    ----------
    robot : DescribedRobot
    call : KernelCall
    given : (..., p), (..., v) and (..., v) array_like or None
        Position, velocity and acceleration of the actuators; None: zeros.
    workers : int or None
        Number of threads for many states; None: one for each core.

    Raises
    ------
    InputError, OutOfReachError
        As `Model.compute`.
    """
    prepared = robot.flat.blocks.prepared.get(call) or prepare(robot, call)
    position: Any
    position, velocity, acceleration = given
    out = prepared.make(prepared.size)
    room = room_of(prepared.room_size)
    rest = prepared.at_rest
    try:
        inputs = (
            position,
            rest if velocity is None else velocity,
            rest if acceleration is None else acceleration,
        )
        # the kernel refuses many states as well, but slowly
        status = position.ndim - 1 or prepared.run(prepared.addresses, inputs, room, out)
    except Exception:  # whatever is no array of floats, or read-only: copies are tried below
        status = WRONG_SHAPE
    if status != REACHED:
        if are_many(*given):
            return _evaluate_rows(robot, call, given, workers), prepared
        computed_again(
            (robot.flat, robot.tree, robot.mechanisms),
            given,
            lambda *copies: prepared.run(prepared.addresses, copies, room, out),
            call.last,
        )
    return out, prepared


def _evaluate_rows(
    robot: DescribedRobot, call: KernelCall, given: Given, workers: int | None
) -> Floats:
    prepared = robot.flat.blocks.prepared[call]
    inputs, leading = rows_of(robot, given, call.last)
    out = prepared.make((len(inputs[0]), prepared.size))
    kernel, rows = address_of(call.kernel), ready(run_rows)

    def make_work() -> Callable[[slice], int]:
        room = np.empty(prepared.room_size)

        def work(here: slice) -> int:
            part = tuple(array[here] for array in inputs)
            found: int = rows(kernel, prepared.addresses, part, room, out[here])
            return found if found < 0 else found + here.start

        return work

    failed = [n for n in run_in_parts(len(out), workers, make_work, SMALLEST_PART) if n >= 0]
    if failed:
        n = min(failed)
        sample = inputs[0][n].copy(), inputs[1][n].copy(), inputs[2][n].copy()
        room = room_of(prepared.room_size)
        status = prepared.run(prepared.addresses, sample, room, out[n])
        raise refusal_of_sample((robot.flat, robot.tree, robot.mechanisms), n, status, sample)
    result: Floats = out.reshape(*leading, prepared.size)
    return result


def rows_of(
    robot: DescribedRobot, given: Given, last: str = "acceleration"
) -> tuple[Rows, tuple[int, ...]]:
    """Return N states as (N, p), (N, v) and (N, v) arrays that a kernel takes.

    Parameters
    ----------
    robot : DescribedRobot
    given : (..., p), (..., v) and (..., v) array_like or None
        Their leading axes broadcast. None: zeros.
    last : str
        What the last of them is, for messages.

    Returns
    -------
    rows : three arrays
        Not copied where a kernel can take them.
    leading : tuple of int
        The leading axes; () for one state.

    Raises
    ------
    InputError
        For other shapes, and values that are not finite.
    """
    names = robot.position_names, robot.velocity_names, robot.velocity_names
    subjects = "position", "velocity", last
    found, leading = in_rows(subjects, given, names)
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
