# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Templates are published from where they lie, and as bytes where that cannot be."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.serialization import deserialize_message

from charmie_dynamics.live.wire.messages import wrench
from charmie_dynamics.live.wire.templates import Template, join
from charmie_dynamics.ros.outputs import sender as module
from charmie_dynamics.ros.outputs.sender import Sender

PATIENCE = 60.0  # s: a machine may be busy
RCLError = rclpy_implementation.RCLError


class Line:
    """A publisher with a sender, and a subscription that nobody spins."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(args=[], context=self.context)
        self.node = Node("sender", context=self.context)
        self.publisher = self.node.create_publisher(WrenchStamped, "wrench", 10)
        self._subscription = self.node.create_subscription(
            WrenchStamped, "wrench", lambda _: None, 10, raw=True
        )
        self.sender = Sender(self.publisher)
        deadline = time.monotonic() + PATIENCE
        while not self.publisher.get_subscription_count():
            assert time.monotonic() < deadline, "the subscription was not found"
            time.sleep(0.01)

    def receive(self) -> bytes:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            taken = self._subscription.handle.take_message(WrenchStamped, True)
            if taken is not None:
                return bytes(taken[0])
            time.sleep(0.001)
        raise AssertionError("nothing was received")

    def close(self) -> None:
        self.sender.close()
        self.node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def line() -> Iterator[Line]:
    found = Line()
    yield found
    found.close()


@pytest.fixture
def template() -> Template:
    found = wrench("base")
    join([wrench("base"), found])  # as those of a cycle, which lie in one block
    return found


def write(template: Template, force: float) -> None:
    template.float64[template.places("force")[0, 0]] = force


def force_of(data: bytes) -> float:
    message: Any = deserialize_message(data, WrenchStamped)
    return float(message.wrench.force.x)


def test_the_c_function_is_there() -> None:
    # without it all else here would pass the slow way
    assert module._publish is not None


def test_a_template_comes_byte_for_byte(line: Line, template: Template) -> None:
    write(template, 1.5)
    line.sender.send(template)
    assert line.receive()[: len(bytes(template))] == bytes(template)


def test_bytes_come_unchanged(line: Line, template: Template) -> None:
    for force in (1.5, 2.5):
        write(template, force)
        line.sender.send(bytes(template))
        assert line.receive()[: len(bytes(template))] == bytes(template)


def test_what_was_sent_does_not_follow_the_template(line: Line, template: Template) -> None:
    for force in (1.0, 2.0, 3.0):
        write(template, force)
        line.sender.send(template)
    write(template, 4.0)
    assert [force_of(line.receive()) for _ in range(3)] == [1.0, 2.0, 3.0]


def test_an_ordinary_message_is_sent_too(line: Line) -> None:
    message = WrenchStamped()
    message.wrench.force.x = 2.5
    line.sender.send(message)
    assert force_of(line.receive()) == 2.5


def test_without_the_c_function_bytes_are_sent(
    template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_publish", None)
    line = Line()
    write(template, 3.5)
    line.sender.send(template)
    assert force_of(line.receive()) == 3.5
    line.close()


def test_a_publisher_that_is_destroyed_stays_until_it_is_let_go(
    line: Line, template: Template
) -> None:
    write(template, 4.5)
    line.publisher.handle.destroy_when_not_in_use()
    line.sender.send(template)
    assert force_of(line.receive()) == 4.5
    line.sender.close()
    with pytest.raises(InvalidHandle):
        line.sender.send(template)


def test_after_it_is_let_go_a_publisher_sends_bytes(line: Line, template: Template) -> None:
    line.sender.close()
    write(template, 5.5)
    line.sender.send(template)
    assert force_of(line.receive()) == 5.5


def test_what_the_middleware_refuses_is_told_once(
    line: Line, template: Template, capfd: pytest.CaptureFixture[str]
) -> None:
    line.context.shutdown()
    with pytest.raises(RCLError, match="context is invalid"):
        line.sender.send(template)
    assert "overwritten" not in capfd.readouterr().err
