# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables of robots on a floor: speed, stiff feet, batches."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

import numpy as np

from charmie_dynamics.core.contact.stiffness import compliance, hertz_stiffness
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import PlantBatch, World
from validation.harness.tables import at_least, table
from validation.harness.timing import turns

from .contact_cases import (
    CASES,
    DURATION,
    PERIOD,
    SCALE_DAMPING,
    SCALE_STIFFNESS,
    Case,
    Servo,
    feet_of,
)
from .contact_speed import (
    LOST,
    OURS,
    OWN,
    SUBJECTS,
    THEIRS,
    Run,
    apart,
    measure,
    plant_run,
    timed,
)

WANTED_RATIO = 1.0  # MuJoCo over this package at the same accuracy
WANTED = {"athena": 20.0}  # times real time, with the contacts of the world file
ACCURATE = 1e-4  # m, for what is wanted
MATERIALS = {
    "foam": (1e6, 0.3),
    "soft rubber": (5e6, 0.49),
    "hard rubber": (2e7, 0.49),
    "polyurethane": (1e8, 0.48),
    "nylon": (2e9, 0.4),
    "steel": (2.1e11, 0.3),
}  # Young's modulus (Pa), Poisson's ratio
PERIODS = 400
FINER = 4  # times as many steps, of the run that an error is held against
METHODS = ("rk4", "semi_implicit_euler")
BATCH_STEP = 5e-4  # s
BATCH_PERIODS = 10  # in one call
SIZES = (1, 8, 64)


def speed_table(rounds: int) -> tuple[str, list[str]]:
    """Return the table of all robots, beside what is wanted of them, and what is missing."""
    rows, notes, faults = [], [], []
    for robot in CASES:
        found = measure(robot, rounds)
        fit = [s for s in found.times if s[:2] == (OURS, OWN) and found.errors[s] <= ACCURATE]
        quickest = min(fit, key=found.times.__getitem__, default=None)
        for subject in sorted({**found.times, **found.reasons}, key=SUBJECTS.index):
            program, contact, method, steps = subject
            head = robot, program, contact, f"`{method}`", f"{1e3 * PERIOD / steps:g}"
            if subject in found.reasons:
                faults.append(f"{subject}: {found.reasons[subject]}")
                rows.append((*head, f"not timed: {found.reasons[subject]}", "", ""))
                continue
            error, ratio = found.errors[subject], found.ratio(subject)
            wanted = WANTED.get(robot) if subject == quickest else None
            least = WANTED_RATIO if program == THEIRS else None
            rows.append(
                (
                    *head,
                    f"{1e6 * error:.2g}" if error <= LOST else "another motion",
                    at_least(DURATION / found.times[subject], wanted),
                    "-" if ratio is None else at_least(ratio, least),
                )
            )
        if found.gap == found.gap:
            notes.append(
                f"{robot}: with the shortest steps and the same contacts the bases of both "
                f"programs are never more than {1e6 * found.gap:.2g} um apart."
            )
    heads = ("robot", "program", "contacts", "method", ">step (ms)", ">error (um)",
             ">times real time", ">times as long as ours that is as exact")  # fmt: skip
    return "\n\n".join([table(heads, rows), *notes]), faults


