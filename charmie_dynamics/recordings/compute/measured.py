# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Measured efforts compared with those of the model, with and without friction."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from charmie_dynamics.core.inverse.friction import AT_ACTUATOR
from charmie_dynamics.live.estimation.contradictions import describe_effort, effort_gain
from charmie_dynamics.live.estimation.entries import driven_coordinates, places_of_names
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.flat.friction_laws import friction_of_coordinates, transition_speed
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.received import ReceivedSample
from charmie_dynamics.recordings.read.segments import JumpFinder

from .cycles import Cycles
from .friction import IdentifiedFriction, identify
from .summary import rated_columns

NOT_DETERMINED = "the motion does not separate viscous from Coulomb friction"
INACCURATE = "the motion does not determine it"


class MeasuredSamples:
    """The measured efforts of samples, by the names of actuators.

    The effort of a joint that a linear actuator moves is ignored: it differs from the force.

    Parameters
    ----------
    model : Model
    timeout : float
        Longest time (s) between two measurements that are interpolated.
    """

    def __init__(self, model: Model, timeout: float) -> None:
        self._model = model
        self._timeout = timeout
        self._entries: dict[tuple[str, tuple[str, ...]], list[tuple[int, int, Floats]]] = (
            defaultdict(list)
        )

    def passing(self, received: Iterable[ReceivedSample]) -> Iterator[ReceivedSample]:
        """Yield the samples unchanged, and store their efforts."""
        for entry in received:
            self.note(entry)
            yield entry

    def note(self, entry: ReceivedSample) -> None:
        """Store the efforts of a sample, if it has any."""
        effort = entry.sample.values().effort
        if effort is not None:
            layout = self._entries[entry.topic, entry.sample.names]
            layout.append((entry.sample.stamp, entry.arrival, effort))

    def at(self, stamps: Ints, arrivals: Ints) -> Floats:
        """Return the measured efforts (n, a) of cycles; NaN if unknown.

        If the stamps of a recording repeat after a clock step, efforts are those that were recorded
        together with the cycle. Samples that came after newer ones do not count.

        Parameters
        ----------
        stamps, arrivals : (n,) array of int
            Stamp of each cycle, and the time of recording of its sample (ns).
        """
        names = self._model.actuator_names
        result = np.full((len(stamps), len(names)), np.nan)
        for (topic, own), entries in self._entries.items():
            columns = _columns(self._model, topic, own)
            if not columns:
                continue
            values = np.array([effort for _, _, effort in entries])
            times = np.array([(stamp, arrival) for stamp, arrival, _ in entries], dtype=np.int64)
            for rows, cycles in self._segments(times, arrivals):
                of_segment = times[rows, 0]
                in_order = np.flatnonzero(of_segment == np.maximum.accumulate(of_segment))
                ascending, first = np.unique(of_segment[in_order], return_index=True)
                for k, i in columns:
                    interpolated = _interpolated(
                        ascending, values[rows][in_order[first], k], stamps[cycles], self._timeout
                    )
                    result[cycles, i] = np.where(
                        np.isnan(result[cycles, i]), interpolated, result[cycles, i]
                    )
        return result

    def _segments(self, times: Ints, arrivals: Ints) -> Iterator[tuple[slice, Ints]]:
        """Yield the rows of each segment of a publisher, and the cycles in it."""
        finder = JumpFinder(self._timeout)
        numbers = (finder.add(stamp, row) for row, stamp in enumerate(times[:, 0].tolist()))
        begins = [0, *(first for first in numbers if first is not None)]
        segment = np.searchsorted(times[begins[1:], 1], arrivals, side="right")
        for k, (begin, end) in enumerate(pairwise([*begins, len(times)])):
            yield slice(begin, end), np.flatnonzero(segment == k)


def scaled(
    received: Iterable[ReceivedSample], factors: Mapping[str, float]
) -> Iterator[ReceivedSample]:
    """Yield samples with their efforts multiplied by a factor for each name; unchanged without."""
    table: dict[tuple[str, ...], Floats] = {}
    for entry in received:
        names = entry.sample.names
        if not factors or factors.keys().isdisjoint(names):
            yield entry
            continue
        sample = entry.sample.values()
        if sample.effort is not None:
            if names not in table:
                table[names] = np.array([factors.get(name, 1.0) for name in names])
            sample = sample._replace(effort=table[names] * sample.effort)
        yield entry._replace(sample=sample)


