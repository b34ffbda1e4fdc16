# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Steps of the learning environments: scaling, memory, workers of dask, and MuJoCo's rollouts.

Actions are random, at 20 Hz. MuJoCo has the same kitchen, loops and drives, and the same commands.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.integration.step_arrays import STOP_DAMPING, STOP_STIFFNESS
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.learning import BatchEnvironment, LearningTask, make_task
from charmie_dynamics.learning.controls import Control
from charmie_dynamics.learning.registry import NAMESPACE
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import JointStops, PlantBatch
from charmie_dynamics.simulation.integrators.joint_laws import joint_laws
from charmie_dynamics.simulation.session.session import ENERGY_TOLERANCE
from charmie_dynamics.tasks.dask_engine import DaskEngine
from charmie_dynamics.tasks.engine import TaskEngine
from charmie_dynamics.tasks.journal import Journal
from charmie_dynamics.tasks.task import Job, JobTask, Result
from validation.harness.tables import at_least, table
from validation.harness.timing import turns

WANTED = {"Reach-v0": 5000.0, "PickCan-v0": 1500.0}  # environment steps per second, two cores
COUNTS = (1, 4, 16, 64, 256, 1024, 4096)
WARM_UP, FEWEST_STEPS = 1, 3
SECONDS = 3.0  # of each row of the scaling
MEASURED = (16, 64)  # environments, whose difference in memory counts
JOB_COUNT, JOB_STEPS, JOB_TASKS = 64, 20, 32
WANTED_WORKERS = 1.8  # rate of two workers by that of one
WANTED_RATIO = 2.0  # this package over MuJoCo at the same accuracy
PERIODS = 10  # 0.5 s
WORLDS = 64
FINE = 160  # steps in a period of the runs that errors are held against
SAME = 1.1  # times the error: as exact
LOST = 0.1  # rad or m: a run that is off by more is of another motion
OURS, THEIRS = "this package", "MuJoCo"


class Subject(NamedTuple):
    """A program, a method, and its steps in a period."""

    program: str
    method: str
    steps: int


SUBJECTS = tuple(
    Subject(program, method, count)
    for program, methods in (
        (OURS, {"semi_implicit_euler": (10, 12, 16, 20, 30, 40), "rk4": (10, 20)}),
        (THEIRS, {"Euler": (10, 20, 40, 64), "implicitfast": (20,), "RK4": (10, 20)}),
    )
    for method, counts in methods.items()
    for count in counts
)
FINEST = {OURS: "rk4", THEIRS: "RK4"}


class Commands(NamedTuple):
    """Efforts and targets of the drives (periods, n, a), see `controls.Command`."""

    effort: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats


class Measured(NamedTuple):
    """Positions of the actuators at the end (n, a), time by the clock and CPU time (s)."""

    position: Floats
    clock: float
    cpu: float


Run = Callable[[], Measured]


def scaling_table(
    counts: Sequence[int] = COUNTS,
    seconds: float = SECONDS,
    tasks: Sequence[str] = tuple(WANTED),
) -> str:
    """Return the table of environment steps per second through the vector environment."""
    rows = []
    for task in tasks:
        rates = {}
        for count in counts:
            print(f"{task}, {count} worlds", file=sys.stderr, flush=True)
            rates[count] = _rate(task, count, seconds)
        best = max(rates, key=lambda count: rates[count][0])
        memory = f"{_memory(task) / 1024:.0f}"
        for count, (rate, cpu) in rates.items():
            shown = at_least(rate, WANTED[task] if count == best else None, ".0f")
            rows.append((task, str(count), shown, f"{1e6 * cpu:.0f}", memory))
    heads = ("task", ">environments", ">steps/s", ">CPU time of a step (us)",
             ">memory of an environment (KiB)")  # fmt: skip
    return table(heads, rows)


def _rate(task: str, count: int, seconds: float) -> tuple[float, float]:
    """Return the rate (1/s) of environment steps, and the CPU time of one (s)."""
    import gymnasium

    env = gymnasium.make_vec(f"{NAMESPACE}/{task}", num_envs=count)
    rng = np.random.default_rng(count)
    env.reset(seed=0)
    steps, begin, worked = -WARM_UP, 0.0, 0.0
    while steps < FEWEST_STEPS or perf_counter() - begin < seconds:
        if steps == 0:
            begin, worked = perf_counter(), process_time()
        env.step(rng.uniform(-1.0, 1.0, env.action_space.shape))
        steps += 1
    rate = steps * count / (perf_counter() - begin)
    return rate, (process_time() - worked) / (steps * count)


