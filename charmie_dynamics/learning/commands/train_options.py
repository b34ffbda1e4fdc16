# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_train."""

from __future__ import annotations

import sys
from pathlib import Path

from charmie_dynamics.command_line import Parser, run_program
from charmie_dynamics.learning.registry import TASKS
from charmie_dynamics.recordings.read.option_values import positive
from charmie_dynamics.tasks.options import positive_count


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_train",
        "Train a network for a task, with progress, curves and checkpoints.",
        "charmie_train Reach-v0 --minutes 10 --out reach",
    )
    parser.add_argument("task", metavar="TASK", help=f"one of {', '.join(TASKS)}")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of everything random; default: 0"
    )
    parser.add_argument(
        "--minutes", type=positive, default=10.0, metavar="M",
        help="end after the round in which this time is over; default: %(default)g",
    )  # fmt: skip
    parser.add_argument(
        "--rounds", type=positive_count, metavar="N",
        help="end after so many rounds, whatever their time",
    )  # fmt: skip
    parser.add_argument(
        "--worlds", type=positive_count, default=64, metavar="N",
        help="worlds side by side; default: %(default)d",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, default=Path("policy"), metavar="DIR",
        help="folder of results; a training that was stopped there continues; "
        "default: %(default)s",
    )  # fmt: skip
    parser.add_argument(
        "--randomise", metavar="NAME=X,...", help="as of Randomisation: masses=0.1,delay=0.02"
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = make_parser().parse_args(arguments)
    return run_program(
        "charmie_train", "charmie_dynamics.learning.commands.train", options, "learning"
    )


if __name__ == "__main__":
    sys.exit(main())
