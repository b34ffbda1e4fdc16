# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tracked points: how a parameter names them, and their motion behind each cycle's numbers."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, Payload, load_model
from charmie_dynamics.core.equations.point_motion import POINT_NUMBERS
from charmie_dynamics.live.cycle_messages import CycleMessages
from charmie_dynamics.live.outputs import every_topic
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.settings import LiveSettings
from charmie_dynamics.live.tracked_points import place_of, point_names, tracked_points
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from charmie_dynamics.model.description.names import MOST_POINTS
from charmie_dynamics.model.description.robot import TrackedPoint

MS = 1_000_000
LENGTHS = ("lift_actuator", "torso_actuator")
POINTS = (
    TrackedPoint("tip", "left_tool", (0.0, 0.02, 0.1)),
    TrackedPoint("bar", "lift_balance_left_bar", (0.0, 0.0, 0.2)),
    TrackedPoint("head", "head"),
)


def cycles(model: Model, points: tuple[TrackedPoint, ...], **options):
    """Yield cycles of a robot that moves."""
    pipeline = Pipeline(model, **options)
    pipeline.track(points)
    rest = dict(zip(model.actuator_names, model.zero_position().tolist(), strict=True))
    joints = tuple(name for name in model.actuator_names if name not in LENGTHS)
    rng = np.random.default_rng(7)
    speed = {name: v for name, v in zip(rest, rng.uniform(-0.3, 0.3, len(rest)), strict=True)}
    for k in range(1, 12):
        t = 0.01 * k
        for topic, names in ((ACTUATOR_LENGTHS, LENGTHS), (JOINT_STATES, joints)):
            scale = [0.1 if name in LENGTHS else 1.0 for name in names]
            v = np.array([speed[name] for name in names]) * scale
            position = np.array([rest[name] for name in names]) + v * t
            cycle = pipeline.take(topic, JointSample(names, position, v, 10 * MS * k), t)
            if cycle is not None:
                yield cycle


@pytest.mark.parametrize("dynamics", [True, False])
def test_numbers_behind_a_cycle_are_the_motion_of_its_state(charmie: Model, dynamics: bool) -> None:
    count = 0
    for cycle in cycles(charmie, POINTS, compute_dynamics=dynamics):
        count += 1
        assert len(cycle.state.block) == charmie.layout.size + 1 + 3 * POINT_NUMBERS
        for k, point in enumerate(POINTS):
            found = cycle.state.block[place_of(charmie, k) :][:POINT_NUMBERS]
            expected = cycle.state.motion_numbers(point.frame, point.point)
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)
            assert abs(found[3:6]).max() > 1e-3
    assert count > 5


def test_nothing_is_behind_a_cycle_where_no_point_is_tracked(charmie: Model) -> None:
    for cycle in cycles(charmie, ()):
        assert len(cycle.state.block) == charmie.layout.size + 1


def test_points_are_tracked_on_under_other_loads(charmie: Model) -> None:
    pipeline = Pipeline(charmie)
    pipeline.track(POINTS)
    pipeline.carry(charmie.with_loads({"left_tool": Payload(1.0)}))
    joints = charmie.joint_names
    sample = JointSample(joints, np.zeros(len(joints)), None, MS)
    cycle = pipeline.take(JOINT_STATES, sample, 0.0)
    assert cycle is not None
    found = cycle.state.block[place_of(charmie, 0) :][:3]
    np.testing.assert_array_equal(found, cycle.state.motion("left_tool", POINTS[0].point).position)


def test_a_motion_that_is_not_finite_is_refused(charmie: Model) -> None:
    pipeline = Pipeline(charmie, compute_dynamics=False)
    pipeline.track(POINTS)
    joints = charmie.joint_names
    velocity = np.zeros(len(joints))
    velocity[2] = 1e170  # rad/s, the base turns
    with pytest.raises(InputError, match=r"^velocity 1e\+170 of 'base_yaw_joint': so large"):
        for k in range(1, 3):
            sample = JointSample(joints, np.zeros(len(joints)), velocity, 10 * k * MS)
            pipeline.take(JOINT_STATES, sample, 0.01 * k)


