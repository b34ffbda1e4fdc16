# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the estimator makes of samples: values of all actuators at one time, and what is missing."""

from __future__ import annotations

import numpy as np
import pytest
from inputs import ARM, LENGTHS, MS, Inputs, all_but, sample, value

from charmie_dynamics import Model, OutOfReachError
from charmie_dynamics.live.estimation.entries import REMEMBERED
from charmie_dynamics.live.estimation.estimator import describe_missing
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, SHOWN

TIMEOUT = 0.5
BASE = ("base_x_joint", "base_y_joint", "base_yaw_joint")


def test_publishers_may_each_report_a_part(inputs: Inputs, charmie: Model) -> None:
    inputs.add(JOINT_STATES, sample({name: 0.2 for name in ARM}, 0), 0.0)
    inputs.add(JOINT_STATES, sample(all_but(charmie, *ARM), 3 * MS), 0.003)
    assert inputs.estimator.missing(0.003) == ["lift_actuator", "torso_actuator"]
    inputs.add(ACTUATOR_LENGTHS, sample(LENGTHS, 2 * MS), 0.003)
    assert inputs.estimator.missing(0.003) == []
    assert value(inputs, charmie, "left_arm_joint_3") == 0.2
    assert value(inputs, charmie, "right_arm_joint_3") == 0.1
    assert value(inputs, charmie, "lift_actuator") == 0.4


def test_order_of_names_is_that_of_the_message(inputs: Inputs, charmie: Model) -> None:
    inputs.add(JOINT_STATES, sample({"neck_tilt_joint": 0.1, "neck_pan_joint": 0.2}, 0), 0.0)
    inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.4, "neck_tilt_joint": 0.3}, MS), 0.0)
    assert value(inputs, charmie, "neck_pan_joint", MS) == 0.4
    assert value(inputs, charmie, "neck_tilt_joint", MS) == 0.3


def test_entry_that_is_not_finite_counts_as_absent(inputs: Inputs, charmie: Model) -> None:
    inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.2, "neck_tilt_joint": 0.3}, 0), 0.0)
    later = sample({"neck_pan_joint": np.nan, "neck_tilt_joint": np.inf}, 10 * MS)
    assert not inputs.add(JOINT_STATES, later, 1.0)
    assert value(inputs, charmie, "neck_pan_joint") == 0.2
    assert inputs.estimator.counters.absent_entries == 2
    assert "neck_pan_joint" in inputs.estimator.missing(1.0)


def test_velocity_that_is_not_finite_is_estimated(inputs: Inputs, charmie: Model) -> None:
    for k in range(3):
        values = {"neck_pan_joint": 0.01 * k, "neck_tilt_joint": 0.0}
        speeds = {"neck_pan_joint": np.nan, "neck_tilt_joint": 5.0}
        inputs.add(JOINT_STATES, sample(values, 10 * MS * k, speeds), 0.0)
    assert value(inputs, charmie, "neck_pan_joint", 20 * MS, "velocity") == pytest.approx(1.0)
    assert value(inputs, charmie, "neck_tilt_joint", 20 * MS, "velocity") == 5.0


def test_unknown_names_are_noted_once(inputs: Inputs) -> None:
    for k in range(3):
        inputs.add(JOINT_STATES, sample({"wheel": 0.0, "neck_pan_joint": 0.0}, k * MS), 0.0)
        inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.0, "wheel": 0.0}, k * MS), 0.0)
    assert inputs.estimator.unknown_names == ["wheel"]


def test_joints_that_follow_others_are_not_unknown(inputs: Inputs) -> None:
    names = {"left_gripper_mimic_joint": 0.1, "neck_mount_joint": 0.0}
    assert not inputs.add(JOINT_STATES, sample(names, 0), 0.0)
    assert inputs.estimator.unknown_names == []


def test_no_more_unknown_names_are_kept_than_bound(inputs: Inputs) -> None:
    for k in range(3 * REMEMBERED):
        inputs.add(JOINT_STATES, sample({f"wheel_{k}" + "x" * 1000: 0.0}, k * MS), 0.0)
    assert len(inputs.estimator.unknown_names) == REMEMBERED
    assert max(map(len, inputs.estimator.unknown_names)) <= SHOWN


def test_joint_value_of_a_linear_actuator_becomes_its_length(
    inputs: Inputs, charmie: Model
) -> None:
    lift = sample({"lift_joint": 0.15}, 0, {"lift_joint": 0.03})
    inputs.add(JOINT_STATES, lift, 0.0)
    length, rate, _ = charmie.actuator_from_joint("lift_joint", 0.15, 0.03)
    assert value(inputs, charmie, "lift_actuator") == length
    assert value(inputs, charmie, "lift_actuator", what="velocity") == rate