def _columns(model: Model, topic: str, names: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the indices of the efforts of samples, and those of their actuators."""
    places, driven = places_of_names(model, topic), driven_coordinates(model)
    index = {c: i for i, c in enumerate(model.actuator_index.tolist())}
    matches = [(k, *places[name]) for k, name in enumerate(names) if name in places]
    return [(k, index[c]) for k, c, is_length in matches if c in index
            and is_length == (c in driven)]  # fmt: skip


def _interpolated(time: Ints, values: Floats, at: Ints, timeout: float) -> Floats:
    known = np.isfinite(values)
    time, values = time[known], values[known]
    if not len(time):
        return np.full(len(at), np.nan)
    behind = np.clip(np.searchsorted(time, at), 0, len(time) - 1)
    before = np.maximum(behind - 1, 0)
    result: Floats = np.interp((at - time[0]) * SECONDS, (time - time[0]) * SECONDS, values)
    near = (time[behind] - time[before]) * SECONDS <= timeout
    inside = (at >= time[0]) & (at <= time[-1])
    result[~((near & inside) | (time[behind] == at))] = np.nan
    return result


@dataclass(frozen=True, eq=False)
class EffortComparison:
    """Measured and estimated efforts of one actuator.

    Parameters
    ----------
    name : str
    samples : int
        With both efforts known.
    measured : float
        RMS of the measured effort (N m or N).
    residual : float
        RMS of measured minus estimated effort, with the friction that the files define.
    friction : IdentifiedFriction or None
        Identified instead; None if the motion does not separate its coefficients.
    remaining : float
        RMS of the residual after the identified friction; NaN without friction.
    unseen : float
        As `remaining`, but each half of the record with the friction identified on the other half;
        NaN if one half does not determine it.
    gain : float
        Of measured relative to computed efforts, without friction, see
        `contradictions.effort_gain`; NaN if the motion does not determine it.
    contradiction : str
        Contradiction of unit or sign of the measured efforts, with advice; empty if none.
    peak : float
        Largest measured effort, with its sign.
    rated : float or None
        Rated effort; None without one.
    """

    name: str
    samples: int
    measured: float
    residual: float
    friction: IdentifiedFriction | None
    remaining: float
    unseen: float
    gain: float = math.nan
    contradiction: str = ""
    peak: float = math.nan
    rated: float | None = None

    @property
    def is_determined(self) -> bool:
        """Whether the friction was identified, with narrow intervals."""
        return self.friction is not None and self.friction.is_determined(self.measured)


def compare(model: Model, cycles: Cycles, measured: Floats, reach: float) -> list[EffortComparison]:
    """Return the comparison of each actuator with a measured effort that is not always zero.

    Parameters
    ----------
    model : Model
    cycles : Cycles
        With loads; those whose estimates still settle are omitted.
    measured : array, shape (n, q)
        Efforts, NaN where unknown.
    reach : float
        Time before and after a cycle from which its velocity is estimated (s).
    """
    result = []
    described = described_friction(model, cycles)
    limits = model.actuator_limits()
    transitions = [transition_speed(limit.velocity) for limit in limits]
    step = np.diff(cycles.stamps, prepend=cycles.stamps[:1]) * SECONDS
    time = np.cumsum(np.where(step < 0.0, 1.0, step))  # the stamps of a recording may jump back
    for i, name in enumerate(model.actuator_names):
        known = np.isfinite(measured[:, i]) & cycles.settled
        if not measured[known, i].any():
            continue  # drivers without a measurement often publish zero
        velocity = cycles.arrays["velocity"][known, i]
        efforts = measured[known, i]
        computed = cycles.arrays["actuator_effort"][known, i]
        residual = efforts - computed
        excess = residual + described[known, i]
        gain = effort_gain(efforts, computed, velocity)
        friction = identify(time[known], velocity, excess, transitions[i], reach)
        remaining = math.nan if friction is None else _rms(excess - friction.effort(velocity))
        comparison = EffortComparison(
            name=name,
            samples=int(known.sum()),
            measured=_rms(efforts),
            residual=_rms(residual),
            friction=friction,
            remaining=remaining,
            unseen=_unseen(time[known], velocity, excess, transitions[i], reach),
            gain=math.nan if gain is None else gain.gain,
            contradiction=describe_effort(gain) if gain and gain.contradicts else "",
            peak=float(efforts[np.abs(efforts).argmax()]),
            rated=limits[i].effort if 0.0 < limits[i].effort < math.inf else None,
        )
        result.append(comparison)
    return result


def described_friction(model: Model, cycles: Cycles) -> Floats:
    """Return the part (n, a) of the efforts that identified friction replaces."""
    position, velocity = cycles.arrays["position"], cycles.arrays["velocity"]
    if not model.has_passive_coordinates:
        return model.friction_effort(velocity, position)
    whole = np.zeros((len(velocity), len(model.velocity_names)))
    whole[:, model.actuator_index] = velocity
    laws = model.flat.mechanisms.friction
    return friction_of_coordinates(laws, AT_ACTUATOR, whole)[:, model.actuator_index]


def _unseen(
    time: Floats, velocity: Floats, excess: Floats, transition: float, reach: float
) -> float:
    middle = len(velocity) // 2
    halves = (slice(None, middle), slice(middle, None))
    left = np.empty_like(excess)
    for own, other in (halves, halves[::-1]):
        friction = identify(time[other], velocity[other], excess[other], transition, reach)
        if friction is None:
            return math.nan
        left[own] = excess[own] - friction.effort(velocity[own])
    return _rms(left)


def _rms(values: Floats) -> float:
    return math.sqrt(float(np.mean(values**2))) if len(values) else math.nan


def comparison_table(comparisons: list[EffortComparison], units: dict[str, str]) -> str:
    """Return a table of the measured efforts, and one of the identified friction."""
    width = max([len(c.name) for c in comparisons] + [8]) + 2
    efforts = [
        "measured efforts; 'less model': RMS of measured minus computed efforts; 'less friction': "
        "also minus identified friction; ?: friction that the motion does not determine",
        f"{'actuator':<{width}}{'unit':<5}{'rated':>9}{'peak':>10}{'% rated':>9}{'RMS':>10}"
        f"{'less model':>13}{'% RMS':>8}{'less friction':>16}{'% RMS':>8}{'other half':>13}",
    ]
    friction = [
        "identified friction, with intervals of 95 % (N m s/rad or N s/m; N m or N)",
        f"{'actuator':<{width}}{'viscous':>10}{'95 %':>11}{'Coulomb':>10}{'95 %':>11}"
        f"{'offset':>10}",
    ]
    for c in comparisons:
        efforts.append(
            f"{c.name:<{width}}{units[c.name]:<5}{rated_columns(c.peak, c.rated)}"
            f"{c.measured:>10.3f}{c.residual:>13.3f}{_share(c.residual, c.measured):>8}"
            f"{_known(c.remaining):>16}{_share(c.remaining, c.measured):>8}{_known(c.unseen):>13}"
            + ("" if c.is_determined else "  ?")
        )
        line = f"{c.name:<{width}}"
        if c.friction is None:
            line += f"  {NOT_DETERMINED}"
        else:
            f = c.friction
            line += (
                f"{f.viscous:>10.3f}{_half(f.viscous_half_width)}{f.coulomb:>10.3f}"
                f"{_half(f.coulomb_half_width)}{f.offset:>10.3f}"
            )
            line += "" if c.is_determined else f"  {INACCURATE}"
        friction.append(line)
    return "\n".join([*efforts, "", *friction])


def _known(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "-"


def _half(width: float) -> str:
    return f"{f'+-{width:.2g}':>11}"


def _share(part: float, whole: float) -> str:
    return f"{100.0 * part / whole:.1f}" if whole > 0.0 and math.isfinite(part) else "-"
