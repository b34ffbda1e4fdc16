# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from charmie_dynamics import Model
from charmie_dynamics.errors import InputError, UnknownNameError
from charmie_dynamics.visual.pictures.chart import (
    Cell,
    Curve,
    Path2D,
    PathDiagram,
    TimeDiagram,
    draw_chart,
    make_chart,
)
from charmie_dynamics.visual.pictures.efforts import effort_groups
from charmie_dynamics.visual.pictures.themes import THEMES

TIME = np.linspace(0.0, 2.0, 21)
RING = np.c_[np.cos(TIME), np.sin(TIME)]


def panel(*labels: str, title: str = "Speed of everything") -> TimeDiagram:
    curves = [Curve(label, TIME, np.sin(TIME + k)) for k, label in enumerate(labels)]
    return TimeDiagram(title, "speed", "m/s", curves)


def chart(cells: list[Cell], theme: str = "light") -> Figure:
    return make_chart(cells, title="Title", subtitle="what it is", theme=theme)


def boxes(figure: Figure) -> list[tuple[str, np.ndarray]]:
    """Every text of a chart with its box (x0, y0, x1, y1) in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    found = [(t.get_text(), t) for t in figure.texts]
    for axes in figure.axes:
        found += [(t.get_text(), t) for t in (axes.xaxis.label, axes.yaxis.label, axes._left_title)]
        if axes.get_legend() is not None:
            found.append(("legend", axes.get_legend()))
    return [
        (text, np.array(item.get_window_extent(renderer).extents)) for text, item in found if text
    ]


def overlapping(figure: Figure) -> list[tuple[str, str]]:
    items = boxes(figure)
    return [
        (first, second)
        for i, (first, a) in enumerate(items)
        for second, b in items[i + 1 :]
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]


def test_texts_of_an_svg_are_text(tmp_path: Path) -> None:
    path = tmp_path / "c.svg"
    draw_chart(path, [Cell(panel("left", "right"), (0, 1), (0, 1))], title="Both hands")
    text = path.read_text()
    for word in ("Both hands", "Speed of everything", "speed / m/s", "left", "time / s"):
        assert f">{word}<" in text


def test_the_same_data_make_the_same_svg(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        draw_chart(tmp_path / name, [Cell(panel("x"), (0, 1), (0, 1))], title="t")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(
    "labels",
    [("x",), ("one thing", "another thing"), tuple(f"a rather long name {k}" for k in "ab")],
)
def test_no_text_overlaps_another_in_a_full_grid(labels: tuple[str, ...]) -> None:
    cells = [
        Cell(panel(*labels), (row, row + 1), (column, column + 1))
        for row in range(4)
        for column in range(3)
    ]
    assert overlapping(chart(cells)) == []


def test_no_text_overlaps_another_beside_planes() -> None:
    cells = [Cell(panel("left", "right"), (row, row + 1), (0, 1)) for row in range(3)]
    plane = PathDiagram(
        "Path", ("x", "y"), [Path2D("left", RING)], outline=RING, outline_label="area"
    )
    cells += [Cell(plane, (1.5 * k, 1.5 * k + 1.5), (1, 2)) for k in range(2)]
    assert overlapping(chart(cells)) == []


def test_overlaps_would_be_found() -> None:
    cells = [Cell(panel("x"), (0, 1), (0, 1)), Cell(panel("y"), (0, 1), (0, 1))]
    assert overlapping(chart(cells)) != []


def test_groups_of_efforts_do_not_overlap(charmie: Model) -> None:
    limits = dict(zip(charmie.actuator_names, charmie.actuator_limits(), strict=True))
    cells = []
    for k, group in enumerate(effort_groups(charmie)):
        labels = [f"{label} (+{limits[name].effort:g})" for name, label in group.labels.items()]
        row, column = divmod(k, 3)
        cells.append(Cell(panel(*labels, title=group.title), (row, row + 1), (column, column + 1)))
    assert overlapping(chart(cells)) == []


def test_diagrams_share_one_time_axis() -> None:
    late = TimeDiagram("late", "q", "m", [Curve("", TIME + 3.0, TIME)])
    figure = chart([Cell(panel("x"), (0, 1), (0, 1)), Cell(late, (1, 2), (0, 1))])
    assert [axes.get_xlim() for axes in figure.axes] == [(0.0, 5.0)] * 2
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "time / s"]


def test_both_axes_of_a_plane_have_one_scale() -> None:
    figure = chart([Cell(PathDiagram("Path", ("x", "y"), [Path2D("p", RING)]), (0, 1), (0, 1))])
    FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    (x0, y0), (x1, y1) = axes.transData.transform([(0.0, 0.0), (1.0, 1.0)])
    assert x1 - x0 == pytest.approx(y1 - y0)


def test_more_than_four_rows_make_a_higher_chart() -> None:
    heights = [
        chart([Cell(panel("x"), (r, r + 1), (0, 1)) for r in range(rows)]).get_size_inches()[1]
        for rows in (4, 8)
    ]
    assert heights[0] == 10.0
    assert heights[1] > 17.0


@pytest.mark.parametrize("theme", THEMES)
def test_ground_and_ink_are_those_of_the_theme(theme: str) -> None:
    figure = chart([Cell(panel("x"), (0, 1), (0, 1))], theme)
    assert figure.texts[0].get_color() == THEMES[theme].ink
    assert figure.axes[0].lines[0].get_color() == THEMES[theme].lines[0]


def test_an_unknown_theme_is_refused_with_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"'drak'.*dark"):
        chart([Cell(panel("x"), (0, 1), (0, 1))], "drak")


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.png or \.svg"):
        draw_chart(tmp_path / "c.pdf", [Cell(panel("x"), (0, 1), (0, 1))], title="t")


def test_more_curves_than_colours_are_refused() -> None:
    with pytest.raises(InputError, match="at most 6 curves, got 7"):
        chart([Cell(panel(*"abcdefg"), (0, 1), (0, 1))])


def test_a_curve_may_have_the_colour_of_another_place() -> None:
    diagram = TimeDiagram("Height", "z", "m", [Curve("is", TIME, TIME, color=1)])
    (axes,) = chart([Cell(diagram, (0, 1), (0, 1))]).axes
    assert axes.get_lines()[0].get_color() == THEMES["light"].lines[1]


def test_what_is_dashed_lets_the_line_below_it_be_seen_and_has_no_marks() -> None:
    diagram = TimeDiagram(
        "Height", "z", "m", [Curve("is", TIME, TIME), Curve("should", TIME, TIME, is_dashed=True)]
    )
    plane = PathDiagram("Path", ("x", "y"), [Path2D("should", RING, is_dashed=True)])
    figure = chart([Cell(diagram, (0, 1), (0, 1)), Cell(plane, (0, 1), (1, 2))])
    over_time, in_plane = (axes.get_lines() for axes in figure.axes)
    assert [line.get_linestyle() for line in over_time[:2]] == ["-", "--"]
    assert [line.get_linestyle() for line in in_plane] == ["--"]
    assert [line.get_marker() for line in in_plane] == ["None"]
