# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tracker of one coordinate: update by a sample, and extrapolation to another time."""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints

from .records import Records

# sources of a coordinate's estimates
NOTHING = 0  # no sample
POSITION_ONCE = 1  # one position: no velocity yet
POSITION = 2
VELOCITY = 3

# a value is extrapolated at its rate for this many of its sample periods, then held
HORIZON = 1.5
# s; a step is compared with the distance at the impossible rate in at least this time, because
# stamps may be closer together than the measurements
SHORTEST_STEP = 0.01
# s; a stretch of motion that takes longer is not compared: the offset of a velocity grows with time
LONGEST_STRETCH = 5.0
# integral of the velocity in units of the motion: from here to there the two agree
AGREE_FROM, AGREE_TO = 0.5, 2.0


@compiled
def update(
    index: Ints,
    stamp: int,
    position: Floats,
    velocity: Floats,
    omega: float,
    gap: float,
    trackers: Records,
) -> None:
    """Take one sample into the trackers of its coordinates, see `follow`.

    Parameters
    ----------
    index : (k,) array of int
        Indices of the coordinates.
    stamp : int
        Time of the sample (ns).
    position, velocity : (k,) array
        Nothing is taken where the position is NaN; the velocity is estimated where it is NaN.
    omega, gap : float
        Of `follow`.
    trackers : (n,) array of TRACKER
    """
    for k in range(index.shape[0]):
        if not math.isnan(position[k]):
            follow(trackers, index[k], stamp, position[k], velocity[k], omega, gap)


@compiled
def follow(
    trackers: Records, i: int, stamp: int, p: float, v: float, omega: float, gap: float
) -> None:
    """Take one value into a tracker.

    It restarts at an impossible step, velocity or estimate, so that one such sample does not affect
    the estimates from later samples.

    Parameters
    ----------
    trackers : (n,) array of TRACKER
    i : int
        Index of the tracker.
    stamp : int
        Time of the sample (ns).
    p, v : float
        Position and velocity; a velocity of NaN is estimated.
    omega : float
        Cutoff of the estimates (rad/s).
    gap : float
        A pause longer than this (s), or a step back, restarts the tracker.
    """
    t: Any = trackers[i]
    measured = not math.isnan(v)
    dt = (stamp - t["stamp"]) * SECONDS
    known = t["source"] != NOTHING
    step = p - t["position"]
    t["position"] = p
    if known and dt == 0.0:
        return  # a repeated stamp holds no motion
    t["stamp"] = stamp
    fastest = t["fastest"]
    is_continuous = known and 0.0 < dt <= gap
    if measured and is_continuous and t["source"] == VELOCITY:
        compare_rates(trackers, i, p, 0.5 * (t["velocity"] + v) * dt, dt)
    else:
        start_stretch(trackers, i, p)
    is_possible = not measured or abs(v) < fastest
    if is_continuous and not abs(step) <= fastest * max(dt, SHORTEST_STEP):
        is_possible = False
    # an impossible velocity cannot be continued
    is_continuous = is_continuous and is_possible and abs(t["velocity"]) < fastest
    if is_continuous and measured == (t["source"] == VELOCITY):
        if advance(trackers, i, p, v, dt, math.exp(-omega * dt)):
            return
        is_continuous = is_possible = False
    if not is_possible:
        t["impossible"] += 1
    restart(trackers, i, p, v, dt if is_continuous else 0.0)


@compiled
def advance(trackers: Records, i: int, p: float, v: float, dt: float, theta: float) -> bool:
    """Take the next value of a motion; return False, without effect, for impossible estimates.

    Parameters
    ----------
    trackers, i, p, v
        As for `follow`.
    dt : float
        Time since the previous value (s).
    theta : float
        Pole of the tracker.
    """
    t: Any = trackers[i]
    measured = not math.isnan(v)
    velocity = v
    tracked_position, tracked_velocity, tracked_acceleration = p, 0.0, 0.0
    if measured:
        tracked_velocity, tracked_acceleration = track_velocity(
            t["tracked_velocity"], t["tracked_acceleration"], v, dt, theta
        )
    elif t["source"] == POSITION_ONCE:
        velocity = (p - t["tracked_position"]) / dt
    else:
        tracked_position, velocity, tracked_acceleration = track_position(
            t["tracked_position"], t["velocity"], t["tracked_acceleration"], p, dt, theta
        )
    change = (1.0 - theta) * (tracked_acceleration - t["acceleration"])
    if not (abs(velocity) < t["fastest"] and math.isfinite(change)):
        return False
    t["source"] = VELOCITY if measured else POSITION
    t["period"] = dt
    t["samples"] += 1
    t["tracked_position"] = tracked_position
    t["tracked_velocity"] = tracked_velocity
    t["tracked_acceleration"] = tracked_acceleration
    t["velocity"] = velocity
    t["acceleration"] += change
    return True


