# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""CHARMIE's cycle beside other programs, and the cost of a cycle against the number of bodies."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from validation.harness.charts import Diagram, Line, draw
from validation.harness.pages import IMAGES
from validation.harness.tables import table
from validation.harness.timing import Timing, time_calls

from .candidates import TOLERANCE, WHOLE, Candidate, batch, compute, compute_tree, kernel, textbook
from .case import Case, make_case
from .chains import chain_urdf
from .others import make_others, pinocchio, pinocchio_batch

ROUND_OFF = 1e-12
ARMS = (2, 4, 6)
ARM_LINKS = (2, 4, 6, 8, 10, 20)
CHAINS = (10, 20, 50, 100, 200, 500, 1000)
STATES, CHECKED = 64, 4
# createData of Pinocchio 4.1 takes memory in proportion to the cube of the number of joints: 0.03
# GB for a chain of 100, 0.27 GB for one of 200, some 30 GB for one of 1000.
PINOCCHIO_LINKS = 200
CHARMIE = "CHARMIE"
COLUMNS = ("`Model.compute`", "kernel", "`compute` of many, 1 core", "Pinocchio")


def microseconds(seconds: float) -> str:
    """Return a time with a useful number of digits."""
    return f"{1e6 * seconds:.0f}" if seconds >= 1e-4 else f"{1e6 * seconds:.2f}"


def comparison(rounds: int) -> tuple[str, list[str]]:
    """Return the table of CHARMIE's cycle, and why some rows are not timed.

    Each row is held against the textbook recursion, and each whole cycle also against
    `Model.compute`, whose efforts of actuators the textbook does not know.
    """
    case = make_case(CHARMIE)
    others, missing = make_others(case)
    reference, whole = textbook(case), compute(case)
    cores = dict.fromkeys((1, len(os.sched_getaffinity(0))))
    ours = [whole, compute_tree(case), kernel(case), *(batch(case, count) for count in cores)]
    candidates = [reference, *others, *ours]
    differences = [c.difference(reference) for c in candidates]
    for k, candidate in enumerate(candidates):
        if candidate.computes == WHOLE:
            differences[k] = float(np.maximum(differences[k], candidate.difference(whole)))
    timed = {k: c for k, c in enumerate(candidates) if differences[k] <= TOLERANCE}
    timings = _timed(timed, rounds)
    base = next((timings[k].median for k, c in timed.items() if c.name.startswith("Pinocchio")), 0)
    rows, faults = [], []
    for k, candidate in enumerate(candidates):
        head = candidate.name, candidate.version, candidate.computes
        if k not in timings:
            faults.append(_refusal(candidate.name, differences[k]))
            rows.append((*head, f"not timed: {faults[-1]}", "", "", ""))
            continue
        median, low, high = timings[k]
        ratio = f"{median / base:.2f}" if base else "-"
        times = microseconds(median), f"{microseconds(low)} to {microseconds(high)}", ratio
        shown = f"{differences[k]:.0e}" if differences[k] >= ROUND_OFF else f"< {ROUND_OFF:g}"
        rows.append((*head, *times, shown))
    rows += [(name, "", "", f"not timed: {why}", "", "", "") for name, why in missing.items()]
    heads = ("program", "versions", "computes", ">median (us)", ">5 % to 95 % (us)",
             ">times Pinocchio", ">differs from the textbook by")  # fmt: skip
    return table(heads, rows), faults


def _refusal(name: str, difference: float) -> str:
    return f"{name}: results differ by {difference:.1e}, expected at most {TOLERANCE:g}"


def _timed(candidates: dict[int, Candidate], rounds: int) -> dict[int, Timing]:
    calls = {k: candidate.run for k, candidate in candidates.items()}
    return time_calls(calls, rounds, {k: c.cycles for k, c in candidates.items()})


class Fit(NamedTuple):
    """The line of least relative squares through times: start + slope * bodies (s).

    `largest` is the largest distance of a point from the line, relative to the line.
    """

    start: float
    slope: float
    largest: float


def fit_line(bodies: np.ndarray, time: np.ndarray) -> Fit:
    """Return the line, for which short chains count as much as long ones."""
    columns = np.stack([np.ones(len(bodies)), bodies], axis=1)
    start, slope = np.linalg.lstsq(columns / time[:, None], np.ones(len(time)), rcond=None)[0]
    line = start + slope * bodies
    return Fit(float(start), float(slope), float(np.abs(time / line - 1.0).max()))


