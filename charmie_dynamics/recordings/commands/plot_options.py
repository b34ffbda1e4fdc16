# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_plot."""

from __future__ import annotations

import sys
from pathlib import Path

from charmie_dynamics.command_line import Parser, run_program

from .bag_options import add_bag_options

TOPICS = ("efforts", "tools", "base_load", "stability")


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_plot",
        "Draw charts of a bag: efforts of the actuators, paths of the tools, load "
        "on the base, zero-moment point and tip-over margin. One file for each.",
        "charmie_plot demo_output/bag --theme dark --format svg",
    )
    add_bag_options(parser)
    parser.add_argument(
        "--output", type=Path, default=Path("plots"), metavar="DIR",
        help="output folder (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=("png", "svg"), default="png", help="file format (default: %(default)s)"
    )
    parser.add_argument(
        "--theme", choices=("light", "dark"), default="light", help="colours; default: %(default)s"
    )
    parser.add_argument(
        "--topics", nargs="+", choices=TOPICS, default=TOPICS, metavar="TOPIC",
        help=f"charts to draw: {', '.join(TOPICS)} (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--tools", nargs="+", default=(), metavar="FRAME",
        help="frames whose paths are drawn, at most six; default: those that end in 'tool', else "
        "the last links",
    )  # fmt: skip
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = make_parser().parse_args(arguments)
    return run_program(
        "charmie_plot", "charmie_dynamics.recordings.commands.plot", options, "pictures"
    )


if __name__ == "__main__":
    sys.exit(main())
