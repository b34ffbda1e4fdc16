# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Runs of the problems with known answers: how they are simulated, and how far off they end."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.simulation import Run, simulate

from .problems import (
    bricard,
    cart_pole,
    chain,
    four_bar,
    four_bars,
    free_box,
    governor,
    pendulum,
    slider_crank,
    squeezer,
)
from .problems.problem import Problem

FILE = Path(__file__).resolve().parents[1] / "test" / "reference" / "problems.json"


@dataclass(frozen=True)
class KnownRun:
    """A problem, how it is simulated, and what others need for it.

    Attributes
    ----------
    problem : Problem
    limit : float
        Largest error of a position (rad, m) that is accepted.
    options : mapping
        Of `simulate`.
    exudyn, mujoco : int
        Steps of these programs; 0: they are left out.
    exudyn_options : mapping
        Of `exudyn_runs.run`.
    published : str
        What others report.
    """

    problem: Problem
    limit: float
    options: Mapping[str, Any] = field(default_factory=dict)
    exudyn: int = 0
    mujoco: int = 0
    exudyn_options: Mapping[str, Any] = field(default_factory=dict)
    published: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a run ended: largest errors over the times of the reference, and what it took."""

    run: Run
    position_error: float
    seconds: float

    @property
    def energy_error(self) -> float:
        """Return the drift of the energy balance relative to what is turned over."""
        energy = self.run.energy
        turned = np.ptp(energy.kinetic) + np.ptp(energy.work) + np.ptp(energy.lost)
        return float(np.abs(energy.error).max() / max(turned, 1e-300))

    @property
    def ranks(self) -> str:
        """Return rank and number of the constraints of the loop joints."""
        model = self.run.model
        if not model.mechanisms.loop_joints:
            return "-"
        rows = len(model.constraints(self.run.position[0]).jacobian)
        low, high = int(self.run.constraint_rank.min()), int(self.run.constraint_rank.max())
        return f"{low} of {rows}" if low == high else f"{low} to {high} of {rows}"


@cache
def references() -> dict[str, Any]:
    """Return the answers, see `validation.references`."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def reference_at(name: str, moment: float) -> dict[str, float]:
    """Return the positions of an answer at one of its times.

    Raises
    ------
    ValueError
        If it has no such time.
    """
    kept = references()[name]
    (k,) = np.flatnonzero(np.isclose(kept["times"], moment, rtol=0.0, atol=1e-12))
    return {joint: values[k] for joint, values in kept["positions"].items()}


def run_problem(problem: Problem, model: Model | None = None, **options: Any) -> Outcome:
    """Simulate a problem up to its duration and compare it with its reference on the way."""
    model = model or problem.model()
    kept = references()[problem.name]
    moments = np.array(kept["times"])
    moments = moments[moments <= problem.duration + 1e-12]
    position, velocity = problem.start(model)
    effort = problem.constant_effort(model)
    begin = time.process_time()
    run = simulate(*(model, position, velocity, problem.duration, effort), times=moments, **options)
    seconds = time.process_time() - begin
    if "position" in kept:  # x y z and a quaternion, which is the same with all signs changed
        expected = np.array(kept["position"])[: len(moments)]
        signs = np.sign(np.sum(run.position[:, 3:] * expected[:, 3:], axis=1))
        expected[:, 3:] *= signs[:, None]
        return Outcome(run, float(np.abs(run.position - expected).max()), seconds)
    columns = [model.position_names.index(joint) for joint in kept["positions"]]
    expected = np.column_stack(list(kept["positions"].values()))[: len(moments)]
    return Outcome(run, float(np.abs(run.position[:, columns] - expected).max()), seconds)


FINE = {"rtol": 1e-9, "atol": 1e-11}
STEPS = {"integrator": "rk4", "step": 1e-3}
SHARP = {"integrator": "DOP853", "rtol": 1e-10, "atol": 1e-12}
OPENSIM = "OpenSim 3.2 on a Core i5-4570: {}"
KNOWN_RUNS = (
    KnownRun(pendulum.problem(), 1e-6, FINE, 16000, 4000, published=OPENSIM.format("0.64 s")),
    KnownRun(four_bars.problem(2), 1e-6, FINE, 16000, 16000, published=OPENSIM.format("0.46 s")),
    KnownRun(four_bars.problem(3), 1e-6, STEPS),
    KnownRun(four_bars.problem(40), 1e-6, FINE),
    KnownRun(
        *(squeezer.problem(), 1e-6, FINE, 4000, 1000),
        published="PSIDE on a Cray C90 to 1e-14: 57 s (Test Set for IVP Solvers)",
    ),
    KnownRun(
        *(bricard.problem(), 1e-6, FINE, 4000, 4000),
        {"planar": False, "redundant": True},
        OPENSIM.format("0.26 s"),
    ),
    KnownRun(
        *(governor.problem(), 1e-6, {"rtol": 1e-9, "atol": 1e-11}, 20000, 40000),
        published="Exudyn at 0.5 ms, in its example: 0.53 s",
    ),
    KnownRun(slider_crank.problem(), 1e-6, FINE, 4000, 1000),
    KnownRun(slider_crank.problem(cut="slide"), 1e-6, FINE),
    KnownRun(four_bar.problem(1), 1e-6, FINE, 4000, 1000),
    KnownRun(free_box.problem(), 1e-6, FINE),
    KnownRun(chain.problem(2, 5.0), 1e-5, FINE, 8000, 4000),
    KnownRun(chain.problem(10), 1e-6, FINE, 4000, 1000),
    KnownRun(chain.problem(100, 0.5), 1e-6, STEPS, 500, 500),
    KnownRun(cart_pole.problem(), 1e-4, SHARP, 0, 10000),
)
