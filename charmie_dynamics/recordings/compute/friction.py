# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints, identified by least squares from the residual of the model.

The measured effort of a joint's drive, minus the effort of the model, is modelled as ::

    viscous * v + coulomb * s(v) + offset

where `s` is the sign of the velocity, with a ramp through zero below a transition speed. While a
joint reverses or sticks, friction has any value up to the Coulomb friction: slow samples are
excluded. `charmie_identify` excludes the same samples.
Signs are not constrained: negative friction indicates an error of the model, of the measurement
or of the sign of one of the two, and is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.model.flat.friction_laws import TRANSITION, direction
from charmie_dynamics.numerics.vectors import Floats, Ints

SLOW = 0.2  # of the typical speed of an actuator: below it friction may be between its two signs
REST_PERIOD = 0.5  # s
# an actuator rests while its RMS speed over a period is below either of
REST_SHARE = 0.02  # of that of its fastest period
REST_TRANSITION = 0.1  # of the transition speed
# half interval relative to the size of a number from which it counts as undetermined
UNDETERMINED = 0.5
LEAST_SHARE = 0.1  # of its typical effort: smaller friction may be indistinguishable from zero
FEWEST = 30  # samples that an identification requires
BLOCKS = 20  # of successive samples for the jackknife, which omits one at a time
STUDENT = 2.093  # 97.5 % of Student's distribution with BLOCKS - 1 degrees of freedom
# Condition of the normalised columns above which the coefficients cannot be separated: a joint that
# moves at one speed in one direction does not determine them individually.
WORST_CONDITION = 1e3
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class IdentifiedFriction:
    """Friction of one joint.

    Parameters
    ----------
    viscous : float
        N m s or N s/m.
    coulomb, offset : float
        N m or N.
    transition : float
        Speed from which Coulomb friction is in full effect (rad/s or m/s).
    viscous_half_width, coulomb_half_width : float
        The intervals of 95 % are the values, plus and minus these.
    """

    viscous: float
    coulomb: float
    offset: float
    transition: float
    viscous_half_width: float
    coulomb_half_width: float

    def is_determined(self, effort: float) -> bool:
        """Return whether both intervals are narrow, relative to a typical effort (N m or N)."""
        size = LEAST_SHARE * effort
        return self.viscous_half_width <= UNDETERMINED * max(
            abs(self.viscous), size * TRANSITION / self.transition
        ) and self.coulomb_half_width <= UNDETERMINED * max(abs(self.coulomb), size)

    def effort(self, velocity: Floats) -> Floats:
        """Return the effort that overcomes the friction at given velocities."""
        result: Floats = _columns(velocity, self.transition) @ (
            self.viscous,
            self.coulomb,
            self.offset,
        )
        return result


def identify(
    time: Floats, velocity: Floats, excess: Floats, transition: float, reach: float = 0.0
) -> IdentifiedFriction | None:
    """Return the friction that explains an excess effort best.

    Parameters
    ----------
    time : array, shape (n,)
        s, ascending.
    velocity : array, shape (n,)
        Of the joint (rad/s or m/s).
    excess : array, shape (n,)
        Measured effort minus that of the model (N m or N). Samples at which either is not finite
        are omitted.
    transition : float
        Speed from which Coulomb friction is in full effect (rad/s or m/s).
    reach : float
        Time before and after a sample from which its velocity is estimated (s).

    Returns
    -------
    IdentifiedFriction or None
        None if the motion does not separate viscous and Coulomb friction and offset: too few
        samples that are fast enough, or all at one speed or in one direction.
    """
    known = np.isfinite(velocity) & np.isfinite(excess)
    time, velocity, excess = time[known], velocity[known], excess[known]
    if len(time):
        speeds = Speeds(time, velocity[:, None], reach)
        (fast,), _ = fast_samples([speeds], np.array([transition]))
        velocity, excess = velocity[fast[:, 0]], excess[fast[:, 0]]
    if len(velocity) < FEWEST:
        return None
    columns = _columns(velocity, transition)
    begin = np.arange(BLOCKS) * len(velocity) // BLOCKS
    squares = np.add.reduceat(columns[:, :, None] * columns[:, None], begin)
    right = np.add.reduceat(columns * excess[:, None], begin)
    solution = _solved(squares.sum(axis=0), right.sum(axis=0))
    if solution is None:
        return None
    half_width = np.zeros(3)
    for k in range(BLOCKS):
        without = _solved(squares.sum(axis=0) - squares[k], right.sum(axis=0) - right[k])
        half_width += np.inf if without is None else (without - solution) ** 2
    half_width = STUDENT * np.sqrt((BLOCKS - 1) / BLOCKS * half_width)
    viscous, coulomb, offset = solution.tolist()
    return IdentifiedFriction(viscous, coulomb, offset, transition, *half_width[:2].tolist())


