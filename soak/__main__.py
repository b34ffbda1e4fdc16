# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run the node for long and print what was seen: ``python -m soak``; see ``scripts/soak``."""

from __future__ import annotations

import argparse
import os
import signal
import sys

from benchmarks.machine import describe_machine
from tqdm import tqdm

from benchmarks import pages

from . import report
from .run import Plan, Result, run

INTERRUPTED = 130
WARM_UP = 300.0  # s
SHARE = 0.25  # largest, of the warm-up in the run
MOST_GROWTH = report.MEBIBYTE


def main(arguments: list[str] | None = None) -> int:
    """Run the soak; exit status 0 only if all holds that has to."""
    parser = argparse.ArgumentParser(
        prog="python -m soak",
        description="Run the node on good input with faults mixed in, and watch what it takes up.",
    )
    parser.add_argument("--minutes", type=_positive, default=60.0, help="default 60")
    parser.add_argument("--seed", type=int, default=1, help="of the schedule, default 1")
    parser.add_argument(
        "--write", action="store_true", help=f"write docs/{report.REPORT} with the figures"
    )
    options = parser.parse_args(arguments)
    # either ends the run with what was seen until then, and the node with it
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    seconds = 60.0 * options.minutes
    plan = Plan(seconds, min(WARM_UP, SHARE * seconds), seed=options.seed)
    processor, system, _, load = describe_machine(os.getloadavg()[0])
    with tqdm(total=round(seconds), unit="s", desc="soak", smoothing=0.0) as bar:

        def show(result: Result) -> None:
            resident = result.sizes[-1].resident / report.MEBIBYTE
            if bar.n == 0:
                bar.unpause()  # the start of the node does not count
            bar.set_postfix_str(f"faults: {len(result.recoveries)}, {resident:.1f} MiB", False)
            bar.update(min(round(seconds), round(result.seconds)) - bar.n)

        try:
            result = run(plan, show)
        except KeyboardInterrupt:  # before anything was seen
            return INTERRUPTED
    found = report.problems(result, MOST_GROWTH)
    sections = {
        "run": report.run_lines(result, (processor, system, load)),
        "outputs": report.outputs_lines(result),
        "faults": report.faults_table(result),
    }
    if not (result.interrupted or result.died):
        sections["growth"] = report.growth_table(result)
    print("\n\n".join(sections.values()))
    for problem in found:
        print(f"soak: {problem}", file=sys.stderr)
    if result.interrupted:
        print("soak: interrupted", file=sys.stderr)
        return INTERRUPTED
    if options.write and not result.died:
        pages.write(report.TEMPLATE, report.REPORT, sections)
    return 1 if found else 0


def _positive(text: str) -> float:
    value = float(text)
    if not value >= 1.0:
        raise argparse.ArgumentTypeError(f"expected at least 1 minute, got {text}")
    return value


if __name__ == "__main__":
    sys.exit(main())
