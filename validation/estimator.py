# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The choice of the acceleration estimator's cutoff and structure, by the effort errors they cause.

What is played and how the errors are counted stands in `effort_errors`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from charmie_dynamics import Model, load_model

from . import estimator_start
from .check import Check
from .diagrams import INK, LINES, MUTED, make_diagrams, write
from .effort_errors import (
    COURSES,
    CUTOFFS,
    DEFAULT_CUTOFF,
    GROUPS,
    LENGTH_STEP,
    RATES,
    SPEED_WINDOW,
    Case,
    Floats,
    Measurement,
    all_cases,
    errors_of,
    measure,
    record,
)
from .trackers import Structure, structures

Measurements = dict[Case, Measurement]

SLOW_CUTOFF = 2.5  # Hz, for slow motions measured by coarse encoders
RATIO = "of the error without accelerations"
AGAINST = "efforts of the exact accelerations at the same instants"
# The default may cost this much more than the best of the cutoffs, over all cases.
COST_LIMIT = 1.1
TABLE_RATE = 100.0  # Hz, of the tables that show one rate
STRUCTURE_LIMIT = 2.0


def run(figures: Path) -> list[Check]:
    """Measure every case at every cutoff, and compare other structures of the estimator."""
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
        *(_structure(model, velocities) for velocities in (True, False)),
        *estimator_start.checks(model),
    ]


def worst_ratio(measurement: Measurement, cutoff: float) -> float:
    """Return the largest RMS error of a group, relative to its error without accelerations."""
    return float(np.max(measurement.at(cutoff).rms / measurement.unaccelerated.rms))


def typical_errors(measurements: Sequence[Measurement]) -> Floats:
    """Return the geometric mean of the cases' typical errors at each cutoff."""
    return np.exp(np.mean(np.log([m.typical() for m in measurements]), axis=0))


def compare_structures(
    model: Model, cases: Sequence[Case], candidates: Sequence[Structure]
) -> dict[str, Floats]:
    """Return the typical errors at each cutoff of other structures of the estimator, by label."""
    logarithms: dict[str, list[Floats]] = {candidate.label: [] for candidate in candidates}
    for case in cases:
        recording = record(model, case)
        for candidate in candidates:
            errors = []
            for cutoff in CUTOFFS:
                if recording.velocity is not None:
                    velocity = recording.velocity
                    acceleration = candidate.acceleration(velocity, recording.period, cutoff, 1)
                else:
                    tracked = candidate.track(recording.position, recording.period, cutoff)
                    velocity = tracked[:, 1]
                    acceleration = candidate.acceleration(
                        recording.position, recording.period, cutoff, 2
                    )
                state = model.compute_batch(recording.position, velocity, acceleration)
                errors.append(errors_of(model, recording, state.actuator_effort).rms)
            logarithms[candidate.label].append(np.mean(np.log(errors), axis=1))
    return {label: np.exp(np.mean(rows, axis=0)) for label, rows in logarithms.items()}


def draw_groups(measured: Measurements, path: Path) -> str:
    """Draw each group's error against the cutoff, for the wave at 100 Hz."""
    title = f"Effort error of estimated accelerations, {COURSES[0].label} at {TABLE_RATE:g} Hz"

    def lines(axes: object, encoders: bool, velocities: bool) -> None:
        case = Case(COURSES[0], TABLE_RATE, encoders, velocities)
        rms = np.array([errors.rms for errors in measured[case].errors])
        for k, name in enumerate(GROUPS):
            axes.loglog(CUTOFFS, rms[:, k], color=LINES[k], linewidth=1.8, label=name)

    return _draw(path, title, "RMS error / RMS effort", lines)


