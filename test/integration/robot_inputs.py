# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inputs of the node: poses of CHARMIE and the publishers that play them."""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Mapping, Sequence
from functools import cache
from math import nan
from pathlib import Path
from typing import Any

from graph import EACH_CYCLE, PATIENCE, Checker, stamps_of, to_time
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

REFERENCE = Path(__file__).resolve().parents[1] / "reference"
ARM = tuple(f"arm_joint_{i}" for i in range(1, 7))
# INTERFACE: the order of the actuators
ACTUATORS = (
    *("base_x_joint", "base_y_joint", "base_yaw_joint", "lift_actuator", "torso_actuator"),
    *(f"left_{name}" for name in ARM),
    "left_gripper_joint",
    *(f"right_{name}" for name in ARM),
    "right_gripper_joint",
    *("neck_pan_joint", "neck_tilt_joint"),
)
LENGTHS = ("lift_actuator", "torso_actuator")
BASE_JOINTS = ACTUATORS[:3]
JOINTS = tuple(name for name in ACTUATORS if name not in LENGTHS)
STEP = 10_000_000  # ns between the stamps of two samples


@cache
def static_cases() -> list[dict[str, Any]]:
    """Return the reference cases at rest."""
    cases: list[dict[str, Any]] = json.loads((REFERENCE / "cases.json").read_text())["static"]
    return cases


def pose(number: int = 1) -> dict[str, float]:
    """Return all actuator positions of a static reference case."""
    given = static_cases()[number]["input"]
    return {**given["joint_position"], **given["actuator_length"]}


def joint_state(
    values: Mapping[str, float],
    stamp: int,
    velocity: Sequence[float] | None = None,
    effort: Sequence[float] = (),
) -> JointState:
    """Return a message of named positions, at rest unless velocities are given."""
    message = JointState(name=list(values), position=array("d", values.values()))
    message.velocity = array("d", [0.0] * len(values) if velocity is None else velocity)
    message.effort = array("d", effort)
    message.header.stamp = to_time(stamp)
    return message


class Inputs:
    """Publishers of the two inputs, and stamps which only grow."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        qos = QoSProfile(depth=100)
        node = checker.node
        # discovery announces publishers in this order: a node that hears joints hears lengths too
        self.lengths = node.create_publisher(JointState, "actuator_lengths", qos)
        self.joints = node.create_publisher(JointState, "joint_states", qos)
        self.stamp = time.time_ns()

    def next_stamp(self, step: int = STEP) -> int:
        self.stamp += step
        return self.stamp

    def send(
        self,
        values: Mapping[str, float],
        stamp: int | None = None,
        *,
        velocity: Mapping[str, float] | None = None,
        effort: Mapping[str, float] | None = None,
        lengths_first: bool = True,
    ) -> int:
        """Publish a pose on both topics and return its stamp; efforts left out are NaN."""
        stamp = self.next_stamp() if stamp is None else stamp
        messages = []
        for publisher, names in ((self.lengths, LENGTHS), (self.joints, None)):
            part = {
                name: value
                for name, value in values.items()
                if (name in LENGTHS) == (names is LENGTHS)
            }
            if part:
                speeds = None if velocity is None else [velocity[name] for name in part]
                efforts = [] if effort is None else [effort.get(name, nan) for name in part]
                messages.append((publisher, joint_state(part, stamp, speeds, efforts)))
        for publisher, message in messages if lengths_first else reversed(messages):
            publisher.publish(message)
        return stamp

    def connect(self, values: Mapping[str, float], topics: Sequence[str]) -> None:
        """Send new samples until something has come on all `topics`.

        On Fast DDS the node may find these publishers seconds before the checker finds the
        node's, and the one cycle of a stamp is lost.
        """
        received = self.checker.received
        self.checker.wait_for(
            lambda: all(received[topic] for topic in topics),
            f"messages on {', '.join(topics)}",
            doing=lambda: self.send(values),
            rate=10.0,
        )

    def cycle(
        self,
        values: Mapping[str, float],
        stamp: int | None = None,
        *,
        topics: Sequence[str] = EACH_CYCLE,
        timeout: float = PATIENCE,
        **options: Any,
    ) -> dict[str, Any]:
        """Publish a pose until its cycle has come on all `topics`; return the cycle's messages.

        The same sample is sent again and again, because best-effort messages may be lost and the
        node may not have found these publishers yet. Repetitions of a stamp start no cycle.
        """
        stamp = self.next_stamp() if stamp is None else stamp
        checker = self.checker
        # messages of each missing topic that were examined: a busy checker examines each one once
        examined = dict.fromkeys(topics, 0)

        def arrived() -> bool:
            for topic, count in list(examined.items()):
                messages = checker.received[topic]
                if any(stamp in stamps_of(message) for message in messages[count:]):
                    del examined[topic]
                else:
                    examined[topic] = len(messages)
            return not examined

        checker.wait_for(
            arrived,
            f"a cycle with the stamp {stamp} on {', '.join(topics)}",
            timeout=timeout,
            doing=lambda: self.send(values, stamp, **options),
            rate=5.0,
        )
        return {topic: checker.by_stamp(topic)[stamp] for topic in topics}


def named(message: JointState, field: str = "effort") -> dict[str, float]:
    """Return one field of a joint state by name."""
    values = getattr(message, field)
    assert len(values) == len(message.name), f"{field}: {len(values)} for {len(message.name)}"
    return dict(zip(message.name, values, strict=True))
