# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The queue of the inputs: a cycle for each sample while there is time, else one for the newest."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from charmie_dynamics.live import topics
from charmie_dynamics.live.backlog import Slack, merged
from charmie_dynamics.live.ordering import WAIT
from charmie_dynamics.live.pipeline import Arrived, Pipeline
from charmie_dynamics.live.wire.joint_states import Message
from charmie_dynamics.live.wire.samples import RefusedSampleError
from charmie_dynamics.ros.process.executors import call_after_queue
from charmie_dynamics.ros.process.faults import Faults
from charmie_dynamics.ros.process.log import Log

from .input_topic import Input


class InputQueue:
    """Subscribes to the inputs, and hands their samples on in the order of their stamps.

    Parameters
    ----------
    node : Node
    pipeline : callable
        Returns the pipeline in use.
    compute : callable
        Takes a sample in, computes and publishes the cycle that is due then, at a steady time (s).
    faults : Faults
    log : Log
    events : callable
        Returns the event callbacks of the subscription to a topic.

    Attributes
    ----------
    inputs : dict of str to Input
        By the names of the topics.
    slack : Slack
        Time to spare for a backlog; `compute` records the durations of cycles.
    """

    def __init__(
        self,
        node: Node,
        pipeline: Callable[[], Pipeline],
        compute: Callable[[Arrived, float], None],
        faults: Faults,
        log: Log,
        events: Callable[[topics.Topic], Any],
    ) -> None:
        self._node = node
        self._pipeline = pipeline
        self._compute = compute
        self._faults = faults
        self._log = log
        self.slack = Slack()
        self._backlog: list[Arrived] = []  # while there is no time for all of its cycles
        self._idle_since = time.monotonic()
        self._was_behind = -math.inf
        # polls twice within the longest wait, and only while joints wait
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._overdue = node.create_timer(0.5 * WAIT, self._on_overdue, clock=steady)
        self._overdue.cancel()
        self._is_watching = False
        self.inputs = {
            topic.name: Input(node, topic, partial(self._on_message, topic.name), events(topic))
            for topic in topics.INPUTS
        }

    def note_busy(self) -> None:
        """Record that other work has kept the node busy until now, without time to spare."""
        self._idle_since = time.monotonic()

    def _wake(self) -> float:
        """Return the time (s), and note that the node has been idle until then."""
        now = time.monotonic()
        self.slack.note_idle(now - self._idle_since)
        return now

    def _on_message(self, topic: str, data: bytes) -> None:
        now = self._wake()
        message = self._read(self.inputs[topic], data, now)
        if message is not None:
            if self.is_behind:
                self._backlog += self._ordered(topic, message, now)
            elif topic != self._pipeline().trigger:
                # its trigger arrives separately, or waits for it already
                self._run(self._ordered(topic, message, now), now)
            else:
                self._take_with_others(topic, message, now)
        self.note_busy()

    @property
    def is_behind(self) -> bool:
        """Whether samples wait that have been taken from the subscriptions."""
        return bool(self._backlog)

    @property
    def was_behind(self) -> float:
        """When there was no time for the cycles of all samples, the last time (steady clock, s)."""
        return self._was_behind

    def take_waiting(self) -> None:
        """Process the waiting messages of the subscriptions, and joints that waited too long."""
        now = self._wake()
        if not self.is_behind:
            self._take_all({}, now)
        self.note_busy()

    def _on_overdue(self) -> None:
        """Check whether joints still wait for lengths, which may have arrived meanwhile."""
        self.take_waiting()
        if not self._pipeline().order.is_holding:
            self._overdue.cancel()
            self._is_watching = False

    def _take_with_others(self, topic: str, message: Message, now: float) -> None:
        """Process a message that triggers a cycle, alone if the cycle then misses no message.

        Polling a subscription costs about as much as reading a message. The other topic is polled
        only if lengths are missing that may have arrived meanwhile.
        """
        messages = [message, *self._waiting(topic, now)]
        if len(messages) == 1 and not self._pipeline().order.awaits_lengths(message.stamp):
            self._run(self._ordered(topic, message, now), now)
        else:
            self._take_all({topic: messages}, now)

    def _take_all(self, taken: dict[str, list[Message]], now: float) -> None:
        """Process the given and the waiting messages of all topics, in the order of their stamps.

        Messages that trigger cycles are taken from the middleware first. Earlier messages of the
        other topic have then arrived, so that no cycle misses them.
        """
        trigger = self._pipeline().trigger
        found: dict[str, list[tuple[str, Message]]] = {}
        for topic in sorted(self.inputs, key=lambda topic: topic != trigger):
            messages = taken.get(topic) or self._waiting(topic, now)
            found[topic] = [(topic, message) for message in messages]
        due = found.pop(trigger)
        (others,) = found.values()
        ready = [
            a for name, message in merged(others, due) for a in self._ordered(name, message, now)
        ]
        order = self._pipeline().order
        if order.is_holding:
            ready += order.overdue(now)
        self._run(ready, now)

    def _waiting(self, topic: str, now: float) -> list[Message]:
        """Take the messages that wait on a topic and can be used."""
        received = self.inputs[topic]
        read = (self._read(received, data, now) for data in received.subscription.waiting())
        return [message for message in read if message is not None]

    def _run(self, ready: list[Arrived], now: float) -> None:
        """Process samples; each gets its cycle if there is time for it, else the newest."""
        triggers = self._pipeline().triggers
        stamps = [a.sample.stamp for a in ready if triggers(a.topic, a.sample)]
        cycles = len(stamps)
        if cycles > 1 and not self.slack.covers(cycles - 1, 1e-9 * (max(stamps) - min(stamps))):
            self._backlog = ready
            self._was_behind = now
            call_after_queue(self._node.executor, self._work_off)
        else:
            for arrived in ready:
                self._faults.guarded(self._compute, arrived, now)

    def _ordered(self, topic: str, message: Message, now: float) -> list[Arrived]:
        """Return the messages to process after the arrival of a message."""
        order = self._pipeline().order
        ready = order.add(topic, message, now, Arrived(topic, message, now))
        if order.is_holding and not self._is_watching:
            self._is_watching = True
            self._overdue.reset()
        return ready

    def _read(self, received: Input, data: bytes, arrival: float) -> Message | None:
        try:
            return received.read(data, arrival, self._now)
        except RefusedSampleError as error:
            topic = received.name
            self._log.warn(f"{topic} {error.cause}", f"{topic}: message refused: {error}")
        except Exception as error:
            self._faults.note(error)
        return None

    def _work_off(self) -> None:
        """Process the backlog; of all its cycles compute the newest, in its turn.

        Lengths that are newer than its joints follow it.
        """
        backlog, self._backlog = self._backlog, []
        now = time.monotonic()
        triggers = self._pipeline().triggers
        # none if another model, with other triggers, is in use since
        due = (k for k, a in enumerate(backlog) if triggers(a.topic, a.sample))
        last = max(due, default=0)
        for arrived in backlog[:last]:
            self._faults.guarded(self._pass_over, arrived)
        for arrived in backlog[last:]:
            self._faults.guarded(self._compute, arrived, now)
        self.note_busy()

    def _pass_over(self, arrived: Arrived) -> None:
        """Process a sample without its cycle."""
        pipeline = self._pipeline()
        pipeline.take(*arrived, run=False)
        pipeline.statistics.passed_over += pipeline.triggers(arrived.topic, arrived.sample)

    def _now(self) -> int:
        """Return the time (ns) on the node's clock."""
        return self._node.get_clock().now().nanoseconds
