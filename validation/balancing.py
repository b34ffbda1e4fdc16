# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page of springs for CHARMIE, by its studies.

How much smaller lift and torso actuator can be, and which balances are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from charmie_dynamics import Model, load_model
from charmie_dynamics.motions.named import natural_stance
from charmie_dynamics.studies import Study
from charmie_dynamics.studies.engine.methods import MethodResult
from charmie_dynamics.studies.results import pictures
from charmie_dynamics.visual.pictures.chart import Curve, TimeDiagram, draw_chart
from charmie_dynamics.visual.pictures.robot import render_robot

from .balancing_runs import ACTUATORS, MOTIONS, Done, Need, needs, of_both, run, travel
from .harness.charts import Diagram, Line, draw, grid
from .harness.pages import IMAGES, fill
from .harness.run import Evidence
from .harness.tables import table

WORKERS = 2
AT_BOUND = 1e-4  # of the range of a variable
OF_ROBOTS = {
    "changed": "with other springs at other anchors",
    "bought": "with springs of the list at the present anchors",
    "exact": "with a balance that is exact at rest",
}
SHOWN, SECONDS = "workday", 150.0


class Robots(NamedTuple):
    """CHARMIE with other springs: models by what the page calls them."""

    present: Model
    changed: Model
    bought: Model
    exact: Model

    def named(self) -> dict[str, Model]:
        """Return them by the headings of the page."""
        return {"present": self.present, "changed": self.changed, "bought": self.bought,
                "exact": self.exact}  # fmt: skip


def sizes_table(found: dict[str, dict[tuple[str, str], Need]]) -> str:
    """Return the table of peak, root mean square and size: a row for each actuator and motion."""
    heads = ("actuator", "motion", *(f">{name}: peak, RMS, size" for name in found))
    rows = []
    for key in product(ACTUATORS, (*MOTIONS, "all")):
        needs_of = (own[key] for own in found.values())
        cells = [f"{need.peak:.0f}, {need.rms:.0f}, {need.size:.0f}" for need in needs_of]
        rows.append((*(f"`{name}`" for name in key), *cells))
    return table(heads, rows)


def answer(found: dict[str, dict[tuple[str, str], Need]]) -> str:
    """Return how much smaller the actuators can be, in a sentence for each."""
    lines = []
    for actuator in ACTUATORS:
        before = found["present"][actuator, "all"].size
        shares = []
        for name, words in OF_ROBOTS.items():
            size = found[name][actuator, "all"].size
            shares.append(f"{size:.0f} N ({100.0 * size / before:.0f} %) {words}")
        lines.append(f"- `{actuator}`: from {before:.0f} N to {', '.join(shares)}.")
    return "\n".join(lines)


def variables_table(both: Sequence[Done]) -> str:
    """Return the table of the variables, and which of them are at a bound."""
    rows = []
    for done in both:
        study = done.study
        for k, variable in enumerate(study.evaluator.space.variables):
            value, width = done.best[k], variable.upper - variable.lower
            near = {"lower": value - variable.lower, "upper": variable.upper - value}
            bound = [name for name, way in near.items() if way <= AT_BOUND * width]
            if bound:  # the search stays a rounding away from it
                value = getattr(variable, bound[0])
            bounds = f"{variable.lower:g} to {variable.upper:g}"
            numbers = f"{study.start[k]:.4g}", f"{value:.4g}", bounds
            rows.append((variable.name.replace("_", " "), *numbers, "".join(bound)))
    return table(("variable", ">present", ">changed", ">bounds", "at a bound"), rows)


def limits_table(both: Sequence[Done], start: str = "present") -> str:
    """Return the table of the constraints: at the start, of the best, and the limits."""
    rows = []
    for done in both:
        study = done.study
        before = study.evaluator.evaluate(study.start).values
        for k, (quantity, lower, upper) in enumerate(study.constraints, len(study.objectives)):
            limit = f"at least {lower:g}" if np.isfinite(lower) else f"at most {upper:g}"
            numbers = f"{before[k]:.4g}", f"{done.values[k]:.4g}"
            rows.append((quantity.name.replace("_", " "), *numbers, limit))
    return table(("constraint", f">{start}", ">best", ">limit"), rows)


def exact_table(both: Sequence[Done]) -> str:
    """Return the table of the exact balances: variables, and what is left."""
    rows = []
    for done in both:
        study, names = done.study, list(done.study.evaluator.space.names)
        what = study.name.rpartition(" ")[2]
        for name, before, value in zip(names, study.start, done.best, strict=True):
            rows.append((f"{what}: {name.replace('_', ' ')}", f"{before:.4g}", f"{value:.6g}"))
        zero = f"{zero_length_pretension(done):.6g}"
        rows.append((f"{what}: stiffness times free length (N)", "", zero))
        held = study.evaluator.evaluate(study.start).values[0], done.values[0]
        rows.append((f"{what}: largest effort at rest (N)", f"{held[0]:.4g}", f"{held[1]:.1e}"))
    return table(("", ">present", ">optimised"), rows)


