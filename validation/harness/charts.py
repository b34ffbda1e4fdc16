# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures: diagrams of any two quantities, and grids of the package's own diagrams over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.pictures.chart import (
    Cell,
    Curve,
    PathDiagram,
    TimeDiagram,
    add_axes,
    headed_figure,
    save_chart,
)
from charmie_dynamics.visual.pictures.themes import LIGHT

SIZE = (1600, 1000)


class Line(NamedTuple):
    """A curve of a diagram; `style` is that of Matplotlib, `color` an index, its place if None."""

    label: str
    x: Floats
    y: Floats
    style: str = "-"
    color: int | None = None


class Diagram(NamedTuple):
    """Some curves, their heading and what the axes show; `log` names axes with powers of ten."""

    title: str
    across: str
    up: str
    lines: Sequence[Line]
    log: str = ""


def draw(
    path: Path, diagrams: Sequence[Diagram], title: str, subtitle: str = "", columns: int = 3
) -> str:
    """Draw diagrams in rows, write the PNG and return the name of the file."""
    width, height = SIZE
    figure = headed_figure(SIZE, title, subtitle, LIGHT)
    rows = math.ceil(len(diagrams) / columns)
    for n, diagram in enumerate(diagrams):
        row, column = divmod(n, columns)
        left = 90 + column * (width - 60) / columns
        bottom = 70 + (rows - 1 - row) * (height - 120) / rows
        across, up = (width - 60) / columns - 110, (height - 120) / rows - 110
        box = (left / width, bottom / height, across / width, up / height)
        axes = add_axes(figure, box, LIGHT)
        for k, line in enumerate(diagram.lines):
            color = LIGHT.lines[(k if line.color is None else line.color) % len(LIGHT.lines)]
            axes.plot(line.x, line.y, line.style, label=line.label, color=color, linewidth=1.8)
        for name in diagram.log:
            getattr(axes, f"set_{name}scale")("log")
            axis = getattr(axes, f"{name}axis")
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(lambda value, place: "")
        axes.set_title(diagram.title, fontsize=13, color=LIGHT.ink, loc="left")
        axes.set_xlabel(diagram.across, fontsize=12, color=LIGHT.ink)
        axes.set_ylabel(diagram.up, fontsize=12, color=LIGHT.ink)
        if any(line.label for line in diagram.lines):
            axes.legend(frameon=False, fontsize=10, labelcolor=LIGHT.ink)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_chart(path, figure)
    return path.name


def grid(diagrams: Sequence[TimeDiagram | PathDiagram], columns: int = 1) -> list[Cell]:
    """Return diagrams in rows, for `draw_chart`."""
    places = [divmod(k, columns) for k in range(len(diagrams))]
    return [
        Cell(diagram, (row, row + 1), (column, column + 1))
        for diagram, (row, column) in zip(diagrams, places, strict=True)
    ]


def beside(names: tuple[str, str], time: Floats, one: Floats, other: Floats) -> list[Curve]:
    """Return two curves that should agree, the second dashed."""
    return [Curve(names[0], time, one), Curve(names[1], time, other, is_dashed=True)]


def by_joint(
    names: Sequence[str],
    slides: set[str],
    units: tuple[tuple[str, str], tuple[str, str]],
    curves: Callable[[int], Sequence[Curve]],
) -> list[TimeDiagram]:
    """Return a diagram for each joint, with quantity and unit if it slides and if it turns."""
    return [
        TimeDiagram(name.replace("_", " ").capitalize(), *units[name not in slides], curves(k))
        for k, name in enumerate(names)
    ]
