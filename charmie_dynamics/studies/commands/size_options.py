# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_size."""

from __future__ import annotations

import sys
from pathlib import Path

from charmie_dynamics.command_line import Parser, run_program
from charmie_dynamics.motions import MOTION_NAMES


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_size",
        "Find the smallest of many motors and gears that can make a motion.",
        "charmie_size --motion wave --table motors.yaml",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--bag", type=Path, metavar="BAG", help="recording of what the robot does")
    what.add_argument(
        "--motion", metavar="NAME", help=f"motion of the package: {', '.join(MOTION_NAMES)}"
    )
    parser.add_argument(
        "--table", type=Path, required=True, metavar="FILE", help="motors and gears (YAML)"
    )
    parser.add_argument("--urdf", metavar="FILE", help="URDF, or a robot of this package")
    parser.add_argument("--mechanisms", type=Path, metavar="FILE", help="mechanisms file")
    parser.add_argument(
        "--actuators",
        nargs="+",
        default=[],
        metavar="NAME",
        help="actuators to size (default: all)",
    )
    parser.add_argument(
        "--duty", type=float, default=1.0, metavar="SHARE",
        help="share of the time in which the motion is made; default: %(default)g",
    )  # fmt: skip
    parser.add_argument(
        "--smallest",
        choices=("rated_torque", "mass", "cost"),
        default="mass",
        help="default: %(default)s",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="picture of speeds and torques, .png or .svg"
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = make_parser().parse_args(arguments)
    return run_program("charmie_size", "charmie_dynamics.studies.commands.size", options, "studies")


if __name__ == "__main__":
    sys.exit(main())
