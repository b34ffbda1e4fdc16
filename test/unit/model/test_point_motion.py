# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Points and directions that are fixed in bodies: where they are and how they move."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_states import random_state

from charmie_dynamics import InputError, Model, UnknownNameError
from charmie_dynamics.model.equations.point_motion import PointMotion
from charmie_dynamics.model.flat.parallel import SMALLEST_PART

CASES = range(6)
TOLERANCE = 2e-9  # relative, as that of what is analytic in the reference
POINT = (0.1, -0.2, 0.3)


@pytest.fixture(scope="module")
def cases(reference: Path) -> list[dict[str, Any]]:
    return json.loads((reference / "equations.json").read_text(encoding="utf-8"))["cases"]


def inputs(model: Model, case: dict[str, Any]) -> list[np.ndarray]:
    given = case["input"]
    kinds = ("position", "velocity", "acceleration")
    return [np.array([given[kind][name] for name in model.actuator_names]) for kind in kinds]


def close(actual: np.ndarray, expected: Any) -> None:
    expected = np.array(expected)
    error = abs(actual - expected) / np.maximum(1.0, abs(expected))
    assert error.max() < TOLERANCE


@pytest.mark.parametrize("k", CASES)
@pytest.mark.parametrize("method", ["compute", "kinematics"])
def test_points_are_those_of_the_reference(
    charmie: Model, cases: list[dict[str, Any]], k: int, method: str
) -> None:
    state = getattr(charmie, method)(*inputs(charmie, cases[k]))
    points = cases[k]["expected"]["points"]
    assert len(points) >= 4
    for point in points:
        motion = state.motion(point["frame"], point["point"])
        for name in PointMotion._fields[:5]:
            close(getattr(motion, name), point[name])
        np.testing.assert_array_equal(motion.rotation, state.frame(point["frame"])[1])


@pytest.mark.parametrize("k", CASES)
def test_directions_are_those_of_the_reference(
    charmie: Model, cases: list[dict[str, Any]], k: int
) -> None:
    state = charmie.compute(*inputs(charmie, cases[k]))
    directions = cases[k]["expected"]["directions"]
    assert len(directions) >= 2
    for direction in directions:
        motion = state.direction(direction["frame"], direction["direction"])
        for name in ("value", "rate", "acceleration"):
            close(getattr(motion, name), direction[name])


@pytest.mark.parametrize("frame", ["left_tool", "torso_spring_tip", "lift_balance_left_bar"])
def test_batch_holds_the_motion_of_each_state(charmie: Model, frame: str) -> None:
    rng = np.random.default_rng(22)
    states = [random_state(charmie, rng) for _ in range(9)]
    samples = [np.array(kind) for kind in zip(*states, strict=True)]
    batch = charmie.compute(*samples)
    moved, turned = batch.motion(frame, POINT), batch.direction(frame, POINT)
    for n in range(9):
        state = charmie.compute(*(kind[n] for kind in samples))
        for many, single in zip(moved, state.motion(frame, POINT), strict=True):
            assert many.shape == (9, *single.shape)
            np.testing.assert_array_equal(many[n], single)
        for many, single in zip(turned, state.direction(frame, POINT), strict=True):
            np.testing.assert_allclose(many[n], single, atol=1e-15, rtol=1e-15)


def test_threads_share_a_large_batch(charmie: Model) -> None:
    rng = np.random.default_rng(23)
    one = [np.tile(kind, (3 * SMALLEST_PART, 1)) for kind in random_state(charmie, rng)]
    one[1] *= np.linspace(0.0, 1.0, len(one[1]))[:, None]
    moved = charmie.compute(*one, workers=2).motion("right_tool")
    alone = charmie.compute(*one, workers=1).motion("right_tool")
    np.testing.assert_array_equal(moved.velocity, alone.velocity)
    assert len(np.unique(moved.velocity[:, 0])) == len(one[1])


def test_direction_is_the_unit_vector_whatever_its_length(charmie: Model) -> None:
    state = charmie.compute(*random_state(charmie, np.random.default_rng(24)))
    expected = state.direction("head", (0.6, 0.0, 0.8))
    for length in (1e-300, 5.0, 1e300):
        found = state.direction("head", (0.6 * length, 0.0, 0.8 * length))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_results_stay_as_they_are(charmie: Model) -> None:
    state = charmie.compute(charmie.zero_position())
    motion, turned = state.motion("head"), state.direction("head", (1.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="read-only"):
        motion.position[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        turned.value[0] = 1.0
    with pytest.raises(AttributeError):
        motion.position = np.zeros(3)


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ((0.0, 0.0), r"^point: expected finite numbers of shape \(3,\), got \[0.0, 0.0\]$"),
        ([(0.0, 0.0, 0.0)], r"^point: expected finite numbers of shape \(3,\), got \[\[0.0, 0"),
        ((0.0, np.nan, 0.0), r"^point: expected finite numbers of shape \(3,\), got \[0.0, nan"),
        ("tool", r"^point: expected numbers of shape \(3,\): "),
        (None, r"^point: expected finite numbers of shape \(3,\), got nan$"),
    ],
)
def test_point_that_is_none_is_refused(charmie: Model, point: Any, message: str) -> None:
    state = charmie.compute(charmie.zero_position())
    with pytest.raises(InputError, match=message):
        state.motion("left_tool", point)


@pytest.mark.parametrize(
    ("direction", "message"),
    [
        ((0.0, 0.0, 0.0), r"^direction: expected a vector that is not zero, got \[0.0, 0.0, 0.0\]"),
        ((0.0, np.inf, 0.0), "^direction: expected finite numbers"),
        ((1.0,), r"^direction: expected finite numbers of shape \(3,\), got \[1.0\]$"),
    ],
)
def test_direction_that_is_none_is_refused(charmie: Model, direction: Any, message: str) -> None:
    state = charmie.compute(charmie.zero_position())
    with pytest.raises(InputError, match=message):
        state.direction("head", direction)


def test_unknown_frame_is_refused_with_the_nearest_names(charmie: Model) -> None:
    state = charmie.compute(charmie.zero_position())
    expected = r"^frame 'left_tol' is unknown; did you mean 'left_tool'\? Valid: world, "
    with pytest.raises(UnknownNameError, match=expected):
        state.motion("left_tol")
    with pytest.raises(UnknownNameError, match=expected):
        state.direction("left_tol", (1.0, 0.0, 0.0))


def test_motion_that_is_too_fast_for_numbers_is_refused(charmie: Model) -> None:
    velocity = np.zeros((3, 21))
    velocity[1, 2] = 1e170  # rad/s, the base turns
    batch = charmie.kinematics(np.tile(charmie.zero_position(), (3, 1)), velocity)
    message = "velocity or acceleration{}: so large that the motion of the point is not finite"
    with pytest.raises(InputError, match=message.format(" of sample 1")):
        batch.motion("left_tool")
    state = charmie.kinematics(charmie.zero_position(), velocity[1])
    with pytest.raises(InputError, match=message.format("") + ", got magnitudes up to 1e\\+170"):
        state.motion("left_tool")
