# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics: from efforts to accelerations.

By articulated bodies (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3), in time
linear in the bodies; with loop joints by the equations of motion and the constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import REACHED, WRONG_SHAPE, Dynamics
from charmie_dynamics.core.equations.equations_of_motion import run_equations
from charmie_dynamics.core.equations.tree import run_tree
from charmie_dynamics.core.forward.batch import run_forward_batch
from charmie_dynamics.core.forward.constrained_motion import run_constrained_forward
from charmie_dynamics.core.forward.forward_dynamics import run_forward
from charmie_dynamics.core.forward.loop_constraints import run_loop_constraints
from charmie_dynamics.core.forward.loop_records import ConstrainedRoom, ForwardTerms
from charmie_dynamics.core.forward.records import ForwardResult, ForwardRoom
from charmie_dynamics.core.inverse.batch import room_for, run_lanes
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.numerics.addresses import address_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .batch import BatchState
from .derivatives import derivatives
from .equations.accelerations import solve_accelerations
from .equations.constraints import opening_fault
from .equations.evaluation import (
    Inputs,
    KernelCall,
    Rows,
    evaluate,
    of_each,
    rows_of,
    thread_workspace,
)
from .equations.reduction import independent_coordinates
from .equations.results import ForwardDerivatives, TermArrays
from .flat.block_layout import BlockLayout
from .flat.checks import (
    are_many,
    checked,
    checked_motion,
    computed_again,
    converted,
    refusal,
    require_finite,
)
from .flat.loop_cycles import ClosedCycle
from .flat.parallel import run_in_parts
from .flat.prepared_robot import PreparedRobot
from .inverse_dynamics import checked_states
from .robots import without_friction
from .state import State

FORWARD = KernelCall(run_forward, ForwardResult, ForwardRoom, calls=(), last="effort")
CONSTRAINED_FORWARD = KernelCall(
    run_constrained_forward,
    ForwardTerms,
    ConstrainedRoom,
    calls=(run_tree, run_loop_constraints, run_equations),
)


def forward(
    robot: PreparedRobot, inputs: Inputs, friction: bool = True, workers: int | None = None
) -> State:
    """Return the state, or states, to which efforts lead; see `Model.forward`."""
    if not friction:
        robot = without_friction(robot)
    return (_constrained if robot.flat.sizes.r else _articulated)(robot, inputs, workers)


def forward_derivatives(
    robot: PreparedRobot,
    inputs: Inputs,
    parameters: Sequence[str] = (),
    friction: bool = True,
    workers: int | None = None,
) -> ForwardDerivatives:
    """Return the derivatives of the accelerations; see `Model.forward_derivatives`."""
    position, velocity, _ = inputs
    acceleration = forward(robot, inputs, friction, workers).acceleration.copy()
    motion = position, velocity, acceleration
    found = derivatives(robot, motion, parameters, friction, workers)
    # effort(x, a) = const: d effort/dx + M da/dx = 0, for each x
    M = found.effort_by_acceleration
    v = M.shape[-1]
    parts = [
        -found.effort_by_position,
        -found.effort_by_velocity,
        np.broadcast_to(np.eye(v), M.shape),
        -found.effort_by_parameter,
    ]
    columns = np.concatenate(parts, axis=-1)
    names = [robot.flat.velocity_names[k] for k in independent_coordinates(robot)]
    by_all = solve_accelerations(M, columns, names, robot.tree.warnings)
    return ForwardDerivatives(*np.split(by_all, [v, 2 * v, 3 * v], axis=-1))


def _efforts_of_coordinates(robot: PreparedRobot, effort: npt.ArrayLike | None) -> Floats | None:
    """Return efforts (..., v) of all coordinates, for those (..., a) of the actuators.

    Raises
    ------
    InputError
        For another shape, and values that are not finite.
    """
    if effort is None:
        return None
    names = robot.flat.actuator_names
    own = converted("effort", effort, (*np.shape(effort)[:-1], len(names)))
    require_finite("effort", own, names)
    efforts = np.zeros((*own.shape[:-1], robot.flat.sizes.q))
    efforts[..., robot.flat.actuator_index] = own
    return efforts


def _articulated(robot: PreparedRobot, inputs: Inputs, workers: int | None) -> State:
    kernel = robot.cache[FORWARD]
    rest = kernel.at_rest
    position, velocity, effort = inputs
    if effort is None:
        effort = rest
    elif len(robot.flat.actuator_names) < len(rest):
        effort = _efforts_of_coordinates(robot, effort)
    if getattr(position, "ndim", 1) > 1:
        return _articulated_batch(robot, (position, velocity, effort), workers)
    out, workspace = np.empty(kernel.size), thread_workspace(kernel.workspace_size)
    try:
        arrays = position, rest if velocity is None else velocity, effort
        status = kernel.run(kernel.addresses, *arrays, workspace, out)
    except Exception:  # whatever is no contiguous array of floats: copies are tried below
        status = WRONG_SHAPE
    if status != REACHED:
        inputs = position, velocity, effort
        if are_many(*inputs):
            return _articulated_batch(robot, inputs, workers)
        out = _articulated_copy(robot, inputs)
    first = kernel.size - robot.layout.size
    return AcceleratedState(robot.layout, out[first:])  # `ForwardResult.cycle`


