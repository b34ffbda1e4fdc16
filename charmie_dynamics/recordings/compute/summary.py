# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The summary of each actuator: peaks, work, overload, and time near the limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.description.robot import Limit
from charmie_dynamics.model.flat.load_sharing import shared_cylinders
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from .cycles import Cycles
from .cylinders import OF_CYLINDERS

# "near" a limit: from this fraction of the rated effort or velocity, or within this fraction of
# the range of positions
NEAR_RATED = 0.9
NEAR_END = 0.05
MOST_LINES = 10  # of overloads of one actuator
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Interval:
    """An interval in which an effort was above a bound.

    Parameters
    ----------
    start, end : float
        Of the first and the last cycle, since the first cycle of the record (s).
    peak : float
        The largest effort, with its sign (N m or N).
    """

    start: float
    end: float
    peak: float


@dataclass(frozen=True)
class ActuatorSummary:
    """The summary of an actuator, or of the joint that it moves, which has the same power.

    Linear actuators that share the load of a joint have a summary each.

    Parameters
    ----------
    name, joint, unit : str
        Unit of the effort.
    peak_effort, peak_time : float
        Largest effort, with its sign, and its time (s).
    rms_effort : float
    rated_effort : float or None
    work_done, work_taken : float
        Positive and negative part of the mechanical work (J), both as positive numbers.
    peak_power, mean_power : float
        Largest magnitude, with its sign, and mean of the magnitude (W).
    peak_velocity : float
        Largest magnitude (rad/s or m/s).
    overloads : tuple of Interval
    overload_time : float
        Time above the rated effort (s).
    near_effort, near_velocity, near_position : float
        Time near the rated effort, near the rated velocity, near an end of the range (s).
    """

    name: str
    joint: str
    unit: str
    peak_effort: float
    peak_time: float
    rms_effort: float
    rated_effort: float | None
    work_done: float
    work_taken: float
    peak_power: float
    mean_power: float
    peak_velocity: float
    overloads: tuple[Interval, ...]
    overload_time: float
    near_effort: float
    near_velocity: float
    near_position: float

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return asdict(self)


class _Row(NamedTuple):
    """What a summary is made of."""

    name: str
    joint: str
    unit: str
    limit: Limit
    position: Floats
    velocity: Floats
    effort: Floats


def effort_units(model: Model) -> dict[str, str]:
    """Return the unit of the effort of each actuator."""
    return dict(zip(model.actuator_names, model.effort_units, strict=True))


def summarise(model: Model, cycles: Cycles, gap: float) -> list[ActuatorSummary]:
    """Return the summary of each actuator, and of each cylinder that shares the load of a joint.

    Parameters
    ----------
    model : Model
    cycles : Cycles
        With loads, at least one. Those whose estimates still settle are omitted, unless all do.
    gap : float
        Intervals between cycles longer than this (s) count as gaps: no work, no time.
    """
    time, step = times_and_steps(cycles, gap)
    judged = cycles.judged
    step = np.where(judged[1:] & judged[:-1], step, 0.0)[np.flatnonzero(judged)[:-1]]
    time = time[judged]
    share = _shares(step)
    arrays = {name: array[judged] for name, array in cycles.arrays.items()}
    result = []
    for name, joint, unit, limit, position, velocity, effort in _rows(model, arrays):
        power = effort * velocity
        peak = int(np.abs(effort).argmax())
        rated = limit.effort if 0.0 < limit.effort < math.inf else None
        overloads = intervals(time, step, effort, np.abs(effort) > rated) if rated else ()
        total = float(share.sum())
        room = NEAR_END * (limit.upper - limit.lower)
        near_end = (position < limit.lower + room) | (position > limit.upper - room)
        result.append(
            ActuatorSummary(
                name=name,
                joint=joint,
                unit=unit,
                peak_effort=float(effort[peak]),
                peak_time=float(time[peak]),
                rms_effort=math.sqrt(float(np.mean(effort**2))),
                rated_effort=rated,
                work_done=_integral(step, power, lambda p: np.maximum(p, 0.0)),
                work_taken=_integral(step, power, lambda p: np.maximum(-p, 0.0)),
                peak_power=float(power[np.abs(power).argmax()]),
                mean_power=_integral(step, power, np.abs) / total if total else 0.0,
                peak_velocity=float(np.abs(velocity).max()),
                overloads=overloads,
                overload_time=_time(share, np.abs(effort) > (rated or math.inf)),
                near_effort=_time(share, np.abs(effort) >= NEAR_RATED * (rated or math.inf)),
                near_velocity=_time(share, _near_rated(velocity, limit.velocity)),
                near_position=_time(share, near_end if math.isfinite(room) else near_end & False),
            )
        )
    return result


