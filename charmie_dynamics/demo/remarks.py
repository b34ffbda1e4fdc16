# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Remarks on a bag: observations about player, recorder and machine, not faults of the node."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.live import topics
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.numerics.vectors import Floats, Ints

from .arrivals import longest_step
from .judge import FEW, TOLERANCE, Judge

JOINTS = topics.INPUTS[0]
# a topic that the recorder discovers this much later than the first (s) is named
HEARD_LATE = 1.0


def remark_on(judge: Judge, rate: float) -> None:
    """Add the remarks on a judged bag.

    Parameters
    ----------
    judge : Judge
    rate : float
        Nominal rate of the player (Hz).
    """
    remarks, joints, counters = judge.verdict.remarks, judge.counted(JOINTS), judge.counters
    sent = np.union1d(joints.stamps, judge.cycles)
    if not len(sent):
        return
    remarks += _of_player(judge, sent, rate)
    heard = sent[sent >= judge.by_topic[JOINTS].first]
    if missed := len(np.setdiff1d(heard, joints.stamps)):
        remarks.append(
            f"the recorder missed {missed} of {len(heard)} {JOINTS.name}, which are sent "
            "best-effort"
        )
    lost = ", ".join(f"{count} {name}" for name, count in judge.lost.items() if count)
    if lost:
        late = max(float(judge.recorder.lateness(judge.by_topic[t]).max()) for t in judge.each)
        remarks.append(f"the recorder was up to {late:.1f} s late, and lost {lost}")
    if count := counters.passed_over:
        remarks.append(
            f"the node had no time for a cycle of each sample: {count} were skipped "
            f"for newer ones; close other programs or choose a lower --rate"
        )
    # one or two may be in transit during the report
    if (count := counters.not_received(judge.by_topic[JOINTS].stamps)) > FEW:
        remarks.append(f"{count} {JOINTS.name} did not reach the node, which are sent best-effort")
    start = min(judge.by_topic[topic].first for topic in judge.each)
    for topic, arrivals in judge.by_topic.items():
        delay = (arrivals.first - start) * SECONDS if arrivals.count else 0.0
        if delay > HEARD_LATE:
            remarks.append(
                f"{topic.name}: the first message was recorded {delay:.1f} s after that of the "
                "first output"
            )


def _of_player(judge: Judge, sent: Ints, rate: float) -> list[str]:
    """Return remarks on the player, and on time without information."""
    steps: Floats = np.diff(sent).astype(np.float64) * SECONDS
    pause = longest_step(1.0 / rate)
    # if samples were old when they were recorded, the recorder was blocked before
    unknown = (steps > pause) & (_lateness(judge, sent)[1:] > pause)
    known = steps[~unknown]
    if not len(known):
        return []
    speed, longest = 1.0 / float(known.mean()), float(known.max())
    remarks = []
    if unknown.any():
        remarks.append(f"the recorder was delayed: {steps[unknown].sum():.2f} s are not recorded")
    if abs(speed - rate) > 0.5 * TOLERANCE * rate or longest > pause:
        remarks.append(
            f"the player sent {speed:.2f} samples a second instead of {rate:g}, its longest pause "
            f"was {longest:.2f} s: the machine was busy, or is too slow for --rate {rate:g}; the "
            "outputs are compared with the samples sent"
        )
    return remarks


def _lateness(judge: Judge, stamps: Ints) -> Floats:
    """Return the delay (s) of the first message of each stamp until its recording."""
    result = np.full(len(stamps), np.inf)
    for topic in (JOINTS, *judge.each):
        arrivals = judge.by_topic[topic]
        at = np.searchsorted(arrivals.stamps, stamps)
        there = np.clip(at, 0, len(arrivals.stamps) - 1)
        late = np.where(
            arrivals.stamps[there] == stamps, judge.recorder.lateness(arrivals)[there], np.inf
        )
        result = np.minimum(result, late)
    return result
