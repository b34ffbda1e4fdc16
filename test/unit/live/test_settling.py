# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How long estimates settle after a start: the rule, what it promises, and what waits for it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from charmie_dynamics import Model
from charmie_dynamics.live.estimation.settling import (
    ON_POSITIONS,
    ON_VELOCITIES,
    REMAINING,
    settling_time,
)
from charmie_dynamics.live.measured import MeasuredEfforts
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from charmie_dynamics.motions import make_motion

CUTOFF = 10.0  # Hz, the default
ACCELERATION = 2.0  # rad/s^2 or m/s^2
# of the settling times of the filters of three and four poles at a cutoff of 1 / (2 pi) Hz: the
# quantiles of the gamma distributions of these orders, from tables
THREE_POLES, FOUR_POLES = 8.40595, 10.04512
NS = 10**9
START = 1_000 * NS


def test_the_settling_time_is_that_of_equal_poles() -> None:
    unit = 1.0 / (2.0 * math.pi)
    assert settling_time(unit, ON_VELOCITIES) == pytest.approx(THREE_POLES, abs=1e-4)
    assert settling_time(unit, ON_POSITIONS) == pytest.approx(FOUR_POLES, abs=1e-4)
    assert settling_time(CUTOFF, ON_POSITIONS) == pytest.approx(0.15987, abs=1e-5)


class Robot:
    """Samples of all actuators in a motion that was under way at the start."""

    def __init__(self, model: Model, *, velocities: bool, period: float, **options: bool) -> None:
        self.model = model
        self.pipeline = Pipeline(model, **options)
        self.velocities = velocities
        self.period = period
        driven = {actuator.name for actuator in model.mechanisms.linear_actuators}
        lengths = np.array([name in driven for name in model.actuator_names])
        self.streams = ((ACTUATOR_LENGTHS, lengths), (JOINT_STATES, ~lengths))
        self.rest = model.zero_position() + 0.02

    def cycle(self, k: int, effort: float | None = None, without: str = "") -> Cycle:
        """Take the k-th sample; all values are fresh."""
        found = self.take(k, effort, without)
        assert found is not None
        return found

    def take(self, k: int, effort: float | None = None, without: str = "") -> Cycle | None:
        """Take the k-th sample of a motion of constant acceleration, small and never slow."""
        t = k * self.period
        scale = 1e-3 * ACCELERATION
        position = self.rest + scale * (0.5 * t * t + t)
        velocity = np.full_like(position, scale * (t + 1.0))
        found = None
        for topic, columns in self.streams:
            rows = [i for i in np.flatnonzero(columns) if self.model.actuator_names[i] != without]
            names = tuple(self.model.actuator_names[i] for i in rows)
            sample = JointSample(
                names,
                position[rows],
                velocity[rows] if self.velocities else None,
                START + round(t * NS),
                None if effort is None else np.full(len(rows), effort),
            )
            found = self.pipeline.take(topic, sample, t) or found
        return found


@pytest.mark.parametrize("rate", [8.0, 20.0, 50.0, 100.0, 1000.0])
@pytest.mark.parametrize("velocities", [True, False])
def test_a_settled_estimate_has_forgotten_its_start(
    charmie: Model, velocities: bool, rate: float
) -> None:
    """Of the acceleration, zero at first, not more is missing than the rule allows."""
    robot = Robot(charmie, velocities=velocities, period=1.0 / rate)
    errors, left = [], []
    for k in range(round(0.4 * rate) + 6):
        cycle = robot.cycle(k)
        errors.append(np.abs(cycle.state.acceleration / (1e-3 * ACCELERATION) - 1.0).max())
        left.append(cycle.settling)
    settled = left.index(0.0)
    assert not any(left[settled:]) and all(left[:settled])
    assert errors[0] == 1.0
    assert max(errors[settled:]) < REMAINING
    # it does not last much longer than that needs
    enough = next(k for k in range(len(errors)) if max(errors[k:]) < REMAINING)
    assert settled <= max(1.6 * enough, 4)


@pytest.mark.parametrize(("velocities", "expected"), [(True, THREE_POLES), (False, FOUR_POLES)])
def test_what_is_left_counts_down_to_zero(
    charmie: Model, velocities: bool, expected: float
) -> None:
    robot = Robot(charmie, velocities=velocities, period=0.01)
    total = expected / (2.0 * math.pi * CUTOFF)
    left = [robot.cycle(k).settling for k in range(30)]
    wanted = [max(0.0, total - 0.01 * k) for k in range(30)]
    np.testing.assert_allclose(left, wanted, rtol=0.0, atol=1e-6)


