# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page of reliability: what a run comes to, and what does not hold."""

from __future__ import annotations

import math
import os
import signal
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tqdm import tqdm

from charmie_dynamics.live import topics
from charmie_dynamics.live.outputs import MEASURED_OUTPUTS, output_topics
from charmie_dynamics.live.tracked_points import point_names
from validation.harness.machine import describe_machine
from validation.harness.pages import fill
from validation.harness.processes import Sizes
from validation.harness.run import Evidence
from validation.harness.tables import bullets, table

from .faults import Kind
from .run import Plan, Recovery, Result, run

MEBIBYTE = 2**20
LOOKS = 5
RECOVERY = 1.0  # s, on a machine that may be busy
RECONNECTION = 5.0  # s; endpoints may take that long to find each other
WARM_UP = 300.0  # s
SHARE = 0.25  # largest, of the warm-up in the run
INTERRUPTED = 130
SHOWN = 6  # kinds of faults on the page


@dataclass(frozen=True)
class Growth:
    """How the process grew after the warm-up.

    Attributes
    ----------
    start, warm, highest, end : Sizes
        At the start; at the end of the warm-up, the median of its last fifth; after it, the
        highest of the medians of so many looks each, and the median of the last fifth. What is
        needed for a moment, while a burst is in the queues, does not count.
    threads, descriptors : int
        How much larger their lowest number is in the last quarter of the time after the warm-up
        than in its first: what is made for a while and given back does not count, what leaks
        does.
    """

    start: Sizes
    warm: Sizes
    highest: Sizes
    end: Sizes
    threads: int
    descriptors: int

    @property
    def memory(self) -> int:
        """By how much resident memory has grown after the warm-up, at most (bytes)."""
        return self.highest.resident - self.warm.resident


