# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulated base as hardware of other packages: velocities in; odometry, IMU and scans out."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from graph import TYPES, stamp_of
from nav_msgs.msg import Odometry
from node_process import Process, start_dynamics_node, start_node
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from sensor_msgs.msg import Imu, JointState, LaserScan
from simulator_client import OK, SimulatorClient, bits

TYPES.update({"odom": Odometry, "imu": Imu, "scan": LaserScan})
SENSORS = ("odom", "imu", "scan", "/tf")
SAMPLE = 10_000_000  # ns
DRIVES = "velocity of the base"
ELBOW = "left_arm_joint_3"
ROOM = """
contacts: {default: {normal: hooke, stiffness: 1.0e5}}
entities:
  ground: {shape: plane}
  charmie: {urdf: charmie, mechanisms: charmie}
  wall: {shape: box, size: [6, 0.2, 1], moves: fixed, pose: [0, 3.1, 0.5, 0, 0, 0]}
"""
# the odometry and its transform to the root, as navigation beside the dynamics node needs them
PARAMETERS = {
    "world_frame": "map", "odom_tf": "root", "paused": True, "seed": 3,
    "scan_link": "base_link", "scan_count": 90, "scan_noise": 0.01, "imu_gyro_noise": 0.01,
    "hold_joint_commands": True,
}  # fmt: skip
HEARD = (*SENSORS, "joint_states", "/tf_static", "ground_truth/odom", "/clock", "/diagnostics")


pytestmark = pytest.mark.usefixtures("paused")


@pytest.fixture(scope="module")
def simulator(folder: Path) -> Iterator[Process]:
    world = folder / "room.yaml"
    world.write_text(ROOM, encoding="utf-8")
    with start_node("simulator_node", folder, {**PARAMETERS, "world": str(world)}) as process:
        process.wait_for_output("ready", 300.0)
        yield process
        assert "Traceback" not in process.output()


def twist(x: float, y: float, yaw: float) -> Twist:
    message = Twist()
    message.linear.x, message.linear.y, message.angular.z = x, y, yaw
    return message


def tell(client: SimulatorClient, topic: str, message: Any, text: str, quality: Any = 10) -> None:
    """Publish a command until a text is in the status of the simulator.

    A message may be lost before both sides have found each other.
    """
    publisher = client.node.create_publisher(type(message), topic, quality)
    client.wait_for_status(
        ": simulator",
        lambda status, values: text in status.message + values["in force"],
        f"'{text}'",
        doing=lambda: publisher.publish(message),
        rate=2.0,
    )
    client.node.destroy_publisher(publisher)


def stepped(client: SimulatorClient, steps: int) -> None:
    assert client.step(steps).result == OK


def sampled(client: SimulatorClient, topic: str, stamp: int) -> Any:
    """Return the message of a topic with a stamp."""
    return client.wait_for(lambda: client.by_stamp(topic).get(stamp), f"{topic} at {stamp} ns")


def test_the_base_drives_and_its_sensors_have_the_stamp_of_the_sample(
    client: SimulatorClient,
) -> None:
    tell(client, "cmd_vel", twist(0.3, 0.1, 0.2), DRIVES)
    stepped(client, 400)
    stamp = 40 * SAMPLE
    odometry, imu, scan = (sampled(client, topic, stamp) for topic in SENSORS[:3])
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("odom", "base_footprint")
    velocity = odometry.twist.twist
    assert (velocity.linear.x, velocity.linear.y) == pytest.approx((0.3, 0.1), abs=0.02)
    assert velocity.angular.z == pytest.approx(0.2, abs=0.02)
    assert 0.05 < odometry.pose.pose.position.x < 0.1
    for covariance in (odometry.pose.covariance, odometry.twist.covariance):
        assert np.linalg.eigvalsh(np.reshape(covariance, (6, 6))).min() > 0.0
    assert imu.header.frame_id == "base_link"
    assert imu.linear_acceleration.z == pytest.approx(9.81, abs=0.05)
    assert imu.angular_velocity.z == pytest.approx(0.2, abs=0.06)
    assert np.reshape(imu.angular_velocity_covariance, (3, 3)).diagonal() == pytest.approx(1e-4)
    assert scan.header.frame_id == "base_link" and len(scan.ranges) == 90
    assert scan.angle_increment == pytest.approx(2.0 * math.pi / 89)
    assert scan.scan_time == pytest.approx(0.1)
    near = np.array(scan.ranges)[np.isfinite(scan.ranges)]  # the wall ahead
    assert len(near) > 10 and near.min() == pytest.approx(2.9, abs=0.1)


def test_without_further_commands_the_base_stops(client: SimulatorClient) -> None:
    tell(client, "cmd_vel", twist(0.3, 0.0, 0.0), DRIVES)
    stepped(client, 1000)
    velocity = sampled(client, "odom", 100 * SAMPLE).twist.twist
    assert abs(velocity.linear.x) < 0.01


