# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The acceleration estimator's cutoff and its start, by the effort errors they cause.

What is played and how the errors are counted stands in `effort_errors`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from charmie_dynamics import Model, load_model
from charmie_dynamics.live.estimation.settling import (
    ON_POSITIONS,
    ON_VELOCITIES,
    REMAINING,
    settling_time,
)
from charmie_dynamics.motions import make_motion

from .check import Check
from .effort_errors import (
    COURSES,
    CUTOFFS,
    DEFAULT_CUTOFF,
    GROUPS,
    LENGTH_STEP,
    RATES,
    SPEED_WINDOW,
    Case,
    Course,
    Floats,
    Measurement,
    Recording,
    all_cases,
    estimated_efforts,
    measure,
    record,
)
from .harness.charts import Diagram, Line, draw
from .harness.tables import table
from .report import number

Measurements = dict[Case, Measurement]

SLOW_CUTOFF = 2.5  # Hz, for slow motions measured by coarse encoders
RATIO = "of the error without accelerations"
# The default may cost this much more than the best of the cutoffs, over all cases.
COST_LIMIT = 1.1
TABLE_RATE = 100.0  # Hz, of the tables that show one rate
MOMENTS = 6  # in each motion
START_RATE = 100.0  # Hz
# s after which a start is forgotten but for round-off
LONG = 1.5
WARM = 2.0  # s that the other estimate was under way before
# paper_5s changes the sign of a constant acceleration, paper_20s has none
PLAYED = (("paper_5s", 1.0), ("paper_20s", 1.0), ("wave", 1.0), ("wave", 4.0))
OFF_LIMIT = 2.0 * REMAINING


def run(figures: Path) -> list[Check]:
    """Measure every case at every cutoff, and starts in the middle of motions."""
    model = load_model()
    measured = {case: measure(model, case) for case in all_cases()}
    return [
        _harm(
            measured,
            "clean signals",
            DEFAULT_CUTOFF,
            lambda case: not case.encoders,
            _group_table(measured, encoders=False),
            (draw_groups(measured, figures / "estimator_groups.png"),),
        ),
        _harm(
            measured,
            "encoders, fast motion",
            DEFAULT_CUTOFF,
            lambda case: case.encoders and case.course.speed > 1.0,
            f"Encoders: 16 bit on revolute joints, {1e3 * LENGTH_STEP:g} mm on lengths and on the "
            f"base; velocities from the counts of the last {1e3 * SPEED_WINDOW:g} ms. "
            + _group_table(measured, encoders=True),
        ),
        _harm(
            measured,
            "encoders, slow motions, positions only",
            SLOW_CUTOFF,
            lambda case: case.encoders and case.course.speed == 1.0 and not case.velocities,
            _slow_remark(measured),
        ),
        _default(measured, draw_rates(measured, figures / "estimator_rates.png")),
        _forgotten(model),
    ]


def worst_ratio(measurement: Measurement, cutoff: float) -> float:
    """Return the largest RMS error of a group, relative to its error without accelerations."""
    return float(np.max(measurement.at(cutoff).rms / measurement.unaccelerated.rms))


def typical_errors(measurements: Sequence[Measurement]) -> Floats:
    """Return the geometric mean of the cases' typical errors at each cutoff."""
    return np.exp(np.mean(np.log([m.typical() for m in measurements]), axis=0))


def draw_groups(measured: Measurements, path: Path) -> str:
    """Draw each group's error against the cutoff, for the wave at 100 Hz."""

    def lines(encoders: bool, velocities: bool) -> list[Line]:
        case = Case(COURSES[0], TABLE_RATE, encoders, velocities)
        rms = np.array([errors.rms for errors in measured[case].errors])
        return [Line(name, np.array(CUTOFFS), rms[:, k]) for k, name in enumerate(GROUPS)]

    title = f"Effort error of estimated accelerations, {COURSES[0].label} at {TABLE_RATE:g} Hz"
    return _draw(path, title, "RMS error / RMS effort", lines)


def draw_rates(measured: Measurements, path: Path) -> str:
    """Draw the typical error of each motion and rate against the cutoff."""

    def lines(encoders: bool, velocities: bool) -> list[Line]:
        found = []
        for color, course in enumerate(COURSES):
            for style, rate in zip((":", "--", "-"), RATES, strict=True):
                typical = measured[Case(course, rate, encoders, velocities)].typical()
                label = f"{course.label}, {rate:g} Hz"
                found.append(Line(label, np.array(CUTOFFS), typical, style, color))
        return found

    return _draw(path, "Typical effort error (mean of the groups)", "error / effort", lines)


