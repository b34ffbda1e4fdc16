# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions tracked by controllers, on robots as the controller knows them and on others."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is missing, with which robots are simulated")

from charmie_dynamics import InputError, Model, Payload
from charmie_dynamics.control import ComputedTorque
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.motions import SampledMotion, make_motion
from charmie_dynamics.motions.splines import through_points
from charmie_dynamics.simulation import Run, simulate

KP = 200.0
STEP = 1e-3
POINTS = np.array([[0.1, 0.2, -0.4, 0.3, 0.1], [0.2, 0.5, -0.9, 0.0, -0.3]])


def standing(position: np.ndarray, time: np.ndarray) -> SampledMotion:
    """Return a motion that stays where it is."""
    rows = np.tile(position, (len(time), 1))
    return SampledMotion(time, rows, 0.0 * rows, 0.0 * rows)


@pytest.fixture(scope="module")
def swing() -> SampledMotion:
    return through_points(np.array([0.0, 0.5]), POINTS, None, None, 500)


def tracked(law: ComputedTorque, plant: Model, motion: SampledMotion) -> Run:
    """Return the run of a robot whose controller acts at the times of the motion."""
    start, end = motion.position[0], float(motion.time[-1])
    return simulate(plant, start, None, end, law, "rk4", float(motion.time[1]), hold=True)


def largest(run: Run, motion: SampledMotion) -> float:
    return float(np.abs(run.position - motion.position).max())


@pytest.fixture(scope="module")
def exact(scara: Model, swing: SampledMotion) -> Run:
    return tracked(ComputedTorque(scara, KP, motion=swing), scara, swing)


def test_errors_of_the_start_vanish_as_those_of_double_integrators(scara: Model) -> None:
    offset = np.array([0.01, 0.05, -0.05, 0.03, -0.02])
    law = ComputedTorque(scara, KP, motion=standing(POINTS[0], np.array([0.0, 1.0])))
    run = simulate(scara, POINTS[0] + offset, None, 0.5, law, "rk4", STEP, hold=True)
    rate = np.sqrt(KP)
    expected = offset * ((1.0 + rate * run.time) * np.exp(-rate * run.time))[:, None]
    # but for the time for which an effort is held, of which critical damping makes little
    np.testing.assert_allclose(run.position - POINTS[0], expected, atol=0.01 * np.abs(offset).max())


def test_held_efforts_are_those_of_the_controller_at_the_start_of_each_step(
    scara: Model, exact: Run, swing: SampledMotion
) -> None:
    controller = ComputedTorque(scara, KP)
    assert largest(exact, swing) < 1e-3
    np.testing.assert_allclose(exact.time, swing.time, atol=1e-12)
    for k in (0, 77, 500):
        rows = (part[k] for part in swing[1:])
        asked = controller.compute(exact.position[k], exact.velocity[k], *rows)
        np.testing.assert_allclose(exact.effort[k], asked.effort, atol=1e-9)


def test_a_law_is_called_once_per_step_if_efforts_are_held(scara: Model) -> None:
    calls = []

    def law(time: float, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        calls.append(time)
        return np.zeros(5)

    simulate(scara, POINTS[0], None, 0.01, law, "rk4", STEP, hold=True)
    np.testing.assert_allclose(calls, np.arange(11) * STEP, atol=1e-15)
    with pytest.raises(InputError, match=r"hold: expected a fixed-step integrator \(.*rk4"):
        simulate(scara, POINTS[0], None, 0.01, law, hold=True)


@pytest.mark.parametrize("difference", ["friction", "payload"])
def test_what_the_controller_knows_of_the_robot_does_no_harm(
    scara: Model, rough_scara: Model, exact: Run, swing: SampledMotion, difference: str
) -> None:
    robot = rough_scara if difference == "friction" else scara.with_loads({"tool": Payload(0.5)})
    known, unknown = (
        largest(tracked(ComputedTorque(model, KP, motion=swing), robot, swing), swing)
        for model in (robot, scara)
    )
    assert known < 5.0 * largest(exact, swing)
    assert unknown > 20.0 * known


def test_a_motion_falls_behind_where_efforts_are_limited(
    scara: Model, exact: Run, swing: SampledMotion
) -> None:
    limit = 0.5 * np.abs(exact.effort[:, 1]).max()
    law = ComputedTorque(scara, KP, effort_limits={"joint_2": limit}, motion=swing)
    run = tracked(law, scara, swing)
    assert np.abs(run.effort[:, 1]).max() == limit
    assert largest(run, swing) > 20.0 * largest(exact, swing)


def test_charmie_tracks_the_papers_motion_through_its_linear_actuators(charmie: Model) -> None:
    motion = make_motion("paper_5s", charmie)
    time = np.arange(5001) * STEP
    desired = motion.sampled(time)
    law = ComputedTorque(charmie, kp=1e4, motion=desired)
    run = tracked(law, charmie, desired)
    linear = {part.name for part in charmie.mechanisms.linear_actuators}
    slides = {joint.name for joint in charmie.tree.joints if joint.type == "prismatic"}
    in_metres = np.array([name in linear | slides for name in charmie.actuator_names])
    error = np.abs(run.position - desired.position).max(axis=0)
    assert error[~in_metres].max() < 1e-4
    assert error[in_metres].max() < 1e-5
    actual, expected = (charmie.kinematics(each) for each in (run.position, desired.position))
    for tool in ("left_tool", "right_tool"):
        distance = np.linalg.norm(actual.frame(tool)[0] - expected.frame(tool)[0], axis=1)
        assert distance.max() < 1e-5
    # the motion is one: lift and torso move by centimetres, within their rated efforts
    assert np.ptp(run.position[:, [3, 4]], axis=0).min() > 0.015
    assert (np.abs(run.effort) < law.effort_limits).all()


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
        ComputedTorque(scara, KP, motion=motion)


def test_a_robot_that_moves_beyond_all_bounds_is_reported_with_the_time(scara: Model) -> None:
    motion = standing(POINTS[0], np.array([0.0, 0.01]))
    law = ComputedTorque(scara, kp=1e6, effort_limits=np.inf, motion=motion)  # too stiff a step
    with np.errstate(all="ignore"), pytest.raises(SimulationError, match=r"at [\d.]+ s"):
        simulate(scara, POINTS[0] + 1e-3, None, 2.0, law, "rk4", 0.01, hold=True)
