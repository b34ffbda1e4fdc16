# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inputs of computations: what is taken, what is refused, and how."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_states import random_state

from charmie_dynamics import InputError, Model, OutOfReachError, UnknownNameError
from charmie_dynamics.model.flat import checks

LINK, AUXILIARY = "left_tool", "torso_actuator_rod"
# the result of a call as an array
CALLS: dict[str, Callable[..., np.ndarray]] = {
    "compute": lambda model, *given: model.compute(*given).block,
    "regressor": lambda model, *given: model.regressor(*given),
    "contributions": lambda model, p, v=None, *_: model.contributions(p, v).coriolis_effort,
    "jacobian": lambda model, p, *_: model.jacobian(p, LINK),
    "jacobian of an auxiliary body": lambda model, p, *_: model.jacobian(p, AUXILIARY),
    "equations": lambda model, p, v=None, *_: model.equations(p, v).coriolis_matrix,
    "energy": lambda model, p, v=None, *_: np.array(model.energy(p, v)),
    "derivatives": lambda model, *given: model.derivatives(*given).effort_by_position,
    "forward": lambda model, *given: model.forward(*given).acceleration,
    "forward_derivatives": lambda model, *given: model.forward_derivatives(*given)[0],
}
WITH_VELOCITY = [name for name in CALLS if "jacobian" not in name]
WITH_THREE = ["compute", "regressor", "derivatives", "forward", "forward_derivatives"]


@pytest.fixture(params=CALLS)
def call(request: pytest.FixtureRequest) -> Callable[..., np.ndarray]:
    return CALLS[request.param]


@pytest.fixture
def state(charmie: Model) -> tuple[np.ndarray, ...]:
    return random_state(charmie, np.random.default_rng(6))


def strided(array: np.ndarray) -> np.ndarray:
    return np.repeat(array, 3)[::3]


