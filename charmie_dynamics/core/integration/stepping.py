# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motion in fixed steps: semi-implicit Euler, Runge-Kutta, Rosenbrock, stage by stage.

A method is a number of stages, each of which evaluates the rates once. The caller sets efforts that
are held once for many steps, and efforts that depend on the motion before each stage.
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.contact.records import CONTACT_POWER, CONTACT_STORED
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Ints

from .joint_loads import load_joints
from .rosenbrock import GAMMA, linearise, solve_stage
from .step_arrays import (
    LOST,
    LOST_POWER,
    LOST_SUM,
    PROBE,
    ROSENBROCK,
    RUNGE_KUTTA,
    SEMI_IMPLICIT_EULER,
    TOTAL_COUNT,
    WORK,
    WORK_POWER,
    WORK_SUM,
    StepArrays,
)

ARRAYS = ", ".join(["floats"] * len(StepArrays._fields))
# of run_forward or run_constrained_forward, run_position_rate, run_normalisation, run_derivatives
Calls = tuple[Address, Address, Address, Address]


@compiled_for(
    f"({', '.join(['int'] * 4)})",
    f"({', '.join(['int'] * 17)})",
    "(int, int, int)",
    "ints",
    "(floats2, floats2, floats2, floats2, floats2)",
    f"({ARRAYS})",
    "float",
)
def run_stages(
    calls: Calls,
    robots: tuple[Address, ...],
    how: tuple[int, int, int],
    index: Ints,
    tables: tuple[Floats, Floats, Floats, Floats, Floats],
    given: tuple[Floats, ...],
    h: float,
) -> int:
    """Run some stages of a method.

    Parameters
    ----------
    calls : tuple of Address
    robots : tuple of Address
        The robot's addresses for `run_forward`, then for `run_derivatives`; then the address of
        `run_contact_loads`, zero without contacts, and its addresses of the scene.
    how : tuple of int
        The method, the stage to begin with, and the number of stages.
    index : (2 v + 2,) array
        Index of the position of each coordinate among the positions; workspace; the number of
        floating joints; output: number of finished steps.
    tables : tuple of array
        The laws (LAW_COUNT, v), see `step_arrays`. Then an output with a row for each step that
        begins, up to its number of rows: position, velocity, acceleration, acting effort, work,
        losses, their powers and the energy stored in contacts; further columns are filled with the
        output of `run_forward`. Then the parameters of the contact laws, normal and friction. Then
        an output for the table of contacts, see `run_contact_loads`.
    given : tuple of array
        Those of `StepArrays`.
    h : float
        Step (s).

    Returns
    -------
    int
        As `run_forward`. If it is not REACHED, the state is that before the step.
    """
    method, first, count = how
    laws, rows = tables[0], tables[1]
    arrays = StepArrays(
        given[0], given[1], given[2], given[3], given[4], given[5], given[6], given[7], given[8],
        given[9], given[10], given[11], given[12], given[13], given[14], given[15], given[16],
        given[17],
    )  # fmt: skip
    forward_robot = robots[:6]
    v = arrays.velocity.shape[0]
    p = v + index[2 * v]
    index[2 * v + 1] = 0
    stages = 4 if method == RUNGE_KUTTA else 2 if method == ROSENBROCK else 1
    begun = 0
    for s in range(first, first + count):
        stage = s % stages
        if stage == 0:
            begin_step(arrays)
        load_joints(laws, index, arrays)
        if robots[12] != 0:
            begins = stage == 0 and method != PROBE
            is_recorded = stage == 0 and begun < rows.shape[0]
            if method == SEMI_IMPLICIT_EULER:
                subtract_effort(arrays)
            status = load_contacts(
                robots, tables, arrays, (begins, is_recorded), h if stage == 0 else 0.0
            )
            if status != REACHED:
                return status
            if method == SEMI_IMPLICIT_EULER:
                for c in range(v):
                    arrays.velocity_sum[c] += arrays.effort[c]
        inputs = (arrays.stage_position[:p], arrays.stage_velocity, arrays.effort)
        status = call_at(calls[0], forward_robot, inputs, arrays.room, arrays.out)
        if status != REACHED:
            return status
        for c in range(v):
            arrays.acceleration[c] = arrays.out[c]
        # the output ends with the friction, and the powers of external loads and of dampers
        lost = arrays.out[arrays.out.shape[0] - 1]
        first_friction = arrays.out.shape[0] - 2 - v
        for c in range(v):
            arrays.resistance[c] += arrays.out[first_friction + c]
            lost += arrays.out[first_friction + c] * arrays.stage_velocity[c]
        arrays.totals[WORK_POWER] += arrays.out[arrays.out.shape[0] - 2]
        arrays.totals[LOST_POWER] += lost
        if stage == 0 and begun < rows.shape[0]:
            write_row(arrays, rows[begun])
            begun += 1
        if method == RUNGE_KUTTA:
            runge_kutta_stage(calls, robots, index, arrays, stage, h)
        elif method == ROSENBROCK:
            status = rosenbrock_stage(calls, robots, index, laws, arrays, stage, h)
            if status != REACHED:
                return status
        elif method == SEMI_IMPLICIT_EULER:
            semi_implicit_euler_step(calls, robots, index, arrays, h)
        else:
            call_at(
                calls[1], robots[0], robots[1],
                arrays.stage_position, arrays.stage_velocity, arrays.rate,
            )  # fmt: skip
        if stage == stages - 1:
            index[2 * v + 1] += 1
    return REACHED


