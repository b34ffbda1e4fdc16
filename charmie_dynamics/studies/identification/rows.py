# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The rows of a regression, in pieces, and their means over short periods.

Columns and measured efforts pass the same low pass, a mean over a period, so that the equation
between them still holds (parallel filter; Gautier, Janot and Vandanjon, IEEE Trans. Control Systems
Technology 21 (2013) 428). The periods do not overlap: white noise of the measurement is white in
the rows, and there are as many rows as independent data. If the measured efforts were recorded
through a low pass, the columns pass a similar one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.model.friction import friction_of_actuators
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.compute.friction import Speeds, fast_samples, moving_samples
from charmie_dynamics.recordings.compute.smoothing import (
    VALUE_DEGREE,
    VALUE_WIDTH,
    fewest,
    low_pass,
)

from .samples import EffortSamples
from .unknowns import EffortColumns

PIECE = 512  # samples whose regressors are computed at once
GAP = 5.0  # of the typical step: a longer gap ends a mean
MOVES = 1e-3  # rad or m: an actuator with a smaller range of positions counts as still
LEAST_USABLE = 0.3  # least fraction of the samples of a moving actuator that is fast


class Piece(NamedTuple):
    """Regression rows of successive samples.

    Attributes
    ----------
    part : int
        Number of the block of the data, see `RegressionRows`.
    samples : EffortSamples
        The whole recording.
    rows : slice
        Slice of its samples.
    block : (n,) array of int
        Index of the mean of each sample, without gaps from 0.
    columns : (n, m, c) array
    excess : (n, m) array
        Measured minus described efforts; NaN if not measured.
    errors : (n, m, c + 1) array or None
        One realisation of the errors of columns and excess; None: exact.
    usable : (n, m) array of bool
        Whether the friction of an actuator is known up to its size.
    """

    part: int
    samples: EffortSamples
    rows: slice
    block: Ints
    columns: Floats
    excess: Floats
    errors: Floats | None
    usable: npt.NDArray[np.bool_]


class Means(NamedTuple):
    """Means of rows over the periods, scaled to equal variances of white noise.

    Attributes
    ----------
    columns : (k, m, c) array
    excess : (k, m) array
    known : (k, m) array of bool
        Whether an effort was measured.
    errors : (k, m, c + 1) array or None
        As in `Piece`.
    """

    columns: Floats
    excess: Floats
    known: npt.NDArray[np.bool_]
    errors: Floats | None