def zero_length_pretension(done: Done) -> float:
    """Return stiffness times free length (N) of the best candidate."""
    found: dict[str, float] = dict(
        zip(done.study.evaluator.space.names, done.best.tolist(), strict=True)
    )
    return found["stiffness"] * found["free_length"]


def methods_table(done: Sequence[Done]) -> str:
    """Return the table of what each method came to, and after how many evaluations."""
    rows = [
        (each.study.name, r.name, len(r.candidates), f"{r.best_values[0, 0]:.2f}")
        for each in done
        for r in each.results
    ]
    return table(("study", "method", ">evaluations", ">size (N)"), rows)


def front_table(study: Study, result: MethodResult) -> str:
    """Return the table of the ends and the middle of a front."""
    order = np.argsort(result.best_values[:, 0])
    heads = ("size for work (N)", "size for the others (N)", *study.evaluator.space.names)
    rows = [
        [
            *(f"{value:.1f}" for value in result.best_values[row, :2]),
            *(f"{x:.4g}" for x in result.best[row]),
        ]
        for row in (order[0], order[len(order) // 2], order[-1])
    ]
    return table([f">{head}" for head in heads], rows)


def draw_efforts(path: Path, robots: Robots) -> None:
    """Draw the efforts of both actuators over time, before and after."""
    diagrams = []
    for actuator in ACTUATORS:
        found = {n: travel(m, SHOWN, actuator, SECONDS) for n, m in robots.named().items()}
        curves = [Curve(name, *course) for name, course in found.items()]
        diagrams.append(TimeDiagram(actuator.replace("_", " "), "effort", "N", curves))
    draw_chart(
        path, grid(diagrams), title="Efforts with other springs",
        subtitle="the first errand of the day's work: from the floor to the table",
    )  # fmt: skip


def draw_at_rest(path: Path, robots: Robots) -> None:
    """Draw what each linear actuator holds over its travel, while the arms rest."""
    diagrams = []
    for actuator in ACTUATORS:
        lines = []
        for name, model in robots.named().items():
            k = model.actuator_names.index(actuator)
            limit = model.actuator_limits()[k]
            position = np.tile(natural_stance(model), (200, 1))
            position[:, k] = np.linspace(limit.lower, limit.upper, 200)
            effort = model.compute(position).actuator_effort[:, k]
            lines.append(Line(name, 1e3 * position[:, k], effort))
        title = actuator.replace("_", " ")
        diagrams.append(Diagram(title, "length / mm", "effort / N", lines))
    draw(path, diagrams, "Efforts at rest over the travel", "the arms in their rest pose", 2)


def draw_mechanisms(folder: Path, robots: Robots) -> None:
    """Draw the robot with its present, changed and exact springs."""
    for name, model in robots.named().items():
        state = model.compute(natural_stance(model))
        path = folder / f"balancing_{name.replace(' ', '_')}.png"
        title = f"CHARMIE's springs: {name}"
        if name in ("present", "changed", "exact"):
            render_robot(path, model, state, style="skeleton", title=title, size=(1000, 1000))


def make() -> Evidence:
    """Run the studies and draw; return the page."""
    base = load_model()
    # the longest first
    names = "torso_springs", "torso_front", "lift_springs", "exact_torso", "exact_lift"
    with ProcessPoolExecutor(WORKERS) as pool:
        found = pool.map(run, (*names, "balancing", "bought_springs"))
        torso, front, lift, *exact, both, bought = found
    robots = Robots(base, of_both(torso, lift), bought.model, of_both(*exact))
    needed = {name: needs(model) for name, model in robots.named().items()}

    draw_efforts(IMAGES / "balancing_efforts.png", robots)
    draw_at_rest(IMAGES / "balancing_at_rest.png", robots)
    draw_mechanisms(IMAGES, robots)
    pictures.draw_front(IMAGES / "balancing_front.png", front.study, front.results[-1])
    sensitivity = next(r.sensitivity for r in both.results if r.sensitivity is not None)
    pictures.draw_sensitivities(IMAGES / "balancing_sensitivities.png", both.study, sensitivity)
    sections = {
        "answer": answer(needed),
        "sizes": sizes_table(needed),
        "variables": variables_table([torso, lift]),
        "limits": limits_table([torso, lift]),
        "bought": limits_table([bought], "springs of the list and present springs"),
        "list": bought.rows(),
        "exact": exact_table(exact),
        "pretensions": " and ".join(f"{zero_length_pretension(done):.1f} N" for done in exact),
        "methods": methods_table([torso, lift, *exact]),
        "front": front_table(front.study, front.results[-1]),
    }
    return Evidence({"balancing.md": fill("balancing", sections)})
