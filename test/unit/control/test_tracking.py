# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions tracked by controllers, on robots as the controller knows them and on others."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, OutOfReachError, Payload
from charmie_dynamics.control import ComputedTorque, Controller, TrackingRun, track
from charmie_dynamics.model.description.robot import JointFriction
from charmie_dynamics.motions.named import make_motion
from charmie_dynamics.motions.splines import SampledMotion, through_points

KP = 200.0
STEP = 1e-3
POINTS = np.array([[0.1, 0.2, -0.4, 0.3, 0.1], [0.2, 0.5, -0.9, 0.0, -0.3]])


def standing(position: np.ndarray, time: np.ndarray) -> SampledMotion:
    """Return a motion that stays where it is."""
    rows = np.tile(position, (len(time), 1))
    return SampledMotion(time, rows, 0.0 * rows, 0.0 * rows)


def pushed_by(model: Model, effort: np.ndarray) -> Controller:
    """Return what asks for the same efforts for ever."""
    return ComputedTorque(
        model,
        0.0,
        effort_limits=np.inf,
        friction=False,
        inverse_dynamics=lambda *state: effort,
    )


@pytest.fixture(scope="module")
def swing(scara: Model) -> SampledMotion:
    return through_points(np.array([0.0, 0.5]), POINTS, None, None, 500)


@pytest.fixture(scope="module")
def tracked(scara: Model, swing: SampledMotion) -> TrackingRun:
    return track(ComputedTorque(scara, KP), scara, swing)


def largest(run: TrackingRun) -> float:
    return float(np.abs(run.error).max())


def test_the_plant_moves_as_an_independent_integration(charmie: Model, reference: Path) -> None:
    swing = json.loads((reference / "swing.json").read_text(encoding="utf-8"))
    names = charmie.actuator_names
    damping = {name: JointFriction(swing["damping"][name], 0.0) for name in names}
    robot = Model(charmie.tree, replace(charmie.mechanisms, friction=damping))
    start, *samples = swing["samples"][:7]
    position, velocity, effort = (
        np.array([values[name] for name in names])
        for values in (start["position"], start["velocity"], swing["effort"])
    )
    time = np.arange(0.0, 0.60025, 5e-4)
    run = track(pushed_by(charmie, effort), robot, standing(position, time), velocity=velocity)
    for sample in samples:
        k = round(sample["time"] / 5e-4)
        for got, key, tolerance in (
            (run.position, "position", 1e-7),
            (run.velocity, "velocity", 1e-6),
        ):
            expected = [sample[key][name] for name in names]
            np.testing.assert_allclose(got[k], expected, atol=tolerance)


def test_errors_of_the_start_vanish_as_those_of_double_integrators(scara: Model) -> None:
    time = np.arange(0.0, 0.5, STEP)
    offset = np.array([0.01, 0.05, -0.05, 0.03, -0.02])
    run = track(
        ComputedTorque(scara, KP), scara, standing(POINTS[0], time), position=POINTS[0] + offset
    )
    rate = np.sqrt(KP)
    expected = -offset * ((1.0 + rate * time) * np.exp(-rate * time))[:, None]
    # but for the time for which an effort is held, of which critical damping makes little
    np.testing.assert_allclose(run.error, expected, atol=0.01 * np.abs(offset).max())


def test_what_the_controller_knows_it_tracks(tracked: TrackingRun, swing: SampledMotion) -> None:
    assert largest(tracked) < 1e-3
    assert not tracked.is_limited.any()
    np.testing.assert_array_equal(tracked.time, swing.time)
    np.testing.assert_array_equal(tracked.desired_position, swing.position)
    np.testing.assert_array_equal(tracked.desired_velocity, swing.velocity)
    np.testing.assert_allclose(tracked.velocity, swing.velocity, atol=0.02)


def test_a_run_begins_on_the_motion_and_its_efforts_are_those_of_the_controller(
    tracked: TrackingRun, swing: SampledMotion, scara: Model
) -> None:
    np.testing.assert_array_equal(tracked.error[0], 0.0)
    controller = ComputedTorque(scara, KP)
    for k in (0, 77, 500):
        state = tracked.position[k], tracked.velocity[k]
        asked = controller.compute(*state, *(part[k] for part in swing[1:]))
        np.testing.assert_array_equal(tracked.effort[k], asked.effort)


def test_a_shorter_step_leaves_a_smaller_error(tracked: TrackingRun, scara: Model) -> None:
    finer = through_points(np.array([0.0, 0.5]), POINTS, None, None, 2000)
    run = track(ComputedTorque(scara, KP), scara, finer)
    assert largest(run) < 0.3 * largest(tracked)


def test_paths_of_a_frame_are_where_the_positions_put_it(tracked: TrackingRun) -> None:
    robot = tracked.plant
    for path, position in (
        (tracked.path("tool"), tracked.position),
        (tracked.desired_path("tool"), tracked.desired_position),
    ):
        assert path.shape == (501, 3)
        np.testing.assert_allclose(path[300], robot.compute(position[300]).frame("tool")[0])