@dataclass(frozen=True)
class RegressionRows:
    """The rows of some recordings, divided into successive blocks of equal length.

    Parameters
    ----------
    recordings : sequence of EffortSamples
    period : float
        Of the means (s).
    blocks : int
    effort_cutoff : float
        Of the low pass of the measured efforts (Hz), which is applied to the columns, too;
        inf: none.
    """

    recordings: Sequence[EffortSamples]
    period: float
    blocks: int
    effort_cutoff: float = math.inf

    @property
    def count(self) -> int:
        """Number of samples."""
        return sum(len(samples.time) for samples in self.recordings)

    @property
    def duration(self) -> float:
        """Duration of all recordings (s)."""
        return float(sum(s.time[-1] - s.time[0] for s in self.recordings if len(s.time)))

    def measured(self) -> npt.NDArray[np.bool_]:
        """Return whether efforts of actuators are measured, and not always zero."""
        return np.any(
            [(np.isfinite(s.measured) & (s.measured != 0.0)).any(axis=0) for s in self.recordings],
            axis=0,
        )

    def usual_efforts(self) -> Floats:
        """Return the root mean square of the measured efforts; 0 without measurements."""
        squares = [np.where(np.isfinite(s.measured), s.measured, 0.0) ** 2 for s in self.recordings]
        counts = [np.isfinite(s.measured).sum(axis=0) for s in self.recordings]
        total = np.sum([each.sum(axis=0) for each in squares], axis=0)
        result: Floats = np.sqrt(total / np.maximum(np.sum(counts, axis=0), 1))
        return result

    def still(self, entries: Ints) -> Floats:
        """Return the positions of actuators that never move; NaN for those that move.

        Parameters
        ----------
        entries : (a,) array of int
            Of the actuators among the positions of the robot.
        """
        low = np.min([s.position[:, entries].min(axis=0) for s in self.recordings], axis=0)
        high = np.max([s.position[:, entries].max(axis=0) for s in self.recordings], axis=0)
        return np.where(high - low < MOVES, 0.5 * (low + high), np.nan)

    def pieces(self, columns: EffortColumns) -> Iterator[Piece]:
        """Yield the rows of all samples; a mean does not extend over several pieces."""
        first = 0
        usable = self._usable(columns)
        for samples, moving in zip(self.recordings, usable, strict=True):
            n = len(samples.time)
            part = (np.arange(first, first + n) * self.blocks) // max(self.count, 1)
            first += n
            block = self._means(samples.time)
            begins = np.flatnonzero(np.diff(block, prepend=-1))
            part = part[begins][block]  # each mean belongs to one block
            start = 0
            while start < n:
                later = begins[begins > start]
                fitting = later[later <= start + PIECE]
                end = int(fitting[-1]) if len(fitting) else int(later[0]) if len(later) else n
                if n <= start + PIECE:
                    end = n
                same = np.flatnonzero(part[start:end] != part[start])
                if len(same):
                    end = start + int(same[0])
                rows = slice(start, end)
                own, described, errors = self._seen(samples, rows, columns)
                excess = samples.measured[rows][:, columns.actuators] - described
                yield Piece(
                    int(part[start]), samples, rows, block[rows] - block[start], own, excess,
                    errors, moving[rows],
                )  # fmt: skip
                start = end

    def _usable(self, columns: EffortColumns) -> list[npt.NDArray[np.bool_]]:
        """Return for each recording whether actuators are fast enough for their friction (n, m).

        While a joint reverses or sticks, its friction has any value up to its Coulomb friction.
        """
        if not columns.unknowns.friction or math.isfinite(self.effort_cutoff):
            count = len(columns.coordinates)
            return [np.ones((len(s.time), count), dtype=bool) for s in self.recordings]
        return usable_samples(self.recordings, columns.coordinates, columns.transition)

    def _seen(
        self, samples: EffortSamples, rows: slice, columns: EffortColumns
    ) -> tuple[Floats, Floats, Floats | None]:
        """Return filtered columns (n, m, c), described efforts (n, m) and errors."""
        wide = rows
        if math.isfinite(self.effort_cutoff):
            wide = _around(samples.time, rows, VALUE_WIDTH / self.effort_cutoff)
        motion = [a[wide] for a in (samples.position, samples.velocity, samples.acceleration)]
        own = columns.of(motion[0], motion[1], motion[2])
        described = samples.described[wide][:, columns.actuators]
        errors = None
        if samples.errors is not None:
            q, v, a = (x + e[wide] for x, e in zip(motion, samples.errors, strict=True))
            change = columns.of(*columns.closing.near((q, v, a))) - own
            # the described efforts have the same errors, computed with the described values
            of_described = np.einsum("nmc,mc->nm", change, columns.subtracted[columns.places])
            errors = np.concatenate((change, -of_described[:, :, None]), axis=2)
        if wide == rows or wide.stop - wide.start < fewest(VALUE_DEGREE):
            return own, described, errors
        weights = low_pass(samples.time[wide], samples.time[rows], self.effort_cutoff)

        def passed(values: Floats) -> Floats:
            flat = weights @ values.reshape(len(values), -1)
            return flat.reshape(-1, *values.shape[1:])

        return passed(own), passed(described), None if errors is None else passed(errors)

    def _means(self, time: Floats) -> Ints:
        """Return the index of the mean of each sample."""
        if len(time) < 2:
            return np.zeros(len(time), dtype=np.int64)
        step = np.diff(time)
        new = step > GAP * np.median(step)
        begin = np.maximum.accumulate(np.where(np.r_[True, new], np.arange(len(time)), 0))
        within = np.floor((time - time[begin]) / self.period + 1e-9)
        changed = np.r_[False, new | (np.diff(within) != 0.0)]
        result: Ints = np.cumsum(changed)
        return result


