# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values that cannot be, in messages that are otherwise right."""

from __future__ import annotations

import math
import random
from contextlib import suppress

import numpy as np
import pytest

from charmie_dynamics import CharmieError, InputError, Model
from charmie_dynamics.live.estimation.estimator import IMPOSSIBLE
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from charmie_dynamics.model.state import State
from charmie_dynamics.visual.scene.scene import Scene

MESSAGES = 2_000
MS = 10**6
LENGTHS = {"lift_actuator": 0.45, "torso_actuator": 0.4}
LARGEST = np.finfo(float).max
SMALLEST = 5e-324
ABSENT = (math.nan, math.inf, -math.inf)
EXTREME = (1e300, -1e300, LARGEST, -LARGEST, 1e154, -1e20, SMALLEST, -1e-310, -0.0)
PAUSES = (1, 1000, MS, 10 * MS, 10 * MS, 10 * MS, 0, -MS)  # ns between stamps


def pose(model: Model) -> dict[str, float]:
    return {**dict.fromkeys(model.actuator_names, 0.1), **LENGTHS, "left_gripper_joint": -0.1}


def sample(
    values: dict[str, float], stamp: int, velocity: dict[str, float] | None = None
) -> JointSample:
    speeds = None if velocity is None else np.array([velocity.get(n, 0.0) for n in values])
    return JointSample(tuple(values), np.array(list(values.values())), speeds, stamp)


class Stream:
    """Messages at rest in a pose at 100 Hz, into which bad ones can be put."""

    def __init__(self, model: Model, *, measured: bool) -> None:
        self.pipeline = Pipeline(model)
        self.values = pose(model)
        self._measured = measured
        self._number = 0
        for _ in range(20):
            self.send()

    def send(self, velocity: dict[str, float] | None = None, **changed: float) -> Cycle:
        self._number += 1
        stamp, arrival = 10 * MS * self._number, 0.01 * self._number
        values = {**self.values, **changed}
        speeds = (velocity or {}) if self._measured else None
        lengths = {name: values[name] for name in LENGTHS}
        joints = {name: x for name, x in values.items() if name not in LENGTHS}
        self.pipeline.take(ACTUATOR_LENGTHS, sample(lengths, stamp, speeds), arrival)
        cycle = self.pipeline.take(JOINT_STATES, sample(joints, stamp, speeds), arrival)
        assert cycle is not None
        return cycle


def not_finite(state: State, scene: Scene) -> list[str]:
    """Return the names of results with a value that is not finite."""
    dynamics = state.dynamics
    assert dynamics is not None
    with np.errstate(over="ignore"):  # colours saturate
        appearance = scene.update(state)._asdict()
    results = {
        **{name: getattr(state.kinematics, name) for name in type_fields("Kinematics")},
        **{name: getattr(dynamics, name) for name in type_fields("Dynamics")},
        **{name: x for name, x in appearance.items() if isinstance(x, np.ndarray)},
        "velocity": state.velocity,
    }
    return [name for name, values in results.items() if not np.isfinite(values).all()]


def type_fields(name: str) -> tuple[str, ...]:
    from charmie_dynamics.core import arrays

    fields: tuple[str, ...] = getattr(arrays, name)._fields
    return fields


def fuzzed(model: Model, rng: random.Random, stamp: int) -> tuple[str, JointSample]:
    """Return a message of which some entries are as bad as can be, and some are missing."""
    good = pose(model)
    topic = rng.choice((JOINT_STATES, JOINT_STATES, ACTUATOR_LENGTHS))
    # joints that linear actuators move are at zero
    names = tuple(LENGTHS) if topic == ACTUATOR_LENGTHS else model.joint_names
    chosen = rng.sample(names, rng.randint(1, len(names)))
    badness = rng.choice((0.02, 0.2, 1.0))

    def value(right: float) -> float:
        return rng.choice(ABSENT + EXTREME) if rng.random() < badness else right

    position = np.array([value(good.get(name, 0.0)) for name in chosen])
    velocity = np.array([value(rng.uniform(-1.0, 1.0)) for _ in chosen])
    return topic, JointSample(tuple(chosen), position, rng.choice((velocity, None)), stamp)