def test_friction_that_the_controller_knows_does_no_harm(
    scara: Model, rough_scara: Model, swing: SampledMotion, tracked: TrackingRun
) -> None:
    known = track(ComputedTorque(rough_scara, KP), rough_scara, swing)
    unknown = track(ComputedTorque(scara, KP), rough_scara, swing)
    assert largest(known) < 5.0 * largest(tracked)
    assert largest(unknown) > 20.0 * largest(known)


def test_a_payload_that_the_controller_knows_does_no_harm(
    scara: Model, swing: SampledMotion, tracked: TrackingRun
) -> None:
    robot = scara.with_loads({"tool": Payload(0.5)})
    known = track(ComputedTorque(robot, KP), robot, swing)
    unknown = track(ComputedTorque(scara, KP), robot, swing)
    assert largest(known) < 5.0 * largest(tracked)
    assert largest(unknown) > 20.0 * largest(known)


def test_efforts_beyond_the_limits_are_told_and_the_motion_falls_behind(
    scara: Model, swing: SampledMotion, tracked: TrackingRun
) -> None:
    limit = 0.5 * np.abs(tracked.effort[:, 1]).max()
    run = track(ComputedTorque(scara, KP, effort_limits={"joint_2": limit}), scara, swing)
    assert run.is_limited[:, 1].any() and not run.is_limited[:, 0].any()
    assert np.abs(run.effort[:, 1]).max() == limit
    assert largest(run) > 20.0 * largest(tracked)


def test_charmie_tracks_the_papers_motion_through_its_linear_actuators(charmie: Model) -> None:
    motion = make_motion("paper_5s", charmie)
    time = np.arange(5001) * STEP
    desired = SampledMotion(time, *map(np.array, zip(*map(motion.at, time.tolist()), strict=True)))
    run = track(ComputedTorque(charmie, kp=1e4), charmie, desired)
    linear = {part.name for part in charmie.mechanisms.linear_actuators}
    slides = {joint.name for joint in charmie.tree.joints if joint.type == "prismatic"}
    in_metres = np.array([name in linear | slides for name in charmie.actuator_names])
    error = np.abs(run.error).max(axis=0)
    assert error[~in_metres].max() < 1e-4
    assert error[in_metres].max() < 1e-5
    for tool in ("left_tool", "right_tool"):
        assert np.linalg.norm(run.path(tool) - run.desired_path(tool), axis=1).max() < 1e-5
    # the motion is one: lift and torso move by centimetres, within their rated efforts
    assert np.ptp(run.position[:, [3, 4]], axis=0).min() > 0.015
    assert not run.is_limited.any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": np.array([0.0])}, "motion: expected times of shape (k,), k of at least 2, got"),
        ({"time": np.zeros((3, 1))}, "motion: expected times of shape (k,)"),
        (
            {"time": np.array([0.0, 0.2, 0.1])},
            "motion: expected times that are finite and increase",
        ),
        ({"time": np.array([0.0, 0.1, np.nan])}, "motion: expected times that are finite"),
        ({"position": np.zeros((3, 4))}, "motion: position: expected shape (3, 5), got (3, 4)"),
        ({"velocity": np.zeros((2, 5))}, "motion: velocity: expected shape (3, 5), got (2, 5)"),
        (
            {"acceleration": np.full((3, 5), np.inf)},
            "motion: acceleration of sample 0: expected finite values, got inf for 'joint_1'",
        ),
    ],
)
def test_a_motion_that_cannot_be_one_is_refused(
    scara: Model, change: dict[str, np.ndarray], message: str
) -> None:
    motion = standing(POINTS[0], np.array([0.0, 0.1, 0.2]))._replace(**change)
    with pytest.raises(InputError, match=re.escape(message)):
        track(ComputedTorque(scara, KP), scara, motion)


def test_a_plant_with_other_actuators_is_refused(scara: Model, crane: Model) -> None:
    motion = standing(POINTS[0], np.array([0.0, 0.1]))
    with pytest.raises(
        InputError, match=r"the actuators of the controller's model, joint_1.*; got"
    ):
        track(ComputedTorque(scara, KP), crane, motion)


def test_a_start_of_another_shape_is_refused(scara: Model) -> None:
    motion = standing(POINTS[0], np.array([0.0, 0.1]))
    with pytest.raises(InputError, match=r"position: expected shape \(5,\), got \(4,\)"):
        track(ComputedTorque(scara, KP), scara, motion, position=np.zeros(4))


def test_a_robot_that_moves_beyond_all_bounds_is_told_with_the_time(scara: Model) -> None:
    motion = standing(POINTS[0], np.arange(0.0, 2.0, 0.01))
    controller = ComputedTorque(scara, kp=1e6, effort_limits=np.inf)  # too much for such a step
    with (
        np.errstate(all="ignore"),
        pytest.raises(InputError, match=r"^tracking at [\d.]+ s: '.*' has moved"),
    ):
        track(controller, scara, motion, position=POINTS[0] + 1e-3)


def test_a_robot_that_leaves_the_reach_of_its_actuators_is_refused(charmie: Model) -> None:
    effort = np.zeros(21)
    effort[3] = 5e3  # N, of the lift actuator
    motion = standing(make_motion("paper_5s", charmie).at(0.0)[0], np.arange(0.0, 2.0, 0.01))
    with pytest.raises(OutOfReachError, match=r"^tracking at .* s: .*'lift_actuator'"):
        track(pushed_by(charmie, effort), charmie, motion)
