"""Check a bag: every output topic there, at its rate, one stamp for all, no cycle lost.

python -m charmie_dynamics.demo.check BAG [--rate HZ] [--marker-rate HZ]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..model.errors import CharmieError
from ..offline.bag import Bag

EACH_CYCLE = (
    "/tf",
    "actuator_efforts",
    "resolved_joint_states",
    "spring_forces",
    "base_wrench",
    "stability",
)
ONCE = ("/tf_static", "robot_description")
# allowed relative deviation of a rate, and share of cycles that may be lost on the way
TOLERANCE = 0.05
LOSS = 0.01
LATEST = 3.0  # s after the efforts, by which a recorder has found the other outputs


def find_faults(path: Path, rate: float, marker_rate: float) -> list[str]:
    """Return what is wrong with a bag, empty where nothing is.

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
    with Bag(path) as bag:
        for topic in ("joint_states", "actuator_lengths", *EACH_CYCLE):
            faults += _rate_fault(bag, topic, rate)
        faults += _rate_fault(bag, "markers", min(marker_rate, rate))
        for topic in (*ONCE, "/diagnostics"):
            if not bag.count(topic):
                faults.append(f"{topic}: nothing received")
        if not faults:
            faults += _stamp_faults(bag)
    return faults


def _rate_fault(bag: Bag, topic: str, expected: float) -> list[str]:
    """Hold the number of messages against the time that their stamps span."""
    stamps = bag.stamps(topic) if bag.count(topic) else []
    if len(stamps) < 2:
        return [f"{topic}: {len(stamps)} messages received, expected {expected:g} Hz"]
    rate = (len(stamps) - 1) / ((stamps[-1] - stamps[0]) * 1e-9)
    if abs(rate - expected) > TOLERANCE * expected:
        return [f"{topic}: received at {rate:.2f} Hz, expected {expected:g} Hz"]
    return []


def _stamp_faults(bag: Bag) -> list[str]:
    """Hold the stamps of the outputs against those of the inputs."""
    faults = []
    cycles = bag.stamps("actuator_efforts")
    known, inputs = _heard_together(cycles, bag.stamps("joint_states"))
    strange = len(known - inputs)
    # the inputs themselves come best-effort: a few may be missing from the bag
    if strange > LOSS * len(known):
        faults.append(f"actuator_efforts: {strange} stamps are those of no joint state")
    within = {stamp for stamp in inputs if stamp <= cycles[-1]}
    lost = len(within - known)
    if lost > LOSS * len(within):
        faults.append(f"actuator_efforts: {lost} of {len(within)} joint states got no cycle")
    for topic in EACH_CYCLE:
        stamps = bag.stamps(topic)
        late = (stamps[0] - cycles[0]) * 1e-9
        known, others = _heard_together(cycles, stamps)
        missing = len(known ^ others)
        if missing > max(LOSS * len(known), 2):
            faults.append(f"{topic}: {missing} stamps differ from those of actuator_efforts")
        elif late > LATEST:
            faults.append(f"{topic}: begins {late:.1f} s after actuator_efforts")
    return faults


def _heard_together(one: list[int], other: list[int]) -> tuple[set[int], set[int]]:
    """Return the stamps since both topics were heard.

    A recorder finds publishers one after the other, on a busy machine seconds apart.
    """
    start = max(one[0], other[0])
    return {stamp for stamp in one if stamp >= start}, {stamp for stamp in other if stamp >= start}


def main() -> int:
    """Print the faults of a bag; exit status 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bag", type=Path)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--marker-rate", type=float, default=30.0)
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
