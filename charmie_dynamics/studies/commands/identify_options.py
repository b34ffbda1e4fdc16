# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_identify."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from charmie_dynamics.command_line import Parser, run_program
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.recordings.read.option_values import (
    TOPIC_OPTIONS,
    add_robot,
    add_topics,
    positive,
)
from charmie_dynamics.tasks.options import positive_count, whole_number

Number = tuple[str, Callable[[str], float], float, str, str]
# options with numbers: name, type, default, unit, meaning
SETTINGS: tuple[Number, ...] = (
    ("--timeout", positive, DEFAULTS.input_timeout, "S", "age from which an input is stale"),
    ("--period", positive, 0.1, "S", "time over which rows are averaged"),
    ("--parts", int, 2, "N", "parts of the data, each predicted from the others"),
)
SHAPE: tuple[Number, ...] = (
    ("--duration", positive, 20.0, "S", "duration of the motion"),
    ("--harmonics", int, 5, "N", "harmonics of the Fourier series of each actuator"),
    ("--cycle", positive, 10.0, "S", "period of the Fourier series, repeated"),
)
SEARCH: tuple[Number, ...] = (
    ("--margin", positive, 0.05, "M", "smallest tip-over margin in m"),
    ("--rounds", positive_count, 20, "N", "rounds of the search"),
    ("--seed", whole_number, 0, "N", "seed"),
)
# options that only identifications, or only proposals, use
OF_RECORDINGS = (
    *("--out", "--no-pictures", "--theme", "--hold", "--payload", "--actuators", *TOPIC_OPTIONS),
    "--find-payload",
    *("--effort-factor", "--columns", "--frame-prefix", "--cutoff", "--effort-cutoff"),
    *(name for name, *_ in SETTINGS),
)
OF_PROPOSALS = ("--still", *(name for name, *_ in (*SHAPE, *SEARCH)))


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_identify",
        "Identify the masses, friction, springs and rotors of a robot from recordings with "
        "measured efforts, and write a URDF, a mechanisms file and a report; or propose a motion "
        "that determines these parameters.",
        "charmie_identify recording --out identified",
    )
    parser.add_argument(
        "recordings", type=Path, nargs="*", metavar="BAG",
        help="folder of a rosbag2, one of its files (.mcap, .db3, .zstd), or with --columns a "
        "table",
    )  # fmt: skip
    out = parser.add_argument_group("output")
    out.add_argument("--out", type=Path, metavar="DIR", help="folder of the results")
    out.add_argument(
        "--no-pictures", action="store_true", help="omit pictures; needs no matplotlib"
    )
    out.add_argument(
        "--theme", choices=("light", "dark"), default="light", help="colours of the pictures"
    )
    add_robot(parser)
    unknowns = parser.add_argument_group("unknown parameters")
    unknowns.add_argument(
        "--find-payload", metavar="NAME",
        help="mass and centre of a load on a payload or a link, and friction; masses, springs and "
        "rotors stay as described",
    )  # fmt: skip
    unknowns.add_argument("--no-inertials", action="store_true", help="keep described masses")
    unknowns.add_argument("--no-friction", action="store_true", help="omit friction")
    unknowns.add_argument("--no-springs", action="store_true", help="keep described springs")
    unknowns.add_argument(
        "--rotors", action=argparse.BooleanOptionalAction,
        help="rotor inertia of each actuator (default: if described, or determined by the data)",
    )  # fmt: skip
    unknowns.add_argument("--offsets", action="store_true", help="constant effort of each actuator")
    unknowns.add_argument(
        "--actuators", nargs="+", default=[], metavar="NAME",
        help="actuators with used efforts (default: all measured ones)",
    )  # fmt: skip
    _add_settings(parser)
    _add_proposal(parser)
    return parser


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = make_parser()
    options, absent = _parse(parser, arguments, (*OF_RECORDINGS, *OF_PROPOSALS))
    _require_used(parser, options, absent)
    if options.propose is not None:
        if options.recordings:
            parser.error("--propose makes a motion from no recording; expected no BAG")
        if options.propose.suffix.lower() != ".csv":
            parser.error(f"--propose writes a table, FILE.csv, got '{options.propose}'")
    else:
        if not options.recordings:
            parser.error("expected at least one BAG, or --propose")
        if options.out is None:
            parser.error("expected --out DIR, the folder of the results")
    left_out = options.no_inertials, options.no_friction, options.no_springs
    if all(left_out) and not (options.offsets or options.rotors or options.find_payload):
        parser.error("nothing is left to be identified")
    return options


def _parse(
    parser: Parser, arguments: list[str] | None, names: Iterable[str]
) -> tuple[argparse.Namespace, set[str]]:
    """Return the options, and those of `names` that the command line does not contain."""
    no_value = object()
    places = {name: name[2:].replace("-", "_") for name in names}
    options = argparse.Namespace(**dict.fromkeys(places.values(), no_value))
    parser.parse_args(arguments, options)
    absent = {name for name, place in places.items() if getattr(options, place) is no_value}
    for name in absent:
        setattr(options, places[name], parser.get_default(places[name]))
    return options, absent


def _require_used(
    parser: argparse.ArgumentParser, options: argparse.Namespace, absent: set[str]
) -> None:
    """Refuse options of proposals with recordings and vice versa, and those of bags with tables."""
    unused = dict.fromkeys(OF_PROPOSALS, "expected --propose")
    if options.propose is not None:
        unused = dict.fromkeys(OF_RECORDINGS, "expected a recording, got --propose")
    elif options.columns is not None:
        unused |= dict.fromkeys(TOPIC_OPTIONS, "expected a bag, got a table with --columns")
    for name, expected in unused.items():
        if name not in absent:
            parser.error(f"{name}: {expected}")


def _add_settings(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("use of the recordings")
    add_topics(how)
    how.add_argument(
        "--frame-prefix", default="", metavar="PREFIX", help="prefix of recorded loads"
    )
    how.add_argument(
        "--cutoff", type=positive, metavar="HZ",
        help="cutoff (-3 dB) of the accelerations (default: chosen from the data, "
        "5 to 14)",
    )  # fmt: skip
    _add_numbers(how, SETTINGS)
    how.add_argument(
        "--effort-cutoff", type=positive, metavar="HZ",
        help="cutoff of the low pass of the measured efforts before recording; a large number: no "
        "low pass (default: identified)",
    )  # fmt: skip
    how.add_argument("--quiet", action="store_true", help="show no progress bar")


def _add_proposal(parser: argparse.ArgumentParser) -> None:
    motion = parser.add_argument_group("motion that determines the unknown parameters")
    motion.add_argument(
        "--propose", type=Path, metavar="FILE",
        help="write a motion as a table (.csv) for the motion player and the simulator",
    )  # fmt: skip
    _add_numbers(motion, SHAPE)
    motion.add_argument(
        "--still", nargs="+", default=[], metavar="NAME",
        help="actuators that do not move (besides base joints)",
    )  # fmt: skip
    _add_numbers(motion, SEARCH)


def _add_numbers(group: Any, options: Iterable[Number]) -> None:
    for name, kind, default, unit, meaning in options:
        group.add_argument(
            name, type=kind, default=default, metavar=unit, help=f"{meaning} (default: %(default)g)"
        )


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = parse_options(arguments)
    return run_program(
        "charmie_identify", "charmie_dynamics.studies.commands.identify", options, "studies"
    )


if __name__ == "__main__":
    sys.exit(main())