def bodies(rounds: int) -> tuple[str, list[str]]:
    """Draw and return the cost against the number of bodies, and why some are not timed."""
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for count in (*ARMS, *CHAINS):
            urdf = Path(folder, f"chain_{count}.urdf")
            urdf.write_text(chain_urdf(count), encoding="utf-8")
            name = f"{count}-DOF arm" if count in ARMS else f"chain of {count}"
            cases.append(make_case(name, urdf, STATES))
    cases = sorted([*cases, make_case(CHARMIE, None, STATES)], key=lambda case: case.bodies)
    faults, timed = [], {}
    for row, case in enumerate(cases):
        reference = textbook(case)
        for column, candidate in enumerate(_columns(case)):
            difference = candidate.difference(reference, CHECKED)
            if difference <= TOLERANCE:
                timed[row * len(COLUMNS) + column] = candidate
            else:
                faults.append(_refusal(f"{case.name}, {COLUMNS[column]}", difference))
    medians = np.full((len(cases), len(COLUMNS)), np.nan)
    for k, timing in _timed(timed, rounds).items():
        medians.flat[k] = timing.median
    links = np.array([case.bodies for case in cases])
    _draw(links, medians, np.array([case.name == CHARMIE for case in cases]))
    rows = []
    for case, times in zip(cases, medians.tolist(), strict=True):
        cells = [
            f"{microseconds(t)}, {1e6 * t / case.bodies:.3f}" if t == t else "-" for t in times
        ]
        rows.append((case.name, str(case.bodies), *cells))
    fits = []
    usual = np.array([case.name != CHARMIE for case in cases])
    for seconds in medians.T:
        used = np.isfinite(seconds) & usual
        fit = fit_line(links[used], seconds[used]) if used.sum() > 2 else None
        fits.append(
            f"{1e6 * fit.start:.2f} + {1e6 * fit.slope:.4f} n, within {100 * fit.largest:.0f} %"
            if fit
            else "-"
        )
    rows.append(("line through arms and chains, n links", "", *fits))
    heads = ("robot", ">links", *(f">{column}: us, us per link" for column in COLUMNS))
    note = (
        f"Pinocchio is left out above {PINOCCHIO_LINKS} links: the memory of its `Data` grows with "
        "the cube of their number."
    )
    return "\n\n".join([table(heads, rows), note]), faults


def arms(rounds: int) -> tuple[str, list[str]]:
    """Return the times of arms by their number of links, and why some rows are not timed."""
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for count in ARM_LINKS:
            urdf = Path(folder, f"arm_{count}.urdf")
            urdf.write_text(chain_urdf(count), encoding="utf-8")
            cases.append(make_case(f"arm of {count} links", urdf, STATES))
    timed = {}
    for row, case in enumerate(cases):
        reference, ours, many = textbook(case), compute(case), batch(case, 1)
        try:
            theirs = [pinocchio(case), pinocchio_batch(case, many.cycles // STATES * STATES)]
        except ImportError as error:
            return f"not timed: the Python module `{error.name}` cannot be imported", []
        for column, candidate in enumerate((theirs[0], ours, theirs[1], many)):
            difference = candidate.difference(reference, CHECKED)
            if not difference <= TOLERANCE:
                fault = _refusal(f"{case.name}, {candidate.name}", difference)
                return f"not timed: {fault}", [fault]
            timed[4 * row + column] = candidate
    timings = _timed(timed, rounds)
    times = np.array([timings[k].median for k in range(len(timed))]).reshape(-1, 2, 2)
    ratios = times[:, :, 1] / times[:, :, 0]
    rows = []
    for count, both, ratio in zip(ARM_LINKS, times, ratios, strict=True):
        cells = [
            cell
            for (theirs, ours), times_theirs in zip(both, ratio, strict=True)
            for cell in (microseconds(theirs), microseconds(ours), f"{times_theirs:.2f}")
        ]
        rows.append((str(count), *cells))
    heads = ("links", ">Pinocchio (us)", ">`compute` (us)", ">ratio",
             ">`rneaInParallel` (us a sample)", ">batch (us a sample)", ">ratio")  # fmt: skip
    return "\n\n".join([table(heads, rows), f"{_faster('A single call', ratios[:, 0])}."]), []


def _faster(name: str, ratios: np.ndarray) -> str:
    """Return from how many links on each larger measured arm takes less time."""
    slower = np.flatnonzero(ratios >= 1.0)
    first = slower[-1] + 1 if len(slower) else 0
    if first == len(ratios):
        return f"{name} is not faster than Pinocchio"
    return f"{name} is faster from {ARM_LINKS[first]} links on"


def _columns(case: Case) -> list[Candidate]:
    ours = [compute(case), kernel(case), batch(case, 1)]
    try:
        return [*ours, pinocchio(case)] if case.bodies <= PINOCCHIO_LINKS else ours
    except ImportError:
        return ours


def _draw(links: np.ndarray, medians: np.ndarray, is_charmie: np.ndarray) -> None:
    lines = []
    for k, (name, times) in enumerate(zip(COLUMNS, 1e6 * medians.T, strict=True)):
        label = name.replace("`", "")
        lines += [
            Line(label, links[~is_charmie], times[~is_charmie], "o-", k),
            Line("", links[is_charmie], times[is_charmie], "*", k),
        ]
    title = f"Arms and chains; stars: {CHARMIE}, ours with all mechanisms"
    diagram = Diagram(title, "links apart from the root", "time of a cycle / us", lines, "xy")
    draw(IMAGES / "cost_by_bodies.png", [diagram], "Cost of a cycle", columns=1)
