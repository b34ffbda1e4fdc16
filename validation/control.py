# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page of control: computed torque on the SCARA and on CHARMIE.

The page is ``docs/control.md``, made of ``docs/control.in.md`` and what is computed and timed here;
its figures are those of the structural paper, section 5.3, figures 6 to 10.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from charmie_dynamics import Model, load_model
from charmie_dynamics.control import (
    ComputedTorque,
    Controller,
    GravityCompensation,
    PDFeedForward,
)
from charmie_dynamics.motions import SampledMotion, make_motion
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.symbolic import derive

from .harness.machine import describe_machine
from .harness.pages import IMAGES, fill
from .harness.run import Evidence
from .harness.tables import bullets, table
from .harness.timing import turns
from .scara import (
    FRICTION,
    OFFSET,
    STEP,
    desired_motion,
    scaled_masses,
    with_friction,
)
from .scara_figures import SETTLED, draw_figures
from .tracked_run import TrackedRun, track

KP = 200.0  # 1/s^2, of the paper
PAPER_CYCLES = {"numeric": 16.0e-3, "generated": 17.5e-3}  # s, of the paper, section 5.3
WRONG_MASSES = 0.9
# CHARMIE's last joints turn bodies so light that what changes within a step moves them much
CHARMIE_KP = 1e4
CHARMIE_MOTION = "paper_5s"
TOOLS = ("left_tool", "right_tool")
ROUNDS, CALLS = 200, 100


@dataclass(frozen=True)
class Tracking:
    """All runs of the SCARA: those that begin beside the path, and those that begin on it."""

    numeric: TrackedRun
    generated: TrackedRun
    cases: Mapping[str, TrackedRun]


def without_coriolis(model: Model) -> Callable[[Floats, Floats, Floats], Floats]:
    """Return inverse dynamics that neglect all that depends on velocities."""
    return lambda q, v, a: model.compute(q, None, a).actuator_effort


def generated(model: Model) -> Callable[[Floats, Floats, Floats], Floats]:
    """Return inverse dynamics as code generated from symbolic expressions."""
    terms = derive(model, "structural").function()

    def efforts(q: Floats, v: Floats, a: Floats) -> Floats:
        mass_matrix, coriolis_matrix, gravity = terms(q, v)
        result: Floats = mass_matrix @ a + coriolis_matrix @ v + gravity
        return result

    return efforts


def track_scara(model: Model) -> Tracking:
    """Return all runs of the SCARA."""
    motion = desired_motion(model)
    rough = with_friction(model)
    start = motion.position[0] + OFFSET
    numeric = ComputedTorque(model, KP, motion=motion)
    by_code = ComputedTorque(model, KP, motion=motion, inverse_dynamics=generated(model))
    cases: dict[str, tuple[Controller, Model]] = {
        "unmodified": (numeric, model),
        "no Coriolis terms": (
            ComputedTorque(model, KP, motion=motion, inverse_dynamics=without_coriolis(model)),
            model,
        ),
        "masses 10 % too small": (
            ComputedTorque(scaled_masses(model, WRONG_MASSES), KP, motion=motion),
            model,
        ),
        "friction unknown": (numeric, rough),
        "friction known": (ComputedTorque(rough, KP, motion=motion), rough),
    }
    gains = _effort_gains(model, motion)
    others: dict[str, tuple[Controller, Model]] = {
        "PD with feed-forward": (PDFeedForward(model, *gains, motion=motion), model),
        "PD with gravity compensation": (GravityCompensation(model, *gains, motion=motion), model),
    }
    return Tracking(
        track(numeric, model, motion, start),
        track(by_code, model, motion, start),
        {name: track(*pair, motion) for name, pair in {**cases, **others}.items()},
    )


def _effort_gains(model: Model, motion: SampledMotion) -> tuple[Floats, Floats]:
    """Return gains in units of effort: KP and its critical damping times the inertia at first."""
    rest = motion.position[0]
    efforts = [model.compute(rest, None, unit).actuator_effort for unit in np.eye(len(rest))]
    inertia = np.diag(np.array(efforts) - model.compute(rest).actuator_effort)
    return KP * inertia, 2.0 * np.sqrt(KP) * inertia


def track_charmie(model: Model) -> TrackedRun:
    """Return CHARMIE's run of the multibody paper's motion."""
    motion = make_motion(CHARMIE_MOTION, model)
    times = np.arange(round(motion.duration / STEP) + 1, dtype=float) * STEP
    desired = motion.sampled(times)
    return track(ComputedTorque(model, CHARMIE_KP, motion=desired), model, desired)


