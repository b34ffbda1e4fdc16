# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coarse steps give smooth velocities, and efforts that they do not shake."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace as Message

import numpy as np
import pytest

from charmie_dynamics import load_model
from charmie_dynamics.live.bridge.configuration import parse_bridge
from charmie_dynamics.live.bridge.quantised import LONGEST_PAUSE, QuantisedTracker
from charmie_dynamics.live.bridge.translator import Translator
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.samples import JointSample

PERIOD = 0.05  # s, 20 Hz
STEP = 0.001  # m
SECOND = 1_000_000_000
START = 1_700_000_000 * SECOND


def stamp_at(t: float) -> int:
    return START + round(t * SECOND)


def ramp(t: float, speed: float, duration: float) -> float:
    return speed * min(max(t, 0.0), duration)


def test_a_ramp_seen_in_steps_has_its_velocity_within_a_few_percent() -> None:
    tracker = QuantisedTracker(STEP, 1.0)
    speed = 0.0073
    found = [
        tracker.update(stamp_at(t), STEP * round(speed * t / STEP)).velocity
        for t in np.arange(0.0, 15.0, PERIOD)
    ]
    assert found[-100:] == pytest.approx([speed] * 100, rel=0.05)


def test_a_position_at_rest_stays_within_half_a_step_and_stands_still() -> None:
    """Between two steps the sensor may show either: that is no motion."""
    tracker = QuantisedTracker(STEP, 1.0)
    random_bits = random.Random(5)
    for k in range(2000):
        shown = 0.070 + STEP * random_bits.randint(0, 1)
        found = tracker.update(stamp_at(PERIOD * k), shown)
    assert 0.070 <= found.position <= 0.071
    assert abs(found.velocity) < 1e-6


def test_the_velocity_comes_as_much_later_as_is_said() -> None:
    """Under constant acceleration a delay is velocity behind, divided by the acceleration."""
    tracker = QuantisedTracker(0.0, 1.0)
    acceleration = 0.5
    for k in range(4000):
        t = 0.002 * k
        found = tracker.update(stamp_at(t), 0.5 * acceleration * t * t)
    behind = (acceleration * t - found.velocity) / acceleration
    assert behind == pytest.approx(tracker.delay, abs=0.003)
    assert tracker.delay == pytest.approx(1.0 / math.pi)


@pytest.mark.parametrize("pause", [LONGEST_PAUSE + 0.1, -1.0])
def test_after_a_pause_or_a_step_back_in_time_it_starts_at_rest(pause: float) -> None:
    tracker = QuantisedTracker(STEP, 1.0)
    for k in range(20):
        tracker.update(stamp_at(10.0 + PERIOD * k), 0.01 * k)
    assert tracker.update(stamp_at(10.0 + PERIOD * 19 + pause), 0.5) == (0.5, 0.0)


def test_a_repeated_stamp_changes_nothing() -> None:
    tracker = QuantisedTracker(STEP, 1.0)
    before = [tracker.update(stamp_at(PERIOD * k), 0.01 * k) for k in range(5)][-1]
    assert tracker.update(stamp_at(PERIOD * 4), 0.3) == before


def test_a_value_beyond_all_bounds_leaves_nothing_behind() -> None:
    tracker = QuantisedTracker(STEP, 1.0)
    for k, value in enumerate((0.05, 1.7e308, -1.7e308, 1.7e308)):
        tracker.update(stamp_at(PERIOD * k), value)
    for k in range(4, 404):
        found = tracker.update(stamp_at(PERIOD * k), 0.05)
    assert found == pytest.approx((0.05, 0.0), abs=STEP)


# robot, joint, how a height is told; the lift of either robot goes up with the height
ROBOTS = {
    "charmie_lar": ("legs_joint", "field: x, unit: m"),
    "charmie": ("lift_joint", "field: x, unit: m, sign: -1, offset: 0.14"),
}


def shake(robot: str, speed: float, *, smoothing: str = ", quantum: 0.001") -> tuple[float, float]:
    """Return the largest difference that the steps make, as share of the lift's mean effort.

    The same ramp without steps is computed at the same moments from its true velocity and zero
    acceleration; the first share is of the whole record, its start and end included, the second of
    the ramp from two seconds after its start. Samples come up to 4 ms late.
    """
    joint, field = ROBOTS[robot]
    model = load_model(robot)
    text = (
        f"sources: {{a: {{topic: /t, type: a/msg/T, joints: {{{joint}: {{{field}{smoothing}}}}}}}}}"
    )
    (source,) = parse_bridge(text, "test", model)
    (entry,) = source.entries
    reader, pipeline = Translator(source, model), Pipeline(model)
    row = model.joint_names.index(joint)
    others = tuple(name for name in model.joint_names if name != joint)
    lateness = random.Random(3)
    duration = min(8.0, 0.14 / speed)
    times, differences, exact_efforts = [], [], []
    for t in np.arange(-2.0, duration + 2.0, PERIOD):
        height = ramp(t, speed, duration)
        stamp = stamp_at(t + lateness.uniform(0.0, 0.004))
        shown = STEP * round(height / STEP)
        result = reader.translate(Message(x=shown), stamp)
        lengths, joints = result.lengths, result.joints
        pipeline.take("actuator_lengths", sample(lengths.names, lengths, stamp), t)
        zero = [0.0] * len(others)
        joints.position += zero
        joints.velocity += zero
        cycle = pipeline.take("joint_states", sample([joint, *others], joints, stamp), t)
        assert cycle is not None
        v = entry.factor * speed if 0.0 < t < duration else 0.0
        position, velocity = model.zero_position(), np.zeros(len(others) + 1)
        acceleration = np.zeros_like(velocity)
        position[row], velocity[row], acceleration[row] = model.actuator_from_joint(
            joint, entry.factor * height + entry.offset, v
        )
        effort = model.compute(position, velocity, acceleration).actuator_effort[row]
        times.append(t)
        exact_efforts.append(effort)
        differences.append(abs(cycle.state.actuator_effort[row] - effort))
    at, difference = np.array(times), np.array(differences)
    mean = abs(np.mean(exact_efforts))
    steady = (at > 2.0) & (at < duration)
    return float(difference.max() / mean), float(difference[steady].max() / mean)


def sample(names: list[str], values: object, stamp: int) -> JointSample:
    position, velocity = (np.array(getattr(values, f)) for f in ("position", "velocity"))
    return JointSample(tuple(names), position, velocity, stamp)


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("speed", [0.001, 0.002, 0.005, 0.0073, 0.01, 0.0137, 0.02])
def test_steps_of_a_millimetre_shake_the_lift_by_less_than_two_percent(
    robot: str, speed: float
) -> None:
    """At 20 mm/s each sample is one step further; slower ramps have steps now and then."""
    assert shake(robot, speed)[0] < 0.02


@pytest.mark.parametrize("robot", ROBOTS)
def test_without_smoothing_the_steps_shake_the_lift_by_more(robot: str) -> None:
    """What the bridge is for: the estimator's own cutoff lets them through."""
    assert shake(robot, 0.0073, smoothing="")[1] > 0.03
