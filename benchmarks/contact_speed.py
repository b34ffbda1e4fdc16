# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots on a floor, by this package and by MuJoCo: times real time, and at what error.

Both have the same bodies, efforts and contacts. A servo gives the efforts, held over a period; the
time is that of the simulation alone, called from Python once in each period. The error of a run is
against one of the same program and the same contacts with `FINE` steps in a period.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import thread_time
from typing import NamedTuple

import numpy as np

from charmie_dynamics import CharmieError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import Plant, World
from validation.harness.timing import turns

from .contact_cases import CASES, PERIOD, Case, Servo

FINE = 32
SAME = 1.1  # times the error: as exact
NEGLIGIBLE = 1e-7  # m
LOST = 1e-2  # m: a run that is off by more is of another motion
OURS, THEIRS = "this package", "MuJoCo"
OWN, SPRING, USUAL = "world file", "spring and damper", "impedance 0.9"
FINEST = {OURS: "rk4", THEIRS: "RK4"}


class Subject(NamedTuple):
    """A program, its contacts, a method, and the steps in a period."""

    program: str
    contact: str
    method: str
    steps: int


SUBJECTS = tuple(
    Subject(program, contact, method, steps)
    for program, contacts, methods in (
        (OURS, (OWN, SPRING), {"rk4": (1, 2, 4), "semi_implicit_euler": (1, 2, 4, 8)}),
        (THEIRS, (SPRING, USUAL), {"RK4": (1, 2), "implicitfast": (1, 2, 4, 8)}),
    )
    for contact in contacts
    for method, counts in methods.items()
    for steps in counts
)


class Measured(NamedTuple):
    """Position of the base at the end of each period (k, 3), and CPU time of the simulation (s)."""

    base: Floats
    time: float


Run = Callable[[], Measured]


class Speeds(NamedTuple):
    """Errors (m) and CPU times (s) of subjects, and why others have none.

    `gap` is the largest distance between the bases of both programs, at any time of their runs with
    the shortest steps and the same contacts (m); NaN without MuJoCo.
    """

    errors: dict[Subject, float]
    times: dict[Subject, float]
    reasons: dict[Subject, str]
    gap: float

    def ratio(self, subject: Subject) -> float | None:
        """Return the time of a subject over that of our quickest one that is as exact.

        Contacts of MuJoCo are linear springs, and held against ours that are.
        """
        if not self.errors[subject] <= LOST:
            return None
        contact = OWN if subject.contact == OWN else SPRING
        least = max(SAME * self.errors[subject], NEGLIGIBLE)
        ours = [
            time
            for other, time in self.times.items()
            if other[:2] == (OURS, contact) and self.errors[other] <= least
        ]
        return self.times[subject] / min(ours) if ours else None


def measure(robot: str, rounds: int, subjects: Sequence[Subject] = SUBJECTS) -> Speeds:
    """Find the error of each subject, then time all in the same rounds."""
    case = CASES[robot]()
    runs, errors, reasons = {}, {}, {}
    fine: dict[tuple[str, str], Floats] = {}
    for subject in subjects:
        key = subject[:2]
        try:
            if key not in fine:
                fine[key] = run_of(case, Subject(*key, FINEST[key[0]], FINE))().base
            runs[subject] = run_of(case, subject)
            errors[subject] = apart(runs[subject]().base, fine[key])
        except (ImportError, CharmieError) as problem:
            reasons[subject] = str(problem)
            runs.pop(subject, None)
    times = turns({subject: timed(run) for subject, run in runs.items()}, rounds)
    both = [fine.get((program, SPRING)) for program in (OURS, THEIRS)]
    gap = apart(both[0], both[1]) if both[0] is not None and both[1] is not None else np.nan
    return Speeds(errors, {s: median(found) for s, found in times.items()}, reasons, gap)


def timed(run: Run) -> Callable[[], float]:
    """Return what makes a run and returns its CPU time (s)."""
    return lambda: run().time


def apart(one: Floats, other: Floats) -> float:
    """Return the largest distance of two courses of a base (m)."""
    return float(np.linalg.norm(one - other, axis=1).max())


def run_of(case: Case, subject: Subject) -> Run:
    """Return a run of a subject."""
    return _ours(case, subject) if subject.program == OURS else _theirs(case, subject)


def _ours(case: Case, subject: Subject) -> Run:
    world = case.own_world if subject.contact == OWN else case.spring_world
    return plant_run(world, case.servo, subject.method, subject.steps)


def plant_run(world: World, servo: Servo, method: str, steps: int) -> Run:
    """Return a run of a world, with so many steps in a period."""
    model = world.model
    names = model.position_names
    positions = [names.index(name) for name in model.actuator_names]
    velocities = model.actuator_index
    (base,) = (joint for joint in model.tree.joints if joint.type == "floating")
    first = names.index(f"{base.name}/x")
    zero = model.compute(world.position).frame(base.child)[0] - world.position[first : first + 3]
    plant = Plant(
        model, world.position, integrator=method, step=PERIOD / steps, friction=False,
        contacts=world.contacts,
    )  # fmt: skip

    def run() -> Measured:
        plant.reset(world.position)
        seconds = 0.0
        places = np.empty((len(servo.effort), 3))
        for k in range(len(places)):
            effort = servo.at(k, plant.position[positions], plant.velocity[velocities])
            begin = thread_time()
            plant.advance(effort, steps)
            seconds += thread_time() - begin
            places[k] = plant.position[first : first + 3]
        return Measured(places + zero, seconds)

    return run


def _theirs(case: Case, subject: Subject) -> Run:
    import mujoco

    from validation import mujoco_world

    impedance = mujoco_world.SPRING if subject.contact == SPRING else mujoco_world.USUAL
    found = mujoco_world.MujocoWorld(case.spring_world, case.contact, impedance)
    model, data, servo, steps = found.model, found.data, case.servo, subject.steps
    model.opt.timestep = PERIOD / steps
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{subject.method.upper()}")
    base = found.base_entry
    positions, velocities = found.position_entries, found.velocity_entries

    def run() -> Measured:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = found.start
        seconds = 0.0
        places = np.empty((len(servo.effort), 3))
        for k in range(len(places)):
            effort = servo.at(k, data.qpos[positions], data.qvel[velocities])
            begin = thread_time()
            data.ctrl[:] = effort
            mujoco.mj_step(model, data, nstep=steps)
            seconds += thread_time() - begin
            places[k] = data.qpos[base : base + 3]
        return Measured(places, seconds)

    def quiet() -> Measured:
        # a run that becomes unstable is in the table by its error
        mujoco.set_mju_user_warning(lambda _: None)
        try:
            return run()
        finally:
            mujoco.set_mju_user_warning(None)

    return quiet
