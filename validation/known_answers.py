# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulations against problems with known answers, beside Exudyn and MuJoCo."""

from __future__ import annotations

import importlib
import math
from importlib import metadata
from pathlib import Path
from types import ModuleType

from charmie_dynamics import CharmieError

from .check import Check
from .harness.tables import table
from .known_runs import KNOWN_RUNS, KnownRun, Outcome, reference_at, run_problem
from .witnesses import distance

WITNESSES = {"exudyn": "exudyn_runs", "mujoco": "mujoco_runs"}
PROGRAMS = {"exudyn": "exudyn", "mujoco": "mujoco-core"}
HEADINGS = (
    *("problem", "position", "energy", "loops open", "rank"),
    *("Exudyn: error", "CPU time", "MuJoCo: error", "CPU time", "reported elsewhere"),
)


def run(figures: Path) -> list[Check]:
    """Run the problems; those of the other programs where they are installed."""
    programs = {name: _witness(module) for name, module in WITNESSES.items()}
    rows, checks = [], []
    for known in KNOWN_RUNS:
        problem = known.problem
        model = problem.model()
        compared = f"{problem.duration:g} s"
        try:
            run_problem(problem, model, **known.options)  # loads what is compiled
            outcome = run_problem(problem, model, **known.options)
        except CharmieError as error:
            checks.append(
                Check(
                    problem.title, compared, problem.source, math.inf, "", known.limit, str(error)
                )
            )
            continue
        cells = _others(known, outcome, programs)
        rows.append(
            (
                problem.title,
                f"{outcome.position_error:.0e}",
                f"{outcome.energy_error:.0e}",
                "-" if outcome.ranks == "-" else f"{outcome.run.constraint_error.max():.0e}",
                outcome.ranks,
                *cells,
                known.published or "-",
            )
        )
        checks.append(
            Check(
                problem.title,
                f"{compared}, {outcome.run.integrator}",
                problem.source,
                outcome.position_error,
                "rad, m",
                known.limit,
            )
        )
    checks.append(
        Check(
            "All problems",
            "errors as shares of their limits",
            "the limits above",
            max(check.largest / check.limit for check in checks),
            "of the limit",
            1.0,
            _table(rows, programs),
        )
    )
    return checks


def _witness(module: str) -> ModuleType | None:
    """Return the module that runs another program, None where that is not installed."""
    try:
        return importlib.import_module(f"{__package__}.witnesses.{module}")
    except ImportError:
        return None


def _others(known: KnownRun, outcome: Outcome, programs: dict[str, ModuleType | None]) -> list[str]:
    """Return error and share of time of each of the other programs."""
    problem, cells = known.problem, []
    for name, program in programs.items():
        steps: int = getattr(known, name)
        if program is None or not steps:
            cells += ["-", "-"]
            continue
        options = known.exudyn_options if name == "exudyn" else {}
        try:
            found = program.run(problem, steps, **options)
        except (ArithmeticError, RuntimeError) as error:
            cells += [f"fails: {type(error).__name__}", "-"]
            continue
        end = reference_at(problem.name, problem.duration)
        off = distance(problem, found.places, end)
        cells += [f"{off:.0e} m", f"{float(f'{found.seconds / outcome.seconds:.1g}'):g}"]
    return cells


def _table(rows: list[tuple[str, ...]], programs: dict[str, ModuleType | None]) -> str:
    """Return all of it as a table, with what it means."""
    versions = [
        f"{name} {metadata.version(PROGRAMS[name])}" if program else f"{name} (not installed)"
        for name, program in programs.items()
    ]
    text = (
        "Largest error of a position (rad, m), drift of the energy balance as share of the energy "
        "that is turned over, how far loop joints open (m, rad), rank of their constraints. Beside "
        "it, in one run: how far the centres of mass of others end from the reference, and their "
        "CPU time as a multiple of ours (one thread; the set-up left out): "
        f"{', '.join(versions)}, at fixed steps."
    )
    return f"{text}\n\n{table(HEADINGS, rows)}"
