# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Domain randomisation: robots, delays and measurements that differ from episode to episode."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.model.variation import varied
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import PlantBatch

from .controls import Control
from .task import LearningTask, Situation, Start

RELATIVE = ("masses", "springs", "contact_friction")


@dataclass(frozen=True)
class Randomisation:
    """How much worlds differ from the files; each episode draws from the world's own numbers.

    Goals and rewards are exact. Observations, and the computation of commands from actions, use the
    measured situation and the robot of the files.

    Parameters
    ----------
    masses : float
        Largest relative change of mass and inertia of each link, uniform, below 1.
    springs : float
        Likewise of stiffness and pretension of each spring.
    joint_friction : float
        Largest Coulomb friction of each actuator, uniform, as part of its rated effort. It is added
        to that of the mechanisms file, and replaces that of the URDF.
    contact_friction : float
        Largest relative change of all coefficients of friction together, uniform, below 1.
    delay : float
        Longest delay of the actions (s), uniform. Each period has the mean of the delayed action.
    position_noise : float
        Standard deviation of measured positions of actuators (rad, m), within their ranges.
    velocity_noise : float
        Standard deviation of measured velocities of actuators (rad/s, m/s).
    pose_noise : float
        Standard deviation of measured poses of fixed and free entities: each coordinate (m), each
        angle (rad).

    Raises
    ------
    InputError
        For a value that is negative, not finite, or too large.

    Examples
    --------
    >>> from charmie_dynamics.learning import Randomisation
    >>> Randomisation.of("masses=0.1,delay=0.02").delay
    0.02
    """

    masses: float = 0.0
    springs: float = 0.0
    joint_friction: float = 0.0
    contact_friction: float = 0.0
    delay: float = 0.0
    position_noise: float = 0.0
    velocity_noise: float = 0.0
    pose_noise: float = 0.0

    def __post_init__(self) -> None:
        """Check the values."""
        for name, value in vars(self).items():
            top = 1.0 if name in RELATIVE else math.inf
            try:
                number = float(value)
            except (TypeError, ValueError):
                number = math.nan
            if not 0.0 <= number < top:
                raise InputError(
                    f"randomisation: {name}: expected a number from 0, below {top:g}, got {value!r}"
                )
            object.__setattr__(self, name, number)

    @classmethod
    def of(cls, given: Randomisation | Mapping[str, float] | str | None) -> Randomisation:
        """Return the randomisation of a mapping, or of a text such as "masses=0.1,delay=0.02".

        Raises
        ------
        UnknownNameError
            For a name that no parameter has.
        """
        if isinstance(given, Randomisation):
            return given
        values: Any = given or {}
        if isinstance(values, str):
            values = dict(part.strip().partition("=")[::2] for part in values.split(","))
        names = [each.name for each in fields(cls)]
        for name in values:
            if name not in names:
                raise UnknownNameError(
                    f"randomisation: '{name}' is unknown{choices(str(name), names)}"
                )
        return cls(**values)


class Disturbances:
    """Robots, delays and noise of the present episodes in n worlds.

    Parameters
    ----------
    spread : Randomisation
    task : LearningTask
    control : Control
    n : int
        Number of worlds.

    Attributes
    ----------
    models : list of Model
        Of the simulated robots.
    """

    def __init__(self, spread: Randomisation, task: LearningTask, control: Control, n: int) -> None:
        self._spread, self._control = spread, control
        self._model = model = task.world.model
        self.models = [model] * n
        self._delay = np.zeros(n)
        self._actions = np.zeros((n, math.ceil(spread.delay / control.period) + 1, control.size))
        p, v = len(model.position_names), len(model.velocity_names)
        position, velocity = np.zeros(p), np.zeros(v)
        position[control.entries] = spread.position_noise
        freedoms = [model.velocity_names.index(name) for name in model.actuator_names]
        velocity[freedoms] = spread.velocity_noise
        for k, name in enumerate(model.position_names):
            if "/moves/" in name:  # of a free entity
                # a small turn changes a quaternion by half its angle
                position[k] = spread.pose_noise * (0.5 if "/q" in name else 1.0)
        poses = np.full(6 * len(task.fixed), spread.pose_noise)
        # standard deviations and noise: positions, velocities, poses of fixed entities
        self._deviation = np.concatenate([position, velocity, poses])
        self._ends = p, p + v  # of positions and of velocities
        self._noise = np.zeros((n, len(self._deviation)))
        self._rng = [np.random.default_rng(0)] * n

    def begin(self, k: int, rng: np.random.Generator, start: Start, batch: PlantBatch) -> None:
        """Draw the robot, the delay and the noise of an episode in world k."""
        spread = self._spread

        def around(change: float) -> Callable[[], float]:
            return lambda: float(rng.uniform(1.0 - change, 1.0 + change))

        model = start.model or self._model
        if spread.masses or spread.springs or spread.joint_friction:
            model = varied(
                model, around(spread.masses), around(spread.springs),
                lambda: float(rng.uniform(0.0, spread.joint_friction)),
            )  # fmt: skip
        if self.models[k] is not model:
            batch.carry(k, model)
            self.models[k] = model
        if spread.contact_friction:
            batch.scale_friction(k, around(spread.contact_friction)())
        if spread.delay:
            self._delay[k] = rng.uniform(0.0, spread.delay)
            self._actions[k] = self._control.rest(start.position)
        if self._deviation.any():
            # an own generator: the number of periods does not change the next episode
            self._rng[k] = np.random.default_rng(rng.integers(2**63))
            self.next_noise([k])

    def delayed(self, action: Floats) -> Floats:
        """Return the means (n, size) of the delayed actions over a period that now begins."""
        if not self._spread.delay:
            return action
        self._actions[:, 1:] = self._actions[:, :-1].copy()
        self._actions[:, 0] = np.clip(action, -1.0, 1.0)
        part, whole = np.modf(self._delay / self._control.period)
        rows, age, part = np.arange(len(action)), whole.astype(np.int64), part[:, None]
        oldest = self._actions.shape[1] - 1
        late: Floats = self._actions[rows, np.minimum(age + 1, oldest)]
        return (1.0 - part) * self._actions[rows, age] + part * late

    def next_noise(self, worlds: Iterable[int]) -> None:
        """Draw the noise of the next measurement in some worlds."""
        if self._deviation.any():
            for k in worlds:
                self._noise[k] = self._deviation * self._rng[k].normal(size=len(self._deviation))

    def measured(self, now: Situation) -> Situation:
        """Return the measured situation."""
        if not self._deviation.any():
            return now
        of_position, of_velocity, of_poses = np.split(self._noise, self._ends, axis=1)
        position, velocity = now.position + of_position, now.velocity + of_velocity
        entries = self._control.entries
        true = now.position[:, entries]
        lower, upper = self._control.limits
        position[:, entries] = np.clip(
            position[:, entries], np.minimum(lower, true), np.maximum(upper, true)
        )
        position = self._model.normalised_position(position)
        of_entities = of_poses.reshape(len(of_poses), len(now.poses), 6)
        poses = {name: pose + of_entities[:, k] for k, (name, pose) in enumerate(now.poses.items())}
        state = self._model.kinematics(position, velocity)
        return now._replace(position=position, velocity=velocity, state=state, poses=poses)