def test_length_outranks_a_joint_value_until_it_is_stale(inputs: Inputs, charmie: Model) -> None:
    inputs.add(ACTUATOR_LENGTHS, sample({"lift_actuator": 0.42}, 0), 0.0)
    assert not inputs.add(JOINT_STATES, sample({"lift_joint": 0.1}, 10 * MS), TIMEOUT)
    assert value(inputs, charmie, "lift_actuator", 10 * MS) == 0.42
    assert inputs.add(JOINT_STATES, sample({"lift_joint": 0.1}, 20 * MS), TIMEOUT + 0.01)
    expected, _, _ = charmie.actuator_from_joint("lift_joint", 0.1)
    assert value(inputs, charmie, "lift_actuator", 20 * MS) == expected


def test_outranked_joint_value_does_not_hide_the_other_joints(
    inputs: Inputs, charmie: Model
) -> None:
    inputs.add(ACTUATOR_LENGTHS, sample({"lift_actuator": 0.42}, 0), 0.0)
    mixed = {"lift_joint": 0.1, "neck_pan_joint": 0.3, "torso_joint": -0.2}
    assert inputs.add(JOINT_STATES, sample(mixed, 10 * MS), 0.01)
    assert value(inputs, charmie, "lift_actuator", 10 * MS) == 0.42
    assert value(inputs, charmie, "neck_pan_joint", 10 * MS) == 0.3
    expected, _, _ = charmie.actuator_from_joint("torso_joint", -0.2)
    assert value(inputs, charmie, "torso_actuator", 10 * MS) == expected


def test_outranked_joint_value_is_not_held_against_its_reach(inputs: Inputs) -> None:
    inputs.add(ACTUATOR_LENGTHS, sample({"torso_actuator": 0.4}, 0), 0.0)
    inputs.add(JOINT_STATES, sample({"torso_joint": 3.0}, 10 * MS), 0.01)


def test_joint_value_beyond_its_dead_centre_is_refused_whole(
    inputs: Inputs, charmie: Model
) -> None:
    faulty = sample({"neck_pan_joint": 0.3, "torso_joint": 3.0}, 0)
    with pytest.raises(OutOfReachError, match="torso_actuator"):
        inputs.add(JOINT_STATES, faulty, 0.0)
    assert "neck_pan_joint" in inputs.estimator.missing(0.0)
    assert inputs.estimator.counters.accepted == 0


def test_base_joints_that_nobody_reports_are_at_zero(inputs: Inputs, charmie: Model) -> None:
    inputs.add(JOINT_STATES, sample(all_but(charmie, *BASE), 0), 0.0)
    inputs.add(ACTUATOR_LENGTHS, sample(LENGTHS, 0), 0.0)
    assert inputs.estimator.missing(0.0) == []
    assert inputs.estimator.age(0.1) == pytest.approx(0.1)
    assert [value(inputs, charmie, name) for name in BASE] == [0.0, 0.0, 0.0]


def test_base_joints_that_are_required_are_missed(charmie: Model) -> None:
    inputs = Inputs(charmie, require_base_joints=True)
    inputs.add(JOINT_STATES, sample(all_but(charmie, *BASE), 0), 0.0)
    inputs.add(ACTUATOR_LENGTHS, sample(LENGTHS, 0), 0.0)
    assert inputs.estimator.missing(0.0) == list(BASE)
    assert inputs.estimator.age(0.1) == float("inf")


def test_value_is_stale_after_the_timeout_and_not_before(inputs: Inputs, charmie: Model) -> None:
    inputs.add(JOINT_STATES, sample(all_but(charmie), 0), 10.0)
    inputs.add(ACTUATOR_LENGTHS, sample(LENGTHS, 0), 10.3)
    assert inputs.estimator.missing(10.0 + TIMEOUT) == []
    assert inputs.estimator.age(10.5) == pytest.approx(0.5)
    assert inputs.estimator.missing(10.6) == [n for n in charmie.actuator_names if n not in LENGTHS]
    assert inputs.estimator.missing(10.9) == list(charmie.actuator_names)


def moving_lift(inputs: Inputs) -> None:
    """Two samples 50 ms apart, the lift at 0.02 m/s."""
    for k in range(2):
        length = sample({"lift_actuator": 0.4 + 0.001 * k}, 50 * MS * k, {"lift_actuator": 0.02})
        inputs.add(ACTUATOR_LENGTHS, length, 0.05 * k)


@pytest.mark.parametrize(
    ("after", "expected"),
    [(0, 0.401), (30, 0.4016), (75, 0.4025), (76, 0.4025), (400, 0.4025), (-30, 0.4004)],
)
def test_value_is_carried_to_the_stamp_by_its_velocity_and_held_after_the_horizon(
    inputs: Inputs, charmie: Model, after: int, expected: float
) -> None:
    # the horizon is one and a half sample periods
    moving_lift(inputs)
    got = value(inputs, charmie, "lift_actuator", (50 + after) * MS)
    assert got == pytest.approx(expected, abs=1e-12)


