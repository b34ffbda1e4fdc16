# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulator plays worlds: entities, contacts, what RViz needs of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph import TYPES, stamp_of
from node_process import Process, start_node
from sensor_msgs.msg import PointCloud2
from simulator_client import OK, PAUSED, PLAYING, SAMPLES, STOPPED, SimulatorClient
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

TYPES.update(
    {
        "ground_truth/contacts": MarkerArray,
        "ground_truth/entities": MarkerArray,
        "ground_truth/contact_points": PointCloud2,
        "ground_truth/shapes": String,
    }
)
OF_A_WORLD = ("ground_truth/contacts", "ground_truth/entities", "ground_truth/contact_points",
              "ground_truth/shapes", "/tf", "/tf_static")  # fmt: skip
LEGS = 6


@pytest.fixture(scope="module")
def simulator(folder: Path) -> Iterator[Process]:
    parameters = {"world": "athena", "paused": True}
    with start_node("simulator_node", folder, parameters) as process:
        process.wait_for_output("ready")
        yield process


@pytest.fixture(scope="module")
def client(simulator: Process) -> Iterator[SimulatorClient]:
    topics = ("joint_states", "ground_truth/odom", "ground_truth/actuators", "/clock", *OF_A_WORLD)
    with SimulatorClient(topics) as client:
        client.connect()
        yield client


def rows_of(cloud: PointCloud2) -> np.ndarray:
    """Return the points of contact by the names of their columns."""
    kinds = {6: "<u4", 7: "<f4"}
    described = np.dtype([(field.name, kinds[field.datatype]) for field in cloud.fields])
    assert described.itemsize == cloud.point_step and not cloud.is_bigendian
    assert [field.offset for field in cloud.fields] == list(range(0, cloud.point_step, 4))
    return np.frombuffer(bytes(cloud.data), described)


def test_a_world_by_its_name_stands(client: SimulatorClient, simulator: Process) -> None:
    assert "topics of athena" in simulator.output()
    client.set_state(STOPPED)
    client.set_state(PAUSED)
    client.forget()
    assert client.step(1000).result == OK
    odometry = client.wait_for_samples("ground_truth/odom", 100)[-1]
    assert odometry.child_frame_id == "base_link"
    assert odometry.pose.pose.position.z == pytest.approx(0.142, abs=2e-3)
    joints = client.wait_for_samples("joint_states", 100)[-1]
    assert "leg_1_coxa_joint" in joints.name and len(joints.name) == 18
    assert max(abs(v) for v in joints.velocity) < 1e-3
