# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Gaits: feet that stand roll, the torso stays level, and the motion repeats itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from differences import first_derivative

from charmie_dynamics import InputError, Model, OutOfReachError, UnknownNameError, load_model
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.model.stability import Support, stability_of
from charmie_dynamics.motions import GAITS, LeggedWalk, make_motion
from charmie_dynamics.numerics.polygon import nearest_on_edge, support_polygon

ROBOTS = {"tripod": "athena", "trot": "quadruped"}


@pytest.fixture(scope="module", params=ROBOTS)
def walk(request: pytest.FixtureRequest) -> LeggedWalk:
    return LeggedWalk(load_model(ROBOTS[request.param]), request.param)


def model_of(walk: LeggedWalk) -> Model:
    return load_model(ROBOTS["tripod" if len(walk.legs.names) == 6 else "trot"])


def times(walk: LeggedWalk, count: int = 101) -> np.ndarray:
    return np.linspace(0.0, walk.duration, count)


def test_the_tripod_gait_takes_two_seconds_a_cycle_and_six_in_all() -> None:
    gait = GAITS["tripod"]
    assert (gait.period, gait.period * gait.cycles) == (2.0, 6.0)
    assert gait.groups[0] == ("leg_1", "leg_3", "leg_5")


def test_it_begins_and_ends_at_rest_in_the_rest_pose(walk: LeggedWalk) -> None:
    model = model_of(walk)
    rest = [model.mechanisms.rest_pose[name] for name in model.actuator_names]
    for time in (-1.0, 0.0, walk.duration, walk.duration + 1.0):
        position, velocity, acceleration = walk.at(time)
        np.testing.assert_allclose(position, rest, atol=1e-12)
        np.testing.assert_allclose(velocity, 0.0, atol=1e-12)
        np.testing.assert_allclose(acceleration, 0.0, atol=1e-10)


def test_the_model_has_feet_and_torso_where_they_are_to_be(walk: LeggedWalk) -> None:
    model = model_of(walk)
    for time in times(walk, 41):
        state = model.kinematics(*walk.whole(time))
        feet, torso = walk.feet(time), walk.torso(time)
        found = np.array([state.frame(name)[0] for name in walk.legs.foot_names])
        np.testing.assert_allclose(found, feet.position, rtol=0.0, atol=1e-12)
        p, R = state.frame("base_link")
        assert p.tolist() == torso.position.tolist()
        assert R.tolist() == np.eye(3).tolist()


def test_feet_in_stance_touch_the_floor(walk: LeggedWalk) -> None:
    for time in times(walk):
        feet, stands = walk.feet(time), np.array(walk.in_stance(time))
        assert stands.sum() >= len(stands) // 2
        np.testing.assert_allclose(feet.position[stands, 2], walk.foot_radius, atol=1e-12)
        np.testing.assert_allclose(feet.velocity[stands, 2], 0.0, atol=1e-12)


def test_feet_in_stance_roll_so_that_their_lowest_points_rest(walk: LeggedWalk) -> None:
    model, lowest = model_of(walk), [0.0, 0.0, -walk.foot_radius]
    middles = []
    for time in times(walk):
        state = model.kinematics(*walk.whole(time)[:2])
        for name, stands in zip(walk.legs.foot_names, walk.in_stance(time), strict=True):
            if stands:
                motion = state.motion(name)
                point = motion.velocity + np.cross(motion.angular_velocity, lowest)
                np.testing.assert_allclose(point, 0.0, atol=1e-9)
                middles.append(np.linalg.norm(motion.velocity))
    assert max(middles) > 3e-3


def test_feet_in_swing_are_above_the_floor_and_get_as_high_as_was_asked(walk: LeggedWalk) -> None:
    radius = walk.feet(0.0).position[0, 2]
    heights = []
    for time in times(walk, 1995):
        height = walk.feet(time).position[:, 2] - radius
        swings = ~np.array(walk.in_stance(time))
        assert (height >= -1e-12).all()
        assert (height[swings] > 0.0).all()
        heights.append(height)
    np.testing.assert_allclose(np.max(heights, axis=0), walk.gait.lift, rtol=1e-3)


def test_a_foot_is_well_above_the_floor_while_it_is_quick(walk: LeggedWalk) -> None:
    radius = walk.feet(0.0).position[0, 2]
    samples = [walk.feet(time) for time in times(walk, 501)]
    speed = np.array([np.abs(feet.velocity[:, 0]) for feet in samples])
    height = np.array([feet.position[:, 2] - radius for feet in samples])
    assert (height[speed > 0.75 * speed.max()] > 0.4 * walk.gait.lift).all()


def test_positions_velocities_and_accelerations_belong_together(walk: LeggedWalk) -> None:
    for part in (walk.at, walk.feet, walk.torso):
        for time in np.array([0.137, 0.409, 0.611, 0.893]) * walk.duration:
            _, velocity, acceleration = part(time)
            for order, got in ((0, velocity), (1, acceleration)):
                numeric = first_derivative(lambda t, part=part, k=order: part(t)[k], time, 1e-4)
                np.testing.assert_allclose(got, numeric, rtol=1e-6, atol=1e-7)


