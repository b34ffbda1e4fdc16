# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The direction of gravity that the controller takes from the imu."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import InertiaStamped
from graph import TYPES, Checker
from node_process import start_node
from sensor_msgs.msg import Imu, JointState
from small_robots import GRAVITY, MASS, tension, write_slide
from std_msgs.msg import Float64MultiArray

TYPES["effort_commands"] = Float64MultiArray
POSITION, PAYLOAD, TILT = 0.3, 1.5, 0.4
OTHERS = "payload_links:\n  hook: carriage\n"


class Robot(Checker):
    """Sends the samples of a slide at rest, and the tilt of its carriage."""

    def __init__(self) -> None:
        super().__init__(("effort_commands",))
        self.joints = self.node.create_publisher(JointState, "joint_states", 10)
        self.imu = self.node.create_publisher(Imu, "imu", 10)
        self.payload = self.node.create_publisher(InertiaStamped, "payload/hook", 10)

    def holds(self, expected: float, tilt: float | None) -> None:
        """Send until the effort is the expected one; the tilt is that about x (rad)."""

        def is_held() -> bool:
            stamp = self.node.get_clock().now().to_msg()
            if tilt is not None:
                message = Imu()
                message.header.stamp, message.header.frame_id = stamp, "carriage"
                message.orientation.x = math.sin(0.5 * tilt)
                message.orientation.w = math.cos(0.5 * tilt)
                message.linear_acceleration.y = GRAVITY * math.sin(tilt)
                message.linear_acceleration.z = GRAVITY * math.cos(tilt)
                self.imu.publish(message)
            sample = JointState(name=["slide_joint"], position=[POSITION])
            sample.header.stamp = stamp
            self.joints.publish(sample)
            found = self.received["effort_commands"]
            return bool(found) and found[-1].data[0] == pytest.approx(expected, abs=1e-3)

        self.wait_for(is_held, f"an effort of {expected:.3f} N")


@pytest.fixture
def robot(folder: Path, tmp_path: Path) -> Iterator[Robot]:
    urdf, mechanisms = write_slide(tmp_path)
    with Path(mechanisms).open("a") as file:
        file.write(OTHERS)
    parameters = {"model": urdf, "mechanisms": mechanisms, "mode": "gravity_compensation"}
    with start_node("controller_node", folder, parameters) as process, Robot() as robot:
        process.wait_for_output("' ready: ")
        yield robot
        assert process.is_running() and "Traceback" not in process.output()


def test_gravity_on_a_ramp_is_compensated_with_every_load_until_the_imu_is_silent(
    robot: Robot,
) -> None:
    spring = tension(POSITION)
    robot.holds(MASS * GRAVITY + spring, None)
    robot.holds(MASS * GRAVITY * math.cos(TILT) + spring, TILT)
    message = InertiaStamped()
    message.inertia.m = PAYLOAD
    robot.payload.publish(message)
    robot.holds((MASS + PAYLOAD) * GRAVITY * math.cos(TILT) + spring, TILT)
    robot.holds((MASS + PAYLOAD) * GRAVITY * math.cos(0.1) + spring, 0.1)
    robot.holds((MASS + PAYLOAD) * GRAVITY + spring, None)
