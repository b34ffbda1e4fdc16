"""What is done with every sample, on plain arrays, compiled.

A sample goes through `take_in`: `admit`, which only reads the records of its coordinates
(actuators), then `update` and `note_arrival`, which write them. What is rare (late samples, jumps
of time, names of what is missing) is left to `align.Aligner`.

All compiled functions of this folder stand in this one file, because the cache of compiled code
notices changes of a function's own file and of core/ only.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.jit import compiled
from ..core.linear_actuators import actuator_from_joint, on_branch
from ..core.vectors import Floats, Ints
from .records import Records

# sources of a coordinate's tracker
NOTHING = 0
POSITION_ONCE = 1
POSITION = 2
VELOCITY = 3

# a value is carried on at its own rate for this many of its sample periods, then held
HORIZON = 1.5
# s; a step is held against the way at the rate that cannot be in this time at least, because stamps
# may be closer together than the measurements were
SHORTEST_STEP = 0.01


class JointTypes(NamedTuple):
    """What of core.arrays.Tree the conversion of joint values reads."""

    joint_type: Ints


class Loops(NamedTuple):
    """What of core.arrays.LinearActuators it reads."""

    joint_body: Ints
    F: Floats
    G_zero: Floats
    along_zero: Floats
    across: Floats
    branch: Floats


@compiled
def admit(
    entries: Ints,
    index: Ints,
    given_position: Floats,
    given_velocity: Floats,
    stamp: int,
    arrival: float,
    timeout: float,
    are_lengths: bool,
    trackers: Records,
    inputs: Records,
    position: Floats,
    velocity: Floats,
) -> tuple[int, int, int]:
    """Pick the usable entries of a sample.

    Parameters
    ----------
    entries, index : (k,) array of int
        Which entries of the sample are used, and the coordinate of each.
    given_position, given_velocity : (m,) array
        The sample; velocities empty where none is known.
    stamp : int
        Of the sample (ns).
    arrival, timeout : float
        A length that came at most `timeout` before `arrival` outranks a joint value (s).
    are_lengths : bool
        Whether the sample holds lengths of linear actuators, else joint values.
    trackers, inputs : (n,) array of TRACKER, of INPUT
    position, velocity : (k,) array
        Output: NaN for a position that is absent or outranked, for a velocity that is unknown.

    Returns
    -------
    usable, absent : int
        How many positions may be used, and how many are not finite.
    lag : int
        How much older (ns) the sample is than the newest one of its usable coordinates; 0 where
        it is not.
    """
    usable = 0
    absent = 0
    lag = 0
    for k in range(index.shape[0]):
        entry = entries[k]
        i = index[k]
        position[k] = math.nan
        velocity[k] = math.nan
        p = given_position[entry]
        if not math.isfinite(p):
            absent += 1
            missed: Any = inputs[i]
            missed["absent"] += 1
            continue
        if not are_lengths and arrival - inputs[i]["length_arrival"] <= timeout:
            continue
        usable += 1
        position[k] = p
        if given_velocity.shape[0] > 0 and math.isfinite(given_velocity[entry]):
            velocity[k] = given_velocity[entry]
        tracker = trackers[i]
        if tracker["source"] != NOTHING:
            lag = max(lag, tracker["stamp"] - stamp)
    return usable, absent, lag


@compiled
def lengths_from_joints(
    driven: Ints,
    position: Floats,
    velocity: Floats,
    joint_type: Ints,
    joint_body: Ints,
    F: Floats,
    G_zero: Floats,
    along_zero: Floats,
    across: Floats,
    branch: Floats,
) -> int:
    """Turn usable values of joints that linear actuators move into those of the actuators.

    Parameters
    ----------
    driven : (d, 2) array of int
        Places of such joints in `position` and `velocity`, and the linear actuator of each.
    position, velocity : (k,) array
        Of `admit`; changed in place.
    joint_type, joint_body, F, G_zero, along_zero, across, branch : array
        The fields of JointTypes and Loops. As arrays they cost 0.5 us, as two named tuples 1.5 us,
        as the whole Tree and LinearActuators 4 us.

    Returns
    -------
    int
        Row of `driven` of the first joint beyond a dead centre of its loop, else -1.
    """
    types: Any = JointTypes(joint_type)
    loops: Any = Loops(joint_body, F, G_zero, along_zero, across, branch)
    for row in range(driven.shape[0]):
        k = driven[row, 0]
        actuator = driven[row, 1]
        q = position[k]
        if math.isnan(q):
            continue
        if not on_branch(types, loops, actuator, q):
            return row
        unknown = math.isnan(velocity[k])
        speed = 0.0 if unknown else velocity[k]
        length, rate, _ = actuator_from_joint(types, loops, actuator, q, speed, 0.0)
        position[k] = length
        velocity[k] = math.nan if unknown else rate
    return -1


@compiled
def note_arrival(
    entries: Ints,
    index: Ints,
    position: Floats,
    given_effort: Floats,
    arrival: float,
    are_lengths: bool,
    inputs: Records,
) -> None:
    """Note that the coordinates whose position is not NaN have come in order, and from where.

    Parameters
    ----------
    entries : (k,) array of int
        Which entries of the sample hold their efforts; -1: none.
    index : (k,) array of int
        Which coordinates.
    position : (k,) array
        Of `admit`.
    given_effort : (m,) array
        Of the sample; empty where none is known.
    arrival : float
        Time on the steady clock (s).
    are_lengths : bool
        Whether the sample holds lengths of linear actuators.
    inputs : (n,) array of INPUT
    """
    for k in range(index.shape[0]):
        if math.isnan(position[k]):
            continue
        i: Any = inputs[index[k]]
        i["late"] = 0
        i["optional"] = 0
        i["arrival"] = arrival
        i["effort"] = math.nan
        entry = entries[k]
        if given_effort.shape[0] > 0 and entry >= 0 and math.isfinite(given_effort[entry]):
            i["effort"] = given_effort[entry]
        if not i["lower"] <= position[k] <= i["upper"]:
            i["outside"] += 1
        if are_lengths:
            i["length_arrival"] = arrival


@compiled
def take_in(
    entries: Ints,
    index: Ints,
    driven: Ints,
    efforts: Ints,
    position: Floats,
    velocity: Floats,
    given_position: Floats,
    given_velocity: Floats,
    given_effort: Floats,
    stamp: int,
    arrival: float,
    timeout: float,
    are_lengths: bool,
    omega: float,
    gap: float,
    trackers: Records,
    inputs: Records,
    joint_type: Ints,
    joint_body: Ints,
    F: Floats,
    G_zero: Floats,
    along_zero: Floats,
    across: Floats,
    branch: Floats,
) -> tuple[int, int, int, int, float]:
    """Do all that is done with a sample: `admit`, `lengths_from_joints`, `update`, `note_arrival`.

    Nothing is taken in of a sample that is late, or with a joint beyond a dead centre. One call
    instead of four: 5.1 us a sample, was 6.9 us (Xeon).

    Returns
    -------
    usable, absent, lag : int
        Of `admit`.
    row : int
        Of `lengths_from_joints`.
    oldest : float
        When the oldest of all values came, but for optional ones (s).
    """
    usable, absent, lag = admit(
        entries,
        index,
        given_position,
        given_velocity,
        stamp,
        arrival,
        timeout,
        are_lengths,
        trackers,
        inputs,
        position,
        velocity,
    )
    row = lengths_from_joints(
        driven,
        position,
        velocity,
        joint_type,
        joint_body,
        F,
        G_zero,
        along_zero,
        across,
        branch,
    )
    if row < 0 and usable > 0 and lag <= 0:
        update(index, stamp, position, velocity, omega, gap, trackers)
        note_arrival(efforts, index, position, given_effort, arrival, are_lengths, inputs)
    oldest = arrival
    for i in range(inputs.shape[0]):
        if inputs[i]["optional"] != 1:
            oldest = min(oldest, inputs[i]["arrival"])
    return usable, absent, lag, row, oldest


@compiled
def mark_stale(now: float, timeout: float, inputs: Records, stale: npt.NDArray[np.bool_]) -> int:
    """Mark and count the coordinates without a value younger than the timeout (s) at `now` (s)."""
    count = 0
    for i in range(inputs.shape[0]):
        held = inputs[i]["optional"] == 1
        stale[i] = not held and not now - inputs[i]["arrival"] <= timeout
        count += stale[i]
    return count


@compiled
def carry(
    stamp: int,
    with_acceleration: bool,
    trackers: Records,
    carried: Floats,
) -> None:
    """Write position, velocity and acceleration (3, n) at one time (ns); zero if nothing is known.

    A value that was measured at another time is carried there by its velocity and acceleration,
    for at most `HORIZON` of its sample periods.
    """
    for i in range(trackers.shape[0]):
        tracker = trackers[i]
        for order in range(3):
            carried[order, i] = 0.0
        if tracker["source"] == NOTHING:
            continue
        reach = HORIZON * tracker["period"]
        dt = min(max((stamp - tracker["stamp"]) * 1e-9, -reach), reach)
        v = tracker["velocity"]
        a = tracker["acceleration"]
        carried[0, i] = tracker["position"] + dt * (v + 0.5 * dt * a)
        carried[1, i] = v + dt * a
        if with_acceleration:
            carried[2, i] = a


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
    """Take one sample into the trackers of its coordinates.

    A tracker starts anew at a step, a velocity or an estimate that cannot be, so that one such
    sample leaves no trace in the estimates from those after it.

    Parameters
    ----------
    index : (k,) array of int
        Which coordinates.
    stamp : int
        Time of the sample (ns).
    position, velocity : (k,) array
        Nothing is taken where the position is NaN; the velocity is estimated where it is NaN.
    omega : float
        Cutoff of the estimates (rad/s).
    gap : float
        A pause longer than this (s), or a step back, restarts a tracker.
    trackers : (n,) array of TRACKER
    """
    for k in range(index.shape[0]):
        p = position[k]
        v = velocity[k]
        if math.isnan(p):
            continue
        measured = not math.isnan(v)
        t: Any = trackers[index[k]]
        dt = (stamp - t["stamp"]) * 1e-9
        known = t["source"] != NOTHING
        step = p - t["position"]
        t["position"] = p
        if known and dt == 0.0:
            continue  # a repeated stamp holds no motion
        t["stamp"] = stamp
        fastest = t["fastest"]
        goes_on = known and 0.0 < dt <= gap
        impossible = measured and not abs(v) < fastest
        if goes_on and not abs(step) <= fastest * max(dt, SHORTEST_STEP):
            impossible = True
        # from an impossible velocity there is nothing to go on
        if impossible or not abs(t["velocity"]) < fastest:
            goes_on = False
        period = dt if goes_on else 0.0
        if goes_on and measured == (t["source"] == VELOCITY):
            theta = math.exp(-omega * dt)
            source = VELOCITY if measured else POSITION
            tracked_position = p
            tracked_velocity = 0.0
            tracked_acceleration = 0.0
            velocity_now = v
            if measured:
                tracked_velocity, tracked_acceleration = track_velocity(
                    t["tracked_velocity"], t["tracked_acceleration"], v, dt, theta
                )
            elif t["source"] == POSITION_ONCE:
                velocity_now = (p - t["tracked_position"]) / dt
            else:
                tracked_position, velocity_now, tracked_acceleration = track_position(
                    t["tracked_position"], t["velocity"], t["tracked_acceleration"], p, dt, theta
                )
            change = (1.0 - theta) * (tracked_acceleration - t["acceleration"])
            if abs(velocity_now) < fastest and math.isfinite(change):
                t["period"] = dt
                t["source"] = source
                t["tracked_position"] = tracked_position
                t["tracked_velocity"] = tracked_velocity
                t["tracked_acceleration"] = tracked_acceleration
                t["velocity"] = velocity_now
                t["acceleration"] += change
                continue
            impossible = True
            period = 0.0
        if impossible:
            t["impossible"] += 1
        t["period"] = period
        t["source"] = VELOCITY if measured else POSITION_ONCE
        t["tracked_position"] = p
        t["tracked_velocity"] = v if measured else 0.0
        t["tracked_acceleration"] = 0.0
        t["velocity"] = t["tracked_velocity"]
        t["acceleration"] = 0.0


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