def test_accelerations_do_not_jump(walk: LeggedWalk) -> None:
    def largest_change(steps: int) -> float:
        samples = walk.sampled(np.linspace(0.0, walk.duration, steps + 1)).acceleration
        return float(np.abs(np.diff(samples, axis=0)).max())

    # a jump is as large however short the steps are
    assert largest_change(1600) < 0.4 * largest_change(400)


def test_the_motion_repeats_itself_with_each_period_at_full_speed(walk: LeggedWalk) -> None:
    begin, end = walk.steady
    assert end - begin >= walk.gait.period - 1e-12
    for time in np.linspace(begin, end - walk.gait.period, 23):
        for now, later in zip(walk.at(time), walk.at(time + walk.gait.period), strict=True):
            np.testing.assert_allclose(now, later, atol=1e-9)
        moved = walk.torso(time + walk.gait.period).position - walk.torso(time).position
        np.testing.assert_allclose(moved, [walk.gait.stride, 0.0, 0.0], atol=1e-12)


def test_it_stays_within_the_limits_and_below_the_rated_velocities(walk: LeggedWalk) -> None:
    model = model_of(walk)
    motion = walk.sampled(times(walk, 501))
    for k, limit in enumerate(model.actuator_limits()):
        position, velocity = motion.position[:, k], motion.velocity[:, k]
        assert limit.lower < position.min() <= position.max() < limit.upper
        assert np.abs(velocity).max() < 0.8 * limit.velocity


def test_the_hexapod_does_not_tip_over_on_three_feet() -> None:
    model = load_model("athena")
    walk = LeggedWalk(model, "tripod")
    support = Support.of(model)
    for time in np.linspace(0.0, walk.duration, 121):
        state = model.compute(*walk.whole(time))
        point = stability_of(model, support, state).zero_moment_point
        torso = walk.torso(time).position
        feet = walk.feet(time).position[np.array(walk.in_stance(time))] - torso
        assert nearest_on_edge(point, support_polygon(feet))[1] > 0.1


def test_the_motion_by_name_is_the_walk(walk: LeggedWalk) -> None:
    name = "tripod" if len(walk.legs.names) == 6 else "trot"
    motion = make_motion(name, model_of(walk))
    assert motion.duration == walk.duration
    for got, expected in zip(motion.at(1.23), walk.at(1.23), strict=True):
        assert got.tolist() == expected.tolist()


def test_a_gait_can_be_changed() -> None:
    model = load_model("athena")
    slow = LeggedWalk(model, GAITS["tripod"]._replace(stride=0.1, cycles=5, ramp=2))
    assert slow.torso(99.0).position[0] == pytest.approx(0.05 * (10.0 - 2.0))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"period": 0.0}, "period: expected a number above 0, got 0.0"),
        ({"lift": float("nan")}, "lift: expected a number above 0, got nan"),
        ({"swing": 1.1}, "swing: expected a number above 0 and up to 1, got 1.1"),
        ({"ramp": 3}, "ramp: expected 1 to cycles - 1 half periods, got 3 of 3 cycles"),
        ({"ramp": 0}, "ramp: expected 1"),
    ],
)
def test_numbers_that_make_no_gait_are_refused(change: dict, words: str) -> None:
    with pytest.raises(InputError, match=f"gait: {words}"):
        LeggedWalk(load_model("athena"), GAITS["tripod"]._replace(**change))


def test_a_stride_that_no_leg_reaches_is_refused() -> None:
    with pytest.raises(OutOfReachError, match="leg 'leg_"):
        LeggedWalk(load_model("athena"), GAITS["tripod"]._replace(stride=1.5))


def test_another_robot_is_refused_with_the_legs_that_are_needed(charmie: Model) -> None:
    with pytest.raises(UnsupportedError, match=r"the legs leg_1, .*, got 'quadruped' with front_l"):
        make_motion("tripod", load_model("quadruped"))
    with pytest.raises(UnsupportedError, match="got 'charmie' without"):
        make_motion("trot", charmie)


def test_an_unknown_gait_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match=r"gait 'trott' is unknown; did you mean 'trot'"):
        LeggedWalk(load_model("athena"), "trott")


def test_feet_that_are_no_spheres_are_refused(tmp_path: Path, repository: Path) -> None:
    text = load_model("athena").tree.urdf
    path = tmp_path / "robot.urdf"
    sphere = '<sphere radius="0.018"/></geometry></collision>'
    path.write_text(
        text.replace(sphere, '<box size="1 1 1"/></geometry></collision>', 1), encoding="utf-8"
    )
    model = load_model(path, repository / "robots" / "athena_mechanisms.yaml")
    with pytest.raises(UnsupportedError, match=r"'leg_1_foot': expected one sphere .*, got box"):
        LeggedWalk(model, "tripod")


def test_a_robot_on_fixed_ground_has_no_whole_motion(tmp_path: Path, repository: Path) -> None:
    text = load_model("athena").tree.urdf.replace('type="floating"', 'type="fixed"', 1)
    path = tmp_path / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    model = load_model(path, repository / "robots" / "athena_mechanisms.yaml")
    with pytest.raises(UnsupportedError, match="a base body on a floating joint"):
        LeggedWalk(model, "tripod").whole(1.0)
