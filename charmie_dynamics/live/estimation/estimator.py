# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The newest values of all actuators, their estimated rates, missing and stale inputs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import OutOfReachError
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import coordinate_limits
from charmie_dynamics.numerics.vectors import Floats

from . import trackers
from .contradictions import (
    STRETCH_ANGLE,
    describe_outside,
    describe_rate,
    may_judge,
    start_judgement,
    stretches,
)
from .differentiator import Differentiator
from .entries import driven_coordinates, measured_joints
from .records import INPUT, NEVER, PROGRESS, SETTINGS, Records
from .settling import ON_POSITIONS, ON_VELOCITIES, settling_time

# a rate of so many times the rated one is impossible; real joints exceed theirs by a little
IMPOSSIBLE = 10.0
# rad/s or m/s: bound for joints without a rated velocity
IMPOSSIBLE_UNRATED = 1e5
# fraction of the range by which a value may exceed its limits before it counts as outside: an
# actuator at an end stop is measured on either side; joint limits in a URDF are more often meant
# for planning than measured
LENGTH_SLACK = 0.01
JOINT_SLACK = 1.0
# ns: contradictory velocities are reported this long after the motion that showed them
LASTING = 10_000_000_000
# late samples of one actuator in a row that mean a jump back in time
LATE_BEFORE_JUMP = 2
# s: difference in time of a length and a joint value of one actuator that are compared
TIME_SLACK = 0.05


class Findings(NamedTuple):
    """How many values of which actuators were wrong, and how, since the last report."""

    absent: dict[str, int]  # no finite position
    outside: dict[str, int]  # position outside the limits
    impossible: dict[str, int]  # velocity, or step of the position, too fast by far
    outside_values: dict[str, str]  # the newest position outside the limits, with advice


class Settling(NamedTuple):
    """Progress of the estimates since their start.

    Attributes
    ----------
    left : dict of str to float
        Actuators whose estimates still settled at the newest cycle, and for how long (s).
    begun : int or None
        Stamp of the sample with which the youngest estimate began (ns); None without an estimate.
    started, restarted : dict of str to int
        Actuators whose estimates started or restarted since the last report, and how often.
    """

    left: dict[str, float]
    begun: int | None
    started: dict[str, int]
    restarted: dict[str, int]


class Counters(NamedTuple):
    """Counts of samples since the start."""

    accepted: int
    late: int
    jumps_back: int
    absent_entries: int


