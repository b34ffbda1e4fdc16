# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Controllers: what they ask for, within which limits, and what they refuse."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from random_states import random_state

from charmie_dynamics import InputError, Model, OutOfReachError
from charmie_dynamics.control import (
    ComputedTorque,
    Controller,
    GravityCompensation,
    PDFeedForward,
)

KP, KD = 30.0, 4.0
MAKERS: dict[str, Callable[[Model], Controller]] = {
    "computed torque": lambda model: ComputedTorque(model, KP, KD, effort_limits=np.inf),
    "feed-forward": lambda model: PDFeedForward(model, KP, KD, effort_limits=np.inf),
    "gravity": lambda model: GravityCompensation(model, KP, KD, effort_limits=np.inf),
}
INPUTS = (
    *("position", "velocity"),
    *("desired position", "desired velocity", "desired acceleration"),
)
Given = list[np.ndarray]


def given_for(model: Model, seed: int) -> Given:
    """Return what a controller is called with: a state near a desired one."""
    rng = np.random.default_rng(seed)
    q_d, v_d, a_d = random_state(model, rng)
    q = q_d + 1e-3 * rng.standard_normal(len(q_d))
    return [q, v_d + 0.1 * rng.standard_normal(len(q_d)), q_d, v_d, a_d]


@pytest.fixture(params=["charmie", "crane", "scara"])
def robot(request: pytest.FixtureRequest) -> Model:
    return request.getfixturevalue(request.param)


def test_computed_torque_gives_each_actuator_the_acceleration_of_its_own_errors(
    robot: Model,
) -> None:
    q, v, q_d, v_d, a_d = given_for(robot, 1)
    effort, _ = MAKERS["computed torque"](robot).compute(q, v, q_d, v_d, a_d)
    # that these efforts cause that acceleration: nothing else does, the mass matrix being regular
    wanted = a_d + KD * (v_d - v) + KP * (q_d - q)
    expected = robot.compute(q, v, wanted).actuator_effort
    np.testing.assert_allclose(effort, expected, rtol=1e-12, atol=1e-12)


def test_feed_forward_is_the_effort_of_the_desired_motion_and_gains_times_errors(
    robot: Model,
) -> None:
    q, v, q_d, v_d, a_d = given_for(robot, 2)
    effort, _ = MAKERS["feed-forward"](robot).compute(q, v, q_d, v_d, a_d)
    expected = robot.compute(q_d, v_d, a_d).actuator_effort + KD * (v_d - v) + KP * (q_d - q)
    np.testing.assert_allclose(effort, expected, rtol=1e-12, atol=1e-12)


def test_gravity_compensation_holds_what_stands_still(robot: Model) -> None:
    q, v, q_d, v_d, a_d = given_for(robot, 3)
    holding = robot.compute(q).actuator_effort
    effort, _ = GravityCompensation(robot, effort_limits=np.inf).compute(q, v, q_d, v_d, a_d)
    np.testing.assert_array_equal(effort, holding)
    effort, _ = MAKERS["gravity"](robot).compute(q, v, q_d, v_d, a_d)
    expected = holding + KD * (v_d - v) + KP * (q_d - q)
    np.testing.assert_allclose(effort, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", MAKERS)
def test_friction_of_the_desired_motion_is_overcome(
    scara: Model, rough_scara: Model, kind: str
) -> None:
    given = given_for(scara, 5)
    smooth, rough = (MAKERS[kind](m).compute(*given).effort for m in (scara, rough_scara))
    expected = rough_scara.friction_effort(given[3])
    assert np.count_nonzero(expected) == 2
    np.testing.assert_allclose(rough - smooth, expected, atol=1e-12)


def test_friction_is_left_out_on_request(scara: Model, rough_scara: Model) -> None:
    given = given_for(scara, 6)
    left_out = ComputedTorque(rough_scara, KP, friction=False).compute(*given).effort
    np.testing.assert_array_equal(left_out, ComputedTorque(scara, KP).compute(*given).effort)


@pytest.mark.parametrize("kind", MAKERS)
def test_what_exceeds_a_limit_is_cut_off_and_told(scara: Model, kind: str) -> None:
    given = given_for(scara, 7)
    asked, is_limited = MAKERS[kind](scara).compute(*given)
    assert not is_limited.any()
    controller = MAKERS[kind](scara)
    limits = np.abs(asked) * [0.5, 2.0, 0.9, 1.0, 0.0]
    controller = type(controller)(scara, KP, KD, effort_limits=limits)
    effort, is_limited = controller.compute(*given)
    assert is_limited.tolist() == [True, False, True, False, True]
    np.testing.assert_array_equal(effort, np.sign(asked) * np.minimum(np.abs(asked), limits))


def test_another_inverse_dynamics_takes_the_place_of_the_models(scara: Model) -> None:
    q, v, q_d, v_d, a_d = given_for(scara, 8)
    calls = []

    def inverse_dynamics(*state: np.ndarray) -> np.ndarray:
        calls.append(state)
        return np.arange(5.0)

    controller = ComputedTorque(scara, KP, KD, inverse_dynamics=inverse_dynamics)
    assert controller.compute(q, v, q_d, v_d, a_d).effort.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    ((position, velocity, acceleration),) = calls
    assert position is q and velocity is v
    np.testing.assert_allclose(acceleration, a_d + KD * (v_d - v) + KP * (q_d - q))


@pytest.mark.parametrize("kind", MAKERS)
def test_a_result_stays_and_arguments_are_left_alone(scara: Model, kind: str) -> None:
    controller = MAKERS[kind](scara)
    given = given_for(scara, 9)
    copies = [values.copy() for values in given]
    first = controller.compute(*given)
    kept = first.effort.copy(), first.is_limited.copy()
    controller.compute(*given_for(scara, 10))
    np.testing.assert_array_equal(first.effort, kept[0])
    np.testing.assert_array_equal(first.is_limited, kept[1])
    np.testing.assert_array_equal(given, copies)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("k", range(5))
@pytest.mark.parametrize("values", [0.5, [0.5], [[0.5] * 5], [0.5] * 6])
def test_an_input_of_another_shape_is_refused_by_name(
    scara: Model, kind: str, k: int, values: object
) -> None:
    given: list = [np.zeros(5) for _ in range(5)]
    given[k] = np.array(values)
    message = f"{INPUTS[k]}: expected shape (5,), got {np.shape(values)}"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        MAKERS[kind](scara).compute(*given)


@pytest.mark.parametrize(
    ("kind", "k"),
    # the desired acceleration counts for nothing where only gravity is compensated
    [(kind, k) for kind in MAKERS for k in range(5) if (kind, k) != ("gravity", 4)],
)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_an_input_that_is_not_finite_is_refused_by_name(
    scara: Model, kind: str, k: int, value: float
) -> None:
    given = given_for(scara, 11)
    given[k][2] = value
    message = f"{INPUTS[k]}: expected finite values, got {value} for 'joint_3'"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        MAKERS[kind](scara).compute(*given)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_desired_motion_without_bounds_is_refused(scara: Model, kind: str) -> None:
    given = given_for(scara, 12)
    given[3][1] = 1e308
    with np.errstate(over="ignore"), pytest.raises(InputError, match="so large that the"):
        MAKERS[kind](scara).compute(*given)


def test_a_length_that_closes_no_loop_is_refused(charmie: Model) -> None:
    given = given_for(charmie, 13)
    given[0][3] = 2.0  # m, of the lift actuator
    with pytest.raises(OutOfReachError, match="lift_actuator"):
        MAKERS["computed torque"](charmie).compute(*given)
