# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compiled parts of the estimator: entries of a sample into the records of their actuators.

`admit` picks the usable entries of a sample and only reads the records; `lengths_from_joints` turns
joint values into lengths; `accept` writes the records. `live.step` calls them in this order.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.core.arrays import LinearActuators, Tree
from charmie_dynamics.core.inverse.linear_actuators import actuator_from_joint, on_branch
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats

from .records import Records
from .trackers import NOTHING, follow


@compiled
def admit(
    entries: Records,
    given_position: Floats,
    given_velocity: Floats,
    when: tuple[int, float, float],
    drop_late: bool,
    trackers: Records,
    inputs: Records,
) -> tuple[int, int]:
    """Pick the usable entries of a sample.

    Parameters
    ----------
    entries : (k,) array of ENTRY
        Which are used, lengths first; their positions and velocities are written, NaN for a
        position that is absent or outranked, and for a velocity that is unknown.
    given_position, given_velocity : (m,) array
        The sample; velocities empty where none is known.
    when : tuple
        Stamp of the sample (ns), its arrival (s), and the timeout (s): a length in the same sample,
        or one that arrived at most that much earlier, takes precedence over a joint value.
    drop_late : bool
        Whether entries that are older than the newest of their actuators are left out.
    trackers, inputs : (n,) array of TRACKER, of INPUT

    Returns
    -------
    usable : int
        How many positions may be used.
    lag : int
        How much older (ns) the sample is than the newest one of its usable actuators; 0 where it
        is not.
    """
    stamp, arrival, timeout = when
    usable = 0
    lag = 0
    for k in range(entries.shape[0]):
        e: Any = entries[k]
        entry = e["entry"]
        i = e["coordinate"]
        e["position"] = math.nan
        e["velocity"] = math.nan
        e["outranked"] = math.nan
        p = given_position[entry]
        if not math.isfinite(p):
            continue
        if e["is_length"] == 0:
            twin = e["length_entry"]
            is_outranked = twin >= 0 and not math.isnan(entries[twin]["position"])
            if is_outranked or arrival - inputs[i]["length_arrival"] <= timeout:
                e["outranked"] = p
                continue
        tracker = trackers[i]
        if tracker["source"] != NOTHING and tracker["stamp"] > stamp:
            lag = max(lag, tracker["stamp"] - stamp)
            if drop_late:
                continue
        usable += 1
        e["position"] = p
        if given_velocity.shape[0] > 0 and math.isfinite(given_velocity[entry]):
            e["velocity"] = given_velocity[entry]
    return usable, lag


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
    given_position: Floats,
    given_effort: Floats,
    when: tuple[int, float],
    settings: Records,
    trackers: Records,
    inputs: Records,
) -> int:
    """Take the entries whose position is not NaN into the records of their actuators.

    Parameters
    ----------
    entries : (k,) array of ENTRY
        Of `admit`. The effort of a joint that a linear actuator moves is not the actuator's force.
    given_position : (m,) array
        Of the sample.
    given_effort : (m,) array
        Of the sample; empty where none is known.
    when : tuple
        Stamp of the sample (ns), and its arrival on the steady clock (s).
    settings : (1,) array of SETTINGS
    trackers, inputs : (n,) array of TRACKER, of INPUT

    Returns
    -------
    int
        How many entries of the sample are not finite.
    """
    stamp, arrival = when
    omega = settings[0]["omega"]
    gap = settings[0]["gap"]
    absent = 0
    for k in range(entries.shape[0]):
        e = entries[k]
        entry = e["entry"]
        position = e["position"]
        i: Any = inputs[e["coordinate"]]
        if not math.isfinite(given_position[entry]):
            i["absent"] += 1
            absent += 1
        if math.isnan(position):
            if not math.isnan(e["outranked"]):
                i["outranked"] = e["outranked"]
                i["outranked_stamp"] = stamp
            continue
        follow(trackers, e["coordinate"], stamp, position, e["velocity"], omega, gap)
        i["late"] = 0
        i["optional"] = 0
        i["arrival"] = arrival
        i["effort"] = math.nan
        if given_effort.shape[0] > 0 and e["actuator"] < 0 and math.isfinite(given_effort[entry]):
            i["effort"] = given_effort[entry]
        if not i["lower"] <= position <= i["upper"]:
            i["outside"] += 1
            i["outside_value"] = position
        if e["is_length"] == 1:
            i["length_arrival"] = arrival
    return absent
