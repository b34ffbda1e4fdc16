# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tasks as environments of Gymnasium: one world, or many side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats

from .batch_environment import BatchEnvironment, PeriodOutcome
from .registry import make_task
from .task import LearningTask

Observation = dict[str, npt.NDArray[np.float32]]
METADATA: dict[str, Any] = {"render_modes": ["rgb_array"]}
PARTS = ("observation", "achieved_goal", "desired_goal")


class TaskEnvironment(gymnasium.Env[Observation, npt.NDArray[np.float32]]):
    """A task in one world.

    An observation has the parts `observation`, `achieved_goal` and `desired_goal`, see the task.

    Parameters
    ----------
    task : str or LearningTask
        Name, such as "Reach-v0".
    **options
        As of a `TaskVectorEnvironment`, without `num_envs` and `autoreset_mode`.

    Attributes
    ----------
    task_description : str
        In a sentence, as LeRobot reads it.

    Examples
    --------
    >>> import gymnasium
    >>> import charmie_dynamics.learning
    >>> env = gymnasium.make("charmie_dynamics/Reach-v0")
    >>> observation, info = env.reset(seed=1)
    >>> observation["achieved_goal"].shape
    (3,)
    """

    metadata = METADATA

    def __init__(self, task: str | LearningTask, **options: Any) -> None:
        worlds = TaskVectorEnvironment(task, 1, autoreset_mode=AutoresetMode.DISABLED, **options)
        self._worlds, self.task, self.render_mode = worlds, worlds.task, worlds.render_mode
        self.metadata = worlds.metadata
        self.observation_space = worlds.single_observation_space
        self.action_space = worlds.single_action_space
        self.task_description = worlds.task_description
        self._max_episode_steps = self.task.periods

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode, with the options of a `TaskVectorEnvironment`."""
        observation, info = self._worlds.reset(seed=[seed], options=options)
        super().reset(seed=None if seed is None else int(seed))
        return _first(observation), _numbers(info)

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take a period under an action; `info` has the terms of the reward and `is_success`."""
        observation, *judged, info = self._worlds.step(np.reshape(action, (1, -1)))
        reward, terminated, truncated = (each[0].item() for each in judged)
        return _first(observation), reward, terminated, truncated, _numbers(info)

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Return the reward of goals (g,) or (n, g), and of the other numbers in `info`."""
        terms = self._judged(achieved_goal, desired_goal, info).terms
        return np.sum(list(terms.values()), axis=0)

    def compute_terminated(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Return whether goals end the episode, see `compute_reward`."""
        return self._judged(achieved_goal, desired_goal, info).ends

    def compute_truncated(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Return whether goals truncate the episode: they never do."""
        return np.zeros(np.shape(achieved_goal)[:-1], dtype=bool)[()]

    def render(self) -> Any:
        """Return a picture (height, width, 3) of the world."""
        return self._worlds.call("render")[0]

    def _judged(self, achieved: Any, desired: Any, info: Any) -> Any:
        # without goals, each number is an empty array
        numbers: Any = info if isinstance(info, Mapping) else defaultdict(lambda: np.zeros(0))
        if not isinstance(info, Mapping) and len(info):
            # some have more than numbers, such as the reason of a failure
            common = set.intersection(*(set(each) for each in info))
            names = [name for name in common if np.isscalar(info[0][name])]
            numbers = {name: np.array([each[name] for each in info]) for name in names}
        try:
            return self.task.judge(np.asarray(achieved, float), np.asarray(desired, float), numbers)
        except KeyError as error:
            raise InputError(
                f"info: expected {error}, on which the reward depends, got {', '.join(numbers)}; "
                "HerReplayBuffer of stable-baselines3 passes it with copy_info_dict=True"
            ) from None


class TaskVectorEnvironment(VectorEnv[Observation, Any, Any]):
    """A task in many worlds side by side; as `TaskEnvironment` in each, bit for bit.

    Parameters
    ----------
    task : str or LearningTask
    num_envs : int
    control : str, optional
    render_mode : str, optional
    autoreset_mode : AutoresetMode or str
        All three of Gymnasium.
    **options
        As of a `BatchEnvironment`.
    """

    metadata = METADATA

    def __init__(
        self,
        task: str | LearningTask,
        num_envs: int = 1,
        control: str | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        super().__init__()
        if render_mode not in (None, *METADATA["render_modes"]):
            raise InputError(f"render_mode: expected 'rgb_array' or None, got '{render_mode}'")
        modes = [mode.value for mode in AutoresetMode]
        if autoreset_mode not in (*AutoresetMode, *modes):
            raise InputError(f"autoreset_mode: expected one of {modes}, got '{autoreset_mode}'")
        self.task = given = make_task(task) if isinstance(task, str) else task
        self.num_envs, self.render_mode = num_envs, render_mode
        self._mode = AutoresetMode(autoreset_mode)
        rate = round(given.rate)
        self.metadata = {**METADATA, "render_fps": rate, "autoreset_mode": self._mode}
        self._batch = BatchEnvironment(given, num_envs, control, **options)
        sides = self._batch.low, self._batch.high, *given.goal_limits
        low, high, lowest, highest = (np.asarray(side, dtype=np.float32) for side in sides)
        own, goal = spaces.Box(low, high), spaces.Box(lowest, highest)
        parts: dict[str, Any] = {name: goal if "goal" in name else own for name in PARTS}
        self.single_observation_space = spaces.Dict(parts)
        self.single_action_space = spaces.Box(-1.0, 1.0, (self._batch.control.size,))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.zeros(num_envs, dtype=bool)
        self.task_description = (given.__doc__ or given.name).split("\n", 1)[0]
        self._max_episode_steps = given.periods

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin episodes; world k has the seed plus k.

        Parameters
        ----------
        seed : int or list of int, optional
        options : dict, optional
            `reset_mask` (num_envs,): begin these only.
        """
        count = self.num_envs
        seeds: Any = [seed] * count if seed is None or np.isscalar(seed) else seed
        if isinstance(seed, int | np.integer):
            seeds = [int(seed) + k for k in range(count)]
        valid = [
            each is None or (isinstance(each, int | np.integer) and each >= 0) for each in seeds
        ]
        if len(valid) != count or not all(valid):
            raise InputError(f"seed: expected 1 or {count} integers from 0, got {seed}")
        super().reset(seed=int(seed) if isinstance(seed, int | np.integer) else None)
        others = {"reset_mask": np.ones(count, dtype=bool), **(options or {})}
        mask = np.asarray(others.pop("reset_mask"))
        if others:
            raise InputError(f"options: expected 'reset_mask' alone, got {', '.join(others)}")
        if mask.shape != (count,) or mask.dtype != bool or not mask.any():
            raise InputError(
                f"reset_mask: expected {count} booleans, at least one of them true, got {mask}"
            )
        self._batch.seed([each if mask[k] else None for k, each in enumerate(seeds)])
        outcome = self._batch.reset(np.flatnonzero(mask).tolist())
        self._ended[mask] = False
        return observations_of(outcome), infos_of(outcome)

    def step(self, actions: Any) -> tuple[Observation, Floats, Any, Any, dict[str, Any]]:
        """Take a period in all worlds."""
        if self._mode == AutoresetMode.DISABLED and self._ended.any():
            ended = ", ".join(map(str, np.flatnonzero(self._ended)))
            raise InputError(f"worlds {ended}: expected a reset after the end of an episode")
        begins = np.flatnonzero(self._ended).tolist()  # AutoresetMode.NEXT_STEP
        outcome = self._batch.step(np.asarray(actions))
        if begins:
            outcome = outcome.replaced(self._batch.reset(begins), begins)
        self._ended = ended = outcome.terminated | outcome.truncated
        shown, infos = outcome, infos_of(outcome)
        if self._mode == AutoresetMode.SAME_STEP and ended.any():
            which = np.flatnonzero(ended).tolist()
            last, final = observations_of(outcome), np.full(self.num_envs, None, dtype=object)
            final[which] = [{key: value[k] for key, value in last.items()} for k in which]
            shown = outcome.replaced(self._batch.reset(which), which)
            of_ended = {"final_obs": final, "final_info": infos}
            infos = {**infos_of(shown), **of_ended, "_final_obs": ended, "_final_info": ended}
            self._ended = np.zeros(self.num_envs, dtype=bool)
        return observations_of(shown), *outcome[3:6], infos

    def call(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each world, or with "render" its picture, as `SyncVectorEnv`."""
        if name == "render":
            return self.render() or (None,) * self.num_envs
        return (getattr(self, name),) * self.num_envs

    def render(self) -> Any:
        """Return a picture (height, width, 3) of each world."""
        if self.render_mode is None:
            return None
        now = self._batch.situation
        return tuple(self._painter.picture(now, k) for k in range(self.num_envs))

    @cached_property
    def _painter(self) -> Any:
        from .pictures import EpisodePainter  # needs matplotlib

        return EpisodePainter(self.task)


def observations_of(outcome: PeriodOutcome) -> Observation:
    """Return the observations of all worlds."""
    return {name: part.astype(np.float32) for name, part in zip(PARTS, outcome, strict=False)}


def infos_of(outcome: PeriodOutcome) -> dict[str, Any]:
    """Return the `info` of all worlds."""
    everywhere = np.ones(len(outcome.reward), dtype=bool)
    infos: dict[str, Any] = {**outcome.info, **{f"_{name}": everywhere for name in outcome.info}}
    if any(outcome.reasons):
        infos["failure"] = np.array([reason or None for reason in outcome.reasons], dtype=object)
        infos["_failure"] = np.array([bool(reason) for reason in outcome.reasons])
    return infos


def _first(observation: Observation) -> Observation:
    return {name: part[0] for name, part in observation.items()}


def _numbers(infos: dict[str, Any]) -> dict[str, Any]:
    """Return the `info` of the first world: plain numbers, and `failure` if accuracy was lost."""
    names = [name for name in infos if not name.startswith("_") and infos[f"_{name}"][0]]
    return {name: np.asarray(infos[name][0]).item() for name in names}
