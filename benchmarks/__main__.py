# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Measure and print the tables: ``python -m benchmarks [--write]``; see ``scripts/bench``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from . import (
    bodies,
    comparison,
    contacts,
    equations,
    first_start,
    kernel_sizes,
    pages,
    report,
    simulation,
    simulator,
)
from .machine import describe_machine, package_version

ROUNDS = 200
SIMULATION_SHARE = 10  # so many times fewer rounds of whole motions
CONTACT_SHARE = 40  # likewise, of motions with contacts


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmarks; exit status 0 only if all that is installed agrees and was timed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time this package beside others, after a check that they compute the same.",
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help=f"write docs/{report.REPORT} and its figure instead of printing",
    )
    parser.add_argument(
        "--rounds", type=_positive, default=ROUNDS, help=f"turns of each row, default {ROUNDS}"
    )
    parser.add_argument(
        "--node", type=Path, metavar="FILE", help="records that benchmarks.node printed as JSON"
    )
    parser.add_argument(
        "--simulator", type=Path, metavar="FILE", help="records that benchmarks.simulator printed"
    )
    parser.add_argument("--node-missing", default="", help="what of ROS 2 is not measured, and why")
    parser.add_argument(
        "--load",
        type=float,
        default=os.getloadavg()[0],
        help="load average before the run, default: that of now",
    )
    options = parser.parse_args(arguments)
    machine = describe_machine(options.load)
    version = package_version()
    print("benchmarks: first starts ...", file=sys.stderr, flush=True)
    starts = first_start.measure()
    sizes = {name: kernel_sizes.measure(name)[0] for name in starts}
    print("benchmarks: CHARMIE's cycle ...", file=sys.stderr, flush=True)
    compared = comparison.measure(version, options.rounds)
    print("benchmarks: equations of motion ...", file=sys.stderr, flush=True)
    motion = equations.measure(options.rounds)
    print("benchmarks: a second of motion ...", file=sys.stderr, flush=True)
    simulated = simulation.measure(max(1, options.rounds // SIMULATION_SHARE))
    print("benchmarks: robots on a floor ...", file=sys.stderr, flush=True)
    on_floor = contacts.measure(max(1, options.rounds // CONTACT_SHARE))
    print("benchmarks: cost against the number of bodies ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        cost = bodies.measure(Path(folder), version, options.rounds)
    records = report.read_records(options.node) if options.node else []
    played = report.read_records(options.simulator) if options.simulator else []
    sections = {
        "machine": "\n".join(f"- {line}" for line in machine),
        "comparison": report.comparison_table(compared),
        "equations": report.equations_table(motion),
        "simulation": report.simulation_table(simulated),
        **on_floor.sections,
        "bodies": report.bodies_table(cost),
        "node": report.node_table(records, options.node_missing),
        "ratios": report.ratio_table(records),
        "simulator": simulator.table(played, options.node_missing),
        "first_start": report.first_start_table(starts, sizes),
    }
    if options.write:
        bodies.draw(cost, pages.DOCS / report.FIGURE)
        pages.write(report.TEMPLATE, report.REPORT, sections)
    else:
        print("\n\n".join(sections.values()))
    for row in compared.rows:
        if row.timing is None:
            print(f"benchmarks: {row.name} not timed: {row.reason}", file=sys.stderr)
    for one in motion.costs:
        if one.reason:
            print(f"benchmarks: {one.subject.name}: {one.reason}", file=sys.stderr)
    for row_of_motion in simulated.rows:
        if row_of_motion.reason:
            print(f"benchmarks: {row_of_motion.method}: {row_of_motion.reason}", file=sys.stderr)
    for reason in cost.refused:
        print(f"benchmarks: {reason}", file=sys.stderr)
    is_complete = all(each.complete for each in (compared, motion, simulated, on_floor))
    return 0 if is_complete and not cost.refused else 1


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {value}")
    return value


if __name__ == "__main__":
    sys.exit(main())
