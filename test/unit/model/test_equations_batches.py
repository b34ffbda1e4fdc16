# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Batches: on any number of threads, of any layout, and their inputs that are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from random_states import random_state

from charmie_dynamics import InputError, Model, OutOfReachError
from charmie_dynamics.model.equations.evaluation import SMALLEST_PART
from charmie_dynamics.model.flat import parallel

AUXILIARY = "torso_actuator_rod"
LONG = 2 * SMALLEST_PART + 3  # rows, enough for two threads


class Method(NamedTuple):
    """A method with its batch: how many arrays it takes, and what is compared of its results."""

    name: str
    inputs: int
    results: tuple[str, ...]
    rows: int = LONG


BY = ("position", "velocity", "acceleration")
METHODS = {
    method.name: method
    for method in (
        Method("compute", 3, ("actuator_effort",), 2 * parallel.SMALLEST_PART + 3),
        Method("regressor", 3, ("",)),
        Method("equations", 2, ("mass_matrix", "coriolis_matrix", "gravity_effort")),
        Method("energy", 2, ("kinetic", "gravitational", "elastic", "total")),
        Method("derivatives", 3, tuple(f"effort_by_{name}" for name in BY)),
        Method("forward", 3, ("acceleration", "actuator_effort", "joint_acceleration")),
        Method(
            "forward_derivatives",
            3,
            tuple(f"acceleration_by_{name}" for name in ("position", "velocity", "effort")),
        ),
    )
}


def result_of(found: Any, name: str) -> np.ndarray:
    """Return an attribute of a result, or the result if it is an array."""
    return getattr(found, name) if name else found


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> Method:
    return METHODS[request.param]


def samples(model: Model, count: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(9)
    states = [random_state(model, rng) for _ in range(count)]
    return tuple(np.array(array) for array in zip(*states, strict=True))


def many(model: Model, method: Method) -> Callable[..., Any]:
    return getattr(model, method.name)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_threads_do_not_change_results(charmie: Model, method: Method, workers: int) -> None:
    few = samples(charmie, 16)[: method.inputs]
    inputs = [np.tile(array, (-(-method.rows // 16), 1))[: method.rows] for array in few]
    expected, found = many(charmie, method)(*few), many(charmie, method)(*inputs, workers=workers)
    result = method.results[0]
    rows = np.arange(method.rows) % 16
    np.testing.assert_array_equal(result_of(found, result), result_of(expected, result)[rows])


@pytest.mark.parametrize("workers", [1, 3])
def test_threads_do_not_change_jacobians(charmie: Model, workers: int) -> None:
    few = samples(charmie, 16)[0]
    long = np.tile(few, (-(-LONG // 16), 1))[:LONG]
    expected = charmie.jacobian(few, "left_tool")
    found = charmie.jacobian(long, "left_tool", workers=workers)
    np.testing.assert_array_equal(found, expected[np.arange(LONG) % 16])


def test_what_is_omitted_is_zero(charmie: Model, method: Method) -> None:
    position = samples(charmie, 3)[0]
    zeros = (np.zeros_like(position),) * (method.inputs - 1)
    found, expected = many(charmie, method)(position), many(charmie, method)(position, *zeros)
    for result in method.results:
        np.testing.assert_array_equal(result_of(found, result), result_of(expected, result))


def test_rows_may_lie_anyhow_in_memory_and_stay_as_they_are(charmie: Model, method: Method) -> None:
    inputs = samples(charmie, 6)[: method.inputs]
    expected = many(charmie, method)(*inputs)
    read_only = [array.copy() for array in inputs]
    for array in read_only:
        array.flags.writeable = False
    others = (
        [np.asfortranarray(array) for array in inputs],
        [np.repeat(array, 2, axis=0)[::2] for array in inputs],
        read_only,
        [array.tolist() for array in inputs],
    )
    for other in others:
        before = [np.array(array) for array in other]
        found = many(charmie, method)(*other)
        np.testing.assert_array_equal(
            result_of(found, method.results[0]), result_of(expected, method.results[0])
        )
        for array, copy in zip(other, before, strict=True):
            np.testing.assert_array_equal(array, copy)
    for other in others:
        jacobians = charmie.jacobian(other[0], "head")
        np.testing.assert_array_equal(jacobians, charmie.jacobian(inputs[0], "head"))


@pytest.mark.parametrize("place", [0, 3, -1])
def test_first_sample_out_of_reach_is_named(charmie: Model, method: Method, place: int) -> None:
    place %= method.rows
    inputs = [np.tile(array, (method.rows, 1)) for array in samples(charmie, 1)[: method.inputs]]
    inputs[0][place:, 4] = 0.9
    expected = rf"^sample {place}: linear actuator 'torso_actuator': length 0\.9 m is out of reach"
    with pytest.raises(OutOfReachError, match=expected):
        many(charmie, method)(*inputs, workers=2)


@pytest.mark.parametrize("frame", ["head", AUXILIARY])
def test_first_sample_out_of_reach_is_named_by_jacobians(charmie: Model, frame: str) -> None:
    position = np.tile(charmie.zero_position(), (LONG if frame == "head" else 9, 1))
    position[5:, 4] = 0.9
    with pytest.raises(OutOfReachError, match=r"^sample 5: linear actuator 'torso_actuator'"):
        charmie.jacobian(position, frame, workers=2)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_value_that_is_no_number_is_named_with_its_sample(
    charmie: Model, method: Method, value: float
) -> None:
    inputs = list(samples(charmie, 4)[: method.inputs])
    inputs[1][2, 7] = value
    expected = rf"^velocity of sample 2: expected finite values, got {value} for 'left_arm_joint_3'"
    with pytest.raises(InputError, match=expected):
        many(charmie, method)(*inputs)


def test_effort_that_is_no_number_is_named_with_its_sample(charmie: Model) -> None:
    position, velocity, effort = samples(charmie, 4)
    effort[1, 0] = np.nan
    with pytest.raises(InputError, match=r"^effort of sample 1: .* for 'base_x_joint'"):
        charmie.forward(position, velocity, effort)


@pytest.mark.parametrize("k", [1, 2])
def test_leading_axes_that_do_not_broadcast_are_refused(
    charmie: Model, method: Method, k: int
) -> None:
    if k >= method.inputs:
        return
    inputs = list(samples(charmie, 4))[: method.inputs]
    inputs[k] = inputs[k][:3]
    with pytest.raises(InputError, match=r"^position, velocity.*that broadcast, got .*\(3,\)"):
        many(charmie, method)(*inputs)
