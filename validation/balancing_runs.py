# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The studies of CHARMIE's springs, and what each of its linear actuators needs in each motion."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.equations.number_paths import path_of, with_numbers
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies import Study, StudyMotion, read_study
from charmie_dynamics.studies.commands.study import run_methods
from charmie_dynamics.studies.design.outcome import StudyOutcome
from charmie_dynamics.studies.design.quantities import StudyQuantity
from charmie_dynamics.studies.design.study_motion import make_study_motion
from charmie_dynamics.studies.engine.methods import MethodResult
from charmie_dynamics.studies.engine.study_job import StudyJob
from charmie_dynamics.studies.results.winners import best_of, winners_of
from charmie_dynamics.tasks.engine import SerialEngine
from charmie_dynamics.tasks.journal import Journal

from .harness.tables import table

ACTUATORS = ("torso_actuator", "lift_actuator")
MOTIONS = ("wave", "paper_5s", "paper_20s", "workday")
RATE = 100.0  # Hz, of what the page tells; the studies take fewer samples


class Done(NamedTuple):
    """A study with what its methods have found."""

    study: Study
    results: list[MethodResult]
    best: Floats
    values: Floats

    @property
    def numbers(self) -> dict[str, float]:
        """Of the best candidate, by their paths."""
        return self.study.evaluator.space.numbers(self.best)

    @property
    def model(self) -> Model:
        """The robot of the best candidate."""
        return self.study.evaluator.model(self.best)

    def rows(self) -> str:
        """Return the rows of the lists that the best candidate has, as a table."""
        heads = "stiffness (N/m)", "free length (m)", "pretension (N)", "wire (m)", "coil (m)"
        rows = []
        for variable, value in zip(self.study.evaluator.space.variables, self.best, strict=True):
            of_path = {name.rpartition(".")[2]: column for name, column in variable.columns.items()}
            keys = "stiffness", "free_length", "pretension", "wire", "coil"
            cells = [f"{of_path[key][int(value)]:g}" for key in keys]
            rows.append((variable.name.replace("_", " "), *cells))
        return table(("for", *(f">{head}" for head in heads)), rows)


class Need(NamedTuple):
    """Peak, root mean square and size (N) of an actuator."""

    peak: float
    rms: float
    size: float


def run(name: str) -> Done:
    """Run a study of the package from its beginning."""
    print(f"study {name}", file=sys.stderr)
    study = read_study(name)
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal", StudyJob(study).digest)
        with SerialEngine(StudyJob(study), journal) as engine:
            results = run_methods(engine)
    best = best_of(study, winners_of(results))
    return Done(study, results, best.candidate, best.values)


def of_both(*done: Done) -> Model:
    """Return CHARMIE with the numbers that several studies have found."""
    base = load_model()
    values = {
        path_of(base.tree, base.mechanisms, path): value
        for each in done
        for path, value in each.numbers.items()
    }
    return Model(*with_numbers(base.tree, base.mechanisms, values), "charmie")


def needs(model: Model) -> dict[tuple[str, str], Need]:
    """Return what each linear actuator needs in each motion, and in all of them."""
    motions = [make_study_motion(name, model, rate=RATE) for name in MOTIONS]
    states = [model.compute(m.position, m.velocity, m.acceleration) for m in motions]
    every = StudyOutcome(model, tuple(motions), tuple(states), {})
    found = {}
    for actuator in ACTUATORS:
        for name in (*MOTIONS, "all"):
            part = every.of_motions(() if name == "all" else (name,))
            found[actuator, name] = Need(
                *(quantity.value(quantity.signal(part), part)
                  for quantity in (StudyQuantity(kind, kind, actuator) for kind in Need._fields))
            )  # fmt: skip
    return found


def travel(model: Model, motion: str, actuator: str, duration: float) -> tuple[Floats, Floats]:
    """Return times and the efforts of an actuator in the first seconds of a motion."""
    own: StudyMotion = make_study_motion(motion, model, duration=duration, rate=20.0)
    batch = model.compute(own.position, own.velocity, own.acceleration)
    k = model.actuator_names.index(actuator)
    return own.time, np.array(batch.actuator_effort[:, k])
