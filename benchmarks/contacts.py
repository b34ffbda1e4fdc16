# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots on a floor, and heaps: ``python -m benchmarks.contacts`` prints the tables alone."""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

from . import contact_batches, contact_speed, contact_steps, heaps
from .contact_batches import BatchCost
from .contact_cases import CASES, athena
from .contact_report import batches_table, speed_table, steps_table
from .contact_speed import ContactCosts
from .contact_steps import StiffFoot
from .heaps import HeapRow

ROUNDS = 5
BATCH_ROUNDS = 10  # times as many of batches, which are short


class ContactFigures(NamedTuple):
    """All that is measured of robots on a floor, and of heaps."""

    speed: list[ContactCosts]
    steps: list[StiffFoot]
    batches: list[BatchCost]
    heaps: list[HeapRow]

    @property
    def complete(self) -> bool:
        """Whether all was timed."""
        return all(cost.complete for cost in self.speed)

    @property
    def sections(self) -> dict[str, str]:
        """Tables by their places in the page."""
        return {
            "contact_speed": speed_table(self.speed),
            "contact_steps": steps_table(self.steps),
            "contact_batches": batches_table(self.batches),
            "heaps": heaps.table(self.heaps),
        }


def measure(rounds: int) -> ContactFigures:
    """Measure all of it."""
    hexapod = athena()
    return ContactFigures(
        [contact_speed.measure(robot, rounds) for robot in CASES],
        contact_steps.measure(hexapod, rounds),
        contact_batches.measure(hexapod, BATCH_ROUNDS * rounds),
        heaps.measure(rounds),
    )


def main(arguments: list[str] | None = None) -> int:
    """Print the tables; exit status 0 only if all was timed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contacts")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"default {ROUNDS}")
    found = measure(parser.parse_args(arguments).rounds)
    print("\n\n".join(found.sections.values()))
    return 0 if found.complete else 1


if __name__ == "__main__":
    sys.exit(main())
