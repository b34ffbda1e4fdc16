# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Charts of small diagrams: values over time, and paths in a plane; PNG or SVG files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats

from .themes import Theme, theme_named

SIZE = (1600, 1000)
DPI = 100
FORMATS = ("png", "svg")
# Distances in pixels of a figure of SIZE.
LEFT, RIGHT, TOP, BOTTOM = 96, 24, 130, 66
ROW_GAP, COLUMN_GAP = 62, 96
USUAL_ROWS = 4  # more rows make the chart higher
TITLE_PAD, LEGEND_PAD = 8, 28  # points
LABEL_HEIGHT = 34  # of the numbers and label of a horizontal axis
HEADING_GAP = 10  # pixels, at least, between heading and legend
LIMIT_ROOM = 2.5  # largest ratio of a visible limit to the largest value
ALMOST_ZERO = 1e-6
SOLID, DASHED = "-", (0, (4.0, 3.0))


@dataclass(frozen=True, eq=False)
class Curve:
    """Values over time.

    Parameters
    ----------
    label : str
        Its name in the legend; a diagram of one curve may leave it empty.
    time, value : array, shape (n,)
        Time (s), ascending; a value that is not finite leaves a gap.
    limit : float, optional
        A dashed line at plus and minus this value, if it is within the range.
    is_dashed : bool
        Dashed, so that a curve below it remains visible.
    color : int, optional
        Index of its colour; default: its place in the diagram.
    is_wide : bool
        Wide and pale, so that it remains visible below another curve.
    """

    label: str
    time: Floats
    value: Floats
    limit: float = np.inf
    is_dashed: bool = False
    color: int | None = None
    is_wide: bool = False


@dataclass(frozen=True)
class TimeDiagram:
    """A diagram of curves over time.

    Parameters
    ----------
    title, quantity, unit : str
        Heading; quantity on the vertical axis, and its unit.
    curves : sequence of Curve
        At most six.
    marks : sequence of (float, str)
        Heights of horizontal dashed lines and their meaning; they are always visible.
    """

    title: str
    quantity: str
    unit: str
    curves: Sequence[Curve]
    marks: Sequence[tuple[float, str]] = ()


@dataclass(frozen=True, eq=False)
class Path2D:
    """A path in a plane: its name and points, shape (n, 2). Its start and end are marked.

    A dashed path shows a path below it, and has no marks.
    """

    label: str
    points: Floats
    is_dashed: bool = False


@dataclass(frozen=True, eq=False)
class PathDiagram:
    """A diagram of paths in a plane, both axes in m with equal scale.

    Parameters
    ----------
    title : str
        Heading.
    axes : (str, str)
        Labels of the axes.
    paths : sequence of Path2D
        At most six.
    outline : array, shape (m, 2), optional
        Corners of an area, such as the support polygon.
    outline_label : str
        Name of the area.
    """

    title: str
    axes: tuple[str, str]
    paths: Sequence[Path2D]
    outline: Floats | None = None
    outline_label: str = ""


@dataclass(frozen=True)
class Cell:
    """A diagram and the rows and columns of the chart's grid that it covers, also parts of rows."""

    diagram: TimeDiagram | PathDiagram
    rows: tuple[float, float]
    columns: tuple[int, int]


def draw_chart(
    path: str | os.PathLike[str],
    cells: Sequence[Cell],
    *,
    title: str,
    subtitle: str = "",
    theme: str = "light",
) -> None:
    """Draw a chart, 1600 pixels wide and 1000 high, and write it as PNG or SVG.

    More than four rows of diagrams make it higher. All diagrams over time have the same time axis,
    with numbers in the lowest diagram of a column.

    Parameters
    ----------
    path : path-like
        The file, overwritten; its ending, .png or .svg, is the format. Texts of an SVG are text.
    cells : sequence of Cell
        The diagrams.
    title, subtitle : str
        Heading of the chart and a line below it.
    theme : {"light", "dark"}, optional

    Raises
    ------
    InputError
        For another ending, or more curves in a diagram than colours.
    UnknownNameError
        For another theme.
    """
    require_format(path)
    save_chart(path, make_chart(cells, title=title, subtitle=subtitle, theme=theme))