def test_no_result_of_fuzzed_messages_is_not_finite(charmie: Model) -> None:
    rng = random.Random(11)
    pipeline, scene = Pipeline(charmie), Scene(charmie)
    good = {name: x for name, x in pose(charmie).items() if name not in LENGTHS}
    stamp = 1_700_000_000 * 10**9
    computed = recovered = 0
    for k in range(MESSAGES):
        arrival = 0.01 * k
        stamp += rng.choice(PAUSES)
        topic, bad = fuzzed(charmie, rng, stamp)
        cycle = None
        with suppress(CharmieError):
            cycle = pipeline.take(topic, bad, arrival)
        if cycle is not None:
            computed += 1
            assert not_finite(cycle.state, scene) == [], f"message {k}"
        if k % 10 == 9:
            # the next good one of each topic works, whatever there was before
            stamp += 10 * MS
            with suppress(CharmieError):  # of a bad joint sample that has waited for lengths
                pipeline.take(ACTUATOR_LENGTHS, sample(LENGTHS, stamp, {}), arrival)
            cycle = pipeline.take(JOINT_STATES, sample(good, stamp, {}), arrival)
            assert cycle is not None and cycle.stamp == stamp, f"message {k}"
            assert cycle.state.position.tolist() == list(pose(charmie).values())
            assert cycle.state.velocity.tolist() == [0.0] * len(cycle.state.velocity)
            assert not_finite(cycle.state, scene) == [], f"message {k}"
            recovered += 1
    assert recovered == MESSAGES // 10
    assert computed > MESSAGES // 20


@pytest.mark.parametrize("measured", [False, True])
@pytest.mark.parametrize("value", [*ABSENT, 1e300, -1e20, 3.0])
@pytest.mark.parametrize("name", ["neck_pan_joint", "base_x_joint", "base_yaw_joint"])
def test_a_bad_position_leaves_no_trace_in_the_next_cycle(
    charmie: Model, name: str, value: float, measured: bool
) -> None:
    stream = Stream(charmie, measured=measured)
    before = stream.send().state.actuator_effort.copy()
    with suppress(InputError):
        stream.send(**{name: value})
    after = stream.send().state
    np.testing.assert_allclose(after.actuator_effort, before, rtol=1e-12, atol=1e-12)
    assert after.velocity.tolist() == [0.0] * len(before)


@pytest.mark.parametrize("value", [*ABSENT, 1e300, -1e20, 40.0])
def test_a_bad_velocity_leaves_no_trace_in_the_next_cycle(charmie: Model, value: float) -> None:
    stream = Stream(charmie, measured=True)
    before = stream.send().state.actuator_effort.copy()
    with suppress(InputError):
        stream.send({"neck_pan_joint": value})
    after = stream.send().state
    np.testing.assert_allclose(after.actuator_effort, before, rtol=1e-12, atol=1e-12)


def test_a_velocity_that_makes_results_overflow_is_named(charmie: Model) -> None:
    stream = Stream(charmie, measured=True)
    with pytest.raises(InputError, match=r"velocity 1e\+300 of 'neck_pan_joint'"):
        stream.send({"neck_pan_joint": 1e300})


def test_an_impossible_velocity_is_noted_and_not_changed(charmie: Model) -> None:
    stream = Stream(charmie, measured=True)
    i = charmie.actuator_names.index("torso_actuator")
    fast = 1.01 * IMPOSSIBLE * charmie.actuator_limits()[i].velocity
    stream.pipeline.estimator.take_findings()
    assert stream.send({"torso_actuator": fast}).state.velocity[i] == fast
    assert stream.pipeline.estimator.take_findings().impossible == {"torso_actuator": 1}
    assert stream.pipeline.estimator.take_findings().impossible == {}


