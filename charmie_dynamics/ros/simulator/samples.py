# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Publications of the simulator: messages created once, filled and sent in place."""

from __future__ import annotations

from collections.abc import Container, Iterable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from charmie_dynamics.ros.outputs.profiles import make_publisher
from charmie_dynamics.ros.outputs.sender import Sender
from charmie_dynamics.simulation.session.message_buffers import MessageBuffers
from charmie_dynamics.simulation.session.messages import SampleMessages
from charmie_dynamics.simulation.session.sensors import SimulatedSample
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem
from charmie_dynamics.simulation.session.topics import (
    CLOCK_TOPIC,
    ODOMETRY_TF,
    OF_A_WORLD,
    OF_MOUNTED_SENSORS,
    OF_THE_ROBOT,
)

from .parameters import SimulatorSettings
from .world_markers import WorldMarkers

REPETITION = 0.5  # s of real time after a restart; RViz needs up to 0.1 s to notice it


class Samples:
    """Publishers of the samples of a robot or a world.

    Parameters
    ----------
    node : Node
    session : Session
    settings : SimulatorSettings
    replaced : container of str
        Resolved names of topics of the robot that replace those of mounted sensors.
    """

    def __init__(
        self, node: Node, session: Session, settings: SimulatorSettings, replaced: Container[str]
    ) -> None:
        self._node, self._settings, self._session = node, settings, session
        self._senders: dict[str, Sender] = {}
        self._markers = WorldMarkers(settings.world_frame, settings.frame_prefix)
        self._shown: SimulatedSystem | None = None
        self._last = session.now
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._repetition = node.create_timer(REPETITION, self._repeat, clock=steady)
        self._repetition.cancel()
        self.begin(replaced)

    def begin(self, replaced: Container[str]) -> None:
        """Offer the topics of the present system; `replaced` as for the constructor."""
        session, node = self._session, self._node
        system = session.system
        topics = [CLOCK_TOPIC]
        topics += [] if system.robot is None else OF_THE_ROBOT
        mounted = [OF_MOUNTED_SENSORS[name] for name in session.sensors]
        topics += [t for t in mounted if node.resolve_topic_name(t.name) not in replaced]
        if not system.is_alone:
            topics += OF_A_WORLD
        elif session.settings.odom_tf != "off":
            topics.append(ODOMETRY_TF)
        for name in set(self._senders) - {topic.name for topic in topics}:
            sender = self._senders.pop(name)
            sender.close()
            node.destroy_publisher(sender.publisher)
        for topic in topics:
            if topic.name not in self._senders:  # others keep their subscribers
                self._senders[topic.name] = Sender(make_publisher(node, topic))
        self._send(self._markers.clear())
        self.follow()

    def follow(self) -> None:
        """Publish the constant messages if the system has changed or its time has restarted."""
        session = self._session
        restarts, self._last = session.now < self._last, session.now
        if session.system is not self._shown:
            self._shown = session.system
            frames = self._settings.world_frame, self._settings.frame_prefix
            self._messages = SampleMessages(self._shown, *frames, session.settings)
        elif not restarts:
            return
        if restarts:
            # before the next step, which a stopped simulation does not make
            self._send([self._messages.clock(session.now)])
            self._repetition.reset()
        self._send_constants(session.system)

    def _repeat(self) -> None:
        """Send the constant messages again: RViz clears its displays after the time went back."""
        self._repetition.cancel()
        self._send_constants(self._session.system)

    def _send_constants(self, system: SimulatedSystem) -> None:
        if self._messages.world is not None:
            self._send(self._messages.world.static())
            self._send(self._markers.show(system))

    def _send(self, content: Iterable[MessageBuffers]) -> None:
        for topic, template in content:
            if topic.name in self._senders:
                self._senders[topic.name].send(template)

    def publish(self, sample: SimulatedSample) -> None:
        """Publish one sample of the simulated sensors."""
        self.follow()
        self._send(self._messages.filled(sample))
        if sample.contacts is not None:
            self._send(self._markers.contacts(sample.now, sample.contacts))

    def close(self) -> None:
        """Destroy the publishers; call before the node is destroyed."""
        for sender in self._senders.values():
            sender.close()
