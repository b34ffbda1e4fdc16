# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inertial measurement unit: at rest, on a ramp, in motion and in free fall."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics import load_model
from charmie_dynamics.simulation import load_world, world_of
from charmie_dynamics.simulation.session.base_pose import rotation_of
from charmie_dynamics.simulation.session.sensors import ImuMeasurement
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

GRAVITY = 9.81
SLOPE = 0.2  # rad
RAMP = f"""
contacts: {{default: {{normal: hooke, stiffness: 1.0e5}}}}
entities:
  charmie: {{urdf: charmie, mechanisms: charmie, pose: [0, 0, 0, {SLOPE}, 0, 0.7]}}
"""


def measure(session: Session, samples: int) -> list[ImuMeasurement]:
    found = []
    while len(found) < samples:
        measured = session.advance(1000).measured
        if measured is not None:
            assert measured.imu is not None
            found.append(measured.imu)
    return found


def test_at_rest_on_a_ramp_the_specific_force_is_upwards() -> None:
    system = SimulatedSystem.of_world(world_of(RAMP))
    session = Session(system, SessionSettings(imu_link="base_link"))
    found = measure(session, 20)[-1]
    R = rotation_of(found.orientation)
    np.testing.assert_allclose(found.specific_force, R.T @ [0.0, 0.0, GRAVITY], atol=1e-3)
    assert found.specific_force[2] == pytest.approx(GRAVITY * np.cos(SLOPE), abs=1e-3)
    np.testing.assert_allclose(found.angular_velocity, 0.0, atol=1e-5)


def test_a_moving_link_agrees_with_differences_of_its_motion() -> None:
    system = SimulatedSystem.alone(load_model())
    session = Session(system, SessionSettings(imu_link="head", rate=1000.0, motion="wave"))
    measure(session, 100)
    rows = []
    for _ in range(40):
        (found,) = measure(session, 1)
        state = session.model.kinematics(session.position, session.velocity)
        rows.append((found, state.motion("head")))
    speeds = [np.linalg.norm(motion.velocity) for _, motion in rows]
    assert min(speeds) > 0.01
    for (_, before), (found, now), (_, after) in zip(rows, rows[1:], rows[2:], strict=False):
        # over two steps of 1 ms, in the axes of the head
        acceleration = (after.velocity - before.velocity) / 0.002 - [0.0, 0.0, -GRAVITY]
        np.testing.assert_allclose(now.rotation @ found.specific_force, acceleration, atol=0.02)
        spin = (after.rotation - before.rotation) / 0.002 @ now.rotation.T
        angular = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        np.testing.assert_allclose(now.rotation @ found.angular_velocity, angular, atol=2e-3)
        np.testing.assert_allclose(rotation_of(found.orientation), now.rotation, atol=1e-12)


def test_in_free_fall_there_is_no_specific_force() -> None:
    session = Session(load_model("quadruped"), SessionSettings(idle="free", joint_stops=False))
    np.testing.assert_allclose(measure(session, 1)[0].specific_force, 0.0, atol=1e-9)


@pytest.mark.parametrize("world", ["charmie_wheeled", "quadruped"])
def test_a_robot_that_stands_feels_its_weight(world: str) -> None:
    session = Session(SimulatedSystem.of_world(load_world(world)), SessionSettings())
    # the base still vibrates a little on its contacts
    force = np.mean([found.specific_force for found in measure(session, 150)[100:]], axis=0)
    np.testing.assert_allclose(force, [0.0, 0.0, GRAVITY], atol=0.05)


def test_noise_has_its_deviations_and_repeats_after_a_reset() -> None:
    noise: dict[str, Any] = {
        "imu_orientation_noise": 0.01, "imu_gyro_noise": 0.02, "imu_accelerometer_noise": 0.3,
    }  # fmt: skip
    session = Session(load_model(), SessionSettings(rate=1000.0, **noise))
    first = measure(session, 1000)
    base = session.model.kinematics(session.position).frame("base_link")[1]
    turns = [
        np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
        for turn in (rotation_of(found.orientation) @ base.T for found in first)
    ]
    for values, deviation in (
        (turns, 0.01),
        ([found.angular_velocity for found in first], 0.02),
        ([found.specific_force for found in first], 0.3),
    ):
        np.testing.assert_allclose(np.std(values, axis=0), deviation, rtol=0.1)
    session.reset()
    for again, found in zip(measure(session, 20), first, strict=False):
        assert all((a == b).all() for a, b in zip(again, found, strict=True))


def test_a_fixed_arm_has_a_unit_on_request_alone() -> None:
    model = load_model("scara")
    assert Session(model, SessionSettings()).sensors == ()
    link = model.frame_names[-1]
    assert Session(model, SessionSettings(imu_link=link)).sensors == ("imu",)
