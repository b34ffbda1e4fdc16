# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The judge of a bag: compare its outputs with its inputs, topic by topic."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.live.topics import Topic
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.numerics.vectors import Ints

from .arrivals import Arrivals, Flags, RecorderTimes, usual_period
from .counters import NodeCounters
from .report import TopicRow

JOINTS, LENGTHS = topics.INPUTS
# topics with additional messages at changes
CHANGING = {output.topic for output in outputs.CYCLE_OUTPUTS if output.on_change}
# fraction of the messages, and their least number, that may be missing without a reason
LOSS, FEW = 0.01, 2
# allowed relative deviation from the number of messages of a rate-limited topic, or from a rate
TOLERANCE = 0.05
# s without output, with inputs and an active recorder, after which a node counts as stopped
STOPPED = 1.5
# fraction of `input_timeout` up to which lengths are certainly known for a joint sample
LENGTHS_SHARE = 0.9
# samples further apart than this number of periods have lost one in between
APART = 1.5


@dataclass
class BagVerdict:
    """The verdict on a node from a bag.

    Attributes
    ----------
    rows : list of TopicRow
        Of the expected topics.
    remarks : list of str
        Observations, and parts that could not be judged; not faults.
    faults : list of str
        Failures of the node.
    """

    rows: list[TopicRow] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Judge:
    """Compares the outputs with the inputs, and adds the results to the verdict.

    Parameters
    ----------
    verdict : BagVerdict
    by_topic : dict of Topic to Arrivals
    each : list of Topic
        Recorded topics with a message for each cycle.
    counters : NodeCounters

    Attributes
    ----------
    verdict, by_topic, each, counters
        The arguments; the counters from the first cycle.
    recorder : RecorderTimes
    cycles : (n,) array of int
        Stamps of all cycles with a message (ns).
    lost : dict of str to int
        Messages that the recorder lost, by topic.
    """

    def __init__(
        self,
        verdict: BagVerdict,
        by_topic: dict[Topic, Arrivals],
        each: list[Topic],
        counters: NodeCounters,
    ) -> None:
        self.verdict = verdict
        self.by_topic = by_topic
        self.each = each
        self.counters = counters
        self._joints = by_topic[JOINTS]
        self._period = usual_period(self._joints.stamps, *(by_topic[t].stamps for t in each))
        all_times = np.concatenate([arrivals.times for arrivals in by_topic.values()])
        self.recorder = RecorderTimes(self._joints, all_times, self._period)
        self.lost: dict[str, int] = {}  # by the recorder, by topic
        self.cycles: Ints = np.empty(0, dtype=np.int64)
        self._unheard: Ints = np.empty(0, dtype=np.int64)  # cycles that the recorder may have lost

    def judge_outputs(self, limited: list[tuple[Topic, float]]) -> None:
        """Judge the outputs: their stamps, their number, and whether they continue to the end."""
        sound = [topic for topic in self.each if self._is_stamped_right(topic)]
        for topic, _ in limited:
            self._is_stamped_right(topic)
        if not sound:
            return
        self.cycles = np.unique(np.concatenate([self._with_input(topic) for topic in sound]))
        self.counters = self.counters.since(int(self.cycles[0]))
        self._judge_cycles(sound)
        for topic in sound:
            self._judge_each(topic)
        for topic, limit in limited:
            self._judge_limited(topic, limit)

    def _is_stamped_right(self, topic: Topic) -> bool:
        stamps = self.by_topic[topic].stamps
        strange = len(stamps) - len(self._with_input(topic))
        if strange <= _tolerated(len(stamps)):
            return True
        self.verdict.faults.append(
            f"{topic.name}: {strange} of {len(stamps)} stamps are those of no joint state; "
            "expected the stamp of the sample that each output was computed from"
        )
        return False

    def _with_input(self, topic: Topic) -> Ints:
        """Return the stamps of a topic that are, or may be, those of inputs.

        Inputs are best-effort. In a gap, the recorder has missed messages that the node received.
        """
        stamps, inputs = self.by_topic[topic].stamps, self._joints.stamps
        behind = np.searchsorted(inputs, stamps)
        inside = (behind > 0) & (behind < len(inputs))
        at = np.clip(behind, 1, max(1, len(inputs) - 1))
        gap = (inputs[at % len(inputs)] - inputs[at - 1]) * SECONDS
        strange = inside & (gap < APART * self._period) & ~np.isin(stamps, inputs)
        result: Ints = stamps[~strange]
        return result

    def _due(self) -> Ints:
        """Return the stamps of the joint samples with known lengths, which should start a cycle."""
        stamps = self._joints.stamps
        if LENGTHS not in self.by_topic:  # a robot without linear actuators
            return stamps[stamps >= self.cycles[0]]
        lengths = self.by_topic[LENGTHS].stamps
        if not len(lengths):
            return stamps[:0]
        newest = np.searchsorted(lengths, stamps, side="right") - 1
        age = (stamps - lengths[np.maximum(newest, 0)]) * SECONDS
        there = (newest >= 0) & (age <= LENGTHS_SHARE * DEFAULTS.input_timeout)
        result: Ints = stamps[there & (stamps >= self.cycles[0])]
        return result

    def _judge_cycles(self, sound: list[Topic]) -> None:
        """Judge whether each received sample has its cycle, using the node's counts."""
        due, cycles, counters = self._due(), self.cycles, self.counters
        newest = max(int(self.by_topic[topic].times.max()) for topic in sound)
        silent, waiting = self.recorder.active_since(newest), int((due > cycles[-1]).sum())
        if silent > STOPPED and waiting > FEW:
            self.verdict.faults.append(
                f"the node stopped: no output during the last {silent:.1f} s, during which "
                f"{waiting} joint states arrived"
            )
        if counters.refused:
            self.verdict.faults.append(
                f"the node refused {counters.refused} messages; see its log for the causes"
            )
        if len(counters.stamps) < 2:
            self.verdict.remarks.append(
                "the recording is too short to check for a cycle of each joint state: the node "
                "reports the number of received messages once a second"
            )
            return
        start, end = counters.stamps[0], min(counters.stamps[-1], cycles[-1])
        judged = due[(due >= start) & (due <= end)]
        missing = np.setdiff1d(judged, cycles)
        unheard = np.ones(len(missing), dtype=bool)
        for topic in sound:
            unheard &= self._may_have_lost(topic, missing)
        self._unheard, missing = missing[unheard], missing[~unheard]
        excused = counters.passed_over + counters.late + counters.not_received(self._joints.stamps)
        if len(missing) > excused + _tolerated(len(judged)):
            self.verdict.faults.append(
                f"the node computed no cycle for {len(missing)} of {len(judged)} joint states, of "
                f"which {excused} did not reach it or had no time left"
            )

    def _judge_each(self, topic: Topic) -> None:
        """Judge a topic with a message for each cycle: cycles of other topics that it lacks."""
        arrivals = self.by_topic[topic]
        cycles = np.union1d(self.cycles, self._unheard)
        cycles = cycles[cycles >= arrivals.first]
        missing = np.setdiff1d(cycles, arrivals.stamps)
        count = len(missing) - int(self._may_have_lost(topic, missing).sum())
        self.lost[topic.name] = int(self._lost_late(topic, missing).sum())
        if count > _tolerated(len(cycles)):
            self.verdict.faults.append(
                f"{topic.name}: {count} of {len(cycles)} cycles have no message; the other "
                f"messages with the same stamps exist, and the recorder was in time for it"
            )

    def _judge_limited(self, topic: Topic, limit: float) -> None:
        """Judge a rate-limited topic by the number of its messages."""
        arrivals = self.by_topic[topic].since(int(self.cycles[0]))
        passing = self._passing(arrivals, limit)
        if not arrivals.count:
            return
        period = max(self._period, 1.0 / limit if limit else 0.0)
        # those between two messages, if the second was old at its arrival
        end = max(passing[-1:].max(initial=0), arrivals.stamps[-1]) + 1
        between = np.histogram(passing, np.append(arrivals.stamps, end))[0] - 1
        late = self.recorder.may_have_lost(
            arrivals, arrivals.stamps[:-1] + 1, topic.qos.depth, period
        )
        ended = self.recorder.active_since(int(arrivals.times[-1])) < STOPPED
        lost = int(np.maximum(between, 0)[np.append(late, ended)].sum())
        self.lost[topic.name] = int(np.maximum(between[:-1], 0)[late].sum())
        count, expected = len(arrivals.stamps), len(passing)
        if not (1.0 - TOLERANCE) * (expected - lost) - FEW <= count:
            self.verdict.faults.append(
                f"{topic.name}: {count} messages, too few; expected {expected - lost} for the "
                "cycles that were recorded"
            )
        elif topic not in CHANGING and count > (1.0 + TOLERANCE) * expected + FEW:
            self.verdict.faults.append(
                f"{topic.name}: {count} messages, too many; expected {expected} for the cycles "
                "that were recorded"
            )

    def _passing(self, arrivals: Arrivals, limit: float) -> Ints:
        """Return the cycles that pass the rate limit, from the first message of a topic."""
        limiter = RateLimiter(limit)
        cycles = self.cycles[self.cycles >= arrivals.first] if arrivals.count else arrivals.stamps
        expected = [stamp for stamp in cycles.tolist() if limiter.passes(stamp)]
        return np.array(expected, dtype=np.int64)

    def _lost_late(self, topic: Topic, missing: Ints) -> Flags:
        """Return which messages the recorder may have lost because of its delay."""
        arrivals, depth = self.by_topic[topic], topic.qos.depth
        return self.recorder.may_have_lost(arrivals, missing, depth, self._period)

    def _may_have_lost(self, topic: Topic, missing: Ints) -> Flags:
        """Return which messages the recorder may have lost, or not received at its start or end."""
        arrivals, recorder = self.by_topic[topic], self.recorder
        lost = self._lost_late(topic, missing)
        if recorder.active_since(int(arrivals.times[-1])) < STOPPED:
            lost |= missing > arrivals.stamps[-1]
        result: Flags = lost | (missing < arrivals.first)
        return result

    def counted(self, topic: Topic) -> Arrivals:
        """Return the messages of an input from the first output."""
        return self.by_topic[topic].since(min(self.by_topic[topic].first for topic in self.each))

    def expected(self, rate: float, limited: list[tuple[Topic, float]]) -> dict[Topic, int]:
        """Return the expected number of messages without losses, by topic."""
        stamps = self.counted(JOINTS).stamps
        number = round(rate * float(stamps[-1] - stamps[0]) * SECONDS) + 1 if len(stamps) else 0
        result = {JOINTS: number, LENGTHS: number}
        if not len(self.cycles):
            return result
        cycles = np.union1d(self.cycles, self._due())
        for topic in self.each:
            result[topic] = int((cycles >= self.by_topic[topic].first).sum())
        for topic, limit in limited:
            if self.by_topic[topic].count and topic not in CHANGING:
                result[topic] = len(self._passing(self.by_topic[topic], limit))
        return result


def _tolerated(count: int) -> int:
    return max(FEW, int(LOSS * count))
