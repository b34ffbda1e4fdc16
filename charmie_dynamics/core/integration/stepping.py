# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motion in fixed steps: semi-implicit Euler, Runge-Kutta, Rosenbrock, stage by stage.

A method is a number of stages, each of which evaluates the rates once. The caller sets efforts that
are held once for many steps, and efforts that depend on the motion before each stage.

Some arrays are used twice within a step; local names say for what:

- `velocity_sum`: the sum over stages of Runge-Kutta, the efforts of contacts in semi-implicit
  Euler, k_v of the first Rosenbrock stage;
- `acceleration`, `stage_velocity` and `resistance` after the rates of the second Rosenbrock stage:
  r_v, r_p and k_v of its equations.
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import LOOP_OPEN, REACHED
from charmie_dynamics.core.contact.records import (
    CONTACT_POWER,
    CONTACT_STORED,
    STEP_BEGINS,
    STEP_ENDS,
    WITHIN_STEP,
)
from charmie_dynamics.core.equations.kernels import RobotAddresses
from charmie_dynamics.core.forward.loop_closure import MOST_OPEN, SHALLOW_IN_STEPS
from charmie_dynamics.core.forward.loop_records import ForwardTerms
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.core.inverse.records import sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, floats_of, lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats

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
    TOUCH,
    WORK,
    WORK_POWER,
    WORK_SUM,
    PlantAddresses,
    States,
    StepArrays,
    StepRow,
    StepSizes,
)


@compiled_for("int", "int", "int", "int", "float", "floats2", "floats2")
def run_stages(
    addresses: Address,
    method: int,
    first: int,
    count: int,
    h: float,
    rows: Floats,
    contacts: Floats,
) -> int:
    """Run some stages of a method.

    Parameters
    ----------
    addresses : Address
        Of a block of `PlantAddresses`.
    method : int
        PROBE, SEMI_IMPLICIT_EULER, RUNGE_KUTTA, ROSENBROCK or TOUCH.
    first, count : int
        The stage to begin with, and the number of stages.
    h : float
        Step (s); of PROBE the horizon of FREE_TIME (s), 0 for none.
    rows : (n, k) array
        Output: a `StepRow` for each of the first n steps that begin.
    contacts : (m, COLUMNS) array
        Output: the table of contacts, see `run_contact_loads`.

    Returns
    -------
    int
        As `run_forward`, `run_contact_loads` and `linearise`, or LOOP_OPEN at the beginning of a
        step. If it is not REACHED, position and velocity are those before the step; the memory of
        contacts may be renewed.
    """
    plant = first_numbers(PlantAddresses, addresses)
    sizes = first_numbers(StepSizes, plant.step_ints)
    step = lay_out(StepArrays, plant.step_ints, plant.step_floats, sizes)
    step.finished[0] = 0
    stages = 4 if method == RUNGE_KUTTA else 2 if method == ROSENBROCK else 1
    begun = 0
    for s in range(first, first + count):
        stage = s % stages
        is_recorded = stage == 0 and begun < rows.shape[0]
        if stage == 0:
            begin_step(step)
        load_joints(step, h * node_of(method, stage))
        if plant.run_contact_loads != 0:
            phase = STEP_BEGINS if stage == 0 and method != PROBE else WITHIN_STEP
            horizon = h if stage == 0 else 0.0
            if method == SEMI_IMPLICIT_EULER:
                subtract_effort(step)
            status = load_contacts(plant, step, contacts, phase, is_recorded, horizon)
            if status != REACHED:
                return status
            if method == SEMI_IMPLICIT_EULER:
                add_effort(step)
        status = accelerate(plant, step, stage == 0 and method != PROBE and method != TOUCH)
        if status != REACHED:
            return status
        if is_recorded:
            write_row(plant, step, lay_out(StepRow, plant.step_ints, rows[begun], sizes))
            begun += 1
        if plant.run_contact_loads != 0 and stage == stages - 1:
            status = check_mean_motion(plant, step, contacts, method, h)
            if status != REACHED:
                return status
        if method == RUNGE_KUTTA:
            runge_kutta_stage(plant, step, stage, h)
        elif method == ROSENBROCK:
            status = rosenbrock_stage(plant, step, stage, h)
            if status != REACHED:
                return status
        elif method == SEMI_IMPLICIT_EULER:
            semi_implicit_euler_step(plant, step, h)
        else:  # PROBE or TOUCH: rates alone, and no step ends
            write_rate(plant, step.stage.position, step.stage_velocity, step.rate.position)
            continue
        if stage == stages - 1:
            step.finished[0] += 1
            move_targets(step, h)
    return REACHED