def usable_samples(
    recordings: Sequence[EffortSamples], coordinates: Ints, transition: Floats
) -> list[npt.NDArray[np.bool_]]:
    """Return whether the friction of actuators (m,) is known up to its size, (n, m) for each.

    An actuator that is slow for most of the time in which it moves keeps all of its samples.
    """
    speeds = [Speeds(s.time, s.velocity[:, coordinates], s.reach) for s in recordings]
    fast, share = fast_samples(speeds, transition)
    return [usable | (share < LEAST_USABLE) for usable in fast]


def without_rests(rows: RegressionRows, model: Model) -> RegressionRows:
    """Return the rows without the samples at which all actuators rest.

    Repeated samples of one pose would outweigh the motion. The first period of each rest remains,
    see `friction.moving_samples`.
    """
    index = model.actuator_index
    speeds = [Speeds(s.time, s.velocity[:, index], s.reach) for s in rows.recordings]
    recordings = []
    moves = moving_samples(speeds, friction_of_actuators(model.robot).transition)
    for samples, own, speed in zip(rows.recordings, moves, speeds, strict=True):
        rests, period = ~own.any(axis=1), speed.periods
        begins = np.flatnonzero(rests & ~np.r_[False, rests[:-1]])
        recordings.append(samples.at(~rests | np.isin(period, period[begins])))
    return replace(rows, recordings=tuple(recordings))


def _around(time: Floats, rows: slice, reach: float) -> slice:
    """Return the samples within a time (s) of some, up to the next gap."""
    step = np.diff(time)
    gaps = np.flatnonzero(step > GAP * np.median(step)) + 1
    begin = int(np.searchsorted(time, time[rows.start] - reach))
    end = int(np.searchsorted(time, time[rows.stop - 1] + reach, side="right"))
    before, behind = gaps[gaps <= rows.start], gaps[gaps >= rows.stop]
    begin = max(begin, int(before[-1]) if len(before) else 0)
    return slice(begin, min(end, int(behind[0]) if len(behind) else len(time)))


def means_of(piece: Piece, usual: float) -> Means:
    """Return the means of a piece.

    Parameters
    ----------
    piece : Piece
    usual : float
        Typical number of samples of a mean: one with fewer has a smaller weight.
    """
    known = np.isfinite(piece.excess) & piece.usable
    begin = np.flatnonzero(np.diff(piece.block, prepend=-1))
    count = np.add.reduceat(known.astype(np.float64), begin, axis=0)
    scale = 1.0 / np.sqrt(np.maximum(count, 1.0) * usual)
    excess = np.add.reduceat(np.where(known, piece.excess, 0.0), begin, axis=0) * scale
    masked = piece.columns if known.all() else piece.columns * known[:, :, None]
    columns = np.add.reduceat(masked, begin, axis=0) * scale[:, :, None]
    errors = None
    if piece.errors is not None:
        masked = piece.errors * known[:, :, None]
        errors = np.add.reduceat(masked, begin, axis=0) * scale[:, :, None]
    return Means(columns, excess, count > 0.0, errors)


def usual_count(rows: RegressionRows) -> float:
    """Return the typical number of samples of a mean."""
    steps = np.concatenate([np.diff(s.time) for s in rows.recordings])
    return max(1.0, rows.period / float(np.median(steps)))


def require_usable(rows: RegressionRows, model: Model) -> None:
    """Refuse recordings that determine nothing.

    Raises
    ------
    InputError
        If the period is not positive.
    CharmieError
        Without measured efforts or motion, or if they are too short.
    """
    if not rows.period > 0.0:
        raise InputError(f"period: expected a number above 0, got {rows.period:g} s")
    if rows.count == 0:
        raise CharmieError("identification: expected samples, got none")
    if not rows.measured().any():
        raise CharmieError(
            f"identification: no effort of an actuator was measured in {rows.count} samples; "
            "expected the field `effort` of joint_states or actuator_lengths (N m, N) of at least "
            f"one of {', '.join(model.actuator_names)}"
        )
    entries = model.flat.freedoms.position_entry[model.actuator_index]
    if not np.isnan(rows.still(entries)).any():
        raise CharmieError(
            f"identification: no actuator moves by more than {MOVES:g} rad or m; expected a "
            "motion, as `charmie_identify --propose FILE` makes one"
        )