def test_a_velocity_that_is_not_finite_is_refused_with_a_warning(client: SimulatorClient) -> None:
    tell(client, "cmd_vel", twist(math.nan, 0.0, 0.0), "cmd_vel: expected finite")
    status = client.last_status(": simulator")
    assert status is not None and status.level == DiagnosticStatus.WARN


def test_joint_commands_of_a_best_effort_publisher_are_held(client: SimulatorClient) -> None:
    stepped(client, 10)
    before = sampled(client, "joint_states", SAMPLE)
    target = before.position[before.name.index(ELBOW)] + 0.1
    quality = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)
    command = JointState(name=[ELBOW], position=[target])
    tell(client, "joint_commands", command, "joint commands", quality)
    stepped(client, 1990)  # four times `input_timeout`
    after = sampled(client, "joint_states", 200 * SAMPLE)
    assert after.position[after.name.index(ELBOW)] == pytest.approx(target, abs=2e-3)
    client.wait_for_status(
        ": simulator",
        lambda _, values: values["in force"] == "joint commands",
        "joint commands in force",
    )


def test_resets_give_the_same_sensors_bit_for_bit(client: SimulatorClient) -> None:
    digests = set()
    for run in range(3):
        stepped(client, 10 + run)
        assert client.reset().result == OK
        client.drain()
        client.forget()
        tell(client, "cmd_vel", twist(0.2, 0.0, 0.5), DRIVES)
        stepped(client, 200)
        found = hashlib.sha256()
        for topic in SENSORS:
            sampled(client, topic, 20 * SAMPLE) if topic != "/tf" else client.drain()
            for message in client.received[topic]:
                found.update(repr(bits(message)).encode())
        digests.add(found.hexdigest())
    assert len(digests) == 1


def test_no_frame_has_two_parents_beside_the_dynamics_node(
    client: SimulatorClient, folder: Path
) -> None:
    parameters = {"use_sim_time": True, "world_frame": "map", "publish_location": False}
    with start_dynamics_node(folder, parameters):
        tell(client, "cmd_vel", twist(0.3, 0.0, 0.4), DRIVES)

        def parents() -> dict[str, set[str]]:
            found: dict[str, set[str]] = {}
            for topic in ("/tf", "/tf_static"):
                for message in client.received[topic]:
                    for edge in message.transforms:
                        found.setdefault(edge.child_frame_id, set()).add(edge.header.frame_id)
            return found

        client.wait_for(
            lambda: {"base_footprint", "head"} <= set(parents()),
            "frames of the dynamics node",
            doing=lambda: client.step(10),
            rate=5.0,
        )
        found = parents()
    assert all(len(each) == 1 for each in found.values()), found
    path = ["base_footprint"]
    while path[-1] in found:
        path += found[path[-1]]
    assert path[-1] == "odom" and "base" in path
    assert found["ground"] == {"map"}


def test_stamped_velocities_and_the_transform_to_the_child(folder: Path) -> None:
    parameters = {"stamped_cmd_vel": True, "odom_tf": "child", "paused": True}
    with (
        start_node("simulator_node", folder, parameters, namespace="stamped") as process,
        SimulatorClient(("odom", "/tf", "/diagnostics"), namespace="stamped") as client,
    ):
        process.wait_for_output("ready")
        client.connect()
        tell(client, "cmd_vel", TwistStamped(twist=twist(0.0, 0.3, 0.0)), DRIVES)
        stepped(client, 400)
        pose = sampled(client, "odom", 40 * SAMPLE).pose.pose
        client.wait_for(
            lambda: any(stamp_of(each) == 40 * SAMPLE for each in client.received["/tf"]), "the TF"
        )
    (edge,) = client.received["/tf"][-1].transforms
    assert (edge.header.frame_id, edge.child_frame_id) == ("odom", "base_footprint")
    place = edge.transform.translation
    assert (place.x, place.y) == (pose.position.x, pose.position.y) and place.y > 0.05


def test_velocities_of_the_other_type_are_reported(folder: Path) -> None:
    with (
        start_node("simulator_node", folder, {"paused": True}, namespace="mistaken") as process,
        SimulatorClient(("/diagnostics",), namespace="mistaken") as client,
    ):
        process.wait_for_output("ready")
        publisher = client.node.create_publisher(TwistStamped, "/mistaken/cmd_vel", 1)
        text = "set stamped_cmd_vel to true"
        client.wait_for(
            lambda: any(
                text in status.message
                for array in client.received["/diagnostics"]
                for status in array.status
            ),
            "the report",
        )
        process.wait_for_output(text)
        client.node.destroy_publisher(publisher)
    assert process.output().count(text) == 1
