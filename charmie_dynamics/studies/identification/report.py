# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The report of an identification: a page of Markdown with tables, and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from .identified_payload import payload_line, payload_of
from .result import IdentificationResult, IdentifiedNumber

LONGEST = 44  # characters of a name in a table and a picture
MOST_ROWS = 6  # actuators in one picture
MOST_NUMBERS = 60  # in one picture
MOST_POINTS = 4000  # of a curve
MOST_DIFFERENCES = 5  # of the robot, and as many of friction
ROUND_OFF = 1e-11  # of sums that are zero
SYMBOLS = (
    "`m` is the mass of a link; `mx`, `my`, `mz` are its mass times the position of its centre; "
    "`xx`, `xy` and so on are moments of inertia about the origin of the link. A name that ends in "
    "*and 3 more* is a sum with three other parameters, listed under *Combinations*."
)


def short_name(name: str) -> str:
    """Return a short name of a combination: its own parameter, and the number of others."""
    terms = name.replace(" - ", " + ").split(" + ")
    if len(name) <= LONGEST or len(terms) == 1:
        return name
    return f"{terms[0]} and {len(terms) - 1} more"


def total_error(result: IdentificationResult) -> tuple[float, float, float]:
    """Return errors on held-out data relative to the measured efforts, over all actuators.

    Returns
    -------
    described, friction, identified : float
        Root of the mean square of error / typical effort; see `EffortJudgement`.
    """
    shares = np.array(
        [
            [value / judged.measured for value in (judged.described, judged.friction,
                                                   judged.identified)]
            for judged in result.judgements
        ]
    )  # fmt: skip
    described, friction, identified = np.sqrt(np.mean(shares**2, axis=0)).tolist()
    return described, friction, identified


