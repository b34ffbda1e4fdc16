"""Bring joint samples and actuator lengths to one time, and know what is missing or stale."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JointSample
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from . import kernels, trackers
from .differentiate import Differentiator
from .layouts import Layouts
from .records import INPUT, Records

# a rate so many times the rated one cannot be; real joints surpass theirs by a little
IMPOSSIBLE = 10.0
# rad/s or m/s: nothing that has no rated velocity is as fast as this either
IMPOSSIBLE_UNRATED = 1e5
# share of the range by which a value may lie beyond its limits before it counts as outside: what
# rests at its end stop is measured on either side of it; joints have limits in their URDF that are
# meant for planning more often than they are measured
LENGTH_SLACK = 0.01
JOINT_SLACK = 1.0
# late samples of one actuator in a row that mean a jump back in time
LATE_BEFORE_JUMP = 2
UNKNOWN: Floats = np.empty(0)  # velocities or efforts of a sample that has none


class Aligned(NamedTuple):
    """All actuators at one time (rad or m, per s, per s^2)."""

    stamp: int
    position: Floats
    velocity: Floats
    acceleration: Floats


class Findings(NamedTuple):
    """How many values of which actuators were wrong, and how, since the last report."""

    absent: dict[str, int]  # no finite position
    outside: dict[str, int]  # position outside the limits
    impossible: dict[str, int]  # velocity, or step of the position, too fast by far


@dataclass
class Counters:
    """What happened to samples since the start."""

    accepted: int = 0
    late: int = 0
    jumps_back: int = 0
    absent_entries: int = 0
    unknown_names: list[str] = field(default_factory=list)


class Aligner:
    """The newest sample of each actuator, and all of them carried to one time.

    Parameters
    ----------
    model : Model
        Names, and the conversion of joints that linear actuators move.
    timeout : float
        Age (s, of arrival) from which a value is stale.
    cutoff : float
        Of the velocity and acceleration estimates (Hz).
    require_base_joints : bool
        False: base joints that nobody ever reported are at zero.
    estimate_acceleration : bool
        False: accelerations are zero.

    Attributes
    ----------
    counters : Counters
    resets : int
        How often everything was forgotten.
    settings : tuple
        Of `kernels.advance`, from `timeout` to `with_acceleration`.
    """

    def __init__(
        self,
        model: Model,
        *,
        timeout: float,
        cutoff: float,
        require_base_joints: bool,
        estimate_acceleration: bool,
    ) -> None:
        self.counters = Counters()
        self.resets = 0
        self.timeout = float(timeout)
        self._model = model
        self._estimate_acceleration = estimate_acceleration
        count = len(model.actuator_names)
        self._signals = Differentiator(count, cutoff, timeout)
        omega, gap = self._signals.omega, self._signals.gap
        self.settings = self.timeout, omega, gap, bool(estimate_acceleration)
        self._inputs = np.zeros(count, dtype=INPUT)
        self._stale = np.zeros(count, dtype=bool)
        self._layouts = Layouts(model, self.counters.unknown_names)
        self._driven = self._layouts.driven
        optional = () if require_base_joints else model.mechanisms.base_joints
        self._inputs["optional"] = [name in optional for name in model.joint_names]
        self._set_bounds()
        self.reset()

    @property
    def needs_lengths(self) -> bool:
        """Whether the model has linear actuators."""
        return bool(self._driven)

    def reset(self) -> None:
        """Forget all samples, as after a jump of time.

        A base joint that was reported once is not at zero until it is reported again: its
        publisher may come a little later than the others.
        """
        self.resets += 1
        self._oldest = -math.inf  # arrival of the oldest value that is needed, or earlier
        self._signals.reset()
        self._inputs["arrival"] = -np.inf
        self._inputs["length_arrival"] = -np.inf
        self._inputs["late"] = 0
        self._inputs["effort"] = np.nan
        self._has_efforts = False

    def add(self, topic: str, sample: JointSample, arrival: float) -> bool:
        """Take in a sample.

        Parameters
        ----------
        topic : {"joint_states", "actuator_lengths"}
            Joint states hold joints, also those which linear actuators move; lengths hold linear
            actuators. A length outranks a joint value until it is stale.
        sample : JointSample
        arrival : float
            Time of arrival on a steady clock (s).

        Returns
        -------
        bool
            Whether it held anything new: known names with finite positions that are not late.

        Raises
        ------
        OutOfReachError
            If a joint value lies beyond the dead centre of its actuator's loop. Nothing of the
            sample is taken in.
        """
        return self.advance(topic, sample, arrival, kernels.NEVER, arrival, self._model, True)[0]

    def advance(
        self,
        topic: str,
        sample: JointSample,
        arrival: float,
        newest: int,
        now: float,
        model: Model,
        dynamics: bool,
    ) -> tuple[bool, Floats | None]:
        """Take in a sample and run the cycle that it sets off, unless anything is unusual.

        Parameters
        ----------
        topic, sample, arrival
            As for `add`.
        newest : int
            Stamp of the newest cycle (ns); the sample must be newer.
        now : float
            Nothing that is needed may be stale at this steady time (s).
        model : Model
            The robot as it is loaded now.
        dynamics : bool
            False: kinematics only.

        Returns
        -------
        added : bool
            As of `add`.
        block : (k,) array or None
            All numbers of the cycle, where `Model.plan` says; None if none was run, or if it did
            not succeed: `at` gives its inputs.

        Raises
        ------
        OutOfReachError
            As `add`.
        """
        entries = self._layouts.of(topic, sample.names).entries
        are_lengths = topic == ACTUATOR_LENGTHS
        velocity, stamp = sample.velocity, sample.stamp
        effort = UNKNOWN if sample.effort is None else sample.effort
        signals, inputs, block = self._signals, self._inputs, np.empty(model.plan.size)
        ints, floats = model.blocks
        timeout, omega, gap, with_acceleration = self.settings
        usable, absent, lag, beyond, oldest, status = kernels.advance(
            ints,
            floats,
            entries,
            signals.trackers,
            inputs,
            sample.position,
            UNKNOWN if velocity is None else velocity,
            effort,
            stamp,
            arrival,
            are_lengths,
            newest,
            now,
            timeout,
            omega,
            gap,
            with_acceleration,
            dynamics,
            block,
        )
        self._oldest = oldest
        if absent or status != REACHED:  # else all is as usual
            self.counters.absent_entries += absent
            if beyond >= 0:
                self._refuse(entries[beyond])
            if not usable:
                return False, None
            if lag > 0:
                if not self._follow(entries, stamp, lag):
                    return False, None
                kernels.accept(
                    entries,
                    effort,
                    stamp,
                    arrival,
                    are_lengths,
                    omega,
                    gap,
                    signals.trackers,
                    inputs,
                )
        # a jump of time has made it earlier
        self.note_taken(self._oldest, sample.effort is not None)
        return True, block if status == REACHED else None

    def note_taken(self, oldest: float, has_efforts: bool) -> None:
        """Note that `kernels.advance` has taken in a sample."""
        self._oldest = oldest
        self._has_efforts |= has_efforts
        self.counters.accepted += 1

    def records(self, topic: str, names: tuple[str, ...]) -> tuple[Records, Records, Records]:
        """Return `entries`, `trackers` and `inputs` of `kernels.advance` for samples of names."""
        return self._layouts.of(topic, names).entries, self._signals.trackers, self._inputs

    def missing(self, now: float) -> list[str]:
        """Return the actuators without a value younger than the timeout at steady time `now`."""
        if now - self._oldest <= self.timeout:
            return []
        count = kernels.mark_stale(now, self.timeout, self._inputs, self._stale)
        if not count:
            return []
        return [self._model.actuator_names[i] for i in np.flatnonzero(self._stale)]

    def age(self, now: float) -> float:
        """Return the age (s) of the oldest value that is in use; infinite before all are there."""
        needed = self._inputs["optional"] == 0
        return float(np.max(now - self._inputs["arrival"][needed], initial=0.0))

    def at(self, stamp: int) -> Aligned:
        """Return all actuators at one time.

        Parameters
        ----------
        stamp : int
            Time (ns). A value that was measured at another time is carried there by its velocity
            and acceleration, for at most `trackers.HORIZON` of its sample periods.
        """
        carried = np.empty((3, len(self._inputs)))
        trackers.carry(stamp, self._estimate_acceleration, self._signals.trackers, *carried)
        return Aligned(stamp, carried[0], carried[1], carried[2])

    def efforts(self) -> Floats | None:
        """Return the efforts (q,) in the newest samples, NaN where none; None: nobody sends any."""
        # a copy takes 1 us, and its readers take more
        return self._inputs["effort"].copy() if self._has_efforts else None

    def take_findings(self) -> Findings:
        """Return what was wrong with the values that came since the last call."""
        fields = (
            (self._inputs, "absent"),
            (self._inputs, "outside"),
            (self._signals.trackers, "impossible"),
        )
        found = []
        for records, name in fields:
            counts = records[name]
            rows = np.flatnonzero(counts)
            found.append({self._model.actuator_names[i]: int(counts[i]) for i in rows})
            counts[:] = 0
        return Findings(*found)

    def velocity_sources(self) -> dict[str, list[str]]:
        """Return the actuators by what their velocity comes from."""
        source = self._signals.source
        kinds = {
            "measured": source == trackers.VELOCITY,
            "estimated": source == trackers.POSITION,
            "unknown, taken as zero": (source == trackers.NOTHING)
            | (source == trackers.POSITION_ONCE),
        }
        names = self._model.actuator_names
        return {kind: [names[i] for i in np.flatnonzero(is_so)] for kind, is_so in kinds.items()}

    def _set_bounds(self) -> None:
        """Set what positions and rates are held against."""
        for i, limit in enumerate(self._model.actuator_limits()):
            width = limit.upper - limit.lower
            share = LENGTH_SLACK if i in self._driven else JOINT_SLACK
            slack = share * width if np.isfinite(width) else 0.0
            self._inputs[i]["lower"] = limit.lower - slack
            self._inputs[i]["upper"] = limit.upper + slack
            rated = 0.0 < limit.velocity < np.inf
            fastest = IMPOSSIBLE * limit.velocity if rated else IMPOSSIBLE_UNRATED
            self._signals.trackers[i]["fastest"] = fastest

    def _refuse(self, entry: np.void) -> None:
        """Raise and say what is wrong with a joint value that is beyond a dead centre."""
        joint = self._model.mechanisms.linear_actuators[entry["actuator"]].joint
        self._model.actuator_from_joint(joint, float(entry["position"]))

    def _follow(self, entries: Records, stamp: int, lag: int) -> bool:
        """Drop what is late of a sample that is behind by `lag` ns, or forget what is newer.

        Slightly out of order is disorder: dropped. Two such samples of an actuator in a row, or
        one that is older by more than the timeout, mean that time has jumped back. Actuators are
        counted and dropped one by one: of two publishers that share some joints, one may always
        be behind with those, and its others must not suffer from it.

        Returns
        -------
        bool
            Whether anything is left to be taken in.
        """
        signals = self._signals
        if lag * 1e-9 > self.timeout:
            self.reset()
            self.counters.jumps_back += 1
            return True
        coordinates, position = entries["coordinate"], entries["position"]
        usable = ~np.isnan(position)
        known = signals.source[coordinates] != trackers.NOTHING
        behind = usable & known & (signals.stamp[coordinates] > stamp)
        coordinates = coordinates[behind]
        late = self._inputs["late"]
        late[coordinates] += 1
        if late[coordinates].max() >= LATE_BEFORE_JUMP:
            signals.forget(coordinates)
            self.counters.jumps_back += 1
            return True
        self.counters.late += 1
        position[behind] = np.nan
        return bool((usable & ~behind).any())


def describe_missing(names: list[str], limit: int = 6) -> str | None:
    """Return a short list of names for a message, None where nothing is missing."""
    if not names:
        return None
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
