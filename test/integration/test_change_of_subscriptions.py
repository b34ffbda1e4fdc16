# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a change of subscriptions does with messages that only one of the two has yet.

The middleware's threads decide which of two subscriptions gets a message first, and nobody can tell
them to: here the two are lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from charmie_dynamics.live.topics import Qos, Topic
from charmie_dynamics.ros.inputs.raw_subscription import ON_THE_WAY, RawSubscription


class Subscription:
    """A queue, which is its own handle."""

    def __init__(self, callback: Callable[[bytes], None]) -> None:
        self.callback = callback
        self.queue: list[bytes] = []
        self.handle = self

    def take_message(self, message_type: Any, raw: bool) -> tuple[bytes, dict[str, int]] | None:
        return (self.queue.pop(0), {}) if self.queue else None

    def handle_one(self) -> None:
        """Do what an executor does with the oldest message."""
        self.callback(self.queue.pop(0))


class Lists:
    """In the place of a node: makes subscriptions that are lists."""

    def __init__(self) -> None:
        self.made: list[Subscription] = []
        self.destroyed: list[Subscription] = []

    def create_subscription(
        self, message_type: Any, name: str, callback: Callable[[bytes], None], *_: Any, **__: Any
    ) -> Subscription:
        self.made.append(Subscription(callback))
        return self.made[-1]

    def destroy_subscription(self, subscription: Subscription) -> None:
        self.destroyed.append(subscription)


class Pair:
    """A subscription that has been made anew, before the change."""

    def __init__(self) -> None:
        self.given: list[bytes] = []
        self.node = Lists()
        topic = Topic("joint_states", "sensor_msgs/msg/JointState", Qos(depth=1))
        self.subscription = RawSubscription(
            self.node,  # type: ignore[arg-type]
            topic,
            self.given.append,
        )
        self.subscription.begin_replacement()
        self.first, self.second = self.node.made

    def switch(self) -> None:
        self.subscription.switch()
        self.take()
        assert self.node.destroyed == [self.first]

    def take(self) -> None:
        self.given += self.subscription.waiting()


@pytest.fixture
def pair() -> Pair:
    return Pair()


def messages(count: int) -> list[bytes]:
    return [b"message %d" % k for k in range(count)]


def test_what_waits_in_both_is_given_once(pair: Pair) -> None:
    pair.first.queue += messages(3)
    pair.second.queue += messages(3)
    pair.switch()
    assert pair.given == messages(3)


def test_what_only_the_first_has_yet_is_given_once(pair: Pair) -> None:
    pair.first.queue += messages(3)
    pair.second.queue += messages(2)
    pair.switch()
    pair.second.queue += messages(4)[2:]
    pair.second.handle_one()
    pair.take()
    assert pair.given == messages(4)


def test_what_only_the_second_has_yet_is_given_once(pair: Pair) -> None:
    pair.first.queue += messages(2)
    pair.second.queue += messages(3)
    pair.switch()
    assert pair.given == messages(3)


def test_what_only_the_second_has_been_told_of_is_given_once(pair: Pair) -> None:
    pair.first.queue += messages(1)
    pair.second.queue += messages(2)
    pair.first.handle_one()
    pair.second.handle_one()
    pair.second.handle_one()
    pair.switch()
    assert pair.given == messages(2)


@pytest.mark.parametrize("taken", [False, True], ids=["by callback", "taken"])
def test_what_the_first_has_given_is_not_given_again(pair: Pair, taken: bool) -> None:
    pair.first.queue += messages(2)
    pair.first.handle_one()
    pair.take()
    pair.switch()
    pair.second.queue += messages(3)
    if taken:
        pair.take()
    else:
        for _ in messages(3):
            pair.second.handle_one()
    assert pair.given == messages(3)


def test_a_former_subscription_is_not_listened_to(pair: Pair) -> None:
    pair.switch()
    pair.first.callback(b"late")
    assert pair.given == []


def test_equal_messages_are_only_compared_for_a_moment(pair: Pair) -> None:
    """As those of a publisher without a clock whose robot stands still."""
    pair.first.callback(b"same")
    pair.switch()
    for _ in range(ON_THE_WAY + 2):
        pair.second.callback(b"same")
    assert pair.given == [b"same"] * 3


def test_the_change_waits_until_the_second_hears_what_the_first_does(pair: Pair) -> None:
    assert pair.subscription.may_switch()  # nobody sends
    pair.first.callback(b"message")
    assert not pair.subscription.may_switch()
    pair.second.callback(b"message")
    assert pair.subscription.may_switch()
