# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_render."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from charmie_dynamics.command_line import Parser, run_program

from .bag_options import add_bag_options

FRONT_LEFT, ELEVATION = 118.0, 16.0  # deg
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
SMALLEST, LARGEST = 64, 8192  # pixels


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_render",
        "Draw the robot at one time of a bag, or its motion as a film. Its state is "
        "computed again from the recorded positions, velocities and efforts.",
        "charmie_render demo_output/bag --gif --from 2 --to 8",
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
        help="start time (s) (default: first efforts)",
    )  # fmt: skip
    film.add_argument(
        "--to", dest="end", type=float, default=math.inf, metavar="T",
        help="end time (s) (default: end of the bag)",
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
        "--style", choices=("solid", "skeleton"), default="solid",
        help="bodies as they look, or key points joined by lines; default: %(default)s",
    )  # fmt: skip
    look.add_argument("--labels", action="store_true", help="names and loads beside the robot")
    look.add_argument("--reactions", action="store_true", help="forces in the joints")
    look.add_argument(
        "--no-legend", dest="legend", action="store_false", help="without what the colours mean"
    )
    look.add_argument(
        "--theme", choices=("light", "dark"), default="light", help="colours; default: %(default)s"
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


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = parse_options(arguments)
    return run_program(
        "charmie_render", "charmie_dynamics.recordings.commands.render", options, "pictures"
    )


if __name__ == "__main__":
    sys.exit(main())
