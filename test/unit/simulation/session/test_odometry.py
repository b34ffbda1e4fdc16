# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Odometry: what the encoders of a base say about its pose, and how it drifts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, UnknownNameError, load_model
from charmie_dynamics.simulation import load_world
from charmie_dynamics.simulation.session.base_drive import BaseDrive
from charmie_dynamics.simulation.session.odometry import WheelOdometry
from charmie_dynamics.simulation.session.sensors import Measurement, OdometryEstimate, TrueSample
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem
from charmie_dynamics.simulation.worlds.world import world_of

FOOTPRINT = "base_footprint"
EXACT = {"odom_linear_noise": 0.0, "odom_angular_noise": 0.0}
SAMPLE = 10_000_000  # ns


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


def session_of(name: str, **settings: Any) -> Session:
    system = SimulatedSystem.alone(load_model())
    if name != "charmie":
        system = SimulatedSystem.of_world(load_world(name))
    return Session(system, SessionSettings(imu=False, **settings))


def frame(session: Session, name: str) -> tuple[np.ndarray, np.ndarray]:
    robot = session.system.robot
    assert robot is not None
    return session.model.kinematics(session.position).frame(robot.prefix + name)


def driven(session: Session, samples: int = 100) -> list[tuple[OdometryEstimate, np.ndarray]]:
    """Return the estimate of each sample, and the true x, y, yaw since the first."""
    found: list[tuple[OdometryEstimate, np.ndarray]] = []
    for _ in range(samples):
        session.take_velocity([0.5, 0.2, 0.0, 0.0, 0.0, 0.6])
        measured = session.advance(10).measured
        assert measured is not None and measured.odometry is not None
        p, R = frame(session, FOOTPRINT)
        first = (p, R) if not found else first  # noqa: F821
        moved, turned = first[1].T @ (p - first[0]), first[1].T @ R
        true = np.array([moved[0], moved[1], np.arctan2(turned[1, 0], turned[0, 0])])
        found.append((measured.odometry, true))
    return found


def pose_of(estimate: OdometryEstimate) -> np.ndarray:
    x, y, _ = estimate.position
    return np.array([x, y, 2.0 * np.arctan2(*estimate.orientation[2:])])


def test_exact_encoders_of_base_joints_give_the_true_pose() -> None:
    for estimate, true in driven(session_of("charmie", **EXACT)):
        np.testing.assert_allclose(pose_of(estimate), true, atol=1e-6)
        assert not estimate.pose_covariance.any()
    # desired, in the axes of the base
    np.testing.assert_allclose(estimate.velocity, [0.5, 0.2, 0.6], atol=2e-3)


def test_wheels_slip_so_that_even_exact_encoders_err() -> None:
    estimate, true = driven(session_of("charmie_wheeled", **EXACT))[-1]
    error = np.abs(pose_of(estimate) - true)
    assert 1e-4 < error.max() < 0.02 and true[0] > 0.25


def test_odometry_drifts_and_restarts_at_zero_with_the_same_bits() -> None:
    session = session_of("charmie", angle_noise=1e-4, length_noise=1e-4, seed=3)
    runs = []
    for _ in range(2):
        session.reset()
        run = driven(session)
        estimate, true = run[-1]
        assert not run[0][0].position.any()
        assert 1e-4 < np.abs(pose_of(estimate) - true).max() < 0.1
        runs.append(b"".join(part.tobytes() for e, _ in run for part in e[:5]))
    assert runs[0] == runs[1]


def straight(model: Model, settings: SessionSettings) -> list[OdometryEstimate]:
    """Return the estimates of one metre forward, x of the base, in a hundred samples."""
    system = SimulatedSystem.alone(model)
    robot = system.robot
    assert robot is not None
    base = BaseDrive.of(model, FOOTPRINT)
    assert base is not None
    odometry = WheelOdometry(robot, lambda: system, settings, base)
    found = []
    for k in range(101):
        q, v = model.zero_position(), np.zeros(21)
        q[1], v[1] = 0.01 * k, 1.0  # base_y_joint: to the front
        true = TrueSample(k * SAMPLE, q, v, 0.0 * v, 0.0 * v)
        found.append(odometry.measure(Measurement(k * SAMPLE, q, v, 0.0 * v), true))
    return found


def test_measured_velocities_are_those_at_the_stamp_in_the_axes_at_the_stamp(model: Model) -> None:
    settings, system = SessionSettings(**EXACT), SimulatedSystem.alone(model)
    base, robot = BaseDrive.of(model, FOOTPRINT), system.robot
    assert base is not None and robot is not None
    odometry = WheelOdometry(robot, lambda: system, settings, base)
    q, v = model.zero_position(), np.zeros(21)
    v[base.columns] = 0.5, 0.3, 1.0
    for k, yaw in enumerate((0.0, 0.2)):
        q = model.zero_position()
        q[base.columns[2]] = yaw
        true = TrueSample(k * SAMPLE, q, v, 0.0 * v, 0.0 * v)
        found = odometry.measure(Measurement(k * SAMPLE, q, v, 0.0 * v), true)
    motion = model.kinematics(q, v).motion(FOOTPRINT)
    expected = motion.rotation.T @ motion.velocity
    np.testing.assert_allclose(found.velocity, [*expected[:2], 1.0], atol=1e-12)


