# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot in a state, as the invariants need it."""

from __future__ import annotations

import functools
import re
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
    margin : float
        How far a spring is from its free length in a smooth state (m).
    """

    def __init__(self, model: Model, x: Floats, v: Floats, a: Floats, margin: float = 0.15) -> None:
        self.model, self.x, self.v, self.a, self.margin = model, x, v, a, margin
        if self.has_loops:
            self.x, self.v, self.a = model.assemble(x, v, a)
        rng = np.random.default_rng(3)
        self.effort = rng.uniform(-3.0, 3.0, len(model.actuator_names))
        # pivot and anchor of a balance mechanism lie in one plane
        alone = [each for each in model.parameters if not re.match(r"balance.*\[1\]", each)]
        if self.has_loops and model.constraints(self.x).undetermined:
            # loops that are constrained more than once may not close with other joints
            alone = [each for each in alone if not each.startswith("loop_joints.")]
        self.numbers = rng.permutation(alone)[:4].tolist()

    @property
    def has_loops(self) -> bool:
        return bool(self.model.mechanisms.loop_joints)

    @functools.cached_property
    def state(self) -> State:
        return self.model.compute(self.x, self.v, self.a)

    @property
    def kept(self) -> Floats:
        """Coordinates that are not passive: those of the equations."""
        passive = self.model.mechanisms.passive_joints
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

        # passive joints near singular positions are fast, or about to be
        speed, acceleration = (float(np.abs(each).max(initial=0.0)) for each in (self.v, self.a))
        return first_derivative(at, 0.0, 2.0 * STEP / max(speed, acceleration**0.5, 2.0))

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

    @functools.cached_property
    def speeds(self) -> dict[str, float]:
        """Return the velocities of the joints with one coordinate, which may mimic others."""
        joints = {joint.name: joint for joint in self.model.tree.joints}
        speeds = {}
        for name, joint in joints.items():
            multiplier = 1.0
            while joint.mimic:
                multiplier *= joint.mimic.multiplier
                joint = joints[joint.mimic.joint]
            if joint.type in SINGLE:
                k = self.model.joint_names.index(joint.name)
                speeds[name] = multiplier * float(self.state.joint_velocity[k])
        return speeds

    @functools.cached_property
    def is_regular(self) -> bool:
        """Whether the passive joints are far from a singular position of the loops."""
        jacobian = self.model.constraints(self.x).jacobian[:, ~self.kept]
        return bool(np.linalg.svd(jacobian, compute_uv=False).min(initial=1.0) > 0.05)

    @property
    def is_smooth(self) -> bool:
        """Whether no spring is about to fall slack or taut, and no joint is about to stick."""
        lengths, tensions = self.state.spring_length, self.state.spring_tension
        kinks = [
            abs(lengths[spring.name] - spring.free_length) < self.margin
            or (spring.damping > 0.0 and abs(tensions[spring.name]) < 0.5)
            for spring in self.model.mechanisms.springs
            if spring.acts == "tension"
        ]
        speeds = [*self.v, *self.speeds.values()] if self.model.has_friction else []
        return not any(kinks) and bool(np.abs(speeds).min(initial=1.0) > 0.12)


class DescribedSituation(Situation):
    """The robot of a description in its state."""

    def __init__(self, robot: Description) -> None:
        self.robot = robot
        model = robot.load()
        super().__init__(model, *arrays(robot, model))


@functools.lru_cache(maxsize=2000)
def situation_of(plan: Plan) -> DescribedSituation:
    return DescribedSituation(described(plan))


def situation(plan: Plan) -> DescribedSituation:
    """Return the robot of a plan in its state; a failing example prints both files."""
    note(described(plan).report())
    return situation_of(plan)


def assert_close(actual: Floats, expected: Floats, accuracy: float = ACCURACY) -> None:
    """Compare relative to the largest number, 1 at least."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=accuracy * size)
