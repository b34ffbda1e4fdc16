# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Errors of the odometry of random bases, and the covariances that it states."""

from __future__ import annotations

from typing import Any

import numpy as np
from bases import MARK, add_planar_base, add_swedish_wheels
from descriptions import arrays
from generator import OF_TREES, Plan, described, plans
from hypothesis import assume, given, note
from hypothesis import strategies as st

from charmie_dynamics.simulation.session.base_drive import BaseDrive
from charmie_dynamics.simulation.session.odometry import WheelOdometry
from charmie_dynamics.simulation.session.sensors import Measurement, TrueSample
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

SAMPLE, SAMPLES, RUNS = 10_000_000, 30, 60  # ns
NOTHING = np.zeros(0)
# errors that are small enough for theory of the first order
NOISES = {
    "drift": {"odom_linear_noise": 0.01, "odom_angular_noise": 0.005},
    "encoders": {"angle_noise": 1e-3, "length_noise": 5e-4},
}


def deviations(odometry_of: Any, path: list[np.ndarray], noise: np.ndarray) -> np.ndarray:
    """Return the squared errors of the last pose in many runs, in units of the covariances."""
    rng, found = np.random.default_rng(5), []

    def last(seed: int, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        odometry = odometry_of(seed)
        for k, (q, v) in enumerate(path):
            measured = Measurement(k * SAMPLE, q + noise * rng.normal(size=len(q)), v, NOTHING)
            true = TrueSample(k * SAMPLE, q, v, 0.0 * v, NOTHING)
            estimate = odometry.measure(measured, true)
        yaw = 2.0 * np.arctan2(*estimate.orientation[2:])
        return np.array([*estimate.position[:2], yaw]), estimate.pose_covariance

    exact, _ = last(-1, 0.0 * noise)
    for seed in range(RUNS):
        pose, covariance = last(seed, noise)
        error = pose - exact
        error[2] = np.remainder(error[2] + np.pi, 2.0 * np.pi) - np.pi
        found.append(error @ np.linalg.solve(covariance, error))
    return np.array(found)


@given(
    plan=plans(OF_TREES, kinds=("revolute", "prismatic", "fixed")),
    add_base=st.sampled_from([add_planar_base, add_swedish_wheels]),
    kind=st.sampled_from([("drift",), ("encoders",), ("drift", "encoders")]),
    seed=st.integers(0, 999),
)
def test_errors_are_as_large_as_the_covariance_states(
    plan: Plan, add_base: Any, kind: tuple[str, ...], seed: int
) -> None:
    """Forward, sideways and in the heading, which turns all of the way."""
    robot, rng = described(plan).copy(), np.random.default_rng([seed, 1])
    add_base(robot, np.random.default_rng([seed, 7]))
    note(robot.report())
    model = robot.load()
    base, system = BaseDrive.of(model, MARK), SimulatedSystem.alone(model)
    assume(base is not None and system.robot is not None)
    assert base is not None and system.robot is not None
    x, _, _ = arrays(robot, model)
    columns = system.robot.columns
    at = base.columns
    twist, path, q = rng.uniform(-7.5, 7.5, 3), [], x[columns.position].copy()
    for _ in range(SAMPLES):
        assume(np.linalg.cond(base.jacobian(q[at])) < 8.0)
        v = np.zeros(len(model.velocity_names))
        v[columns.velocity[at]] = base.rates(q[at], twist)
        path.append((q.copy(), v))
        q[at] += SAMPLE * 1e-9 * base.rates(q[at], twist)
    exact = {"odom_linear_noise": 0.0, "odom_angular_noise": 0.0, "odom_child_frame": MARK}
    noises = exact | {name: value for each in kind for name, value in NOISES[each].items()}
    units = np.array(model.effort_units)
    sizes = np.where(units == "N", noises.get("length_noise", 0.0), noises.get("angle_noise", 0.0))

    def odometry(run: int) -> WheelOdometry:
        settings = SessionSettings(**exact) if run < 0 else SessionSettings(seed=run, **noises)
        return WheelOdometry(system.robot, lambda: system, settings, base)

    found = deviations(odometry, path, sizes)
    # chi-squared of three degrees of freedom: mean 3, variance 6
    assert abs(found.mean() - 3.0) < 5.0 * np.sqrt(6.0 / RUNS)
