# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions through the points of a trajectory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import InputError
from charmie_dynamics.motions import SampledMotion, joined_points
from charmie_dynamics.motions.splines import through_points

TIME = np.array([0.0, 0.7, 1.1, 2.5, 2.9])
STEPS = 400
# which of velocity and acceleration are given
KINDS = [(False, False), (True, False), (True, True)]


def polynomial(order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A polynomial of two joints and its derivatives at the times."""
    rng = np.random.default_rng(order)
    parts = [np.polynomial.Polynomial(rng.normal(size=order + 1)) for _ in range(2)]
    return tuple(
        np.column_stack([part.deriv(n)(TIME) if n else part(TIME) for part in parts])
        for n in range(3)
    )


def motion(
    kind: Sequence[bool], steps: int = STEPS
) -> tuple[SampledMotion, list[np.ndarray | None]]:
    values = np.random.default_rng(1).normal(size=(3, len(TIME), 2))
    given = [values[0], *(values[k + 1] if kind[k] else None for k in range(2))]
    return through_points(TIME, *given, steps), given


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_given_at_the_points_is_met(kind: Sequence[bool]) -> None:
    found, given = motion(kind)
    for values, expected in zip(found[1:], given, strict=True):
        if expected is not None:
            np.testing.assert_allclose(values[::STEPS], expected, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_times_are_those_given_with_equal_parts_between_them(kind: Sequence[bool]) -> None:
    found, _ = motion(kind, 4)
    np.testing.assert_array_equal(found.time[::4], TIME)
    np.testing.assert_allclose(np.diff(found.time), np.repeat(np.diff(TIME) / 4, 4))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [1, 2])
def test_velocity_and_acceleration_are_derivatives(kind: Sequence[bool], order: int) -> None:
    """Within each part: central differences at the middles against the mean of the ends."""
    found, _ = motion(kind)
    slope = np.diff(found[order], axis=0) / np.diff(found.time)[:, None]
    middle = 0.5 * (found[order + 1][1:] + found[order + 1][:-1])
    inner = np.arange(len(slope)) % STEPS != 0  # the acceleration may leap at a point
    error = np.abs(slope - middle)[inner].max()
    assert error < 1e-3 * np.abs(middle).max()


def test_from_positions_alone_it_starts_and_ends_at_rest() -> None:
    found, _ = motion((False, False))
    np.testing.assert_allclose(found.velocity[[0, -1]], 0.0, atol=1e-12)


def test_from_positions_alone_the_acceleration_does_not_leap() -> None:
    found, _ = motion((False, False))
    at = STEPS * np.arange(1, len(TIME) - 1)
    before = 2.0 * found.acceleration[at - 1] - found.acceleration[at - 2]  # linear in each part
    after = 2.0 * found.acceleration[at + 1] - found.acceleration[at + 2]
    np.testing.assert_allclose(before, after, atol=1e-9)


@pytest.mark.parametrize(("order", "kind"), [(3, (True, False)), (5, (True, True))])
def test_polynomials_of_its_own_order_are_met_everywhere(order: int, kind: Sequence[bool]) -> None:
    position, velocity, acceleration = polynomial(order)
    found = through_points(TIME, position, velocity, acceleration if kind[1] else None, 3)
    middle = found.time[1::3]
    rng = np.random.default_rng(order)
    parts = [np.polynomial.Polynomial(rng.normal(size=order + 1)) for _ in range(2)]
    for n, values in enumerate(found[1:]):
        expected = [part.deriv(n)(middle) if n else part(middle) for part in parts]
        np.testing.assert_allclose(values[1::3], np.column_stack(expected), rtol=1e-9, atol=1e-9)


def test_two_points_give_the_cubic_from_rest_to_rest() -> None:
    found = through_points(np.array([0.0, 2.0]), np.array([[0.0], [1.0]]), None, None, 4)
    np.testing.assert_allclose(found.position[:, 0], [0.0, 0.15625, 0.5, 0.84375, 1.0])
    np.testing.assert_allclose(found.acceleration[[0, -1], 0], [1.5, -1.5])


def test_integer_points_give_the_motion_of_the_same_floats() -> None:
    joined = joined_points([0, 1, 2], [[0], [1], [3]])
    assert joined.at(0.5).position[0] == pytest.approx(0.21875)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"time": [0.0, 2.0, 1.0]}, "points: expected times that are finite and increase"),
        ({"time": [0.0, 1.0, 1.0]}, "points: expected times that are finite and increase"),
        ({"time": [0.0]}, "points: expected at least 2 points, got 1"),
        ({"time": np.zeros((3, 1))}, "points: time: expected shape (k,), got (3, 1)"),
        ({"position": np.zeros(3)}, "points: position: expected shape (3, m), got (3,)"),
        ({"position": [[0.0], ["a"], [1.0]]}, "points: position: expected numbers"),
        ({"velocity": np.zeros((3, 2))}, "points: velocity: expected shape (3, 1), got (3, 2)"),
        ({"velocity": np.full((3, 1), np.nan)}, "points: velocity: expected finite values"),
        ({"acceleration": np.zeros((3, 1))}, "acceleration: expected velocities with it, got none"),
        ({"begin": [0.0, 0.0]}, "points: begin: expected shape (1,), got (2,)"),
        (
            {"velocity": np.zeros((3, 1)), "begin": [0.0]},
            "points: expected one of begin and velocity, got both",
        ),
        ({"position": [[0.0], [1e308], [-1e308]]}, "points: expected positions and derivatives"),
        ({"velocity": [[0.0], [1e308], [0.0]]}, "points: expected positions and derivatives"),
    ],
)
def test_points_that_define_no_motion_are_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=re.escape(reason)):
        joined_points(**{"time": [0.0, 1.0, 2.0], "position": np.zeros((3, 1)), **change})


def test_extreme_of_a_motion_with_a_term_of_the_size_of_round_off_is_found() -> None:
    joined = joined_points([0.0, 2.0], np.zeros((2, 1)), [[1.0], [0.0]])
    joined.coefficients[5, 0, 0] = 1e-320
    np.testing.assert_allclose(joined.extreme_times(), [0.0, 2.0 / 3.0], atol=1e-9)
