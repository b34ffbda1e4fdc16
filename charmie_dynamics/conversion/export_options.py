# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_export."""

from __future__ import annotations

import sys
from pathlib import Path

from charmie_dynamics.command_line import Parser, run_program


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_export",
        "Write a robot with its loops as MJCF, and compare its efforts with those of MuJoCo.",
        "charmie_export delta --mjcf delta.xml",
    )
    parser.add_argument("urdf", metavar="ROBOT", help="URDF, or a robot of this package")
    parser.add_argument("--mechanisms", type=Path, metavar="FILE", help="mechanisms file")
    parser.add_argument(
        "--mjcf", type=Path, required=True, metavar="FILE", help="file that is written"
    )
    parser.add_argument(
        "--mass",
        type=float,
        default=1e-6,
        metavar="KG",
        help="of bodies without mass, which MuJoCo does not move; default: %(default)g",
    )
    parser.add_argument(
        "--poses",
        type=int,
        default=20,
        metavar="COUNT",
        help="random poses in which efforts are compared; default: %(default)d",
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = make_parser().parse_args(arguments)
    program = "charmie_dynamics.conversion.export_command"
    return run_program("charmie_export", program, options, "mjcf")


if __name__ == "__main__":
    sys.exit(main())
