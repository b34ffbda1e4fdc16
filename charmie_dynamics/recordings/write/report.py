# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Reports of an analysis: a text for people, plain values for JSON."""

from __future__ import annotations

import argparse
import math
from dataclasses import asdict
from typing import Any

from charmie_dynamics.recordings.compute.analysis import Analysis
from charmie_dynamics.recordings.compute.contacts import contact_lines
from charmie_dynamics.recordings.compute.measured import comparison_table
from charmie_dynamics.recordings.compute.summary import effort_units, summary_table


def as_dict(analysis: Analysis, notices: list[str]) -> dict[str, Any]:
    """Return the summary as plain values; unknown or infinite values are None."""
    start = int(analysis.cycles.arrivals[0])
    contacts = analysis.contacts
    comparisons = [
        {**vars(c), "friction": None if c.friction is None else vars(c.friction)}
        for c in analysis.comparisons
    ]
    summary = {
        "robot": analysis.model.name,
        "smoothing": analysis.settings.smoothing,
        "cycles": len(analysis.cycles.stamps),
        "settling_cycles": int((~analysis.cycles.settled).sum()),
        "duration": analysis.duration,
        "payloads": [change.as_dict(start) for change in analysis.loads.since(start)],
        "wrenches": dict(analysis.loads.wrenches),
        "actuators": [summary.as_dict() for summary in analysis.summaries],
        "measured": comparisons,
        "contact_forces": None
        if analysis.contact_forces is None
        else asdict(analysis.contact_forces),
        "contacts": None if contacts is None else [asdict(contact) for contact in contacts],
        "notices": notices,
    }
    return {key: _finite(value) for key, value in summary.items()}


def _finite(value: Any) -> Any:
    """Return a value with None for numbers that JSON cannot represent."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    return value


def report(analysis: Analysis, options: argparse.Namespace, seconds: float) -> str:
    """Return the text to print."""
    duration = analysis.duration
    loads = analysis.loads.summary(int(analysis.cycles.arrivals[0]))
    parts = [
        f"{analysis.model.name}: {len(analysis.cycles.stamps)} cycles over {duration:.2f} s, "
        f"computed in {seconds:.2f} s, {duration / seconds:.3g} times as fast as real time",
    ]
    settled = analysis.cycles.settled
    if not settled.all():
        what = "not judged" if settled.any() else "judged, since no others exist"
        parts.append(
            f"{int((~settled).sum())} of the cycles are from estimates that were settling after a "
            f"start, gap or pause: {what}"
        )
    parts += ["\n".join(loads)] if loads else []
    if analysis.summaries:
        parts.append(summary_table(analysis.summaries))
    if analysis.contact_forces is not None:
        parts.append(analysis.contact_forces.lines())
    if options.measured and analysis.comparisons:
        units = effort_units(analysis.model)
        parts.append(comparison_table(analysis.comparisons, units))
        if analysis.contacts is not None:
            parts.append(contact_lines(analysis.contacts, units))
    return "\n\n".join(parts)