def _draw(path: Path, title: str, quantity: str, lines: Callable[[bool, bool], list[Line]]) -> str:
    diagrams = [
        Diagram(
            f"{'encoders' if encoders else 'clean'}, "
            f"{'velocities measured' if velocities else 'positions only'}",
            "cutoff / Hz",
            quantity,
            lines(encoders, velocities),
            "xy",
        )
        for encoders in (False, True)
        for velocities in (True, False)
    ]
    return draw(path, diagrams, title, f"default cutoff: {DEFAULT_CUTOFF:g} Hz", 2)


def _harm(
    measured: Measurements,
    subject: str,
    cutoff: float,
    included: Callable[[Case], bool],
    remarks: str,
    figures: tuple[str, ...] = (),
) -> Check:
    chosen = {case: m for case, m in measured.items() if included(case)}
    return Check(
        title=f"Estimated accelerations do no harm: {subject}, cutoff {cutoff:g} Hz",
        compared=f"RMS effort errors of {len(GROUPS)} groups of actuators in {len(chosen)} cases "
        f"({', '.join(f'{rate:g}' for rate in RATES)} Hz)",
        against="those with accelerations of zero, worst case",
        largest=max(worst_ratio(m, cutoff) for m in chosen.values()),
        unit=RATIO,
        limit=1.0,
        remarks=remarks,
        figures=figures,
    )


def _default(measured: Measurements, figure: str) -> Check:
    errors = typical_errors(list(measured.values()))
    best = int(np.argmin(errors))
    at_default = errors[CUTOFFS.index(DEFAULT_CUTOFF)]
    return Check(
        title=f"Default cutoff of {DEFAULT_CUTOFF:g} Hz",
        compared=f"geometric mean of the relative effort errors over {len(measured)} cases and "
        f"{len(GROUPS)} groups",
        against=f"that of the best of {len(CUTOFFS)} cutoffs from {min(CUTOFFS):g} to "
        f"{max(CUTOFFS):g} Hz",
        largest=float(at_default / errors[best]),
        unit="ratio",
        limit=COST_LIMIT,
        remarks=f"Mean error {at_default:.3f} at the default, {errors[best]:.3f} at "
        f"{CUTOFFS[best]:g} Hz, the best. This depends on the averaged motions and on the mean: "
        f"{_other_averages(measured)}. Best cutoff of each case, mean error there and at the "
        "default:\n\n" + _cost_table(measured),
        figures=(figure,),
    )


def _other_averages(measured: Measurements) -> str:
    """Return what other averages than that of the check would make of the default."""
    slow = [m for case, m in measured.items() if case.course.speed == 1.0]
    encoders = [m for case, m in measured.items() if case.encoders]
    squares = [[np.mean(errors.rms**2) for errors in m.errors] for m in measured.values()]
    texts = []
    for label, errors in (
        ("without the fast motion", typical_errors(slow)),
        ("with encoders only", typical_errors(encoders)),
        ("by the RMS of all errors, which the largest govern", np.sqrt(np.mean(squares, axis=0))),
    ):
        best = int(np.argmin(errors))
        cost = errors[CUTOFFS.index(DEFAULT_CUTOFF)] / errors[best]
        texts.append(
            f"{label}, {CUTOFFS[best]:g} Hz is best and the default {cost:.2g} times as bad"
        )
    return "; ".join(texts)


def _slow_remark(measured: Measurements) -> str:
    worst = max(
        worst_ratio(m, DEFAULT_CUTOFF)
        for case, m in measured.items()
        if case.encoders and case.course.speed == 1.0
    )
    return (
        "These motions are so slow that the steps of the encoders outweigh their accelerations. "
        f"At the default cutoff the error is up to {worst:.2g} times that without accelerations "
        "(lift and torso in paper_5s, velocities from encoder counts): with such sensors set "
        f"`acceleration_cutoff` to about {SLOW_CUTOFF:g} Hz, or `acceleration_source` to `zero`."
    )


