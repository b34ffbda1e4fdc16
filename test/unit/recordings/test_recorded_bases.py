# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Causal cycles of recordings with imu and odometry are those of the node."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from input_recordings import KIND, PERIOD, header_of, message
from recordings import MCAP, START, STORES, Writer
from walking_recordings import ODOMETRY, odometry

from charmie_dynamics import Model, load_model
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.base_messages import read_imu, read_odometry
from charmie_dynamics.live.wire.samples import JOINT_STATES, JointSample
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.description.world.robot_contacts import read_robot_contacts
from charmie_dynamics.motions import LeggedWalk
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.recordings import (
    Analysis,
    AnalysisSettings,
    RecordedInputs,
    analyse,
    recorded_contacts,
)

IMU = "sensor_msgs/msg/Imu"
SAMPLES = 40
LINK = "leg_5_foot"  # on the floor
FORCE, RATE = (0.4, -0.3, 9.7), (0.02, -0.03, 0.01)


def imu(stamp: int, frame: str) -> bytes:
    types = STORES.types
    vector, covariance = types["geometry_msgs/msg/Vector3"], np.zeros(9)
    unknown = covariance.copy()
    unknown[0] = -1.0
    built = types[IMU](
        header=header_of(stamp, frame),
        orientation=types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0),
        orientation_covariance=unknown,
        angular_velocity=vector(*RATE),
        angular_velocity_covariance=covariance,
        linear_acceleration=vector(*FORCE),
        linear_acceleration_covariance=covariance,
    )
    return bytes(STORES.serialize_cdr(built, IMU))


def base_of(position: Floats, velocity: Floats) -> tuple[Floats, Floats]:
    """Return pose and twist of the floating base; any of a robot without one."""
    if len(position) == len(velocity):
        return np.eye(7)[6], np.zeros(6)
    return position[:7], velocity[:6]


def written(folder: Path, model: Model, position: Floats, velocity: Floats) -> Path:
    """Write a bag with joints, then odometry, then imu with one stamp a sample."""
    own = [model.position_names.index(name) for name in model.actuator_names]
    frame = model.mechanisms.base_body or model.tree.root
    with Writer(folder, version=8, storage_plugin=MCAP) as writer:
        kinds = {"/joint_states": KIND, "/odom": ODOMETRY, "/imu": IMU}
        connections = [
            writer.add_connection(topic, kind, typestore=STORES) for topic, kind in kinds.items()
        ]
        for k in range(SAMPLES):
            stamp = START + k * PERIOD
            names, rates = model.actuator_names, velocity[k, model.actuator_index]
            messages = (
                message(names, position[k, own], rates, stamp),
                odometry(stamp, frame, *base_of(position[k], velocity[k])),
                imu(stamp, frame if k else "bose"),
            )
            for order, (connection, data) in enumerate(zip(connections, messages, strict=True)):
                writer.write(connection, stamp + 1000 * order, data)
    return folder


def live(model: Model, position: Floats, velocity: Floats, *, feet: bool) -> list[Cycle]:
    """Return the cycles of a node that receives these messages."""
    contacts = read_robot_contacts("athena", model.tree) if feet else None
    pipeline, cycles = Pipeline(model, contacts=contacts), []
    own = [model.position_names.index(name) for name in model.actuator_names]
    frame = model.mechanisms.base_body or model.tree.root
    for k in range(SAMPLES):
        stamp = START + k * PERIOD
        now = k * PERIOD * SECONDS
        sample = JointSample(
            model.actuator_names, position[k, own], velocity[k, model.actuator_index], stamp
        )
        cycle = pipeline.take(JOINT_STATES, sample, now)
        assert cycle is not None
        cycles.append(cycle)
        pose = odometry(stamp, frame, *base_of(position[k], velocity[k]))
        pipeline.base.take_odometry(read_odometry(pose), now + 1e-6, stamp)
        if k:
            pipeline.base.take_imu(read_imu(imu(stamp, frame)), now + 2e-6, stamp)
    return cycles


def analysed(folder: Path, model: Model, *, feet: bool) -> Analysis:
    settings = AnalysisSettings(smoothing="causal")
    with RecordedInputs(folder) as recording:
        if feet:
            contacts = recorded_contacts(model, recording, "athena")
            settings = AnalysisSettings(smoothing="causal", contacts=contacts)
        return analyse(model, recording, settings)


@pytest.mark.parametrize("feet", [False, True])
def test_a_walking_robot_has_the_efforts_of_the_node(tmp_path: Path, feet: bool) -> None:
    model = load_model("athena")
    walk = LeggedWalk(model, "tripod")
    states = [walk.whole(1.2 + 0.01 * k) for k in range(SAMPLES)]
    position, velocity = (np.array(array) for array in list(zip(*states, strict=True))[:2])
    found = analysed(written(tmp_path / "bag", model, position, velocity), model, feet=feet)
    cycles = live(model, position, velocity, feet=feet)
    arrays = found.cycles.arrays
    expected = np.array([cycle.state.actuator_effort for cycle in cycles])
    np.testing.assert_array_equal(arrays["actuator_effort"], expected)
    assert any("imu: 1 messages refused" in line for line in found.warnings)
    if feet:
        names = [c.name for c in read_robot_contacts("athena", model.tree).contacts]
        foot = names.index(LINK)
        loads = [cycle.contacts for cycle in cycles[1:]]
        force = np.array([each.force[foot] for each in loads if each is not None])
        found_force = arrays[f"contact_force/{LINK}"]
        np.testing.assert_array_equal(found_force[1:, :3], force)
        assert np.isnan(found_force[0]).all()  # before any odometry
        assert force[:, 2].max() > 5.0


def test_an_inclined_robot_has_the_efforts_of_the_node(tmp_path: Path) -> None:
    model = load_model("arm_6r")
    position = np.tile(np.linspace(0.1, 0.6, len(model.position_names)), (SAMPLES, 1))
    velocity = np.zeros_like(position)
    found = analysed(written(tmp_path / "bag", model, position, velocity), model, feet=False)
    efforts = found.cycles.arrays["actuator_effort"]
    cycles = live(model, position, velocity, feet=False)
    expected = np.array([cycle.state.actuator_effort for cycle in cycles])
    np.testing.assert_array_equal(efforts, expected)
    upright = model.compute(position[0]).actuator_effort
    assert abs(efforts[0] - upright).max() < 1e-9
    assert abs(efforts[-1] - upright).max() > 0.1