class Estimator:
    """The newest sample of each actuator, and the estimates from its earlier samples.

    `live.step` passes the samples to it.

    Parameters
    ----------
    model : Model
    timeout : float
        Age (s, of arrival) from which a value is stale.
    cutoff : float
        Of the velocity and acceleration estimates (Hz).
    require_base_joints : bool
        False: base joints that no message has reported are at zero.
    estimate_acceleration : bool
        False: accelerations are zero.
    dynamics : bool
        False: cycles compute the kinematics only.

    Attributes
    ----------
    unknown_names : list of str
        Beginnings of the first names in samples that the model does not have.
    records : tuple of array
        (1,) of SETTINGS, (1,) of PROGRESS, (n,) of TRACKER and of INPUT.
    progress : numpy.void
        The record of PROGRESS.
    """

    def __init__(
        self,
        model: Model,
        *,
        timeout: float,
        cutoff: float,
        require_base_joints: bool,
        estimate_acceleration: bool,
        dynamics: bool,
    ) -> None:
        self.unknown_names: list[str] = []
        self.timeout = float(timeout)
        self._model = model
        self._names = model.velocity_names
        # description and stamp (ns), by actuator
        self._contradictions: dict[str, tuple[str, int]] = {}
        self._actuators = model.actuator_index
        count = len(self._names)
        self._signals = Differentiator(count, cutoff, timeout)
        settings = np.zeros(1, dtype=SETTINGS)
        settings["timeout"], settings["gap"] = self.timeout, self._signals.gap
        settings["omega"] = self._signals.omega
        settings["with_acceleration"], settings["with_dynamics"] = estimate_acceleration, dynamics
        settings["settling_on_positions"] = settling_time(cutoff, ON_POSITIONS)
        settings["settling_on_velocities"] = settling_time(cutoff, ON_VELOCITIES)
        self._has_begun = np.zeros(count, dtype=bool)
        self._inputs = np.zeros(count, dtype=INPUT)
        progress = np.zeros(1, dtype=PROGRESS)
        self.progress: Any = progress[0]
        self.records: tuple[Records, Records, Records, Records] = (
            settings,
            progress,
            self._signals.trackers,
            self._inputs,
        )
        optional = () if require_base_joints else model.mechanisms.base_joints
        measurable = measured_joints(model)
        self._inputs["optional"] = [
            i not in measurable or name.partition("/")[0] in optional
            for i, name in enumerate(model.joint_names)
        ]
        self._set_bounds(model)
        self.reset()

    def reset(self) -> None:
        """Forget all samples, as after a jump of time.

        A base joint that was reported once is not at zero until it is reported again: its
        publisher may start a little later than the others.
        """
        progress = self.progress
        progress["newest"] = progress["waiting"] = NEVER
        progress["oldest"] = -math.inf
        progress["has_efforts"] = 0
        self._signals.reset()
        self._inputs["arrival"] = -np.inf
        self._inputs["length_arrival"] = -np.inf
        self._inputs["late"] = 0
        self._inputs["effort"] = self._inputs["outranked"] = np.nan

    def missing(self, now: float) -> list[str]:
        """Return the actuators without a value younger than the timeout at steady time `now`."""
        if now - self.progress["oldest"] <= self.timeout:
            return []
        needed = self._inputs["optional"] == 0
        fresh = now - self._inputs["arrival"] <= self.timeout
        return [self._names[i] for i in np.flatnonzero(needed & ~fresh)]

    def age(self, now: float) -> float:
        """Return the age (s) of the oldest value that is in use; infinite before all are there."""
        needed = self._inputs["optional"] == 0
        return float(np.max(now - self._inputs["arrival"][needed], initial=0.0))

    def efforts(self) -> Floats | None:
        """Return the efforts (a,) in the newest samples, NaN without one; None if none came."""
        return self._inputs["effort"][self._actuators] if self.progress["has_efforts"] else None

    @property
    def counters(self) -> Counters:
        """Counts of samples since the start."""
        fields = ("accepted", "late", "jumps_back", "absent")
        return Counters(*(int(self.progress[name]) for name in fields))

    def take_findings(self) -> Findings:
        """Return the faults of the values received since the last call."""
        fields = (
            (self._inputs, "absent"),
            (self._inputs, "outside"),
            (self._signals.trackers, "impossible"),
        )
        found = []
        inputs = self._inputs
        limits, is_angle = coordinate_limits(self._model), stretches(self._model) == STRETCH_ANGLE
        values = {
            self._names[i]: describe_outside(
                float(inputs["outside_value"][i]),
                limits[i].lower,
                limits[i].upper,
                is_angle=bool(is_angle[i]),
            )
            for i in np.flatnonzero(inputs["outside"])
        }
        for records, name in fields:
            counts = records[name]
            rows = np.flatnonzero(counts)
            found.append({self._names[i]: int(counts[i]) for i in rows})
            counts[:] = 0
        return Findings(found[0], found[1], found[2], values)

    def take_contradictions(self) -> dict[str, str]:
        """Return how measured values of each actuator contradict each other, with advice.

        Velocities are judged as soon as enough motion was seen. A verdict is returned until the
        next one, at most for `LASTING`.
        """
        records = self._signals.trackers
        for i in np.flatnonzero(may_judge(records)):
            text = describe_rate(records[i])
            self._contradictions.pop(self._names[i], None)
            if text is not None:
                self._contradictions[self._names[i]] = text, int(records["stamp"][i])
            start_judgement(records[i : i + 1])
        newest = int(records["stamp"].max(initial=0))
        found = {
            name: text
            for name, (text, stamp) in self._contradictions.items()
            if newest - stamp < LASTING
        }
        inputs = self._inputs
        for i in np.flatnonzero(np.isfinite(inputs["outranked"])):
            text = self._describe_outranked(int(i))
            if text is not None:
                found[self._names[i]] = "; ".join(filter(None, (found.get(self._names[i]), text)))
        inputs["outranked"] = np.nan
        return found

    def _describe_outranked(self, i: int) -> str | None:
        """Return how a joint value contradicts the length that outranks it; None if it agrees."""
        tracker, value = self._signals.trackers[i], float(self._inputs["outranked"][i])
        if tracker["source"] == trackers.NOTHING:
            return None
        joint = self._model.joint_names[i]
        try:
            expected = self._model.actuator_from_joint(joint, value)[0]
        except OutOfReachError as error:
            return f"length is used, {error}"
        late = (int(self._inputs["outranked_stamp"][i]) - int(tracker["stamp"])) * 1e-9
        reach = trackers.HORIZON * float(tracker["period"])
        speed = float(tracker["velocity"])
        length = float(tracker["position"]) + min(max(late, -reach), reach) * speed
        limit = coordinate_limits(self._model)[i]
        width = limit.upper - limit.lower
        slack = LENGTH_SLACK * (width if np.isfinite(width) else 1.0) + TIME_SLACK * abs(speed)
        if abs(length - expected) <= slack:
            return None
        return (
            f"length {length:.4g} m is used, joint '{joint}' at {value:.4g} needs {expected:.4g} m"
        )

    def take_settling(self) -> Settling:
        """Return the progress of the estimates, and the starts since the last call."""
        records, names = self._signals.trackers, self._names
        known = records["source"] != trackers.NOTHING
        begun = int(records["begun"][known].max()) if known.any() else None
        settling = records["settling"]
        left = {names[i]: float(settling[i]) for i in np.flatnonzero(settling)}
        first: dict[str, int] = {}
        again: dict[str, int] = {}
        for i in np.flatnonzero(records["starts"]):
            found = again if self._has_begun[i] else first
            found[names[i]] = int(records["starts"][i])
        self._has_begun |= records["starts"] > 0
        records["starts"] = 0
        return Settling(left, begun, first, again)

    @property
    def settling_times(self) -> tuple[float, float]:
        """How long estimates settle after a start (s): on positions, on measured velocities."""
        settings = self.records[0][0]
        return float(settings["settling_on_positions"]), float(settings["settling_on_velocities"])

    def velocity_sources(self) -> dict[str, list[str]]:
        """Return the actuators by the source of their velocity."""
        source = self._signals.source
        kinds = {
            "measured": source == trackers.VELOCITY,
            "estimated": source == trackers.POSITION,
            "unknown, taken as zero": (source == trackers.NOTHING)
            | (source == trackers.POSITION_ONCE),
        }
        return {
            kind: [self._names[i] for i in np.flatnonzero(is_so)] for kind, is_so in kinds.items()
        }

    def note_late(self, entries: Records, stamp: int, lag: int, *, is_trigger: bool) -> bool:
        """Note a late sample, and discard newer values if time has jumped back.

        Slightly out of order is disorder: dropped. Two such samples of an actuator in a row, or
        one that is older by more than the timeout, mean that time has jumped back. Actuators are
        counted and dropped one by one: of two publishers that share some joints, one may always
        be behind with those, and its others must not suffer from it.

        Parameters
        ----------
        entries : (k,) array of ENTRY
            Of the sample, as `kernels.admit` left them.
        stamp : int
            Of the sample (ns).
        lag : int
            How much older than the newest of its actuators it is (ns).
        is_trigger : bool
            Whether samples of its topic trigger cycles.

        Returns
        -------
        bool
            Whether late entries are to be left out; False: nothing is late any more.
        """
        signals, progress = self._signals, self.progress
        if lag * 1e-9 > self.timeout:
            self.reset()
            progress["jumps_back"] += 1
            return False
        coordinates = entries["coordinate"]
        usable = ~np.isnan(entries["position"])
        known = signals.source[coordinates] != trackers.NOTHING
        behind = coordinates[usable & known & (signals.stamp[coordinates] > stamp)]
        late = self._inputs["late"]
        late[behind] += 1
        if late[behind].max() < LATE_BEFORE_JUMP:
            progress["late"] += 1
            return True
        signals.forget(behind)
        progress["jumps_back"] += 1
        progress["newest"] = NEVER
        # lengths may be the last to follow a small jump: the joints wait for them
        if is_trigger:
            progress["waiting"] = NEVER
        return False

    def _set_bounds(self, model: Model) -> None:
        """Set the limits of positions and rates, and the length of compared stretches."""
        self._signals.trackers["stretch"] = stretches(model)
        for i, limit in enumerate(coordinate_limits(model)):
            self._inputs[i]["lower"], self._inputs[i]["upper"] = slack_limits(model, i)
            rated = 0.0 < limit.velocity < np.inf
            fastest = IMPOSSIBLE * limit.velocity if rated else IMPOSSIBLE_UNRATED
            self._signals.trackers[i]["fastest"] = fastest


def slack_limits(model: Model, i: int) -> tuple[float, float]:
    """Return the positions of a coordinate below and above which a value counts as outside."""
    limit = coordinate_limits(model)[i]
    width = limit.upper - limit.lower
    share = LENGTH_SLACK if i in driven_coordinates(model) else JOINT_SLACK
    slack = share * width if np.isfinite(width) else 0.0
    return limit.lower - slack, limit.upper + slack


def describe_missing(names: list[str], limit: int = 6) -> str | None:
    """Return a short list of names for a message, None where nothing is missing."""
    if not names:
        return None
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
