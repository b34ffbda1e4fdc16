# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Batches: groups of samples on vector registers, parts of them on threads."""

from __future__ import annotations

import numpy as np
import pytest
from random_states import random_state

from charmie_dynamics import InputError, Model
from charmie_dynamics.core.inverse.batch import LANES, room_for
from charmie_dynamics.model.flat.parallel import SMALLEST_PART


def samples(model: Model, count: int, seed: int = 5) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    states = [random_state(model, rng) for _ in range(count)]
    position, velocity, acceleration = (np.array(x) for x in zip(*states, strict=True))
    return position, velocity, acceleration


@pytest.mark.parametrize("workers", [0, -1])
def test_fewer_threads_than_one_are_refused(charmie: Model, workers: int) -> None:
    with pytest.raises(InputError, match=f"workers: expected at least 1, got {workers}"):
        charmie.compute(*samples(charmie, 2), workers=workers)


@pytest.mark.parametrize("count", [1, 7, 8, 9, 17])
def test_every_sample_is_there_however_many_there_are(charmie: Model, count: int) -> None:
    inputs = samples(charmie, count)
    batch = charmie.compute(*inputs)
    for n in range(count):
        single = charmie.compute(*(array[n] for array in inputs))
        np.testing.assert_array_equal(batch.actuator_effort[n], single.actuator_effort)
        np.testing.assert_array_equal(batch.base_wrench[1][n], single.base_wrench[1])


def test_poses_of_a_kinematic_batch_are_those_of_the_full_one(charmie: Model) -> None:
    inputs = samples(charmie, 11)
    full = charmie.compute(*inputs)
    kinematic = charmie.kinematics(*inputs)
    np.testing.assert_array_equal(kinematic.kinematics.R_world_frame, full.kinematics.R_world_frame)
    assert kinematic.dynamics is None


def test_inputs_of_a_batch_are_neither_kept_nor_changed(charmie: Model) -> None:
    inputs = samples(charmie, 9)
    before = [array.copy() for array in inputs]
    batch = charmie.compute(*inputs)
    for array, copy in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(array, copy)
        array[:] = np.nan
    # computed only now, from what was given then
    np.testing.assert_array_equal(
        batch.kinematics.p_world_frame,
        charmie.compute(*before).kinematics.p_world_frame,
    )


@pytest.mark.parametrize("subject", [0, 1, 2])
def test_first_value_that_is_no_number_is_named_across_threads(
    charmie: Model, subject: int
) -> None:
    count = 3 * SMALLEST_PART
    inputs = [np.tile(array, (count // 16, 1)) for array in samples(charmie, 16)]
    name = ("position", "velocity", "acceleration")[subject]
    inputs[subject][count - 1, 3] = np.inf
    inputs[subject][count // 2, 5] = np.nan
    expected = rf"^{name} of sample {count // 2}: .*got nan for '{charmie.actuator_names[5]}'"
    with pytest.raises(InputError, match=expected):
        charmie.compute(*inputs, workers=3)


def test_threads_change_nothing_of_inputs_that_are_left_out(charmie: Model) -> None:
    position = np.tile(charmie.zero_position(), (3 * SMALLEST_PART, 1))
    batch = charmie.compute(position, workers=3)
    for array in (batch.velocity, batch.acceleration):
        np.testing.assert_array_equal(array, np.zeros_like(position))


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_rows_of_a_batch_lie_in_one_line_of_the_cache(size: int) -> None:
    room = room_for(size)
    assert room.shape == (size, LANES)
    assert room.ctypes.data % (8 * LANES) == 0
