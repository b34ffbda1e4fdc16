# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Measured efforts compared with those of the model, with and without friction."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.core.inverse.friction import AT_ACTUATOR
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.model.friction import friction_of_coordinates
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.received import Received

from .cycles import Cycles
from .friction import IdentifiedFriction, identify

SECONDS = 1e-9
NOT_TOLD = "the motion does not tell viscous from Coulomb friction"


class MeasuredSamples:
    """The measured efforts of samples.

    Those of joint states count for the joints that are actuators themselves, those of actuator
    lengths for linear actuators.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._entries: dict[tuple[str, tuple[str, ...]], list[tuple[int, Floats]]] = defaultdict(
            list
        )

    def passing(self, received: Iterable[Received]) -> Iterator[Received]:
        """Yield the samples as they are, and note their efforts."""
        for entry in received:
            self.note(entry)
            yield entry

    def note(self, entry: Received) -> None:
        """Note the efforts of a sample, if it has any."""
        effort = entry.sample.values().effort
        if effort is not None:
            layout = self._entries[entry.topic, entry.sample.names]
            layout.append((entry.sample.stamp, effort))

    def at(self, stamps: Ints, timeout: float) -> Floats:
        """Return the measured efforts (n, q) at stamps (ns); NaN where none is known.

        Between two measurements at most `timeout` (s) apart they are interpolated.
        """
        model = self._model
        result = np.full((len(stamps), len(model.actuator_names)), np.nan)
        linear = {actuator.name for actuator in model.mechanisms.linear_actuators}
        for (topic, names), entries in self._entries.items():
            time = np.array([stamp for stamp, _ in entries], dtype=np.int64)
            values = np.array([effort for _, effort in entries])
            ascending, first = np.unique(time, return_index=True)
            for k, name in enumerate(names):
                wanted = JOINT_STATES if name not in linear else ACTUATOR_LENGTHS
                if name in model.actuator_names and topic == wanted:
                    i = model.actuator_names.index(name)
                    found = _interpolated(ascending, values[first, k], stamps, timeout)
                    missing = np.isnan(result[:, i])
                    result[missing, i] = found[missing]
        return result


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
        At which both are known.
    measured : float
        RMS of the measured effort (N m or N).
    residual : float
        RMS of measured less estimated, with the friction that the files define.
    friction : IdentifiedFriction or None
        Identified in its place; None where the motion does not determine it.
    remaining : float
        RMS of what friction leaves over; NaN without friction.
    unseen : float
        As `remaining`, but each half of the record judged by the friction identified on the
        other half; NaN where one half does not tell it.
    """

    name: str
    samples: int
    measured: float
    residual: float
    friction: IdentifiedFriction | None
    remaining: float
    unseen: float


def compare(model: Model, cycles: Cycles, measured: Floats) -> list[EffortComparison]:
    """Return the comparison of each actuator whose effort was measured, and is not always zero.

    Parameters
    ----------
    model : Model
    cycles : Cycles
        With loads; those of which the estimates settle are left out.
    measured : array, shape (n, q)
        Efforts, NaN where unknown.
    """
    result = []
    described = described_friction(model, cycles)
    for i, name in enumerate(model.actuator_names):
        known = np.isfinite(measured[:, i]) & cycles.settled
        if not measured[known, i].any():
            continue  # drivers that measure none often say zero
        velocity = cycles.arrays["velocity"][known, i]
        given = measured[known, i]
        residual = given - cycles.arrays["actuator_effort"][known, i]
        excess = residual + described[known, i]
        friction = identify(velocity, excess)
        remaining = math.nan if friction is None else _rms(excess - friction.effort(velocity))
        comparison = EffortComparison(
            name=name,
            samples=int(known.sum()),
            measured=_rms(given),
            residual=_rms(residual),
            friction=friction,
            remaining=remaining,
            unseen=_unseen(velocity, excess),
        )
        result.append(comparison)
    return result


def described_friction(model: Model, cycles: Cycles) -> Floats:
    """Return the part (n, a) of the efforts that identified friction would replace."""
    position, velocity = cycles.arrays["position"], cycles.arrays["velocity"]
    if not model.has_passive_coordinates:
        return model.friction_effort(velocity, position)
    whole = np.zeros((len(velocity), len(model.velocity_names)))
    whole[:, model.actuator_index] = velocity
    laws = model.flat.mechanisms.friction
    return friction_of_coordinates(laws, AT_ACTUATOR, whole)[:, model.actuator_index]


def _unseen(velocity: Floats, excess: Floats) -> float:
    middle = len(velocity) // 2
    halves = (slice(None, middle), slice(middle, None))
    left = np.empty_like(excess)
    for own, other in (halves, halves[::-1]):
        friction = identify(velocity[other], excess[other])
        if friction is None:
            return math.nan
        left[own] = excess[own] - friction.effort(velocity[own])
    return _rms(left)


def _rms(values: Floats) -> float:
    return math.sqrt(float(np.mean(values**2))) if len(values) else math.nan


def comparison_table(
    model: Model, comparisons: list[EffortComparison], units: dict[str, str]
) -> str:
    """Return the comparison as a text of aligned columns."""
    width = max([len(c.name) for c in comparisons] + [8]) + 2
    lines = [
        f"{'actuator':<{width}}{'unit':<5}{'measured':>10}{'residual':>10}{'share':>8}"
        f"{'friction':>10}{'share':>8}{'unseen':>9}  {'viscous':>9}{'Coulomb':>9}{'offset':>9}",
        f"{'':<{width}}{'':<5}{'RMS':>10}{'RMS':>10}{'':>8}{'left RMS':>10}{'':>8}"
        f"{'RMS':>9}  {'per rad/s':>9}",
    ]
    for c in comparisons:
        line = (
            f"{c.name:<{width}}{units[c.name]:<5}{c.measured:>10.3f}{c.residual:>10.3f}"
            f"{_share(c.residual, c.measured):>8}"
        )
        if c.friction is None:
            line += f"  {NOT_TOLD}"
        else:
            f = c.friction
            line += (
                f"{c.remaining:>10.3f}{_share(c.remaining, c.measured):>8}{c.unseen:>9.3f}  "
                f"{f.viscous:>9.3f}{f.coulomb:>9.3f}{f.offset:>9.3f}"
            )
        lines.append(line)
    return "\n".join(lines)


def _share(part: float, whole: float) -> str:
    return f"{100.0 * part / whole:.1f}%" if whole > 0.0 else "-"
