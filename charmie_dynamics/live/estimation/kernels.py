"""What is done with every sample, on plain arrays, compiled.

A sample goes through `advance`: `admit`, which only reads the records of its coordinates
(actuators), `accept`, which writes them, and the cycle. What is rare (late samples, jumps of time,
names of what is missing) is left to `align.Aligner`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import Cycle, LinearActuators, Robot, Tree
from charmie_dynamics.core.inverse.cycle import run_inputs, sizes_in
from charmie_dynamics.core.inverse.linear_actuators import actuator_from_joint, on_branch
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints

from .records import Records
from .trackers import NOTHING, carry, follow

# of `advance`, besides the statuses of `core.inverse.cycle.run_cycle`, which are not negative
NOT_RUN = -1
# newer than any stamp
NEVER = 2**63 - 1


@compiled
def admit(
    entries: Records,
    given_position: Floats,
    given_velocity: Floats,
    stamp: int,
    arrival: float,
    timeout: float,
    are_lengths: bool,
    trackers: Records,
    inputs: Records,
) -> tuple[int, int, int]:
    """Pick the usable entries of a sample.

    Parameters
    ----------
    entries : (k,) array of ENTRY
        Which are used; their positions and velocities are written, NaN for a position that is
        absent or outranked, and for a velocity that is unknown.
    given_position, given_velocity : (m,) array
        The sample; velocities empty where none is known.
    stamp : int
        Of the sample (ns).
    arrival, timeout : float
        A length that came at most `timeout` before `arrival` outranks a joint value (s).
    are_lengths : bool
        Whether the sample holds lengths of linear actuators, else joint values.
    trackers, inputs : (n,) array of TRACKER, of INPUT

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
    for k in range(entries.shape[0]):
        e: Any = entries[k]
        entry = e["entry"]
        i = e["coordinate"]
        e["position"] = math.nan
        e["velocity"] = math.nan
        p = given_position[entry]
        if not math.isfinite(p):
            absent += 1
            missed: Any = inputs[i]
            missed["absent"] += 1
            continue
        if not are_lengths and arrival - inputs[i]["length_arrival"] <= timeout:
            continue
        usable += 1
        e["position"] = p
        if given_velocity.shape[0] > 0 and math.isfinite(given_velocity[entry]):
            e["velocity"] = given_velocity[entry]
        tracker = trackers[i]
        if tracker["source"] != NOTHING:
            lag = max(lag, tracker["stamp"] - stamp)
    return usable, absent, lag


@compiled
def lengths_from_joints(tree: Tree, actuators: LinearActuators, entries: Records) -> int:
    """Turn usable values of joints that linear actuators move into those of the actuators.

    Parameters
    ----------
    tree, actuators : Tree, LinearActuators
    entries : (k,) array of ENTRY
        Of `admit`; changed in place.

    Returns
    -------
    int
        The first entry whose joint is beyond a dead centre of its loop, else -1.
    """
    for k in range(entries.shape[0]):
        e: Any = entries[k]
        actuator = e["actuator"]
        q = e["position"]
        if actuator < 0 or math.isnan(q):
            continue
        if not on_branch(tree, actuators, actuator, q):
            return k
        unknown = math.isnan(e["velocity"])
        speed = 0.0 if unknown else e["velocity"]
        length, rate, _ = actuator_from_joint(tree, actuators, actuator, q, speed, 0.0)
        e["position"] = length
        e["velocity"] = math.nan if unknown else rate
    return -1


