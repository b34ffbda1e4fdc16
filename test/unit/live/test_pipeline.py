# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import Model, OutOfReachError
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.motions import make_motion

MS = 10**6
DRIVEN = ("lift_joint", "torso_joint")
LENGTHS = ("lift_actuator", "torso_actuator")


@pytest.fixture
def pipeline(charmie: Model) -> Pipeline:
    return Pipeline(charmie)


def joints(stamp: int, angle: float = 0.1, model_names: tuple[str, ...] = ()) -> JointSample:
    return JointSample(model_names, np.full(len(model_names), angle), None, stamp)


def lengths(stamp: int, lift: float = 0.4, torso: float = 0.4) -> JointSample:
    return JointSample(LENGTHS, np.array([lift, torso]), None, stamp)


@pytest.fixture
def names(charmie: Model) -> tuple[str, ...]:
    return tuple(name for name in charmie.joint_names if name not in DRIVEN)


def test_one_cycle_for_each_newer_joint_sample(pipeline: Pipeline, names: tuple) -> None:
    stamps = []
    for k in range(5):
        t = 0.01 * k
        assert pipeline.take(ACTUATOR_LENGTHS, lengths(10 * MS * k), t) is None
        for _ in range(2):  # the second says nothing new
            cycle = pipeline.take(JOINT_STATES, joints(10 * MS * k, 0.1, names), t)
            stamps.append(cycle and cycle.stamp)
    assert stamps == [0, None, 10 * MS, None, 20 * MS, None, 30 * MS, None, 40 * MS, None]
    assert pipeline.statistics.computed == 5


def test_cycle_holds_the_state_at_the_stamp_of_its_sample(
    pipeline: Pipeline, charmie: Model, names: tuple
) -> None:
    pipeline.take(ACTUATOR_LENGTHS, lengths(7 * MS, 0.45, 0.42), 0.0)
    cycle = pipeline.take(JOINT_STATES, joints(12 * MS, 0.3, names), 0.0)
    assert cycle.stamp == 12 * MS
    expected = np.full(21, 0.3)
    expected[3:5] = 0.45, 0.42
    assert cycle.state.position.tolist() == expected.tolist()
    np.testing.assert_array_equal(
        cycle.state.actuator_effort, charmie.compute(expected).actuator_effort
    )


def test_joint_sample_waits_for_the_lengths_that_it_needs(pipeline: Pipeline, names: tuple) -> None:
    assert pipeline.take(JOINT_STATES, joints(10 * MS, 0.1, names), 0.0) is None
    assert pipeline.missing(0.0) == list(LENGTHS)
    cycle = pipeline.take(ACTUATOR_LENGTHS, lengths(11 * MS), 0.001)
    assert cycle.stamp == 10 * MS
    assert pipeline.take(ACTUATOR_LENGTHS, lengths(12 * MS), 0.002) is None


def test_parts_of_the_joints_make_a_cycle_once_all_are_there(
    pipeline: Pipeline, names: tuple
) -> None:
    pipeline.take(ACTUATOR_LENGTHS, lengths(0), 0.0)
    assert pipeline.take(JOINT_STATES, joints(10 * MS, 0.1, names[:9]), 0.0) is None
    assert pipeline.take(JOINT_STATES, joints(11 * MS, 0.1, names[9:]), 0.0).stamp == 11 * MS


def test_stale_lengths_stop_the_cycles_until_they_come_back(
    pipeline: Pipeline, names: tuple
) -> None:
    pipeline.take(ACTUATOR_LENGTHS, lengths(0), 0.0)
    assert pipeline.take(JOINT_STATES, joints(400 * MS, 0.1, names), 0.4) is not None
    assert pipeline.take(JOINT_STATES, joints(600 * MS, 0.1, names), 0.6) is None
    assert pipeline.missing(0.6) == list(LENGTHS)
    assert pipeline.take(ACTUATOR_LENGTHS, lengths(610 * MS), 0.61).stamp == 600 * MS


def test_lift_and_torso_are_accepted_as_joints(
    pipeline: Pipeline, charmie: Model, names: tuple
) -> None:
    every = (*names, *DRIVEN)
    position = np.array([*np.full(len(names), 0.1), 0.12, -0.3])
    cycle = pipeline.take(JOINT_STATES, JointSample(every, position, None, 5 * MS), 0.0)
    got = [cycle.state.joint_position[charmie.joint_names.index(name)] for name in DRIVEN]
    assert got == pytest.approx([0.12, -0.3], abs=1e-12)


