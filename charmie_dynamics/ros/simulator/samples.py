# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the simulator publishes: messages made once, filled and sent from where they lie."""

from __future__ import annotations

from rclpy.node import Node

from charmie_dynamics.model.model import Model
from charmie_dynamics.ros.outputs.profiles import make_publisher
from charmie_dynamics.ros.outputs.sender import Sender
from charmie_dynamics.simulation.session.messages import SampleMessages
from charmie_dynamics.simulation.session.session import Told
from charmie_dynamics.simulation.session.topics import PUBLISHED

from .parameters import SimulatorSettings


class Samples:
    """Publishers of all that is told of a robot.

    Parameters
    ----------
    node : Node
    model : Model
    settings : SimulatorSettings
    """

    def __init__(self, node: Node, model: Model, settings: SimulatorSettings) -> None:
        self._senders = {topic.name: Sender(make_publisher(node, topic)) for topic in PUBLISHED}
        self._messages = SampleMessages(
            model, settings.world_frame, settings.frame_prefix, settings.session
        )

    def publish(self, told: Told) -> None:
        """Publish what is told."""
        for topic, template in self._messages.filled(told):
            self._senders[topic.name].send(template)

    def close(self) -> None:
        """Let the publishers go; to be called before the node is destroyed."""
        for sender in self._senders.values():
            sender.close()
