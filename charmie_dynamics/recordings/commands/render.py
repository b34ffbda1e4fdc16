# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_render: a picture, or a film, of the robot in a recorded bag."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np
from tqdm import tqdm

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.announcing import announce_compilation
from charmie_dynamics.recordings.compute.motion_loads import with_loads
from charmie_dynamics.recordings.compute.states import state_at, wrench_difference
from charmie_dynamics.recordings.read.all_coordinates import in_all_coordinates
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.read.recorded_motion import (
    RecordedMotion,
    read_motion,
    read_wrench,
)
from charmie_dynamics.recordings.read.robots import model_of, require_same_actuators
from charmie_dynamics.visual.pictures.annotations import DPI
from charmie_dynamics.visual.pictures.film import Image, find_ffmpeg, write_gif, write_mp4
from charmie_dynamics.visual.pictures.render import View
from charmie_dynamics.visual.pictures.robot import ELEVATION, FRONT_LEFT, RobotPainter
from charmie_dynamics.visual.pictures.themes import THEMES
from charmie_dynamics.visual.scene import Style

from .plot import add_bag_options

# Azimuth and elevation of the eye (deg), from the x axis of the base and above the horizon.
VIEWS = {
    "front-left": (FRONT_LEFT, ELEVATION),
    "front": (90.0, ELEVATION),
    "front-right": (180.0 - FRONT_LEFT, ELEVATION),
    "left": (180.0, ELEVATION),
    "right": (0.0, ELEVATION),
    "back": (-90.0, ELEVATION),
    "top": (-90.0, 85.0),
}
LOOKS = 12  # states of a film that the camera is made to keep in view
SMALLEST, LARGEST = 64, 8192  # pixels


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="charmie_render",
        description="Draw the robot at one time of a bag, or its motion as a film. Its state is "
        "computed again from the recorded positions, velocities and efforts.",
    )
    add_bag_options(parser)
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument(
        "--at", type=float, metavar="T", help="a PNG at T seconds after the first efforts"
    )
    kind.add_argument("--gif", action="store_true", help="a GIF of the motion")
    kind.add_argument("--mp4", action="store_true", help="an MP4 of the motion; needs ffmpeg")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="default: robot.png, robot.gif or robot.mp4"
    )
    film = parser.add_argument_group("films")
    film.add_argument(
        "--from", dest="start", type=float, default=0.0, metavar="T",
        help="where it begins (s); default: at the first efforts",
    )  # fmt: skip
    film.add_argument(
        "--to", dest="end", type=float, default=math.inf, metavar="T",
        help="where it ends (s); default: at the end of the bag",
    )  # fmt: skip
    film.add_argument(
        "--fps", type=float, default=10.0, metavar="N",
        help="pictures a second; default: %(default)g",
    )  # fmt: skip
    film.add_argument(
        "--speed", type=float, default=1.0, metavar="X",
        help="2 shows it twice as fast; default: %(default)g",
    )  # fmt: skip
    look = parser.add_argument_group("looks")
    look.add_argument(
        "--size", type=_size, metavar="WxH", help="pixels; default: 1280x800, films 640x480"
    )
    look.add_argument(
        "--camera", type=_view, default=VIEWS["front-left"], metavar="VIEW",
        help=f"{', '.join(VIEWS)}, or AZIMUTH,ELEVATION of the eye in degrees, from the x axis of "
        "the base and above the horizon",
    )  # fmt: skip
    look.add_argument(
        "--style", choices=get_args(Style), default="solid",
        help="bodies as they look, or key points joined by lines; default: %(default)s",
    )  # fmt: skip
    look.add_argument("--labels", action="store_true", help="names and loads beside the robot")
    look.add_argument("--reactions", action="store_true", help="forces in the joints")
    look.add_argument(
        "--no-legend", dest="legend", action="store_false", help="without what the colours mean"
    )
    look.add_argument(
        "--theme", choices=tuple(THEMES), default="light", help="colours; default: %(default)s"
    )
    return parser


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    for name in ("fps", "speed"):
        if not 0.0 < getattr(options, name) < math.inf:
            parser.error(f"--{name} must be above 0, got {getattr(options, name)}")
    ending = "png" if options.at is not None else "gif" if options.gif else "mp4"
    options.output = options.output or Path(f"robot.{ending}")
    if options.output.suffix.lower() != f".{ending}":
        parser.error(f"--output must end in .{ending}, got '{options.output}'")
    options.size = options.size or ((1280, 800) if ending == "png" else (640, 480))
    return options


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected WxH, as 1280x800, got '{text}'") from None
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise argparse.ArgumentTypeError(
            f"expected width and height from {SMALLEST} to {LARGEST} pixels, got '{text}'"
        )
    return width, height


