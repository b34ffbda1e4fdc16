# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Follow a trajectory with unknown masses and an unknown payload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from charmie_dynamics.kitchen.scene import ACTUATORS, ROBOT, TOOL
from charmie_dynamics.model.loads import Payload
from charmie_dynamics.model.variation import varied
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import World, world_of

from .controls import CORRECTION
from .task import Judgement, LearningTask, ObservedQuantity, Situation, Start

WORLD = "entities: {charmie: {urdf: charmie, mechanisms: charmie, solid: [base]}}"
WAVES = 3  # of the trajectory of each actuator
SLOWEST, FASTEST = 1.0, 3.0  # rad/s, of these
RANGE = 0.15  # of the range of an actuator, on each side of its start
WRONG = 0.2  # largest error of the masses
HEAVIEST = 1.5  # kg, the payload
ROBOTS, SEED = 64, 0  # with different masses, and the seed of these
KP, KD = 100.0, 20.0  # 1/s^2, 1/s, of computed torque
FORGETTING = 1.0  # 1/s, of the sum of errors
LOST = 0.5  # of the range of an actuator: an error that ends the episode
CLOSE = 0.01  # of the range


class TrackTrajectory(LearningTask):
    """Follow a random trajectory of arm, lift and torso by corrections of computed torque.

    The masses of all links differ by up to 20 % from the known ones, together, and the tool holds
    up to 1.5 kg. The goal is the position of the actuators in the trajectory, as part of their
    range. An observation contains the efforts of computed torque with the known masses, the
    `baseline` that actions correct; demonstrations use the true masses.

    The reward is `error`: minus the mean of the errors, as parts of the ranges.
    """

    name = "TrackTrajectory-v0"
    robot, tool, actuators = ROBOT, TOOL, ACTUATORS
    duration, rate, step = 4.0, 100.0, 2.5e-3
    controls = ("corrections", "efforts")

    def __init__(self, world: World | None = None) -> None:
        super().__init__(world or world_of(WORLD))
        model = self.world.model
        self._range: Floats = self.upper - self.lower
        self._rated: Floats = np.array([model.actuator_limits()[k].effort for k in self.columns])
        factors = np.random.default_rng(SEED).uniform(1.0 - WRONG, 1.0 + WRONG, ROBOTS)
        self._robots = [varied(model, partial(float, factor)) for factor in factors.tolist()]

    @property
    def forbidden(self) -> Sequence[tuple[str, str]]:
        """Nothing else is in the world."""
        return ()

    @property
    def goal_limits(self) -> tuple[Floats, Floats]:
        """Parts of the ranges."""
        count = len(self.actuators)
        return np.full(count, -2.0), np.full(count, 2.0)

    def start(self, rng: np.random.Generator) -> Start:
        """Return a trajectory from rest, and a robot with other masses and a payload."""
        count = len(self.actuators)
        robot = self._robots[int(rng.integers(ROBOTS))]
        payload = Payload(float(rng.uniform(0.0, HEAVIEST)))
        rates = rng.uniform(SLOWEST, FASTEST, (WAVES, count))
        amplitudes = rng.uniform(-1.0, 1.0, (WAVES, count)) * RANGE / (2.0 * WAVES)
        position = self.world.position.copy()
        rest = (position[self.entries] - self.lower) / self._range
        middle = np.clip(rest, 2 * RANGE, 1.0 - 2 * RANGE)
        position[self.entries] = self.lower + middle * self._range
        data = {"middle": middle, "amplitudes": amplitudes, "rates": rates, "sum": np.zeros(count)}
        model = robot.with_loads({f"{ROBOT}/{TOOL}": payload})
        return Start(position, data=data, model=model)

    def desired(self, now: Situation) -> tuple[Floats, Floats, Floats]:
        """Return position, velocity and acceleration (n, k) of the trajectory, in SI units."""
        a, w, t = now.data["amplitudes"], now.data["rates"], now.time[:, None, None]
        x = now.data["middle"] + np.sum(a * (1.0 - np.cos(w * t)), axis=1)
        v, acc = np.sum(a * w * np.sin(w * t), axis=1), np.sum(a * w**2 * np.cos(w * t), axis=1)
        return self.lower + x * self._range, v * self._range, acc * self._range

    def quantities(self) -> Sequence[ObservedQuantity]:
        """Trajectory, errors, their sum, and computed torque."""
        one = np.ones(len(self.actuators))
        return [
            ObservedQuantity("error of the position", "of the range", -one, one),
            ObservedQuantity("error of the velocity", "of the range, per s", -10 * one, 10 * one),
            ObservedQuantity("sum of the errors, forgotten with 1/s", "of the range, s", -one, one),
            ObservedQuantity("position", "of the range", -2 * one, 2 * one),
            ObservedQuantity("velocity", "of the range, per s", -10 * one, 10 * one),
            ObservedQuantity(
                "acceleration of the trajectory", "of the range, per s^2", -50 * one, 50 * one
            ),
            ObservedQuantity("computed torque", "of the rated effort", -2 * one, 2 * one),
        ]

    def observe(self, now: Situation) -> Sequence[Floats]:
        """Return the values of `quantities`."""
        error, rate = self._errors(now)
        x, v = self.achieved_goal(now), now.velocity[:, self.freedoms] / self._range
        acceleration = self.desired(now)[2] / self._range
        return [error, rate, now.data["sum"], x, v, acceleration, self.baseline(now)]

    def achieved_goal(self, now: Situation) -> Floats:
        """Return the position of the actuators, as part of their range (n, k)."""
        part: Floats = (now.position[:, self.entries] - self.lower) / self._range
        return part

    def desired_goal(self, now: Situation) -> Floats:
        """Return that of the trajectory (n, k)."""
        part: Floats = (self.desired(now)[0] - self.lower) / self._range
        return part

    def remembered(self, now: Situation) -> Mapping[str, Floats]:
        """Return the sums of errors."""
        dt = 1.0 / self.rate
        return {"sum": (1.0 - FORGETTING * dt) * now.data["sum"] + dt * self._errors(now)[0]}

    def judge(self, achieved: Floats, desired: Floats, info: Mapping[str, Any]) -> Judgement:
        """Return the judgement, see the class."""
        error = np.abs(desired - achieved)
        terms = {"error": -error.mean(axis=-1)}
        return Judgement(terms, error.max(axis=-1) < CLOSE, error.max(axis=-1) > LOST)

    def baseline(self, now: Situation) -> Floats:
        """Return computed torque with the known masses (n, k), as parts of the rated efforts."""
        wanted = self._accelerations(now)
        effort = self.world.model.compute(now.position, now.velocity, wanted).actuator_effort
        return self._parts(effort)

    def demonstrate(self, now: Situation) -> Floats:
        """Return the corrections (n, k) to computed torque with the true masses and payload."""
        wanted = self._accelerations(now)
        states = zip(now.models, now.position, now.velocity, wanted, strict=True)
        effort = np.stack([model.compute(*state).actuator_effort for model, *state in states])
        return (self._parts(effort) - self.baseline(now)) / CORRECTION

    def _parts(self, effort: Floats) -> Floats:
        return effort[:, self.columns] / self._rated

    def _accelerations(self, now: Situation) -> Floats:
        error, rate = self._errors(now)
        wanted = np.zeros_like(now.velocity)
        change = (KP * error + KD * rate) * self._range
        wanted[:, self.freedoms] = self.desired(now)[2] + change
        return wanted

    def _errors(self, now: Situation) -> tuple[Floats, Floats]:
        x, v, _ = self.desired(now)
        q, rate = now.position[:, self.entries], now.velocity[:, self.freedoms]
        return (x - q) / self._range, (v - rate) / self._range
