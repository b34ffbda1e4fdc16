# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables as Markdown, and docs/performance.md from its template."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .bodies import COLUMNS, PINOCCHIO_LINKS, Cost
from .comparison import Comparison
from .equations import SINGLE, EquationCosts
from .first_start import BUDGET, FirstStart
from .kernel_sizes import KernelSizes
from .simulation import OURS, WANTED_RATIO, WANTED_TIME, SimulationCosts
from .timing import Timing

TEMPLATE = "performance.in.md"
REPORT = "performance.md"
FIGURE = "images/cost_by_bodies.png"
ROUND_OFF = 1e-12
# what is required of the node with joints and lengths, markers watched and a recorder running
FULL_RATE = 1000.0  # Hz
LOSSLESS_TIME = 60.0  # s in which nothing may be lost
LATENCY_RATIO = 1.2  # node / echo, of the medians
CPU_RATIO = 1.3  # node / echo
LOW_RATE = 100.0  # Hz
LOW_RATE_CPU = 4.0  # % of a core


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


def equations_table(costs: EquationCosts) -> str:
    """Return the table of the equations of motion, beside what is wanted of them."""
    many = [f"{count} core{'s' if count > 1 else ''}" for count in costs.cores]
    head = [
        "method",
        "Pinocchio",
        "Pinocchio (us)",
        "open tree (us)",
        "times Pinocchio",
        *(cell for one in many for cell in (f"batch, {one} (us a sample)", "times Pinocchio")),
        "with loops and springs (us)",
        "their batch, 1 core (us a sample)",
    ]
    lines = [f"| {' | '.join(head)} |", f"| --- | --- |{' ---: |' * (len(head) - 2)}"]
    for cost in costs.costs:
        subject = cost.subject
        if cost.reason:
            lines.append(f"| `{subject.name}` | not timed: {cost.reason} |{' |' * (len(head) - 2)}")
            continue
        limits = (SINGLE, subject.batch) if subject.wanted else (None, None)
        counterparts = " + ".join(f"`{name}`" for name in subject.counterpart.split(" + "))
        cells = [f"`{subject.name}`", counterparts, _median(cost.pinocchio)]
        cells += [_median(cost.tree), _over(cost.tree, cost.pinocchio, limits[0])]
        for timing in cost.batches:
            cells += [_median(timing), _over(timing, cost.pinocchio, limits[1])]
        cells += [_median(cost.loops), _median(cost.loop_batch)]
        lines.append(f"| {' | '.join(cells)} |")
    if costs.missing:
        lines.append(f"\nPinocchio is not measured: {costs.missing}.")
    return "\n".join(lines)