def steps_table(case: Case, rounds: int) -> str:
    """Return the table of what a stiff foot costs: the step that it needs, and times real time."""
    radius, load = feet_of(case)
    servo = case.servo.first(PERIODS)
    runs, needs, rows = {}, {}, []
    for material, (young, poisson) in MATERIALS.items():
        stiffness = hertz_stiffness(radius, 1.0 / compliance(young, poisson))
        indentation = (load / stiffness) ** (2.0 / 3.0)
        along = 1.5 * stiffness * math.sqrt(indentation)
        world = case.with_contacts(
            "contacts:\n  default:\n    normal: lankarani_nikravesh\n"
            f"    stiffness: {stiffness!r}\n    restitution: 0.3\n    least_speed: 0.05\n"
            "    friction: elasto_plastic\n    kinetic: 0.6\n    static: 0.7\n"
            f"    tangential_stiffness: {SCALE_STIFFNESS * along!r}\n"
            f"    tangential_damping: {SCALE_DAMPING * math.sqrt(along)!r}\n"
        )
        for method in METHODS:
            need = world.contact_need(method)
            steps = 1 if need is None else max(1, math.ceil(PERIOD / need.step))
            run, steps, base = accepted_run(world, servo, method, steps)
            fine = plant_run(world, servo, "rk4", FINER * steps)().base
            needs[material, method] = 1e3 * PERIOD / steps, 1e6 * apart(base, fine)
            runs[material, method] = timed(run)
        properties = f"{1e-6 * young:g}", f"{stiffness:.1e}", f"{1e6 * indentation:.2g}"
        rows.append([material, *properties])
    times = turns(runs, rounds, seed=2)
    for row in rows:
        for method in METHODS:
            step, error = needs[row[0], method]
            speed = PERIODS * PERIOD / median(times[row[0], method])
            row += [f"{step:.3g}", f"{error:.2g}", f"{speed:.1f}"]
    own = [(f">`{m}`: step (ms)", ">error (um)", ">times real time") for m in METHODS]
    head = ("foot", ">E (MPa)", ">K (N/m^1.5)", ">pressed in by (um)")
    return table((*head, *(cell for cells in own for cell in cells)), rows)


def accepted_run(world: World, servo: Servo, method: str, steps: int) -> tuple[Run, int, Floats]:
    """Return a run that keeps its balance of energies, its steps in a period, and its base."""
    while True:
        run = plant_run(world, servo, method, steps)
        try:
            return run, steps, run().base
        except SimulationError:
            steps *= 2


def batches_table(case: Case, rounds: int) -> str:
    """Return the table of many robots on a floor, on one core and on several; cores take turns."""
    cores = sorted({1, len(os.sched_getaffinity(0))})
    steps = round(BATCH_PERIODS * PERIOD / BATCH_STEP)
    rows = []
    for count in SIZES:
        busy: dict[int, list[float]] = {workers: [] for workers in (0, *cores)}
        runs = {workers: _advance(case, count, workers, steps, busy) for workers in busy}
        seconds = turns(runs, rounds)
        alone = median(busy[0]) / median(busy[1])
        motion = count * BATCH_PERIODS * PERIOD / median(busy[1])
        cells = [case.name, str(count), f"{motion:.1f}"]
        for workers in cores[1:]:
            gain = median(np.divide(seconds[1], seconds[workers]).tolist())
            cells += [f"{gain:.2f}", f"{median(busy[workers]) / median(busy[1]):.2f}"]
        rows.append([*cells, f"{100.0 * alone:.1f} %"])
    more = [(f">gain by {n} cores", ">CPU time, by one core's") for n in cores[1:]]
    head = ("robot", ">plants", ">times real time, all together")
    last = ">share that no second core can take"
    return table((*head, *(cell for cells in more for cell in cells), last), rows)


def _advance(
    case: Case, count: int, workers: int, steps: int, busy: dict[int, list[float]]
) -> Callable[[], float]:
    """Return what moves plants on and returns the time by the clock (s); without workers by 0.

    The CPU times (s) are added to `busy`.
    """
    world = case.own_world
    batch = PlantBatch(
        world.model, world.position, count=count, workers=max(1, workers),
        step=BATCH_STEP, friction=False, contacts=world.contacts,
    )  # fmt: skip
    effort = np.tile(case.servo.effort[0], (count, 1))

    def run() -> float:
        batch.reset(world.position)
        begin, worked = perf_counter(), process_time()
        batch.advance(effort, steps if workers else 0)
        busy[workers].append(process_time() - worked)
        return perf_counter() - begin

    return run
