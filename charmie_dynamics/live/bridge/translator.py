# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Translation of a message of a source into joint values and actuator lengths."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from charmie_dynamics.errors import OutOfReachError
from charmie_dynamics.model.model import Model

from .configuration import Entry, Source
from .quantised import QuantisedTracker


@dataclass
class Values:
    """Values by name (rad or m, per s; N m or N). NaN: unknown."""

    names: list[str] = field(default_factory=list)
    position: list[float] = field(default_factory=list)
    velocity: list[float] = field(default_factory=list)
    effort: list[float] = field(default_factory=list)

    def add(self, name: str, position: float, velocity: float, effort: float) -> None:
        """Add one joint or actuator."""
        self.names.append(name)
        self.position.append(position)
        self.velocity.append(velocity)
        self.effort.append(effort)


@dataclass
class Translation:
    """The values of one message, and its entries that could not be used."""

    joints: Values = field(default_factory=Values)
    lengths: Values = field(default_factory=Values)
    absent: list[str] = field(default_factory=list)  # not in this message
    not_finite: list[str] = field(default_factory=list)
    beyond: dict[str, str] = field(default_factory=dict)  # joint: why it has no length


class Translator:
    """Translates the messages of one source.

    The length of a linear actuator that moves a joint is added to the joint's value.

    Parameters
    ----------
    source : Source
    model : Model
    """

    def __init__(self, source: Source, model: Model) -> None:
        self._model = model
        driven = {actuator.joint: actuator.name for actuator in model.mechanisms.linear_actuators}
        self._channels = [_Channel(entry) for entry in source.entries]
        self._actuator_of = {
            entry.name: driven[entry.name]
            for entry in source.entries
            if not entry.is_length and entry.name in driven
        }
        self._needles = tuple(
            tuple(text.encode() for text in entry.field.texts) for entry in source.entries
        )

    def may_hold(self, data: bytes) -> bool:
        """Return whether a serialised message can hold any of the values.

        The texts of the paths must occur in it, so that most messages on /tf are not decoded.
        """
        return any(all(text in data for text in texts) for texts in self._needles)

    def delays(self) -> list[tuple[str, float]]:
        """Return by how much (s) the velocities of smoothed values follow the motion."""
        channels = [(c.entry.name, c.tracker) for c in self._channels]
        return [(name, tracker.delay) for name, tracker in channels if tracker is not None]

    def translate(self, message: Any, stamp: int) -> Translation:
        """Return the values in a message.

        Parameters
        ----------
        message : object
            Of the source's type.
        stamp : int
            Time of the measurement (ns).
        """
        result = Translation()
        for channel in self._channels:
            entry = channel.entry
            raw = entry.field.value_in(message)
            if raw is None:
                result.absent.append(entry.name)
                continue
            position = channel.position(raw)
            if not math.isfinite(position):
                result.not_finite.append(entry.name)
                continue
            velocity = _number(entry.velocity, message, entry.factor)
            effort = _number(entry.effort, message, entry.sign)
            if channel.tracker is not None:
                position, velocity = channel.tracker.update(stamp, position)
            values = result.lengths if entry.is_length else result.joints
            values.add(entry.name, position, velocity, effort)
            if entry.name in self._actuator_of:
                self._add_length(entry.name, position, velocity, result)
        return result

    def _add_length(
        self, joint: str, position: float, velocity: float, result: Translation
    ) -> None:
        known = math.isfinite(velocity)
        try:
            length, rate, _ = self._model.actuator_from_joint(
                joint, position, velocity if known else 0.0
            )
        except OutOfReachError as error:
            result.beyond[joint] = str(error)
            return
        result.lengths.add(self._actuator_of[joint], length, rate if known else math.nan, math.nan)


class _Channel:
    """An entry and the state of its filters."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.tracker = QuantisedTracker(entry.quantum, entry.cutoff) if entry.cutoff else None
        self._heading: float | None = None

    def position(self, raw: Any) -> float:
        """Return the position (rad or m) for a raw value of a message."""
        entry = self.entry
        if not entry.is_yaw:
            return entry.factor * float(raw) + entry.offset
        heading = yaw_of(raw.x, raw.y, raw.z, raw.w)
        if math.isfinite(heading):
            if self._heading is not None:
                heading = self._heading + math.remainder(heading - self._heading, math.tau)
            self._heading = heading
        return entry.factor * heading + entry.offset


def yaw_of(x: float, y: float, z: float, w: float) -> float:
    """Return the heading (rad, about z) of a quaternion; NaN for one that is zero."""
    if not x * x + y * y + z * z + w * w > 0.0:
        return math.nan
    return math.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)


def _number(path: Any, message: Any, factor: float) -> float:
    value = None if path is None else path.value_in(message)
    return math.nan if value is None else factor * float(value)
