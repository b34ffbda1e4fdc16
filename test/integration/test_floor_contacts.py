# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The dynamics node includes the forces of the floor on a simulated robot in its efforts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from graph import TYPES, stamp_of
from nav_msgs.msg import Odometry
from node_process import start_dynamics_node, start_node
from sensor_msgs.msg import Imu, PointCloud2
from simulator_client import SimulatorClient
from test_simulator_worlds import rows_of
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics import load_model
from charmie_dynamics.model.contact_forces import ContactForces
from charmie_dynamics.model.description.world.robot_contacts import read_robot_contacts

TYPES.update({"contact_points": PointCloud2, "contact_forces": MarkerArray})
HEARD = ("ground_truth/odom", "ground_truth/actuators", "actuator_efforts", "contact_points",
         "contact_forces", "/diagnostics")  # fmt: skip
STANDS = 1_000_000_000  # ns
LEGS = 6


def status_of(client: SimulatorClient, name: str) -> Any:
    for array in reversed(client.received["/diagnostics"]):
        for status in array.status:
            if status.name == f"/charmie_dynamics: {name}":
                return status
    return None


def common_stamps(received: dict[str, list[Any]]) -> list[int]:
    """Return the stamps of poses and efforts with contacts while the robot stands."""
    loaded = {stamp_of(cloud) for cloud in received["contact_points"] if cloud.width}
    others = (
        {stamp_of(message) for message in received[topic]}
        for topic in ("actuator_efforts", "ground_truth/odom")
    )
    return sorted(stamp for stamp in loaded.intersection(*others) if stamp > STANDS)


def test_the_efforts_of_a_hexapod_include_the_forces_of_the_floor(folder: Path) -> None:
    parameters = {"model": "athena", "contacts": "athena", "use_sim_time": True}
    with (
        start_node("simulator_node", folder, {"world": "athena"}) as simulator,
        start_dynamics_node(folder, parameters) as node,
        SimulatorClient(HEARD) as client,
    ):
        simulator.wait_for_output("ready")
        odometry = client.node.create_publisher(Odometry, "odom", 10)
        inertia = client.node.create_publisher(Imu, "imu", 10)
        client.node.create_subscription(Odometry, "ground_truth/odom", odometry.publish, 100)
        refused = Imu()
        refused.header.frame_id = "bose"
        received = client.received
        client.wait_for(
            lambda: (
                common_stamps(received)
                and any(cloud.width == LEGS for cloud in received["contact_points"])
                and any(message.markers for message in received["contact_forces"])
            ),
            "the forces of all feet",
        )
        client.wait_for(
            lambda: "got 'bose'" in node.output(),
            "a warning of the unknown frame",
            doing=lambda: inertia.publish(refused),
        )
        client.wait_for(lambda: status_of(client, "model"), "diagnostics")
        assert "held" not in status_of(client, "model").message
        clouds = {stamp_of(cloud): cloud for cloud in received["contact_points"] if cloud.width}
        efforts = {stamp_of(each): each for each in received["actuator_efforts"]}
        poses = {stamp_of(each): each.pose.pose for each in received["ground_truth/odom"]}
        common = common_stamps(received)
        model = load_model("athena")
        contacts = read_robot_contacts("athena", model.tree)
        forces = ContactForces.of(model, contacts)
        for stamp in common[:20]:
            rows = rows_of(clouds[stamp])
            assert abs(rows["normal_force"].sum() - model.total_mass * 9.81) < 1.0  # N
            found = dict(zip(efforts[stamp].name, efforts[stamp].effort, strict=True))
            measured = dict(zip(efforts[stamp].name, efforts[stamp].position, strict=True))
            p, q = poses[stamp].position, poses[stamp].orientation
            base = [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
            state = model.compute([*base, *(measured[name] for name in model.actuator_names)])
            expected = forces.on_floor(state, contacts).effort[0]
            own = np.array([found[name] for name in model.actuator_names])
            np.testing.assert_allclose(own, expected, atol=0.02)  # N m
            assert abs(own - state.actuator_effort).max() > 0.2
        shown = received["contact_forces"][-1].markers
        assert sum(m.ns == "contacts" and m.action == Marker.ADD for m in shown) == LEGS
