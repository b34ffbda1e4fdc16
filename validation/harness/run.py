# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The one command that makes pages of docs/ with computed contents: `python -m validation`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

from .pages import DETAILS, DOCS

# What can be made, and the module whose function `make` makes it, in this order.
MODULES = {
    "equations": "validation.equations",
    "contact": "validation.contact_laws",
    "machines": "validation.machines",
    "reference": "validation.interface",
    "walking": "validation.walking",
    "control": "validation.control",
    "balancing": "validation.balancing",
    "identification": "validation.identification",
    "analysis": "validation.measured_efforts",
    "simulator": "validation.simulator",
    "controller": "validation.executed_goals",
    "validation": "validation.report",
    "studies": "benchmarks.studies",
    "symbolic": "benchmarks.symbolic",
    "performance": "benchmarks.performance",
    "loops": "benchmarks.loops",
    "reliability": "soak.report",
}
# Made if asked for: of a recording, two by scripts/bench, and by scripts/soak, which takes an hour.
ASKED_FOR = ("analysis", "performance", "loops", "reliability")


class Evidence(NamedTuple):
    """Texts by their paths in docs/, what did not hold, and complete tables for build/reports."""

    pages: dict[str, str]
    faults: Sequence[str] = ()
    details: Mapping[str, str] = MappingProxyType({})


def make(name: str, **options: Any) -> Evidence:
    """Make one page, or a group of pages; its figures are written on the way."""
    evidence: Evidence = import_module(MODULES[name]).make(**options)
    return evidence


def main(arguments: list[str] | None = None) -> int:
    """Make pages; exit status 0 only if all that has to holds, and with ``--check`` is the same."""
    parser = argparse.ArgumentParser(
        prog="python -m validation", description="Make pages of docs/ with their figures."
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=list(MODULES),
        metavar="NAME",
        help=f"of {', '.join(MODULES)}; default: all but {', '.join(ASKED_FOR)}",
    )
    parser.add_argument(
        "--set",
        nargs="+",
        default=[],
        metavar="OPTION=VALUE",
        help="options of the function `make` of the module, as YAML",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--print", action="store_true", help="print the complete tables, or the pages, instead"
    )
    group.add_argument("--check", action="store_true", help="compare with docs/ instead")
    given = parser.parse_args(arguments)
    options = {
        name: yaml.safe_load(text) for name, _, text in (o.partition("=") for o in given.set)
    }
    faults: list[str] = []
    for name in given.only or [name for name in MODULES if name not in ASKED_FOR]:
        print(f"{name} ...", file=sys.stderr, flush=True)
        found = make(name, **options)
        faults += [f"{name}: {fault}" for fault in found.faults]
        if given.print:
            print("\n\n".join((found.details or found.pages).values()))
            continue
        for page, text in found.details.items():
            if not given.check:
                DETAILS.mkdir(parents=True, exist_ok=True)
                (DETAILS / page).write_text(text, encoding="utf-8")
        for page, text in found.pages.items():
            if not given.check:
                (DOCS / page).write_text(text, encoding="utf-8")
            elif text != (DOCS / page).read_text(encoding="utf-8"):
                faults.append(f"{name}: docs/{page} differs; `--only {name}` makes it")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0
