# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_evaluate."""

from __future__ import annotations

import sys
from pathlib import Path

from charmie_dynamics.command_line import Parser, run_program
from charmie_dynamics.learning.registry import TASKS
from charmie_dynamics.tasks.options import positive_count


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_evaluate",
        "Measure the success of a policy in worlds that it has not seen.",
        "charmie_evaluate policy/policy.npz Reach-v0 --episodes 100",
    )
    parser.add_argument(
        "policy",
        metavar="POLICY",
        help="file (npz), a task (its policy in the package), demonstration, or zero (no action)",
    )
    parser.add_argument("task", metavar="TASK", help=f"one of {', '.join(TASKS)}")
    parser.add_argument(
        "--episodes", type=positive_count, default=1000, metavar="N", help="default: %(default)d"
    )
    parser.add_argument(
        "--worlds", type=positive_count, default=64, metavar="N",
        help="worlds side by side; the results do not depend on it; default: %(default)d",
    )  # fmt: skip
    parser.add_argument(
        "--film", type=Path, metavar="FILE", help="also write the first five episodes as a GIF"
    )
    parser.add_argument(
        "--randomise", metavar="NAME=X,...", help="as of Randomisation: masses=0.1,delay=0.02"
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = make_parser().parse_args(arguments)
    return run_program("charmie_evaluate", "charmie_dynamics.learning.commands.evaluate", options)


if __name__ == "__main__":
    sys.exit(main())
