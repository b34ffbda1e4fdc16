# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Records of the estimator: each actuator's newest value and estimates, settings, due cycles.

An array of records is one argument of a compiled function; its fields as arrays of their own would
be many, and each argument costs every call.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

TRACKER = np.dtype(
    [
        ("source", np.int64),  # of the estimates: NOTHING and so on, in trackers
        ("stamp", np.int64),  # of the newest sample (ns)
        ("period", np.float64),  # between the two newest samples (s), zero until there are two
        ("position", np.float64),  # newest measured
        ("velocity", np.float64),  # measured or estimated
        ("acceleration", np.float64),  # estimated
        ("tracked_position", np.float64),  # state of the tracker, before the last pole
        ("tracked_velocity", np.float64),
        ("tracked_acceleration", np.float64),
        ("fastest", np.float64),  # rates from here on cannot be
        ("impossible", np.int64),  # samples at such rates since the last report
        ("begun", np.int64),  # stamp of the sample with which the estimates began (ns)
        ("samples", np.int64),  # since then, that one included
        ("starts", np.int64),  # how often they have begun since the last report
        ("settling", np.float64),  # how long they still settled at the newest cycle (s)
        # measured velocities compared with positions, see `trackers.compare_rates`
        ("stretch", np.float64),  # length of the longest stretches of motion (rad or m)
        ("stretch_start", np.float64),  # position at the start of the present one
        ("stretch_way", np.float64),  # integral of the velocity since then
        ("stretch_time", np.float64),  # duration of the present one (s)
        ("stretch_samples", np.int64),  # in the present one
        ("stretches", np.int64),  # completed ones since the last report
        ("stretches_agree", np.int64),  # those whose integral agrees with the motion
        ("stretches_time", np.float64),  # their duration (s)
        ("stretches_square", np.float64),  # sum of squared motions
        ("stretches_product", np.float64),  # sum of motions times integrals
        ("stretches_way_square", np.float64),  # sum of squared integrals
        # noise of measured positions, see `trackers.note_noise`
        ("step", np.float64),  # change by the newest sample
        ("step_before", np.float64),  # change by the one before
        ("noise_square", np.float64),  # variance
        ("noise_samples", np.int64),  # from which it is estimated
        ("resolution", np.float64),  # smallest step, zero: none yet
    ]
)
INPUT = np.dtype(
    [
        ("arrival", np.float64),  # of the newest sample on a steady clock (s), -inf before any
        ("length_arrival", np.float64),  # of the newest length, -inf before any
        ("late", np.int64),  # late samples in a row
        ("optional", np.int64),  # 1: at zero, since no sample has ever reported it
        ("lower", np.float64),  # positions below or above are outside the limits
        ("upper", np.float64),
        ("outside", np.int64),  # such positions since the last report
        ("outside_value", np.float64),  # the newest of them
        ("absent", np.int64),  # positions that were not finite since the last report
        ("effort", np.float64),  # measured in the newest sample, NaN: not
        ("outranked", np.float64),  # newest joint value that a length outranked, NaN: none
        ("outranked_stamp", np.int64),  # of its sample (ns)
    ]
)
# the entries used of a message with certain names
ENTRY = np.dtype(
    [
        ("entry", np.int64),  # which of the message
        ("coordinate", np.int64),  # its destination
        ("actuator", np.int64),  # the linear actuator that moves this joint, -1: none, or a length
        ("is_length", np.int64),  # 1: length of a linear actuator
        ("length_entry", np.int64),  # row of the same actuator's length in the message, -1: none
        ("position", np.float64),  # of the newest message, NaN: not usable
        ("velocity", np.float64),  # of the newest message, NaN: unknown
        ("outranked", np.float64),  # joint value that a length outranks, NaN: none
    ]
)
SETTINGS = np.dtype(
    [
        ("timeout", np.float64),  # age of arrival from which a value is stale (s)
        ("omega", np.float64),  # cutoff of the estimates (rad/s)
        ("gap", np.float64),  # a pause longer than this restarts the estimates (s)
        ("with_acceleration", np.int64),  # 0: accelerations are zero
        ("with_dynamics", np.int64),  # 0: kinematics only
        ("settling_on_positions", np.float64),  # how long estimates settle after a start (s)
        ("settling_on_velocities", np.float64),
    ]
)
# progress of the cycles
PROGRESS = np.dtype(
    [
        ("newest", np.int64),  # stamp of the newest cycle (ns), NEVER before any
        ("waiting", np.int64),  # stamp of the newest sample that has no cycle yet (ns), or NEVER
        ("oldest", np.float64),  # arrival of the oldest value that is needed (s), or earlier
        ("accepted", np.int64),  # accepted samples since the start
        ("absent", np.int64),  # entries since the start that were not finite
        ("late", np.int64),  # samples since the start that were dropped, or a part of them
        ("jumps_back", np.int64),  # how often since the start time jumped back
        ("has_efforts", np.int64),  # 1: a sample has held measured efforts
    ]
)
NEVER = -(2**63)  # before any stamp
Records = npt.NDArray[np.void]
