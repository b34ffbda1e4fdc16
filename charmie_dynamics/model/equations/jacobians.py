# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Jacobians of points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.jacobian import (
    JacobianAddresses,
    run_jacobian,
    run_jacobian_rows,
)
from charmie_dynamics.core.equations.loop_derivatives import (
    DIRECTIONS,
    WIDTH,
    run_loop_derivatives,
)
from charmie_dynamics.core.equations.records import JacobianRoom, LoopRoom
from charmie_dynamics.core.inverse.batch import room_for
from charmie_dynamics.core.inverse.records import CycleRecord
from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.model.flat.checks import (
    are_many,
    computed_again,
    converted,
    refusal,
    require_finite,
)
from charmie_dynamics.model.flat.parallel import run_in_parts
from charmie_dynamics.model.flat.positions import position_rate
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot
from charmie_dynamics.numerics.addresses import Blocks, address_of_block
from charmie_dynamics.numerics.blocks import float_count, places_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .evaluation import duals_of, inputs_of_block, loop_workspace_size, of_each, rows_of

Point = Sequence[float] | Floats
ORIGIN = (0.0, 0.0, 0.0)
AXES = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class JacobianKernel:
    """The kernel of Jacobians, ready for one robot.

    Attributes
    ----------
    run : callable
        `run_jacobian`, ready.
    addresses : JacobianAddresses
        The robot's arguments of the kernel.
    links : dict
        Numbers of the links, by name.
    shape : (6, q)
    workspace : array
        Kernels that keep the interpreter to themselves may share it, see `numerics.jit.ready`.
    blocks : Blocks
        The owner of the addresses.
    """

    run: Callable[..., int]
    addresses: JacobianAddresses
    links: dict[str, int]
    shape: tuple[int, int]
    workspace: Floats
    blocks: Blocks


def prepare_jacobian(robot: PreparedRobot) -> JacobianKernel:
    """Return the kernel of Jacobians with its arguments for a robot."""
    flat = robot.flat
    workspace = np.empty(float_count(JacobianRoom, flat.sizes))
    addresses = JacobianAddresses(*flat.blocks.addresses, address_of_block(workspace))
    links = {name: i for i, name in enumerate(flat.body_names)}
    shape = 6, flat.sizes.q
    return JacobianKernel(ready(run_jacobian), addresses, links, shape, workspace, flat.blocks)


def jacobian(
    robot: PreparedRobot,
    position: npt.ArrayLike,
    frame: str,
    point: Point = ORIGIN,
    workers: int | None = None,
) -> Floats:
    """Return the Jacobian of a point of a frame; see `Model.jacobian`."""
    kernel = robot.cache[prepare_jacobian]
    out = np.empty(kernel.shape)
    try:
        x, y, z = point
        body = kernel.links[frame]
        own: Any = position
        if own.ndim == 1 and kernel.run(*kernel.addresses, own, body, x, y, z, out) == REACHED:
            return out
    except Exception:  # whatever is no contiguous array of floats: copies are tried below
        pass
    if are_many(position):
        return _jacobian_rows(robot, position, frame, point, workers)
    return _jacobian_of_copy(robot, position, frame, point)


def _jacobian_of_copy(
    robot: PreparedRobot, position: npt.ArrayLike, frame: str, point: Point
) -> Floats:
    kernel = robot.cache[prepare_jacobian]
    x, y, z = checked_point(point)
    if frame not in kernel.links:
        return _auxiliary_jacobian(robot, position, frame, point)
    out, body = np.empty(kernel.shape), kernel.links[frame]
    _run_again(robot, position, lambda p: kernel.run(*kernel.addresses, p, body, x, y, z, out))
    return out


