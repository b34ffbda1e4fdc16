# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_import."""

from __future__ import annotations

import sys
from pathlib import Path

from charmie_dynamics.command_line import Parser, run_program


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_import",
        "Convert a robot with its loops from MJCF or SDF to a URDF and a mechanisms file.",
        "charmie_import cassie.xml --out cassie",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="MJCF (.xml) or SDF (.sdf)")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="for the files of the robot"
    )
    parser.add_argument(
        "--driven",
        nargs="+",
        metavar="JOINT",
        help="joints with motors (default: those of the file's actuators); others in loops are "
        "passive",
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = make_parser().parse_args(arguments)
    program = "charmie_dynamics.conversion.import_command"
    return run_program("charmie_import", program, options, "mjcf")


if __name__ == "__main__":
    sys.exit(main())
