# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures of a study: the front, sensitivities, efforts and mechanism before and after."""

from __future__ import annotations

from pathlib import Path

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
)
from charmie_dynamics.visual.pictures.robot import render_robot
from charmie_dynamics.visual.study_charts.fronts import plot_fronts
from charmie_dynamics.visual.study_charts.sensitivities import plot_sensitivities

MOST_SIGNALS = 6


def draw_front(path: Path, study: Study, result: MethodResult, theme: str = "light") -> None:
    """Draw the candidates in the plane of each pair of objectives, and the best ones."""
    count = len(study.objectives)
    labels = []
    for objective in study.objectives:
        unit = unit_of(objective.quantity, study.evaluator.base)
        labels.append(f"{objective.quantity.name} / {unit}" if unit else objective.quantity.name)
    plot_fronts(
        path,
        labels,
        result.values[:, :count],
        study.feasible(result.values),
        result.best_values[:, :count],
        study.evaluator.evaluate_described().values[:count],
        title=f"{study.name}: what can be had",
        theme=theme,
    )


def draw_sensitivities(
    path: Path, study: Study, sensitivity: Sensitivity, theme: str = "light"
) -> None:
    """Draw the contribution of each variable to the variance of each quantity."""
    plot_sensitivities(
        path,
        study.names,
        study.evaluator.space.names,
        sensitivity.first,
        sensitivity.total,
        sensitivity.total_error,
        title=f"{study.name}: what each variable changes",
        theme=theme,
    )


def draw_before_and_after(
    path: Path, study: Study, candidate: Floats, theme: str = "light"
) -> bool:
    """Draw the efforts and tensions of the quantities, before and after the change.

    Returns
    -------
    bool
        False without such quantities; then no file is written.
    """
    evaluator = study.evaluator
    parts = {"changed": evaluator.outcome(candidate)}
    if not evaluator.evaluate_described().reason:
        parts = {"described": evaluator.described_outcome(), **parts}
    subjects: list[tuple[str, str]] = []
    for quantity in evaluator.quantities:
        of = KINDS[quantity.kind].of
        if of in (ACTUATOR, SPRING) and (of, quantity.subject) not in subjects:
            subjects.append((of, quantity.subject))
    cells = []
    units = dict(zip(evaluator.base.actuator_names, evaluator.base.effort_units, strict=True))
    for column, motion in enumerate(parts["changed"].motions[:3]):
        for row, (of, subject) in enumerate(subjects[:MOST_SIGNALS]):
            curves = []
            for label, outcome in parts.items():
                own = outcome.of_motions((motion.name,))
                values = own.effort(subject) if of == ACTUATOR else own.spring_tension(subject)
                curves.append(Curve(label, motion.time, values))
            what, unit = ("effort", units.get(subject, "N")) if of == ACTUATOR else ("tension", "N")
            title = f"{subject.replace('_', ' ')}, {motion.name}"
            cells.append(
                Cell(TimeDiagram(title, what, unit, curves), (row, row + 1), (column, column + 1))
            )
    if not cells:
        return False
    draw_chart(
        path, cells, title=f"{study.name}: before and after",
        subtitle="the best candidate that meets the constraints", theme=theme,
    )  # fmt: skip
    return True


def draw_mechanism(path: Path, model: Model, title: str, theme: str = "light") -> None:
    """Draw a robot in its rest pose, with springs, actuators and mechanisms."""
    position = model.zero_position()
    for name, value in model.mechanisms.rest_pose.items():
        position[model.position_names.index(name)] = value
    render_robot(path, model, model.compute(position), theme=theme, title=title)
