# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The start of a stream in the middle of a motion: what it costs, and other ways to begin.

The estimates begin with an acceleration of zero. Others could begin with what the first samples
allow; how much of the sensors' steps and noise that lets in decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.live.estimation.settling import (
    ON_POSITIONS,
    ON_VELOCITIES,
    REMAINING,
    settling_time,
)
from charmie_dynamics.motions.named import make_motion

from .check import Check
from .effort_errors import (
    DEFAULT_CUTOFF,
    Case,
    Course,
    Floats,
    Recording,
    errors_of,
    estimated_efforts,
    record,
)
from .report import number

MOMENTS = 6  # in each motion
RATES = (100.0, 1000.0)  # Hz
# s after which a start is forgotten but for round-off
LONG = 1.5
WARM = 2.0  # s that the other estimate was under way before
# paper_5s changes the sign of a constant acceleration, paper_20s has none
PLAYED = (("paper_5s", 1.0), ("paper_20s", 1.0), ("wave", 1.0), ("wave", 4.0))
# of a start with a higher cutoff: how much of 1 / (time since the start) it is, for the tracker on
# velocities and on positions and for the last pole (expanding-memory filters)
WIDENED = (3.2, 4.36, 2.0)
OFF_LIMIT = 2.0 * REMAINING
COST_LIMIT = 1.05
# estimates (velocity, acceleration), each (N, q), from positions, velocities or None, and period
Start = Callable[[Floats, "Floats | None", float], tuple[Floats, Floats]]


def checks(model: Model) -> list[Check]:
    """Return the checks of the start."""
    return [_forgotten(model), _way_to_begin(model)]


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


def from_zero(position: Floats, velocity: Floats | None, period: float) -> tuple[Floats, Floats]:
    """Estimate as the node does: the acceleration begins at zero."""
    return _track(position, velocity, period)


def from_first(position: Floats, velocity: Floats | None, period: float) -> tuple[Floats, Floats]:
    """Begin with a line through two velocities, or a parabola through three positions."""
    return _track(position, velocity, period, fit=True)


def from_wide(position: Floats, velocity: Floats | None, period: float) -> tuple[Floats, Floats]:
    """Begin with a cutoff that falls as one over the time since the start."""
    return _track(position, velocity, period, widened=WIDENED)


STARTS: dict[str, Start] = {
    "zero (in use)": from_zero,
    "line or parabola": from_first,
    "falling cutoff": from_wide,
}


def _track(
    position: Floats,
    velocity: Floats | None,
    period: float,
    *,
    fit: bool = False,
    widened: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> tuple[Floats, Floats]:
    omega = 2.0 * math.pi * DEFAULT_CUTOFF
    rates = np.zeros_like(position) if velocity is None else velocity.copy()
    accelerations = np.zeros_like(position)
    p, v, a = position[0], rates[0], np.zeros_like(position[0])
    smooth = a
    for k in range(1, len(position)):
        age = k * period
        share = widened[0 if velocity is not None else 1]
        theta = math.exp(-period * max(omega, share / age))
        last = 1.0 - math.exp(-period * max(omega, widened[2] / age))
        if velocity is not None:
            if fit and k == 1:
                v, a = rates[1], (rates[1] - rates[0]) / period
                last = 1.0
            else:
                r = rates[k] - v - a * period
                v = v + a * period + (1.0 - theta**2) * r
                a = a + (1.0 - theta) ** 2 * r / period
        elif k == 1:
            p, v = position[1], (position[1] - position[0]) / period
        elif fit and k == 2:
            a = (position[2] - 2.0 * position[1] + position[0]) / period**2
            p, v = position[2], (position[2] - position[1]) / period + 0.5 * a * period
            last = 1.0
        else:
            d = 1.0 - theta
            predicted = p + v * period + 0.5 * a * period**2
            r = position[k] - predicted
            p = predicted + (1.0 - theta**3) * r
            v = v + a * period + 1.5 * d * d * (1.0 + theta) * r / period
            a = a + d**3 * r / period**2
        smooth = smooth + last * (a - smooth)
        accelerations[k] = smooth
        if velocity is None:
            rates[k] = v
    return rates, accelerations


def window_errors(model: Model, case: Case, parts: Sequence[Course], start: Start) -> Floats:
    """Return the relative errors of the groups while the estimates settle, over all starts."""
    recordings, efforts = [], []
    for part in parts:
        recording = record(model, replace(case, course=part))
        estimate = start(recording.position, recording.velocity, recording.period)
        recordings.append(recording)
        efforts.append(model.compute_batch(recording.position, *estimate).actuator_effort)
    whole = replace(recordings[0], exact=np.concatenate([r.exact for r in recordings]))
    return errors_of(model, whole, np.concatenate(efforts)).rms


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
    rate = RATES[0]
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
        compared=f"efforts of a node that begins at {MOMENTS} moments of each motion, from "
        "when `estimator_settling` is zero "
        f"({settling(True):.3f} s on velocities, {settling(False):.3f} s on positions at "
        f"{DEFAULT_CUTOFF:g} Hz)",
        against="those of a node that was under way; the largest difference of an actuator as a "
        "share of that in the first cycle",
        largest=worst,
        unit="relative",
        limit=OFF_LIMIT,
        remarks=f"By how much efforts are off because of the start alone, clean signals at "
        f"{rate:g} Hz, the largest of all actuators and moments (N, N m):\n\n" + _table(head, rows),
    )


def _way_to_begin(model: Model) -> Check:
    rows, logarithms = [], []
    for encoders, velocities, rate in product((False, True), (True, False), RATES):
        parts = courses(settling(velocities), model)
        for label, some in parts.items():
            case = Case(some[0], rate, encoders, velocities)
            errors = [window_errors(model, case, some, start) for start in STARTS.values()]
            means = [float(np.exp(np.mean(np.log(np.maximum(e, 1e-6))))) for e in errors]
            logarithms.append(np.log(means))
            rows.append(
                (
                    "encoders" if encoders else "clean",
                    "measured" if velocities else "estimated",
                    f"{rate:g} Hz",
                    label,
                    *(f"{100.0 * mean:.3g}" for mean in means),
                )
            )
    typical = np.exp(np.mean(logarithms, axis=0))
    head = ("sensors", "velocities", "rate", "motion", *STARTS)
    return Check(
        title="The estimates begin with an acceleration of zero",
        compared="mean effort error while the estimates settle, over "
        f"{len(rows)} cases of {MOMENTS} starts, acceleration zero at first",
        against="the best of it, a line through two velocities or a parabola through three "
        "positions, and a cutoff that falls as one over the time since the start",
        largest=float(typical[0] / typical.min()),
        unit="ratio",
        limit=COST_LIMIT,
        remarks="Errors in % of the RMS effort, geometric mean of the groups. With signals that "
        "know no steps the other ways are better by up to a factor of a few; with encoders they "
        "are worse by up to a hundred, most at high rates, where two or three samples say little "
        "about an acceleration.\n\n" + _table(head, rows),
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
