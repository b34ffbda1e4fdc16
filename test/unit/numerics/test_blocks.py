# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Records laid out in blocks of memory: the same arrays in Python and in compiled code."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import Model
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, Sizes
from charmie_dynamics.numerics.blocks import lay_out, pack, places_of
from charmie_dynamics.numerics.jit import compiled

SIZES = Sizes(
    n=4,
    q=3,
    w=0,
    d=3,
    s=1,
    a=2,
    b=2,
    m=3,
    t=2,
    f=14,
    springs=1,
    balance_mechanisms=1,
    joint_springs=0,
    loop_joints=0,
    r=0,
    e=0,
)


@compiled
def number_the_poses(ints: np.ndarray, block: np.ndarray, sizes: Sizes) -> None:
    cycle = lay_out(CycleRecord, ints, block, sizes)
    for f in range(sizes.f):
        for i in range(3):
            cycle.kinematics.p_world_frame[f, i] = 10 * f + i
            for j in range(3):
                cycle.kinematics.R_world_frame[f, i, j] = 100 * f + 10 * i + j
    for a in range(sizes.a):
        cycle.dynamics.actuator_pin_torque[a, 2] = -1.0 - a


@compiled
def content(ints: np.ndarray, floats: np.ndarray, sizes: Sizes) -> tuple[int, float, float, int]:
    robot = lay_out(Robot, ints, floats, sizes)
    last = sizes.n - 1
    balance = robot.mechanisms.by_type.balance_mechanisms
    return (
        robot.tree.parent[last],
        robot.tree.inertia[last, 2, 2],
        balance.torque_share[sizes.balance_mechanisms - 1],
        balance.carried_body[sizes.balance_mechanisms - 1],
    )


def flatten(record: object) -> list[np.ndarray]:
    if isinstance(record, tuple):
        return [array for part in record for array in flatten(part)]
    return [np.asarray(record)]


@pytest.mark.parametrize("record", [Robot, CycleRecord])
def test_arrays_lie_one_behind_the_other_without_gap_or_overlap(record: type) -> None:
    ints, floats, int_count, float_count = places_of(record, SIZES)
    for places, total in ((ints, int_count), (floats, float_count)):
        end = 0
        for place in places.values():
            assert place.first == end
            end += int(np.prod(place.shape, dtype=int))
        assert end == total


def test_views_write_through_to_the_block() -> None:
    block = np.zeros(places_of(CycleRecord, SIZES)[3])
    cycle = lay_out(CycleRecord, np.zeros(0, dtype=np.int64), block, SIZES)
    for array in flatten(cycle):
        array += 1.0
    assert block.tolist() == [1.0] * len(block)


def test_compiled_code_finds_the_arrays_where_python_does() -> None:
    ints = np.zeros(0, dtype=np.int64)
    block = np.zeros(places_of(CycleRecord, SIZES)[3])
    number_the_poses(ints, block, SIZES)
    cycle = lay_out(CycleRecord, ints, block, SIZES)
    f, i, j = np.indices((SIZES.f, 3, 3))
    assert cycle.kinematics.R_world_frame.tolist() == (100.0 * f + 10 * i + j).tolist()
    f, i = np.indices((SIZES.f, 3))
    assert cycle.kinematics.p_world_frame.tolist() == (10.0 * f + i).tolist()
    assert cycle.dynamics.actuator_pin_torque[:, 2].tolist() == [-1.0, -2.0]
    written = 12 * SIZES.f + SIZES.a
    assert np.count_nonzero(block) == written - 2  # two of the numbers are zero


@pytest.mark.parametrize("name", ["charmie", "crane"])
def test_packed_robot_is_the_robot(request: pytest.FixtureRequest, name: str) -> None:
    model: Model = request.getfixturevalue(name)
    flat = model.flat
    robot = Robot(np.array(flat.sizes), flat.tree, flat.freedoms, flat.mechanisms)
    ints, floats = pack(robot, flat.sizes)
    views = flatten(lay_out(Robot, ints, floats, flat.sizes))
    for array, view in zip(flatten(robot), views, strict=True):
        np.testing.assert_array_equal(array, view)
    last, balance = flat.sizes.n - 1, flat.mechanisms.by_type.balance_mechanisms
    assert content(ints, floats, flat.sizes) == (
        flat.tree.parent[last],
        flat.tree.inertia[last, 2, 2],
        balance.torque_share[-1],
        balance.carried_body[-1],
    )


def test_leading_axes_are_those_of_the_block() -> None:
    block = np.arange(2.0 * places_of(CycleRecord, SIZES)[3]).reshape(2, -1)
    cycle = lay_out(CycleRecord, np.zeros(0, dtype=np.int64), block, SIZES)
    alone = lay_out(CycleRecord, np.zeros(0, dtype=np.int64), block[1], SIZES)
    assert cycle.kinematics.R_world_frame.shape == (2, SIZES.f, 3, 3)
    for many, one in zip(flatten(cycle), flatten(alone), strict=True):
        np.testing.assert_array_equal(many[1], one)