def _jacobian_rows(
    robot: PreparedRobot, position: npt.ArrayLike, frame: str, point: Point, workers: int | None
) -> Floats:
    kernel = robot.cache[prepare_jacobian]
    x, y, z = checked_point(point)
    rows, leading = rows_of(robot, (position, None, None))
    positions = rows[0]
    body = kernel.links.get(frame)
    if body is None:
        result = np.empty((len(positions), *kernel.shape))
        found = of_each(
            rows, leading, lambda n, motion: _auxiliary_jacobian(robot, motion[0], frame, point)
        )
        for n, own in enumerate(found):
            result[n] = own
        return result.reshape(*leading, *kernel.shape)
    out = np.empty((len(positions), math.prod(kernel.shape)))
    run, addresses, sizes = ready(run_jacobian_rows), kernel.addresses[:2], robot.flat.sizes
    size = float_count(CycleRecord, sizes) + out.shape[1]

    def make_work() -> Any:
        block, next_body = room_for(size), np.empty(sizes.n)

        def work(here: slice) -> int:
            own = positions[here], rows[1][here]
            found: int = run(*addresses, *own, body, x, y, z, out[here], block, next_body)
            return found if found < 0 else found + here.start

        return work

    failed = run_in_parts(len(positions), workers, make_work)
    first = min((n for n in failed if n >= 0), default=None)
    if first is not None:  # of several positions at once
        status, again = REACHED, np.empty(kernel.shape)
        while status == REACHED:
            own = positions[first].copy()
            status = kernel.run(*kernel.addresses, own, body, x, y, z, again)
            first += 1
        zeros = np.zeros_like(own)
        raise refusal(robot, status, (own, zeros, zeros), sample_number=first - 1)
    return out.reshape(*leading, *kernel.shape)


def _auxiliary_jacobian(
    robot: PreparedRobot, position: npt.ArrayLike, frame: str, point: Point
) -> Floats:
    """Return the Jacobian of a point of an auxiliary body, whose pose follows from its pins."""
    flat = robot.flat
    names = flat.frame_names
    if frame not in names:
        raise UnknownNameError(f"frame '{frame}' is unknown{choices(frame, names)}")
    r = np.array(checked_point(point))
    q = flat.sizes.q
    zeros = np.zeros(q)
    duals = duals_of(flat)
    run = ready(run_loop_derivatives)
    places = places_of(LoopRoom, flat.sizes)[1]
    numbers = np.empty((loop_workspace_size(flat.sizes) // WIDTH, WIDTH))
    count = float_count(LoopRoom, flat.sizes)
    ints, duals_address = flat.blocks.addresses[0], address_of_block(duals)
    result = np.zeros((6, q))
    f = names.index(frame)

    def differentiate(columns: range) -> Callable[[Floats], int]:
        def run_at(p: Floats) -> int:
            own = inputs_of_block(flat, p, zeros, zeros)
            numbers[: len(own)] = 0.0
            numbers[: len(own), 0] = own
            for k, c in enumerate(columns):
                rate = position_rate(robot, p, np.eye(q)[c])
                numbers[: len(own), 1 + k] = inputs_of_block(flat, rate, zeros, zeros)
            status: int = run(ints, duals_address, numbers[:count].ravel(), numbers[count:].ravel())
            return status

        return run_at

    for first in range(0, q, DIRECTIONS):
        columns = range(first, min(first + DIRECTIONS, q))
        _run_again(robot, position, differentiate(columns))
        R = numbers[places["cycle.kinematics.R_world_frame"].first + 9 * f :][:9]
        p = numbers[places["cycle.kinematics.p_world_frame"].first + 3 * f :][:3]
        for k, c in enumerate(columns):
            dR = R[:, 1 + k].reshape(3, 3)
            spin = dR @ R[:, 0].reshape(3, 3).T
            result[:3, c] = p[:, 1 + k] + dR @ r
            result[3:, c] = spin[2, 1], spin[0, 2], spin[1, 0]
    return result


def _run_again(robot: PreparedRobot, position: npt.ArrayLike, run: Callable[[Floats], int]) -> None:
    """Run with a copy of the positions; raise the error if one occurs."""
    computed_again(robot, (position, None, None), lambda p, v, a: run(p))


def checked_point(point: Point) -> tuple[float, float, float]:
    """Return a point as three floats.

    Raises
    ------
    InputError
        If it has another shape, or a value that is no finite number.
    """
    array = converted("point", point, (3,))
    require_finite("point", array, AXES)
    x, y, z = array.tolist()
    return x, y, z
