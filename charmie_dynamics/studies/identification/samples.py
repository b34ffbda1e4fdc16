# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions with measured efforts: the input of an identification."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.recordings.compute.smoothing import (
    QUINTIC,
    fit_positions,
    fit_velocities,
)
from charmie_dynamics.studies.robot_parameters.closed_motions import ClosedMotions

# Hz, where the estimated accelerations are 3 dB down. The highest cutoff with errors that are small
# relative to the accelerations is used: a low one attenuates the motion, most where friction stops
# a joint.
CUTOFFS = (5.0, 7.0, 10.0, 14.0)
NOISE_SHARE = 0.01  # of the variance of accelerations, as means over MEAN
MEAN = 0.1  # s
GAP = 5.0  # of the typical step
PIECE = 4096  # samples that are computed at once
Motion = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class EffortSamples:
    """A motion of all coordinates, with closed loops, and measured efforts of a actuators.

    Attributes
    ----------
    time : (n,) array
        s, increasing.
    position, velocity, acceleration : (n, p), (n, v) and (n, v) array
        Without phase lag.
    measured : (n, a) array
        Efforts of the actuators (N m, N); NaN if unknown.
    described : (n, a) array
        Efforts of the described robot, with its loads and without friction.
    errors : three arrays or None
        One realisation of the errors of position, velocity and acceleration, with their variance;
        zero for passive coordinates, which follow from the others; None: exact values.
    reach : float
        Time before and after a sample from which its velocity is estimated (s).
    """

    time: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats
    measured: Floats
    described: Floats
    errors: Motion | None = None
    reach: float = 0.0

    def at(self, rows: slice | npt.NDArray[np.bool_]) -> EffortSamples:
        """Return some of the samples."""
        motion = self.position[rows], self.velocity[rows], self.acceleration[rows]
        errors = None
        if self.errors is not None:
            errors = self.errors[0][rows], self.errors[1][rows], self.errors[2][rows]
        efforts = self.measured[rows], self.described[rows]
        return EffortSamples(self.time[rows], *motion, *efforts, errors, self.reach)


def samples_of_motion(
    model: Model,
    time: npt.ArrayLike,
    motion: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
    measured: npt.ArrayLike,
) -> EffortSamples:
    """Return the samples of a motion with known velocities and accelerations.

    Parameters
    ----------
    model : Model
        The described robot, with its loads.
    time : (n,) array_like
        s, increasing.
    motion : three (n, a) array_like, or of shapes (n, p), (n, v) and (n, v)
        Position, velocity and acceleration of the actuators, from which those of passive joints
        follow; or of all coordinates. Positions of passive joints then select how the loops are
        assembled; NaN if unknown. They must agree with the closed loops to 0.05 rad or m.
    measured : (n, a) array_like
        NaN if an effort is unknown.

    Raises
    ------
    InputError
        If shapes disagree, times do not increase, a motion is not finite, or a passive joint
        contradicts the loops.
    UnsupportedError, OutOfReachError, LoopError
        If neither an actuator nor loops move a joint, or the loops do not close.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import samples_of_motion
    >>> model = load_model("scara")
    >>> time, position = np.linspace(0.0, 1.0, 50), np.zeros((50, 5))
    >>> samples = samples_of_motion(model, time, (position, position, position), position)
    >>> samples.described.shape
    (50, 5)
    """
    closing = ClosedMotions(model, "identification")
    t = np.asarray(time, dtype=np.float64)
    p, v, a = len(model.position_names), len(model.velocity_names), len(model.actuator_names)
    is_whole = closing.has_loops and np.shape(motion[0]) == (t.size, p)
    arrays = []
    names = ("position", "velocity", "acceleration", "measured")
    sizes = (p, v, v, a) if is_whole else (a, a, a, a)
    driven = (closing.entries, model.actuator_index, model.actuator_index)
    for k, (name, values) in enumerate(zip(names, (*motion, measured), strict=True)):
        array = np.array(values, dtype=np.float64)
        if array.shape != (t.size, sizes[k]):
            raise InputError(f"{name}: expected shape {(t.size, sizes[k])}, got {array.shape}")
        known = array[:, driven[k] if is_whole else slice(None)] if k < 3 else np.zeros(0)
        if not np.isfinite(known).all():
            raise InputError(f"{name}: expected finite values")
        arrays.append(array)
    if t.ndim != 1 or not (np.isfinite(t).all() and (np.diff(t) > 0.0).all()):
        raise InputError("time: expected finite times that increase")
    closed = closing.of((arrays[0], arrays[1], arrays[2]))
    smooth = model.without_friction()
    described = np.concatenate(
        [
            smooth.compute(*(array[k : k + PIECE] for array in closed)).actuator_effort
            for k in range(0, max(len(t), 1), PIECE)
        ]
    )
    return EffortSamples(t, *closed, arrays[3], described)