def draw_rates(measured: Measurements, path: Path) -> str:
    """Draw the typical error of each motion and rate against the cutoff."""

    def lines(axes: object, encoders: bool, velocities: bool) -> None:
        for color, course in zip(LINES, COURSES, strict=False):
            for style, rate in zip((":", "--", "-"), RATES, strict=True):
                typical = measured[Case(course, rate, encoders, velocities)].typical()
                label = f"{course.label}, {rate:g} Hz"
                axes.loglog(CUTOFFS, typical, style, color=color, linewidth=1.6, label=label)

    return _draw(path, "Typical effort error (mean of the groups)", "error / effort", lines)


def _draw(
    path: Path, title: str, quantity: str, lines: Callable[[object, bool, bool], None]
) -> str:
    figure, grid = make_diagrams(title, 2, 2, size=(8.2, 6.5))
    for row, encoders in zip(grid, (False, True), strict=True):
        for axes, velocities in zip(row, (True, False), strict=True):
            lines(axes, encoders, velocities)
            sensors = "encoders" if encoders else "clean"
            source = "velocities measured" if velocities else "positions only"
            axes.set_title(f"{sensors}, {source}", loc="left", fontsize=11, color=INK)
            axes.axvline(DEFAULT_CUTOFF, color=MUTED, linewidth=1.0, linestyle="-.")
            axes.set_xticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
            axes.set_ylim(1e-4, 30.0)
    for axes in grid[-1]:
        axes.set_xlabel("cutoff / Hz (default: dash-dotted)")
    for axes in grid[:, 0]:
        axes.set_ylabel(quantity)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncol=3, frameon=False, fontsize=10)
    return write(figure, path)


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
        f"(motions, rates of {', '.join(f'{rate:g}' for rate in RATES)} Hz, velocities measured "
        "or not), through the node's pipeline",
        against=f"{AGAINST}; the worst case, as a share of the error that accelerations of zero "
        "leave",
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
        compared=f"geometric mean of the relative effort errors at {DEFAULT_CUTOFF:g} Hz, over "
        f"all {len(measured)} cases and {len(GROUPS)} groups",
        against=f"the best of the cutoffs {', '.join(f'{f:g}' for f in CUTOFFS)} Hz for all of "
        "them together",
        largest=float(at_default / errors[best]),
        unit="ratio",
        limit=COST_LIMIT,
        remarks=f"Mean error {at_default:.3f} at the default, {errors[best]:.3f} at "
        f"{CUTOFFS[best]:g} Hz, the best. This depends on what is averaged, and how: "
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


def _structure(model: Model, velocities: bool) -> Check:
    candidates = structures(1 if velocities else 2)
    clean, noisy = (
        compare_structures(
            model, [Case(c, TABLE_RATE, encoders, velocities) for c in COURSES], candidates
        )
        for encoders in (False, True)
    )
    default = CUTOFFS.index(DEFAULT_CUTOFF)
    at_default = [float(noisy[candidate.label][default]) for candidate in candidates]
    rows = [
        (
            label,
            f"{clean[label][default]:.3f}",
            f"{errors[default]:.3f}",
            f"{CUTOFFS[int(np.argmin(errors))]:g} Hz: {np.min(errors):.3f}",
        )
        for label, errors in noisy.items()
    ]
    source = "measured velocities" if velocities else "positions"
    head = ("structure", "clean, default", "encoders, default", "encoders, best cutoff")
    return Check(
        title=f"Structure of the estimator on {source}",
        compared=f"mean effort error with encoders at {DEFAULT_CUTOFF:g} Hz cutoff and "
        f"{TABLE_RATE:g} Hz input, structure in use",
        against=f"the best of {len(candidates)} structures",
        largest=at_default[0] / min(at_default),
        unit="ratio",
        limit=STRUCTURE_LIMIT,
        remarks="Mean effort errors of other structures with the same cutoff. One that follows "
        "the jerk lags less, but passes on several times the noise.\n\n" + _table(head, rows),
    )


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
        "cutoff, RMS / 99.9th percentile:\n\n" + _table(head, rows)
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
    return _table(head, rows)


def _percent(value: float) -> str:
    percent = 100.0 * value
    return f"{percent:.0f}" if percent >= 10.0 else f"{percent:.2g}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