@compiled
def move_targets(step: StepArrays, h: float) -> None:
    """Write the targets of the drives at the end of a step."""
    for c in range(step.velocity.shape[0]):
        change = h * step.target_acceleration[c]
        step.target_position[c] += h * (step.target_velocity[c] + 0.5 * change)
        step.target_velocity[c] += change


@compiled
def node_of(method: int, stage: int) -> float:
    """Return where a stage is in its step, from 0 to 1."""
    if stage == 0:
        return 0.0
    return 0.5 if method == RUNGE_KUTTA and stage < 3 else 1.0


@compiled
def begin_step(step: StepArrays) -> None:
    """Copy the state to the first stage, and set the sums to zero."""
    for k in range(step.states.position.shape[0]):
        step.stage.position[k] = step.states.position[k]
        step.rate_sum.position[k] = 0.0
    for k in range(step.states.memory.shape[0]):
        step.stage.memory[k] = step.states.memory[k]
        step.rate_sum.memory[k] = 0.0
    for c in range(step.velocity.shape[0]):
        step.stage_velocity[c] = step.velocity[c]
        step.velocity_sum[c] = 0.0
        step.mean_velocity_sum[c] = 0.0
    step.totals[WORK_SUM] = 0.0
    step.totals[LOST_SUM] = 0.0


@compiled
def subtract_effort(step: StepArrays) -> None:
    """Subtract the efforts without contacts from those of contacts, which are zero before."""
    contact_effort = step.velocity_sum
    for c in range(step.velocity.shape[0]):
        contact_effort[c] -= step.effort[c]


@compiled
def add_effort(step: StepArrays) -> None:
    """Add the efforts with contacts; the difference is the efforts of contacts."""
    contact_effort = step.velocity_sum
    for c in range(step.velocity.shape[0]):
        contact_effort[c] += step.effort[c]


@compiled
def load_contacts(
    plant: PlantAddresses,
    step: StepArrays,
    contacts: Floats,
    phase: int,
    with_energy: bool,
    horizon: float,
) -> int:
    """Add the efforts of contacts, and write the rates of their memory; see `run_contact_loads`."""
    status = call_at(
        plant.run_contact_loads, plant.forward, plant.scene,
        step.stage.position, step.stage_velocity, step.stage.memory,
        step.rate.memory, step.effort, step.contact_totals, contacts,
        step.contact_workspace, phase, with_energy, horizon,
    )  # fmt: skip
    step.totals[LOST_POWER] += step.contact_totals[CONTACT_POWER]
    if phase == STEP_BEGINS:
        for k in range(step.states.memory.shape[0]):
            step.states.memory[k] = step.stage.memory[k]
    return status


@compiled
def check_mean_motion(
    plant: PlantAddresses, step: StepArrays, contacts: Floats, method: int, h: float
) -> int:
    """Check that the mean velocities in a step move no shape through another one.

    A method without steps is not checked.
    """
    if method != RUNGE_KUTTA and method != SEMI_IMPLICIT_EULER:
        return REACHED
    for c in range(step.velocity.shape[0]):
        if method == RUNGE_KUTTA:
            last = step.stage_velocity[c] / 6.0
            step.mean_velocity[c] = step.mean_velocity_sum[c] + last
        else:
            step.mean_velocity[c] = step.velocity[c] + h * step.acceleration[c]
    status: int = call_at(
        plant.run_contact_loads, plant.forward, plant.scene,
        step.states.position, step.mean_velocity, step.stage.memory,
        step.rate.memory, step.effort, step.contact_totals, contacts,
        step.contact_workspace, STEP_ENDS, False, h,
    )  # fmt: skip
    return status


@compiled
def forward_in(plant: PlantAddresses, step: StepArrays) -> ForwardTerms:
    """Return the result of forward dynamics; without loop joints only its `motion` is valid."""
    sizes = sizes_in(plant.robot_ints)
    return lay_out(ForwardTerms, plant.robot_ints, step.forward_out, sizes)