def test_a_point_far_away_whose_motion_alone_is_not_finite_is_refused(charmie: Model) -> None:
    pipeline = Pipeline(charmie)
    pipeline.track((TrackedPoint("far", "head", (1e30, 0.0, 0.0)),))
    joints = charmie.joint_names
    velocity = np.zeros(len(joints))
    velocity[2] = 1e140  # rad/s, the base turns
    with pytest.raises(InputError, match=r"^velocity 1e\+140 of 'base_yaw_joint': so large"):
        for k in range(1, 3):
            sample = JointSample(joints, np.zeros(len(joints)), velocity, 10 * k * MS)
            pipeline.take(JOINT_STATES, sample, 0.01 * k)


def test_points_of_the_mechanisms_file_are_the_default(charmie: Model) -> None:
    assert [point.name for point in tracked_points(charmie)] == ["left_tool", "right_tool"]
    assert point_names() == ("left_tool", "right_tool")
    assert tracked_points(charmie, ("none",)) == () == point_names(("none",))


def test_a_robot_whose_file_names_no_points_tracks_none() -> None:
    assert tracked_points(load_model("charmie_lar")) == () == point_names(urdf="charmie_lar")


def test_entries_name_frame_and_point(charmie: Model) -> None:
    given = ("tip:left_tool:0,0.02,1e-1", "Bar_2:torso_spring_tip")
    assert tracked_points(charmie, given) == (
        TrackedPoint("tip", "left_tool", (0.0, 0.02, 0.1)),
        TrackedPoint("Bar_2", "torso_spring_tip", (0.0, 0.0, 0.0)),
    )
    assert point_names(given) == ("tip", "Bar_2")


def test_a_name_of_a_frame_may_hold_colons(tmp_path) -> None:
    (tmp_path / "odd.urdf").write_text('<robot name="odd"><link name="a:b:1,2,3"/></robot>')
    model = load_model(tmp_path / "odd.urdf")
    for text, point in (("p:a:b:1,2,3", (0.0, 0.0, 0.0)), ("p:a:b:1,2,3:4,5,6", (4.0, 5.0, 6.0))):
        assert tracked_points(model, (text,)) == (TrackedPoint("p", "a:b:1,2,3", point),)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("",) * 2, "expected NAME:FRAME or NAME:FRAME:X,Y,Z, got ''"),
        (("tip",), "expected NAME:FRAME or NAME:FRAME:X,Y,Z, got 'tip'"),
        (("tip:",), "expected NAME:FRAME or NAME:FRAME:X,Y,Z, got 'tip:'"),
        (("none", "tip:head"), "expected NAME:FRAME or NAME:FRAME:X,Y,Z, got 'none'"),
        ((":head",), "begins with a letter, got ''"),
        (("ti p:head",), "begins with a letter, got 'ti p'"),
        (("tip\n:head",), "begins with a letter, got 'tip\n'"),
        (("tip:haed",), "frame 'haed' of 'tip' is unknown; did you mean 'head'?"),
        (("tip:haed:0,0,0",), "frame 'haed' of 'tip' is unknown; did you mean 'head'?"),
        (("tip:head:",), "expected three finite numbers X,Y,Z (m) for 'tip', got ''"),
        (("tip:head:1,2,3,4",), "three finite numbers X,Y,Z (m) for 'tip', got '1,2,3,4'"),
        (("tip:head:1,2,inf",), "three finite numbers X,Y,Z (m) for 'tip', got '1,2,inf'"),
        (("tip:head:1,2,1e31",), "three finite numbers X,Y,Z (m) for 'tip', got '1,2,1e31'"),
        (("tip:head", "tip:base"), "duplicate name 'tip'"),
        (tuple(f"p{k}:head" for k in range(MOST_POINTS + 1)), "33 points; expected at most 32"),
    ],
)
def test_an_entry_that_cannot_be_is_refused(
    charmie: Model, given: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        tracked_points(charmie, given)
    assert str(refused.value).startswith("tracked_points: ") and message in str(refused.value)


def test_each_point_has_two_topics_behind_the_others(charmie: Model) -> None:
    settings = LiveSettings(tracked_points=("tip:head", "base:base"))
    names = [message.topic.name for message in CycleMessages(charmie, settings).messages]
    expected = [
        f"tracked_points/{n}/{kind}" for n in ("tip", "base") for kind in ("twist", "accel")
    ]
    assert names[-4:] == expected
    assert set(expected) <= set(every_topic(("tip:head", "base:base")))
    assert not [name for name in every_topic(("none",)) if name.startswith("tracked_points/")]