def require_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a chart's file, its ending: png or svg.

    Raises
    ------
    InputError
        For another ending.
    """
    ending = Path(path).suffix.lstrip(".").lower()
    if ending not in FORMATS:
        raise InputError(f"chart '{path}': expected the ending .png or .svg, got '.{ending}'")
    return ending


@contextmanager
def chart_file(
    path: str | os.PathLike[str], size: tuple[int, int], title: str, subtitle: str, theme: str
) -> Iterator[tuple[Figure, Theme]]:
    """Give a headed figure of a size (pixels) and its theme, and write it at the end.

    Raises
    ------
    InputError
        For another ending.
    UnknownNameError
        For another theme.
    """
    require_format(path)
    colors = theme_named(theme)
    figure = headed_figure(size, title, subtitle, colors)
    yield figure, colors
    save_chart(path, figure)


def save_chart(path: str | os.PathLike[str], figure: Figure) -> None:
    """Write a figure as PNG or SVG: text stays text, and the same data make the same file."""
    ending = require_format(path)
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "chart"}):
        metadata = {"Date": None} if ending == "svg" else {}
        figure.savefig(path, format=ending, dpi=DPI, metadata=metadata)


def headed_figure(size: tuple[int, int], title: str, subtitle: str, theme: Theme) -> Figure:
    """Return a figure of a size (pixels) with the heading of a chart."""
    width, height = size
    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor=theme.background)
    FigureCanvasAgg(figure)
    heading: dict[str, Any] = {"color": theme.ink, "va": "top", "x": LEFT / width}
    figure.text(y=1.0 - 22 / height, s=title, fontsize=19, fontweight="bold", **heading)
    figure.text(y=1.0 - 58 / height, s=subtitle, fontsize=12, **heading)
    return figure


def make_chart(cells: Sequence[Cell], *, title: str, subtitle: str, theme: str) -> Figure:
    """Return the chart of `draw_chart` as a figure."""
    colors = theme_named(theme)
    row_count = max(cell.rows[1] for cell in cells)
    column_count = max(cell.columns[1] for cell in cells)
    width, height = SIZE
    height += round(max(0, row_count - USUAL_ROWS) * (height - TOP - BOTTOM) / USUAL_ROWS)
    figure = headed_figure((width, height), title, subtitle, colors)
    inner_width = (width - LEFT - RIGHT - (column_count - 1) * COLUMN_GAP) / column_count
    inner_height = (height - TOP - BOTTOM - (row_count - 1) * ROW_GAP) / row_count
    span = _time_span([cell.diagram for cell in cells])
    for cell in cells:
        (first_row, end_row), (first_column, end_column) = cell.rows, cell.columns
        left = LEFT + first_column * (inner_width + COLUMN_GAP)
        right = LEFT + end_column * (inner_width + COLUMN_GAP) - COLUMN_GAP
        top = TOP + first_row * (inner_height + ROW_GAP)
        bottom = TOP + end_row * (inner_height + ROW_GAP) - ROW_GAP
        if isinstance(cell.diagram, PathDiagram) and end_row < row_count:
            bottom -= LABEL_HEIGHT
        box = (left, height - bottom, right - left, bottom - top)
        size = np.array([width, height, width, height])
        axes = add_axes(figure, tuple(np.array(box) / size), colors)
        if isinstance(cell.diagram, PathDiagram):
            _draw_plane(figure, axes, cell.diagram, colors)
        else:
            below = any(
                isinstance(other.diagram, TimeDiagram)
                and other.rows[0] >= end_row
                and other.columns[0] < end_column
                and first_column < other.columns[1]
                for other in cells
            )
            _draw_panel(figure, axes, cell.diagram, span, colors, numbered=not below)
    return figure


def _time_span(diagrams: Sequence[TimeDiagram | PathDiagram]) -> tuple[float, float]:
    times = [
        curve.time
        for diagram in diagrams
        if isinstance(diagram, TimeDiagram)
        for curve in diagram.curves
        if len(curve.time)
    ]
    if not times:
        return 0.0, 1.0
    first, last = min(t[0] for t in times), max(t[-1] for t in times)
    return float(first), float(last if last > first else first + 1.0)


def _draw_panel(
    figure: Figure,
    axes: Axes,
    panel: TimeDiagram,
    span: tuple[float, float],
    theme: Theme,
    *,
    numbered: bool,
) -> None:
    _require_colors(panel.title, len(panel.curves), theme)
    values = np.concatenate([curve.value for curve in panel.curves])
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max(initial=0.0))
    for place, curve in enumerate(panel.curves):
        color = theme.lines[place if curve.color is None else curve.color]
        style = DASHED if curve.is_dashed else SOLID
        width, opacity = (5.0, 0.5) if curve.is_wide else (1.8, 1.0)
        axes.plot(
            curve.time,
            curve.value,
            color=color,
            alpha=opacity,
            linewidth=width,
            linestyle=style,
            label=curve.label,
        )
        if curve.limit <= LIMIT_ROOM * largest:
            # of both signs, those that are near to the values
            signed = curve.value[np.isfinite(curve.value)]
            for sign in (1.0, -1.0):
                if (sign * signed * LIMIT_ROOM >= curve.limit).any():
                    axes.axhline(
                        sign * curve.limit, color=color, linewidth=1.4, linestyle=(0, (5, 3))
                    )
    for value, label in panel.marks:
        axes.axhline(value, color=theme.ink, linewidth=1.3, linestyle=(0, (5, 3)), label=label)
    axes.set_xlim(*span)
    low, high = axes.get_ylim()
    if high - low < ALMOST_ZERO:  # almost constant: keep round-off from filling the diagram
        middle = 0.5 * (high + low)
        low, high = middle - 1.0, middle + 1.0
        axes.set_ylim(low, high)
    if low < 0.0 < high:
        axes.axhline(0.0, color=theme.muted, linewidth=0.8, zorder=1.0)
    axes.set_ylabel(f"{panel.quantity} / {panel.unit}", fontsize=12, color=theme.ink)
    if numbered:
        axes.set_xlabel("time / s", fontsize=12, color=theme.ink, labelpad=2)
    else:
        axes.tick_params(labelbottom=False)
    _head(figure, axes, panel.title, theme)


def _draw_plane(figure: Figure, axes: Axes, plane: PathDiagram, theme: Theme) -> None:
    _require_colors(plane.title, len(plane.paths), theme)
    if plane.outline is not None and len(plane.outline):
        closed = np.concatenate([plane.outline, plane.outline[:1]])
        axes.fill(*plane.outline.T, color=theme.muted, alpha=0.14, linewidth=0.0)
        axes.plot(*closed.T, color=theme.muted, linewidth=1.6, label=plane.outline_label)
    for color, path in zip(theme.lines, plane.paths, strict=False):
        known = path.points[np.isfinite(path.points).all(axis=1)]
        style = DASHED if path.is_dashed else SOLID
        line: dict[str, Any] = {"color": color, "linewidth": 1.8, "linestyle": style}
        axes.plot(*path.points.T, label=path.label, **line)
        if len(known) and not path.is_dashed:
            edge: dict[str, Any] = {
                "markeredgecolor": color,
                "markersize": 9.0,
                "linestyle": "none",
            }
            axes.plot(*known[0], marker="o", markerfacecolor=theme.background, **edge)
            axes.plot(*known[-1], marker="o", markerfacecolor=color, **edge)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    axes.set_xlabel(f"{plane.axes[0]} / m", fontsize=12, color=theme.ink, labelpad=2)
    axes.set_ylabel(f"{plane.axes[1]} / m", fontsize=12, color=theme.ink)
    _head(figure, axes, plane.title, theme)


def _require_colors(title: str, count: int, theme: Theme) -> None:
    if count > len(theme.lines):
        raise InputError(
            f"diagram '{title}': expected at most {len(theme.lines)} curves, got {count}"
        )


def add_axes(figure: Figure, box: tuple[float, float, float, float], theme: Theme) -> Axes:
    """Return a new diagram in the colours of the theme; `box` is a part of the figure."""
    axes = figure.add_axes(box)
    axes.set_facecolor(theme.background)
    axes.tick_params(labelsize=11, color=theme.muted, labelcolor=theme.ink)
    axes.grid(True, color=theme.grid, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(theme.muted)
    return axes


def _head(figure: Figure, axes: Axes, title: str, theme: Theme) -> None:
    """Write heading and legend above a diagram; both in one line if the width suffices."""
    font: dict[str, Any] = {"fontsize": 13, "fontweight": "bold", "color": theme.ink}
    heading = axes.set_title(title, loc="left", pad=TITLE_PAD, **font)
    handles, labels = axes.get_legend_handles_labels()
    if not any(labels):
        return
    legend = axes.legend(
        handles,
        labels,
        loc="lower right",
        bbox_to_anchor=(1.01, 1.0),
        ncol=len(handles),
        frameon=False,
        fontsize=11,
        labelcolor=theme.ink,
        handlelength=1.3,
        handletextpad=0.4,
        columnspacing=1.0,
        borderaxespad=0.2,
    )
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    if legend.get_window_extent(renderer).x0 < heading.get_window_extent(renderer).x1 + HEADING_GAP:
        axes.set_title(title, loc="left", pad=LEGEND_PAD, **font)
