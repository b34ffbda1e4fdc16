# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Films from pictures: GIF with Pillow, MP4 with ffmpeg where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from charmie_dynamics.errors import CharmieError, InputError

Image = NDArray[np.uint8]

GIF_TICK = 0.01  # s: the durations of a GIF are whole numbers of it
LEAST_PERIOD = 0.02  # s: browsers show images of shorter duration far more slowly
COLORS = 256
GRAIN = 4  # of 256 steps of red, green or blue: nearer colours count as equal
FFMPEG_HINT = "expected the program ffmpeg on PATH, or the Python package imageio-ffmpeg"


def write_gif(
    path: str | os.PathLike[str], images: Iterable[Image], period: float, samples: Sequence[Image]
) -> None:
    """Write an endless GIF.

    Parameters
    ----------
    path : path-like
        The file, overwritten.
    images : iterable of array, shape (h, w, 3)
        At least one; only their palette versions are kept in memory.
    period : float
        Time from image to image (s), at least `LEAST_PERIOD`. Each duration is a whole number of
        hundredths of a second, chosen such that errors do not accumulate.
    samples : sequence of array, shape (h, w, 3)
        Some of the images, from which the 256 colours are chosen. A single palette prevents flicker
        of static parts, and keeps the file small.

    Raises
    ------
    InputError
        Without images, or if the period is too short.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.visual.pictures.film import write_gif
    >>> images = [np.full((4, 4, 3), level, dtype=np.uint8) for level in (0, 128, 255)]
    >>> write_gif("grey.gif", images, 0.1, images)
    """
    if period < LEAST_PERIOD:
        raise InputError(
            f"film '{path}': expected at least {LEAST_PERIOD:g} s between images of a GIF (50 a "
            f"second), got {period:.4g} s"
        )
    if not samples:
        raise InputError("no image to take the colours from, expected at least one")
    chosen = _palette(np.concatenate([image.reshape(-1, 3) for image in samples]))
    reduced = [
        Pillow.fromarray(image).quantize(palette=chosen, dither=Pillow.Dither.NONE)
        for image in images
    ]
    if not reduced:
        raise InputError(f"film '{path}': no image, expected at least one")
    ends = np.round(np.arange(1, len(reduced) + 1) * period / GIF_TICK)
    durations = np.diff(ends, prepend=0.0) * GIF_TICK * 1e3
    reduced[0].save(
        path,
        format="GIF",
        save_all=True,
        append_images=reduced[1:],
        duration=[round(duration) for duration in durations],
        loop=0,
        optimize=False,
    )


def _palette(pixels: NDArray[np.uint8]) -> Pillow.Image:
    """Return an image with the palette for some pixels, shape (k, 3).

    One half represents frequent colours, the gradients of floor and ground; the other half covers
    the range of all colours, so that small parts keep theirs.
    """
    different = np.unique(pixels // GRAIN * GRAIN + GRAIN // 2, axis=0).astype(np.uint8)
    half = COLORS // 2
    colors: list[int] = []
    for part, method in (
        (pixels, Pillow.Quantize.MEDIANCUT),
        (different, Pillow.Quantize.MAXCOVERAGE),
    ):
        chosen = Pillow.fromarray(part[None]).quantize(half, method=method).getpalette() or []
        colors += chosen[: 3 * half]
    result = Pillow.new("P", (1, 1))
    result.putpalette(colors)
    return result


def write_mp4(path: str | os.PathLike[str], images: Iterable[Image], period: float) -> None:
    """Write an MP4 (H.264) with ffmpeg.

    Parameters
    ----------
    path, images, period
        As for `write_gif`, with any period. Width and height must be even.

    Raises
    ------
    CharmieError
        If ffmpeg is missing, or fails.
    """
    program = find_ffmpeg()
    child: subprocess.Popen[bytes] | None = None
    with tempfile.TemporaryFile() as log:
        try:
            for image in images:
                if child is None:
                    child = _start(program, path, image, period, log.fileno())
                child.stdin.write(image.tobytes())  # type: ignore[union-attr]
        except BrokenPipeError:  # the reason is on its standard error
            pass
        except BaseException:
            if child is not None:
                child.kill()
                child.communicate()
            raise
        if child is None:
            raise InputError(f"film '{path}': no image, expected at least one")
        child.communicate()
        if child.returncode != 0:
            log.seek(0)
            said = log.read().decode(errors="replace").strip()
            raise CharmieError(f"film '{path}': ffmpeg failed: {said}")


def find_ffmpeg() -> str:
    """Return the path of ffmpeg: that of the package imageio-ffmpeg, else the one on PATH.

    Raises
    ------
    CharmieError
        If it is missing.
    """
    if find_spec("imageio_ffmpeg") is not None:
        try:
            return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
        except RuntimeError:  # the package without its program
            pass
    program = shutil.which("ffmpeg")
    if program is None:
        raise CharmieError(f"no ffmpeg to write an MP4 with: {FFMPEG_HINT}")
    return program


def _start(
    program: str, path: str | os.PathLike[str], image: Image, period: float, log: int
) -> subprocess.Popen[bytes]:
    height, width = image.shape[:2]
    if width % 2 or height % 2:
        raise InputError(
            f"film '{path}': an MP4 needs an even width and height, got {width}x{height}"
        )
    source = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}")
    target = ("-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18")
    return subprocess.Popen(
        [
            *(program, "-y", "-loglevel", "error", *source, "-r", f"{1.0 / period:.6f}"),
            *("-i", "-", *target, "-movflags", "+faststart", str(Path(path).absolute())),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=log,
    )
