# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Paths to values inside messages: fields, array indices, entries that are found by a name.

A path is a sequence of fields with dots between them, ``pose.pose.position.x``. Brackets select an
entry of an array:

``data[3]``
    by its index, from zero;
``transforms[child_frame_id=base_link].transform``
    of messages the first one whose field has that text;
``position[name=elbow]``
    of numbers, the number at the index at which the parallel array `name` has that text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from charmie_dynamics.errors import CharmieError, choices, shown

_STEP = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(\[(?P<inside>[^\[\]]*)\])?")
_DOT = re.compile(r"\.(?![^\[]*\])")  # not between brackets: frame ids may hold dots
_INDEX = re.compile(r"[0-9]{1,6}")
_ARRAY = re.compile(r"sequence<(?P<of>[^,<>]+(<[^<>]*>)?)(, *\d+)?>|(?P<of_fixed>.+)\[\d*\]")

WHOLE = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
FieldTypes = Callable[[str], "dict[str, str] | None"]
# from the name of a message type to a new message
MakeMessage = Callable[[str], Any]


class FieldPathError(CharmieError):
    """A path that is malformed or that a message type does not have."""


class PathStep(NamedTuple):
    """One field, and which entry of it where it is an array."""

    name: str
    place: int | None = None
    key: str = ""
    text: str = ""


class FieldPath:
    """Location of a value in a message.

    Parameters
    ----------
    text : str

    Attributes
    ----------
    steps : tuple of PathStep
    texts : tuple of str
        Texts that a message with the value must contain.

    Raises
    ------
    FieldPathError
        If the text is no path.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = tuple(self._step(part) for part in _DOT.split(text))
        self.texts = tuple(step.text for step in self.steps if step.key)

    def value_in(self, message: Any) -> Any:
        """Return the value at the path; None if the message lacks it."""
        value = message
        for step in self.steps:
            holder, value = value, getattr(value, step.name)
            index = step.place
            if step.key:
                index = _find(holder, value, step)
            elif index is None:
                continue
            if index is None or index >= len(value):
                return None
            value = value[index]
        return value

    def require_in(self, type_name: str, field_types: FieldTypes) -> str:
        """Return the type of the value at the path.

        Parameters
        ----------
        type_name : str
            Of the message, such as ``geometry_msgs/Pose``.
        field_types : callable
            Returns the types of a message type's fields by their names, None for a type that is no
            message.

        Raises
        ------
        FieldPathError
            If the type has no such fields or arrays.
        """
        for step in self.steps:
            fields = field_types(type_name)
            if fields is None:
                raise FieldPathError(
                    f"'{shown(self.text)}': field '{step.name}' requested of a {type_name}, "
                    "expected a message"
                )
            holder = type_name
            type_name = self._field(step.name, holder, fields)
            element = _element(type_name)
            picks = step.place is not None or bool(step.key)
            if picks != (element is not None):
                expected = "an index in brackets" if element else "no brackets"
                raise FieldPathError(
                    f"'{shown(self.text)}': '{step.name}' of {holder} is a {type_name}, expected "
                    f"{expected}"
                )
            if element is None:
                continue
            type_name = element
            if step.key:
                keyed = element if field_types(element) is not None else holder
                kind = self._field(step.key, keyed, field_types(keyed) or {})
                text_type = kind if keyed == element else _element(kind)
                if text_type is None or not text_type.startswith("string"):
                    raise FieldPathError(
                        f"'{shown(self.text)}': '{step.key}' of {keyed} is a {kind}, expected text"
                    )
        return type_name

    def put_in(self, message: Any, value: Any, types: tuple[str, FieldTypes, MakeMessage]) -> None:
        """Write a value at the path; missing entries are added.

        Numbers inserted before an added entry are NaN, or zero if their type has no NaN.

        Parameters
        ----------
        message : object
        value : object
            A number, rounded for integer fields, or a message.
        types : tuple
            The type of the message, the function that returns the types of fields, and the function
            that creates messages.

        Raises
        ------
        FieldPathError
            If an array of fixed length is too short.
        """
        type_name, field_types, make = types
        last = self.steps[-1]
        for step in self.steps:
            kind = (field_types(type_name) or {})[step.name]
            element = _element(kind)
            if element is None:
                if step is last:
                    setattr(message, step.name, _as(kind, value))
                else:
                    message, type_name = getattr(message, step.name), kind
                continue
            holds_messages = field_types(element) is not None
            index = self._entry(message, step, lambda: make(element), holds_messages)  # noqa: B023
            array = getattr(message, step.name)
            if not holds_messages:
                while len(array) <= index:
                    array.append(_as(element, math.nan))
                array[index] = _as(element, value)
            elif step is last:
                array[index] = value
            message, type_name = array[index], element

    def _entry(self, message: Any, step: PathStep, new: Callable[[], Any], messages: bool) -> int:
        """Return the index of the entry that a step names, which is there then."""
        array = getattr(message, step.name)
        if not step.key:
            index = step.place or 0
            if not hasattr(array, "append") and index >= len(array):
                raise FieldPathError(
                    f"'{shown(self.text)}': expected an index below {len(array)}, got {index}"
                )
            while messages and len(array) <= index:
                array.append(new())
            return index
        found = _find(message, array, step) if len(array) or not messages else None
        if found is not None:
            return found
        if messages:
            entry = new()
            setattr(entry, step.key, step.text)
            array.append(entry)
            return len(array) - 1
        names = getattr(message, step.key)
        if step.text not in names:
            names.append(step.text)
        return int(names.index(step.text))

    def _field(self, name: str, type_name: str, fields: dict[str, str]) -> str:
        if name not in fields:
            raise FieldPathError(
                f"'{shown(self.text)}': {type_name} has no field '{shown(name)}'"
                f"{choices(name, fields)}"
            )
        return fields[name]

    def _step(self, part: str) -> PathStep:
        match = _STEP.fullmatch(part)
        if match is None:
            raise FieldPathError(
                f"'{shown(self.text)}' is no path: expected fields with dots between them, each "
                f"with at most one '[index]' or '[field=text]', got '{shown(part)}'"
            )
        name, inside = match["name"], match["inside"]
        if inside is None:
            return PathStep(name)
        if _INDEX.fullmatch(inside):
            return PathStep(name, int(inside))
        key, equals, text = inside.partition("=")
        if not (equals and key and text):
            raise FieldPathError(
                f"'{shown(self.text)}': expected '[index]' or '[field=text]' after '{name}', got "
                f"'[{shown(inside)}]'"
            )
        return PathStep(name, None, key, text)


def _find(holder: Any, array: Any, step: PathStep) -> int | None:
    """Return the index of the entry that a step names."""
    return next(
        (k for k, text in enumerate(_names(holder, array, step.key)) if text == step.text), None
    )


def _names(holder: Any, array: Any, key: str) -> Iterator[Any]:
    if len(array) and not isinstance(array[0], (int, float, str)):
        return (getattr(entry, key) for entry in array)
    return iter(getattr(holder, key, ()))


def _as(kind: str, value: Any) -> Any:
    """Return a number converted to the type of a field; other values unchanged."""
    if kind in WHOLE:
        return 0 if value != value else round(value)
    if kind == "boolean":
        return bool(value)
    return float(value) if kind in ("float", "double") else value


def _element(type_name: str) -> str | None:
    """Return the type of an array's elements, None for other types."""
    match = _ARRAY.fullmatch(type_name)
    return None if match is None else (match["of"] or match["of_fixed"])
