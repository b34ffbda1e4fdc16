# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures of a study: the front, sensitivities, efforts and mechanism before and after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies.design.quantities import ACTUATOR, KINDS, SPRING, unit_of
from charmie_dynamics.studies.design.study import Study
from charmie_dynamics.studies.engine.methods import MethodResult
from charmie_dynamics.studies.search.sensitivity import Sensitivity
from charmie_dynamics.visual.pictures.chart import (
    Cell,
    Curve,
    TimeDiagram,
    draw_chart,
    dress_axes,
    headed_figure,
    save_chart,
)
from charmie_dynamics.visual.pictures.robot import render_robot
from charmie_dynamics.visual.pictures.themes import theme_named

SIZE = (1600, 1000)
MOST_SIGNALS = 6


def draw_front(path: Path, study: Study, result: MethodResult, theme: str = "light") -> None:
    """Draw the candidates in the plane of each pair of objectives, and the best of them."""
    colors = theme_named(theme)
    names = [objective.quantity.name for objective in study.objectives]
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    columns = min(3, len(pairs))
    rows = -(-len(pairs) // columns)
    size = (SIZE[0], max(SIZE[1], 560 * rows + 160))
    figure = headed_figure(
        size, f"{study.name}: what can be had", f"{len(result.candidates)} candidates", colors
    )
    feasible = study.feasible(result.values)
    start = study.evaluator.evaluate(study.start).values
    for k, (i, j) in enumerate(pairs):
        axes = figure.add_axes(_box(k, rows, columns))
        dress_axes(axes, colors)
        for keep, color, label in (
            (~feasible, colors.grid, "beyond a constraint"),
            (feasible, colors.muted, "within the constraints"),
        ):
            shown = result.values[keep & np.isfinite(result.values).all(axis=1)]
            axes.scatter(shown[:, i], shown[:, j], s=12, color=color, label=label, linewidths=0)
        order = np.argsort(result.best_values[:, i])
        best = result.best_values[order]
        axes.plot(best[:, i], best[:, j], "o-", ms=5, lw=1.6, color=colors.lines[0],
                  label="best")  # fmt: skip
        axes.plot(start[i], start[j], "D", ms=8, color=colors.lines[1], label="as it is")
        axes.set_xlabel(_label(study, i), color=colors.ink)
        axes.set_ylabel(_label(study, j), color=colors.ink)
        _zoom(axes, best, start, (i, j))
        if k == 0:
            axes.legend(frameon=False, labelcolor=colors.ink)
    save_chart(path, figure)


def draw_sensitivities(path: Path, study: Study, found: Sensitivity, theme: str = "light") -> None:
    """Draw which share of each quantity's variance each variable makes."""
    colors = theme_named(theme)
    names, variables = study.names, study.evaluator.space.names
    height = max(420, 170 + 44 * len(names) * 2)
    figure = headed_figure(
        (SIZE[0], height),
        f"{study.name}: what each variable changes",
        "Sobol's indices: share of the variance, alone (dark) and together with others (pale); "
        "lines: 95 %",
        colors,
    )
    width = 0.86 / len(variables)
    for k, variable in enumerate(variables):
        axes = figure.add_axes((0.12 + k * width, 0.12, width * 0.9, 1.0 - 0.12 - 130 / height))
        dress_axes(axes, colors)
        rows = np.arange(len(names))
        axes.barh(rows, found.total[:, k], 0.72, color=colors.lines[0], alpha=0.35,
                  xerr=found.total_error[:, k], ecolor=colors.muted)  # fmt: skip
        axes.barh(rows, found.first[:, k], 0.36, color=colors.lines[0])
        axes.set_yticks(rows)
        axes.set_yticklabels(names if k == 0 else [])
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0.0, 1.05)
        axes.set_title(variable, color=colors.ink, fontsize=11)
    save_chart(path, figure)


def draw_before_and_after(
    path: Path, study: Study, candidate: Floats, theme: str = "light"
) -> None:
    """Draw what the objectives and constraints are made of, of the robot as it is and changed."""
    evaluator = study.evaluator
    parts = [evaluator.outcome(each) for each in (study.start, candidate)]
    subjects: list[tuple[str, str]] = []
    for quantity in evaluator.quantities:
        of = KINDS[quantity.kind].of
        if of in (ACTUATOR, SPRING) and (of, quantity.subject) not in subjects:
            subjects.append((of, quantity.subject))
    cells = []
    units = dict(zip(evaluator.base.actuator_names, evaluator.base.effort_units, strict=True))
    for column, motion in enumerate(evaluator.motions[:3]):
        for row, (of, subject) in enumerate(subjects[:MOST_SIGNALS]):
            curves = []
            for label, outcome in zip(("as it is", "changed"), parts, strict=True):
                own = outcome.of((motion.name,))
                values = (
                    own.effort(subject)
                    if of == ACTUATOR
                    else own.of_springs("spring_tension", subject)
                )
                curves.append(Curve(label, motion.time, values))
            what, unit = ("effort", units.get(subject, "N")) if of == ACTUATOR else ("tension", "N")
            title = f"{subject.replace('_', ' ')}, {motion.name}"
            cells.append(
                Cell(TimeDiagram(title, what, unit, curves), (row, row + 1), (column, column + 1))
            )
    draw_chart(
        path, cells, title=f"{study.name}: before and after",
        subtitle="the best candidate that meets the constraints", theme=theme,
    )  # fmt: skip


def draw_mechanism(path: Path, model: Model, title: str, theme: str = "light") -> None:
    """Draw a robot in its rest pose, with springs, actuators and mechanisms."""
    position = model.zero_position()
    for name, value in model.mechanisms.rest_pose.items():
        position[model.position_names.index(name)] = value
    render_robot(path, model, model.compute(position), theme=theme, title=title)


def _box(k: int, rows: int, columns: int) -> tuple[float, float, float, float]:
    row, column = divmod(k, columns)
    width, height = 0.94 / columns, 0.86 / rows
    return 0.06 + column * width, 0.88 - (row + 1) * height + 0.07, width - 0.07, height - 0.1


def _label(study: Study, k: int) -> str:
    quantity = study.objectives[k].quantity
    unit = unit_of(quantity, study.evaluator.base)
    return f"{quantity.name} / {unit}" if unit else quantity.name


def _zoom(axes: Axes, best: Floats, start: Floats, pair: tuple[int, int]) -> None:
    """Show the front and the robot as it is, not the farthest of all candidates."""
    for k, axis in zip(pair, (axes.xaxis, axes.yaxis), strict=True):
        values = np.append(best[:, k], start[k])
        low, high = float(values.min()), float(values.max())
        room = 0.15 * (high - low) or 0.1 * abs(high) or 1.0
        axis.set_view_interval(low - room, high + 2.0 * room, ignore=True)