def _memory(task: str) -> float:
    """Return the memory of one more environment (bytes)."""
    made, sizes, kept = make_task(task), [], []
    for count in MEASURED:
        tracemalloc.start()
        kept.append(BatchEnvironment(made, count))
        kept[-1].reset(range(count))
        sizes.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    return (sizes[1] - sizes[0]) / (MEASURED[1] - MEASURED[0])


class EpisodesJob(Job):
    """Steps of environments with random actions.

    Parameters
    ----------
    task : str
    count : int
        Environments of each task.
    """

    def __init__(self, task: str, count: int) -> None:
        self._task, self._count = task, count

    @property
    def digest(self) -> str:
        """Identifier of the job."""
        return hashlib.sha256(f"{self._task} {self._count}".encode()).hexdigest()

    def execute(self, task: JobTask) -> Result:
        """Return the rewards (steps, count) of the environments with seeds from one on."""
        batch = _environment(self._task, self._count)
        seed, steps = task.arrays["seed_and_steps"].tolist()
        batch.seed(range(seed, seed + self._count))
        batch.reset(range(self._count))
        rng = np.random.default_rng(seed)
        rewards = np.empty((steps, self._count))
        for k in range(steps):
            found = batch.step(rng.uniform(-1.0, 1.0, (self._count, batch.control.size)))
            rewards[k] = found.reward
            ended = np.flatnonzero(found.terminated | found.truncated).tolist()
            if ended:
                batch.reset(ended)
        return {"reward": rewards}


@cache
def _environment(task: str, count: int) -> BatchEnvironment:
    """Return the environments of this process."""
    return BatchEnvironment(make_task(task), count, workers=1)


def workers_table(
    jobs: int = JOB_TASKS,
    count: int = JOB_COUNT,
    steps: int = JOB_STEPS,
    tasks: Sequence[str] = tuple(WANTED),
) -> tuple[str, list[str]]:
    """Return the table of dask with one and two workers, and what does not hold."""
    rows, faults = [], []
    for name in tasks:
        job, found = EpisodesJob(name, count), {}
        with TemporaryDirectory() as folder:
            for workers in (1, 2):
                print(f"{name}, {workers} of dask", file=sys.stderr, flush=True)
                journal = Journal(Path(folder) / str(workers), "e")
                with DaskEngine(job, journal, workers=workers) as engine:
                    found[workers] = _timed(engine, jobs, workers, steps)
        same = found[1][1].tobytes() == found[2][1].tobytes()
        faults += [] if same else [f"{name}: results of one and two workers differ"]
        for workers, (seconds, _) in found.items():
            gain = found[1][0] / seconds
            rows.append(
                (
                    name,
                    str(workers),
                    f"{jobs * count * steps / seconds:.0f}",
                    at_least(gain, WANTED_WORKERS, ".2f") if workers == 2 else f"{gain:.2f}",
                    "yes" if same else "**no**",
                )
            )
    heads = ("task", ">workers of dask", ">steps/s", ">gain", "same results")
    return table(heads, rows), faults


def _timed(
    engine: TaskEngine[EpisodesJob], jobs: int, workers: int, steps: int
) -> tuple[float, Floats]:
    """Return the time of tasks (s) and their results; the workers have compiled all they need."""
    engine.run([_episodes("warm", k, steps) for k in range(4 * workers)])
    begin = perf_counter()
    found = engine.run([_episodes("part", k, steps) for k in range(jobs)])
    return perf_counter() - begin, np.concatenate([result["reward"] for result in found])


def _episodes(stage: str, number: int, steps: int) -> JobTask:
    return JobTask(stage, number, "episodes", {"seed_and_steps": np.array([1000 * number, steps])})