def _articulated_copy(robot: PreparedRobot, inputs: Inputs) -> Floats:
    kernel = robot.cache[FORWARD]
    out, workspace = np.empty(kernel.size), thread_workspace(kernel.workspace_size)
    run, addresses = kernel.run, kernel.addresses
    computed_again(
        robot, inputs, lambda *copies: run(addresses, *copies, workspace, out), FORWARD.last
    )
    return out


def _articulated_batch(robot: PreparedRobot, inputs: Inputs, workers: int | None) -> BatchState:
    kernel = robot.cache[FORWARD]
    rows, leading = rows_of(robot, inputs, FORWARD.last)
    out = np.empty(rows[1].shape)
    addresses = *robot.flat.blocks.addresses, address_of(run_lanes)
    run = ready(run_forward_batch)

    def make_work() -> Callable[[slice], int]:
        block = room_for(kernel.size)
        workspace = room_for(kernel.workspace_size)

        def work(here: slice) -> int:
            part = rows[0][here], rows[1][here], rows[2][here]
            found: int = run(*addresses, *part, out[here], block, workspace)
            return found if found < 0 else found + here.start

        return work

    failed = [n for n in run_in_parts(len(out), workers, make_work) if n >= 0]
    if failed:
        raise _first_refusal(robot, rows, min(failed))
    motion = rows[0], rows[1], out
    return BatchState(robot.layout, motion, True, workers, at_once=False, leading=leading)


def _first_refusal(robot: PreparedRobot, rows: Rows, first: int) -> CharmieError:
    """Return the error of the first sample, from `first` on, that cannot be computed."""
    kernel = robot.cache[FORWARD]
    block, workspace = np.empty(kernel.size), thread_workspace(kernel.workspace_size)
    n, status = first, REACHED
    for n in range(first, len(rows[0])):
        sample = rows[0][n].copy(), rows[1][n].copy(), rows[2][n].copy()
        status = kernel.run(kernel.addresses, *sample, workspace, block)
        if status != REACHED:
            break
    return refusal(robot, status, sample, FORWARD.last, sample_number=n)


def _constrained(robot: PreparedRobot, inputs: Inputs, workers: int | None) -> State:
    if are_many(*inputs):
        return _constrained_batch(robot, inputs, workers)
    position, velocity, effort = inputs
    motion = checked_motion(robot, (position, velocity, None))
    motion[2][robot.flat.actuator_index] = checked("effort", effort, robot.flat.actuator_names)
    out, _ = evaluate(robot, CONSTRAINED_FORWARD, motion)
    motion, multiplier = _constrained_motion(robot, motion, out)
    block = np.empty(robot.layout.size)
    addresses = robot.flat.blocks.addresses
    status = robot.cache[_closed_cycle].with_multipliers(addresses, motion, multiplier, block)
    if status != REACHED:
        raise refusal(robot, status, motion)
    return State(robot.layout, block, True)


def _closed_cycle(robot: PreparedRobot) -> ClosedCycle:
    return ClosedCycle(robot.flat)


def _constrained_batch(robot: PreparedRobot, inputs: Inputs, workers: int | None) -> State:
    position, velocity, effort = inputs
    efforts = _efforts_of_coordinates(robot, effort)
    rows, leading = rows_of(robot, (position, velocity, efforts), "effort")
    out, _ = evaluate(robot, CONSTRAINED_FORWARD, rows, workers)
    found = of_each(rows, leading, lambda n, motion: _constrained_motion(robot, motion, out[n]))
    acceleration = np.empty(rows[1].shape)
    multipliers = np.empty((len(rows[0]), robot.flat.sizes.r))
    for n, (motion, multiplier) in enumerate(found):
        acceleration[n], multipliers[n] = motion[2], multiplier
    motions = rows[0], rows[1], acceleration
    states = BatchState(robot.layout, motions, True, workers, multipliers, leading=leading)
    return checked_states(robot, states)


def _constrained_motion(robot: PreparedRobot, motion: Rows, out: Floats) -> tuple[Rows, Floats]:
    """Return the motion, accelerations included, and multipliers that the kernel found."""
    terms = TermArrays(out, robot.cache[CONSTRAINED_FORWARD].places)
    error, rate, size = (terms.get(f"constraint_{name}") for name in ("error", "rate", "size"))
    fault = opening_fault(robot.flat, motion, error, rate, size)
    if fault is not None:
        raise fault
    acceleration = terms.get("motion.forward_acceleration").copy()
    return (motion[0], motion[1], acceleration), terms.get("multiplier_force").copy()


class AcceleratedState(State):
    """The state of one sample of forward dynamics.

    Its kinematics are computed. Its loads are those of a cycle with the resulting accelerations,
    which is run at the first access to a load.
    """

    __slots__ = ("_is_due",)

    def __init__(self, layout: BlockLayout, block: Floats) -> None:
        self._layout, self._block, self._has_dynamics = layout, block, True
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
