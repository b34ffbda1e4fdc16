# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Fronts: candidates in the plane of each pair of objectives, and the best candidates."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.pictures.chart import add_axes, chart_file

WIDTH = 1600
HEIGHT, ROW = 1000, 560  # of a figure with one row, and of each of several
COLUMNS = 3


def plot_fronts(
    path: str | os.PathLike[str],
    labels: Sequence[str],
    points: Floats,
    allowed: np.ndarray,
    best: Floats,
    start: Floats,
    *,
    title: str,
    theme: str = "light",
) -> None:
    """Draw candidates by their objectives.

    Parameters
    ----------
    path : path-like
        The file, .png or .svg, overwritten.
    labels : sequence of str
        Of the k objectives, with their units.
    points : (N, k) array
        Rows with values that are not finite are omitted.
    allowed : (N,) array of bool
        Whether they satisfy the constraints.
    best : (b, k) array
        Joined by lines.
    start : (k,) array
        The present design.
    title : str
    theme : {"light", "dark"}, optional

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from charmie_dynamics.visual.study_charts.fronts import plot_fronts
    >>> points = np.random.default_rng(0).uniform(size=(50, 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "front.png"
    ...     plot_fronts(path, ("peak / N", "mass / kg"), points, points[:, 0] > 0.2,
    ...                 points[:3], np.ones(2), title="What can be had")
    ...     path.exists()
    True
    """
    pairs = [(i, j) for i in range(len(labels)) for j in range(i + 1, len(labels))]
    columns = min(COLUMNS, len(pairs))
    rows = -(-len(pairs) // columns)
    size = (WIDTH, max(HEIGHT, ROW * rows + 160))
    with chart_file(path, size, title, f"{len(points)} candidates", theme) as (figure, colors):
        is_finite = np.isfinite(points).all(axis=1)
        for k, (i, j) in enumerate(pairs):
            axes = add_axes(figure, _box(k, rows, columns), colors)
            for keep, mark, label in (
                (~allowed, "x", "beyond a constraint"),
                (allowed, "o", "within the constraints"),
            ):
                shown = points[keep & is_finite]
                axes.scatter(
                    shown[:, i],
                    shown[:, j],
                    s=14,
                    c=colors.muted,
                    marker=mark,
                    label=label,
                    alpha=0.5,
                )
            in_order = best[np.argsort(best[:, i], kind="stable")]
            axes.plot(
                in_order[:, i],
                in_order[:, j],
                "o-",
                ms=5,
                lw=1.6,
                color=colors.lines[0],
                label="best",
            )
            axes.plot(start[i], start[j], "D", ms=8, color=colors.lines[1], label="present design")
            axes.set_xlabel(labels[i], color=colors.ink)
            axes.set_ylabel(labels[j], color=colors.ink)
            _zoom(axes, np.vstack((best, start)), (i, j))
            if k == 0:
                axes.legend(frameon=False, labelcolor=colors.ink)


def _box(k: int, rows: int, columns: int) -> tuple[float, float, float, float]:
    row, column = divmod(k, columns)
    width, height = 0.94 / columns, 0.9 / rows
    return 0.06 + column * width, 0.9 - (row + 1) * height + 0.07, width - 0.05, height - 0.09


def _zoom(axes: Axes, shown: Floats, pair: tuple[int, int]) -> None:
    """Limit the axes to the front and the present design, without the farthest candidates."""
    for k, axis in zip(pair, (axes.xaxis, axes.yaxis), strict=True):
        low, high = float(shown[:, k].min()), float(shown[:, k].max())
        margin = 0.15 * (high - low) or 0.1 * abs(high) or 1.0
        axis.set_view_interval(low - margin, high + 2.0 * margin, ignore=True)
