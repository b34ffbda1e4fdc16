# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The bridge backwards: values of joints into the robot's own messages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from .configuration import Entry, Source
from .field_path import FieldPath, FieldTypes, MakeMessage

QUATERNION = "geometry_msgs/Quaternion"


class JointValues(NamedTuple):
    """Values of one joint or actuator (rad or m, per s; N m or N). NaN: unknown."""

    position: float
    velocity: float
    effort: float


class ReverseTranslator:
    """Writes messages of one source, of which a `Translator` reads the same values.

    Values with a quantum in the file are rounded to it. Smoothing has no counterpart.

    Parameters
    ----------
    source : Source
    type_name : str
        Of the messages, as fields name their types.
    field_types : callable
        Returns the types of a message type's fields by their names.
    make : callable
        Returns a new message of a type.
    """

    def __init__(
        self, source: Source, type_name: str, field_types: FieldTypes, make: MakeMessage
    ) -> None:
        self.source = source
        self._types = type_name, field_types, make

    def message(self, values: Mapping[str, JointValues]) -> Any:
        """Return a new message with the values of the joints and actuators that the source names.

        Parameters
        ----------
        values : mapping of str to JointValues
            By the names of joints and linear actuators.
        """
        type_name, _, make = self._types
        message = make(type_name)
        for entry in self.source.entries:
            value = values[entry.name]
            self._put(message, entry.field, self._position(entry, value.position))
            for path, number in (
                (entry.velocity, value.velocity / entry.factor),
                (entry.effort, value.effort * entry.sign),
            ):
                if path is not None:
                    self._put(message, path, number)
        return message

    def _position(self, entry: Entry, position: float) -> Any:
        field = (position - entry.offset) / entry.factor
        if entry.is_yaw:
            turned = self._types[2](QUATERNION)
            turned.z, turned.w = math.sin(0.5 * field), math.cos(0.5 * field)
            return turned
        step = entry.quantum / abs(entry.factor)
        return step * round(field / step) if step else field

    def _put(self, message: Any, path: FieldPath, value: Any) -> None:
        path.put_in(message, value, self._types)
