# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run the checks and report on them: ``docs/validation.md``, ``build/reports/validation.md``.

The page has one row for checks of the same kind, with their largest difference; the report in
``build`` has every check with its remarks and tables. Neither has time stamps, so that it changes
only where a result or a version does.
"""

from __future__ import annotations

import importlib
import math
import platform
import sys
import traceback
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from charmie_dynamics import load_model

from .check import Check
from .equations import code_of_equations
from .harness.pages import IMAGES, renew
from .harness.run import Evidence
from .harness.tables import bullets, table
from .sources import source_table

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


class Section(NamedTuple):
    """Checks of one module, or the reason why there are none."""

    name: str
    checks: Sequence[Check] = ()
    reason: str = ""


def run_module(name: str, figures: Path) -> Section:
    """Run the checks of a module; one broken check must not hide the others."""
    print(f"validation: {name} ...", file=sys.stderr, flush=True)
    try:
        module = importlib.import_module(f"{__package__}.{name}")
        checks = tuple(module.run(figures))
    except ImportError as error:
        return Section(name, reason=f"the Python module `{error.name}` cannot be imported")
    except Exception as error:
        traceback.print_exc()
        return Section(name, reason=f"it ended with {type(error).__name__}")
    return Section(name, checks, "" if checks else "it made no check")


def make(parts: Sequence[str] = ()) -> Evidence:
    """Return the report, or the sections of some modules, and what does not hold."""
    sections = [run_module(name, IMAGES) for name in parts or MODULES]
    faults = [f"{one.name} not run: {one.reason}" for one in sections if one.reason]
    faults += [
        f"{one.name}: {check.title}: {check.largest:.3g} is not within {check.limit:g}"
        for one in sections
        for check in one.checks
        if not check.holds
    ]
    details = "\n\n".join(f"## {MODULES[one.name]}\n\n{described(one)}" for one in sections)
    if parts:
        return Evidence({"sections": details}, faults)
    found = page(sections, source_table(load_model()), bullets(versions()))
    return Evidence({"validation.md": found}, faults, {"validation.md": f"{details}\n"})


def page(sections: Sequence[Section], sources: str, versions: str) -> str:
    """Return the page of the sections, the table of sources and the list of versions."""
    rows = []
    for one in sections:
        hold = sum(check.holds for check in one.checks)
        result = f"not run: {one.reason}" if one.reason else hold
        rows.append((f"`{one.name}`", len(one.checks), result))
    found = {
        "summary": table(("part", ">checks", ">hold"), rows),
        **{one.name: summarised(one) for one in sections},
        "sources": sources,
        "versions": versions,
    }
    return renew("validation", found, code_of_equations())


def summarised(section: Section) -> str:
    """Return a table with one row for checks of the same kind, and the figures."""
    if section.reason:
        return f"Not run: {section.reason}."
    kinds: dict[tuple[str, ...], list[Check]] = {}
    for check in section.checks:
        subject, colon, _ = check.title.partition(": ")
        key = subject if colon else "", check.compared, check.against, check.unit
        kinds.setdefault(key, []).append(check)
    rows = []
    for (subject, compared, against, unit), checks in kinds.items():
        limit = " to ".join(f"{value:g}" for value in sorted({check.limit for check in checks}))
        several = subject and len(checks) > 1
        titles = "; ".join(check.title for check in checks)
        name = f"{subject}: {len(checks)} quantities" if several else titles
        failed = "" if all(check.holds for check in checks) else ", **not met**"
        largest = f"{number(max(check.largest for check in checks))} {unit}{failed}"
        cells = name, compared, against, largest, limit
        rows.append([cell.replace("|", "/") for cell in cells])
    heads = ("check", "compared", "with", "largest difference", "limit")
    return "\n\n".join([table(heads, rows), *figures_of(section)])


def figures_of(section: Section) -> list[str]:
    """Return the figures of the checks, each once."""
    titles: dict[str, str] = {}
    for check in section.checks:
        for figure in check.figures:
            titles.setdefault(figure, check.title)
    return [f"![{title}](images/{figure})" for figure, title in titles.items()]


def number(value: float) -> str:
    """Return a difference as the report shows it."""
    if value < ROUND_OFF:
        return f"< {ROUND_OFF:g}"
    if value < SMALL:
        return f"< 1e{math.floor(math.log10(value)) + 1:03d}"
    return f"{value:.3g}" if value >= 0.1 else f"{value:.2g}"


def described(section: Section) -> str:
    """Return the table of the checks, with their longer remarks."""
    if section.reason:
        return f"Not run: {section.reason}."
    rows, texts = [], []
    for check in section.checks:
        long = "\n" in check.remarks
        cells = (
            *(check.title, check.compared, check.against, f"{number(check.largest)} {check.unit}"),
            *(f"{check.limit:g}", "yes" if check.holds else "**no**"),
            "" if long else check.remarks,
        )
        rows.append([cell.replace("|", "/") for cell in cells])
        if long:
            texts.append(f"**{check.title}.** {check.remarks}")
    heads = ("check", "compared", "with", "largest difference", "limit", "holds", "remarks")
    return "\n\n".join([table(heads, rows), *texts])


def versions() -> list[str]:
    """Return the system, and the versions of the programs that are compared."""
    lines = [f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"]
    for program in PROGRAMS:
        try:
            lines.append(f"{program} {metadata.version(program)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{program}: not installed")
    return lines