def _rows(model: Model, arrays: Mapping[str, Floats]) -> Iterator[_Row]:
    """Yield the actuators; instead of one whose joint has several cylinders each of these."""
    shared = shared_cylinders(model.flat) if OF_CYLINDERS[0] in arrays else []
    parts = (*model.mechanisms.linear_actuators, *model.mechanisms.load_sharing)
    cylinders = [parts[k] for k in shared]
    units, limits = model.effort_units, model.actuator_limits()
    for i, name in enumerate(model.actuator_names):
        joint = model.joint_names[model.actuator_index[i]]
        here = [k for k, each in enumerate(cylinders) if each.joint == joint]
        for k in here:
            columns = (arrays[field][:, k] for field in OF_CYLINDERS)
            yield _Row(cylinders[k].name, joint, units[i], cylinders[k].limit, *columns)
        if not here:
            columns = (arrays[field][:, i] for field in ("position", "velocity", "actuator_effort"))
            yield _Row(name, joint, units[i], limits[i], *columns)


def times_and_steps(cycles: Cycles, gap: float) -> tuple[Floats, Floats]:
    """Return the times (n,) since the first cycle and those in between (n - 1,), 0 at gaps (s)."""
    time: Floats = (cycles.stamps - cycles.stamps[0]) * SECONDS
    step = np.diff(cycles.stamps) * SECONDS
    return time, np.where((step > 0.0) & (step <= gap), step, 0.0)


def _near_rated(velocity: Floats, rated: float) -> Bools:
    result: Bools = np.abs(velocity) >= NEAR_RATED * (rated if rated > 0.0 else math.inf)
    return result


def _shares(step: Floats) -> Floats:
    """Return the time that is assigned to each cycle: half the steps on both sides."""
    return 0.5 * (np.concatenate((step, [0.0])) + np.concatenate(([0.0], step)))


def _time(share: Floats, where: Bools) -> float:
    return float(share[where].sum())


def _integral(step: Floats, power: Floats, part: Callable[[Floats], Floats]) -> float:
    """Return the integral of a part of the power by the trapezoidal rule (J)."""
    values = part(power)
    return float((0.5 * step * (values[1:] + values[:-1])).sum())


def intervals(time: Floats, step: Floats, effort: Floats, above: Bools) -> tuple[Interval, ...]:
    """Return the intervals in which an effort is above a bound; a gap ends an interval.

    Parameters
    ----------
    time, effort : array, shape (n,)
        Of the cycles (s, N m or N).
    step : array, shape (n - 1,)
        Time between them (s), zero at a gap.
    above : array of bool, shape (n,)
    """
    rows: Ints = np.flatnonzero(above)
    apart = (np.diff(rows) > 1) | (step[rows[1:] - 1] == 0.0)
    result = []
    for some in np.split(rows, np.flatnonzero(apart) + 1):
        if len(some):
            peak = some[np.abs(effort[some]).argmax()]
            ends = (float(time[some[0]]), float(time[some[-1]]))
            result.append(Interval(*ends, float(effort[peak])))
    return tuple(result)


def summary_table(summaries: list[ActuatorSummary]) -> str:
    """Return the summary of the computed efforts as a table, with a line for each overload."""
    width = max([len(s.name) for s in summaries] + [8]) + 2
    lines = [
        "computed efforts",
        f"{'actuator':<{width}}{'unit':<5}{'rated':>9}{'peak':>10}{'% rated':>9}{'at s':>8}"
        f"{'RMS':>10}{'work J':>11}{'taken J':>10}{'peak W':>10}{'mean W':>9}"
        f"{'overload s':>12}{'near s':>8}{'ends s':>8}",
    ]
    for s in summaries:
        lines.append(
            f"{s.name:<{width}}{s.unit:<5}{rated_columns(s.peak_effort, s.rated_effort)}"
            f"{s.peak_time:>8.2f}{s.rms_effort:>10.3f}{s.work_done:>11.3f}{s.work_taken:>10.3f}"
            f"{s.peak_power:>10.3f}{s.mean_power:>9.3f}{s.overload_time:>12.3f}"
            f"{max(s.near_effort, s.near_velocity):>8.2f}{s.near_position:>8.2f}"
        )
    for s in summaries:
        for overload in s.overloads[:MOST_LINES]:
            lines.append(
                f"overload of {s.name}: {overload.start:.3f} to {overload.end:.3f} s, up to "
                f"{overload.peak:.3f} {s.unit} of {s.rated_effort:g}"
            )
        if len(s.overloads) > MOST_LINES:
            lines.append(f"and {len(s.overloads) - MOST_LINES} more overloads of {s.name}")
    return "\n".join(lines)


def rated_columns(peak: float, rated: float | None) -> str:
    """Return the rated effort, the peak, and the peak as a percentage of the rated effort."""
    if rated is None:
        return f"{'-':>9}{peak:>10.3f}{'-':>9}"
    return f"{rated:>9.4g}{peak:>10.3f}{100.0 * abs(peak) / rated:>9.0f}"
