# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the figures of the report share: size, colours, axes, and how they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from charmie_dynamics.visual.pictures.efforts import INK, LINES, MUTED

__all__ = ["INK", "LINES", "MUTED", "make_diagrams", "write"]

DPI = 100


def make_diagrams(
    title: str, rows: int = 1, columns: int = 1, *, size: tuple[float, float] = (9.0, 5.0)
) -> tuple[Figure, Any]:
    """Return a figure with a heading and its empty diagrams, an object array (rows, columns).

    `size` is width and height in hundreds of pixels.
    """
    figure = Figure(figsize=size, dpi=DPI, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, x=0.01, ha="left", fontsize=14, fontweight="bold", color=INK)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in np.ravel(grid):
        _prepare(axes)
    return figure, grid


def write(figure: Figure, path: Path) -> str:
    """Write a figure as PNG and return the name of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="png", dpi=DPI)
    return path.name


def _prepare(axes: Axes) -> None:
    axes.tick_params(labelsize=10, color=MUTED, labelcolor=INK)
    axes.grid(True, color="#e3e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(MUTED)
