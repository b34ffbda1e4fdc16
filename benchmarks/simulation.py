# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A second of CHARMIE, by this package and by MuJoCo, with the error of each against a fine run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics import CharmieError, Model, load_model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import simulate
from validation.harness.tables import at_least, at_most, table
from validation.harness.timing import turns

SWING = Path(__file__).resolve().parents[1] / "test" / "reference" / "swing.json"
DURATION = 1.0  # s
FINE = 1e-4  # s, step of the run that errors are held against
SUBSTITUTE_MASS = 1e-6  # kg; MuJoCo moves no body without mass
ITERATIONS = 100  # of its solver at most, until its cost changes by no more than
SOLVER_TOLERANCE = 1e-10
WANTED_TIME = 15.0  # ms, of the first row
WANTED_RATIO = 2.0  # MuJoCo over this package at the same accuracy
OURS, THEIRS = "this package", "MuJoCo"
SUBJECTS: tuple[tuple[str, str, float | None], ...] = (
    (OURS, "rk4", 1e-3),
    (OURS, "rk4", 2e-3),
    (OURS, "rk4", 4e-3),
    (OURS, "rosenbrock", 1e-3),
    (OURS, "semi_implicit_euler", 1e-4),
    (OURS, "adaptive", None),
    (THEIRS, "RK4", 5e-4),
    (THEIRS, "RK4", 1e-3),
    (THEIRS, "RK4", 2e-3),
    (THEIRS, "Euler", 1e-4),
    (THEIRS, "implicitfast", 1e-4),
)


class Swing(NamedTuple):
    """Where the motion begins (a,), and the efforts that are held (a,)."""

    model: Model
    position: Floats
    effort: Floats


def make_swing() -> Swing:
    """Return the swing of the reference data, without its damping."""
    model = load_model()
    data = json.loads(SWING.read_text(encoding="utf-8"))
    start, effort = data["samples"][0]["position"], data["effort"]
    names = model.actuator_names
    return Swing(model, *(np.array([own[name] for name in names]) for own in (start, effort)))


def cpu_time(run: Callable[[], object]) -> Callable[[], float]:
    """Return what makes a run and returns its CPU time (s)."""

    def timed() -> float:
        begin = process_time()
        run()
        return process_time() - begin

    return timed


def measure(rounds: int) -> tuple[str, list[str]]:
    """Find the error of each row, time all in the same rounds; return table and missing rows."""
    swing = make_swing()
    fine = _ours(swing, "rk4", FINE)()
    runs, errors, reasons = {}, {}, {}
    for subject in SUBJECTS:
        make = _ours if subject[0] == OURS else _theirs
        try:
            run = make(swing, *subject[1:])
            errors[subject] = float(np.abs(run() - fine).max())
            runs[subject] = cpu_time(run)
        except (ImportError, CharmieError) as problem:
            reasons[subject] = str(problem)
    times = {subject: median(found) for subject, found in turns(runs, rounds).items()}
    rows = []
    for subject in SUBJECTS:
        program, method, step = subject
        head = program, f"`{method}`", "varies" if step is None else f"{1e3 * step:g}"
        if subject in reasons:
            rows.append((*head, f"not timed: {reasons[subject]}", "", ""))
            continue
        limit = WANTED_TIME if subject == SUBJECTS[0] else None
        as_exact = [
            times[other] for other in times if other[0] == OURS and errors[other] <= errors[subject]
        ]
        wanted = None if program == OURS else WANTED_RATIO
        ratio = at_least(times[subject] / min(as_exact), wanted) if as_exact else "-"
        shown = at_most(1e3 * times[subject], limit, ".1f")
        rows.append((*head, f"{errors[subject]:.1e}", shown, ratio))
    heads = ("program", "method", ">step (ms)", ">error at the end (rad, m)", ">CPU time (ms)",
             ">times the quickest of ours that is as exact")  # fmt: skip
    return table(heads, rows), [f"{subject[:2]}: {why}" for subject, why in reasons.items()]


def _ours(swing: Swing, method: str, step: float | None) -> Callable[[], Floats]:
    def run() -> Floats:
        found = simulate(swing.model, swing.position, None, DURATION, swing.effort, method, step)
        end: Floats = found.position[-1]
        return end

    return run


def _theirs(swing: Swing, method: str, step: float | None) -> Callable[[], Floats]:
    """Return the run of MuJoCo: loops as equality constraints, as hard as it has them."""
    import mujoco

    from validation.mujoco_robot import ClosedLoopRobot
    from validation.mujoco_simulation import harden

    assert step is not None
    robot = ClosedLoopRobot(swing.model, SUBSTITUTE_MASS)
    harden(robot)
    model, data = robot.mj_model, robot.mj_data
    options: Any = model.opt
    options.tolerance, options.iterations = SOLVER_TOLERANCE, ITERATIONS
    options.timestep = step
    options.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{method.upper()}")
    model.eq_solref[:, 0] = 2.0 * step
    still = np.zeros(len(swing.position))
    start = robot.close(swing.position, still, still).position
    steps = round(DURATION / step)

    def run() -> Floats:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.ctrl[:] = start, swing.effort
        mujoco.mj_step(model, data, nstep=steps)
        end: Floats = data.qpos[robot.driven].copy()
        return end

    return run
