# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The estimator against a plain reference, whatever the times between the samples: a machine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from charmie_dynamics.live.estimation.differentiator import Differentiator

MS = 1_000_000
GAP = 0.5  # s
CUTOFF = 7.0  # Hz
INDEX = np.array([0])


@dataclass
class Reference:
    """Polynomial tracking with all poles at exp(-2 pi f dt), written as matrices.

    The state is position, velocity and acceleration, or velocity and acceleration; a measurement
    of the first of them corrects each, by the gains that put the poles of the error there.
    """

    state: np.ndarray
    stamp: int
    measures_velocity: bool
    position: float
    velocity: float
    acceleration: float = 0.0
    samples: int = 1

    @classmethod
    def of(cls, stamp: int, position: float, velocity: float | None) -> Reference:
        if velocity is None:
            return cls(np.array([position, 0.0, 0.0]), stamp, False, position, 0.0)
        return cls(np.array([velocity, 0.0]), stamp, True, position, velocity)

    def follow(self, stamp: int, position: float, velocity: float | None) -> None:
        self.position = position
        dt = 1e-9 * (stamp - self.stamp)
        if dt == 0.0:
            return
        self.stamp = stamp
        self.samples += 1
        pole = math.exp(-2.0 * math.pi * CUTOFF * dt)
        measured = position if velocity is None else velocity
        if velocity is None and self.samples == 2:
            self.state = np.array([position, (position - self.state[0]) / dt, 0.0])
        else:
            step = np.array([[1.0, dt, 0.5 * dt * dt], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
            step = step[: len(self.state), : len(self.state)]
            predicted = step @ self.state
            self.state = predicted + self.gains(step, pole) * (measured - predicted[0])
        self.velocity = float(self.state[1]) if velocity is None else velocity
        self.acceleration = pole * self.acceleration + (1.0 - pole) * float(self.state[-1])

    @staticmethod
    def gains(step: np.ndarray, pole: float) -> np.ndarray:
        """Return K with all eigenvalues of (1 - K C) step at the pole (Ackermann's formula)."""
        size = len(step)
        measure = np.eye(size)[0] @ step
        observed = np.array([measure @ np.linalg.matrix_power(step, k) for k in range(size)])
        polynomial = np.linalg.matrix_power(step - pole * np.eye(size), size)
        return np.asarray(polynomial @ np.linalg.solve(observed, np.eye(size)[-1]))


class EstimatorMachine(RuleBasedStateMachine):
    """One coordinate; a rule for each thing that a stream of samples may do."""

    @initialize(measured=st.booleans())
    def start(self, measured: bool) -> None:
        self.estimator = Differentiator(1, CUTOFF, GAP)
        self.stamp = 5_000 * MS
        self.measured = measured
        self.reference: Reference | None = None
        self.since_restart = 0

    def sample(self, stamp: int, position: float, velocity: float) -> None:
        known = velocity if self.measured else None
        dt = 1e-9 * (stamp - self.stamp)
        old = self.reference
        if (
            old is None
            or not 0.0 <= dt <= GAP
            or (dt > 0 and old.measures_velocity != self.measured)
        ):
            self.reference = Reference.of(stamp, position, known)
        else:
            old.follow(stamp, position, known)
        self.stamp = stamp
        given = np.array([math.nan if known is None else known])
        self.estimator.update(INDEX, stamp, np.array([position]), given)

    @rule(
        milliseconds=st.integers(1, 60),
        position=st.floats(-3.0, 3.0),
        velocity=st.floats(-2.0, 2.0),
    )
    def next_sample(self, milliseconds: int, position: float, velocity: float) -> None:
        self.sample(self.stamp + MS * milliseconds, position, velocity)

    @rule(milliseconds=st.sampled_from([-3_600_000, -1000, -100, -1, 0, 501, 3_600_000]))
    def leap(self, milliseconds: int) -> None:
        self.sample(self.stamp + MS * milliseconds, 0.5, 0.1)

    @rule()
    def velocity_comes_or_goes(self) -> None:
        self.measured = not self.measured

    @rule(step=st.integers(1, 40), speed=st.floats(-1.0, 1.0))
    def steady_motion_after_a_pause(self, step: int, speed: float) -> None:
        """The second sample after a restart has the velocity, and no acceleration."""
        start = self.stamp + 1000 * MS
        for k in range(4):
            t = 1e-3 * step * k
            self.sample(start + MS * step * k, speed * t, speed)
            if k:
                assert self.estimator.velocity[0] == pytest.approx(speed, abs=1e-9)
                assert self.estimator.acceleration[0] == pytest.approx(0.0, abs=1e-6)

    @invariant()
    def estimates_are_those_of_the_reference(self) -> None:
        if self.reference is None:
            return
        names = ("stamp", "position", "velocity", "acceleration")
        found = [getattr(self.estimator, name)[0] for name in names]
        assert np.isfinite(found).all()
        assert found[:2] == [self.reference.stamp, self.reference.position]
        expected = [self.reference.velocity, self.reference.acceleration]
        # gains of 1 / dt^2 magnify the round-off of both
        np.testing.assert_allclose(found[2:], expected, rtol=1e-6, atol=1e-5)


TestEstimator: Any = EstimatorMachine.TestCase
TestEstimator.settings = settings(max_examples=60, stateful_step_count=30)