@compiled
def accelerate(plant: PlantAddresses, step: StepArrays, closed: bool) -> int:
    """Write the accelerations of a stage; add the resistance and powers of friction and loads.

    `closed`: loops that are open by more than `MOST_OPEN` end the steps.
    """
    status = call_at(
        plant.run_forward, plant.forward,
        step.stage.position, step.stage_velocity, step.effort,
        step.forward_workspace, step.forward_out,
    )  # fmt: skip
    if status != REACHED:
        return status
    terms = forward_in(plant, step)
    if closed:
        for k in range(terms.constraint_error.shape[0]):
            if not abs(terms.constraint_error[k]) <= MOST_OPEN * terms.constraint_size[k]:
                return LOOP_OPEN + STATUSES * k
    motion = terms.motion
    lost = motion.damping_power[0]
    for c in range(step.velocity.shape[0]):
        step.acceleration[c] = motion.forward_acceleration[c]
        step.resistance[c] += motion.friction_effort[c]
        lost += motion.friction_effort[c] * step.stage_velocity[c]
    step.totals[WORK_POWER] += motion.external_power[0]
    step.totals[LOST_POWER] += lost
    return status


@compiled
def write_row(plant: PlantAddresses, step: StepArrays, row: StepRow) -> None:
    """Write the state at the beginning of a step, and its efforts, energies and powers."""
    for k in range(row.states.position.shape[0]):
        row.states.position[k] = step.states.position[k]
    for k in range(row.states.memory.shape[0]):
        row.states.memory[k] = step.states.memory[k]
    for c in range(row.velocity.shape[0]):
        row.velocity[c] = step.velocity[c]
        row.acceleration[c] = step.acceleration[c]
        row.acting[c] = step.acting[c]
    row.energies[0], row.energies[1] = step.totals[WORK], step.totals[LOST]
    row.powers[0], row.powers[1] = step.totals[WORK_POWER], step.totals[LOST_POWER]
    row.contact_energy[0] = step.contact_totals[CONTACT_STORED]
    loops = forward_in(plant, step)
    for k in range(row.multiplier_force.shape[0]):
        row.multiplier_force[k] = loops.multiplier_force[k]
        row.constraint_error[k] = loops.constraint_error[k]
        row.constraint_rate[k] = loops.constraint_rate[k]
        row.constraint_size[k] = loops.constraint_size[k]
    for k in range(row.constraint_rank.shape[0]):
        row.constraint_rank[k] = loops.constraint_rank[k]


@compiled
def close_loops(plant: PlantAddresses, step: StepArrays) -> None:
    """Move the state to the nearest one with closed loops.

    Loops that are too far open stay open: the next step reports them.
    """
    at = first_numbers(RobotAddresses, plant.forward)
    call_at(
        plant.run_closure, at.ints, at.floats, at.run_cycle, at.run_loop_constraints,
        floats_of(step.states.position), floats_of(step.velocity), step.acceleration,
        step.movable, 2, 0, SHALLOW_IN_STEPS, MOST_OPEN, step.closure_workspace,
    )  # fmt: skip


@compiled
def write_rate(plant: PlantAddresses, position: Floats, velocity: Floats, rate: Floats) -> None:
    """Write the rates of positions for a velocity."""
    call_at(plant.run_position_rate, plant.robot_ints, plant.robot_floats, position, velocity, rate)


@compiled
def normalise(plant: PlantAddresses, step: StepArrays, position: Floats) -> None:
    """Scale the quaternions of floating joints to length one."""
    if position.shape[0] > step.velocity.shape[0]:
        call_at(plant.run_normalisation, plant.robot_ints, plant.robot_floats, position)


@compiled
def advance(start: States, h: float, rate: States, out: States) -> None:
    """Write the states after a time, at constant rates."""
    for k in range(out.position.shape[0]):
        out.position[k] = start.position[k] + h * rate.position[k]
    for k in range(out.memory.shape[0]):
        out.memory[k] = start.memory[k] + h * rate.memory[k]


@compiled
def semi_implicit_euler_step(plant: PlantAddresses, step: StepArrays, h: float) -> None:
    """Take a step: the velocity first, then the position with the new velocity.

    Efforts change the kinetic energy by their product with the mean velocity. The difference to the
    product with the new velocity, by which gravity and springs change their energy, does not grow:
    its sum over steps is 1/2 h times these efforts times the change of the velocity.
    """
    contact_effort = step.velocity_sum
    work, lost = 0.0, step.contact_totals[CONTACT_POWER]
    for c in range(step.velocity.shape[0]):
        change = h * step.acceleration[c]
        mean = step.velocity[c] + 0.5 * change
        lost += step.resistance[c] * mean - 0.5 * contact_effort[c] * change
        work += step.acting[c] * mean
        step.velocity[c] += change
    write_rate(plant, step.stage.position, step.velocity, step.rate.position)
    advance(step.states, h, step.rate, step.states)
    normalise(plant, step, step.states.position)
    motion = forward_in(plant, step).motion
    step.totals[WORK] += h * (work + motion.external_power[0])
    step.totals[LOST] += h * (lost + motion.damping_power[0])