def test_length_out_of_reach_is_raised_and_the_next_good_sample_computes(
    pipeline: Pipeline, names: tuple
) -> None:
    pipeline.take(ACTUATOR_LENGTHS, lengths(0, torso=0.6), 0.0)
    with pytest.raises(OutOfReachError, match=r"'torso_actuator': length 0\.6 m"):
        pipeline.take(JOINT_STATES, joints(10 * MS, 0.1, names), 0.0)
    assert pipeline.statistics.out_of_reach == 1
    assert pipeline.take(ACTUATOR_LENGTHS, lengths(20 * MS), 0.0) is None
    assert pipeline.take(JOINT_STATES, joints(30 * MS, 0.1, names), 0.0).stamp == 30 * MS


def test_joints_wait_for_lengths_that_follow_a_small_jump_after_them(
    pipeline: Pipeline, names: tuple
) -> None:
    """All was silent until it was stale, so that nothing can be computed without the lengths."""
    pipeline.take(JOINT_STATES, joints(900 * MS, 0.1, names), 0.0)
    assert pipeline.take(ACTUATOR_LENGTHS, lengths(900 * MS), 0.0).stamp == 900 * MS
    for stamp, expected in ((600, None), (610, 610 * MS)):
        now = 1.0 + 1e-3 * stamp
        assert pipeline.take(JOINT_STATES, joints(stamp * MS, 0.1, names), now) is None
        cycle = pipeline.take(ACTUATOR_LENGTHS, lengths(stamp * MS), now)
        assert (cycle and cycle.stamp) == expected


def test_kinematics_alone_can_be_asked_for(charmie: Model, names: tuple) -> None:
    pipeline = Pipeline(charmie, compute_dynamics=False)
    pipeline.take(ACTUATOR_LENGTHS, lengths(0), 0.0)
    assert pipeline.take(JOINT_STATES, joints(0, 0.1, names), 0.0).state.dynamics is None


def test_settings_reach_the_aligner(charmie: Model, names: tuple) -> None:
    pipeline = Pipeline(charmie, input_timeout=0.1, require_base_joints=True)
    pipeline.take(ACTUATOR_LENGTHS, lengths(0), 0.0)
    assert pipeline.take(JOINT_STATES, joints(0, 0.1, names[3:]), 0.0) is None
    assert pipeline.missing(0.05) == list(names[:3])
    assert set(LENGTHS) <= set(pipeline.missing(0.11))


def test_robot_without_linear_actuators_computes_from_joints_alone(charmie: Model) -> None:
    pipeline = Pipeline(Model(charmie.tree, MechanismSet()), require_base_joints=True)
    cycle = pipeline.take(JOINT_STATES, joints(MS, 0.1, charmie.joint_names), 0.0)
    assert cycle.stamp == MS


@pytest.mark.parametrize("estimate", [True, False])
def test_efforts_of_a_sampled_motion_are_those_of_the_motion(
    charmie: Model, estimate: bool
) -> None:
    # positions alone, 100 Hz; lengths come 4 ms apart from the joints
    motion = make_motion("paper_5s", charmie)
    pipeline = Pipeline(charmie, estimate_acceleration=estimate)
    driven = [charmie.actuator_names.index(name) for name in LENGTHS]
    direct = [i for i in range(21) if i not in driven]
    cycle = None
    for k in range(200):
        for topic, index, offset in ((ACTUATOR_LENGTHS, driven, 0), (JOINT_STATES, direct, 4)):
            stamp = (10 * k + offset) * MS
            position = motion.at(stamp * 1e-9)[0][index]
            names = tuple(charmie.actuator_names[i] for i in index)
            cycle = pipeline.take(topic, JointSample(names, position, None, stamp), stamp * 1e-9)
    exact = motion.at(cycle.stamp * 1e-9)
    np.testing.assert_allclose(cycle.state.position, exact[0], atol=1e-6)
    if estimate:
        expected = charmie.compute(*exact).actuator_effort
    else:
        expected = charmie.compute(*exact[:2]).actuator_effort
        assert not cycle.state.acceleration.any()
    np.testing.assert_allclose(cycle.state.actuator_effort, expected, rtol=0.02, atol=0.02)