def report(result: IdentificationResult, source: str) -> str:
    """Return the report as Markdown."""
    determined = [number for number in result.numbers if number.is_determined]
    described, friction, identified = total_error(result)
    parts = [
        f"# Identified parameters of '{result.model.name}'",
        f"From {source}: {result.duration:.1f} s with measured efforts of "
        f"{len(result.judgements)} actuators. "
        f"{len(determined)} of {len(result.numbers)} parameters are determined by the motion.",
        _payload(result),
        _filter(result),
        SYMBOLS if result.columns.inertial_count or result.columns.unknowns.payload else "",
        _differences(result),
        "## Efforts",
        "Root-mean-square errors on parts of the data that were held out, sample by sample. "
        "*described*: robot and friction of the description; *friction*: only friction "
        "identified; *identified*: everything.",
        _table(
            ("actuator", "unit", "measured", "described", "friction", "identified", "share"),
            (
                (
                    judged.name, judged.unit, _number(judged.measured), _number(judged.described),
                    _number(judged.friction), _number(judged.identified),
                    f"{100.0 * judged.identified / judged.measured:.1f} %",
                )
                for judged in result.judgements
            ),
        ),
        f"Over all actuators, each in units of its own effort: {100.0 * described:.1f} % "
        f"described, {100.0 * friction:.1f} % with friction alone, {100.0 * identified:.1f} % "
        "identified.",
        "![Measured and predicted efforts](efforts_1.png)",
        "## Numbers",
        "Estimates by weighted least squares with intervals of 95 %, and the values of the "
        "identified robot: physically possible bodies; friction, springs and rotors not below "
        "zero.",
        _numbers(determined),
        "![Numbers with their intervals](numbers_1.png)",
        _undetermined(result),
        _combinations(result),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def _combinations(result: IdentificationResult) -> str:
    """Return the section of the full names of combinations."""
    names = [f"- `{n.name}`" for n in result.numbers if short_name(n.name) != n.name]
    heading = "## Combinations\n\nThe numbers above that are combinations, in full.\n\n"
    return heading + "\n".join(names) if names else ""


def _payload(result: IdentificationResult) -> str:
    payload = payload_of(result)
    return "" if payload is None else f"**{payload_line(payload)}**"


def _differences(result: IdentificationResult) -> str:
    """Return the section of the largest differences that exceed their intervals."""
    base = len(result.columns.base.names)
    rows = []
    for some in (result.numbers[:base], result.numbers[base:]):
        differing = [
            (abs(n.estimate - n.described) / max(abs(n.described), n.size), n)
            for n in some
            if n.is_determined and abs(n.estimate - n.described) > n.half_width
        ]
        differing.sort(key=lambda pair: -pair[0])
        rows += [n for _, n in differing[:MOST_DIFFERENCES]]
    if not rows:
        return ""
    return "\n\n".join(
        (
            "## Largest differences",
            "Numbers that differ from the description by more than their interval, those with the "
            f"largest change relative to their size first: at most {MOST_DIFFERENCES} of bodies, "
            f"springs and rotors, and {MOST_DIFFERENCES} of friction. A combination belongs to "
            "several links; it is not a value of the first one alone.",
            _numbers(rows),
        )
    )


def _filter(result: IdentificationResult) -> str:
    if math.isinf(result.effort_cutoff):
        return ""
    return (
        f"The measured efforts are assumed to have passed a low pass of "
        f"{result.effort_cutoff:g} Hz before recording: all efforts of the model below have "
        "passed the same one."
    )


def _numbers(numbers: Sequence[IdentifiedNumber]) -> str:
    return _table(
        ("number", "unit", "described", "estimate", "95 %", "identified robot"),
        (
            (short_name(n.name), n.unit, _number(n.described), _number(n.estimate),
             f"+- {n.half_width:.2g}", _number(n.written))
            for n in numbers
        ),
    )  # fmt: skip


def _undetermined(result: IdentificationResult) -> str:
    undetermined = result.undetermined
    if not undetermined:
        return ""
    rows = (
        (short_name(n.name), n.unit, _number(n.described),
         "none" if math.isinf(n.half_width) else f"+- {n.half_width:.2g}", _advice(n))
        for n in undetermined
    )  # fmt: skip
    return "\n\n".join(
        (
            "## Parameters that the motion does not determine",
            "The intervals of these parameters are wider than their typical size: the "
            "identified robot keeps them near the description. `charmie_identify --propose FILE` "
            "makes a motion that determines more, except of base joints, which it does not move.",
            _table(("number", "unit", "described", "95 %", "what shows it"), rows),
        )
    )


def _advice(number: IdentifiedNumber) -> str:
    what = number.name.partition(" + ")[0].partition(" - ")[0].rpartition(" ")[2]
    if what in ("viscous", "coulomb"):
        return "slow and fast motion of this actuator, in both directions"
    if what == "offset":
        return "motion in both directions and many poses"
    if what == "rotor":
        return "larger accelerations of this actuator, at several positions of the others"
    if what in ("stiffness", "pretension", "effort_at_zero"):
        return "longer travel, with the spring stretched more and less"
    if what in ("m", "mx", "my", "mz"):
        return "more poses, so that its weight pulls in other directions"
    return "larger accelerations of the joints that turn this link"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * 2 + ["---:"] * (len(heads) - 2), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(value: float) -> str:
    return f"{value:.4g}" if abs(value) > ROUND_OFF else "0"


def write_pictures(folder: Path, result: IdentificationResult, theme: str = "light") -> list[Path]:
    """Draw efforts and intervals; return the files."""
    # the only part that needs matplotlib
    from charmie_dynamics.visual.pictures.chart import Cell, Curve, TimeDiagram, draw_chart
    from charmie_dynamics.visual.study_charts.intervals import plot_intervals

    predictions, paths = result.predictions, []
    step = max(1, len(predictions.time) // MOST_POINTS)
    time = predictions.time[::step]
    for first in range(0, len(result.judgements), MOST_ROWS):
        cells = []
        for row, judged in enumerate(result.judgements[first : first + MOST_ROWS]):
            m = first + row
            measured, described, identified = (
                array[::step, m]
                for array in (predictions.measured, predictions.described, predictions.identified)
            )
            name, rows = judged.name.replace("_", " "), (row, row + 1)
            efforts = [
                Curve("measured", time, measured, is_wide=True),
                Curve("described", time, described),
                Curve("identified on the other parts", time, identified, is_dashed=True),
            ]
            left = [
                Curve("less described", time, measured - described),
                Curve("less identified", time, measured - identified),
            ]
            cells.append(Cell(TimeDiagram(name, "effort", judged.unit, efforts), rows, (0, 1)))
            title = f"RMS {judged.described:.3g} to {judged.identified:.3g}"
            cells.append(Cell(TimeDiagram(title, "error", judged.unit, left), rows, (1, 2)))
        paths.append(folder / f"efforts_{first // MOST_ROWS + 1}.png")
        draw_chart(
            paths[-1],
            cells,
            title="Measured and predicted efforts",
            subtitle="each part of the data predicted by the parameters identified on the others",
            theme=theme,
        )
    determined = [number for number in result.numbers if number.is_determined]
    for first in range(0, len(determined), MOST_NUMBERS):
        some = determined[first : first + MOST_NUMBERS]
        sizes = np.array([max(n.size, abs(n.estimate), abs(n.described)) for n in some])
        paths.append(folder / f"numbers_{first // MOST_NUMBERS + 1}.png")
        plot_intervals(
            paths[-1],
            [short_name(n.name) for n in some],
            np.array([n.estimate - n.described for n in some]) / sizes,
            np.array([n.half_width for n in some]) / sizes,
            title=f"Identified numbers of '{result.model.name}'",
            subtitle="those that the motion shows",
            theme=theme,
        )
    return paths