class Speeds(NamedTuple):
    """Velocities of m actuators in a recording.

    Attributes
    ----------
    time : (n,) array
        s, ascending.
    velocity : (n, m) array
        rad/s or m/s.
    reach : float
        Time before and after a sample from which its velocity is estimated (s).
    """

    time: Floats
    velocity: Floats
    reach: float

    @property
    def periods(self) -> Ints:
        """Numbers of the periods of samples (n,), without gaps from 0."""
        number = np.floor((self.time - self.time[:1]) / REST_PERIOD)
        result: Ints = np.cumsum(np.diff(number, prepend=0.0) != 0.0)
        return result


def moving_samples(recordings: Sequence[Speeds], transition: Floats) -> list[Flags]:
    """Return whether actuators move at the samples (n, m) of each recording.

    Parameters
    ----------
    recordings : sequence of Speeds
    transition : (m,) array
        Speeds from which Coulomb friction is in full effect (rad/s or m/s).
    """
    speeds = []
    for own in recordings:
        begin = np.flatnonzero(np.diff(own.periods, prepend=-1))
        count = np.diff(begin, append=len(own.time))[:, None]
        speeds.append(np.sqrt(np.add.reduceat(own.velocity**2, begin) / count))
    fastest = np.max([speed.max(axis=0) for speed in speeds], axis=0)
    slowest = np.maximum(REST_SHARE * fastest, REST_TRANSITION * transition)
    return [(v > slowest)[own.periods] for own, v in zip(recordings, speeds, strict=True)]


def fast_samples(recordings: Sequence[Speeds], transition: Floats) -> tuple[list[Flags], Floats]:
    """Return whether the direction of the friction is known at samples.

    The speed then exceeds the transition speed and a share of the RMS speed of the motion, for the
    time `reach` before and after. Parameters as for `moving_samples`.

    Returns
    -------
    fast : list of (n, m) array of bool
        For each recording.
    share : (m,) array
        Of the fast samples among those at which the actuator moves.
    """
    moves = moving_samples(recordings, transition)
    count = np.maximum(np.sum([own.sum(axis=0) for own in moves], axis=0), 1)
    pairs = list(zip(recordings, moves, strict=True))
    squares = np.sum([(own.velocity**2 * moved).sum(axis=0) for own, moved in pairs], axis=0)
    slowest = np.maximum(transition, SLOW * np.sqrt(squares / count))
    result = []
    for time, velocity, reach in recordings:
        fast = np.empty(velocity.shape, dtype=bool)
        for m, limit in enumerate(slowest.tolist()):
            slow = time[np.abs(velocity[:, m]) <= limit]
            begin = np.searchsorted(slow, time - reach, side="left")
            fast[:, m] = begin == np.searchsorted(slow, time + reach, side="right")
        result.append(fast)
    return result, np.sum([fast.sum(axis=0) for fast in result], axis=0) / count


def _solved(squares: Floats, right: Floats) -> Floats | None:
    """Return the solution of normal equations; None if they do not determine it."""
    size = np.sqrt(np.diagonal(squares))
    if not (size > 0.0).all():
        return None
    normalised = squares / np.outer(size, size)
    if not np.linalg.cond(normalised) <= WORST_CONDITION**2:
        return None
    result: Floats = np.linalg.solve(normalised, right / size) / size
    return result


def _columns(velocity: Floats, transition: float) -> Floats:
    sign = direction(velocity, transition)
    return np.column_stack((velocity, sign, np.ones_like(velocity)))
