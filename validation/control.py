# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Computed torque on the SCARA and on CHARMIE; ``python -m validation.control`` writes the page.

The page is ``docs/control.md``, made of ``docs/control.in.md`` and what is computed and timed here;
its figures are those of the structural paper, section 5.3, figures 6 to 10.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks import pages
from benchmarks.machine import describe_machine
from charmie_dynamics import Model, load_model
from charmie_dynamics.control import (
    ComputedTorque,
    Controller,
    GravityCompensation,
    PDFeedForward,
    TrackingRun,
    track,
)
from charmie_dynamics.motions.named import make_motion
from charmie_dynamics.motions.splines import SampledMotion
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.symbolic import derive

from .scara import FRICTION, OFFSET, STEP, desired_motion, scaled_masses, with_friction
from .scara_figures import SETTLED, draw_figures

TEMPLATE, PAGE = "control.in.md", "control.md"
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

    numeric: TrackingRun
    generated: TrackingRun
    cases: Mapping[str, TrackingRun]


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
    numeric = ComputedTorque(model, KP)
    by_code = ComputedTorque(model, KP, inverse_dynamics=generated(model))
    cases: dict[str, tuple[Controller, Model]] = {
        "all as it is": (numeric, model),
        "no Coriolis terms": (
            ComputedTorque(model, KP, inverse_dynamics=without_coriolis(model)),
            model,
        ),
        "masses 10 % too small": (ComputedTorque(scaled_masses(model, WRONG_MASSES), KP), model),
        "friction unknown": (numeric, rough),
        "friction known": (ComputedTorque(rough, KP), rough),
    }
    gains = _effort_gains(model, motion)
    others: dict[str, tuple[Controller, Model]] = {
        "PD with feed-forward": (PDFeedForward(model, *gains), model),
        "PD with gravity compensation": (GravityCompensation(model, *gains), model),
    }
    return Tracking(
        track(numeric, model, motion, position=start, velocity=0.0 * start),
        track(by_code, model, motion, position=start, velocity=0.0 * start),
        {name: track(*pair, motion) for name, pair in {**cases, **others}.items()},
    )


def _effort_gains(model: Model, motion: SampledMotion) -> tuple[Floats, Floats]:
    """Return gains in units of effort: KP and its critical damping times the inertia at first."""
    rest = motion.position[0]
    efforts = [model.compute(rest, None, unit).actuator_effort for unit in np.eye(len(rest))]
    inertia = np.diag(np.array(efforts) - model.compute(rest).actuator_effort)
    return KP * inertia, 2.0 * np.sqrt(KP) * inertia


def track_charmie(model: Model) -> TrackingRun:
    """Return CHARMIE's run of the multibody paper's motion."""
    motion = make_motion(CHARMIE_MOTION, model)
    times = np.arange(round(motion.duration / STEP) + 1) * STEP
    rows = zip(*map(motion.at, times.tolist()), strict=True)
    return track(
        ComputedTorque(model, CHARMIE_KP), model, SampledMotion(times, *map(np.array, rows))
    )


