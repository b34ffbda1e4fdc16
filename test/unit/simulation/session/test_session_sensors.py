# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What sensors say: resolution, noise, delay, velocities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.simulation.session.sensors import Sensors, TrueSample
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

MILLISECOND = 1_000_000
LENGTHS = (0, 1, 3, 4)  # slides of the base, linear actuators


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


def sensors_of(model: Model, settings: SessionSettings) -> Sensors:
    robot = SimulatedSystem.alone(model).robot
    assert robot is not None
    return Sensors(model, robot.columns, settings)


def sample(stamp: int, position: float, velocity: float = 0.5) -> TrueSample:
    return TrueSample(stamp, *(np.full(21, x) for x in (position, velocity, 0.0, 2.0)))


def test_angles_and_lengths_are_rounded_to_their_own_steps(model: Model) -> None:
    sensors = sensors_of(model, SessionSettings(angle_resolution=0.01, length_resolution=0.1))
    sensors.measure(1, sample(MILLISECOND, 0.1234))
    position = sensors.take(1).position
    expected = np.full(21, 0.12)
    expected[list(LENGTHS)] = 0.1
    np.testing.assert_allclose(position, expected, atol=1e-12)


def test_noise_has_the_deviation_that_was_asked_for(model: Model) -> None:
    sensors = sensors_of(model, SessionSettings(angle_noise=0.02))
    found = []
    for k in range(2000):
        sensors.measure(k, sample(k * MILLISECOND, 0.3))
        found.append(sensors.take(k).position)
    deviation = np.std(found, axis=0)
    assert deviation[list(LENGTHS)].max() < 1e-12
    np.testing.assert_allclose(np.delete(deviation, LENGTHS), 0.02, rtol=0.1)


def test_a_measurement_is_told_later_with_the_time_at_which_it_was_made(model: Model) -> None:
    sensors = sensors_of(model, SessionSettings(sensor_delay=0.003))
    sensors.measure(10, sample(10 * MILLISECOND, 0.1))
    assert sensors.next_due == 13
    assert sensors.take(12) is None
    assert sensors.take(13).stamp == 10 * MILLISECOND
    assert sensors.next_due is None


def test_velocities_are_exact_differences_or_absent(model: Model) -> None:
    found = {}
    for kind in ("exact", "difference", "none"):
        sensors = sensors_of(model, SessionSettings(velocities=kind))
        for k, position in enumerate((0.1, 0.14)):
            sensors.measure(k, sample(10 * k * MILLISECOND, position))
            found[kind] = sensors.take(k).velocity
    assert found["none"] is None
    np.testing.assert_array_equal(found["exact"], 0.5)
    np.testing.assert_allclose(found["difference"], 4.0)


def test_after_a_new_beginning_the_noise_is_the_same(model: Model) -> None:
    settings = SessionSettings(angle_noise=0.1, length_noise=0.1, sensor_delay=1.0)
    sensors = sensors_of(model, settings)
    sensors.measure(0, sample(0, 0.0))
    first = sensors.take(1000).position
    sensors.measure(1, sample(MILLISECOND, 0.0))
    sensors.begin()
    assert sensors.take(5000) is None
    sensors.measure(0, sample(0, 0.0))
    np.testing.assert_array_equal(sensors.take(1000).position, first)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ()),
        ({"rate": 500.0, "step": 0.0005, "sensor_delay": 0.0015, "scan_link": "laser"}, ()),
        ({"scan_rate": 7.0}, ()),  # without a scanner
        ({"rate": 300.0}, ("rate: 300 Hz is not a whole number of steps; 333.333 Hz is used",)),
        ({"rate": 5000.0}, ("rate: 5000 Hz is not a whole number of steps; 1000 Hz is used",)),
        (
            {"scan_rate": 30.0, "scan_link": "laser"},
            ("scan_rate: 30 Hz is not a whole number of samples; 33.3333 Hz is used",),
        ),
        (
            {"sensor_delay": 0.0016},
            ("sensor_delay: 0.0016 s is not a whole number of steps; 0.002 s is used",),
        ),
    ],
)
def test_values_that_are_rounded_are_reported(
    given: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert SessionSettings(**given).rounded_values == expected