@compiled
def restart(trackers: Records, i: int, p: float, v: float, period: float) -> None:
    """Begin the estimates of a tracker with one value, which has its stamp already.

    Parameters
    ----------
    trackers, i, p, v
        As for `follow`.
    period : float
        Time since the previous value (s); zero if the motion was interrupted.
    """
    t: Any = trackers[i]
    measured = not math.isnan(v)
    t["begun"] = t["stamp"]
    t["samples"] = 1
    t["starts"] += 1
    t["period"] = period
    t["source"] = VELOCITY if measured else POSITION_ONCE
    t["tracked_position"] = p
    t["tracked_velocity"] = v if measured else 0.0
    t["tracked_acceleration"] = 0.0
    t["velocity"] = t["tracked_velocity"]
    t["acceleration"] = 0.0


@compiled
def compare_rates(trackers: Records, i: int, p: float, way: float, dt: float) -> None:
    """Compare the measured velocity with the motion over stretches of equal length.

    Stretches make the comparison independent of noise, quantisation and delays that are small
    against their length.

    Parameters
    ----------
    trackers : (n,) array of TRACKER
    i : int
        Index of the tracker.
    p : float
        Position in the new sample.
    way, dt : float
        Integral of the velocity since the sample before, and the time since then (s).
    """
    t: Any = trackers[i]
    t["stretch_way"] += way
    t["stretch_time"] += dt
    moved = p - t["stretch_start"]
    is_complete = abs(moved) >= t["stretch"]
    if not is_complete and t["stretch_time"] <= LONGEST_STRETCH:
        return
    if is_complete:
        t["stretches"] += 1
        share = t["stretch_way"] / moved
        if AGREE_FROM <= share <= AGREE_TO:
            t["stretches_agree"] += 1
        t["stretches_square"] += moved * moved
        t["stretches_product"] += moved * t["stretch_way"]
    start_stretch(trackers, i, p)


@compiled
def start_stretch(trackers: Records, i: int, p: float) -> None:
    """Begin a stretch of motion at a position."""
    t: Any = trackers[i]
    t["stretch_start"] = p
    t["stretch_way"] = t["stretch_time"] = 0.0


@compiled
def compare_track(
    stamps: Ints, position: Floats, velocity: Floats, gap: float, trackers: Records
) -> None:
    """Compare the measured velocities (n,) of one coordinate with its motion, see `compare_rates`.

    Parameters
    ----------
    stamps : (n,) array of int
        ns, increasing.
    position, velocity : (n,) array
        Velocities are NaN where unknown.
    gap : float
        A pause longer than this (s) starts a new stretch.
    trackers : (1,) array of TRACKER
        Only the stretches are used.
    """
    for k in range(stamps.shape[0]):
        dt = (stamps[k] - stamps[k - 1]) * SECONDS if k > 0 else 0.0
        way = 0.5 * (velocity[k - 1] + velocity[k]) * dt if k > 0 else math.nan
        if math.isnan(way) or not 0.0 < dt <= gap:
            start_stretch(trackers, 0, position[k])
        else:
            compare_rates(trackers, 0, position[k], way, dt)


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


@compiled
def extrapolate(
    stamp: int,
    with_acceleration: bool,
    trackers: Records,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
) -> None:
    """Write the state of n coordinates at one time (ns); zero if nothing is known.

    A value measured at another time is extrapolated with its velocity and acceleration, for at most
    `HORIZON` of its sample periods.
    """
    for i in range(trackers.shape[0]):
        tracker = trackers[i]
        position[i] = 0.0
        velocity[i] = 0.0
        acceleration[i] = 0.0
        if tracker["source"] == NOTHING:
            continue
        reach = HORIZON * tracker["period"]
        dt = min(max((stamp - tracker["stamp"]) * SECONDS, -reach), reach)
        v = tracker["velocity"]
        a = tracker["acceleration"]
        position[i] = tracker["position"] + dt * (v + 0.5 * dt * a)
        velocity[i] = v + dt * a
        if with_acceleration:
            acceleration[i] = a
