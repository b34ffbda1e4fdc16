# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_render: a picture, or a film, of the robot in a recorded bag."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator

import numpy as np
from tqdm import tqdm

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.model.model import Model
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
from charmie_dynamics.visual.pictures.robot import RobotPainter

LOOKS = 12  # states of a film that the camera keeps in view


def sample_at(motion: RecordedMotion, time: float, subject: str) -> int:
    """Return the sample next to a time (s) since the first.

    Raises
    ------
    CharmieError
        If the time is outside the recording.
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
        If the bag contains no motion of the robot, or a time is outside the recording.
    """
    if options.mp4:
        find_ffmpeg()  # fail before minutes of drawing
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
    """Return the samples for the pictures of a film.

    Raises
    ------
    CharmieError
        If times are outside the recording, or in the wrong order.
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
    # a line from time to time in a log file, a moving bar on a terminal
    interval = 0.1 if sys.stderr.isatty() else 5.0
    for k in tqdm(samples, desc="pictures", file=sys.stderr, mininterval=interval):
        yield painter.image(state_at(model, motion, k), view, _caption(motion, k))


def run(options: argparse.Namespace) -> int:
    """Draw; return exit status 0."""
    with Bag(options.bag, options.namespace) as bag:
        notices = render_bag(bag, options)
    for notice in notices:
        print(f"charmie_render: {notice}", file=sys.stderr)
    print(options.output)
    return 0
