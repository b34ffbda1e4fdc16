"""A check of a bag: every output topic there, at its rate, one stamp for all, no cycle lost.

python -m charmie_dynamics.demo.check BAG [--rate HZ] [--marker-rate HZ]
"""

from __future__ import annotations

import argparse
import sys
from bisect import bisect_left
from pathlib import Path

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.live.wire.samples import JOINT_STATES
from charmie_dynamics.model.reading import load_model
from charmie_dynamics.recordings.read.bag import Bag

JOINTS, EFFORTS = JOINT_STATES, topics.ACTUATOR_EFFORTS.name
# allowed relative deviation of a rate, and share of cycles that may be lost on the way
TOLERANCE = 0.05
LOSS = 0.01
LATEST = 3.0  # s after the efforts, by which a recorder has found the other outputs


def find_faults(path: Path, rate: float, marker_rate: float) -> list[str]:
    """Return the faults of a bag.

    Parameters
    ----------
    path : Path
        Folder of the bag.
    rate : float
        Of the joint states (Hz), and so of every topic of each cycle.
    marker_rate : float
        Of the markers (Hz), if the joint states are not slower.
    """
    faults: list[str] = []
    cycle = {
        output.topic.name: min(output.rate or rate, rate)
        for output in outputs.CYCLE_OUTPUTS
        if output.content(load_model(), DEFAULTS) is not None
    }
    rates = {topic.name: rate for topic in topics.INPUTS} | cycle
    rates[topics.MARKERS.name] = min(marker_rate, rate)
    others = [*(output.topic for output in outputs.LATCHED_OUTPUTS), topics.DIAGNOSTICS]
    with Bag(path) as bag:
        for topic, expected in rates.items():
            faults += _rate_fault(bag, topic, expected)
        for other in others:
            if not bag.count(other.name):
                faults.append(f"{other.name}: nothing received")
        if not faults:
            each_cycle = [name for name, expected in cycle.items() if expected == rate]
            faults += _stamp_faults(bag, rate, each_cycle)
    return faults


def _rate_fault(bag: Bag, topic: str, expected: float) -> list[str]:
    """Compare the number of messages with the time that their stamps span."""
    stamps = bag.stamps(topic) if bag.count(topic) else []
    if len(stamps) < 2:
        return [f"{topic}: {len(stamps)} messages received, expected {expected:g} Hz"]
    rate = (len(stamps) - 1) / ((stamps[-1] - stamps[0]) * 1e-9)
    if abs(rate - expected) > TOLERANCE * expected:
        return [f"{topic}: received at {rate:.2f} Hz, expected {expected:g} Hz"]
    return []


def _stamp_faults(bag: Bag, rate: float, each_cycle: list[str]) -> list[str]:
    """Compare the stamps of the outputs with one another and with those of the inputs.

    From when all were heard: a recorder finds publishers one after the other, on a busy machine
    seconds apart.
    """
    stamps = {topic: bag.stamps(topic) for topic in (JOINTS, *each_cycle)}
    cycles = stamps[EFFORTS]
    delays = {topic: (heard[0] - cycles[0]) * 1e-9 for topic, heard in stamps.items()}
    faults = [
        f"{topic}: begins {delay:.1f} s after {EFFORTS}"
        for topic, delay in delays.items()
        if delay > LATEST
    ]
    if faults:
        return faults
    start = max(heard[0] for heard in stamps.values())
    known = {stamp for stamp in cycles if stamp >= start}
    allowed = max(LOSS * len(known), 2)
    inputs = stamps.pop(JOINTS)
    if (strange := len(_without_input(known, inputs, rate))) > allowed:
        faults.append(f"{EFFORTS}: {strange} stamps are those of no joint state")
    within = {stamp for stamp in inputs if start <= stamp <= cycles[-1]}
    if (lost := len(within - known)) > allowed:
        faults.append(f"{EFFORTS}: {lost} of {len(within)} joint states got no cycle")
    for topic, heard in stamps.items():
        if (missing := len(known ^ {stamp for stamp in heard if stamp >= start})) > allowed:
            faults.append(f"{topic}: {missing} stamps differ from those of {EFFORTS}")
    return faults


def _without_input(stamps: set[int], inputs: list[int], rate: float) -> list[int]:
    """Return the stamps that lie between inputs without being one of them.

    Inputs come best-effort. Where they leave a gap, the recorder has missed what the node heard.
    """
    places = [(stamp, bisect_left(inputs, stamp)) for stamp in stamps - set(inputs)]
    return [
        stamp
        for stamp, place in places
        if place < len(inputs) and inputs[place] - inputs[place - 1] < 1.5e9 / rate
    ]


def main() -> int:
    """Print the faults of a bag; exit status 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bag", type=Path)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--marker-rate", type=float, default=DEFAULTS.marker_rate)
    options = parser.parse_args()
    try:
        faults = find_faults(options.bag, options.rate, options.marker_rate)
    except CharmieError as error:
        faults = [str(error)]
    for fault in faults:
        print(f"fault: {fault}")
    if not faults:
        print(f"{options.bag}: every topic at its rate, one stamp for all")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
