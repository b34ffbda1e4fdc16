# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Annotations of a picture: title, names in space, legend and colour scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps, patheffects
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.scene import Color, Shape
from charmie_dynamics.visual.shapes.colors import INK

from .camera import Camera
from .themes import Theme

DPI = 100
USUAL_HEIGHT = 1200  # pixels, height of a picture with letters of full size
SMALLEST = 0.55  # of the full size, for legibility
LABEL_LETTER = 10.5  # points at full size
LABEL_LINE = 1.35  # from line to line, in letters
LABEL_GAP = 14.0  # pixels
TITLE_LINE = 1.25  # from title to subtitle, in letters of the title
LABEL_WIDTH = 0.52  # from letter to letter, in letters
SCALE_WIDTH = 176.0  # pixels at full size for the colour scale at the right


@dataclass(frozen=True)
class ColorScale:
    """A colour bar: its label with unit, range and colours.

    `colormap` is the name of a matplotlib map, or the colours (n, 4) from the lower to the upper
    end. `ends` are the meanings of the lower and the upper end.
    """

    label: str
    lower: float
    upper: float
    colormap: str | Floats = "cividis"
    ends: tuple[str, str] = ("", "")


def letter_size(height: int) -> float:
    """Return the size of letters in a picture of a height (pixels), relative to the full size."""
    return min(1.0, max(SMALLEST, math.pow(height / USUAL_HEIGHT, 0.6)))


def label_width(texts: Sequence[tuple[Floats, Shape]], height: int) -> float:
    """Return the width (pixels) of a column of labels in a picture of a height; 0: no labels."""
    longest = max((len(s.text) for _, s in texts if s.namespace == "labels"), default=0)
    letter = LABEL_LETTER * letter_size(height) * DPI / 72.0
    return LABEL_GAP + LABEL_WIDTH * letter * longest if longest else 0.0


def write_names(
    axes: Axes,
    camera: Camera,
    texts: Sequence[tuple[Floats, Shape]],
    height: int,
    sides: tuple[float, float],
    theme: Theme,
) -> None:
    """Write texts over everything else.

    Texts of the namespace "labels" are in two columns next to the robot, which covers the columns
    of pixels between the two `sides` of a picture of that height (pixels); others are at their
    places in space.
    """
    letter = LABEL_LETTER * letter_size(height)
    labels: list[tuple[float, float, Shape]] = []
    for position, shape in texts:
        (x, y), depth = camera.project(position)
        if shape.namespace == "labels":
            labels.append((float(x), float(y), shape))
        else:
            points = shape.scale[2] * camera.focal / float(depth) * 72.0 / DPI
            _write(axes, float(x), float(y), shape, points, "center", theme)
    middle = float(np.mean([x for x, _, _ in labels])) if labels else 0.0
    for right in (False, True):
        column = sorted(
            (item for item in labels if (item[0] >= middle) == right), key=lambda item: -item[1]
        )
        above = float(height)
        for _, y, shape in column:  # upwards, with a distance of at least a line
            y = min(y, above - LABEL_LINE * letter * DPI / 72.0)
            above = y
            x = sides[1] + LABEL_GAP if right else sides[0] - LABEL_GAP
            _write(axes, x, y, shape, letter, "left" if right else "right", theme)


def _write(
    axes: Axes, x: float, y: float, shape: Shape, points: float, align: str, theme: Theme
) -> None:
    axes.text(
        x,
        y,
        shape.text,
        color=theme.ink if shape.color == INK else shape.color,
        fontsize=points,
        ha=align,
        va="center_baseline",
        path_effects=[patheffects.withStroke(linewidth=3, foreground=theme.background)],
    )


def annotate(
    figure: Figure,
    title: str,
    subtitle: str,
    legend: Sequence[tuple[str, Color]],
    scale: ColorScale | None,
    theme: Theme,
) -> None:
    """Write title, legend and colour scale on a picture."""
    width, height = (float(pixels) for pixels in figure.get_size_inches() * DPI)
    size = letter_size(round(height))
    ink = theme.ink
    figure.text(0.03, 0.965, title, fontsize=20 * size, fontweight="bold", color=ink, va="top")
    # in a small picture letters do not become smaller, so lines are farther apart
    below = min(0.925, 0.965 - TITLE_LINE * 20 * size * DPI / 72.0 / height)
    figure.text(0.03, below, subtitle, fontsize=13 * size, color=ink, va="top")
    if legend:
        _write_legend(figure, legend, 13 * size, ink, 0.96 * width)
    if scale is None:
        return
    left = 1.0 - 0.8 * SCALE_WIDTH * size / width
    middle = 1.0 - 0.66 * SCALE_WIDTH * size / width
    bar = figure.add_axes((left, 0.30, 22.0 * size / width, 0.42))
    colormap = scale.colormap
    chosen = colormaps[colormap] if isinstance(colormap, str) else ListedColormap(colormap)
    figure.colorbar(ScalarMappable(Normalize(scale.lower, scale.upper), chosen), cax=bar)
    bar.set_ylabel(scale.label, fontsize=13 * size, color=ink)
    for place, word, align in ((0.28, scale.ends[0], "top"), (0.74, scale.ends[1], "bottom")):
        figure.text(middle, place, word, fontsize=12 * size, color=ink, ha="center", va=align)
    bar.tick_params(labelsize=11 * size, color=ink, labelcolor=ink)
    for spine in bar.spines.values():
        spine.set_visible(False)


def _write_legend(
    figure: Figure, legend: Sequence[tuple[str, Color]], font: float, ink: str, width: float
) -> None:
    """Write the legend at the lower left, in as few rows as the width (pixels) allows."""
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    for columns in range(len(legend), 0, -1):
        written = figure.legend(
            handles=[Patch(facecolor=color, label=label) for label, color in legend],
            loc="lower left",
            bbox_to_anchor=(0.02, 0.015),
            ncol=columns,
            frameon=False,
            fontsize=font,
            labelcolor=ink,
            handlelength=1.2,
            handleheight=1.0,
            columnspacing=1.6,
        )
        if columns == 1 or written.get_window_extent(renderer).width <= width:
            return
        written.remove()
