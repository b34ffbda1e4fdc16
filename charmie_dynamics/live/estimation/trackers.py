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
# s; a motion that is slower than the longest stretch in this time is not compared, since the
# integral of a small offset of the velocity grows with time
LONGEST_STRETCH = 5.0
# least length of a stretch: in standard deviations of the noise, in smallest steps, and as a part
# of the longest one; and its least number of samples, because stamps may be irregular
NOISES, RESOLUTIONS, SHORTEST_STRETCH = 10.0, 5.0, 0.01
FEWEST_SAMPLES = 5
# samples from which the noise is estimated: at least, and those that an average is over
FEWEST_NOISE_SAMPLES, MOST_NOISE_SAMPLES = 20, 500
# a pause of so many sample periods and time constants of the filter leaves little of the estimates
# before it: they settle again
PAUSE_PERIODS, PAUSE_TIME_CONSTANTS = 3.5, 1.0
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
        compare_rates(trackers, i, p, step, 0.5 * (t["velocity"] + v) * dt, dt)
    else:
        interrupt_stretch(trackers, i, p)
    is_possible = not measured or abs(v) < fastest
    if is_continuous and not abs(step) <= fastest * max(dt, SHORTEST_STEP):
        is_possible = False
    # an impossible velocity cannot be continued
    is_continuous = is_continuous and is_possible and abs(t["velocity"]) < fastest
    if is_continuous and measured == (t["source"] == VELOCITY):
        is_pause = 0.0 < PAUSE_PERIODS * t["period"] < dt and omega * dt > PAUSE_TIME_CONSTANTS
        if advance(trackers, i, p, v, dt, math.exp(-omega * dt)):
            if is_pause:
                t["begun"], t["samples"] = stamp, 1
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
def compare_rates(trackers: Records, i: int, p: float, step: float, way: float, dt: float) -> None:
    """Compare the measured velocity with stretches of the motion.

    A stretch is long compared with noise and resolution of the position, and small delays matter
    little: a velocity whose phase is late by less than a quarter of a period agrees over a part of
    the stretches.

    Parameters
    ----------
    trackers : (n,) array of TRACKER
    i : int
        Index of the tracker.
    p, step : float
        Position in the new sample, and its change since the sample before.
    way, dt : float
        Integral of the velocity since the sample before, and the time since then (s).
    """
    t: Any = trackers[i]
    note_noise(trackers, i, step)
    t["stretch_way"] += way
    t["stretch_time"] += dt
    t["stretch_samples"] += 1
    moved = p - t["stretch_start"]
    if not (abs(moved) >= t["stretch"] or is_resolved(trackers, i, moved)):
        if t["stretch_time"] > LONGEST_STRETCH:
            start_stretch(trackers, i, p)
        return
    if abs(moved) * LONGEST_STRETCH >= t["stretch"] * t["stretch_time"]:
        t["stretches"] += 1
        if AGREE_FROM <= t["stretch_way"] / moved <= AGREE_TO:
            t["stretches_agree"] += 1
        t["stretches_time"] += t["stretch_time"]
        t["stretches_square"] += moved * moved
        t["stretches_product"] += moved * t["stretch_way"]
        t["stretches_way_square"] += t["stretch_way"] ** 2
    start_stretch(trackers, i, p)


@compiled
def note_noise(trackers: Records, i: int, step: float) -> None:
    """Estimate noise and resolution of the measured position of a tracker.

    The third difference of white noise has 20 times its variance, that of a motion is small.
    """
    t: Any = trackers[i]
    third = step - 2.0 * t["step"] + t["step_before"]
    t["step_before"], t["step"] = t["step"], step
    if not math.isnan(third):
        t["noise_samples"] = min(t["noise_samples"] + 1, MOST_NOISE_SAMPLES)
        t["noise_square"] += (third * third / 20.0 - t["noise_square"]) / t["noise_samples"]
    size = abs(step)
    if size > 0.0 and not 0.0 < t["resolution"] <= size:
        t["resolution"] = size


@compiled
def is_resolved(trackers: Records, i: int, moved: float) -> bool:
    """Return whether the motion of the present stretch is long enough to compare it."""
    t: Any = trackers[i]
    if t["stretch_samples"] < FEWEST_SAMPLES or t["noise_samples"] < FEWEST_NOISE_SAMPLES:
        return False
    least = max(NOISES * math.sqrt(t["noise_square"]), RESOLUTIONS * t["resolution"])
    return bool(abs(moved) >= max(least, SHORTEST_STRETCH * t["stretch"]))


@compiled
def start_stretch(trackers: Records, i: int, p: float) -> None:
    """Begin a stretch of motion at a position."""
    t: Any = trackers[i]
    t["stretch_start"] = p
    t["stretch_way"] = t["stretch_time"] = 0.0
    t["stretch_samples"] = 0


@compiled
def interrupt_stretch(trackers: Records, i: int, p: float) -> None:
    """Begin a stretch at a position that does not continue the motion before."""
    start_stretch(trackers, i, p)
    t: Any = trackers[i]
    t["step"] = t["step_before"] = math.nan


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
            interrupt_stretch(trackers, 0, position[k])
        else:
            compare_rates(trackers, 0, position[k], position[k] - position[k - 1], way, dt)


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