@compiled
def runge_kutta_stage(plant: PlantAddresses, step: StepArrays, stage: int, h: float) -> None:
    """Add a stage of the classical method of fourth order; the last ends the step, closes loops."""
    weight = 1.0 / 3.0 if stage == 1 or stage == 2 else 1.0 / 6.0
    totals = step.totals
    write_rate(plant, step.stage.position, step.stage_velocity, step.rate.position)
    totals[WORK_SUM] += weight * totals[WORK_POWER]
    totals[LOST_SUM] += weight * totals[LOST_POWER]
    advance(step.rate_sum, weight, step.rate, step.rate_sum)
    for c in range(step.velocity.shape[0]):
        step.velocity_sum[c] += weight * step.acceleration[c]
        step.mean_velocity_sum[c] += weight * step.stage_velocity[c]
    if stage < 3:
        ahead = h if stage == 2 else 0.5 * h
        advance(step.states, ahead, step.rate, step.stage)
        for c in range(step.velocity.shape[0]):
            step.stage_velocity[c] = step.velocity[c] + ahead * step.acceleration[c]
        normalise(plant, step, step.stage.position)
        return
    advance(step.states, h, step.rate_sum, step.states)
    for c in range(step.velocity.shape[0]):
        step.velocity[c] += h * step.velocity_sum[c]
    normalise(plant, step, step.states.position)
    if plant.run_closure != 0:
        close_loops(plant, step)
    totals[WORK] += h * totals[WORK_SUM]
    totals[LOST] += h * totals[LOST_SUM]


@compiled
def rosenbrock_stage(plant: PlantAddresses, step: StepArrays, stage: int, h: float) -> int:
    """Solve a stage, see `rosenbrock`; the second ends the step."""
    v, totals, share = step.velocity.shape[0], step.totals, GAMMA * h
    first_v = step.velocity_sum  # k_v of the first stage
    if stage == 0:
        status = linearise(plant, step, h)
        if status != REACHED:
            return status
        solve_stage(plant, step, step.acceleration, step.velocity, h, first_v)
        for c in range(v):
            step.stage_velocity[c] = step.velocity[c] + share * first_v[c]  # k_p
        write_rate(plant, step.states.position, step.stage_velocity, step.rate.position)
        advance(step.states, h, step.rate, step.stage)
        for c in range(v):
            step.stage_velocity[c] = step.velocity[c] + h * first_v[c]
        normalise(plant, step, step.stage.position)
        totals[WORK_SUM] = totals[WORK_POWER]
        totals[LOST_SUM] = totals[LOST_POWER]
        return REACHED
    write_rate(plant, step.stage.position, step.stage_velocity, step.rate_sum.position)
    r_v, r_p, k_v = step.acceleration, step.stage_velocity, step.resistance
    for c in range(v):
        r_v[c] -= 2.0 * first_v[c]
        first_p = step.velocity[c] + share * first_v[c]
        r_p[c] -= 2.0 * first_p
    solve_stage(plant, step, r_v, r_p, h, k_v)
    for c in range(v):
        first_p = step.velocity[c] + share * first_v[c]
        step.stage_velocity[c] = 0.5 * (first_p + share * k_v[c])
        step.velocity[c] += 0.5 * h * (3.0 * first_v[c] + k_v[c])
    position, rate = step.states.position, step.rate.position
    write_rate(plant, position, step.stage_velocity, rate)
    for k in range(position.shape[0]):
        position[k] += h * (rate[k] + 0.5 * step.rate_sum.position[k])
    normalise(plant, step, position)
    if plant.run_closure != 0:
        close_loops(plant, step)
    totals[WORK] += 0.5 * h * (totals[WORK_SUM] + totals[WORK_POWER])
    totals[LOST] += 0.5 * h * (totals[LOST_SUM] + totals[LOST_POWER])
    return REACHED