def comparison_table(
    rounds: int = 3,
    worlds: int = WORLDS,
    tasks: Sequence[str] = tuple(WANTED),
    subjects: Sequence[Subject] = SUBJECTS,
) -> tuple[str, list[str]]:
    """Return the table of this package and MuJoCo on the same scene, and what is missing."""
    rows, faults, notes = [], [], []
    for name in tasks:
        print(f"{name}, comparison", file=sys.stderr, flush=True)
        task = make_task(name)
        errors, times, clocks, reasons, gap = compare(task, subjects, rounds, worlds)
        faults += [f"{name}, {subject}: {reason}" for subject, reason in reasons.items()]
        own = Subject(OURS, "semi_implicit_euler", round(1.0 / (task.rate * task.step)))
        ratios = ratios_of(errors, times)
        as_exact = {s: times[s] for s in ratios if errors[s] <= SAME * errors[own]}
        judged = min(as_exact, key=as_exact.__getitem__, default=None)
        for subject, error in errors.items():
            ratio = ratios.get(subject)
            least = WANTED_RATIO if subject == judged else None
            rows.append(
                (
                    f"{name}, its step" if subject == own else name,
                    *(subject.program, f"`{subject.method}`"),
                    f"{1e3 / (task.rate * subject.steps):.3g}",
                    f"{error:.1e}" if error <= LOST else "another motion",
                    f"{worlds * PERIODS / clocks[subject]:.0f}",
                    f"{1e6 * times[subject] / (worlds * PERIODS):.0f}",
                    "-" if ratio is None else at_least(ratio, least),
                )
            )
        notes.append(f"{name}: the finest runs of both programs end {gap:.1e} rad or m apart.")
    heads = ("task", "program", "method", ">step (ms)", ">error (rad, m)", ">steps/s",
             ">CPU time of a step (us)", ">times as long as ours that is as exact")  # fmt: skip
    return "\n\n".join([table(heads, rows), *notes]), faults


def ratios_of(
    errors: Mapping[Subject, float], times: Mapping[Subject, float]
) -> dict[Subject, float]:
    """Return the CPU time of each row of MuJoCo by that of our fastest one that is as exact."""
    found = {}
    for subject, error in errors.items():
        ours = [t for s, t in times.items() if s.program == OURS and errors[s] <= SAME * error]
        if subject.program == THEIRS and error <= LOST and ours:
            found[subject] = times[subject] / min(ours)
    return found


class Compared(NamedTuple):
    """Errors (rad, m), CPU times and times by the clock (s) of subjects; why others have none.

    `gap` is the distance between the finest runs of both programs (rad, m); NaN without MuJoCo.
    """

    errors: dict[Subject, float]
    times: dict[Subject, float]
    clocks: dict[Subject, float]
    reasons: dict[Subject, str]
    gap: float


def compare(task: LearningTask, subjects: Sequence[Subject], rounds: int, worlds: int) -> Compared:
    """Find the error of each subject, then time all in the same rounds.

    The error of a world is the largest of its actuators at the end; that of a subject is the
    median of its worlds.
    """
    control = Control(task, task.controls[0])
    commands = commands_of(task, control, worlds)
    makers = {OURS: _ours, THEIRS: _theirs}
    fine: dict[str, Floats] = {}
    runs, errors, reasons = {}, {}, {}
    for subject in subjects:
        program, method, steps = subject
        try:
            if program not in fine:
                fine[program] = makers[program](task, control, commands, FINEST[program], FINE)()[0]
            runs[subject] = makers[program](task, control, commands, method, steps)
        except ImportError as problem:
            reasons[subject] = str(problem)
            continue
        errors[subject] = _apart(runs[subject]().position, fine[program])
    clock: dict[Subject, list[float]] = {subject: [] for subject in runs}
    cpu = turns({s: _cpu_time(run, clock[s]) for s, run in runs.items()}, rounds)
    times, clocks = ({s: median(all_of[s]) for s in runs} for all_of in (cpu, clock))
    gap = _apart(fine[OURS], fine[THEIRS]) if len(fine) == len(makers) else np.nan
    return Compared(errors, times, clocks, reasons, gap)


def _apart(one: Floats, other: Floats) -> float:
    return float(np.median(np.abs(one - other).max(axis=1)))


def _cpu_time(run: Run, clock: list[float]) -> Callable[[], float]:
    """Return what makes a run and returns its CPU time (s); the time by the clock is added."""

    def timed() -> float:
        found = run()
        clock.append(found.clock)
        return found.cpu

    return timed


