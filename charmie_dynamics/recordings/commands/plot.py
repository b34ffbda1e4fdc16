# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_plot: charts of a recorded bag."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from charmie_dynamics.errors import CharmieError
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


def draw_charts(bag: Bag, options: argparse.Namespace) -> tuple[list[Path], list[str]]:
    """Draw the charts; return the files, and notices of charts that could not be drawn.

    Raises
    ------
    CharmieError
        If the bag contains no motion of the robot, or no chart could be drawn.
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


def run(options: argparse.Namespace) -> int:
    """Draw; return exit status 0 if every chart was drawn, else 1."""
    with Bag(options.bag, options.namespace) as bag:
        files, notices = draw_charts(bag, options)
    for notice in notices:
        print(f"charmie_plot: {notice}", file=sys.stderr)
    for path in files:
        print(path)
    return 0 if len(files) == len(set(options.topics)) else 1
