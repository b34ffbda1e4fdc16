# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot in a state, as the invariants need it."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from descriptions import SINGLE, Description, arrays
from differences import first_derivative
from generator import Plan, described
from hypothesis import note

from charmie_dynamics import Model, State

Floats = np.ndarray
STEP = 1e-3  # of differences of eighth order
ACCURACY = 1e-9


class Situation:
    """A robot in a state, with efforts of its actuators.

    Attributes
    ----------
    x, v, a : (p,), (v,), (v,) array
        Position, velocity and acceleration; of passive joints those that close the loops.
    effort : (e,) array
        Random, of the actuators.
    """

    def __init__(self, robot: Description) -> None:
        self.robot = robot
        self.model: Model = robot.load()
        self.x, self.v, self.a = arrays(robot, self.model)
        if self.has_loops:
            self.x, self.v, self.a = self.model.assemble(self.x, self.v, self.a)
        rng = np.random.default_rng(3)
        self.effort = rng.uniform(-3.0, 3.0, len(self.model.actuator_names))
        self.numbers = rng.permutation(list(self.model.parameters))[:4].tolist()

    @property
    def has_loops(self) -> bool:
        return bool(self.robot.mechanisms.get("loop_joints"))

    @functools.cached_property
    def state(self) -> State:
        return self.model.compute(self.x, self.v, self.a)

    @property
    def kept(self) -> Floats:
        """Coordinates that are not passive: those of the equations."""
        passive = self.robot.mechanisms.get("passive_joints", ())
        names = [name.split("/")[0] for name in self.model.velocity_names]
        return np.array([name not in passive for name in names], dtype=bool)

    def efforts(self, state: State) -> Floats:
        """Return the efforts (v,) of all coordinates, those of joints without actuator included."""
        assert state.dynamics is not None
        efforts: Floats = state.dynamics.joint_effort.copy()
        efforts[self.model.actuator_index] = state.actuator_effort
        return efforts

    def moved(self, along: Floats, t: float) -> Floats:
        """Return the position after a short motion with a velocity."""
        x = self.x + t * self.model.position_rate(self.x, along)
        x = self.model.normalised_position(x)
        return self.model.assemble(x)[0] if self.has_loops else x

    def compute(self, x: Floats, v: Floats) -> State:
        """Return a state without acceleration, but for that of passive joints."""
        a = np.zeros(len(v))
        return self.model.compute(x, v, self.model.assemble(x, v)[2] if self.has_loops else a)

    def rate(self, function: Callable[[Floats, Floats], Floats]) -> Floats:
        """Return the time derivative of a function of position and velocity."""

        def at(t: float) -> Floats:
            x, v = self.moved(self.v, t), self.v + t * self.a
            return np.asarray(function(x, self.model.assemble(x, v)[1] if self.has_loops else v))

        # passive joints near singular positions are fast
        speed = float(np.abs(self.v).max(initial=0.0))
        return first_derivative(at, 0.0, 2.0 * STEP / max(speed, 2.0))

    def by_position(self, function: Callable[[Floats], Floats]) -> Floats:
        """Return the derivatives of a function by the position along each coordinate (columns)."""
        units = np.eye(len(self.v))
        columns = [
            first_derivative(lambda t, e=e: function(self.moved(e, t)), 0.0, STEP) for e in units
        ]
        return self.columns(columns)

    def columns(self, columns: list[Floats]) -> Floats:
        """Return arrays (v,), one for each coordinate, as the columns of a matrix."""
        return np.array(columns).reshape(len(self.v), -1).T if columns else np.zeros((0, 0))

    def speed_of(self, name: str) -> float:
        """Return the velocity of a joint with one coordinate, which may mimic another."""
        leader, multiplier, _ = self.robot.leader_of(self.robot.joint(name))
        return multiplier * float(self.state.joint_velocity[self.model.joint_names.index(leader)])

    @functools.cached_property
    def is_regular(self) -> bool:
        """Whether the passive joints are far from a singular position of the loops."""
        jacobian = self.model.constraints(self.x).jacobian[:, ~self.kept]
        return bool(np.linalg.svd(jacobian, compute_uv=False).min(initial=1.0) > 0.05)

    @property
    def is_smooth(self) -> bool:
        """Whether no spring is about to fall slack or taut, and no joint is about to stick."""
        springs = self.robot.mechanisms.get("springs", {})
        lengths, tensions = self.state.spring_length, self.state.spring_tension
        kinks = [
            abs(lengths[name] - entry["free_length"]) < 0.15 or abs(tensions[name]) < 0.5
            for name, entry in springs.items()
            if entry["acts"] == "tension"
        ]
        single = [joint.name for joint in self.robot.joints if joint.kind in SINGLE]
        speeds = [*self.v, *map(self.speed_of, single)]
        return not any(kinks) and bool(np.abs(speeds).min(initial=1.0) > 0.12)


@functools.lru_cache(maxsize=2000)
def situation_of(plan: Plan) -> Situation:
    return Situation(described(plan))


def situation(plan: Plan) -> Situation:
    """Return the robot of a plan in its state; a failing example prints both files."""
    note(described(plan).report())
    return situation_of(plan)


def assert_close(actual: Floats, expected: Floats, accuracy: float = ACCURACY) -> None:
    """Compare relative to the largest number, 1 at least."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=accuracy * size)