def case_table(cases: Mapping[str, TrackedRun]) -> str:
    """Return the table of the largest errors on the path."""
    rows = []
    for name, run in cases.items():
        error = 1e3 * np.abs(run.error).max(axis=0)
        values = error[0], error[1:].max(), 1e3 * run.distance("tool").max()
        rows.append((name, *(f"{value:.3g}" for value in values)))
    return table(("the controller", ">joint 1 (mm)", ">joints 2 to 5 (mrad)", ">tool (mm)"), rows)


def charmie_table(run: TrackedRun) -> str:
    """Return the table of CHARMIE's largest errors."""
    error = np.abs(run.error).max(axis=0)
    plant = run.run.model
    names = plant.actuator_names
    units = _in_metres(plant)
    share = np.abs(run.run.effort).max(axis=0) / [
        limit.effort or np.inf for limit in plant.actuator_limits()
    ]
    turning, sliding = np.where(units, 0.0, error), np.where(units, error, 0.0)
    rows = [
        ("revolute joints", turning.max(), "rad", names[turning.argmax()]),
        ("slides and linear actuators", sliding.max(), "m", names[sliding.argmax()]),
        *((tool, run.distance(tool).max(), "m", "") for tool in TOOLS),
        ("effort, as a share of the rated one", share.max(), "", names[share.argmax()]),
    ]
    return table(("", ">largest", "of"), [(a, f"{x:.2g} {unit}", of) for a, x, unit, of in rows])


def _in_metres(model: Model) -> Floats:
    slides = {joint.name for joint in model.tree.joints if joint.type == "prismatic"}
    linear = {actuator.name for actuator in model.mechanisms.linear_actuators}
    return np.array([name in slides | linear for name in model.actuator_names])


def time_cycles(cycles: Mapping[str, tuple[Controller, TrackedRun]]) -> dict[str, float]:
    """Return the median time (s) of a control cycle, all rows in turns."""

    def row(controller: Controller, run: TrackedRun) -> Callable[[], float]:
        steps = itertools.cycle(range(len(run.desired.time) - 1))

        def timed() -> float:
            k = next(steps)
            given = (
                run.run.position[k], run.run.velocity[k],
                run.desired.position[k], run.desired.velocity[k], 0.0 * run.run.velocity[k],
            )  # fmt: skip
            start = time.perf_counter()
            for _ in range(CALLS):
                controller.compute(*given)
            return (time.perf_counter() - start) / CALLS

        return timed

    found = turns({name: row(*cycle) for name, cycle in cycles.items()}, ROUNDS)
    return {name: float(np.median(values)) for name, values in found.items()}


def time_table(cycles: Mapping[str, float]) -> str:
    """Return the table of control cycles beside the paper's."""
    rows = []
    for name, seconds in cycles.items():
        paper = PAPER_CYCLES["generated" if "generated" in name else "numeric"]
        cells = (f"{1e3 * paper:g} ms", f"{paper / seconds:.0f}") if "SCARA" in name else ("", "")
        rows.append((name, f"{1e6 * seconds:.1f} us", *cells))
    return table(("control cycle", ">median", ">the paper's", ">times as quick"), rows)


def start_text(runs: Tracking) -> str:
    """Return what the runs that begin beside the path show."""
    numeric, code = runs.numeric, runs.generated
    late = numeric.desired.time >= SETTLED
    first, left = (1e3 * numeric.distance("tool")[part].max() for part in (slice(1), late))
    efforts = np.abs(numeric.run.effort - code.run.effort).max()
    positions = np.abs(numeric.run.position - code.run.position).max()
    return (
        f"The tool begins {first:.0f} mm beside the path and is within {left:.2g} mm of it after "
        f"{SETTLED:g} s. The run with generated code is the same: its efforts differ by "
        f"{efforts:.1e} N or N m at most, its positions by {positions:.1e} m or rad."
    )


def make() -> Evidence:
    """Compute, time and draw; return the page."""
    machine = describe_machine(os.getloadavg()[0])
    scara, charmie = load_model("scara"), load_model()
    runs = track_scara(scara)
    whole = track_charmie(charmie)
    cycles = time_cycles(
        {
            "SCARA, the kernels of this package": (ComputedTorque(scara, KP), runs.numeric),
            "SCARA, generated code": (
                ComputedTorque(scara, KP, inverse_dynamics=generated(scara)),
                runs.generated,
            ),
            "CHARMIE, the kernels of this package": (ComputedTorque(charmie, CHARMIE_KP), whole),
        }
    )
    draw_figures(IMAGES, runs.numeric, runs.generated, runs.cases)
    sections = {
        "start": start_text(runs),
        "cases": case_table(runs.cases),
        "charmie": charmie_table(whole),
        "machine": bullets(machine),
        "cycles": time_table(cycles),
        "friction": "; ".join(
            f"{name.replace('_', ' ')}: {f.viscous:g} and {f.coulomb:g}"
            for name, f in FRICTION.items()
        ),
    }
    return Evidence({"control.md": fill("control", sections)})
