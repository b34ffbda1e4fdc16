"""Causal estimates of velocity and acceleration from stamped samples.

Each coordinate is followed by a critically damped polynomial tracker with all poles at
exp(-2 pi f dt): of second order on velocities where they are measured, else of third order on
positions (the g-h and g-h-k filters of the fading-memory family). The acceleration passes one more
pole of the same cutoff: that nearly halves what encoder noise adds to the efforts
(``docs/validation.md``). Motion at constant velocity has exactly zero estimated acceleration, and
motion at constant acceleration no lasting error. `dt` is the time between the stamps, so that a
changing rate does no harm.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.jit import compiled
from ..core.vectors import Floats, Ints

# sources of a coordinate's tracker
NOTHING = 0
POSITION_ONCE = 1
POSITION = 2
VELOCITY = 3


class Differentiator:
    """Trackers of n coordinates.

    Parameters
    ----------
    count : int
        n.
    cutoff : float
        Cutoff frequency of the estimates (Hz).
    gap : float
        A pause longer than this (s) restarts the tracker of a coordinate.

    Attributes
    ----------
    stamp : (n,) array of int
        Time of the newest sample (ns).
    period : (n,) array
        Time between the two newest samples (s), zero until there are two.
    position, velocity, acceleration : (n,) array
        Newest measured position; measured or estimated velocity; estimated acceleration.
    """

    def __init__(self, count: int, cutoff: float, gap: float) -> None:
        self.cutoff = cutoff
        self.gap = gap
        self.source = np.zeros(count, dtype=np.int64)
        self.stamp = np.zeros(count, dtype=np.int64)
        self.period = np.zeros(count)
        self.position = np.zeros(count)
        self.velocity = np.zeros(count)
        self.acceleration = np.zeros(count)
        self._tracked = np.zeros((count, 3))  # position, velocity, acceleration of the trackers

    def reset(self) -> None:
        """Forget everything."""
        self.source[:] = NOTHING

    def forget(self, index: Ints) -> None:
        """Forget some coordinates."""
        self.source[index] = NOTHING

    def update(self, index: Ints, stamp: int, position: Floats, velocity: Floats) -> None:
        """Take in one sample of some coordinates.

        Parameters
        ----------
        index : (k,) array of int
            Which coordinates.
        stamp : int
            Time of the sample (ns), not before the coordinates' last.
        position : (k,) array
            Finite.
        velocity : (k,) array
            NaN where it is to be estimated.
        """
        _update(
            index,
            stamp,
            position,
            velocity,
            2.0 * math.pi * self.cutoff,
            self.gap,
            self.source,
            self.stamp,
            self.period,
            self.position,
            self.velocity,
            self.acceleration,
            self._tracked,
        )


@compiled
def _update(
    index: Ints,
    stamp: int,
    position: Floats,
    velocity: Floats,
    omega: float,
    gap: float,
    source: Ints,
    last_stamp: Ints,
    period: Floats,
    out_position: Floats,
    out_velocity: Floats,
    out_acceleration: Floats,
    tracked: Floats,
) -> None:
    for k in range(index.shape[0]):
        i = index[k]
        p = position[k]
        v = velocity[k]
        measured = not math.isnan(v)
        dt = (stamp - last_stamp[i]) * 1e-9
        out_position[i] = p
        if source[i] != NOTHING and dt == 0.0:
            continue  # a repeated stamp holds no motion
        last_stamp[i] = stamp
        restart = source[i] == NOTHING or not 0.0 < dt <= gap
        if restart or measured != (source[i] == VELOCITY):
            period[i] = 0.0 if restart else dt
            source[i] = VELOCITY if measured else POSITION_ONCE
            tracked[i, 0] = p
            tracked[i, 1] = v if measured else 0.0
            tracked[i, 2] = 0.0
            out_velocity[i] = tracked[i, 1]
            out_acceleration[i] = 0.0
            continue
        period[i] = dt
        theta = math.exp(-omega * dt)
        if measured:
            tracked[i, 1], tracked[i, 2] = track_velocity(
                tracked[i, 1], tracked[i, 2], v, dt, theta
            )
            out_velocity[i] = v
        elif source[i] == POSITION_ONCE:
            source[i] = POSITION
            out_velocity[i] = (p - tracked[i, 0]) / dt
            tracked[i, 0] = p
        else:
            tracked[i, 0], out_velocity[i], tracked[i, 2] = track_position(
                tracked[i, 0], out_velocity[i], tracked[i, 2], p, dt, theta
            )
        out_acceleration[i] += (1.0 - theta) * (tracked[i, 2] - out_acceleration[i])


@compiled
def track_velocity(
    v: float, a: float, measured: float, dt: float, theta: float
) -> tuple[float, float]:
    """Return velocity and acceleration of the second-order tracker after one measurement."""
    predicted = v + a * dt
    r = measured - predicted
    return predicted + (1.0 - theta * theta) * r, a + (1.0 - theta) ** 2 * r / dt


@compiled
def track_position(
    p: float, v: float, a: float, measured: float, dt: float, theta: float
) -> tuple[float, float, float]:
    """Return position, velocity, acceleration of the third-order tracker after a measurement."""
    predicted = p + v * dt + 0.5 * a * dt * dt
    r = measured - predicted
    d = 1.0 - theta
    return (
        predicted + (1.0 - theta**3) * r,
        v + a * dt + 1.5 * d * d * (1.0 + theta) * r / dt,
        a + d**3 * r / (dt * dt),
    )
