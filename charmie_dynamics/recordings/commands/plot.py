# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_plot: charts of a recorded bag."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.announcing import announce_compilation
from charmie_dynamics.recordings.compute.motion_loads import with_loads
from charmie_dynamics.recordings.compute.states import wrench_difference
from charmie_dynamics.recordings.read.all_coordinates import in_all_coordinates
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.read.recorded_motion import (
    read_motion,
    read_stability,
    read_wrench,
)
from charmie_dynamics.recordings.read.robots import model_of, require_same_actuators
from charmie_dynamics.recordings.write.charts import (
    chart_base_load,
    chart_efforts,
    chart_stability,
    chart_tools,
    default_tools,
)
from charmie_dynamics.visual.pictures.chart import FORMATS
from charmie_dynamics.visual.pictures.themes import THEMES

TOPICS = ("efforts", "tools", "base_load", "stability")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="charmie_plot",
        description="Draw what a bag tells: efforts of the actuators, paths of the tools, load "
        "on the base, zero-moment point and tip-over margin. One file for each.",
    )
    add_bag_options(parser)
    parser.add_argument(
        "--output", type=Path, default=Path("plots"), metavar="DIR",
        help="folder of the files; default: %(default)s",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=FORMATS, default="png", help="of the files; default: %(default)s"
    )
    parser.add_argument(
        "--theme", choices=tuple(THEMES), default="light", help="colours; default: %(default)s"
    )
    parser.add_argument(
        "--topics", nargs="+", choices=TOPICS, default=TOPICS, metavar="TOPIC",
        help=f"what is drawn: {', '.join(TOPICS)}; all unless told",
    )  # fmt: skip
    parser.add_argument(
        "--tools", nargs="+", default=(), metavar="FRAME",
        help="frames whose paths are drawn, at most six; default: those that end in 'tool', else "
        "the last links",
    )  # fmt: skip
    return parser


def add_bag_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that reads a bag."""
    parser.add_argument("bag", type=Path, metavar="BAG", help="folder of a rosbag2")
    parser.add_argument(
        "--mechanisms", type=Path, metavar="FILE",
        help="mechanisms file of the robot; default: CHARMIE's with CHARMIE, else none",
    )  # fmt: skip
    parser.add_argument(
        "--namespace", default="", metavar="NS", help="of the node, where the bag holds several"
    )
    parser.add_argument(
        "--frame-prefix", default="", metavar="PREFIX", help="of recorded payloads and wrenches"
    )


def draw_charts(bag: Bag, options: argparse.Namespace) -> tuple[list[Path], list[str]]:
    """Draw the charts; return the files, and notices of what could not be drawn and why.

    Raises
    ------
    CharmieError
        If the bag holds no motion of the robot, or no chart at all could be drawn.
    """
    motion = read_motion(bag)
    model, notices = model_of(bag, options.mechanisms)
    require_same_actuators(model, motion, bag)
    motion = in_all_coordinates(bag, model, motion)
    motion, untold = with_loads(bag, model, motion, options.frame_prefix)
    notices += untold
    wrench, stability = read_wrench(bag), read_stability(bag)
    middle = len(motion.stamps) // 2
    notices += filter(None, [wrench_difference(model, motion, wrench, [middle])])
    tools = tuple(options.tools) or default_tools(model)
    output: Path = options.output
    charts: dict[str, Callable[[Path], None]] = {
        "efforts": lambda path: chart_efforts(path, model, motion, options.theme),
        "tools": lambda path: chart_tools(path, model, motion, tools, options.theme),
        "base_load": lambda path: chart_base_load(path, model, motion, wrench, options.theme),
        "stability": lambda path: chart_stability(
            path, model, motion, wrench, stability, options.theme
        ),
    }
    output.mkdir(parents=True, exist_ok=True)
    files = []
    for topic in dict.fromkeys(options.topics):
        path = output / f"{topic}.{options.format}"
        try:
            charts[topic](path)
        except CharmieError as error:
            notices.append(f"{topic} could not be drawn: {error}")
        else:
            files.append(path)
    if not files:
        raise CharmieError("; ".join(notices))
    return files, notices


def main(arguments: list[str] | None = None) -> int:
    """Draw; exit status 0 if every chart was drawn, else 1."""
    options = make_parser().parse_args(arguments)
    announce_compilation()
    try:
        with Bag(options.bag, options.namespace) as bag:
            files, notices = draw_charts(bag, options)
    except (CharmieError, OSError) as error:
        print(f"charmie_plot: {error}", file=sys.stderr)
        return 1
    for notice in notices:
        print(f"charmie_plot: {notice}", file=sys.stderr)
    for path in files:
        print(path)
    return 0 if len(files) == len(set(options.topics)) else 1


if __name__ == "__main__":
    sys.exit(main())
