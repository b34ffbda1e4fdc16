# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Accelerations under efforts, and the states that have them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import REACHED, WRONG_SHAPE, Dynamics
from charmie_dynamics.core.forward.batch import run_forward_batch
from charmie_dynamics.core.forward.forward_dynamics import run_forward
from charmie_dynamics.core.forward.records import ForwardResult, ForwardRoom
from charmie_dynamics.core.inverse.batch import room_for, run_lanes
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.numerics.addresses import address_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .batch import BatchState
from .equations.evaluation import Given, KernelCall, prepare, room_for_thread, rows_of
from .flat.block_layout import BlockLayout
from .flat.checks import are_many, computed_again, converted, refusal_of_sample, require_finite
from .flat.described_robot import DescribedRobot
from .flat.parallel import run_in_parts
from .state import State

FORWARD = KernelCall(run_forward, ForwardResult, ForwardRoom, calls_tree=False, last="effort")


def efforts_of_coordinates(robot: DescribedRobot, effort: npt.ArrayLike) -> Floats:
    """Return efforts (..., v) of all coordinates, for those (..., a) of the actuators.

    Raises
    ------
    InputError
        For another shape, and values that are not finite.
    """
    names = robot.actuator_names
    given = converted("effort", effort, (*np.shape(effort)[:-1], len(names)))
    require_finite("effort", given, names)
    found = np.zeros((*given.shape[:-1], len(robot.velocity_names)))
    found[..., robot.actuator_index] = given
    return found


def accelerated_state(
    robot: DescribedRobot, layout: BlockLayout, given: Given, workers: int | None = None
) -> State:
    """Return the state of forward dynamics, or those of many.

    Parameters
    ----------
    robot : DescribedRobot
    layout : BlockLayout
    given : (..., p), (..., v) and (..., a) array_like or None
        Position, velocity and effort of the actuators; None: zeros.
    workers : int or None
        Number of threads for many states; None: one for each core.

    Raises
    ------
    InputError, OutOfReachError, MassMatrixError
        As `Model.forward`.
    """
    prepared = robot.flat.blocks.prepared.get(FORWARD) or prepare(robot, FORWARD)
    run, addresses, _, _, size, room_size, rest, _ = prepared
    position, velocity, effort = given
    if effort is None:
        effort = rest
    elif robot.has_passive_coordinates:
        effort = efforts_of_coordinates(robot, effort)
    if getattr(position, "ndim", 1) > 1:
        return _accelerated_states(robot, layout, (position, velocity, effort), workers)
    out, room = np.empty(size), room_for_thread(room_size)
    try:
        inputs = position, rest if velocity is None else velocity, effort
        status = run(addresses, inputs, room, out)
    except Exception:  # whatever is no array of floats, or read-only: copies are tried below
        status = WRONG_SHAPE
    if status != REACHED:
        if are_many(position, velocity, effort):
            return _accelerated_states(robot, layout, (position, velocity, effort), workers)
        computed_again(
            (robot.flat, robot.tree, robot.mechanisms),
            (position, velocity, effort),
            lambda *copies: run(addresses, copies, room, out),
            FORWARD.last,
        )
    # between the accelerations, and the friction and the power of dampers
    return AcceleratedState(layout, out[len(rest) : -1 - len(rest)])


def _accelerated_states(
    robot: DescribedRobot, layout: BlockLayout, given: Given, workers: int | None
) -> BatchState:
    """Return the states of forward dynamics; as `accelerated_state`."""
    prepared = robot.flat.blocks.prepared[FORWARD]
    inputs, leading = rows_of(robot, given, FORWARD.last)
    out = np.empty(inputs[1].shape)
    addresses = *robot.flat.blocks.addresses, address_of(run_lanes)
    run = ready(run_forward_batch)

    def make_work() -> Callable[[slice], int]:
        block = room_for(prepared.size)
        room = room_for(prepared.room_size)

        def work(here: slice) -> int:
            part = inputs[0][here], inputs[1][here], inputs[2][here]
            found: int = run(addresses, part, out[here], block, room)
            return found if found < 0 else found + here.start

        return work

    failed = [n for n in run_in_parts(len(out), workers, make_work) if n >= 0]
    if failed:
        raise _refusal(robot, inputs, min(failed))
    motion = inputs[0], inputs[1], out
    return BatchState(layout, motion, True, workers, at_once=False, leading=leading)


def _refusal(
    robot: DescribedRobot, inputs: tuple[Floats, Floats, Floats], first: int
) -> CharmieError:
    """Return the error of the first sample, from `first` on, that cannot be computed."""
    prepared = robot.flat.blocks.prepared[FORWARD]
    block, room = np.empty(prepared.size), room_for_thread(prepared.room_size)
    n, status = first, REACHED
    for n in range(first, len(inputs[0])):
        sample = inputs[0][n].copy(), inputs[1][n].copy(), inputs[2][n].copy()
        status = prepared.run(prepared.addresses, sample, room, block)
        if status != REACHED:
            break
    parts = robot.flat, robot.tree, robot.mechanisms
    return refusal_of_sample(parts, n, status, sample, FORWARD.last)


class AcceleratedState(State):
    """The state of one sample of forward dynamics.

    Its kinematics are there. Its loads are those of a cycle with the accelerations that were found,
    which is run when one of them is asked for.
    """

    __slots__ = ("_is_due",)

    def __init__(self, layout: BlockLayout, block: Floats) -> None:
        self._layout = layout
        self._block = block
        self._has_dynamics = True
        self._is_due = True

    @property
    def block(self) -> Floats:
        """All numbers of one cycle (k,), where `BlockLayout` says."""
        self._compute_loads()
        return super().block

    @property
    def dynamics(self) -> Dynamics | None:
        """Raw results of steps 6 and 7."""
        self._compute_loads()
        return super().dynamics

    def _load(self, name: str) -> Floats:
        self._compute_loads()
        return self._array(name)

    def _require_dynamics(self) -> None:
        self._compute_loads()

    def _compute_loads(self) -> None:
        if not self._is_due:
            return
        block = np.empty(self._layout.size)
        inputs = (values[0] for values in self._inputs())
        status = ready(run_cycle)(*self._layout.robot.blocks.addresses, *inputs, block, True)
        if status != REACHED:
            raise InputError(
                "effort: so large that the loads are not finite, accelerations up to "
                f"{np.abs(self.acceleration).max():.3g}"
            )
        # arrays that were handed out stay views of the old one
        self._block = block
        self._is_due = False
