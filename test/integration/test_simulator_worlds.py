# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulator plays worlds: entities, contacts, what RViz needs of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph import stamp_of
from node_process import Process, start_node
from rclpy.serialization import deserialize_message
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import PointCloud2
from simulator_client import OK, SimulatorClient
from visualization_msgs.msg import Marker

OF_A_WORLD = ("ground_truth/contacts", "ground_truth/contact_points", "/tf")
LEGS = 6
SAMPLE = 10_000_000  # ns


SIMULATOR_PARAMETERS = {"world": "athena", "paused": True}


HEARD = ("joint_states", "ground_truth/odom", "ground_truth/actuators", "/clock", *OF_A_WORLD)


pytestmark = pytest.mark.usefixtures("paused")


def rows_of(cloud: PointCloud2) -> np.ndarray:
    """Return the points of contact by the names of their columns."""
    kinds = {6: "<u4", 7: "<f4"}
    described = np.dtype([(field.name, kinds[field.datatype]) for field in cloud.fields])
    assert described.itemsize == cloud.point_step and not cloud.is_bigendian
    assert [field.offset for field in cloud.fields] == list(range(0, cloud.point_step, 4))
    return np.frombuffer(bytes(cloud.data), described)


def told(client: SimulatorClient, topic: str, samples: int) -> list[Any]:
    """Return the messages of so many samples since time zero; older ones may still come late."""
    received = client.received[topic]
    last = samples * SAMPLE

    def complete() -> bool:
        return len(received) >= samples and stamp_of(received[-1]) == last

    client.wait_for(complete, f"a message of {topic} at {last} ns")
    assert [stamp_of(message) for message in received[-samples:]] == [
        SAMPLE * (k + 1) for k in range(samples)
    ]
    return received[-samples:]


def stepped(client: SimulatorClient, steps: int) -> None:
    assert client.step(steps).result == OK


def test_a_world_by_its_name_stands(client: SimulatorClient, simulator: Process) -> None:
    assert "topics of athena" in simulator.output()
    stepped(client, 1000)
    odometry = told(client, "ground_truth/odom", 100)[-1]
    assert odometry.child_frame_id == "base_link" and odometry.header.frame_id == "odom"
    assert odometry.pose.pose.position.z == pytest.approx(0.142, abs=2e-3)
    joints = told(client, "joint_states", 100)[-1]
    assert "leg_1_coxa_joint" in joints.name and len(joints.name) == 18
    assert max(abs(v) for v in joints.velocity) < 1e-3


def test_the_contacts_are_told_as_a_table_and_bear_the_weight(client: SimulatorClient) -> None:
    stepped(client, 1000)
    shapes = json.loads(client.latched("ground_truth/shapes").data)
    assert shapes[0] == {"shape": 0, "entity": "ground", "frame": "ground", "kind": "plane"}
    assert {shape["frame"] for shape in shapes} >= {f"leg_{k}_foot" for k in range(1, LEGS + 1)}
    cloud = told(client, "ground_truth/contact_points", 100)[-1]
    rows = rows_of(cloud)
    assert cloud.header.frame_id == "odom" and stamp_of(cloud) == 1_000_000_000
    assert len(rows) == cloud.width == LEGS
    assert rows["normal_force"].sum() == pytest.approx(63.06, abs=0.1)
    assert {shapes[k]["frame"] for k in rows["second"]} == {f"leg_{k}_foot" for k in range(1, 7)}
    assert set(rows["first"]) == {0} and np.abs(rows["z"]).max() < 1e-3
    np.testing.assert_allclose(rows["normal_z"], 1.0)


def test_contacts_and_entities_are_drawn_in_frames_that_there_are(client: SimulatorClient) -> None:
    stepped(client, 1000)
    told(client, "ground_truth/contact_points", 100)
    markers = client.wait_for_samples("ground_truth/contacts", 25)[-1].markers
    markers = [marker for marker in markers if marker.action == Marker.ADD]
    assert sum(marker.ns == "contacts" for marker in markers) == LEGS
    assert {marker.ns for marker in markers} >= {"contacts", "contact_points", "friction_cones"}
    assert {marker.header.frame_id for marker in markers} == {"odom"}
    drawn = client.latched("ground_truth/entities").markers
    (floor,) = (marker for marker in drawn if marker.header.frame_id == "ground")
    assert floor.frame_locked and floor.scale.x > 10.0
    assert not any("leg" in marker.header.frame_id for marker in drawn)  # the robot's own


def test_where_the_robot_is_and_what_stands_still_is_told_by_tf(client: SimulatorClient) -> None:
    stepped(client, 1000)
    moving = told(client, "/tf", 100)[-1].transforms
    assert [(t.header.frame_id, t.child_frame_id) for t in moving] == [("world", "base_link")]
    assert moving[0].transform.translation.z == pytest.approx(0.142, abs=2e-3)
    fixed = client.latched("/tf_static").transforms
    assert {(t.header.frame_id, t.child_frame_id) for t in fixed} == {
        ("odom", "ground"), ("odom", "world")
    }  # fmt: skip


def test_contacts_are_recorded_where_they_are_asked_for(
    client: SimulatorClient, folder: Path
) -> None:
    bag = folder / "contacts"
    with start_node("recorder", folder, {"output": str(bag), "ground_truth": True}) as recorder:
        client.wait_for(
            lambda: all(client.node.count_subscribers(topic) > 1 for topic in OF_A_WORLD[:2]),
            "the recorder's subscriptions",
        )
        stepped(client, 500)
        told(client, "ground_truth/contact_points", 50)
        recorder.wait_for_output('"ground_truth/contact_points": 50')
        recorder.end()
    with AnyReader([bag]) as reader:
        found = {connection.topic: connection for connection in reader.connections}
        table = found["/ground_truth/contact_points"]
        messages = [data for _, _, data in reader.messages([table])]
    assert len(messages) == 50
    rows = rows_of(deserialize_message(bytes(messages[-1]), PointCloud2))
    assert len(rows) == LEGS and rows["normal_force"].min() > 0.0
    assert "/ground_truth/shapes" in found
