# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Publications of the simulator: messages created once, filled and sent in place."""

from __future__ import annotations

from collections.abc import Container

from rclpy.node import Node

from charmie_dynamics.ros.outputs.profiles import make_publisher
from charmie_dynamics.ros.outputs.sender import Sender
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
        self._settings, self._session = settings, session
        system = session.system
        topics = [CLOCK_TOPIC]
        topics += [] if system.robot is None else OF_THE_ROBOT
        mounted = [OF_MOUNTED_SENSORS[name] for name in session.sensors]
        topics += [t for t in mounted if node.resolve_topic_name(t.name) not in replaced]
        if system.world is not None:
            topics += OF_A_WORLD
        elif session.settings.odom_tf != "off":
            topics.append(ODOMETRY_TF)
        self._senders = {topic.name: Sender(make_publisher(node, topic)) for topic in topics}
        self._markers: WorldMarkers | None = None
        if system.world is not None:
            frames = settings.world_frame, settings.frame_prefix
            self._markers = WorldMarkers(*frames)
        self._shown: SimulatedSystem | None = None
        self.follow()

    def follow(self) -> None:
        """Publish the constant messages of the system if it has changed."""
        system = self._session.system
        if system is self._shown:
            return
        self._shown = system
        frames = self._settings.world_frame, self._settings.frame_prefix
        self._messages = SampleMessages(system, *frames, self._session.settings)
        if self._messages.world is not None and self._markers is not None:
            for topic, template in self._messages.world.static():
                self._senders[topic.name].send(template)
            for topic, template in self._markers.show(system):
                self._senders[topic.name].send(template)

    def publish(self, sample: SimulatedSample) -> None:
        """Publish one sample of the simulated sensors."""
        self.follow()
        for topic, template in self._messages.filled(sample):
            if topic.name in self._senders:
                self._senders[topic.name].send(template)
        if self._markers is not None and sample.contacts is not None:
            for topic, template in self._markers.contacts(sample.now, sample.contacts):
                self._senders[topic.name].send(template)

    def close(self) -> None:
        """Destroy the publishers; call before the node is destroyed."""
        for sender in self._senders.values():
            sender.close()
