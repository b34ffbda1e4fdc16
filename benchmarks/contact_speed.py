# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots on a floor, by this package and by MuJoCo: times real time, and at what error.

Both have the same bodies, efforts and contacts. A servo gives the efforts, held over a period; the
time is that of the simulation alone, called from Python once in each period. The error of a run is
against one of the same program and the same contacts with `FINE` steps in a period.
``python -m benchmarks.contacts`` prints the tables alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import thread_time
from typing import NamedTuple

import numpy as np

from charmie_dynamics import CharmieError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import Plant, World

from .contact_cases import CASES, DURATION, PERIOD, Case, Servo

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


@dataclass(frozen=True)
class Row:
    """What was found of a subject.

    Attributes
    ----------
    subject : Subject
    error : float
        Largest of the base's position at any time (m).
    time : float or None
        CPU time of the simulation (s), median; None: not measured, for `reason`.
    """

    subject: Subject
    error: float = float("nan")
    time: float | None = None
    reason: str = ""

    @property
    def real_times(self) -> float:
        """How many times real time."""
        return float("nan") if self.time is None else DURATION / self.time


@dataclass(frozen=True)
class ContactCosts:
    """All rows of a robot.

    Attributes
    ----------
    robot : str
    rows : tuple of Row
    gap : float
        Largest distance between the bases of both programs, at any time of their runs with the
        shortest steps and the same contacts (m); NaN without MuJoCo.
    """

    robot: str
    rows: tuple[Row, ...]
    gap: float

    @property
    def complete(self) -> bool:
        """Whether each was timed."""
        return all(row.time is not None for row in self.rows)

    def ratio(self, row: Row) -> float | None:
        """Return the time of a row over that of our quickest one that is as exact.

        Contacts of MuJoCo are linear springs, and held against ours that are.
        """
        if row.time is None or not row.error <= LOST:
            return None
        contact = OWN if row.subject.contact == OWN else SPRING
        least = max(SAME * row.error, NEGLIGIBLE)
        ours = [
            other.time
            for other in self.rows
            if other.subject[:2] == (OURS, contact)
            and other.time is not None
            and other.error <= least
        ]
        return row.time / min(ours) if ours else None


def measure(robot: str, rounds: int, subjects: Sequence[Subject] = SUBJECTS) -> ContactCosts:
    """Find the error of each subject, then time all in the same rounds."""
    case = CASES[robot]()
    runs: dict[int, Run] = {}
    rows: list[Row] = []
    fine: dict[tuple[str, str], Floats] = {}
    for k, subject in enumerate(subjects):
        program, contact = subject[:2]
        try:
            if (program, contact) not in fine:
                exact = Subject(program, contact, FINEST[program], FINE)
                fine[program, contact] = run_of(case, exact)().base
            run = run_of(case, subject)
            found = run()
        except (ImportError, CharmieError) as problem:
            rows.append(Row(subject, reason=str(problem)))
            continue
        error = float(np.linalg.norm(found.base - fine[program, contact], axis=1).max())
        runs[k] = run
        rows.append(Row(subject, error))
    times: dict[int, list[float]] = {k: [] for k in runs}
    generator = np.random.default_rng(1)
    for _ in range(rounds):
        for k in generator.permutation(list(runs)).tolist():
            times[k].append(runs[k]().time)
    done = tuple(
        replace(row, time=median(times[k])) if k in times else row for k, row in enumerate(rows)
    )
    both = [fine.get((program, SPRING)) for program in (OURS, THEIRS)]
    gap = float("nan")
    if both[0] is not None and both[1] is not None:
        gap = float(np.linalg.norm(both[0] - both[1], axis=1).max())
    return ContactCosts(robot, done, gap)


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
