# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_study."""

from __future__ import annotations

import sys
from pathlib import Path

from charmie_dynamics.command_line import Parser, run_program
from charmie_dynamics.tasks.options import add_workers

PACKAGE_STUDIES = (
    *("balancing", "bought_springs", "exact_lift", "exact_torso", "lift_springs", "torso_front"),
    "torso_springs",
)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_study",
        "Vary numbers of a robot's files within bounds, and find those with which it "
        "needs the smallest efforts, or that meet other objectives of the study file. Results are "
        "kept: the same command continues after an interrupt.",
        "charmie_study lift_springs --workers 2",
    )
    parser.add_argument(
        "study", type=Path, metavar="FILE", help="study file (YAML), or the name of a "
        "study of the package: " + ", ".join(PACKAGE_STUDIES),
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, metavar="DIR",
        help="folder of the results; default: the name of FILE without its ending",
    )  # fmt: skip
    add_workers(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("--no-pictures", action="store_true", help="tables and files only")
    parser.add_argument(
        "--theme", choices=("light", "dark"), default="light",
        help="colours of the pictures; default: %(default)s",
    )  # fmt: skip
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = make_parser().parse_args(arguments)
    return run_program(
        "charmie_study", "charmie_dynamics.studies.commands.study", options, "studies"
    )


if __name__ == "__main__":
    sys.exit(main())
