# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identified friction as the section `friction` of a mechanisms file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import yaml

from charmie_dynamics.recordings.compute.analysis import Analysis
from charmie_dynamics.recordings.compute.friction import IdentifiedFriction
from charmie_dynamics.recordings.compute.measured import (
    INACCURATE,
    NOT_DETERMINED,
    EffortComparison,
)
from charmie_dynamics.recordings.compute.summary import effort_units

DIGITS = 6  # more than the accuracy of an identification


def write_friction(path: Path, analysis: Analysis, source: str) -> None:
    """Write the section, see `friction_section`, into a separate file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(friction_section(analysis, source), encoding="utf-8")


def friction_section(analysis: Analysis, source: str) -> str:
    """Return the friction of the actuators as YAML.

    A mechanisms file requires friction that is not negative. Comments report the known values of
    the other actuators, and the offsets, which the file format does not have.

    Parameters
    ----------
    analysis : Analysis
        With measured efforts.
    source : str
        Name of the recording, for the heading.

    Examples
    --------
    >>> from pathlib import Path
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.recordings import analyse
    >>> from charmie_dynamics.recordings import AnalysisSettings
    >>> from charmie_dynamics.recordings import RecordedInputs
    >>> from charmie_dynamics.recordings import friction_section
    >>> with RecordedInputs(Path("bag")) as bag:
    ...     analysis = analyse(load_model(), bag, AnalysisSettings())
    >>> print(friction_section(analysis, source="bag").splitlines()[0])
    # Friction of 'charmie', a section of its mechanisms file.
    """
    comparisons = {comparison.name: comparison for comparison in analysis.comparisons}
    units = effort_units(analysis.model)
    entries: list[str] = []
    left_out: list[str] = []
    for name in analysis.model.actuator_names:
        comparison = comparisons.get(name)
        friction = None if comparison is None else comparison.friction
        reason = _reason(comparison)
        if friction is None or reason:
            left_out.append(f"  # {_plain(name)}: {reason}")
        else:
            offset = f"offset, left out: {_rounded(friction.offset)} {units[name]}"
            entry = friction_entry(name, friction.viscous, friction.coulomb)
            entries.append(f"  {entry}  # {_intervals(friction)}; {offset}")
    heading = (
        f"# Friction of '{_plain(analysis.model.name)}', a section of its mechanisms file.",
        f"# Identified from {_plain(source)}, {analysis.settings.smoothing}.",
        "# viscous: N m s/rad or N s/m; coulomb: N m or N; +-: intervals of 95 %",
        "friction:" if entries else "friction: {}",
    )
    return "\n".join([*heading, *entries, *left_out]) + "\n"


def friction_entry(name: str, viscous: float, coulomb: float) -> str:
    """Return the friction of an actuator as one line of the section, without indent."""
    return line_of_entry(name, {"viscous": _rounded(viscous), "coulomb": _rounded(coulomb)})


def line_of_entry(name: str, values: Mapping[str, float]) -> str:
    """Return an entry of a section of a mechanisms file as one line, without indent."""
    # the inner mapping in braces, all in one line
    text: str = yaml.safe_dump(
        {name: dict(values)}, default_flow_style=None, sort_keys=False, width=math.inf
    )
    return text.strip()


def _reason(comparison: EffortComparison | None) -> str:
    """Return the reason why a mechanisms file cannot contain the friction of an actuator, or ""."""
    if comparison is None:
        return "no effort was measured"
    friction = comparison.friction
    if friction is None:
        return NOT_DETERMINED
    values = f"viscous {_rounded(friction.viscous)}, coulomb {_rounded(friction.coulomb)}"
    if not comparison.is_determined:
        return f"{values}, {_intervals(friction)}: {INACCURATE}"
    if friction.viscous < 0.0 or friction.coulomb < 0.0:
        return f"{values}: expected none below zero; a sign, a factor or the model is wrong"
    return ""


def _intervals(friction: IdentifiedFriction) -> str:
    return f"+-{friction.viscous_half_width:.2g}, +-{friction.coulomb_half_width:.2g}"


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _plain(text: str) -> str:
    """Return a text in one line, with the characters that a comment may contain."""
    return ascii(text)[1:-1]
