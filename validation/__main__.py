# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run the checks: ``python -m validation [--only NAME ...] [--output DIR]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .report import DOCS, FIGURES, MODULES, REPORT, make_report, run_modules


def main(arguments: list[str] | None = None) -> int:
    """Run the checks and write the report; exit status 0 only if all ran and all hold."""
    parser = argparse.ArgumentParser(
        prog="python -m validation",
        description="Run the checks and write the report on them with its figures.",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=list(MODULES),
        metavar="NAME",
        help=f"run these parts and print their report instead: {', '.join(MODULES)}",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=DOCS,
        metavar="DIR",
        help=f"where {REPORT} and {FIGURES}/ are written, default docs",
    )
    options = parser.parse_args(arguments)
    sections = run_modules(options.only or MODULES, options.output / FIGURES)
    report = make_report(sections)
    if options.only:
        print(report)
    else:
        (options.output / REPORT).write_text(report, encoding="utf-8")
    for section in sections:
        if section.reason:
            print(f"validation: {section.name} not run: {section.reason}", file=sys.stderr)
        for check in section.checks:
            if not check.holds:
                print(
                    f"validation: {section.name}: {check.title}: {check.largest:.3g} is not "
                    f"within {check.limit:g}",
                    file=sys.stderr,
                )
    return 0 if all(section.holds for section in sections) else 1


if __name__ == "__main__":
    sys.exit(main())
