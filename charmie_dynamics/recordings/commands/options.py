# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_analyze."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from charmie_dynamics.command_line import Parser, run_program
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.recordings.read.option_values import (
    TOPIC_OPTIONS,
    add_robot,
    add_topics,
    positive,
)
from charmie_dynamics.tasks.options import add_workers

from .staging import NAME, SINGLE, name_of, results_of

TABLES = (".csv", ".tsv", ".txt")  # suffixes


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_analyze",
        "Compute efforts, loads and poses from the inputs in a recording, as the "
        "dynamics node does live, and summarize the motion. Unreadable data "
        "and samples that cannot be computed are reported on standard error.",
        "charmie_analyze demo_output/bag --export cycles.csv",
    )
    parser.add_argument(
        "recordings", type=Path, nargs="+", metavar="IN_BAG",
        help="folder of a rosbag2, one of its files (.mcap, .db3, .zstd), or with --columns a "
        "table; of several, the paths of results hold {name}, which becomes the name of each",
    )  # fmt: skip
    _add_outputs(parser)
    _add_robot(parser)
    inputs = parser.add_argument_group("the recording")
    add_topics(inputs)
    inputs.add_argument(
        "--odometry",
        metavar="TOPIC",
        help="odometry of --contacts, if several were recorded",
    )
    _add_settings(parser)
    add_workers(parser)
    return parser


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    _require_used(parser, options)
    for path in options.recordings:
        if path.suffix.lower() in TABLES and not options.columns:
            parser.error(f"'{path}': a table needs --columns, a file that describes its columns")
    if options.contacts:
        _require_fit_for_contacts(parser, options)
    if options.friction and not options.measured:
        parser.error("--friction needs --measured")
    for option in ("measured", "plots"):
        if options.no_dynamics and getattr(options, option):
            parser.error(f"--{option} uses efforts, which --no-dynamics does not compute")
    _require_places(parser, options)
    if options.scheduler:
        _make_absolute(options)
    return options


def _require_used(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse options of results, contacts and topics where these are missing."""
    if not options.out:
        for option in ("storage", "world_frame"):
            if getattr(options, option):
                parser.error(f"--{option.replace('_', '-')} needs --out")
    if options.odometry and not options.contacts:
        parser.error("--odometry needs --contacts")
    for option in TOPIC_OPTIONS:
        if options.columns and getattr(options, option[2:].replace("-", "_")):
            parser.error(f"{option}: expected a bag, got a table with --columns")


def _make_absolute(options: argparse.Namespace) -> None:
    """Make paths absolute, since workers may run in other folders."""
    options.recordings = [path.absolute() for path in options.recordings]
    options.export = [path.absolute() for path in options.export]
    for name in (*SINGLE, "mechanisms", "columns", "contacts", "urdf"):
        path = getattr(options, name)
        # a missing file may be the name of a robot or a world of the package
        if path is not None and (name in SINGLE or Path(path).exists()):
            setattr(options, name, type(path)(Path(path).absolute()))


def _require_places(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse results of several recordings in one place."""
    results = results_of(options)
    if options.resume and not results:
        parser.error("--resume needs an option that writes results")
    if len(options.recordings) == 1:
        return
    for path in results:
        if NAME not in str(path):
            parser.error(
                f"{len(options.recordings)} recordings: expected results with {NAME} in their "
                f"paths, such as '{path.with_name(NAME + path.suffix)}', got '{path}'"
            )
    names = Counter(name_of(path) for path in options.recordings)
    twice = [name for name, count in names.items() if count > 1]
    if results and twice:
        parser.error(f"recordings of one name would have one result: '{twice[0]}'")


def _require_fit_for_contacts(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.no_dynamics or options.no_acceleration:
        parser.error("--contacts shares out loads, which need dynamics and accelerations")
    if options.out:
        parser.error("--out writes no contact forces; expected --contacts or --out alone")
    if options.columns:
        parser.error("--contacts needs odometry, which a table does not have")


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    out = parser.add_argument_group("output")
    out.add_argument("--out", type=Path, metavar="OUT_BAG", help="new bag with the node's topics")
    out.add_argument(
        "--storage",
        choices=("mcap", "sqlite3"),
        help="storage format of OUT_BAG (default: as IN_BAG)",
    )
    out.add_argument(
        "--export", type=Path, nargs="+", default=[], metavar="FILE",
        help="tables of all cycles, .csv or .parquet",
    )  # fmt: skip
    out.add_argument(
        "--resume", action="store_true",
        help="skip recordings whose results all exist",
    )  # fmt: skip
    out.add_argument("--json", type=Path, metavar="FILE", help="the summary, for programs")
    out.add_argument(
        "--measured", action="store_true",
        help="compare measured efforts with those of the model, and identify friction",
    )  # fmt: skip
    out.add_argument(
        "--friction", type=Path, metavar="FILE",
        help="friction that --measured identifies, as a section of a mechanisms file (YAML)",
    )  # fmt: skip
    out.add_argument(
        "--plots",
        type=Path,
        metavar="DIR",
        help="charts: computed efforts, and those of --measured and --contacts; needs matplotlib",
    )


def _add_robot(parser: argparse.ArgumentParser) -> None:
    robot = add_robot(parser)
    robot.add_argument(
        "--contacts", type=Path, metavar="FILE",
        help="where a robot that moves freely touches the floor: a file of contacts or a world "
        "(also the name of one of this package); yields their forces, and efforts with them",
    )  # fmt: skip
    robot.add_argument(
        "--track", nargs="+", default=list(DEFAULTS.tracked_points), metavar="NAME:FRAME[:X,Y,Z]",
        help="points whose motion is computed, as the node's parameter tracked_points names them "
        "(m); default: those of the mechanisms file; none: none",
    )  # fmt: skip


def _add_settings(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("how it is computed")
    how.add_argument(
        "--smoothing", choices=("zero-phase", "causal"), default="zero-phase",
        help="zero-phase: estimates without lag, from the samples before and after (default); "
        "causal: the node's own estimates, bit for bit",
    )  # fmt: skip
    how.add_argument(
        "--cutoff", type=positive, default=DEFAULTS.acceleration_cutoff, metavar="HZ",
        help="cutoff of the estimated velocities and accelerations (default: %(default)g)",
    )  # fmt: skip
    how.add_argument(
        "--observer-cutoff", type=positive, default=DEFAULTS.observer_cutoff, metavar="HZ",
        help="cutoff of the external efforts (default: %(default)g)",
    )  # fmt: skip
    how.add_argument(
        "--timeout", type=positive, default=DEFAULTS.input_timeout, metavar="S",
        help="age from which an input is stale; default: %(default)g",
    )  # fmt: skip
    how.add_argument("--no-acceleration", action="store_true", help="take accelerations as zero")
    how.add_argument("--no-dynamics", action="store_true", help="kinematics only")
    how.add_argument(
        "--require-base-joints",
        action="store_true",
        help="do not hold unreported base joints at zero",
    )
    how.add_argument(
        "--world-frame", metavar="FRAME",
        help=f"root of the tree of frames in OUT_BAG; default: {DEFAULTS.world_frame}",
    )  # fmt: skip
    how.add_argument(
        "--frame-prefix",
        default="",
        metavar="PREFIX",
        help="prefix of frames in OUT_BAG and recorded loads",
    )
    how.add_argument("--quiet", action="store_true", help="no progress bar")


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = parse_options(arguments)
    return run_program(
        "charmie_analyze", "charmie_dynamics.recordings.commands.analyze", options, "analysis"
    )


if __name__ == "__main__":
    sys.exit(main())
