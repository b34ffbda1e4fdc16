# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Jumps of recorded positions: lost counts of an encoder, single wrong values, wrapped angles.

A step between two samples jumps if it differs from the motion before and after it by more than
noise and accelerations can explain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from charmie_dynamics.live.estimation.contradictions import STRETCH_ANGLE, STRETCH_LENGTH
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.received import ReceivedSample

from .cycles import CycleCounts

PART = 4096  # samples of a publisher that are judged together
NEIGHBOURS = (-3, -2, -1, 1, 2, 3)  # steps whose rates predict a step
REACH = max(NEIGHBOURS)
# a larger acceleration (rad/s^2 or m/s^2) is no motion of a joint
LARGEST_ACCELERATION = 200.0
TYPICAL = 20.0  # times the typical deviation of a step from the one before
WRAPPED = 0.05  # share of a full turn


class PositionJumps:
    """Finds jumps in the positions of samples that pass.

    Parameters
    ----------
    model : Model
    counts : CycleCounts
        Receives the jumps of joints and linear actuators.
    """

    def __init__(self, model: Model, counts: CycleCounts) -> None:
        self._counts = counts
        self._smallest = _smallest_jumps(model)

    def passing(self, received: Iterable[ReceivedSample]) -> Iterator[ReceivedSample]:
        """Yield the samples unchanged, and count the jumps of their positions."""
        publishers: dict[tuple[str, tuple[str, ...]], _Rows] = {}
        for entry in received:
            sample = entry.sample.values()
            rows = publishers.setdefault((entry.topic, sample.names), _Rows([], []))
            rows.stamps.append(sample.stamp)
            rows.positions.append(sample.position)
            if len(rows.stamps) == PART:
                self._judge(sample.names, rows, PART - REACH)
                rows = _Rows(rows.stamps[-2 * REACH :], rows.positions[-2 * REACH :], REACH)
                publishers[entry.topic, sample.names] = rows
            yield entry
        for (_, names), rows in publishers.items():
            self._judge(names, rows, len(rows.stamps))

    def _judge(self, names: tuple[str, ...], rows: _Rows, end: int) -> None:
        """Count the jumps to the rows that were not judged before, up to `end`."""
        stamps, positions = np.array(rows.stamps, dtype=np.int64), np.array(rows.positions)
        for k, name in enumerate(names):
            if name in self._smallest:
                smallest, is_angle = self._smallest[name]
                places, sizes = jumps(stamps, positions[:, k], smallest)
                sizes = sizes[(places >= rows.judged) & (places < end)]
                if len(sizes):
                    before, _ = self._counts.jumps.get(name, (0, ""))
                    text = _describe(float(sizes[-1]), is_angle=is_angle)
                    self._counts.jumps[name] = before + len(sizes), text


class _Rows(NamedTuple):
    """Stamps (ns) and positions of samples of a publisher, of which the first were judged."""

    stamps: list[int]
    positions: list[Floats]
    judged: int = 0


def jumps(stamps: Ints, position: Floats, smallest: float) -> tuple[Ints, Floats]:
    """Return the samples to which a position jumps, and the sizes of the jumps.

    Parameters
    ----------
    stamps : (n,) array of int
        ns; samples that came after newer ones do not count.
    position : (n,) array
        rad or m; NaN: unknown.
    smallest : float
        Smaller steps are no jumps.
    """
    rows = np.flatnonzero(np.isfinite(position))
    is_newer = np.ones(len(rows), dtype=bool)
    is_newer[1:] = stamps[rows[1:]] > np.maximum.accumulate(stamps[rows])[:-1]
    rows = rows[is_newer]
    dt, step = np.diff(stamps[rows]) * SECONDS, np.diff(position[rows])
    if len(step) < 2:
        return np.empty(0, dtype=np.int64), np.empty(0)
    rate = step / dt
    deviation = np.abs(step[1:] - dt[1:] * rate[:-1])
    bound = np.maximum(smallest, LARGEST_ACCELERATION * dt**2)
    bound = np.maximum(bound, TYPICAL * float(np.median(deviation)))
    first = abs(step[0] - dt[0] * rate[1]) > bound[0]
    some = np.flatnonzero(np.concatenate(([first], deviation > bound[1:])))
    places = some[:, None] + np.array(NEIGHBOURS)
    inside = (places >= 0) & (places < len(rate))
    around = np.where(inside, rate[np.clip(places, 0, len(rate) - 1)], np.nan)
    sizes: Floats = step[some] - dt[some] * np.nanmedian(around, axis=1)
    is_jump = np.abs(sizes) > bound[some]
    return rows[some + 1][is_jump], sizes[is_jump]


def _smallest_jumps(model: Model) -> dict[str, tuple[float, bool]]:
    """Return the smallest jump of each joint and linear actuator, and whether it is an angle."""
    slides = {joint.name for joint in model.tree.joints if joint.type == "prismatic"}
    lengths = {actuator.name for actuator in model.mechanisms.linear_actuators}
    result = {}
    for name in (*model.joint_names, *lengths):
        is_angle = name not in slides | lengths and not name.endswith(("/x", "/y"))
        result[name] = STRETCH_ANGLE if is_angle else STRETCH_LENGTH, is_angle
    return result


def _describe(size: float, *, is_angle: bool) -> str:
    turns = size / math.tau
    is_wrapped = is_angle and round(turns) != 0 and abs(turns - round(turns)) < WRAPPED
    return f"{size:.3g}{', a full turn: expected a continuous angle' if is_wrapped else ''}"
