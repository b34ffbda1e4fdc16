"""Bring joint samples and actuator lengths to one time, and know what is missing or stale."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.vectors import Floats, Ints
from ..model.model import Model
from .differentiate import NOTHING, Differentiator
from .samples import JointSample

JOINT_STATES = "joint_states"
ACTUATOR_LENGTHS = "actuator_lengths"

# a value is carried on at its own rate for this many of its sample periods, then held
HORIZON = 1.5
# layouts (tuples of names) and unknown names that are remembered
REMEMBERED = 64


@dataclass
class Layout:
    """Where the entries of messages with certain names go."""

    entries: Ints  # which entries of the message are used
    coordinates: Ints  # where they go
    driven: list[tuple[int, str]]  # used entries that are joints of linear actuators


@dataclass(frozen=True)
class Aligned:
    """All actuators at one time (rad or m, per s, per s^2)."""

    stamp: int
    position: Floats
    velocity: Floats
    acceleration: Floats


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
        self.timeout = timeout
        self._model = model
        self._estimate_acceleration = estimate_acceleration
        count = len(model.actuator_names)
        self._signals = Differentiator(count, cutoff, timeout)
        self._arrival = np.full(count, -np.inf)
        self._length_arrival = np.full(count, -np.inf)
        self._layouts: dict[tuple[str, tuple[str, ...]], Layout] = {}
        driven = {actuator.joint for actuator in model.mechanisms.linear_actuators}
        self._driven = {i for i, name in enumerate(model.joint_names) if name in driven}
        self._late_in_a_row = {JOINT_STATES: 0, ACTUATOR_LENGTHS: 0}
        # these follow from others or never move: nobody needs to hear that they are not used
        self._silent = {j.name for j in model.tree.joints if j.mimic or j.type == "fixed"}
        optional = () if require_base_joints else model.mechanisms.base_joints
        self._optional = np.array([name in optional for name in model.joint_names], dtype=bool)

    @property
    def needs_lengths(self) -> bool:
        """Whether the model has linear actuators."""
        return bool(self._driven)

    def reset(self) -> None:
        """Forget all samples, as after a jump of time."""
        self._signals.reset()
        self._arrival[:] = -np.inf
        self._length_arrival[:] = -np.inf

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
            Whether it held anything new: known names, finite positions, not late.

        Raises
        ------
        OutOfReachError
            If a joint value lies beyond the dead centre of its actuator's loop. Nothing of the
            sample is taken in.
        """
        layout = self._layout(topic, sample.names)
        entries, coordinates = layout.entries, layout.coordinates
        position = sample.position[entries]
        finite = np.isfinite(position)
        usable = finite
        if topic == JOINT_STATES and layout.driven:
            outranked = arrival - self._length_arrival[coordinates] <= self.timeout
            usable = finite & ~outranked
        self.counters.absent_entries += int(finite.size - finite.sum())
        if sample.velocity is None:
            velocity = np.full(len(entries), np.nan)
        else:
            velocity = sample.velocity[entries]
            velocity[~np.isfinite(velocity)] = np.nan
        for k, joint in layout.driven:
            if usable[k]:
                speed = 0.0 if np.isnan(velocity[k]) else float(velocity[k])
                length, rate, _ = self._model.actuator_from_joint(joint, float(position[k]), speed)
                position[k] = length
                velocity[k] = np.nan if np.isnan(velocity[k]) else rate
        if not usable.all():
            coordinates = coordinates[usable]
            position, velocity = position[usable], velocity[usable]
        if not len(coordinates):
            return False
        if self._is_late(topic, coordinates, sample.stamp):
            return False
        self._signals.update(coordinates, sample.stamp, position, velocity)
        self._arrival[coordinates] = arrival
        if topic == ACTUATOR_LENGTHS:
            self._length_arrival[coordinates] = arrival
        self.counters.accepted += 1
        return True

    def missing(self, now: float) -> list[str]:
        """Return the actuators without a value younger than the timeout at steady time `now`."""
        held = self._optional & (self._signals.source == NOTHING)
        stale = ~held & ~(now - self._arrival <= self.timeout)
        return [self._model.actuator_names[i] for i in np.flatnonzero(stale)]

    def age(self, now: float) -> float:
        """Return the age (s) of the oldest value that is in use; infinite before all are there."""
        held = self._optional & (self._signals.source == NOTHING)
        return float(np.max(now - self._arrival[~held], initial=0.0))

    def at(self, stamp: int) -> Aligned:
        """Return all actuators at one time.

        Parameters
        ----------
        stamp : int
            Time (ns). A value that was measured at another time is carried there by its velocity
            and acceleration, for at most `HORIZON` of its sample periods.
        """
        signals = self._signals
        known = signals.source != NOTHING
        reach = HORIZON * signals.period
        dt = np.clip((stamp - signals.stamp) * 1e-9, -reach, reach)
        v, a = signals.velocity, signals.acceleration
        position = np.where(known, signals.position + dt * (v + 0.5 * dt * a), 0.0)
        velocity = np.where(known, v + dt * a, 0.0)
        if self._estimate_acceleration:
            acceleration = np.where(known, a, 0.0)
        else:
            acceleration = np.zeros(len(a))
        return Aligned(stamp, position, velocity, acceleration)

    def _is_late(self, topic: str, coordinates: Ints, stamp: int) -> bool:
        """Tell whether to drop a sample for its age, or forget what is newer.

        Slightly out of order is disorder: dropped. Two such samples in a row, or one that is
        older by more than the timeout, mean that time has jumped back.
        """
        known = self._signals.source[coordinates] != NOTHING
        lag = int(np.max(self._signals.stamp[coordinates][known] - stamp, initial=0))
        if lag == 0:
            self._late_in_a_row[topic] = 0
            return False
        if lag * 1e-9 > self.timeout:
            self.reset()
        else:
            self._late_in_a_row[topic] += 1
            if self._late_in_a_row[topic] < 2:
                self.counters.late += 1
                return True
            self._signals.forget(coordinates)
        self._late_in_a_row[topic] = 0
        self.counters.jumps_back += 1
        return False

    def _layout(self, topic: str, names: tuple[str, ...]) -> Layout:
        layout = self._layouts.get((topic, names))
        if layout is None:
            layout = self._make_layout(topic, names)
            if len(self._layouts) >= REMEMBERED:
                self._layouts.pop(next(iter(self._layouts)))
            self._layouts[topic, names] = layout
        return layout

    def _make_layout(self, topic: str, names: tuple[str, ...]) -> Layout:
        model = self._model
        if topic == JOINT_STATES:
            table = {name: i for i, name in enumerate(model.joint_names)}
        else:
            table = {model.actuator_names[i]: i for i in self._driven}
        entries = [k for k, name in enumerate(names) if name in table]
        coordinates = [table[names[k]] for k in entries]
        driven = [
            (position, names[k])
            for position, k in enumerate(entries)
            if topic == JOINT_STATES and table[names[k]] in self._driven
        ]
        for name in names:
            self._note_unknown(name, table)
        return Layout(
            np.array(entries, dtype=np.int64), np.array(coordinates, dtype=np.int64), driven
        )

    def _note_unknown(self, name: str, table: dict[str, int]) -> None:
        unknown = self.counters.unknown_names
        if name in table or name in self._silent or name in unknown:
            return
        if len(unknown) < REMEMBERED:
            unknown.append(name)


def describe_missing(names: list[str], limit: int = 6) -> str | None:
    """Return a short list of names for a message, None where nothing is missing."""
    if not names:
        return None
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
