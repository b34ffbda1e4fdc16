# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Episodes of a task in many worlds side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError, OverlapError, SimulationError
from charmie_dynamics.model.flat.checks import finite_numbers
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.session.session import ENERGY_TOLERANCE

from .controls import Control
from .randomisation import Disturbances, Randomisation
from .task import LearningTask, Situation

MOST_DRAWS = 100  # of a start, until nothing overlaps


class PeriodOutcome(NamedTuple):
    """What a step, or a reset, gives.

    Attributes
    ----------
    observation, achieved, desired : (n, k), (n, g), (n, g) array
    reward : (n,) array
    terminated, truncated : (n,) array of bool
    info : mapping of str to array
        Of each world: `is_success`, `collision` (N), the reward's terms, and other measures.
    reasons : list of str
        Why an episode was truncated before its end; empty: it was not.
    """

    observation: Floats
    achieved: Floats
    desired: Floats
    reward: Floats
    terminated: Any
    truncated: Any
    info: Mapping[str, Any]
    reasons: Sequence[str]

    def replaced(self, other: PeriodOutcome, which: Sequence[int]) -> PeriodOutcome:
        """Return this with the values of some worlds from another one."""

        def mixed(own: Any, fresh: Any) -> Any:
            values = np.array(own)
            values[which] = np.asarray(fresh)[which]
            return values

        reasons = [(other if k in which else self).reasons[k] for k in range(len(self.reasons))]
        info = {name: mixed(values, other.info[name]) for name, values in self.info.items()}
        arrays: list[Any] = [mixed(a, b) for a, b in zip(self[:6], other[:6], strict=True)]
        return PeriodOutcome._make([*arrays, info, reasons])


