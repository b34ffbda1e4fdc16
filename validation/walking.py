# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page of robots that walk and drive, its figures and its film.

As figures 10 to 13 of the contact paper, section 5.1: position and velocity of the torso, normal
forces, normal force over indentation, and the ratio of friction to normal force.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.pictures.chart import Curve, TimeDiagram, draw_chart

from . import contact_forces, driving
from .harness import tables
from .harness.charts import Diagram, Line, beside, draw, grid
from .harness.pages import DOCS, IMAGES, fill
from .harness.run import Evidence
from .walking_runs import (
    ATHENA,
    DROP,
    DROP_STEP,
    PAPER,
    QUADRUPED,
    Impacts,
    Walked,
    drop,
    walk,
)

FILM, FILM_SECONDS = "walking.gif", "6"
SECOND = 1  # limb 2, as in figure 12
WINDOW = -0.12, 0.1  # s, about a landing
FINE, COARSE = 1e-4, 2e-3  # s
KINETIC, STATIC = 0.6, 0.7  # of worlds/athena.yaml
BORNE = 0.5  # of the mean load of a foot in stance: what bears less touches or leaves
DIRECTIONS = ("longitudinal", "lateral", "vertical")
SUBTITLE = "ATHENA, tripod gait, 2 s a cycle; normal force by eq. 43, friction by eq. 48"


def landings(done: Walked) -> list[float]:
    """Return when limb 2 is to land (s)."""
    gait = done.walk.gait
    margin = 0.25 * gait.period * (1.0 - gait.swing)
    return [(k + 1) * gait.period - margin for k in range(gait.cycles)]


def times_of(duration: float, fine: Sequence[float]) -> Floats:
    """Return times all along, and dense ones from each of some on."""
    coarse = np.arange(round(duration / COARSE) + 1) * round(COARSE / FINE)
    first, last = (round(t / FINE) for t in WINDOW)
    dense = [np.arange(round(t / FINE) + first, round(t / FINE) + last) for t in fine]
    ticks = np.unique(np.concatenate([coarse, *dense]))
    return np.minimum(ticks[ticks <= round(duration / FINE)] * FINE, duration)


def draw_torso(path: Path, done: Walked) -> None:
    """Draw figure 10: position and velocity of the torso."""
    run, name = done.run, done.case.robot
    position, velocity = run.pose(name)[0], run.twist(name).linear
    plan = [done.walk.torso(float(t)) for t in run.time]
    planned = np.array([p.position for p in plan]), np.array([p.velocity for p in plan])
    found = (("position", "mm", position, planned[0]), ("velocity", "mm/s", velocity, planned[1]))
    diagrams = []
    for quantity, unit, values, wanted in found:
        for k, direction in enumerate(DIRECTIONS):
            pair = 1e3 * values[:, k], 1e3 * wanted[:, k]
            curves = beside(("simulated", "planned"), run.time, *pair)
            diagrams.append(TimeDiagram(direction.capitalize(), quantity, unit, curves))
    draw_chart(path, grid(diagrams, 3), title="Torso", subtitle=SUBTITLE)


def draw_by_limb(
    path: Path,
    done: Walked,
    values: Floats,
    axis: tuple[str, str],
    title: str,
    marks: Sequence[tuple[float, str]] = (),
) -> None:
    """Draw figure 11 or 13: a diagram for each limb."""
    diagrams = []
    for k in range(values.shape[1]):
        curve = Curve("", done.run.time, values[:, k])
        diagrams.append(TimeDiagram(f"Limb {k + 1}", *axis, [curve], marks))
    draw_chart(path, grid(diagrams, 2), title=title, subtitle=SUBTITLE)


def draw_impacts(path: Path, found: Impacts) -> None:
    """Draw figure 12: normal force over indentation, and over time."""
    force = "normal force / N"
    lines = [
        Line("", 1e3 * found.indentation, found.normal),
        Line("", 1e3 * found.time, found.normal),
    ]
    diagrams = [
        Diagram("over indentation", "indentation / mm", force, lines[:1]),
        Diagram("over time", "time / ms", force, lines[1:]),
    ]
    subtitle = f"ATHENA falls {1e3 * DROP:g} mm with rigid joints; normal force by eq. 43"
    draw(path, diagrams, "Impacts of limb 2", subtitle, columns=2)


def impacts_text(found: Impacts, finer: Impacts) -> str:
    """Return what is said of the impacts, and how well their step has converged."""
    change = float(np.abs(finer.normal - found.normal).max() / finer.normal.max())
    touching = finer.normal > 0.0
    first = np.flatnonzero(np.diff(touching.astype(int)) == 1) + 1
    peaks = ", ".join(
        f"{part.max():.0f}" for part in np.split(finer.normal, first)[1:] if part.any()
    )
    return (
        f"Peaks of {peaks} N, then {finer.normal[-1]:.1f} N at the end. Steps of "
        f"{1e3 * DROP_STEP:g} ms; half of it changes the force by at most {100.0 * change:.2g} % "
        "of the largest one"
    )