def commands_of(task: LearningTask, control: Control, worlds: int) -> Commands:
    """Return the commands for random actions; all worlds start at the rest pose."""
    batch = _batch(task, control, worlds, "semi_implicit_euler", task.step)
    rng = np.random.default_rng(1)
    target, rate = control.begin(batch.position)
    found = []
    for _ in range(PERIODS):
        now: Any = SimpleNamespace(position=batch.position)
        action = rng.uniform(-1.0, 1.0, (worlds, control.size))
        command = control.command(now, action, target, rate)
        _advance(batch, command, round(control.period / task.step))
        target, rate = command.after(control.period)
        found.append(command)
    return Commands(*(np.array([part[k] for part in found]) for k in range(4)))


def _batch(
    task: LearningTask, control: Control, worlds: int, method: str, step: float
) -> PlantBatch:
    world = task.world
    # stops depend on the step for which they are made
    laws = joint_laws(world.model, step=task.step, joint_stops=True)[:, world.model.actuator_index]
    batch: PlantBatch = world.batch(
        worlds, integrator=method, step=step, effort_limits=True,
        joint_stops=JointStops(laws[STOP_STIFFNESS], laws[STOP_DAMPING]),
        joint_drives=control.drives, energy_tolerance=ENERGY_TOLERANCE, watched=task.forbidden,
    )  # fmt: skip
    return batch


def _advance(batch: PlantBatch, command: Sequence[Floats], steps: int) -> None:
    with suppress(SimulationError):  # worlds that lose their accuracy count by their error
        batch.advance(command[0], steps, *command[1:])


def _ours(task: LearningTask, control: Control, commands: Commands, method: str, steps: int) -> Run:
    batch = _batch(task, control, commands.effort.shape[1], method, control.period / steps)
    start = batch.position
    names = task.world.model.position_names
    entries = [names.index(name) for name in task.world.model.actuator_names]
    periods = list(zip(*commands, strict=True))

    def run() -> Measured:
        batch.reset(start)
        begin, worked = perf_counter(), process_time()
        for command in periods:
            _advance(batch, command, steps)
        times = perf_counter() - begin, process_time() - worked
        return Measured(batch.position[:, entries], *times)

    return run


def _theirs(
    task: LearningTask, control: Control, commands: Commands, method: str, steps: int
) -> Run:
    """Return the run of MuJoCo, one call: the targets of the drives are held over each step."""
    import mujoco
    from mujoco.rollout import Rollout

    from validation.mujoco_scene import MujocoScene

    model = task.world.model
    laws = joint_laws(
        model, step=task.step, effort_limits=True, joint_drives=control.drives,
        position=task.world.position,
    )  # fmt: skip
    scene = MujocoScene(task.world, laws)
    step, worlds = control.period / steps, commands.effort.shape[1]
    scene.model.opt.timestep = step
    scene.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{method.upper()}")
    time = (step * (np.arange(steps) + 0.5))[:, None, None]
    parts = []
    for effort, position, velocity, acceleration in zip(*commands, strict=True):
        target = position + time * (velocity + 0.5 * time * acceleration)
        rate = velocity + time * acceleration
        parts.append(effort + scene.stiffness * target + scene.damping * rate)
    controls = np.concatenate(parts).swapaxes(0, 1).copy()
    start = scene.states(worlds)
    cores = len(os.sched_getaffinity(0))
    data = [mujoco.MjData(scene.model) for _ in range(cores)]
    rollout = Rollout(nthread=cores)

    def run() -> Measured:
        # a run that becomes unstable is in the table by its error
        mujoco.set_mju_user_warning(lambda _: None)
        begin, worked = perf_counter(), process_time()
        try:
            states, _ = rollout.rollout(scene.model, data, start, controls)
        finally:
            mujoco.set_mju_user_warning(None)
        times = perf_counter() - begin, process_time() - worked
        return Measured(scene.positions(states[:, -1]), *times)

    return run


def measure() -> tuple[str, list[str]]:
    """Return the tables, and what does not hold."""
    load = f"Average load of the machine before the run: {os.getloadavg()[0]:.1f}."
    workers, faults = workers_table()
    comparison, missing = comparison_table()
    return "\n\n".join([load, scaling_table(), workers, comparison]), [*faults, *missing]