@compiled
def begin_step(arrays: StepArrays) -> None:
    """Copy the state to the first stage, and set the sums to zero."""
    for k in range(arrays.position.shape[0]):
        arrays.stage_position[k] = arrays.position[k]
        arrays.position_sum[k] = 0.0
    for c in range(arrays.velocity.shape[0]):
        arrays.stage_velocity[c] = arrays.velocity[c]
        arrays.velocity_sum[c] = 0.0
    arrays.totals[WORK_SUM] = 0.0
    arrays.totals[LOST_SUM] = 0.0


@compiled
def subtract_effort(arrays: StepArrays) -> None:
    """Subtract the efforts from the sum, to which the efforts with contacts are added."""
    for c in range(arrays.velocity.shape[0]):
        arrays.velocity_sum[c] -= arrays.effort[c]


@compiled
def load_contacts(
    robots: tuple[Address, ...],
    tables: tuple[Floats, Floats, Floats, Floats, Floats],
    arrays: StepArrays,
    how: tuple[bool, bool],
    horizon: float,
) -> int:
    """Add the efforts of contacts, and write the rates of their states.

    Parameters
    ----------
    robots, tables, arrays
        As in `run_stages`.
    how : tuple of bool
        Whether contacts may begin and end here, and whether the stored energy is requested.
    horizon : float
        As of `run_contact_loads`.
    """
    begins, _ = how
    status = call_at(
        robots[12],
        (robots[0], robots[1], robots[2]),
        (robots[13], robots[14], robots[15], robots[16]),
        (tables[2], tables[3]),
        (
            arrays.stage_position, arrays.stage_velocity, arrays.rate, arrays.effort,
            arrays.totals[TOTAL_COUNT:],
        ),
        arrays.more_room,
        tables[4],
        how,
        horizon,
    )  # fmt: skip
    arrays.totals[LOST_POWER] += arrays.totals[TOTAL_COUNT + CONTACT_POWER]
    if begins:
        for k in range(arrays.position.shape[0]):
            arrays.position[k] = arrays.stage_position[k]
    return status


@compiled
def write_row(arrays: StepArrays, row: Floats) -> None:
    """Write the state at the beginning of a step, and its efforts, energies and powers."""
    p, v = arrays.position.shape[0], arrays.velocity.shape[0]
    for k in range(p):
        row[k] = arrays.position[k]
    for c in range(v):
        row[p + c] = arrays.velocity[c]
        row[p + v + c] = arrays.acceleration[c]
        row[p + 2 * v + c] = arrays.acting[c]
    row[p + 3 * v] = arrays.totals[WORK]
    row[p + 3 * v + 1] = arrays.totals[LOST]
    row[p + 3 * v + 2] = arrays.totals[WORK_POWER]
    row[p + 3 * v + 3] = arrays.totals[LOST_POWER]
    row[p + 3 * v + 4] = arrays.totals[TOTAL_COUNT + CONTACT_STORED]
    first = p + 3 * v + 5
    for k in range(first, row.shape[0]):
        row[k] = arrays.out[v + k - first]


@compiled
def normalise(calls: Calls, robots: tuple[Address, ...], index: Ints, position: Floats) -> None:
    """Scale the quaternions to length one, if `index` counts any floating joints."""
    if index[index.shape[0] - 2] > 0:
        call_at(calls[2], robots[0], robots[1], position)


@compiled
def semi_implicit_euler_step(
    calls: Calls, robots: tuple[Address, ...], index: Ints, arrays: StepArrays, h: float
) -> None:
    """Take a step: the velocity first, then the position with the new velocity.

    The contacts reduce the kinetic energy by their efforts, `velocity_sum`, times the mean
    velocity.
    """
    work, lost = 0.0, arrays.totals[TOTAL_COUNT + CONTACT_POWER]
    for c in range(arrays.velocity.shape[0]):
        lost -= 0.5 * h * arrays.velocity_sum[c] * arrays.acceleration[c]
        arrays.velocity[c] += h * arrays.acceleration[c]
        work += arrays.acting[c] * arrays.velocity[c]
        lost += arrays.resistance[c] * arrays.velocity[c]
    call_at(calls[1], robots[0], robots[1], arrays.stage_position, arrays.velocity, arrays.rate)
    for k in range(arrays.position.shape[0]):
        arrays.position[k] += h * arrays.rate[k]
    normalise(calls, robots, index, arrays.position)
    arrays.totals[WORK] += h * (work + arrays.out[arrays.out.shape[0] - 2])
    arrays.totals[LOST] += h * (lost + arrays.out[arrays.out.shape[0] - 1])


