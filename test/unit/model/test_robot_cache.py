# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The cache of a robot: bounded, released with its robot, and empty in copies and variants."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
from all_robots import robot

from charmie_dynamics import Model, Payload
from charmie_dynamics.model.flat.prepared_robot import Cache


class Made:
    """A result that can be observed after its release."""


def fill(model: Model, count: int) -> list[weakref.ref[Made]]:
    """Return references to the results of some functions of a robot."""
    makers = [lambda _, k=k: Made() for k in range(count)]  # type: ignore[misc]
    return [weakref.ref(model.robot.cache[make]) for make in makers]


def test_a_result_is_made_once() -> None:
    model, calls = copy.deepcopy(robot("crane")), []

    def make(own: object) -> Made:
        calls.append(own)
        return Made()

    assert model.robot.cache[make] is model.robot.cache[make]
    assert calls == [model.robot]


def test_the_oldest_results_are_released() -> None:
    model = copy.deepcopy(robot("crane"))
    made = fill(model, Cache.SIZE + 3)
    gc.collect()
    assert [reference() is None for reference in made] == [True] * 3 + [False] * Cache.SIZE
    assert len(model.robot.cache) == Cache.SIZE


def test_kernels_that_were_released_are_prepared_again() -> None:
    model = copy.deepcopy(robot("crane"))
    position = model.zero_position()
    name = next(iter(model.parameters))
    expected = model.equations(position).block, model.derivatives(position, parameters=[name])
    fill(model, Cache.SIZE)
    np.testing.assert_array_equal(model.equations(position).block, expected[0])
    found = model.derivatives(position, parameters=[name])
    np.testing.assert_array_equal(found.effort_by_parameter, expected[1].effort_by_parameter)


def test_copies_and_variants_begin_with_an_empty_cache() -> None:
    model = copy.deepcopy(robot("crane"))
    model.equations(model.zero_position())
    assert model.robot.cache
    link = model.flat.body_names[-1]
    for other in (
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
        model.with_loads({link: Payload(1.0)}),
        model.open_tree(),
    ):
        assert not other.robot.cache


def test_a_robot_is_released_with_its_cache() -> None:
    model = copy.deepcopy(robot("crane"))
    model.equations(model.zero_position())
    reference = weakref.ref(model.robot)
    gc.disable()
    try:
        del model
        assert reference() is None
    finally:
        gc.enable()
