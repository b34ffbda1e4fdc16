# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from charmie_dynamics.core.inverse.forward_kinematics import joint_terms, turn
from charmie_dynamics.numerics.rotations import (
    compose,
    from_z_to_direction,
    quaternions_from_matrices,
)

ANGLES = st.floats(-2.0 * math.pi, 2.0 * math.pi)


@st.composite
def directions(draw: st.DrawFn) -> np.ndarray:
    z, angle = draw(st.floats(-1.0, 1.0)), draw(ANGLES)
    r = math.sqrt(1.0 - z * z)
    u = np.array([r * math.cos(angle), r * math.sin(angle), z])
    return u / np.linalg.norm(u)


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Of a body behind a revolute joint at this position."""
    R = np.empty((3, 3))
    R_sine, R_versine, _ = joint_terms(np.eye(3)[None], np.array(axis, dtype=float)[None])
    sine, versine = math.sin(angle), 1.0 - math.cos(angle)
    turn(np.eye(3), R_sine[0], R_versine[0], sine, versine, R)
    return R


def z_to(u: np.ndarray) -> np.ndarray:
    R = np.empty((3, 3))
    from_z_to_direction(np.array(u, dtype=float), R)
    return R


def zxz(first: float, second: float, third: float) -> np.ndarray:
    """Multibody paper, eq. 17, with sin 1 sin 2 in the corner (printed: sin 1 sin 3)."""
    c1, c2, c3 = (math.cos(a) for a in (first, second, third))
    s1, s2, s3 = (math.sin(a) for a in (first, second, third))
    return np.array(
        [
            [c1 * c3 - s1 * c2 * s3, -c1 * s3 - s1 * c2 * c3, s1 * s2],
            [s1 * c3 + c1 * c2 * s3, c1 * c2 * c3 - s1 * s3, -c1 * s2],
            [s2 * s3, s2 * c3, c2],
        ]
    )


def assert_proper(R: np.ndarray, tolerance: float = 1e-14) -> None:
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=tolerance)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=tolerance)


@given(ANGLES)
def test_turn_about_y_is_the_zxz_form_of_eq_18_with_its_third_angle(q: float) -> None:
    form = zxz(0.5 * math.pi, q, -0.5 * math.pi)
    np.testing.assert_allclose(rotation([0, 1, 0], q), form, atol=1e-15)


@given(directions(), directions(), ANGLES)
def test_turn_about_any_axis_keeps_the_axis_and_turns_the_rest_right_handed(
    axis: np.ndarray, v: np.ndarray, angle: float
) -> None:
    across = v - axis * (axis @ v)
    expected = (
        axis * (axis @ v) + math.cos(angle) * across + math.sin(angle) * np.cross(axis, across)
    )
    np.testing.assert_allclose(rotation(axis, angle) @ v, expected, atol=1e-14)


@given(directions(), ANGLES, directions(), ANGLES)
def test_compose_is_the_matrix_product(
    a: np.ndarray, alpha: float, b: np.ndarray, beta: float
) -> None:
    R_a_b, R_b_c, R_a_c = rotation(a, alpha), rotation(b, beta), np.empty((3, 3))
    compose(R_a_b, R_b_c, R_a_c)
    np.testing.assert_allclose(R_a_c, R_a_b @ R_b_c, atol=1e-15)


@given(directions())
def test_rotation_to_a_direction_takes_z_there_by_the_smallest_turn(u: np.ndarray) -> None:
    R = z_to(u)
    np.testing.assert_allclose(R @ [0.0, 0.0, 1.0], u, atol=1e-12)
    assert_proper(R, 1e-12)
    # a rotation by the angle between z and u (eq. 21, the arccos), about an axis across z
    assert np.trace(R) == pytest.approx(1.0 + 2.0 * u[2], abs=1e-12)
    assert R[1, 0] == pytest.approx(R[0, 1], abs=1e-12)


@pytest.mark.parametrize("tilt", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-9])
def test_rotation_to_a_direction_almost_straight_down_is_still_a_rotation(tilt: float) -> None:
    heading = 2.0
    u = np.array(
        [math.sin(tilt) * math.cos(heading), math.sin(tilt) * math.sin(heading), -math.cos(tilt)]
    )
    R = z_to(u)
    assert_proper(R, 1e-12)
    np.testing.assert_allclose(R[:, 2], u, atol=1e-12)


@pytest.mark.parametrize("angle", [-3.0, -1.2, 0.0, 0.3, 2.9])
def test_member_that_swings_about_its_pin_axis_keeps_that_axis(angle: float) -> None:
    about_x = z_to(np.array([0.0, -math.sin(angle), math.cos(angle)]))
    np.testing.assert_allclose(about_x, rotation([1, 0, 0], angle), atol=1e-14)
    about_y = z_to(np.array([math.sin(angle), 0.0, math.cos(angle)]))
    np.testing.assert_allclose(about_y, rotation([0, 1, 0], angle), atol=1e-14)


def test_rotation_straight_down_is_the_half_turn_about_x() -> None:
    assert z_to(np.array([0.0, 0.0, -1.0])).tolist() == np.diag([1.0, -1.0, -1.0]).tolist()


def rotate_by_quaternion(quaternion: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The vector part of q v q*, multiplied out."""
    axis, w = quaternion[:3], quaternion[3]
    return (w * w - axis @ axis) * v + 2.0 * (axis @ v) * axis + 2.0 * w * np.cross(axis, v)


def assert_quaternion_turns_as(R: np.ndarray) -> None:
    quaternion = np.empty((1, 4))
    quaternions_from_matrices(np.array([R]), quaternion)
    assert np.linalg.norm(quaternion[0]) == pytest.approx(1.0, abs=1e-14)
    assert quaternion[0, 3] >= 0.0
    for v in np.eye(3):
        np.testing.assert_allclose(rotate_by_quaternion(quaternion[0], v), R @ v, atol=1e-14)


@given(directions(), ANGLES)
def test_quaternion_turns_vectors_as_its_matrix(axis: np.ndarray, angle: float) -> None:
    assert_quaternion_turns_as(rotation(axis, angle))


@pytest.mark.parametrize("angle", [math.pi, math.pi - 1e-9, math.pi + 1e-9, 3.0, 0.0, 1e-9])
@pytest.mark.parametrize("largest", [0, 1, 2])
def test_quaternion_is_precise_whichever_component_is_largest(largest: int, angle: float) -> None:
    axis = np.full(3, 0.2)
    axis[largest] = 1.0
    axis[(largest + 1) % 3] = -0.3
    assert_quaternion_turns_as(rotation(axis / np.linalg.norm(axis), angle))


def test_quaternions_of_several_matrices_stay_apart() -> None:
    R = np.array([np.eye(3), rotation([1, 0, 0], 1.0), rotation([0, 0, 1], -2.0)])
    quaternion = np.empty((3, 4))
    quaternions_from_matrices(R, quaternion)
    expected = [
        [0.0, 0.0, 0.0, 1.0],
        [math.sin(0.5), 0.0, 0.0, math.cos(0.5)],
        [0.0, 0.0, -math.sin(1.0), math.cos(1.0)],
    ]
    np.testing.assert_allclose(quaternion, expected, atol=1e-15)
