# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables of robots on a floor, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from .contact_batches import BatchCost
from .contact_cases import PERIOD
from .contact_speed import LOST, OURS, OWN, THEIRS, ContactCosts, Row
from .contact_steps import METHODS, StiffFoot

WANTED_RATIO = 1.0  # MuJoCo over this package at the same accuracy
WANTED = {"athena": 20.0}  # times real time, with the contacts of the world file
ACCURATE = 1e-4  # m, for what is wanted


def speed_table(costs: Sequence[ContactCosts]) -> str:
    """Return the table of all robots, beside what is wanted of them."""
    lines = [
        "| robot | program | contacts | method | step (ms) | error (um) | times real time | "
        "times as long as ours that is as exact |",
        "| --- | --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for cost in costs:
        quickest = _quickest(cost)
        for row in cost.rows:
            program, contact, method, steps = row.subject
            cells = [cost.robot, program, contact, f"`{method}`", f"{1e3 * PERIOD / steps:g}"]
            if row.time is None:
                cells += [f"not timed: {row.reason}", "", ""]
            else:
                cells += [_error(row), _speed(cost, row, row is quickest), _ratio(cost, row)]
            lines.append(f"| {' | '.join(cells)} |")
    for cost in costs:
        if cost.gap == cost.gap:
            lines.append(
                f"\n{cost.robot}: with the shortest steps and the same contacts the bases of both "
                f"programs are never more than {1e6 * cost.gap:.2g} um apart."
            )
    return "\n".join(lines)


def steps_table(feet: Sequence[StiffFoot]) -> str:
    """Return the table of what stiff feet cost."""
    head = "".join(f"`{method}`: step (ms) | error (um) | times real time | " for method in METHODS)
    lines = [
        f"| foot | E (MPa) | K (N/m^1.5) | pressed in by (um) | {head}".rstrip(),
        f"| --- |{' ---: |' * (3 + 3 * len(METHODS))}",
    ]
    for foot in feet:
        cells = [foot.material, f"{1e-6 * foot.young:g}", f"{foot.stiffness:.1e}"]
        cells.append(f"{1e6 * foot.indentation:.2g}")
        for method in METHODS:
            cells += [f"{1e3 * foot.steps[method]:.3g}", f"{1e6 * foot.errors[method]:.2g}"]
            cells.append(f"{foot.real_times[method]:.1f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def batches_table(costs: Sequence[BatchCost]) -> str:
    """Return the table of batches."""
    cores = [count for count in costs[0].gain if count > 1]
    more = "".join(f"gain by {count} cores | CPU time, by one core's | " for count in cores)
    lines = [
        f"| robot | plants | times real time, all together | {more}"
        "share that no second core can take |",
        f"| --- |{' ---: |' * (3 + 2 * len(cores))}",
    ]
    for cost in costs:
        cells = [cost.robot, f"{cost.plants}", f"{cost.real_times:.1f}"]
        for count in cores:
            cells += [f"{cost.gain[count]:.2f}", f"{cost.work[count]:.2f}"]
        cells.append(f"{100.0 * cost.alone:.1f} %")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _quickest(cost: ContactCosts) -> Row | None:
    """Return the quickest of our rows with the contacts of the world file that is accurate."""
    fit = [
        row
        for row in cost.rows
        if row.subject[:2] == (OURS, OWN) and row.time is not None and row.error <= ACCURATE
    ]
    return max(fit, key=lambda row: row.real_times, default=None)


def _error(row: Row) -> str:
    return f"{1e6 * row.error:.2g}" if row.error <= LOST else "another motion"


def _speed(cost: ContactCosts, row: Row, is_quickest: bool) -> str:
    shown, wanted = f"{row.real_times:.1f}", WANTED.get(cost.robot)
    if not is_quickest or wanted is None:
        return shown
    return f"{shown} (at least {wanted:g}: {_verdict(row.real_times >= wanted)})"


def _ratio(cost: ContactCosts, row: Row) -> str:
    ratio = cost.ratio(row)
    if ratio is None:
        return "-"
    if row.subject.program != THEIRS:
        return f"{ratio:.1f}"
    return f"{ratio:.1f} (at least {WANTED_RATIO:g}: {_verdict(ratio >= WANTED_RATIO)})"


def _verdict(met: bool) -> str:
    return "met" if met else "**not met**"
