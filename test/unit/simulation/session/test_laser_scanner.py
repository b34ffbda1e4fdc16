# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laser scanner: ranges to the shapes of a world, and not to its own robot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics import InputError
from charmie_dynamics.simulation import world_of
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

# ahead of base_link, whose x axis is y of the world; z = 0.0368
ROOM = """
contacts: {default: {normal: hooke, stiffness: 1.0e5}}
entities:
  ground: {shape: plane}
  charmie: {urdf: charmie, mechanisms: charmie}
  wall: {shape: box, size: [6, 0.2, 1], moves: fixed, pose: [0, 3.1, 0.5, 0, 0, 0]}
  pillar: {shape: cylinder, size: [0.25, 1], moves: fixed, pose: [-2, 0, 0.5, 0, 0, 0]}
  near: {shape: sphere, size: [0.1], moves: fixed, pose: [1.2, 0, 0.0368, 0, 0, 0]}
"""
FOUR = {"scan_angle_min": 0.0, "scan_angle_max": 1.5 * np.pi, "scan_count": 4}


def session_of(**settings: Any) -> Session:
    system = SimulatedSystem.of_world(world_of(ROOM))
    return Session(system, SessionSettings(scan_link="base_link", **settings))


def scans(session: Session, samples: int) -> list[tuple[int, np.ndarray]]:
    """Return stamp and ranges of all scans of some samples."""
    found = []
    for _ in range(samples):
        measured = session.advance(10).measured
        assert measured is not None
        if measured.scan is not None:
            found.append((measured.stamp, measured.scan))
    return found


def test_ranges_are_those_of_the_nearest_shapes_and_the_robot_is_transparent() -> None:
    ((stamp, ranges),) = scans(session_of(**FOUR), 10)
    assert stamp == 100_000_000
    # wall ahead, pillar at the left, nothing behind, sphere at the right
    np.testing.assert_allclose(ranges, [3.0, 1.75, np.inf, 1.1], atol=1e-3)


def test_ranges_out_of_the_limits_are_infinite() -> None:
    ((_, ranges),) = scans(session_of(**FOUR, scan_range_min=1.5, scan_range_max=2.5), 10)
    np.testing.assert_allclose(ranges, [np.inf, 1.75, np.inf, -np.inf], atol=1e-3)


def test_a_scan_follows_the_robot() -> None:
    session = session_of(**FOUR)
    for _ in range(20):
        session.take_velocity([0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
        found = scans(session, 5)
    y = session.position[session.model.position_names.index("charmie/base_y_joint")]
    assert y > 0.2
    assert found[-1][1][0] == pytest.approx(3.0 - y, abs=1e-3)


def test_noise_has_its_deviation_and_repeats_after_a_reset() -> None:
    session = session_of(scan_noise=0.02, scan_rate=100.0, scan_count=90)
    first = scans(session, 40)
    rows = np.array([ranges for _, ranges in first])
    hit = np.isfinite(rows).all(axis=0)
    assert 20 < hit.sum() < 90
    assert rows[:, hit].std(axis=0).mean() == pytest.approx(0.02, rel=0.1)
    session.reset()
    again = scans(session, 40)
    assert [(s, r.tobytes()) for s, r in again] == [(s, r.tobytes()) for s, r in first]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"scan_count": 1}, "scan_count: expected at least 2 rays, got 1"),
        ({"scan_angle_max": -4.0}, "scan_angle_max: expected a finite number above"),
        ({"scan_range_max": 0.05}, "scan_range_max: expected a finite number above"),
        ({"scan_rate": 0.0}, "scan_rate: expected a finite number above 0"),
        ({"scan_noise": -1.0}, "scan_noise: expected a finite number of at least 0"),
        ({"odom_tf": "on"}, "odom_tf: 'on' is no choice"),
    ],
)
def test_settings_that_are_not_allowed_are_refused(settings: Any, text: str) -> None:
    with pytest.raises(InputError, match=text):
        SessionSettings(**settings)