def test_value_is_carried_by_its_acceleration_too(inputs: Inputs, charmie: Model) -> None:
    a, v = 0.3, 0.01
    for k in range(200):
        t = 0.01 * k
        now = sample(
            {"neck_pan_joint": v * t + 0.5 * a * t * t}, 10 * MS * k, {"neck_pan_joint": v + a * t}
        )
        inputs.add(JOINT_STATES, now, t)
    t = 1.99 + 0.006
    got = value(inputs, charmie, "neck_pan_joint", 1996 * MS)
    assert got == pytest.approx(v * t + 0.5 * a * t * t, abs=1e-9)
    assert value(inputs, charmie, "neck_pan_joint", 1996 * MS, "acceleration") == pytest.approx(a)


def test_first_sample_is_held(inputs: Inputs, charmie: Model) -> None:
    first = sample({"lift_actuator": 0.4}, 0, {"lift_actuator": 0.02})
    inputs.add(ACTUATOR_LENGTHS, first, 0.0)
    assert value(inputs, charmie, "lift_actuator", 100 * MS) == 0.4


def test_acceleration_is_zero_where_it_is_not_wanted(charmie: Model) -> None:
    inputs = Inputs(charmie, estimate_acceleration=False)
    for k, speed in enumerate((0.0, 1.0, 2.0, 3.0)):
        now = sample({"neck_pan_joint": 0.0}, 10 * MS * k, {"neck_pan_joint": speed})
        inputs.add(JOINT_STATES, now, 0.0)
    assert not inputs.at(30 * MS).acceleration.any()
    assert value(inputs, charmie, "neck_pan_joint", 30 * MS, "velocity") == 3.0


def test_reset_forgets_all_values(inputs: Inputs, charmie: Model) -> None:
    inputs.add(JOINT_STATES, sample(all_but(charmie), 900 * MS), 0.0)
    inputs.estimator.reset()
    # base joints too: those that were reported once are not at zero all of a sudden
    assert inputs.estimator.missing(0.0) == list(charmie.actuator_names)
    assert inputs.add(JOINT_STATES, sample({"neck_pan_joint": 0.4}, 0), 0.0)
    assert value(inputs, charmie, "neck_pan_joint") == 0.4


def effort_of(model: Model, inputs: Inputs) -> dict[str, float]:
    effort = inputs.estimator.efforts()
    if effort is None:
        return {}
    measured = zip(model.actuator_names, effort.tolist(), strict=True)
    return {name: effort for name, effort in measured if not np.isnan(effort)}


def test_measured_efforts_are_those_of_the_newest_samples(inputs: Inputs, charmie: Model) -> None:
    arm = sample({"left_arm_joint_1": 0.1, "left_arm_joint_2": 0.2}, 0)
    inputs.add(JOINT_STATES, arm._replace(effort=np.array([3.0, 4.0])), 0.0)
    length = sample({"lift_actuator": 0.4}, 0)._replace(effort=np.array([500.0]))
    inputs.add(ACTUATOR_LENGTHS, length, 0.0)
    everything = {"left_arm_joint_1": 3.0, "left_arm_joint_2": 4.0, "lift_actuator": 500.0}
    assert effort_of(charmie, inputs) == everything
    # a driver that now and then measures none does not say that it is what it was
    inputs.add(JOINT_STATES, sample({"left_arm_joint_2": 0.2}, 10 * MS), 0.01)
    del everything["left_arm_joint_2"]
    assert effort_of(charmie, inputs) == everything
    inputs.estimator.reset()
    assert effort_of(charmie, inputs) == {}


@pytest.mark.parametrize("effort", [np.nan, np.inf])
def test_an_effort_that_is_not_finite_is_not_measured(
    inputs: Inputs, charmie: Model, effort: float
) -> None:
    both = sample({"neck_pan_joint": 0.1, "neck_tilt_joint": 0.1}, 0)
    inputs.add(JOINT_STATES, both._replace(effort=np.array([effort, 2.0])), 0.0)
    assert effort_of(charmie, inputs) == {"neck_tilt_joint": 2.0}


def test_effort_of_a_joint_is_not_that_of_the_actuator_which_moves_it(
    inputs: Inputs, charmie: Model
) -> None:
    both = sample({"lift_joint": -0.1, "neck_tilt_joint": 0.1}, 0)
    inputs.add(JOINT_STATES, both._replace(effort=np.array([900.0, 2.0])), 0.0)
    assert effort_of(charmie, inputs) == {"neck_tilt_joint": 2.0}


def test_description_of_missing_names_is_short() -> None:
    assert describe_missing([]) is None
    assert describe_missing(["a", "b"]) == "a, b"
    assert describe_missing(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
