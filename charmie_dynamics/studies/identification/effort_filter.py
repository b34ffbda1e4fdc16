# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Detection of a low pass through which measured efforts were recorded.

Drives filter the currents that they report, and recordings of efforts are often filtered again.
Then Coulomb friction, which jumps where a velocity changes its sign, does not jump in them. The
filter is determined with a rough regression of each actuator's effort on quantities that are known
without identification: described efforts, friction, acceleration.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from charmie_dynamics.model.flat.friction_laws import direction
from charmie_dynamics.model.friction import friction_of_actuators
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.compute.smoothing import VALUE_WIDTH, low_pass
from charmie_dynamics.studies.robot_parameters.closed_motions import ClosedMotions

from .rows import RegressionRows, usable_samples
from .samples import EffortSamples

CUTOFFS = (32.0, 16.0, 8.0, 4.0, 2.8, 2.0, 1.4, 1.0, 0.7, 0.5)  # Hz, candidates
BETTER = 0.85  # of the residual without a filter: larger ratios count as no filter
ABOVE, LACKS = 2.0, 0.5  # of the cutoff, and of the content of the columns above that
CLEAR = 0.1  # content of the columns, as a fraction of the squares of their noise
FEWEST, MOST_SAMPLES = 100, 8192  # samples in the detection
PIECE = 512


def find_effort_cutoff(model: Model, rows: RegressionRows) -> float:
    """Return the cutoff of the low pass of the measured efforts (Hz); inf: none.

    Parameters
    ----------
    model : Model
    rows : RegressionRows
        With measured efforts.
    """
    some = _first(rows.recordings)
    if len(some.time) < FEWEST:
        return math.inf
    measured = np.flatnonzero(rows.measured())
    transition = friction_of_actuators(model.robot).transition
    columns = _columns(model, some, measured, 0.0)
    # the effort of a sticking joint rises slowly, too, but only while it does not move
    (usable,) = usable_samples([some], model.actuator_index, transition)
    some = replace(some, measured=np.where(usable, some.measured, np.nan))
    best, cutoff = BETTER, math.inf
    without = _left(columns, some, measured)
    for tried in CUTOFFS:
        filtered = _filtered(some.time, columns, tried)
        left = _left(filtered, some, measured)
        share = float(np.mean(left / np.maximum(without, 1e-300)))
        if share < best:
            best, cutoff = share, tried
    if math.isfinite(cutoff) and not _is_smooth(model, some, measured, cutoff):
        return math.inf
    return cutoff


def _columns(model: Model, some: EffortSamples, measured: Ints, sign: float) -> Floats:
    """Return the columns of a rough regression, with errors of this sign; 0: without."""
    q, v, a = some.position, some.velocity, some.acceleration
    described = some.described
    if sign != 0.0 and some.errors is not None:
        smooth = model.without_friction()
        described = described - smooth.compute(q, v, a).actuator_effort
        q, v, a = (x + sign * error for x, error in zip((q, v, a), some.errors, strict=True))
        q, v, a = ClosedMotions(model, "identification").near((q, v, a))
        described = described + smooth.compute(q, v, a).actuator_effort
    transition = friction_of_actuators(model.robot).transition
    v, a = v[:, model.actuator_index], a[:, model.actuator_index]
    signs = direction(v, np.broadcast_to(transition, v.shape))
    return np.concatenate((described[:, measured], np.ones((len(v), 1)), v, signs, a), axis=1)


def _is_smooth(model: Model, some: EffortSamples, measured: Ints, cutoff: float) -> bool:
    """Return whether efforts lack the content of the columns above a low pass.

    Filtered columns have less noise, too, which reduces the residual for any efforts. The gain from
    columns to efforts is not affected by it: products of columns with independent errors are free
    of their noise.
    """
    columns, one, other = (_columns(model, some, measured, sign) for sign in (0.0, 1.0, -1.0))
    gains = []
    for i in measured.tolist():
        known, own = np.isfinite(some.measured[:, i]), _own(columns, measured, i, some)
        y = some.measured[known, i]
        x = np.linalg.lstsq(columns[known][:, own], y, rcond=None)[0]
        both = np.column_stack((y, one[known][:, own] @ x, other[known][:, own] @ x))
        fast, first, second = (both - _filtered(some.time[known], both, ABOVE * cutoff)).T
        signal = float(first @ second)
        if signal > CLEAR * float(np.linalg.norm(first - second)) ** 2:
            gains.append(0.5 * float(fast @ (first + second)) / signal)
    return bool(gains) and float(np.median(gains)) < LACKS


def _own(columns: Floats, measured: Ints, actuator: int, some: EffortSamples) -> list[int]:
    """Return the columns of an actuator's effort: the shared ones, and its own motion."""
    shared, count = len(measured) + 1, some.measured.shape[1]
    return [*range(shared), *range(shared + actuator, columns.shape[1], count)]


def _left(columns: Floats, some: EffortSamples, measured: Ints) -> Floats:
    """Return the residual of a regression of each measured effort."""
    result = np.empty(len(measured))
    for m, i in enumerate(measured.tolist()):
        own = _own(columns, measured, i, some)
        known = np.isfinite(some.measured[:, i])
        A, y = columns[known][:, own], some.measured[known, i]
        x = np.linalg.lstsq(A, y, rcond=None)[0]
        result[m] = float(np.linalg.norm(y - A @ x))
    return result


def _first(recordings: Sequence[EffortSamples]) -> EffortSamples:
    """Return the beginning of the longest recording."""
    longest = max(recordings, key=lambda samples: len(samples.time))
    return longest.at(slice(0, MOST_SAMPLES))


def _filtered(time: Floats, values: Floats, cutoff: float) -> Floats:
    result = np.empty_like(values)
    reach = VALUE_WIDTH / cutoff
    for first in range(0, len(time), PIECE):
        rows = slice(first, min(first + PIECE, len(time)))
        begin = max(0, int(np.searchsorted(time, time[rows.start] - reach)) - 3)
        end = int(np.searchsorted(time, time[rows.stop - 1] + reach, side="right")) + 3
        result[rows] = low_pass(time[begin:end], time[rows], cutoff) @ values[begin:end]
    return result