def _view(text: str) -> tuple[float, float]:
    if text in VIEWS:
        return VIEWS[text]
    try:
        azimuth, elevation = (float(part) for part in text.split(","))
    except ValueError:
        azimuth = elevation = math.nan
    if not (math.isfinite(azimuth) and -90.0 < elevation < 90.0):
        raise argparse.ArgumentTypeError(
            f"expected one of {', '.join(VIEWS)}, or AZIMUTH,ELEVATION with an elevation between "
            f"-90 and 90, got '{text}'"
        )
    return azimuth, elevation


def sample_at(motion: RecordedMotion, time: float, subject: str) -> int:
    """Return the sample next to a time (s) since the first.

    Raises
    ------
    CharmieError
        If the time is not one of the recording.
    """
    last = float(motion.time[-1])
    if not 0.0 <= time <= last:
        raise CharmieError(
            f"{subject} {time:g}: expected a time of the recording, 0 to {last:.3f} s"
        )
    return int(np.abs(motion.time - time).argmin())


def _caption(motion: RecordedMotion, sample: int) -> str:
    return f"{motion.time[sample]:.2f} s after the first sample"


def render_bag(bag: Bag, options: argparse.Namespace) -> list[str]:
    """Write the picture or film; return notices.

    Raises
    ------
    CharmieError
        If the bag holds no motion of the robot, or a time lies outside of it.
    """
    if options.mp4:
        find_ffmpeg()  # before minutes of drawing
    motion = read_motion(bag)
    model, notices = model_of(bag, options.mechanisms)
    require_same_actuators(model, motion, bag)
    motion = in_all_coordinates(bag, model, motion)
    motion, untold = with_loads(bag, model, motion, options.frame_prefix)
    notices += untold
    painter = RobotPainter(
        model,
        style=options.style,
        reactions=options.reactions,
        labels=options.labels,
        legend=options.legend,
        theme=options.theme,
        size=options.size,
    )
    if options.at is not None:
        samples = [sample_at(motion, options.at, "--at")]
    else:
        samples = film_samples(motion, options)
    difference = wrench_difference(model, motion, read_wrench(bag), samples[:1])
    notices += [difference] if difference else []
    if any(link.visuals and any(v.kind == "mesh" for v in link.visuals)
           for link in model.tree.links.values()):  # fmt: skip
        notices.append("meshes are not drawn")
    if not motion.has_efforts:
        notices.append("no efforts were recorded: loads are not shown")
    looked_at = samples[:: max(1, math.ceil(len(samples) / LOOKS))] + samples[-1:]
    view = painter.view((state_at(model, motion, k) for k in looked_at), *options.camera)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    if options.at is not None:
        state = state_at(model, motion, samples[0])
        figure = painter.figure(state, view, _caption(motion, samples[0]))
        figure.savefig(options.output, format="png", dpi=DPI)
        return notices
    images = _images(painter, view, model, motion, samples)
    period = 1.0 / options.fps
    if options.mp4:
        write_mp4(options.output, images, period)
    else:
        few = [samples[0], samples[len(samples) // 2]]
        palette = [painter.image(state_at(model, motion, k), view, "") for k in few]
        write_gif(options.output, images, period, palette)
    return notices


def film_samples(motion: RecordedMotion, options: argparse.Namespace) -> list[int]:
    """Return the samples that the pictures of a film show.

    Raises
    ------
    CharmieError
        If the times are not those of the recording, or in the wrong order.
    """
    first = sample_at(motion, options.start, "--from")
    last = len(motion.stamps) - 1
    if math.isfinite(options.end):
        last = sample_at(motion, options.end, "--to")
    if last <= first:
        raise CharmieError(
            f"--from {options.start:g} --to {options.end:g}: expected a later end than start"
        )
    begin, end = motion.time[first], motion.time[last]
    step = options.speed / options.fps
    times = begin + step * np.arange(int((end - begin) / step + 1e-6) + 1)
    return [int(np.abs(motion.time - time).argmin()) for time in times]


def _images(
    painter: RobotPainter, view: View, model: Model, motion: RecordedMotion, samples: list[int]
) -> Iterator[Image]:
    # a log file gets a line now and then, a terminal a bar that moves
    interval = 0.1 if sys.stderr.isatty() else 5.0
    for k in tqdm(samples, desc="pictures", file=sys.stderr, mininterval=interval):
        yield painter.image(state_at(model, motion, k), view, _caption(motion, k))


def main(arguments: list[str] | None = None) -> int:
    """Draw; exit status 0 if the file was written."""
    options = parse_options(arguments)
    announce_compilation()
    try:
        with Bag(options.bag, options.namespace) as bag:
            notices = render_bag(bag, options)
    except (CharmieError, OSError) as error:
        print(f"charmie_render: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    for notice in notices:
        print(f"charmie_render: {notice}", file=sys.stderr)
    print(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
