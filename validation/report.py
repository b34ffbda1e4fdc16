# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run the checks and write the report on them, ``docs/validation.md``.

The report holds no time stamps, so that it changes only where a result or a version does.
"""

from __future__ import annotations

import importlib
import math
import platform
import sys
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from charmie_dynamics import load_model

from . import combinations
from .check import Check
from .sources import source_table

DOCS = Path(__file__).resolve().parents[1] / "docs"
REPORT = "validation.md"
FIGURES = "images"

# Modules of this folder with a function run(figures), and their headings, in the report's order.
MODULES: dict[str, str] = {
    "sanity": "Mechanics that a pencil can check",
    "paper_motions": "The papers' motions, through the model",
    "live_motions": "The papers' motions, through the running node",
    "other_robots": "Other robots, against Pinocchio",
    "mujoco_loops": "Closed loops, against MuJoCo",
    "known_answers": "Simulations of problems with known answers",
    "estimator": "Estimated accelerations",
}
PROGRAMS = (
    *("numpy", "numba", "PyYAML", "matplotlib"),
    *("pin", "example-robot-data", "mujoco-core", "exudyn", "rosbags"),
)
# Small differences depend on the machine: below the first only the power of ten is shown, below the
# second nothing but that.
SMALL = 1e-9
ROUND_OFF = 1e-12


@dataclass(frozen=True)
class Section:
    """Checks of one module, or the reason why there are none."""

    name: str
    checks: tuple[Check, ...] = ()
    reason: str = ""

    @property
    def heading(self) -> str:
        """What the report calls the module."""
        return MODULES.get(self.name, self.name)

    @property
    def holds(self) -> bool:
        """Whether the module ran and each of its checks holds."""
        return not self.reason and all(check.holds for check in self.checks)


def run_modules(names: Iterable[str], figures: Path) -> list[Section]:
    """Run modules, with a line of progress for each on standard error."""
    sections = []
    for name in names:
        print(f"validation: {name} ...", file=sys.stderr, flush=True)
        sections.append(_run_module(name, figures))
    return sections


def _run_module(name: str, figures: Path) -> Section:
    try:
        module = importlib.import_module(f"{__package__}.{name}")
    except ImportError as error:
        return Section(name, reason=f"the Python module `{error.name}` cannot be imported")
    figures.mkdir(parents=True, exist_ok=True)
    try:
        checks = tuple(module.run(figures))
    except Exception as error:  # one broken check must not hide the others
        traceback.print_exc()
        return Section(name, reason=f"it ended with {type(error).__name__}")
    return Section(name, checks, "" if checks else "it made no check")


def make_report(sections: Sequence[Section]) -> str:
    """Return the report as Markdown."""
    lines = [
        "# Validation",
        "",
        "Written by `python -m validation` from the repository root; do not edit. Each check "
        "compares results of this package with something that was not computed by it, or with a "
        "law of mechanics. A check holds where the largest difference is within the limit. "
        f"Differences below {SMALL:g} are shown as powers of ten and those below {ROUND_OFF:g} as "
        "such, since round-off depends on the machine.",
        "",
        *_summary(sections),
    ]
    for section in sections:
        lines += ["", f"## {section.heading}", "", *_section(section)]
    lines += [
        *("", "## Combinations", "", *combinations.section()),
        *("", "## Published and estimated numbers", ""),
        "The checks show that the equations are right, not that the robot is as described: most "
        "masses, limits and springs of CHARMIE are estimates.",
        *("", source_table(load_model()), "", "## Versions", "", *_versions(), ""),
    ]
    return "\n".join(lines)


def number(value: float) -> str:
    """Return a difference as the report shows it."""
    if value < ROUND_OFF:
        return f"< {ROUND_OFF:g}"
    if value < SMALL:
        return f"< 1e{math.floor(math.log10(value)) + 1:03d}"
    return f"{value:.3g}" if value >= 0.1 else f"{value:.2g}"


def _summary(sections: Sequence[Section]) -> list[str]:
    lines = ["| part | checks | hold |", "| --- | --- | --- |"]
    for section in sections:
        hold = sum(check.holds for check in section.checks)
        result = f"not run: {section.reason}" if section.reason else str(hold)
        lines.append(f"| {section.heading} | {len(section.checks)} | {result} |")
    return lines


def _section(section: Section) -> list[str]:
    if section.reason:
        return [f"Not run: {section.reason}."]
    lines = [
        "| check | compared | with | largest difference | limit | holds | remarks |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for check in section.checks:
        brief = "" if _is_long(check.remarks) else check.remarks
        cells = (
            check.title,
            check.compared,
            check.against,
            f"{number(check.largest)} {check.unit}",
            f"{check.limit:g}",
            "yes" if check.holds else "**no**",
            brief,
        )
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    shown: set[str] = set()
    for check in section.checks:
        if _is_long(check.remarks):
            lines += ["", f"**{check.title}.** {check.remarks}"]
        for figure in check.figures:
            if figure not in shown:
                lines += ["", f"![{check.title}]({FIGURES}/{figure})"]
            shown.add(figure)
    return lines


def _is_long(remarks: str) -> bool:
    return "\n" in remarks


def _versions() -> list[str]:
    lines = [f"- {platform.system()} {platform.machine()}, Python {platform.python_version()}"]
    for program in PROGRAMS:
        try:
            lines.append(f"- {program} {metadata.version(program)}")
        except metadata.PackageNotFoundError:
            lines.append(f"- {program}: not installed")
    return lines
