# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Assembly: motions that close the loops of a robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import PASSIVE_IS_FREE, REACHED
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.numerics.vectors import Floats

from .equations.constraints import loop_constraints
from .equations.evaluation import Inputs, of_each, rows_of
from .equations.reduction import independent_coordinates
from .flat.checks import refusal
from .flat.loop_cycles import Motion, close
from .flat.loop_following import is_passive
from .flat.loop_refusals import is_of_loops, refusal_of_loop
from .flat.prepared_robot import PreparedRobot


class AssembledMotion(NamedTuple):
    """Position (p,), velocity (v,) and acceleration (v,) with which the loops are closed.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> model = load_model()
    >>> motion = model.assemble(model.zero_position())  # no loop joints: as it was
    >>> bool((motion.position == model.zero_position()).all())
    True
    """

    position: Floats
    velocity: Floats
    acceleration: Floats


def assemble(robot: PreparedRobot, inputs: Inputs) -> AssembledMotion:
    """Return the motion of the passive joints that closes the loops; see `Model.assemble`."""
    return _closed(robot, inputs, _close_passive)


def project(robot: PreparedRobot, inputs: Inputs) -> AssembledMotion:
    """Return the nearest motion that closes the loops; see `Model.project`."""
    return _closed(robot, inputs, _close_all)


def _closed(
    robot: PreparedRobot, inputs: Inputs, close_in_place: Callable[[PreparedRobot, Motion], int]
) -> AssembledMotion:
    rows, leading = rows_of(robot, inputs)
    results = [np.empty(array.shape) for array in rows]

    def close_copy(n: int, motion: Motion) -> None:
        motion = motion[0].copy(), motion[1].copy(), motion[2].copy()
        _normalise_passive(robot, motion[0])
        _require_closed(robot, motion, close_in_place(robot, motion))
        for result, own in zip(results, motion, strict=True):
            result[n] = own

    of_each(rows, leading, close_copy)
    return AssembledMotion(*(array.reshape(*leading, array.shape[1]) for array in results))


def _close_passive(robot: PreparedRobot, motion: Motion) -> int:
    movable = np.ones(robot.flat.sizes.q)
    movable[independent_coordinates(robot)] = 0.0
    count = int(movable.sum())
    status = close(robot.flat, motion, movable, 3, count)
    if status % STATUSES == PASSIVE_IS_FREE:
        idle = loop_constraints(robot, motion).idle_motions.shape[1]
        if idle > 0:
            status = close(robot.flat, motion, movable, 3, count - idle)
    return status


def _close_all(robot: PreparedRobot, motion: Motion) -> int:
    return close(robot.flat, motion, np.ones(robot.flat.sizes.q), 2, 0)


def _normalise_passive(robot: PreparedRobot, position: Floats) -> None:
    """Give quaternions of passive floating joints length one; zeros become no rotation."""
    freedoms = robot.flat.freedoms
    passive = freedoms.floating_body[is_passive(robot.flat)]
    for i in np.unique(passive[passive >= 0]):
        last = int(freedoms.scalar_entry[robot.flat.tree.scalar[i]])
        quaternion = position[last - 3 : last + 1]
        length = np.linalg.norm(quaternion)
        position[last - 3 : last + 1] = quaternion / length if length else (0, 0, 0, 1)


def _require_closed(robot: PreparedRobot, motion: Motion, status: int) -> None:
    """Raise the error of the status of a search, unless it has closed the loops."""
    if status == REACHED:
        return
    if is_of_loops(status):
        raise refusal_of_loop(robot.flat, status, motion, searched=True)
    raise refusal(robot, status, motion)
