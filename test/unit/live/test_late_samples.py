# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Samples older than what is known: dropped, or taken for a time that has jumped back."""

from __future__ import annotations

import pytest
from inputs import LENGTHS, MS, Inputs, all_but, sample, value

from charmie_dynamics import Model
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES


def test_one_late_sample_is_dropped(inputs: Inputs, charmie: Model) -> None:
    for stamp, angle in ((0, 0.1), (20 * MS, 0.2)):
        assert inputs.add(JOINT_STATES, sample({"neck_pan_joint": angle}, stamp), 0.0)
    assert not inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.15}, 10 * MS), 0.0)
    assert value(inputs, charmie, "neck_pan_joint", 20 * MS) == 0.2
    assert (inputs.estimator.counters.late, inputs.estimator.counters.jumps_back) == (1, 0)


def test_late_sample_after_a_good_one_is_again_the_first(inputs: Inputs) -> None:
    for stamp in (20, 10, 30, 25, 40):
        inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.0}, stamp * MS), 0.0)
    assert (inputs.estimator.counters.late, inputs.estimator.counters.jumps_back) == (2, 0)


def test_second_late_sample_in_a_row_starts_its_joints_anew(inputs: Inputs, charmie: Model) -> None:
    inputs.add(JOINT_STATES, sample(all_but(charmie), 9000 * MS), 0.0)
    inputs.add(ACTUATOR_LENGTHS, sample(LENGTHS, 9000 * MS), 0.0)
    assert not inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.5}, 8900 * MS), 0.0)
    assert inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.6}, 8910 * MS), 0.0)
    assert value(inputs, charmie, "neck_pan_joint", 8910 * MS) == 0.6
    assert value(inputs, charmie, "neck_pan_joint", 8910 * MS, "velocity") == 0.0
    assert value(inputs, charmie, "left_arm_joint_1", 8910 * MS) == 0.1
    assert inputs.estimator.counters.jumps_back == 1
    assert inputs.estimator.missing(0.0) == []


def test_late_samples_of_one_topic_do_not_count_for_the_other(inputs: Inputs) -> None:
    inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.0}, 100 * MS), 0.0)
    inputs.add(ACTUATOR_LENGTHS, sample(LENGTHS, 100 * MS), 0.0)
    assert not inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.5}, 90 * MS), 0.0)
    assert not inputs.add(ACTUATOR_LENGTHS, sample(LENGTHS, 90 * MS), 0.0)
    assert (inputs.estimator.counters.late, inputs.estimator.counters.jumps_back) == (2, 0)


def test_publisher_that_is_behind_with_shared_joints_brings_its_others(
    inputs: Inputs, charmie: Model
) -> None:
    """Two publishers share the neck; the clock of the second is 5 ms behind."""
    for k in range(10):
        ahead = {"neck_pan_joint": 0.1 + 0.01 * k, "base_x_joint": 1.0}
        behind = {"neck_pan_joint": 0.9, "left_arm_joint_1": 0.01 * k}
        for values, stamp in ((ahead, 10 * k), (behind, 10 * k - 5)):
            assert inputs.add(JOINT_STATES, sample(values, stamp * MS), 0.01 * k)
    assert value(inputs, charmie, "left_arm_joint_1", 85 * MS) == pytest.approx(0.09)
    assert value(inputs, charmie, "neck_pan_joint", 90 * MS) == pytest.approx(0.19)
    assert (inputs.estimator.counters.late, inputs.estimator.counters.jumps_back) == (10, 0)


def test_late_samples_of_other_actuators_are_not_in_a_row(inputs: Inputs) -> None:
    pan, tilt = {"neck_pan_joint": 0.0}, {"neck_tilt_joint": 0.0}
    for names, stamp in ((pan, 100), (tilt, 100), (pan, 90), (tilt, 90), (pan, 110), (tilt, 110)):
        inputs.add(JOINT_STATES, sample(names, stamp * MS), 0.0)
    assert (inputs.estimator.counters.late, inputs.estimator.counters.jumps_back) == (2, 0)


def test_sample_older_by_more_than_the_timeout_starts_all_anew_at_once(
    inputs: Inputs, charmie: Model
) -> None:
    inputs.add(JOINT_STATES, sample(all_but(charmie), 9000 * MS), 0.0)
    inputs.add(ACTUATOR_LENGTHS, sample(LENGTHS, 9000 * MS), 0.0)
    assert inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.6}, 8499 * MS), 0.0)
    assert value(inputs, charmie, "neck_pan_joint", 8499 * MS) == 0.6
    assert inputs.estimator.counters.jumps_back == 1
    assert {"lift_actuator", "left_arm_joint_1"} <= set(inputs.estimator.missing(0.0))


def test_sample_of_equal_stamp_is_not_late(inputs: Inputs, charmie: Model) -> None:
    for angle in (0.1, 0.2):
        assert inputs.add(JOINT_STATES, sample({"neck_pan_joint": angle}, 0), 0.0)
    assert value(inputs, charmie, "neck_pan_joint") == 0.2