def samples_of_positions(
    model: Model,
    time: npt.ArrayLike,
    position: npt.ArrayLike,
    measured: npt.ArrayLike,
    *,
    velocity: npt.ArrayLike | None = None,
    cutoff: float | None = None,
) -> EffortSamples:
    """Return the samples of measured positions; derivatives are estimated with zero phase.

    Parameters
    ----------
    model, time, measured
        As for `samples_of_motion`.
    position : (n, a) or (n, p) array_like
        Measured, with noise; of the actuators, or of all coordinates with NaN for passive joints
        that are not measured.
    velocity : (n, a) or (n, v) array_like, optional
        Measured; velocity and acceleration are then estimated from it.
    cutoff : float, optional
        Where the accelerations are 3 dB down (Hz), see `recordings.compute.smoothing`; default:
        chosen from the data, see `chosen_cutoff`.

    Raises
    ------
    InputError, UnsupportedError
        As for `samples_of_motion`, and for fewer than five samples.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import samples_of_positions
    >>> time = np.linspace(0.0, 1.0, 101)
    >>> position = np.tile(0.1 * np.sin(6.0 * time)[:, None], (1, 5))
    >>> samples = samples_of_positions(load_model("scara"), time, position, np.zeros((101, 5)))
    >>> bool(abs(samples.velocity[50] - 0.6 * np.cos(3.0)).max() < 0.01)
    True
    """
    t, p = np.asarray(time, dtype=np.float64), np.asarray(position, dtype=np.float64)
    shape = (t.size, len(model.actuator_names))
    entries = model.flat.freedoms.position_entry[model.actuator_index]
    whole: Floats | None = None
    if p.shape == (t.size, len(model.position_names)):
        whole, p = p, p[:, entries]
    if p.shape != shape:
        raise InputError(f"position: expected shape {shape}, got {p.shape}")
    if len(t) < QUINTIC.fewest:
        raise InputError(f"position: expected at least {QUINTIC.fewest} samples, got {len(t)}")
    if not np.isfinite(p).all() or not (np.diff(t) > 0.0).all():
        raise InputError("position: expected finite values at times that increase")
    rates = None if velocity is None else np.asarray(velocity, dtype=np.float64)
    if rates is not None and whole is not None and rates.shape[1] != shape[1]:
        rates = rates[:, model.actuator_index]

    def estimated(some: slice, cutoff: float) -> Motion:
        smooth, v, a = fit_positions(t[some], p[some], t, cutoff, QUINTIC)
        if rates is not None:
            v, a = fit_velocities(t[some], rates[some], t, cutoff, QUINTIC)
        return smooth, v, a

    chosen = chosen_cutoff(t, estimated) if cutoff is None else cutoff
    motion, errors = motion_and_errors(t, estimated, chosen)
    if whole is not None:
        motion = of_all_coordinates(model, motion)
        passive = np.setdiff1d(np.arange(whole.shape[1]), entries)
        motion[0][:, passive] = whole[:, passive]
    samples = samples_of_motion(model, t, motion, without_ends(t, measured, chosen))
    errors = None if errors is None else of_all_coordinates(model, errors)
    return replace(samples, errors=errors, reach=QUINTIC.position_width / chosen)


