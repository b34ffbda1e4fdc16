# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The order of the messages of a cycle."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from ordinary_messages import after_step
from rclpy.context import Context
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile

from charmie_dynamics import Model
from charmie_dynamics.live import topics
from charmie_dynamics.live.pipeline import Cycle
from charmie_dynamics.ros.outputs import publishers as module
from charmie_dynamics.ros.outputs.profiles import message_class
from charmie_dynamics.ros.outputs.publishers import Outputs
from charmie_dynamics.ros.outputs.sender import Sender
from charmie_dynamics.ros.process.parameters import Settings

PATIENCE = 60.0  # s: a machine may be busy
EFFORTS, TF, MARKERS = (
    f"/{topic.name.lstrip('/')}" for topic in (topics.ACTUATOR_EFFORTS, topics.TF, topics.MARKERS)
)


@pytest.fixture
def node() -> Iterator[Node]:
    context = Context()
    rclpy.init(args=[], context=context)
    node = Node("efforts_first", context=context)
    yield node
    node.destroy_node()
    context.try_shutdown()


def test_efforts_are_sent_first_and_tf_before_the_markers(
    node: Node, monkeypatch: Any, model: Model
) -> None:
    sent: list[str] = []

    class NotedSender(Sender):
        def __init__(self, publisher: Publisher) -> None:
            super().__init__(publisher)
            self._name = publisher.topic_name

        def send(self, message: Any) -> None:
            sent.append(self._name)
            super().send(message)

    monkeypatch.setattr(module, "Sender", NotedSender)
    node.create_subscription(
        message_class(topics.MARKERS), MARKERS, lambda _: None, QoSProfile(depth=1)
    )
    outputs = Outputs(node)
    outputs.configure(model, Settings(marker_rate=0.0))
    deadline = time.monotonic() + PATIENCE
    while not node.count_subscribers(MARKERS):
        assert time.monotonic() < deadline, "the subscription was not found"
        time.sleep(0.01)
    state = model.compute(model.zero_position(), *np.zeros((2, len(model.actuator_names))))
    state = after_step(model, Settings(), state)
    stamp = 0
    while MARKERS not in sent:
        assert time.monotonic() < deadline, "no markers were sent"
        sent.clear()
        stamp += 10**9
        outputs.filler.fill(stamp, state.block)
        outputs.publish_cycle(Cycle(stamp, state))
    outputs.close()
    assert sent[0] == EFFORTS
    assert sent.index(TF) < sent.index(MARKERS)