def test_a_velocity_above_the_rated_one_is_not_yet_impossible(charmie: Model) -> None:
    stream = Stream(charmie, measured=True)
    for k in range(10):
        stream.send({"neck_pan_joint": 5.0}, neck_pan_joint=0.1 + 0.05 * k)
    assert stream.pipeline.estimator.take_findings().impossible == {}


def test_a_step_that_cannot_be_is_noted_and_not_changed(charmie: Model) -> None:
    stream = Stream(charmie, measured=False)
    i = charmie.actuator_names.index("lift_actuator")
    state = stream.send(lift_actuator=0.5).state
    assert (state.position[i], state.velocity[i]) == (0.5, 0.0)
    assert stream.pipeline.estimator.take_findings().impossible == {"lift_actuator": 1}


def test_noise_at_stamps_close_together_is_no_impossible_rate(charmie: Model) -> None:
    """A millirad within 20 us is 50 rad/s."""
    pipeline, rng = Pipeline(charmie), random.Random(3)
    stamp = 0
    for k in range(300):
        stamp += 10 * MS if k % 2 else 20_000
        values = {"neck_pan_joint": 0.1 + rng.uniform(-5e-4, 5e-4)}
        pipeline.take(JOINT_STATES, sample(values, stamp), 0.01 * k)
        if k == 20:
            pipeline.estimator.take_findings()
    assert pipeline.estimator.take_findings().impossible == {}


def test_positions_outside_the_limits_are_computed_and_noted(charmie: Model) -> None:
    stream = Stream(charmie, measured=False)
    _, high = charmie.reach("torso_actuator")
    limit = charmie.actuator_limits()[charmie.actuator_names.index("torso_actuator")]
    outside = 0.5 * (limit.upper + high)
    stream.pipeline.estimator.take_findings()
    state = [stream.send(torso_actuator=outside).state for _ in range(3)][-1]
    assert state.position[charmie.actuator_names.index("torso_actuator")] == outside
    assert stream.pipeline.estimator.take_findings().outside == {"torso_actuator": 3}


def test_joints_far_outside_their_limits_are_noted(charmie: Model) -> None:
    stream = Stream(charmie, measured=False)
    for value in (4.0, -4.0, 5.0):  # limits -1.5 to 1.5
        stream.send(neck_pan_joint=value)
    assert stream.pipeline.estimator.take_findings().outside == {"neck_pan_joint": 1}


def test_positions_at_the_end_stop_are_not_outside_the_limits(charmie: Model) -> None:
    stream = Stream(charmie, measured=False)
    limits = dict(zip(charmie.actuator_names, charmie.actuator_limits(), strict=True))
    for name in ("lift_actuator", "torso_actuator", "left_gripper_joint"):
        stream.send(**{name: limits[name].upper + 1e-4})
        stream.send(**{name: limits[name].lower - 1e-4})
    assert stream.pipeline.estimator.take_findings().outside == {}


def test_entries_that_are_not_finite_are_counted_by_name(charmie: Model) -> None:
    stream = Stream(charmie, measured=False)
    for value in (math.nan, math.inf):
        stream.send(neck_tilt_joint=value, lift_actuator=value, left_arm_joint_2=0.2)
    found = stream.pipeline.estimator.take_findings().absent
    assert found == {"neck_tilt_joint": 2, "lift_actuator": 2}


def test_velocities_are_told_apart_by_their_source(charmie: Model) -> None:
    pipeline = Pipeline(charmie)
    for k in range(2):
        moving = {"neck_pan_joint": 0.1 * k, "neck_tilt_joint": 0.0}
        speeds = {"neck_pan_joint": math.nan, "neck_tilt_joint": 0.3}
        pipeline.take(JOINT_STATES, sample(moving, 10 * MS * k, speeds), 0.01 * k)
    pipeline.take(JOINT_STATES, sample({"left_arm_joint_1": 0.0}, 10 * MS), 0.01)
    sources = pipeline.estimator.velocity_sources()
    assert sources["measured"] == ["neck_tilt_joint"]
    assert sources["estimated"] == ["neck_pan_joint"]
    assert "left_arm_joint_1" in sources["unknown, taken as zero"]