def growth(sizes: Sequence[Sizes], plan: Plan) -> Growth:
    """Return how a process grew.

    Raises
    ------
    ValueError
        If there are too few looks at it after the warm-up.
    """
    before = [s for s in sizes if s.time <= plan.warm_up]
    after = [s for s in sizes if s.time > plan.warm_up]
    if len(before) < LOOKS or len(after) < LOOKS:
        raise ValueError(
            f"expected at least {LOOKS} looks at the process in the warm-up and as many after it, "
            f"got {len(before)} and {len(after)}"
        )
    size = max(1, len(before) // 5)
    parts = [after[k - size : k] for k in range(len(after), size - 1, -size)]
    quarter = len(after) // 4
    first, last = after[:quarter], after[-quarter:]
    return Growth(
        start=sizes[0],
        warm=_summary(statistics.median, before[-size:]),
        highest=_summary(max, [_summary(statistics.median, part) for part in parts]),
        end=_summary(statistics.median, after[-max(1, len(after) // 5) :]),
        threads=min(s.threads for s in last) - min(s.threads for s in first),
        descriptors=min(s.descriptors for s in last) - min(s.descriptors for s in first),
    )


def _summary(of: Callable[[Sequence[float]], Any], sizes: Sequence[Sizes]) -> Sizes:
    return Sizes(*(of(column) for column in zip(*sizes, strict=True)))


def by_kind(result: Result) -> dict[Kind, list[Recovery]]:
    """Return the recoveries of each kind of fault that was injected."""
    found: dict[Kind, list[Recovery]] = {kind: [] for kind in result.plan.kinds}
    for recovery in result.recoveries:
        found[recovery.kind].append(recovery)
    return found


def problems(result: Result, most_growth: int) -> list[str]:
    """Return what does not hold.

    Parameters
    ----------
    result : Result
    most_growth : int
        Of the resident memory after the warm-up (bytes).
    """
    found = []
    if result.died:
        found.append("the node ended by itself")
    if result.status != 0:
        found.append(f"the node's exit status is {result.status}; expected 0")
    if "Traceback" in result.log:
        found.append("the node has logged a traceback")
    for name, count in result.not_finite.items():
        found.append(f"{count} messages on {name} with a number that is not finite")
    for what, count in result.wrong.items():
        found.append(f"{count} times {what}")
    # the good signal has no measured efforts, the node neither world nor contacts, and the robot no
    # linear actuators that share a load
    absent = {topics.CLEARANCE, topics.CONTACT_FORCES, topics.FLOOR_CONTACTS}
    absent.add(topics.CYLINDER_EFFORTS)
    absent |= {output.topic for output in MEASURED_OUTPUTS}
    for topic in (topic for topic in output_topics(point_names()) if topic not in absent):
        if not result.received[topic.name]:
            found.append(f"nothing was received on {topic.name}")
    ended_early = result.interrupted or result.died
    for kind, recoveries in by_kind(result).items():
        if recoveries or not ended_early:
            found += _problems_of_kind(kind, recoveries)
    if ended_early:
        return found
    grown = growth(result.sizes, result.plan)
    if grown.memory > most_growth:
        found.append(
            f"resident memory grew by {grown.memory / MEBIBYTE:.2f} MiB after the warm-up; "
            f"expected at most {most_growth / MEBIBYTE:.2f} MiB"
        )
    for what, count in (("threads", grown.threads), ("file descriptors", grown.descriptors)):
        if count > 0:
            found.append(f"{count} more {what} at the end than after the warm-up")
    return found


def _problems_of_kind(kind: Kind, recoveries: Sequence[Recovery]) -> list[str]:
    if not recoveries:
        return [f"'{kind.name}' was never injected"]
    limit = RECONNECTION if kind.reconnects else RECOVERY
    late = [r for r in recoveries if r.seconds is None or r.seconds > limit]
    found = []
    if late:
        found.append(
            f"'{kind.name}': no output of a valid sample within {limit:g} s, "
            f"{len(late)} times of {len(recoveries)}"
        )
    # on a busy machine samples may wait, and the newest of them is taken: but not most times
    skipped = statistics.median_low([r.skipped for r in recoveries])
    if len(recoveries) > 1 and skipped > kind.skipped and not kind.reconnects:
        found.append(
            f"'{kind.name}': {skipped} valid samples without an output most times; expected at "
            f"most {kind.skipped}"
        )
    return found


def run_lines(result: Result, machine: Sequence[str]) -> str:
    """Return what was run on what, as a list."""
    plan, environment = result.plan, os.environ
    return bullets(
        [
            *machine,
            f"ROS 2 {environment.get('ROS_DISTRO', 'unknown')}, middleware "
            f"{environment.get('RMW_IMPLEMENTATION', 'default')}",
            f"{result.seconds / 60.0:.1f} min at {plan.rate:g} Hz, seed {plan.seed}: {result.good} "
            f"valid samples, {len(result.recoveries)} faults of {len(plan.kinds)} kinds",
        ]
    )


def growth_table(result: Result) -> str:
    """Return memory, threads and file descriptors."""
    grown, warm_up = growth(result.sizes, result.plan), result.plan.warm_up
    columns = (grown.start, grown.warm, grown.end, grown.highest)
    after = f"after {warm_up / 60.0:.1f} min"
    rows = []
    for what, index in (("resident memory (MiB)", 1), ("of which unshared (MiB)", 2)):
        rise = (grown.highest[index] - grown.warm[index]) / MEBIBYTE
        rows.append((what, *(f"{s[index] / MEBIBYTE:.2f}" for s in columns), f"{rise:+.2f}"))
    for what, index, rise in (("threads", 3, grown.threads), ("descriptors", 4, grown.descriptors)):
        rows.append((what, *(f"{s[index]:.0f}" for s in columns), f"{rise:+d}"))
    heads = ("", ">at the start", f">{after}", ">at the end", f">highest median {after}", ">growth")
    texts = [table(heads, rows)]
    for words, looks in (
        ("readings at rest", result.sizes),
        ("readings while large messages were in transit or not yet released", result.unsettled),
    ):
        parts = [s for s in looks if s.time <= warm_up], [s for s in looks if s.time > warm_up]
        most = [
            f"{max(s.resident for s in part) / MEBIBYTE:.2f} MiB" if part else "-" for part in parts
        ]
        texts.append(
            f"Highest resident memory of the {len(looks)} {words}: {most[0]} in the first "
            f"{warm_up / 60.0:.1f} min, {most[1]} after them."
        )
    return "\n\n".join(texts)


def outputs_lines(result: Result) -> str:
    """Return the counts of outputs, as a list."""
    return bullets(
        [
            f"{sum(result.received.values())} messages on {len(result.received)} topics, "
            f"{sum(result.not_finite.values())} with a non-finite number",
            f"{result.received[topics.ACTUATOR_EFFORTS.name]} messages of efforts, "
            f"{sum(result.wrong.values())} wrong: with positions other than those sent, or of a "
            "sample that had to be refused",
            f"exit status {result.status}, {result.log.count('Traceback')} tracebacks and "
            f"{result.log.count('[WARN]')} warnings in the log",
        ]
    )


class Recovered(NamedTuple):
    """How the node recovered from a kind of fault, or from several."""

    name: str
    times: int
    recovered: int
    median: float  # ms
    longest: float  # ms
    skipped: int  # valid samples without output, the median
    most_skipped: int


def recovered(result: Result) -> list[Recovered]:
    """Return the recovery from each kind of fault."""
    rows = []
    for kind, recoveries in by_kind(result).items():
        times = [1e3 * r.seconds for r in recoveries if r.seconds is not None] or [math.nan]
        skipped = [r.skipped for r in recoveries if r.seconds is not None] or [0]
        rows.append(
            Recovered(
                *(kind.name, len(recoveries), sum(r.seconds is not None for r in recoveries)),
                *(statistics.median(times), max(times)),
                *(statistics.median_low(skipped), max(skipped)),
            )
        )
    return rows


def slowest(rows: Sequence[Recovered], count: int = SHOWN) -> list[Recovered]:
    """Return the rows with the longest recovery, and one of the largest values of the others."""
    ordered = sorted(rows, key=lambda row: -row.longest)
    first, others = ordered[:count], ordered[count:]
    if not others:
        return first
    columns = list(zip(*others, strict=True))
    sums, largest = (sum(column) for column in columns[1:3]), map(max, columns[3:])
    return [*first, Recovered(f"{len(others)} other kinds, at most", *sums, *largest)]


def faults_table(rows: Sequence[Recovered]) -> str:
    """Return the table of recoveries."""
    cells = [
        (
            *(row.name, row.times, row.recovered, f"{row.median:.1f}", f"{row.longest:.1f}"),
            f"{row.skipped} ({row.most_skipped})",
        )
        for row in rows
    ]
    heads = ("fault", ">times", ">recovered", ">median (ms)", ">longest (ms)",
             ">valid samples without output, median (most)")  # fmt: skip
    return table(heads, cells)


def make(minutes: float = 60.0, seed: int = 1) -> Evidence:
    """Run the node on good input with faults mixed in, and return the page.

    An interrupt ends the run with what was seen until then.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    seconds = 60.0 * minutes
    plan = Plan(seconds, min(WARM_UP, SHARE * seconds), seed=seed)
    processor, system, _, load = describe_machine(os.getloadavg()[0])
    with tqdm(total=round(seconds), unit="s", desc="soak", smoothing=0.0) as bar:

        def show(result: Result) -> None:
            resident = result.sizes[-1].resident / MEBIBYTE
            bar.set_postfix_str(f"faults: {len(result.recoveries)}, {resident:.1f} MiB", False)
            bar.update(min(round(seconds), round(result.seconds)) - bar.n)

        result = run(plan, show)
    sections = {
        "run": run_lines(result, (processor, system, load)),
        "outputs": outputs_lines(result),
        "faults": faults_table(slowest(recovered(result))),
    }
    found = problems(result, MEBIBYTE)
    if result.interrupted or result.died:
        print("\n\n".join([*sections.values(), *found]))
        raise SystemExit(INTERRUPTED if result.interrupted else 1)
    sections["growth"] = growth_table(result)
    page, every = fill("reliability", sections), faults_table(recovered(result))
    return Evidence({"reliability.md": page}, found, {"reliability.md": f"{every}\n"})
