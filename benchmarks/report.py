"""The tables as Markdown, and docs/performance.md from its template."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .bodies import COLUMNS, PINOCCHIO_LINKS, Cost
from .comparison import Comparison
from .timing import Timing

TEMPLATE = "performance.in.md"
REPORT = "performance.md"
FIGURE = "images/cost_by_bodies.png"
ROUND_OFF = 1e-12


def comparison_table(comparison: Comparison) -> str:
    """Return the table of CHARMIE's cycle."""
    lines = [
        "| program | versions | computes | median (us) | 5 % to 95 % (us) | times Pinocchio | "
        "differs from the textbook by |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for row in comparison.rows:
        if row.timing is None:
            cells = [row.name, row.version, row.computes, f"not timed: {row.reason}", "", "", ""]
        else:
            ratio = "-"
            if comparison.reference is not None:
                ratio = f"{row.timing.median / comparison.reference:.2f}"
            cells = [row.name, row.version, row.computes, *_times(row.timing), ratio]
            cells.append(_difference(row.difference))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def bodies_table(cost: Cost) -> str:
    """Return the table of the cost against the number of bodies, and of the lines through it."""
    head = [f"{column}: us, us per link" for column in COLUMNS]
    lines = [f"| robot | links | {' | '.join(head)} |", f"| --- | ---: |{' ---: |' * len(head)}"]
    for name, bodies, timings in zip(cost.names, cost.bodies, cost.timings, strict=True):
        cells = [
            "-" if t is None else f"{_us(t.median)}, {1e6 * t.median / bodies:.3f}" for t in timings
        ]
        lines.append(f"| {name} | {bodies} | {' | '.join(cells)} |")
    fits = []
    for column in range(len(COLUMNS)):
        fit = cost.fit(column)
        fits.append(
            "-"
            if fit is None
            else f"{1e6 * fit.start:.2f} + {1e6 * fit.slope:.4f} n, "
            f"within {100 * fit.largest:.0f} %"
        )
    lines.append(f"| line through arms and chains, n links | | {' | '.join(fits)} |")
    if max(cost.bodies) > PINOCCHIO_LINKS:
        lines.append(
            f"\nPinocchio is left out above {PINOCCHIO_LINKS} links: the memory of its `Data` "
            "grows with the cube of their number."
        )
    lines += [f"\nNot timed: {reason}." for reason in cost.refused]
    return "\n".join(lines)


def node_table(records: Sequence[dict[str, Any]], reason: str = "") -> str:
    """Return the table of the node's latency and load.

    Parameters
    ----------
    records : sequence of dict
        As printed by ``python -m benchmarks.node --json``.
    reason : str
        Why there are none, or not all.
    """
    if not records:
        return f"Not measured: {reason or 'no ROS 2'}."
    lines = [
        "| process | ROS 2 | middleware | rate (Hz) | latency, median (us) | latency, 99 % (us) | "
        "CPU (% of a core) | memory (MB) | samples | lost efforts |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for record in records:
        efforts = record["received"].get("actuator_efforts", 0)
        cells = [
            *(record["process"], record["distro"], record["rmw"], f"{record['rate']:g}"),
            f"{1e6 * record['latency_median']:.0f}",
            f"{1e6 * record['latency_p99']:.0f}",
            f"{100 * record['cpu']:.1f}",
            f"{record['memory'] / 2**20:.0f}",
            f"{record['sent']}",
            f"{record['sent'] - efforts}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if reason:
        lines.append(f"\nNot measured: {reason}.")
    return "\n".join(lines)


def read_records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file with one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _times(timing: Timing) -> tuple[str, str]:
    return _us(timing.median), f"{_us(timing.low)} to {_us(timing.high)}"


def _us(seconds: float) -> str:
    microseconds = 1e6 * seconds
    return f"{microseconds:.0f}" if microseconds >= 100.0 else f"{microseconds:.2f}"


def _difference(value: float) -> str:
    return f"< {ROUND_OFF:g}" if value < ROUND_OFF else f"{value:.0e}"