def read_only(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def reversed_twice(array: np.ndarray) -> np.ndarray:
    return array[::-1].copy()[::-1]


def big_endian(array: np.ndarray) -> np.ndarray:
    return array.astype(">f8")


@pytest.mark.parametrize(
    "form", [list, tuple, strided, read_only, reversed_twice, big_endian, np.longdouble]
)
def test_inputs_may_have_any_form(
    charmie: Model, call: Any, state: tuple[np.ndarray, ...], form: Any
) -> None:
    found = call(charmie, *(form(array) for array in state))
    np.testing.assert_array_equal(found, call(charmie, *state))


@pytest.mark.parametrize("name", [name for name in CALLS if "auxiliary" not in name])
def test_read_only_inputs_such_as_results_are_not_copied(
    charmie: Model, name: str, state: tuple[np.ndarray, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = CALLS[name]
    expected = call(charmie, *state)
    # a second run with copies takes thirty times as long as the first
    monkeypatch.delattr(checks, "checked_motion")
    found = call(charmie, *(read_only(array) for array in state))
    np.testing.assert_array_equal(found, expected)


def test_inputs_of_integers_and_of_single_precision_are_taken(charmie: Model, call: Any) -> None:
    position = charmie.zero_position()
    position[3:5] = 0.5, 0.375
    velocity, last = np.full(21, 2), np.full(21, 3)
    expected = call(charmie, position, velocity.astype(float), last.astype(float))
    found = call(charmie, position.astype(np.float32), velocity, last.tolist())
    np.testing.assert_array_equal(found, expected)


def test_inputs_stay_as_they_are_and_results_do_too(
    charmie: Model, call: Any, state: tuple[np.ndarray, ...]
) -> None:
    before = [array.copy() for array in state]
    found = call(charmie, *state)
    kept = found.copy()
    for array, copy in zip(state, before, strict=True):
        np.testing.assert_array_equal(array, copy)
        array += 0.001
    call(charmie, *state)
    np.testing.assert_array_equal(found, kept)


ARGUMENTS = [
    *((name, 0) for name in CALLS),
    *((name, 1) for name in WITH_VELOCITY),
    *((name, 2) for name in WITH_THREE),
]


def call_with(model: Model, name: str, k: int, value: np.ndarray) -> str:
    """Call a method with another argument; return how messages name the argument."""
    given = [model.zero_position(), None, None]
    given[k] = value
    subject = ("position", "velocity", "effort" if "forward" in name else "acceleration")[k]
    with pytest.raises(InputError) as caught:
        CALLS[name](model, *given[: k + 1])
    message = str(caught.value)
    assert message.startswith(f"{subject}: ")
    return message


@pytest.mark.parametrize(("name", "k"), ARGUMENTS)
@pytest.mark.parametrize("shape", [(20,), (22,), (1, 20), (21, 1), (), (0,)])
def test_an_argument_of_another_shape_is_refused(
    charmie: Model, name: str, k: int, shape: tuple[int, ...]
) -> None:
    message = call_with(charmie, name, k, np.zeros(shape))
    assert re.search(r"expected shape \((\.\.\., )?21,?\), got \(", message)


@pytest.mark.parametrize(("name", "k"), ARGUMENTS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_an_argument_that_is_no_number_is_named(
    charmie: Model, name: str, k: int, value: float
) -> None:
    values = charmie.zero_position()
    values[6] = value
    assert f"got {value} for 'left_arm_joint_2'" in call_with(charmie, name, k, values)


@pytest.mark.parametrize(
    "given", ["left", None, {"left_tool": 1.0}, [[1.0], [2.0, 3.0]], [1j] * 21]
)
def test_position_that_holds_no_numbers_is_refused(charmie: Model, call: Any, given: Any) -> None:
    if given is None:
        given = [None] * 20 + ["x"]
    with pytest.raises(InputError, match=r"^position: expected"):
        call(charmie, given)


@pytest.mark.parametrize("length", [0.0, -0.4, 0.1, 0.9, 1e300])
def test_length_out_of_reach_is_named(charmie: Model, call: Any, length: float) -> None:
    position = charmie.zero_position()
    position[4] = length
    with pytest.raises(
        OutOfReachError, match=r"^linear actuator 'torso_actuator': length"
    ) as caught:
        call(charmie, position)
    assert caught.value.name == "torso_actuator"


@pytest.mark.parametrize("call_name", CALLS)
def test_errors_are_those_of_compute(charmie: Model, call_name: str) -> None:
    position = charmie.zero_position()
    position[3] = 0.05
    with pytest.raises(OutOfReachError) as expected:
        charmie.compute(position)
    with pytest.raises(OutOfReachError) as found:
        CALLS[call_name](charmie, position)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("count", [1, 2])
def test_frame_that_does_not_exist_is_refused_with_the_nearest(charmie: Model, count: int) -> None:
    position = np.tile(charmie.zero_position(), (count, 1))[0 if count == 1 else slice(None)]
    with pytest.raises(UnknownNameError, match=r"^frame 'left_tol' is unknown.*'left_tool'"):
        charmie.jacobian(position, "left_tol")


@pytest.mark.parametrize("frame", [LINK, AUXILIARY])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(
    "point", [(0, 0), (0, 0, 0, 0), 0.0, "abc", (0, 0, np.nan), (np.inf, 0, 0), [[0, 0, 0]], None]
)
def test_point_that_is_none_is_refused(charmie: Model, count: int, frame: str, point: Any) -> None:
    position = np.tile(charmie.zero_position(), (count, 1))[0 if count == 1 else slice(None)]
    with pytest.raises(InputError, match=r"^point: expected"):
        charmie.jacobian(position, frame, point)


@pytest.mark.parametrize("frame", [LINK, AUXILIARY])
@pytest.mark.parametrize("form", [list, tuple, np.array, read_only])
def test_point_may_have_any_form(charmie: Model, frame: str, form: Any) -> None:
    position = charmie.zero_position()
    expected = charmie.jacobian(position, frame, (1.0, 2.0, 3.0))
    np.testing.assert_array_equal(
        charmie.jacobian(position, frame, form(np.array([1.0, 2.0, 3.0]))), expected
    )
    np.testing.assert_array_equal(charmie.jacobian(position, frame, [1, 2, 3]), expected)


@pytest.mark.parametrize("name", WITH_VELOCITY)
def test_velocities_that_overflow_are_refused(charmie: Model, name: str) -> None:
    with pytest.raises(InputError, match=r"^velocity or (acceleration|effort): so large"):
        CALLS[name](charmie, charmie.zero_position(), np.full(21, 1e200))


@pytest.mark.parametrize("name", ["equations", "derivatives", "regressor"])
def test_velocities_of_joints_that_overflow_are_refused(charmie: Model, name: str) -> None:
    tree = charmie.open_tree()
    with pytest.raises(InputError, match=r"^velocity or acceleration: so large"):
        getattr(tree, name)(np.zeros(21), np.full(21, 1e308))


def test_results_print_the_names_and_shapes_of_their_arrays(charmie: Model) -> None:
    many = np.zeros((3, 1)) + charmie.zero_position()
    text = repr(charmie.equations(many, np.zeros_like(many)))
    assert text.startswith("<Equations: mass_matrix (3, 21, 21), coriolis_matrix (3, 21, 21), ")
    text = repr(charmie.derivatives(many[0], many[0], many[0]))
    assert "effort_by_position (21, 21)" in text
