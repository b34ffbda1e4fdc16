# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loop joints that keep orientations: closed only where the rotation is, found from afar."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from loop_robots import four_bar, hung_platform, slider_crank, welded_four_bar, wrist

from charmie_dynamics import Model, OutOfReachError


def turn_of(R: np.ndarray) -> float:
    """Return the angle of a rotation."""
    vector = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    return float(np.arctan2(np.linalg.norm(vector), np.trace(R) - 1.0))


@pytest.mark.parametrize("kind", ["fixed", "prismatic"])
def test_kept_orientations_have_no_false_zeros(tmp_path: Path, kind: str) -> None:
    entry = {"axis": [0.3, -0.5, 0.8]} if kind == "prismatic" else {}
    model = wrist(tmp_path, kind, **entry)
    rng = np.random.default_rng(3)
    for start in rng.uniform(-np.pi, np.pi, (300, 3)):
        position, _ = model.project(start)
        assert turn_of(model.kinematics(position).frame("hand")[1]) < 1e-8


def test_opposite_axes_of_a_hinge_are_open(tmp_path: Path) -> None:
    model = wrist(tmp_path, "revolute", axis=[0.0, 0.0, 1.0])
    with pytest.raises(OutOfReachError, match=r"open by [23].\d+ rad"):
        model.compute([np.pi, 0.0, 0.4])
    position, _ = model.project([np.pi, 0.0, 0.4])
    axis = model.kinematics(position).direction("hand", (0.0, 0.0, 1.0)).value
    np.testing.assert_allclose(axis, [0.0, 0.0, 1.0], atol=1e-8)


@pytest.mark.parametrize("kind", ["fixed", "prismatic", "revolute"])
def test_jacobian_and_errors_give_the_slope_of_their_square_at_open_positions(
    tmp_path: Path, kind: str
) -> None:
    entry = {} if kind == "fixed" else {"axis": [0.3, -0.5, 0.8]}
    model = wrist(
        tmp_path, kind, first_point=[0.1, 0.2, 0.0], second_point=[0.0, 0.1, 0.3], **entry
    )
    rng, step = np.random.default_rng(4), 1e-6
    for position in rng.uniform(-2.5, 2.5, (10, 3)):
        here = model.constraints(position)
        for k in range(3):
            ahead, behind = (
                model.constraints(position + sign * step * np.eye(3)[k]).error for sign in (1, -1)
            )
            slope = (ahead @ ahead - behind @ behind) / (4.0 * step)
            assert abs(here.error @ here.jacobian[:, k] - slope) < 1e-7


def test_jacobian_rate_is_the_derivative_of_the_jacobian_at_open_positions(tmp_path: Path) -> None:
    model = wrist(tmp_path, "fixed", first_point=[0.1, 0.2, 0.0])
    rng, step = np.random.default_rng(5), 1e-6
    position, velocity = rng.uniform(-1.0, 1.0, (2, 3))
    ahead, behind = (
        model.constraints(position + sign * step * velocity).jacobian for sign in (1, -1)
    )
    rate = model.constraints(position, velocity).jacobian_rate
    np.testing.assert_allclose((ahead - behind) / (2.0 * step), rate, atol=1e-8)


@pytest.mark.parametrize("make", [wrist, four_bar, welded_four_bar, slider_crank, hung_platform])
def test_searches_from_within_a_radian_converge(tmp_path: Path, make: type) -> None:
    model: Model = make(tmp_path)
    rng = np.random.default_rng(6)
    closed, _ = model.project(
        model.zero_position() + 0.2 * rng.normal(size=len(model.position_names))
    )
    found = 0
    for _ in range(40):
        start = closed + rng.uniform(-1.0, 1.0, len(closed))
        try:
            model.project(start)
            found += 1
        except OutOfReachError:
            pass
    assert found >= 38
