"""From messages to cycles: one for each sample while there is time, else one for the newest."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.node import Node

from ..signals.backlog import Slack, Stamped, merged
from ..signals.pipeline import Pipeline
from ..signals.samples import JointSample, RefusedSampleError
from . import topics
from .executors import call_after_queue
from .faults import Faults
from .inputs import Input
from .log import Log


class Intake:
    """Subscribes to the inputs, takes their samples in and has their cycles computed.

    Parameters
    ----------
    node : Node
    pipeline : callable
        Returns the pipeline in use.
    compute : callable
        Computes and publishes the cycle that is due at a steady time (s).
    faults : Faults
    log : Log
    events : callable
        Returns the event callbacks of the subscription to a topic.

    Attributes
    ----------
    inputs : dict of str to Input
        By the names of the topics.
    slack : Slack
        Time to spare for a backlog; `compute` notes what cycles take.
    """

    def __init__(
        self,
        node: Node,
        pipeline: Callable[[], Pipeline],
        compute: Callable[[float], None],
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
        self._is_behind = False
        self._idle_since = time.monotonic()
        # lengths first: when both wait, they are taken before the joints that need them
        self.inputs = {
            topic.name: Input(node, topic, partial(self._on_message, topic.name), events(topic))
            for topic in topics.INPUTS
        }

    def note_busy(self) -> None:
        """Note that something else has kept the node busy until now: no time to spare."""
        self._idle_since = time.monotonic()

    def _on_message(self, topic: str, data: bytes) -> None:
        arrival = time.monotonic()
        self.slack.note_idle(arrival - self._idle_since)
        first = self._read(self.inputs[topic], data, arrival)
        if not self._is_behind:
            self._take_all(topic, first, arrival)
        elif first is not None:
            self._faults.guarded(self._take_in, topic, first, arrival)
        self.note_busy()

    def _take_all(self, topic: str, first: JointSample | None, arrival: float) -> None:
        """Take in a sample and everything that waits on both topics, in the order of the stamps.

        Those that set off cycles are taken from the middleware first: what was published before
        them on the other topic has come by then, and no cycle does without it. All pass the
        estimators. Each gets its cycle if there is time for it, else the newest.
        """
        trigger = self._pipeline().trigger
        due: list[Stamped] = []
        others: list[Stamped] = []
        for name in sorted(self.inputs, key=lambda name: name != trigger):
            found = due if name == trigger else others
            received = self.inputs[name]
            if name == topic and first is not None:
                found.append((name, first))
            for data in received.waiting():
                sample = self._read(received, data, arrival)
                if sample is not None:
                    found.append((name, sample))
        self._is_behind = len(due) > 1 and not self.slack.covers(len(due) - 1)
        for name, sample in merged(others, due):
            self._faults.guarded(self._take_in, name, sample, arrival)
        if self._is_behind:
            call_after_queue(self._node.executor, self._compute_newest)

    def _read(self, received: Input, data: bytes, arrival: float) -> JointSample | None:
        try:
            return received.read(data, arrival, self._now)
        except RefusedSampleError as error:
            topic = received.name
            self._log.warn(f"{topic} {error.cause}", f"{topic}: message refused: {error}")
        except Exception as error:
            self._faults.note(error)
        return None

    def _take_in(self, topic: str, sample: JointSample, arrival: float) -> None:
        pipeline = self._pipeline()
        if self._is_behind and pipeline.is_due and topic == pipeline.trigger:
            pipeline.statistics.passed_over += 1
        pipeline.take_in(topic, sample, arrival)
        if not self._is_behind:
            self._compute(arrival)

    def _compute_newest(self) -> None:
        """Compute the one cycle of all samples that have been taken in while being behind."""
        self._is_behind = False
        self._faults.guarded(self._compute, time.monotonic())
        self.note_busy()

    def _now(self) -> int:
        """Return the time (ns) on the node's clock."""
        return self._node.get_clock().now().nanoseconds
