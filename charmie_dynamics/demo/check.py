# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A check of a bag: every input that the recorder received must have its outputs.

The check concerns the node. A slow player, lost messages of the recorder and a node without time
for a cycle of each sample are remarks; `arrivals` and `counters` distinguish them.

python -m charmie_dynamics.demo.check BAG [--rate HZ] [--marker-rate HZ]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import load_model
from charmie_dynamics.recordings.read.bag import Bag

from .arrivals import arrivals_of
from .counters import counters_of
from .judge import BagVerdict, Judge
from .remarks import remark_on
from .report import TopicRow, topic_table

JOINTS = topics.INPUTS[0]


def check_bag(
    path: Path, rate: float, marker_rate: float, model: Model | None = None
) -> BagVerdict:
    """Return the verdict on the node from a bag.

    Parameters
    ----------
    path : Path
        Folder of the bag.
    rate : float
        Nominal rate of the player (Hz).
    marker_rate : float
        Of the markers (Hz), unless the samples are slower.
    model : Model, optional
        The robot; default: that of the node.

    Raises
    ------
    CharmieError
        If the bag cannot be read.
    """
    model = load_model() if model is None else model
    inputs = topics.INPUTS if model.mechanisms.linear_actuators else (JOINTS,)
    of_each_cycle, rate_limited = [], [(topics.MARKERS, marker_rate)]
    for output in outputs.cycle_outputs(model, DEFAULTS):
        if output.content(model, DEFAULTS) is None:
            continue
        if output.rate:
            rate_limited.append((output.topic, output.rate))
        else:
            of_each_cycle.append(output.topic)
    latched = [output.topic for output in outputs.LATCHED_OUTPUTS]
    with Bag(path) as bag:
        of_cycles = [*inputs, *of_each_cycle, *(topic for topic, _ in rate_limited)]
        arrivals = {topic: arrivals_of(bag, topic) for topic in of_cycles}
        counters = counters_of(bag)
        others = {topic: bag.count(topic.name) for topic in (*latched, topics.DIAGNOSTICS)}
    verdict = BagVerdict()
    for topic in of_cycles:
        if not arrivals[topic].count:
            verdict.faults.append(f"{topic.name}: nothing was recorded")
    for topic, count in others.items():
        if not count:
            verdict.faults.append(f"{topic.name}: nothing was recorded")
    recorded = [topic for topic in of_each_cycle if arrivals[topic].count]
    expected = {}
    if arrivals[JOINTS].count and recorded:
        judge = Judge(verdict, arrivals, recorded, counters)
        judge.judge_outputs([(topic, hz) for topic, hz in rate_limited if arrivals[topic].count])
        # both use the cycles that the judge has found
        remark_on(judge, rate)
        expected = judge.expected(rate, rate_limited)
        arrivals = arrivals | {topic: judge.counted(topic) for topic in inputs}
    verdict.rows += [
        TopicRow(topic.name, arrivals[topic].count, arrivals[topic].rate, expected.get(topic))
        for topic in of_cycles
    ]
    verdict.rows += [TopicRow(topic.name, count) for topic, count in others.items()]
    return verdict


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