def _group_table(measured: Measurements, *, encoders: bool) -> str:
    rows = []
    for course in COURSES:
        cases = [Case(course, TABLE_RATE, encoders, velocities) for velocities in (True, False)]
        for k, group in enumerate(GROUPS):
            errors = [measured[case].at(DEFAULT_CUTOFF) for case in cases]
            rows.append(
                (
                    course.label,
                    group,
                    _percent(measured[cases[0]].unaccelerated.rms[k]),
                    *(f"{_percent(e.rms[k])} / {_percent(e.high[k])}" for e in errors),
                )
            )
    head = ("motion", "group", "no accelerations", "velocities measured", "positions only")
    return (
        f"Errors in % of the group's RMS effort at {TABLE_RATE:g} Hz input and the default "
        "cutoff, RMS / 99.9th percentile:\n\n" + table(head, rows)
    )


def _cost_table(measured: Measurements) -> str:
    rows = []
    default = CUTOFFS.index(DEFAULT_CUTOFF)
    for case in measured:
        if case.course != COURSES[0]:
            continue
        row = [
            "encoders" if case.encoders else "clean",
            "measured" if case.velocities else "estimated",
            f"{case.rate:g} Hz",
        ]
        for course in COURSES:
            errors = measured[Case(course, case.rate, case.encoders, case.velocities)].typical()
            best = int(np.argmin(errors))
            row.append(f"{CUTOFFS[best]:g} Hz: {errors[best]:.2g}; {errors[default]:.2g}")
        rows.append(row)
    head = ("sensors", "velocities", "rate", *(course.label for course in COURSES))
    return table(head, rows)


def _percent(value: float) -> str:
    percent = 100.0 * value
    return f"{percent:.0f}" if percent >= 10.0 else f"{percent:.2g}"


def settling(velocities: bool) -> float:
    """Return how long estimates settle (s) at the default cutoff."""
    return settling_time(DEFAULT_CUTOFF, ON_VELOCITIES if velocities else ON_POSITIONS)


def courses(duration: float, model: Model, before: float = 0.0) -> dict[str, list[Course]]:
    """Return parts of motions that begin at several moments, by what the motion is called."""
    found = {}
    for name, speed in PLAYED:
        label = name if speed == 1.0 else f"{name}, {speed:g} times as fast"
        length = make_motion(name, model).duration / speed
        begins = [length * (k + 0.5) / (MOMENTS + 1) for k in range(MOMENTS)]
        found[label] = [
            Course(label, name, speed, duration + before, 0.0, begin - before) for begin in begins
        ]
    return found


def offsets(model: Model, part: Course, rate: float, velocities: bool) -> Floats:
    """Return the largest differences (N,) of efforts from those of an estimate under way.

    In N and N m; `part` begins `WARM` before the start of the first.
    """
    recording = record(model, Case(part, rate, False, velocities))
    first = round(WARM * rate)
    late = Recording(
        recording.period,
        recording.position[first:],
        None if recording.velocity is None else recording.velocity[first:],
        recording.exact[first:],
        recording.unaccelerated[first:],
        slice(None),
    )
    before = estimated_efforts(model, recording, DEFAULT_CUTOFF)[first:]
    return np.abs(estimated_efforts(model, late, DEFAULT_CUTOFF) - before).max(axis=1)


def _forgotten(model: Model) -> Check:
    rows, worst = [], 0.0
    rate = START_RATE
    for label, parts in courses(LONG, model, WARM).items():
        for velocities in (True, False):
            found = np.array([offsets(model, part, rate, velocities) for part in parts])
            settled = math.ceil(settling(velocities) * rate)
            # where nothing accelerates there is nothing to be off by
            moving = found[found[:, 0] > max(1e-6, 1e-3 * found[:, 0].max())]
            worst = max([worst, *(moving[:, settled:].max(axis=1) / moving[:, 0]).tolist()])
            rows.append(
                (
                    label,
                    "measured" if velocities else "estimated",
                    *(number(found[:, k].max()) for k in (0, 5, 10, settled, 2 * settled, -1)),
                )
            )
    head = (
        *("motion", "velocities", "first cycle", "after 5", "after 10", "settled"),
        *("twice as long", f"after {LONG:g} s"),
    )
    return Check(
        title="A start is forgotten when the estimates have settled",
        compared=f"efforts after starts at {MOMENTS} moments of each motion, once "
        f"`estimator_settling` is zero ({settling(True):.3f} s on velocities, "
        f"{settling(False):.3f} s on positions)",
        against="those without a start, relative to the first cycle",
        largest=worst,
        unit="relative",
        limit=OFF_LIMIT,
        remarks=f"By how much efforts are off because of the start alone, clean signals at "
        f"{rate:g} Hz, the largest of all actuators and moments (N, N m):\n\n" + table(head, rows),
    )