LOOP_ON_A_BASE = """<robot name="loop">
<link name="earth"/>
<link name="base"><inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
 iyz="0"/></inertial></link>
<link name="crank"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0"
 ixz="0" iyz="0"/></inertial></link>
<link name="rocker"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0"
 ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="earth"/><child link="base"/><axis xyz="1 0 0"/>
 <limit lower="-5" upper="5" effort="90" velocity="2"/></joint>
<joint name="drive" type="continuous"><parent link="base"/><child link="crank"/>
 <axis xyz="0 1 0"/></joint>
<joint name="follower" type="continuous"><parent link="base"/><child link="rocker"/>
 <origin xyz="0.5 0 0"/><axis xyz="0 1 0"/></joint>
</robot>"""
ITS_LOOP = """base_body: base
base_joints: [slide]
passive_joints: [follower]
loop_joints: {rod: {type: distance, first_body: crank, second_body: rocker, length: 0.6,
  first_point: [0, 0, 0.3], second_point: [0, 0, 0.3]}}
"""


def session_of_a_loop(folder: Path, mechanisms: str) -> Session:
    for name, text in (("loop.urdf", LOOP_ON_A_BASE), ("loop.yaml", mechanisms)):
        (folder / name).write_text(text, encoding="utf-8")
    entity = f"{{urdf: {folder / 'loop.urdf'}, mechanisms: {folder / 'loop.yaml'}, moves: fixed}}"
    world = world_of(f"gravity: [0, 0, 0]\nentities: {{robot: {entity}}}")
    return Session(SimulatedSystem.of_world(world), SessionSettings(**EXACT))


def test_a_base_that_is_not_moved_by_base_joints_has_no_odometry_and_no_commands(
    tmp_path: Path,
) -> None:
    session = session_of_a_loop(tmp_path, ITS_LOOP.replace("base_body: base\n", ""))
    assert "odometry" not in session.sensors
    with pytest.raises(InputError, match="base joints that move its base_body"):
        session.take_velocity([0.2, 0.0, 0.0, 0.0, 0.0, 0.0])


def test_a_base_with_loops_that_are_open_at_zero_drives_and_has_odometry(tmp_path: Path) -> None:
    session = session_of_a_loop(tmp_path, ITS_LOOP)
    for _ in range(50):
        session.take_velocity([0.2, 0.0, 0.0, 0.0, 0.0, 0.0])
        measured = session.advance(10).measured
    assert measured is not None and measured.odometry is not None
    assert measured.odometry.position[0] > 0.05
    assert measured.odometry.velocity[0] == pytest.approx(0.2, abs=0.02)


def test_the_covariance_is_that_of_the_drift(model: Model) -> None:
    settings = SessionSettings(odom_linear_noise=0.02, odom_angular_noise=0.03)
    ends = [straight(model, replace(settings, seed=seed))[-1] for seed in range(400)]
    poses = np.array([pose_of(end) for end in ends])
    np.testing.assert_allclose(poses.mean(axis=0), [1.0, 0.0, 0.0], atol=0.005)
    found, expected = np.cov(poses.T), np.mean([end.pose_covariance for end in ends], axis=0)
    # forward the drift itself; sideways also the yaw, whose square grows with the distance
    np.testing.assert_allclose(np.diag(expected), [4e-4, 4e-4 + 3e-4, 9e-4], rtol=0.03)
    np.testing.assert_allclose(np.diag(found), np.diag(expected), rtol=0.25)
    assert found[1, 2] == pytest.approx(expected[1, 2], rel=0.3)


def test_a_base_at_rest_does_not_drift(model: Model) -> None:
    session = session_of("charmie")
    for _ in range(20):
        measured = session.advance(10).measured
        assert measured is not None and measured.odometry is not None
    np.testing.assert_allclose(pose_of(measured.odometry), 0.0, atol=1e-4)


@pytest.mark.parametrize("name", ["charmie", "charmie_wheeled"])
def test_the_root_is_where_the_path_to_the_child_agrees(name: str) -> None:
    session = session_of(name, odom_tf="root")
    estimate, _ = driven(session, 30)[-1]
    assert estimate.root is not None
    p_root, (_, _, z, w) = estimate.root
    yaw = 2.0 * np.arctan2(z, w)
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    p, R = frame(session, "world")
    p_child, R_child = frame(session, FOOTPRINT)
    of_child = p_root + turn @ R.T @ (p_child - p)
    level = {"charmie": 1e-9, "charmie_wheeled": 5e-3}[name]  # which tilts on its suspension
    np.testing.assert_allclose(of_child, estimate.position, atol=level)
    expected = pose_of(estimate)[2]
    turned = turn @ R.T @ R_child
    assert np.arctan2(turned[1, 0], turned[0, 0]) == pytest.approx(expected, abs=level)


def test_robots_without_wheels_have_no_odometry_and_unknown_frames_are_refused() -> None:
    assert session_of("quadruped").sensors == ()
    with pytest.raises(UnknownNameError, match="odom_child_frame: frame 'foot' is unknown"):
        session_of("charmie", odom_child_frame="foot")
    with pytest.raises(UnknownNameError, match="scan_link: frame 'laser' is unknown"):
        session_of("charmie", scan_link="laser")