def simulation_table(costs: SimulationCosts) -> str:
    """Return the table of a second of motion, beside what is wanted of it."""
    lines = [
        "| program | method | step (ms) | error at the end (rad, m) | CPU time (ms) | "
        "times the quickest of ours that is as exact |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for k, row in enumerate(costs.rows):
        step = "varies" if row.step is None else f"{1e3 * row.step:g}"
        if row.time is None:
            cells = [row.program, f"`{row.method}`", step, f"not timed: {row.reason}", "", ""]
        else:
            shown, ratio = f"{1e3 * row.time:.1f}", costs.ratio(row)
            if k == 0:
                limit, met = f"{1e3 * WANTED_TIME:g}", _verdict(row.time <= WANTED_TIME)
                shown += f" (at most {limit}: {met})"
            over = "-"
            if ratio is not None:
                over = f"{ratio:.1f}"
                if row.program != OURS:
                    met = _verdict(ratio >= WANTED_RATIO)
                    over += f" (at least {WANTED_RATIO:g}: {met})"
            cells = [row.program, f"`{row.method}`", step, f"{row.error:.1e}", shown, over]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _median(timing: Timing | None) -> str:
    return "-" if timing is None else _us(timing.median)


def _over(timing: Timing | None, reference: Timing | None, limit: float | None) -> str:
    if timing is None or reference is None:
        return "-"
    return _held_against(timing.median / reference.median, limit)


def node_table(records: Sequence[dict[str, Any]], reason: str = "") -> str:
    """Return the table of the latency and load of node and echo, with their configurations.

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
        "| process | configuration | ROS 2 | middleware | rate (Hz) | latency, median (us) | "
        "latency, 99 % (us) | CPU (% of a core) | memory (MB) | samples | lost efforts | "
        "lost in the recording |",
        "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for record in records:
        cells = [
            *(record["process"], _configuration(record), record["distro"], record["rmw"]),
            f"{record['rate']:g}",
            f"{1e6 * record['latency_median']:.0f}",
            f"{1e6 * record['latency_p99']:.0f}",
            f"{100 * record['cpu']:.1f}",
            f"{record['memory'] / 2**20:.0f}",
            f"{record['sent']}",
            f"{record['lost']}",
            f"{_lost_in_recording(record)}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if reason:
        lines.append(f"\nNot measured: {reason}.")
    return "\n".join(lines)


def ratio_table(records: Sequence[dict[str, Any]]) -> str:
    """Return the table of the node's figures over the echo's, beside what is required of them.

    Parameters
    ----------
    records : sequence of dict
        See `node_table`. An echo belongs to the node with its distribution, middleware, topics and
        rate.
    """
    echoes = {_pair(record): record for record in records if record["process"] == "echo"}
    rows = [
        (record, echoes.get(_pair(record))) for record in records if record["process"] == "node"
    ]
    if not rows:
        return "Not measured."
    lines = [
        "| configuration of the node | ROS 2 | rate (Hz) | lost | median latency, node / echo | "
        "CPU, node / echo | CPU of the node (% of a core) |",
        "| --- | --- | ---: | --- | --- | --- | --- |",
    ]
    for node, echo in rows:
        at_full_rate = node["lengths"] and node["rate"] >= FULL_RATE
        latency = cpu = "-"
        if echo is not None:
            latency, cpu = (
                _held_against(node[name] / echo[name], limit if at_full_rate else None)
                for name, limit in (("latency_median", LATENCY_RATIO), ("cpu", CPU_RATIO))
            )
        slow = node["lengths"] and node["rate"] == LOW_RATE
        cells = [
            *(_configuration(node), node["distro"], f"{node['rate']:g}"),
            _losses(node, at_full_rate),
            *(latency, cpu),
            _held_against(100 * node["cpu"], LOW_RATE_CPU if slow else None),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def first_start_table(starts: Mapping[str, FirstStart], sizes: Mapping[str, KernelSizes]) -> str:
    """Return the table of first starts: CPU time, its budget and the compiled instructions."""
    lines = [
        "| start | first: CPU (s) | times the reference | second: CPU (s) | instructions | "
        "with calls written out | us per instruction |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, start in starts.items():
        first = _held_against(start.first, BUDGET.get(name))
        size = sizes[name]
        each = 1e6 * (start.first - start.second) / size.instructions
        lines.append(
            f"| {name} | {first} | {start.ratio:.1f} | {start.second:.2f} | "
            f"{size.instructions} | {size.optimized} | {each:.0f} |"
        )
    return "\n".join(lines)


def _pair(record: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(record[key] for key in ("distro", "rmw", "lengths", "rate"))


def _configuration(record: dict[str, Any]) -> str:
    parts = ["joints and lengths" if record["lengths"] else "all joints in one message"]
    parts += ["markers watched"] if record["viewer"] else []
    parts += ["recorder"] if record["recorder"] else []
    return ", ".join(parts)


def _lost_in_recording(record: dict[str, Any]) -> int:
    # less than nothing: what the recorder has and the receiver of the efforts lost
    return sum(max(0, count) for count in record["lost_in_recording"].values())


def _losses(record: dict[str, Any], required: bool) -> str:
    efforts, messages = record["lost"], _lost_in_recording(record)
    parts = [f"{efforts} of the efforts"] if efforts else []
    parts += [f"{messages} of the messages in the recording"] if messages else []
    shown = f"{', '.join(parts) or 'nothing'} in {record['seconds']:.0f} s"
    if not required:
        return shown
    if not parts and record["seconds"] < LOSSLESS_TIME:
        return f"{shown} (nothing in {LOSSLESS_TIME:g} s: not measured for so long)"
    return f"{shown} (nothing in {LOSSLESS_TIME:g} s: {_verdict(not parts)})"


def _held_against(value: float, limit: float | None) -> str:
    """Return a value, and the most that it may be with whether it is."""
    shown = f"{value:.2f}"
    if limit is None:
        return shown
    return f"{shown} (at most {limit:g}: {_verdict(value <= limit)})"


def _verdict(met: bool) -> str:
    return "met" if met else "**not met**"


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
