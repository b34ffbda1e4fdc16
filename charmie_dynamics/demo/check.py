"""A check of a bag: whether every input that the recorder got has its outputs.

It judges what the node did. A slow player, a recorder that lost messages and a node that had no
time for a cycle of each sample are remarks; `arrivals` and `counters` tell them apart.

python -m charmie_dynamics.demo.check BAG [--rate HZ] [--marker-rate HZ]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.live.topics import Topic
from charmie_dynamics.model.model import load_model
from charmie_dynamics.numerics.vectors import Ints
from charmie_dynamics.recordings.read.bag import Bag

from .arrivals import (
    SECONDS,
    Arrivals,
    Flags,
    RecorderTimes,
    arrivals_of,
    longest_step,
    rate_of,
    usual_period,
)
from .counters import NodeCounters, counters_of
from .report import TopicRow, topic_table

JOINTS, LENGTHS = topics.INPUTS
# share of the messages, and how many of them at least, that may be missing without a reason
LOSS, FEW = 0.01, 2
# allowed relative deviation from the number of messages of a rate-limited topic, or from a rate
TOLERANCE = 0.05
# s without output, while inputs come and the recorder is at work, after which a node has stopped
STOPPED = 1.5
# a topic that the recorder begins to hear so much later than the first (s) is named
HEARD_LATE = 1.0
# share of `input_timeout` up to which lengths are surely there for a joint sample
LENGTHS_SHARE = 0.9
# samples further apart than so many periods have lost one in between
APART = 1.5


@dataclass
class BagVerdict:
    """What a bag tells of the node.

    Attributes
    ----------
    rows : list of TopicRow
        Of the topics that were expected.
    remarks : list of str
        What the machine did, and where nothing could be judged; no faults.
    faults : list of str
        What the node did not do.
    """

    rows: list[TopicRow] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def check_bag(path: Path, rate: float, marker_rate: float) -> BagVerdict:
    """Return what a bag of CHARMIE tells of the node.

    Parameters
    ----------
    path : Path
        Folder of the bag.
    rate : float
        At which the player was to send its samples (Hz).
    marker_rate : float
        Of the markers (Hz), where the samples do not come slower.

    Raises
    ------
    CharmieError
        If the bag cannot be read.
    """
    model = load_model()
    each, limited = [], [(topics.MARKERS, marker_rate)]
    for output in outputs.CYCLE_OUTPUTS:
        if output.content(model, DEFAULTS) is None:
            continue
        if output.rate:
            limited.append((output.topic, output.rate))
        else:
            each.append(output.topic)
    latched = [output.topic for output in outputs.LATCHED_OUTPUTS]
    with Bag(path) as bag:
        of_cycles = [*topics.INPUTS, *each, *(topic for topic, _ in limited)]
        found = {topic: arrivals_of(bag, topic) for topic in of_cycles}
        counters = counters_of(bag)
        others = {topic: bag.count(topic.name) for topic in (*latched, topics.DIAGNOSTICS)}
    verdict = BagVerdict()
    for topic in of_cycles:
        if not found[topic].count:
            verdict.faults.append(f"{topic.name}: nothing was recorded")
    for topic, count in others.items():
        if not count:
            verdict.faults.append(f"{topic.name}: nothing was recorded")
    judged = [topic for topic in each if found[topic].count]
    if found[JOINTS].count and judged:
        judge = _Judge(verdict, found, judged, counters)
        judge.judge([(topic, limit) for topic, limit in limited if found[topic].count])
        judge.tell(rate)
        expected = judge.expected(rate, limited)
        found |= {topic: judge.counted(topic) for topic in topics.INPUTS}
    else:
        expected = {}
    verdict.rows += [
        TopicRow(topic.name, found[topic].count, found[topic].rate, expected.get(topic))
        for topic in of_cycles
    ]
    verdict.rows += [TopicRow(topic.name, count) for topic, count in others.items()]
    return verdict


class _Judge:
    """Holds the outputs against the inputs; writes down what it finds."""

    def __init__(
        self,
        verdict: BagVerdict,
        found: dict[Topic, Arrivals],
        each: list[Topic],
        counters: NodeCounters,
    ) -> None:
        self._verdict = verdict
        self._found = found
        self._each = each
        self._counters = counters
        self._joints = found[JOINTS]
        self._period = usual_period(self._joints.stamps, *(found[t].stamps for t in each))
        all_times = np.concatenate([arrivals.times for arrivals in found.values()])
        self._recorder = RecorderTimes(self._joints, all_times, self._period)
        self._lost: dict[str, int] = {}  # by the recorder
        self._cycles: Ints = np.empty(0, dtype=np.int64)
        self._unheard: Ints = np.empty(0, dtype=np.int64)  # cycles that the recorder may have lost

    def judge(self, limited: list[tuple[Topic, float]]) -> None:
        """Judge the outputs: their stamps, their number, and whether they go on to the end."""
        sound = [topic for topic in self._each if self._is_stamped_right(topic)]
        for topic, _ in limited:
            self._is_stamped_right(topic)
        if not sound:
            return
        self._cycles = np.unique(np.concatenate([self._with_input(topic) for topic in sound]))
        self._judge_cycles(sound)
        for topic in sound:
            self._judge_each(topic)
        for topic, limit in limited:
            self._judge_limited(topic, limit)

    def _is_stamped_right(self, topic: Topic) -> bool:
        stamps = self._found[topic].stamps
        strange = len(stamps) - len(self._with_input(topic))
        if strange <= _tolerated(len(stamps)):
            return True
        self._verdict.faults.append(
            f"{topic.name}: {strange} of {len(stamps)} stamps are those of no joint state; "
            "expected the stamp of the sample that each output was computed from"
        )
        return False

    def _with_input(self, topic: Topic) -> Ints:
        """Return the stamps of a topic that are those of inputs, or may be.

        Inputs come best-effort. Where they leave a gap, the recorder has missed what the node got.
        """
        stamps, inputs = self._found[topic].stamps, self._joints.stamps
        behind = np.searchsorted(inputs, stamps)
        inside = (behind > 0) & (behind < len(inputs))
        at = np.clip(behind, 1, max(1, len(inputs) - 1))
        gap = (inputs[at % len(inputs)] - inputs[at - 1]) * SECONDS
        strange = inside & (gap < APART * self._period) & ~np.isin(stamps, inputs)
        result: Ints = stamps[~strange]
        return result

    def _due(self) -> Ints:
        """Return the stamps of the joint samples that called for a cycle: lengths were there."""
        stamps, lengths = self._joints.stamps, self._found[LENGTHS].stamps
        if not len(lengths):
            return stamps[:0]
        newest = np.searchsorted(lengths, stamps, side="right") - 1
        age = (stamps - lengths[np.maximum(newest, 0)]) * SECONDS
        there = (newest >= 0) & (age <= LENGTHS_SHARE * DEFAULTS.input_timeout)
        result: Ints = stamps[there & (stamps >= self._cycles[0])]
        return result

    def _judge_cycles(self, sound: list[Topic]) -> None:
        """Judge whether each sample got its cycle, as far as the node tells what it received."""
        due, cycles, counters = self._due(), self._cycles, self._counters
        newest = max(int(self._found[topic].times.max()) for topic in sound)
        silent, waiting = self._recorder.active_since(newest), int((due > cycles[-1]).sum())
        if silent > STOPPED and waiting > FEW:
            self._verdict.faults.append(
                f"the node stopped: no output during the last {silent:.1f} s, in which {waiting} "
                "joint states came"
            )
        if counters.refused:
            self._verdict.faults.append(
                f"the node refused {counters.refused} messages; its log says why"
            )
        if len(counters.stamps) < 2:
            self._verdict.remarks.append(
                "too short a recording to tell whether each joint state got its cycle: the node "
                "says once a second how many it received"
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
            self._verdict.faults.append(
                f"the node computed no cycle for {len(missing)} of {len(judged)} joint states, of "
                f"which {excused} did not reach it or had no time left"
            )

    def _judge_each(self, topic: Topic) -> None:
        """Judge a topic with a message for each cycle: those of the others that it lacks."""
        arrivals = self._found[topic]
        cycles = np.union1d(self._cycles, self._unheard)
        cycles = cycles[cycles >= arrivals.first]
        missing = np.setdiff1d(cycles, arrivals.stamps)
        unheard = self._may_have_lost(topic, missing)
        self._lost[topic.name] = int(unheard.sum())
        count = len(missing) - self._lost[topic.name]
        if count > _tolerated(len(cycles)):
            self._verdict.faults.append(
                f"{topic.name}: {count} of {len(cycles)} cycles have no message; the others of the "
                "same stamps are there, and the recorder was in time for it"
            )

    def _judge_limited(self, topic: Topic, limit: float) -> None:
        """Judge a topic with some of the cycles by the number of its messages."""
        arrivals = self._found[topic].since(int(self._cycles[0]))
        passing = self._passing(arrivals, limit)
        if not arrivals.count:
            return
        period = max(self._period, 1.0 / limit if limit else 0.0)
        # those between two messages, where the second was old when it came
        end = max(passing[-1:].max(initial=0), arrivals.stamps[-1]) + 1
        between = np.histogram(passing, np.append(arrivals.stamps, end))[0] - 1
        late = self._recorder.may_have_lost(
            arrivals, arrivals.stamps[:-1] + 1, topic.qos.depth, period
        )
        ended = self._recorder.active_since(int(arrivals.times[-1])) < STOPPED
        lost = int(np.maximum(between, 0)[np.append(late, ended)].sum())
        self._lost[topic.name] = int(np.maximum(between[:-1], 0)[late].sum())
        count, expected = len(arrivals.stamps), len(passing)
        if not (1.0 - TOLERANCE) * (expected - lost) - FEW <= count:
            self._verdict.faults.append(
                f"{topic.name}: {count} messages, too few; expected {expected - lost} for the "
                "cycles that were recorded"
            )
        elif count > (1.0 + TOLERANCE) * expected + FEW:
            self._verdict.faults.append(
                f"{topic.name}: {count} messages, too many; expected {expected} for the cycles "
                "that were recorded"
            )

    def _passing(self, arrivals: Arrivals, limit: float) -> Ints:
        """Return the cycles that a rate lets pass, from the first message of a topic on."""
        limiter = RateLimiter(limit)
        cycles = self._cycles[self._cycles >= arrivals.first] if arrivals.count else arrivals.stamps
        found = [stamp for stamp in cycles.tolist() if limiter.passes(stamp)]
        return np.array(found, dtype=np.int64)

    def _may_have_lost(self, topic: Topic, missing: Ints) -> Flags:
        """Tell what the recorder may have lost, or not have got yet when it ended."""
        arrivals, recorder = self._found[topic], self._recorder
        lost = recorder.may_have_lost(arrivals, missing, topic.qos.depth, self._period)
        if recorder.active_since(int(arrivals.times[-1])) < STOPPED:
            lost |= missing > arrivals.stamps[-1]
        result: Flags = lost | (missing < arrivals.first)
        return result

    def tell(self, rate: float) -> None:
        """Write the remarks: what player, recorder and machine did."""
        remarks, joints, counters = self._verdict.remarks, self._joints, self._counters
        sent = np.union1d(self.counted(JOINTS).stamps, self._cycles)
        if not len(sent):
            return
        speed, pauses = rate_of(sent), np.diff(sent, prepend=sent[:1]) * SECONDS
        is_slow = abs(speed - rate) > 0.5 * TOLERANCE * rate
        if is_slow or pauses.max() > longest_step(1.0 / rate):
            remarks.append(
                f"the player sent {speed:.2f} samples a second instead of {rate:g}, its longest "
                f"pause was {pauses.max():.2f} s: the machine was busy, or is too slow for "
                f"--rate {rate:g}; the outputs are held against what was sent"
            )
        if missed := len(np.setdiff1d(sent, joints.stamps)):
            remarks.append(
                f"the recorder missed {missed} of {len(sent)} {JOINTS.name}, which are sent "
                "best-effort"
            )
        lost = ", ".join(f"{count} {name}" for name, count in self._lost.items() if count)
        if lost:
            late = max(float(self._recorder.lateness(self._found[t]).max()) for t in self._each)
            remarks.append(f"the recorder was up to {late:.1f} s late, and lost {lost}")
        if count := counters.passed_over:
            remarks.append(
                f"the node had no time for a cycle of each sample: {count} were passed over for "
                "newer ones; close other programs or choose a lower --rate"
            )
        # one or two may be on their way while the node reports
        if (count := counters.not_received(joints.stamps)) > FEW:
            remarks.append(
                f"{count} {JOINTS.name} did not reach the node, which are sent best-effort"
            )
        start = min(self._found[topic].first for topic in self._each)
        for topic, arrivals in self._found.items():
            delay = (arrivals.first - start) * SECONDS if arrivals.count else 0.0
            if delay > HEARD_LATE:
                remarks.append(f"{topic.name}: heard from {delay:.1f} s after the first output on")

    def counted(self, topic: Topic) -> Arrivals:
        """Return the messages of an input from the first output on."""
        return self._found[topic].since(min(self._found[topic].first for topic in self._each))

    def expected(self, rate: float, limited: list[tuple[Topic, float]]) -> dict[Topic, int]:
        """Return how many messages there would be if nothing had been lost, by topic."""
        stamps = self.counted(JOINTS).stamps
        number = round(rate * float(stamps[-1] - stamps[0]) * SECONDS) + 1 if len(stamps) else 0
        result = {JOINTS: number, LENGTHS: number}
        if not len(self._cycles):
            return result
        cycles = np.union1d(self._cycles, self._due())
        for topic in self._each:
            result[topic] = int((cycles >= self._found[topic].first).sum())
        for topic, limit in limited:
            if self._found[topic].count:
                result[topic] = len(self._passing(self._found[topic], limit))
        return result


def _tolerated(count: int) -> int:
    return max(FEW, int(LOSS * count))


def main() -> int:
    """Print the topics of a bag, remarks and faults; exit status 1 if there are faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bag", type=Path)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--marker-rate", type=float, default=DEFAULTS.marker_rate)
    options = parser.parse_args()
    try:
        verdict = check_bag(options.bag, options.rate, options.marker_rate)
    except CharmieError as error:
        verdict = BagVerdict(faults=[str(error)])
    if verdict.rows:
        print(topic_table(verdict.rows))
    for remark in verdict.remarks:
        print(f"note: {remark}")
    for fault in verdict.faults:
        print(f"fault: {fault}")
    if not verdict.faults:
        print(f"{options.bag}: every recorded input has its outputs, one stamp for all")
    return 1 if verdict.faults else 0


if __name__ == "__main__":
    sys.exit(main())
