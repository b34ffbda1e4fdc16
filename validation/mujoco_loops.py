# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Lift, torso, springs and balance mechanisms against real closed loops in MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from charmie_dynamics import Model, load_model

from .check import Check
from .mujoco_compare import (
    HEAVY_SUBSTITUTE,
    Comparison,
    absolute,
    cases,
    compare,
    mass_effect,
    relative,
)
from .mujoco_figure import plot_forces
from .mujoco_robot import ClosedLoopRobot
from .mujoco_simulation import simulate

SUBSTITUTE_MASS = 1e-10  # kg, of bodies without mass
GRID = 21  # lengths of each linear actuator
MOTIONS = 2  # at each point of the grid
SEED = 20260
DURATION, STEP = 1.0, 5e-4  # s, of the simulation
FIGURE = "mujoco_actuator_forces.png"


def run(figures: Path) -> list[Check]:
    """Run all comparisons, draw the figure into folder `figures`, return the checks."""
    model = load_model()
    robot = ClosedLoopRobot(model, SUBSTITUTE_MASS)
    plot_forces(figures / FIGURE, model, robot)
    motions = list(cases(model, GRID, MOTIONS, SEED))
    result = compare(model, robot, motions)
    extrapolated, slope = mass_effect(model, motions[:: len(motions) // 50])
    return [
        *_force_checks(result, slope),
        *_kinematic_checks(model, result),
        Check(
            title="Bodies without mass",
            compared="forces of all actuators",
            against="extrapolated to bodies without mass",
            largest=extrapolated,
            unit="relative",
            limit=1e-10,
            remarks=(
                f"MuJoCo moves no body without mass. With {HEAVY_SUBSTITUTE:g} kg and twice that "
                f"for each, the forces change along a line by up to {slope:.0f} N per kg, and the "
                "line meets the model's forces at zero."
            ),
        ),
        *_solver_checks(model, robot, result),
    ]


def _force_checks(result: Comparison, slope: float) -> list[Check]:
    count = len(result.gap)
    effect = slope * SUBSTITUTE_MASS
    remarks = (
        f"Relative to each actuator's largest force. MuJoCo's inertia, bias, spring forces, "
        f"constraint Jacobian J and moment arms A; tau = J^T lambda + A^T u solved for u, which "
        f"is unique ({result.undetermined} of its dimensions open) although J is redundant; "
        f"{result.unbalanced:.0e} N remain. The limit is the {SUBSTITUTE_MASS:g} kg that each "
        f"massless body needs: up to {effect:.0e} N."
    )
    rest, moving = slice(None, None, 1 + MOTIONS), np.arange(count) % (1 + MOTIONS) > 0
    return [
        Check(
            title=f"Actuator forces in closed loops, {title}",
            compared=f"forces of all {result.effort[0].shape[-1]} actuators",
            against="loops as bodies and hard equality constraints",
            largest=relative(result.effort, rows),
            unit="relative",
            limit=1e-9,
            remarks=f"{len(result.gap[rows])} states, {GRID} x {GRID} lengths. {remarks}",
            figures=(FIGURE,),
        )
        for title, rows in (("at rest", rest), ("in motion", moving))
    ]


def _kinematic_checks(model: Model, result: Comparison) -> list[Check]:
    closed = "constraints solved from the zero position"
    shortest = result.spring_length[1].min(axis=0) - model.flat.mechanisms.springs.free_length
    margin = ", ".join(
        f"{name} {1e3 * room:.0f} mm"
        for name, room in zip(model.spring_names, shortest, strict=True)
    )
    rows = [
        (
            "Closure of the loops",
            "where the model puts all bodies",
            "residual of the equality constraints",
            float(result.gap.max()),
            "m, rad",
            1e-13,
            "Nothing is solved: the constraints are evaluated at the model's kinematics.",
        ),
        (
            "Joints from actuator lengths",
            "position, velocity and acceleration of all joints",
            closed,
            absolute(result.joints),
            "m, rad and per s, s^2",
            1e-10,
            "Limited by the numeric derivative of MuJoCo's Jacobian.",
        ),
        (
            "Actuator lengths from joints",
            "length, rate and acceleration of the linear actuators",
            "tendons from pin to pin; accelerations of the slides",
            absolute(result.lengths),
            "m, m/s, m/s^2",
            1e-10,
            "At the joints' motion that MuJoCo's constraints give.",
        ),
        (
            "Bodies of the loops",
            "positions of all bodies, tubes, rods, bars and uprights",
            closed,
            absolute(result.origins),
            "m",
            1e-12,
            "",
        ),
        (
            "Spring lengths",
            "lengths of the springs",
            "spatial tendons",
            absolute(result.spring_length),
            "m",
            1e-13,
            "",
        ),
        (
            "Spring tensions",
            "tensions of the springs",
            "passive forces of spatial tendons",
            absolute(result.tension),
            "N",
            1e-9,
            "A tendon has no pretension: its free length is shifted by pretension / stiffness, "
            "which is the same law while a spring is longer than its free length. Shortest "
            f"lengths beyond that: {margin}.",
        ),
    ]
    return [Check(*row) for row in rows]


def _solver_checks(model: Model, robot: ClosedLoopRobot, result: Comparison) -> list[Check]:
    simulated = simulate(robot, DURATION, STEP)
    linear = [model.actuator_names.index(a.name) for a in model.mechanisms.linear_actuators]
    ours, planned = simulated.position[:, linear], simulated.planned[:, linear]
    travel = 1e3 * np.ptp(planned, axis=0)
    return [
        Check(
            title="Accelerations under the computed forces",
            compared="planned accelerations of all actuators",
            against="forward dynamics with its constraint solver",
            largest=relative(result.acceleration),
            unit="relative",
            limit=1e-5,
            remarks=(
                f"{len(result.gap)} states, relative to each actuator's largest acceleration. "
                "Limited by MuJoCo's constraints, which yield in proportion to their force; the "
                "difference shrinks with that compliance until round-off in the solver takes over."
            ),
        ),
        Check(
            title="Simulation under the computed forces",
            compared="planned lengths of the linear actuators",
            against=f"simulated for {DURATION:g} s without any controller",
            largest=absolute((ours, planned)),
            unit="m",
            limit=1e-4,
            remarks=(
                f"Lift and torso travel {travel[0]:.0f} mm and {travel[1]:.0f} mm and back, all "
                f"others swing. Limited by the step of {1e3 * STEP:g} ms, during which forces are "
                "held, and by the unstable pose that magnifies it."
            ),
        ),
        Check(
            title="Closure of the loops in the simulation",
            compared="loops of lift, torso and balance mechanisms",
            against="residual of the equality constraints",
            largest=float(simulated.gap.max()),
            unit="m, rad",
            limit=1e-7,
            remarks="Limited by the step and by the soft constraints of MuJoCo.",
        ),
    ]
