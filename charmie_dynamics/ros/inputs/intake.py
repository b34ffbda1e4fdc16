"""From messages to cycles: one for each sample while there is time, else one for the newest."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from charmie_dynamics.live.backlog import DELIVERY, Slack, Stamped, merged
from charmie_dynamics.live.ordering import WAIT
from charmie_dynamics.live.pipeline import Arrived, Pipeline
from charmie_dynamics.live.wire.joint_state_reader import Layout
from charmie_dynamics.live.wire.samples import JOINT_STATES, JointSample, RefusedSampleError
from charmie_dynamics.ros.outputs import topics
from charmie_dynamics.ros.process.executors import call_after_queue
from charmie_dynamics.ros.process.faults import Faults
from charmie_dynamics.ros.process.log import Log

from .input_topic import Input

# s from a look that found nothing else waiting, on either topic, to the next. In between a message
# that comes to an idle node is taken to be the only one: to look costs a node that has slept 25 us
# (Xeon). Where to deliver a message takes so long that a busy node seems idle, a backlog is found
# all the same, a little later.
LOOK_AGAIN = 0.05
# s after which nobody sends on a topic any more; until then it is looked at with each message of
# the other, so that no cycle does without what was published before
QUIET = 1.0


class Intake:
    """Subscribes to the inputs, takes their samples in and has their cycles computed.

    Parameters
    ----------
    node : Node
    pipeline : callable
        Returns the pipeline in use.
    compute : callable
        Takes a sample in, computes and publishes the cycle that is due then, at a steady time (s).
    compute_at_once : callable
        Does the same with a message of a given layout, if it is a usual one; returns whether.
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
        compute: Callable[[Arrived, float], None],
        compute_at_once: Callable[[bytes, Layout, float], bool],
        faults: Faults,
        log: Log,
        events: Callable[[topics.Topic], Any],
    ) -> None:
        self._node = node
        self._pipeline = pipeline
        self._compute = compute
        self._compute_at_once = compute_at_once
        self._faults = faults
        self._log = log
        self.slack = Slack()
        self._backlog: list[Arrived] = []  # while there is no time for all of its cycles
        self._idle_since = time.monotonic()
        self._was_behind = -math.inf
        # the one topic on which messages come, and until when no others are looked for when one
        # comes to an idle node
        self._alone = ""
        self._look_due = -math.inf
        # looks twice within the longest wait, and only while anything waits
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._overdue = node.create_timer(0.5 * WAIT, self._on_overdue, clock=steady)
        self._overdue.cancel()
        self._is_watching = False
        # lengths first: when both wait, they are taken before the joints that need them
        self.inputs = {
            topic.name: Input(node, topic, partial(self._on_message, topic.name), events(topic))
            for topic in topics.INPUTS
        }

    def note_busy(self) -> None:
        """Note that something else has kept the node busy until now: no time to spare."""
        self._idle_since = time.monotonic()

    def _wake(self) -> float:
        """Return the time (s), and note that the node has been idle until then."""
        now = time.monotonic()
        self.slack.note_idle(now - self._idle_since)
        return now

    def _on_message(self, topic: str, data: bytes) -> None:
        now = time.monotonic()
        idle = now - self._idle_since
        is_alone = idle > DELIVERY and topic == self._alone
        is_done = is_alone and self._passes_at_once(topic, data, now)
        self.slack.note_idle(idle)
        if is_done:
            if now >= self._look_due:
                self._take_all(now, topic, is_done=True)
            self.note_busy()
            return
        first = self._read(self.inputs[topic], data, now)
        if is_alone and now < self._look_due and first is not None:
            for arrived in self._ordered(topic, first, now):
                self._faults.guarded(self._compute, arrived, now)
        elif not self._backlog:
            self._take_all(now, topic, first)
        elif first is not None:
            self._backlog += self._ordered(topic, first, now)
        self.note_busy()

    def _passes_at_once(self, topic: str, data: bytes, now: float) -> bool:
        """Have the cycle of a message computed by a short cut; tell whether that could be done."""
        received = self.inputs[topic]
        layout = received.layout
        if topic != JOINT_STATES or layout is None:
            return False
        # False: nothing has come of it. None: it has raised an error, which was reported
        if self._faults.guarded(self._compute_at_once, data, layout, now) is False:
            return False
        received.note(now)
        return True

    @property
    def is_behind(self) -> bool:
        """Whether samples wait for their turn that are no longer in the subscriptions."""
        return bool(self._backlog)

    @property
    def was_behind(self) -> float:
        """When there was no time for the cycles of all samples, the last time (steady clock, s)."""
        return self._was_behind

    def take_waiting(self) -> None:
        """Take in what waits in the subscriptions, and joints that have waited for too long."""
        now = self._wake()
        if not self.is_behind:
            self._take_all(now)
        self.note_busy()

    def _on_overdue(self) -> None:
        """Look whether joints still wait for lengths, which may have come meanwhile."""
        self.take_waiting()
        if not self._pipeline().order.is_holding:
            self._overdue.cancel()
            self._is_watching = False

    def _take_all(
        self,
        now: float,
        topic: str = "",
        first: JointSample | None = None,
        *,
        is_done: bool = False,
    ) -> None:
        """Take in a sample and everything that waits on both topics, in the order of the stamps.

        `is_done`: one of the topic has had its cycle just before.

        Those that set off cycles are taken from the middleware first: what was published before
        them on the other topic has come by then, and no cycle does without it. All pass the
        estimators. Each gets its cycle if there is time for it, else the newest.
        """
        trigger, order = self._pipeline().trigger, self._pipeline().order
        due: list[Stamped] = []
        others: list[Stamped] = []
        for name in sorted(self.inputs, key=lambda name: name != trigger):
            found = due if name == trigger else others
            received = self.inputs[name]
            if name == topic and first is not None:
                found.append((name, first))
            for data in received.subscription.waiting():
                sample = self._read(received, data, now)
                if sample is not None:
                    found.append((name, sample))
        ready = [
            a for name, sample in merged(others, due) for a in self._ordered(name, sample, now)
        ]
        if order.is_holding:
            ready += order.overdue(now)
        is_alone = len(due) + len(others) + is_done == 1 and not order.is_holding
        self._alone = topic if is_alone and self._are_others_quiet(topic, now) else ""
        self._look_due = now + LOOK_AGAIN
        cycles = sum(arrived.topic == trigger for arrived in ready)
        if cycles > 1 and not self.slack.covers(cycles - 1):
            self._backlog = ready
            self._was_behind = now
            call_after_queue(self._node.executor, self._work_off)
        else:
            for arrived in ready:
                self._faults.guarded(self._compute, arrived, now)

    def _are_others_quiet(self, topic: str, now: float) -> bool:
        others = (received.monitor for name, received in self.inputs.items() if name != topic)
        return all(m.last_arrival is None or now - m.last_arrival > QUIET for m in others)

    def _ordered(self, topic: str, sample: JointSample, now: float) -> list[Arrived]:
        """Return what is to be taken in now that a sample has come."""
        order = self._pipeline().order
        ready = order.add(topic, sample, now, Arrived(topic, sample, now))
        if order.is_holding and not self._is_watching:
            self._is_watching = True
            self._overdue.reset()
        return ready

    def _read(self, received: Input, data: bytes, arrival: float) -> JointSample | None:
        try:
            return received.read(data, arrival, self._now)
        except RefusedSampleError as error:
            topic = received.name
            self._log.warn(f"{topic} {error.cause}", f"{topic}: message refused: {error}")
        except Exception as error:
            self._faults.note(error)
        return None

    def _work_off(self) -> None:
        """Take in what came while being behind; of all cycles compute the newest, in its turn.

        Lengths that are newer than its joints come after it.
        """
        backlog, self._backlog = self._backlog, []
        now = time.monotonic()
        trigger = self._pipeline().trigger
        # none if another model, with another trigger, is in use since
        last = max((k for k, a in enumerate(backlog) if a.topic == trigger), default=0)
        for arrived in backlog[:last]:
            self._faults.guarded(self._pass_over, arrived)
        for arrived in backlog[last:]:
            self._faults.guarded(self._compute, arrived, now)
        self.note_busy()

    def _pass_over(self, arrived: Arrived) -> None:
        """Take in a sample without its cycle."""
        pipeline = self._pipeline()
        pipeline.take_in(*arrived)
        pipeline.statistics.passed_over += arrived.topic == pipeline.trigger

    def _now(self) -> int:
        """Return the time (ns) on the node's clock."""
        return self._node.get_clock().now().nanoseconds