def draw_landings(path: Path, done: Walked) -> None:
    """Draw normal force over indentation where limb 2 lands in the walk."""
    diagrams = []
    for landing in landings(done):
        at = (done.run.time >= landing + WINDOW[0]) & (done.run.time <= landing + WINDOW[1])
        line = Line("", 1e3 * done.feet.indentation[at, SECOND], done.feet.normal[at, SECOND])
        diagrams.append(
            Diagram(f"landing at {landing:.2f} s", "indentation / mm", "normal force / N", [line])
        )
    draw(path, diagrams, "Normal force over indentation, limb 2", SUBTITLE)


def load_of(done: Walked) -> float:
    """Return the mean load of a foot where half of them stand (N)."""
    weight = done.world.model.total_mass * 9.81
    return weight / (0.5 * done.feet.normal.shape[1])


def mean_over_time(values: Floats, time: Floats) -> float:
    """Return the mean of values (k,) at uneven times."""
    return float(np.diff(time) @ (0.5 * (values[1:] + values[:-1])) / (time[-1] - time[0]))


def row_of(done: Walked) -> list[str]:
    """Return what is said of a walk."""
    run, feet = done.run, done.feet
    position, _ = run.pose(done.case.robot)
    settled = run.time > 0.3
    borne = feet.normal > BORNE * load_of(done)
    total = mean_over_time(feet.normal.sum(axis=1), run.time)
    weight = np.gradient(run.time)[:, None] * borne  # times are uneven
    in_stance = (weight * feet.normal).sum(axis=0) / weight.sum(axis=0)
    limits = [limit.effort for limit in done.world.model.actuator_limits()]
    share = np.abs(run.effort) / np.array(limits)
    return [
        f"{position[-1, 0]:.3f} of {done.walk.torso(run.time[-1]).position[0]:.3f} m",
        f"{1e3 * np.abs(position[:, 1]).max():.1f} mm",
        f"{1e3 * np.ptp(position[settled, 2]):.2f} mm",
        f"{np.degrees(done.tilt.max()):.2f} deg",
        f"{100.0 * total / (done.world.model.total_mass * 9.81):.2f} %",
        f"{in_stance.min():.1f} to {in_stance.max():.1f} N",
        f"{feet.normal.max():.1f} N",
        f"{float(np.nanmedian(np.where(borne, feet.ratio, np.nan))):.2f}; "
        f"{float(np.nanmax(np.where(borne, feet.ratio, np.nan))):.2f}",
        f"{1e3 * feet.slips(run.time, BORNE * load_of(done)).max():.2f} mm",
        f"{100.0 * share.max():.0f} %",
        f"{np.abs(run.energy.error).max():.1e} of {run.energy.work[-1]:.1f} J",
        f"{1e3 * done.case.step:g} ms",
    ]


ROWS = (
    "way of the torso",
    "largest lateral displacement",
    "range of its height, from 0.3 s on",
    "largest tilt",
    "sum of the normal forces, mean by the weight",
    "normal force of a foot in stance, mean, from foot to foot",
    "largest normal force",
    "friction by normal force in stance: median; largest",
    "how far a foot slides in a stance, the farthest",
    "largest effort by the rated one",
    "error of the balance of energies, of the work",
    "step",
)


def table(columns: Sequence[Walked], heads: Sequence[str]) -> str:
    """Return the table of the page."""
    columns_of = [row_of(done) for done in columns]
    return tables.table(("", *(f">{head}" for head in heads)), zip(ROWS, *columns_of, strict=True))


def draw_all(folder: Path, paper: Walked) -> None:
    """Draw figures 10 to 13."""
    draw_torso(folder / "walking_torso.png", paper)
    draw_by_limb(
        folder / "walking_normal.png", paper, paper.feet.normal, ("force", "N"), "Normal forces"
    )
    draw_landings(folder / "walking_landings.png", paper)
    marks = [(KINETIC, "kinetic coefficient")]
    title, axis = "Ratio of friction to normal force", ("friction", "normal force")
    ratio = folder / "walking_ratio.png"
    draw_by_limb(ratio, paper, paper.feet.ratio, axis, title, marks)


def make() -> Evidence:
    """Walk, drive and draw; return the page."""
    sticking, trot = walk(ATHENA), walk(QUADRUPED)
    times = times_of(sticking.walk.duration, landings(sticking))
    paper = walk(PAPER, times=times)
    draw_all(IMAGES, paper)
    heads = (
        "ATHENA, eq. 43 and 48",
        "ATHENA, eq. 43 and `elasto_plastic`",
        "quadruped, eq. 43 and `elasto_plastic`",
    )
    found, finer = (drop(step, SECOND + 1) for step in (DROP_STEP, 0.5 * DROP_STEP))
    draw_impacts(IMAGES / "walking_impacts.png", finer)
    compared = contact_forces.compare()
    contact_forces.draw(IMAGES / "contact_forces.png", compared)
    by_motion = contact_forces.table(compared)
    walks = table((paper, sticking, trot), heads)
    sections = {
        "table": walks,
        "by_motion": by_motion,
        "impacts": impacts_text(found, finer),
        "paper_step": f"{1e3 * PAPER.step:g} ms",
        "step": f"{1e3 * ATHENA.step:g} ms",
        **driving.sections(),
    }
    text = fill("walking", sections)
    film = [sys.executable, "examples/walk_a_hexapod.py", str(IMAGES / FILM), FILM_SECONDS]
    subprocess.run(film, check=True, cwd=DOCS.parent)
    return Evidence({"walking.md": text})
