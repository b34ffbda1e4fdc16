# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Jacobians of points against differences of the frames of a state."""

from __future__ import annotations

import numpy as np
import pytest
from all_robots import ROBOTS, robot
from differences import by_each, first_derivative
from random_states import random_state

from charmie_dynamics import Model, Wrench

STEP = 1e-3  # rad or m, of differences
POINT = (0.3, -0.2, 0.5)  # m


@pytest.fixture(params=ROBOTS)
def model(request: pytest.FixtureRequest) -> Model:
    return robot(request.param)


def position_of(model: Model, seed: int = 4) -> np.ndarray:
    return random_state(model, np.random.default_rng(seed))[0]


def jacobian_by_differences(model: Model, position: np.ndarray, frame: str) -> np.ndarray:
    """Return the Jacobian (6, q) of POINT in a frame."""
    _, R = model.compute(position).frame(frame)

    def pose(q: np.ndarray) -> np.ndarray:
        p, R = model.kinematics(q).frame(frame)
        return np.concatenate([p + R @ POINT, R.ravel()])

    columns = []
    for rate in by_each(pose, position, STEP):
        spin = rate[3:].reshape(3, 3) @ R.T
        columns.append([*rate[:3], spin[2, 1], spin[0, 2], spin[1, 0]])
    return np.array(columns).T


def test_jacobian_of_every_frame_is_how_its_pose_changes(model: Model) -> None:
    position = position_of(model)
    frames = model.frame_names
    chosen = frames if len(frames) < 30 else (*frames[:32:5], *frames[-14:])
    for frame in chosen:
        found = model.jacobian(position, frame, POINT)
        expected = jacobian_by_differences(model, position, frame)
        assert found.shape == (6, len(position))
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9, err_msg=frame)


@pytest.mark.parametrize("seed", range(3))
def test_jacobian_times_velocities_is_the_velocity_along_a_motion(model: Model, seed: int) -> None:
    position, velocity, _ = random_state(model, np.random.default_rng(seed))
    for frame in (model.frame_names[-1], model.frame_names[len(model.frame_names) // 2]):
        expected = first_derivative(
            lambda t, frame=frame: model.compute(position + t * velocity).frame(frame)[0], 0.0, STEP
        )
        found = model.jacobian(position, frame)[:3] @ velocity
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_efforts_that_hold_a_wrench_follow_from_the_jacobian(model: Model) -> None:
    position = position_of(model)
    link = next(reversed(model.tree.links))
    force, torque = (3.0, -20.0, 7.0), (0.4, 1.5, -0.9)
    bare = model.with_loads()
    held = bare.with_loads(wrenches={link: Wrench(force, torque)})
    _, R = bare.compute(position).frame(link)
    expected = -bare.jacobian(position, link).T @ np.concatenate([R @ force, R @ torque])
    found = held.equations(position).external_effort
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12 * abs(expected).max())
    assert not bare.equations(position).external_effort.any()


def test_root_does_not_move(model: Model) -> None:
    assert not model.jacobian(position_of(model), model.frame_names[0], POINT).any()


def test_point_is_the_origin_if_omitted(charmie: Model) -> None:
    position = position_of(charmie)
    for frame in ("left_tool", "torso_actuator_rod"):
        np.testing.assert_array_equal(
            charmie.jacobian(position, frame), charmie.jacobian(position, frame, (0, 0, 0))
        )


def test_angular_rows_do_not_depend_on_the_point(charmie: Model) -> None:
    position = position_of(charmie)
    for frame in ("left_tool", "torso_actuator_rod"):
        near, far = (charmie.jacobian(position, frame, (0, 0, z))[3:] for z in (0.1, 100.0))
        np.testing.assert_array_equal(near, far)


def test_auxiliary_body_moves_as_the_link_that_it_is_pinned_to(charmie: Model) -> None:
    position = position_of(charmie)
    for actuator in charmie.mechanisms.linear_actuators:
        rod = charmie.jacobian(position, f"{actuator.name}_rod")
        pin = charmie.jacobian(position, actuator.tip_body, actuator.tip_point)
        np.testing.assert_allclose(rod[:3], pin[:3], rtol=0.0, atol=1e-12)


def test_length_of_a_linear_actuator_grows_with_itself_alone(crane: Model) -> None:
    position = position_of(crane)
    state = crane.compute(position)
    for actuator in crane.mechanisms.linear_actuators:
        ends = [
            (state.frame(body), crane.jacobian(position, body, point), np.array(point))
            for body, point in (
                (actuator.base_body, actuator.base_point),
                (actuator.tip_body, actuator.tip_point),
            )
        ]
        ((p, R), base, r), ((p_tip, R_tip), tip, r_tip) = ends
        along = p_tip + R_tip @ r_tip - p - R @ r
        rate = along / np.linalg.norm(along) @ (tip - base)[:3]
        expected = [float(name == actuator.name) for name in crane.actuator_names]
        np.testing.assert_allclose(rate, expected, rtol=0.0, atol=1e-12)
