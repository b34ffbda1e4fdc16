# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A second of CHARMIE, by this package and by MuJoCo, with the error of each against a fine run.

``python -m benchmarks.simulation`` prints the table alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from charmie_dynamics import CharmieError, Model, load_model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import simulate

SWING = Path(__file__).resolve().parents[1] / "test" / "reference" / "swing.json"
DURATION = 1.0  # s
FINE = 1e-4  # s, step of the run that errors are held against
ROUNDS = 20
SUBSTITUTE_MASS = 1e-6  # kg; MuJoCo moves no body without mass
ITERATIONS = 100  # of its solver at most, until its cost changes by no more than
SOLVER_TOLERANCE = 1e-10
WANTED_TIME = 15e-3  # s, of the first row
WANTED_RATIO = 2.0  # MuJoCo over this package at the same accuracy
OURS, THEIRS = "this package", "MuJoCo"
SUBJECTS = (
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


@dataclass(frozen=True)
class Row:
    """A second of motion by one method.

    Attributes
    ----------
    program, method : str
    step : float or None
        In seconds; None: it varies.
    error : float
        Largest of the positions of the actuators at the end (rad, m).
    time : float or None
        CPU time (s), median; None: not measured, for `reason`.
    """

    program: str
    method: str
    step: float | None
    error: float = float("nan")
    time: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class SimulationCosts:
    """All rows."""

    rows: tuple[Row, ...]

    @property
    def complete(self) -> bool:
        """Whether each was timed."""
        return all(row.time is not None for row in self.rows)

    def ratio(self, row: Row) -> float | None:
        """Return the time of a row over that of our quickest one with no larger error."""
        ours = [
            other.time
            for other in self.rows
            if other.program == OURS and other.time is not None and other.error <= row.error
        ]
        return row.time / min(ours) if ours and row.time is not None else None


@dataclass(frozen=True)
class Swing:
    """Where the motion begins (a,), and the efforts that are held (a,)."""

    model: Model
    position: Floats
    effort: Floats


def make_swing() -> Swing:
    """Return the swing of the reference data, without its damping."""
    model = load_model()
    data = json.loads(SWING.read_text(encoding="utf-8"))

    def in_order(values: dict[str, float]) -> Floats:
        return np.array([values[name] for name in model.actuator_names])

    return Swing(model, in_order(data["samples"][0]["position"]), in_order(data["effort"]))


def measure(
    rounds: int, subjects: Sequence[tuple[str, str, float | None]] = SUBJECTS
) -> SimulationCosts:
    """Find the error of each row, then time all in the same rounds."""
    swing = make_swing()
    fine = _ours(swing, "rk4", FINE)()
    runs: dict[int, Callable[[], Floats]] = {}
    rows: list[Row] = []
    for k, (program, method, step) in enumerate(subjects):
        row = Row(program, method, step)
        try:
            run = _ours(swing, method, step) if program == OURS else _theirs(swing, method, step)
            error = float(np.abs(run() - fine).max())
        except (ImportError, CharmieError) as problem:
            rows.append(Row(program, method, step, reason=str(problem)))
            continue
        runs[k] = run
        rows.append(Row(row.program, row.method, row.step, error))
    times: dict[int, list[float]] = {k: [] for k in runs}
    generator = np.random.default_rng(1)
    for _ in range(rounds):
        for k in generator.permutation(list(runs)).tolist():
            begin = process_time()
            runs[k]()
            times[k].append(process_time() - begin)
    return SimulationCosts(
        tuple(
            Row(row.program, row.method, row.step, row.error, median(times[k]))
            if k in times
            else row
            for k, row in enumerate(rows)
        )
    )


def _ours(swing: Swing, method: str, step: float | None) -> Callable[[], Floats]:
    model, position, effort = swing.model, swing.position, swing.effort

    def run() -> Floats:
        found = simulate(model, position, None, DURATION, effort, method, step)
        end: Floats = found.position[-1]
        return end

    return run


def _theirs(swing: Swing, method: str, step: float | None) -> Callable[[], Floats]:
    """Return the run of MuJoCo: loops as equality constraints, as hard as it has them."""
    import mujoco

    from validation.mujoco_robot import ClosedLoopRobot
    from validation.mujoco_simulation import harden

    if step is None:
        raise ImportError("MuJoCo has no method that varies its step")
    robot = ClosedLoopRobot(swing.model, SUBSTITUTE_MASS)
    harden(robot)
    options: Any = robot.mj_model.opt
    options.tolerance, options.iterations = SOLVER_TOLERANCE, ITERATIONS
    options.timestep = step
    options.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{method.upper()}")
    robot.mj_model.eq_solref[:, 0] = 2.0 * step
    still = np.zeros(len(swing.position))
    start = robot.close(swing.position, still, still).position
    steps = round(DURATION / step)
    model, data = robot.mj_model, robot.mj_data

    def run() -> Floats:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.ctrl[:] = start, swing.effort
        mujoco.mj_step(model, data, nstep=steps)
        end: Floats = data.qpos[robot.driven].copy()
        return end

    return run


def main(arguments: list[str] | None = None) -> int:
    """Print the table; exit status 0 only if all was timed."""
    from .report import simulation_table

    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulation")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"default {ROUNDS}")
    costs = measure(parser.parse_args(arguments).rounds)
    print(simulation_table(costs))
    return 0 if costs.complete else 1


if __name__ == "__main__":
    sys.exit(main())