def case_table(cases: Mapping[str, TrackingRun]) -> str:
    """Return the table of the largest errors on the path."""
    lines = [
        "| the controller | joint 1 (mm) | joints 2 to 5 (mrad) | tool (mm) |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, run in cases.items():
        error = 1e3 * np.abs(run.error).max(axis=0)
        tool = 1e3 * tool_error(run, "tool").max()
        lines.append(f"| {name} | {error[0]:.3g} | {error[1:].max():.3g} | {tool:.3g} |")
    return "\n".join(lines)


def charmie_table(run: TrackingRun) -> str:
    """Return the table of CHARMIE's largest errors."""
    error = np.abs(run.error).max(axis=0)
    names = run.plant.actuator_names
    units = _in_metres(run.plant)
    share = np.abs(run.effort).max(axis=0) / [
        limit.effort or np.inf for limit in run.plant.actuator_limits()
    ]
    turning, sliding = np.where(units, 0.0, error), np.where(units, error, 0.0)
    rows = [
        ("revolute joints", turning.max(), "rad", names[turning.argmax()]),
        ("slides and linear actuators", sliding.max(), "m", names[sliding.argmax()]),
        *((tool, tool_error(run, tool).max(), "m", "") for tool in TOOLS),
        ("effort, as a share of the rated one", share.max(), "", names[share.argmax()]),
    ]
    lines = ["| | largest | of |", "| --- | ---: | --- |"]
    lines += [f"| {what} | {value:.2g} {unit} | {of} |" for what, value, unit, of in rows]
    return "\n".join(lines)


def tool_error(run: TrackingRun, frame: str) -> Floats:
    """Return how far a frame was from where it should have been (k,), in m."""
    result: Floats = np.linalg.norm(run.desired_path(frame) - run.path(frame), axis=1)
    return result


def _in_metres(model: Model) -> Floats:
    slides = {joint.name for joint in model.tree.joints if joint.type == "prismatic"}
    linear = {actuator.name for actuator in model.mechanisms.linear_actuators}
    return np.array([name in slides | linear for name in model.actuator_names])


def time_cycles(cycles: Mapping[str, tuple[Controller, TrackingRun]]) -> dict[str, float]:
    """Return the median time (s) of a control cycle, all rows in turns."""
    seconds: dict[str, list[float]] = {name: [] for name in cycles}
    for n in range(ROUNDS):
        for name, (controller, run) in cycles.items():
            k = n % (len(run.time) - 1)
            given = (
                run.position[k], run.velocity[k],
                run.desired_position[k], run.desired_velocity[k], 0.0 * run.velocity[k],
            )  # fmt: skip
            start = time.perf_counter()
            for _ in range(CALLS):
                controller.compute(*given)
            seconds[name].append((time.perf_counter() - start) / CALLS)
    return {name: float(np.median(values)) for name, values in seconds.items()}


def time_table(cycles: Mapping[str, float]) -> str:
    """Return the table of control cycles beside the paper's."""
    lines = [
        "| control cycle | median | the paper's | times as quick |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, seconds in cycles.items():
        kind = "generated" if "generated" in name else "numeric"
        paper = PAPER_CYCLES[kind] if "SCARA" in name else None
        cells = (f"{1e3 * paper:g} ms", f"{paper / seconds:.0f}") if paper else ("", "")
        lines.append(f"| {name} | {1e6 * seconds:.1f} us | {' | '.join(cells)} |")
    return "\n".join(lines)


def start_text(runs: Tracking) -> str:
    """Return what the runs that begin beside the path show."""
    numeric, code = runs.numeric, runs.generated
    late = numeric.time >= SETTLED
    first, left = (1e3 * tool_error(numeric, "tool")[part].max() for part in (slice(1), late))
    efforts = np.abs(numeric.effort - code.effort).max()
    positions = np.abs(numeric.position - code.position).max()
    return (
        f"The tool begins {first:.0f} mm beside the path and is within {left:.2g} mm of it after "
        f"{SETTLED:g} s. The run with generated code is the same: its efforts differ by "
        f"{efforts:.0e} N or N m at most, its positions by {positions:.0e} m or rad."
    )


def main() -> int:
    """Compute, time, draw and write."""
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
    draw_figures(pages.DOCS / "images", runs.numeric, runs.generated, runs.cases)
    sections = {
        "start": start_text(runs),
        "cases": case_table(runs.cases),
        "charmie": charmie_table(whole),
        "machine": "\n".join(f"- {line}" for line in machine),
        "cycles": time_table(cycles),
        "friction": "; ".join(
            f"{name.replace('_', ' ')}: {f.viscous:g} and {f.coulomb:g}"
            for name, f in FRICTION.items()
        ),
    }
    pages.write(TEMPLATE, PAGE, sections)
    print(f"written: docs/{PAGE}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
