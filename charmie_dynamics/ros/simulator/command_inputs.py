# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Subscriptions of the simulator: efforts, joints, velocities, trajectories, wrenches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped, WrenchStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.topics import EXTERNAL_WRENCH
from charmie_dynamics.ros.inputs.trajectory_check import trajectory_from_message
from charmie_dynamics.ros.outputs.conversions import stamp_from_time
from charmie_dynamics.ros.outputs.profiles import make_subscription
from charmie_dynamics.ros.process.log import Log
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.topics import (
    EFFORT_COMMANDS,
    JOINT_COMMANDS,
    STAMPED_TWIST,
    TRAJECTORY_COMMANDS,
    TWIST,
    VELOCITY_COMMANDS,
)


class CommandInputs:
    """Passes commands to a session; refused commands are logged, counted and have no effect.

    Parameters
    ----------
    node : Node
    session : Session
    log : Log
    stamped : bool
        Whether velocities have a header.

    Attributes
    ----------
    refused : Counter of str
        Messages by topic.
    last_refusal : str
    """

    def __init__(self, node: Node, session: Session, log: Log, stamped: bool) -> None:
        self.refused: Counter[str] = Counter()
        self.last_refusal = ""
        self._node, self._session, self._log = node, session, log
        self._is_stamped, self._mistaken = stamped, ""
        velocities = (
            replace(VELOCITY_COMMANDS, type=STAMPED_TWIST) if stamped else VELOCITY_COMMANDS
        )
        self._takers: tuple[tuple[Any, Callable[[Any], None]], ...] = (
            (EFFORT_COMMANDS, self._take_efforts),
            (JOINT_COMMANDS, self._take_targets),
            (velocities, self._take_velocity),
            (TRAJECTORY_COMMANDS, self._take_trajectory),
            (EXTERNAL_WRENCH, self._take_wrench),
        )
        self._subscriptions: dict[str, Any] = {}
        self.follow()

    def follow(self) -> None:
        """Subscribe to the commands of the present system; without a robot only wrenches apply."""
        for topic, take in self._takers:
            is_wanted = self._session.commands is not None or topic is EXTERNAL_WRENCH
            if is_wanted and topic.name not in self._subscriptions:
                self._subscriptions[topic.name] = make_subscription(
                    self._node, topic, partial(self._receive, topic.name, take)
                )
            elif not is_wanted and topic.name in self._subscriptions:
                self._node.destroy_subscription(self._subscriptions.pop(topic.name))

    def mistaken_type(self) -> str:
        """Return which nodes send velocities of the other type; empty: none. Warns of a change."""
        topic, other = VELOCITY_COMMANDS.name, TWIST if self._is_stamped else STAMPED_TWIST
        name = self._node.resolve_topic_name(topic)
        senders = sorted(
            {
                f"{info.node_namespace.rstrip('/')}/{info.node_name}"
                for info in self._node.get_publishers_info_by_topic(name)
                if info.topic_type == other
            }
        )
        text = (
            f"{topic}: {', '.join(senders)} send {other}, which is not received; "
            f"set stamped_cmd_vel to {str(not self._is_stamped).lower()}"
            if senders and topic in self._subscriptions
            else ""
        )
        if text and text != self._mistaken:
            self._node.get_logger().warning(text)
        self._mistaken = text
        return text

    def _receive(self, topic: str, take: Callable[[Any], None], message: Any) -> None:
        try:
            take(message)
        except CharmieError as error:
            self.refused[topic] += 1
            self.last_refusal = f"{topic}: {error}"
            self._log.warn(topic, f"{topic}: message refused: {error}")

    def _take_efforts(self, message: Float64MultiArray) -> None:
        self._session.take_efforts(message.data)

    def _take_targets(self, message: JointState) -> None:
        self._session.take_targets(message.name, message.position, message.velocity, message.effort)

    def _take_velocity(self, message: Twist | TwistStamped) -> None:
        twist = message.twist if isinstance(message, TwistStamped) else message
        vectors = twist.linear, twist.angular
        self._session.take_velocity([x for v in vectors for x in (v.x, v.y, v.z)])

    def _take_trajectory(self, message: JointTrajectory) -> None:
        start = stamp_from_time(message.header.stamp)
        self._session.take_trajectory(trajectory_from_message(message), start or None)

    def _take_wrench(self, message: WrenchStamped) -> None:
        self._session.take_wrench(message)