@compiled
def accept(
    entries: Records,
    given_effort: Floats,
    stamp: int,
    arrival: float,
    are_lengths: bool,
    omega: float,
    gap: float,
    trackers: Records,
    inputs: Records,
) -> None:
    """Take the entries whose position is not NaN into the records of their coordinates.

    Parameters
    ----------
    entries : (k,) array of ENTRY
        Of `admit`. The effort of a joint that a linear actuator moves is not the actuator's force.
    given_effort : (m,) array
        Of the sample; empty where none is known.
    stamp : int
        Of the sample (ns).
    arrival : float
        Time on the steady clock (s).
    are_lengths : bool
        Whether the sample holds lengths of linear actuators.
    omega, gap : float
        Of `trackers.follow`.
    trackers, inputs : (n,) array of TRACKER, of INPUT
    """
    for k in range(entries.shape[0]):
        e = entries[k]
        position = e["position"]
        if math.isnan(position):
            continue
        follow(trackers, e["coordinate"], stamp, position, e["velocity"], omega, gap)
        i: Any = inputs[e["coordinate"]]
        i["late"] = 0
        i["optional"] = 0
        i["arrival"] = arrival
        i["effort"] = math.nan
        entry = e["entry"]
        if given_effort.shape[0] > 0 and e["actuator"] < 0 and math.isfinite(given_effort[entry]):
            i["effort"] = given_effort[entry]
        if not i["lower"] <= position <= i["upper"]:
            i["outside"] += 1
        if are_lengths:
            i["length_arrival"] = arrival


@compiled
def advance(
    ints: Ints,
    floats: Floats,
    entries: Records,
    trackers: Records,
    inputs: Records,
    given_position: Floats,
    given_velocity: Floats,
    given_effort: Floats,
    stamp: int,
    arrival: float,
    are_lengths: bool,
    newest: int,
    now: float,
    timeout: float,
    omega: float,
    gap: float,
    with_acceleration: bool,
    with_dynamics: bool,
    block: Floats,
) -> tuple[int, int, int, int, float, int]:
    """Take a sample in and run the cycle that it sets off, if nothing is unusual.

    Nothing is taken in of a sample that is late, or with a joint beyond a dead centre. One call
    with few arrays, because all that is touched costs a node that has slept a look into memory:
    with five calls, and the Python between them, the same took twice as long, 42 us instead of
    19 us (Xeon).

    Parameters
    ----------
    ints, floats : array
        Blocks of a `Robot`.
    entries, given_position, given_velocity, given_effort, stamp, arrival, timeout, are_lengths
        Of `admit` and `accept`, as are `trackers`, `inputs`, `omega` and `gap`.
    newest : int
        The cycle is run at the stamp of a sample that is newer than this (ns).
    now : float
        The cycle is run if all values that are needed came at most `timeout` before (s).
    with_acceleration : bool
        False: accelerations are zero.
    with_dynamics : bool
        False: kinematics only.
    block : (c,) array
        Output: the floats of a `Cycle`.

    Returns
    -------
    usable, absent, lag : int
        Of `admit`.
    beyond : int
        Of `lengths_from_joints`.
    oldest : float
        When the oldest of all values came, but for optional ones (s).
    status : int
        Of the cycle, as of `core.inverse.cycle.run_cycle`; NOT_RUN.
    """
    sizes = sizes_in(ints)
    robot: Any = lay_out(Robot, ints, floats, sizes)
    usable, absent, lag = admit(
        entries,
        given_position,
        given_velocity,
        stamp,
        arrival,
        timeout,
        are_lengths,
        trackers,
        inputs,
    )
    beyond = lengths_from_joints(robot.tree, robot.mechanisms.actuators, entries)
    is_in_order = beyond < 0 and usable > 0 and lag <= 0
    if is_in_order:
        accept(entries, given_effort, stamp, arrival, are_lengths, omega, gap, trackers, inputs)
    oldest = arrival
    for i in range(inputs.shape[0]):
        if inputs[i]["optional"] != 1:
            oldest = min(oldest, inputs[i]["arrival"])
    status = NOT_RUN
    if is_in_order and stamp > newest and now - oldest <= timeout:
        cycle: Any = lay_out(Cycle, ints, block, sizes)
        given = cycle.inputs
        carry(
            stamp, with_acceleration, trackers, given.position, given.velocity, given.acceleration
        )
        status = run_inputs(robot, cycle, with_dynamics)
    return usable, absent, lag, beyond, oldest, status


@compiled
def mark_stale(now: float, timeout: float, inputs: Records, stale: npt.NDArray[np.bool_]) -> int:
    """Mark and count the coordinates without a value younger than the timeout (s) at `now` (s)."""
    count = 0
    for i in range(inputs.shape[0]):
        held = inputs[i]["optional"] == 1
        stale[i] = not held and not now - inputs[i]["arrival"] <= timeout
        count += stale[i]
    return count