class BatchEnvironment:
    """Episodes of a task in n worlds, each with its own random numbers.

    World k gives the same episodes, bit for bit, however many there are.

    Parameters
    ----------
    task : LearningTask
    count : int
        n.
    control : str, optional
        One of the task's `controls`.
    workers : int, optional
        Number of threads; one for each core if omitted.
    randomisation : Randomisation, mapping or str, optional
        See `Randomisation.of`; nothing is randomised if omitted.

    Raises
    ------
    InputError
        For a number of worlds below one, or a wrong randomisation.
    UnknownNameError
        For a control that the task does not have.

    Examples
    --------
    >>> from charmie_dynamics.learning import BatchEnvironment, make_task
    >>> task = make_task("Reach-v0")
    >>> batch = BatchEnvironment(task, 2)
    >>> batch.seed([1, 2])
    >>> batch.reset([0, 1]).observation.shape
    (2, 42)
    >>> batch.step(task.demonstrate(batch.situation)).reward.shape
    (2,)
    """

    def __init__(
        self,
        task: LearningTask,
        count: int,
        control: str | None = None,
        workers: int | None = None,
        randomisation: Randomisation | Mapping[str, float] | str | None = None,
    ) -> None:
        if count < 1:
            raise InputError(f"worlds: expected at least 1, got {count}")
        self.task, self.control = task, Control(task, control or task.controls[0])
        world, self.count = task.world, count
        self._steps = round(1.0 / (task.rate * task.step))
        self._batch = world.batch(
            count, workers=workers, integrator="semi_implicit_euler", step=task.step,
            effort_limits=True, joint_stops=True, joint_drives=self.control.drives,
            energy_tolerance=ENERGY_TOLERANCE, watched=task.forbidden,
        )  # fmt: skip
        self._rng = [np.random.default_rng(k) for k in range(count)]
        self._target, self._rate = self.control.begin(self._batch.position)
        self._periods = np.full(count, -1)  # of the episode; -1 before the first one
        self._poses = {name: np.tile(pose, (count, 1)) for name, pose in task.fixed.items()}
        self._data: dict[str, Floats] = {}
        self._random = Disturbances(Randomisation.of(randomisation), task, self.control, count)
        self.low, self.high = task.observation_limits
        self._now = self._measured = self._situation()

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Restart the random numbers of worlds from seeds; None: those of a world continue."""
        for k, seed in enumerate(seeds):
            if seed is not None:
                self._rng[k] = np.random.default_rng(seed)

    def reset(self, which: Sequence[int]) -> PeriodOutcome:
        """Begin new episodes in some worlds; return the outcome of all.

        Raises
        ------
        OverlapError
            If entities overlap in `MOST_DRAWS` starts in sequence.
        """
        for k in which:
            for draw in range(1, MOST_DRAWS + 1):
                start = self.task.start(self._rng[k])
                poses = {name: pose[None] for name, pose in start.poses.items()}
                self._random.begin(k, self._rng[k], start, self._batch)
                try:
                    self._batch.reset(start.position, plants=[k], poses=poses)
                    break
                except OverlapError:
                    if draw == MOST_DRAWS:
                        raise
            for name, pose in start.poses.items():
                self._poses[name][k] = pose
            for name, value in start.data.items():
                shape = self.count, *np.shape(value)
                self._data.setdefault(name, np.zeros(shape))[k] = value
            target, rate = self.control.begin(start.position[None])
            self._target[k], self._rate[k] = target[0], rate[0]
            self._periods[k] = 0
        self._now = self._situation()
        self._now.collision[list(which)] = 0.0
        ends = np.zeros(self.count, dtype=bool)
        found = self._outcome([""] * self.count)
        return found._replace(reward=np.zeros(self.count), terminated=ends, truncated=ends)

    def step(self, action: Floats) -> PeriodOutcome:
        """Take a period under actions (n, size).

        Raises
        ------
        InputError
            For actions of another shape or that are not finite, and before the first reset.
        """
        if (self._periods < 0).any():
            missing = ", ".join(map(str, np.flatnonzero(self._periods < 0)))
            raise InputError(f"worlds {missing}: expected a reset before the first step")
        given = finite_numbers("action", action, (self.count, self.control.size))
        given = self._random.delayed(given)
        command = self.control.command(self._measured, given, self._target, self._rate)
        reasons = [""] * self.count
        try:
            targets = command[1:] if self.control.has_drives else ()
            self._batch.advance(command.effort, self._steps, *targets)
        except SimulationError:
            for k, error in self._batch.failures.items():
                reasons[k] = str(error)
        self._target, self._rate = command.after(self.control.period)
        self._periods += 1
        self._random.next_noise(range(self.count))
        self._now = self._situation()
        self._data |= self.task.remembered(self._now)
        self._now = self._now._replace(data={name: x.copy() for name, x in self._data.items()})
        return self._outcome(reasons)

    @property
    def situation(self) -> Situation:
        """The present situation of all worlds."""
        return self._now

    def _situation(self) -> Situation:
        batch = self._batch
        position, velocity = batch.position, batch.velocity
        state = self.task.world.model.kinematics(position, velocity)
        poses = {name: pose.copy() for name, pose in self._poses.items()}
        force = batch.watched.force
        data = {name: values.copy() for name, values in self._data.items()}
        time = self.control.period * self._periods.astype(np.float64)
        models = tuple(self._random.models)
        return Situation(time, position, velocity, state, poses, force, data, models)

    def _outcome(self, reasons: Sequence[str]) -> PeriodOutcome:
        task, now = self.task, self._now
        self._measured = self._random.measured(now)
        observation = task.observation(self._measured, (self.low, self.high))
        # as accurate as observations, so that rewards follow from these
        goals = task.achieved_goal(now), task.desired_goal(now)
        achieved, desired = (goal.astype(np.float32).astype(np.float64) for goal in goals)
        measures = {"collision": now.collision, **task.measures(now)}
        judged = task.judge(achieved, desired, measures)
        failed = np.array([bool(reason) for reason in reasons])
        terminated = judged.ends & ~failed
        ended = self._periods >= self.task.periods
        reward = np.sum(list(judged.terms.values()), axis=0)
        info = {**measures, **judged.terms, "is_success": judged.is_success}
        return PeriodOutcome(
            observation, achieved, desired, reward, terminated, (ended | failed) & ~terminated,
            info, reasons,
        )  # fmt: skip