def test_where_samples_are_far_apart_as_many_are_needed_as_the_filter_has_poles(
    charmie: Model,
) -> None:
    robot = Robot(charmie, velocities=False, period=0.2)
    assert [robot.cycle(k).settling for k in range(4)] == pytest.approx(
        [FOUR_POLES / (2.0 * math.pi * CUTOFF), 0.2, 0.0, 0.0], abs=1e-6
    )


def test_measured_velocities_without_accelerations_need_not_settle(charmie: Model) -> None:
    robot = Robot(charmie, velocities=True, period=0.01, estimate_acceleration=False)
    assert [robot.cycle(k).settling for k in range(3)] == [0.0, 0.0, 0.0]
    robot = Robot(charmie, velocities=False, period=0.01, estimate_acceleration=False)
    assert robot.cycle(0).settling > 0.1


def test_after_a_gap_of_one_joint_it_settles_again_and_is_named(charmie: Model) -> None:
    robot = Robot(charmie, velocities=True, period=0.01)
    for k in range(40):
        robot.cycle(k)
    estimator = robot.pipeline.estimator
    first = estimator.take_settling()
    assert first.left == {} and first.restarted == {}
    assert first.started == dict.fromkeys(charmie.actuator_names, 1)
    for k in range(40, 100):  # half a second is the longest gap
        found = robot.take(k, without="neck_pan_joint")
        assert found is None or found.settling == 0.0
    cycle = robot.cycle(100)
    again = estimator.take_settling()
    assert again.restarted == {"neck_pan_joint": 1} and again.started == {}
    assert again.left == {"neck_pan_joint": cycle.settling}
    assert again.begun == START + NS
    assert cycle.settling == pytest.approx(THREE_POLES / (2.0 * math.pi * CUTOFF), abs=1e-6)


@pytest.mark.parametrize(("missing", "settles"), [(2, False), (20, True)])
def test_estimates_settle_after_a_pause_that_is_longer_than_the_filter_remembers(
    charmie: Model, missing: int, settles: bool
) -> None:
    robot = Robot(charmie, velocities=False, period=0.01)
    for k in range(40):
        left = robot.cycle(k).settling
    assert left == 0.0
    robot.cycle(40 + missing)
    left = robot.cycle(41 + missing).settling
    expected = FOUR_POLES / (2.0 * math.pi * CUTOFF) - 0.01 if settles else 0.0
    assert left == pytest.approx(expected, abs=1e-6)
    assert robot.pipeline.estimator.take_settling().restarted == {}


def test_no_contact_is_felt_and_nothing_observed_while_estimates_settle(charmie: Model) -> None:
    """The efforts of a push are there from the first sample on."""
    robot = Robot(charmie, velocities=False, period=0.01)
    efforts = MeasuredEfforts(charmie, 15.0, 0.5)
    i = charmie.actuator_names.index("neck_pan_joint")
    found = []
    for k in range(60):
        cycle = robot.cycle(k, effort=50.0)
        comparison = efforts.update(cycle)
        assert comparison is not None and not np.isnan(comparison.residual[i])
        found.append((cycle.settling > 0.0, comparison.external[i], comparison.contacts[i]))
    settling = [external for is_settling, external, _ in found if is_settling]
    assert len(settling) == 16 and not any(settling)
    assert not any(contact for is_settling, _, contact in found if is_settling)
    assert found[-1][2] and abs(found[-1][1]) > 40.0


def test_a_node_that_begins_in_a_fast_motion_says_so_until_its_efforts_are_right(
    charmie: Model,
) -> None:
    """Against one that has been there before, of which only the start differs."""
    motion = make_motion("wave", charmie)
    driven = {actuator.name for actuator in charmie.mechanisms.linear_actuators}
    lengths = np.array([name in driven for name in charmie.actuator_names])
    names = np.array(charmie.actuator_names)

    def cycles(first: int, last: int) -> dict[int, Cycle]:
        pipeline, found = Pipeline(charmie), {}
        for k in range(first, last):
            position, velocity, _ = motion.at(4.0 * 0.01 * k)
            for topic, columns in ((ACTUATOR_LENGTHS, lengths), (JOINT_STATES, ~lengths)):
                speed = 4.0 * velocity[columns]
                sample = JointSample(
                    tuple(names[columns].tolist()), position[columns], speed, k * NS // 100
                )
                cycle = pipeline.take(topic, sample, 0.01 * k)
                if cycle is not None:
                    found[k] = cycle
        return found

    before, late = cycles(1, 300), cycles(130, 300)
    errors = {
        k: np.abs(cycle.state.actuator_effort - before[k].state.actuator_effort).max()
        for k, cycle in late.items()
    }
    settled = [k for k, cycle in late.items() if cycle.settling == 0.0]
    assert errors[130] > 10.0  # N
    assert max(errors[k] for k in settled) < 2.0 * REMAINING * errors[130]
    # the start is forgotten but for round-off
    assert errors[299] < 1e-10