@compiled
def runge_kutta_stage(
    calls: Calls,
    robots: tuple[Address, ...],
    index: Ints,
    arrays: StepArrays,
    stage: int,
    h: float,
) -> None:
    """Add a stage of the classical method of fourth order; the last one ends the step."""
    weight = 1.0 / 3.0 if stage == 1 or stage == 2 else 1.0 / 6.0
    ahead = h if stage == 2 else 0.5 * h
    totals = arrays.totals
    call_at(
        calls[1], robots[0], robots[1],
        arrays.stage_position, arrays.stage_velocity, arrays.rate,
    )  # fmt: skip
    totals[WORK_SUM] += weight * totals[WORK_POWER]
    totals[LOST_SUM] += weight * totals[LOST_POWER]
    for k in range(arrays.position.shape[0]):
        arrays.position_sum[k] += weight * arrays.rate[k]
    for c in range(arrays.velocity.shape[0]):
        arrays.velocity_sum[c] += weight * arrays.acceleration[c]
    if stage < 3:
        for k in range(arrays.position.shape[0]):
            arrays.stage_position[k] = arrays.position[k] + ahead * arrays.rate[k]
        for c in range(arrays.velocity.shape[0]):
            arrays.stage_velocity[c] = arrays.velocity[c] + ahead * arrays.acceleration[c]
        normalise(calls, robots, index, arrays.stage_position)
        return
    for k in range(arrays.position.shape[0]):
        arrays.position[k] += h * arrays.position_sum[k]
    for c in range(arrays.velocity.shape[0]):
        arrays.velocity[c] += h * arrays.velocity_sum[c]
    normalise(calls, robots, index, arrays.position)
    totals[WORK] += h * totals[WORK_SUM]
    totals[LOST] += h * totals[LOST_SUM]


@compiled
def rosenbrock_stage(
    calls: Calls,
    robots: tuple[Address, ...],
    index: Ints,
    laws: Floats,
    arrays: StepArrays,
    stage: int,
    h: float,
) -> int:
    """Solve a stage, see `rosenbrock`; the second ends the step."""
    v, p = arrays.velocity.shape[0], arrays.position.shape[0]
    totals, share = arrays.totals, GAMMA * h
    if stage == 0:
        status = linearise(calls[3], robots[6:12], laws, index, arrays, h)
        if status != REACHED:
            return status
        k_v = arrays.velocity_sum
        solve_stage(robots[0], index, arrays, (arrays.acceleration, arrays.velocity, k_v), h)
        for c in range(v):
            arrays.stage_velocity[c] = arrays.velocity[c] + share * k_v[c]  # k_p
        call_at(calls[1], robots[0], robots[1], arrays.position, arrays.stage_velocity, arrays.rate)
        for k in range(p):
            arrays.stage_position[k] = arrays.position[k] + h * arrays.rate[k]
        for c in range(v):
            arrays.stage_velocity[c] = arrays.velocity[c] + h * k_v[c]
        normalise(calls, robots, index, arrays.stage_position)
        totals[WORK_SUM] = totals[WORK_POWER]
        totals[LOST_SUM] = totals[LOST_POWER]
        return REACHED
    call_at(
        calls[1], robots[0], robots[1],
        arrays.stage_position, arrays.stage_velocity, arrays.position_sum,
    )  # fmt: skip
    first_v = arrays.velocity_sum
    for c in range(v):
        arrays.acceleration[c] -= 2.0 * first_v[c]
        first_p = arrays.velocity[c] + share * first_v[c]
        arrays.stage_velocity[c] -= 2.0 * first_p
    k_v = arrays.resistance  # no longer needed
    solve_stage(robots[0], index, arrays, (arrays.acceleration, arrays.stage_velocity, k_v), h)
    for c in range(v):
        first_p = arrays.velocity[c] + share * first_v[c]
        arrays.stage_velocity[c] = 0.5 * (first_p + share * k_v[c])
        arrays.velocity[c] += 0.5 * h * (3.0 * first_v[c] + k_v[c])
    call_at(calls[1], robots[0], robots[1], arrays.position, arrays.stage_velocity, arrays.rate)
    for k in range(p):
        arrays.position[k] += h * (arrays.rate[k] + 0.5 * arrays.position_sum[k])
    normalise(calls, robots, index, arrays.position)
    totals[WORK] += 0.5 * h * (totals[WORK_SUM] + totals[WORK_POWER])
    totals[LOST] += 0.5 * h * (totals[LOST_SUM] + totals[LOST_POWER])
    return REACHED
