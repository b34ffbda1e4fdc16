# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The day's work of CHARMIE can be done, and does what it says."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from charmie_dynamics import CharmieError, Model, load_model
from charmie_dynamics.model.stability import Support, tip_over_margin, zero_moment_point
from charmie_dynamics.model.state import State
from charmie_dynamics.motions import make_motion
from charmie_dynamics.motions.workday import PLACES, POSES, errand
from charmie_dynamics.numerics.vectors import Floats

RATE = 10.0  # Hz
LEAST_MARGIN = 0.1  # m
LOW, TABLE, SHELF = 0.25, 0.7, 1.1  # m above the floor: a hand there is at the floor, table, shelf


class Day(NamedTuple):
    time: Floats
    position: Floats
    velocity: Floats
    states: State


@pytest.fixture(scope="module")
def day(charmie: Model) -> Day:
    motion = make_motion("workday", charmie)
    time = np.arange(0.0, motion.duration, 1.0 / RATE)
    samples = zip(*(motion.at(float(t)) for t in time), strict=True)
    position, velocity, acceleration = (np.array(each) for each in samples)
    states = charmie.compute(position, velocity, acceleration)
    return Day(time, position, velocity, states)


def test_it_takes_ten_minutes_and_ends_where_it_begins(charmie: Model) -> None:
    motion = make_motion("workday", charmie)
    assert motion.duration == 600.0
    for begin, end in zip(motion.at(0.0), motion.at(600.0), strict=True):
        assert begin.tolist() == end.tolist()


def test_all_actuators_stay_within_their_limits(charmie: Model, day: Day) -> None:
    for k, limit in enumerate(charmie.actuator_limits()):
        assert limit.lower <= day.position[:, k].min()
        assert day.position[:, k].max() <= limit.upper
        assert np.abs(day.velocity[:, k]).max() < limit.velocity
        assert np.abs(day.states.actuator_effort[:, k]).max() < limit.effort


def test_it_does_not_tip_over(charmie: Model, day: Day) -> None:
    support = Support.of(charmie)
    point = zero_moment_point(*day.states.base_wrench, support.height)
    assert tip_over_margin(point, support.polygon).min() > LEAST_MARGIN


def test_hands_reach_floor_table_and_shelf(charmie: Model) -> None:
    motion = make_motion("workday", charmie)
    floor = charmie.mechanisms.wheel_contacts[0][2]
    times = {"floor": 43.0, "table": 88.0, "shelf": 150.0 + 88.0}
    height = {
        place: charmie.kinematics(motion.at(t)[0]).frame("left_tool")[0][2] - floor
        for place, t in times.items()
    }
    assert height["floor"] < LOW
    assert TABLE < height["table"] < SHELF
    assert height["shelf"] > SHELF


def test_both_hands_move_alike(charmie: Model) -> None:
    position = charmie.zero_position()
    for pose in POSES.values():
        for name, value in pose.values().items():
            position[charmie.actuator_names.index(name)] = value
        state = charmie.kinematics(position)
        left, right = (state.frame(f"{side}_tool")[0] for side in ("left", "right"))
        np.testing.assert_allclose(left * (-1.0, 1.0, 1.0), right, atol=1e-12)


def test_an_errand_goes_to_both_places_and_home() -> None:
    moved = [step for _, step in errand("table", "shelf") if "base_x_joint" in step]
    goals = [PLACES["table"], PLACES["shelf"], PLACES["home"]]
    assert [tuple(step.values()) for step in moved] == goals


def test_a_robot_with_further_actuators_is_refused() -> None:
    with pytest.raises(CharmieError, match=r"'workday' (needs|does not know) the actuator"):
        make_motion("workday", load_model("charmie_lar"))