def of_all_coordinates(model: Model, driven: Motion) -> Motion:
    """Return arrays of all coordinates, from those of the actuators (n, a); zero for others."""
    count = len(driven[0])
    position = np.zeros((count, len(model.position_names)))
    velocity, acceleration = np.zeros((2, count, len(model.velocity_names)))
    position[:, model.flat.freedoms.position_entry[model.actuator_index]] = driven[0]
    velocity[:, model.actuator_index], acceleration[:, model.actuator_index] = driven[1:]
    return position, velocity, acceleration


# estimates (n, v) of position, velocity and acceleration from a part of the samples, at a cutoff
Estimate = Callable[[slice, float], Motion]


def motion_and_errors(
    time: Floats, estimated: Estimate, cutoff: float
) -> tuple[Motion, Motion | None]:
    """Return a motion, and one realisation of its errors.

    The even and the odd samples give an estimate each. Their errors are independent if the noise of
    the sensors is white: the mean of the two estimates is the motion, and half of their difference
    has the variance of its errors. None: the samples are too far apart for estimates from half of
    them.
    """
    if not _has_halves(time, cutoff):
        return estimated(slice(None), cutoff), None
    one, other = (estimated(slice(first, None, 2), cutoff) for first in (0, 1))
    mean, half = (
        tuple(0.5 * (a + sign * b) for a, b in zip(one, other, strict=True)) for sign in (1.0, -1.0)
    )
    return (mean[0], mean[1], mean[2]), (half[0], half[1], half[2])


def chosen_cutoff(time: Floats, estimated: Estimate) -> float:
    """Return the highest of `CUTOFFS` (Hz) with errors that are small relative to accelerations.

    Both are compared as means over 0.1 s, as the regression uses them.
    """
    best = CUTOFFS[0]
    for cutoff in CUTOFFS:
        if not _has_halves(time, cutoff):
            break
        motion, errors = motion_and_errors(time, estimated, cutoff)
        if errors is None or not np.isfinite(motion[2]).any():
            break
        count = max(1, round(MEAN / float(np.median(np.diff(time)))))
        noise, signal = (_variance_of_means(part[2], count) for part in (errors, motion))
        if (noise > NOISE_SHARE * signal).any():
            break
        best = cutoff
    return best


def _has_halves(time: Floats, cutoff: float) -> bool:
    """Return whether the window of an estimate contains enough of every other sample."""
    if len(time) < 4 * QUINTIC.fewest:
        return False
    within = QUINTIC.position_width / cutoff / float(np.median(np.diff(time)))
    return within >= QUINTIC.fewest - 1


def _variance_of_means(values: Floats, count: int) -> Floats:
    """Return the variance (v,) of means over successive samples; 0 for constant values."""
    whole = values[: len(values) // count * count]
    means = whole.reshape(-1, count, values.shape[1]).mean(axis=1)
    result: Floats = np.nanvar(means, axis=0) if len(means) else np.zeros(values.shape[1])
    return result


def without_ends(time: Floats, measured: npt.ArrayLike, cutoff: float) -> Floats:
    """Return measured efforts (n, v), NaN for estimates from samples on one side only.

    At the ends of a recording, and at gaps, accelerations are extrapolated and far less accurate.
    """
    result = np.array(measured, dtype=np.float64)
    step = np.diff(time)
    new = np.flatnonzero(step > GAP * np.median(step)) + 1 if len(step) else np.empty(0, int)
    reach = QUINTIC.position_width / cutoff
    for piece in np.split(np.arange(len(time)), new):
        own = time[piece]
        result[piece[(own < own[0] + reach) | (own > own[-1] - reach)]] = np.nan
    return result
