# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Who waits for the efforts may have them before the rest of a cycle is made."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from ordinary_messages import block_of_step
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import QoSProfile

from charmie_dynamics import Model
from charmie_dynamics.live import topics
from charmie_dynamics.live.outputs import CYCLE_OUTPUTS
from charmie_dynamics.live.pipeline import Cycle
from charmie_dynamics.ros.outputs import publishers as module
from charmie_dynamics.ros.outputs.profiles import message_class
from charmie_dynamics.ros.outputs.publishers import Outputs
from charmie_dynamics.ros.process.parameters import Settings

PATIENCE = 60.0  # s: a machine may be busy
SILENCE = 0.2  # s after which nothing is on its way any more
EACH_CYCLE = [output.topic for output in CYCLE_OUTPUTS if not output.rate]
TOPICS = (*EACH_CYCLE, topics.MARKERS)


class Listener:
    """Subscriptions that nobody spins, and what they hear whenever the way is given."""

    def __init__(self, node: Node) -> None:
        self._subscriptions = {
            topic.name: node.create_subscription(
                message_class(topic), topic.name, lambda _: None, QoSProfile(depth=10), raw=True
            )
            for topic in TOPICS
        }
        self.heard: list[set[str]] = []

    def listen(self) -> None:
        found: set[str] = set()
        deadline = time.monotonic() + SILENCE
        while time.monotonic() < deadline:
            for name, subscription in self._subscriptions.items():
                while subscription.handle.take_message(subscription.msg_type, True) is not None:
                    found.add(name)
        self.heard.append(found)


@pytest.fixture
def node() -> Iterator[Node]:
    context = Context()
    rclpy.init(args=[], context=context)
    node = Node("efforts_first", context=context)
    yield node
    node.destroy_node()
    context.try_shutdown()


@pytest.fixture
def heard(node: Node, monkeypatch: Any, model: Model) -> list[set[str]]:
    """What is heard of a cycle each time that the way is given, and after the end."""
    listener = Listener(node)
    monkeypatch.setattr(module, "ProcessorYield", lambda: listener.listen)
    outputs = Outputs(node)
    outputs.configure(model, Settings(marker_rate=0.0))
    deadline = time.monotonic() + PATIENCE
    while not all(node.count_subscribers(topic.name) for topic in TOPICS):
        assert time.monotonic() < deadline, "the subscriptions were not found"
        time.sleep(0.01)
    state = model.compute(model.zero_position(), *np.zeros((2, len(model.actuator_names))))
    stamp = 0
    while not listener.heard or not listener.heard[0]:
        assert time.monotonic() < deadline, "nothing was received"
        listener.heard.clear()
        stamp += 10**9
        outputs.filler.fill(stamp, block_of_step(model, Settings(), state))
        outputs.publish_cycle(Cycle(stamp, state))
    listener.listen()
    outputs.close()
    return listener.heard


def test_the_way_is_given_after_the_efforts_and_before_the_markers(heard: list[set[str]]) -> None:
    efforts = {topics.ACTUATOR_EFFORTS.name}
    rest = {topic.name for topic in EACH_CYCLE} - efforts
    assert heard == [efforts, rest, {topics.MARKERS.name}]
