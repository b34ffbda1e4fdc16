# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Message types, imported by name at run time, so that none of them is a dependency."""

from __future__ import annotations

import importlib
from typing import Any

from rosidl_runtime_py.utilities import get_message

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.bridge.configuration import Entry, Source
from charmie_dynamics.live.bridge.field_path import FieldPath, FieldPathError
from charmie_dynamics.live.bridge.reverse import QUATERNION

NUMBERS = frozenset(
    (
        *("boolean", "octet", "float", "double"),
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    )
)
TIME = "builtin_interfaces/Time"
HEADER = "std_msgs/Header"


class MessageTypeError(CharmieError):
    """A message type that cannot be loaded here."""


def load_type(name: str) -> Any:
    """Return a message type.

    Parameters
    ----------
    name : str
        Such as ``std_msgs/msg/Float64``.

    Raises
    ------
    MessageTypeError
        If its package or itself is not there, or its library cannot be loaded.
    """
    importlib.invalidate_caches()  # it may have been installed since the last try
    try:
        message_type = get_message(name)
        # required by a subscription; loads the libraries of the middleware
        message_type.__class__.__import_type_support__()
        if message_type.__class__._TYPE_SUPPORT is None:
            raise MessageTypeError(f"type {name} has no library for its messages")
    except (ImportError, AttributeError, ValueError, OSError) as error:
        raise MessageTypeError(
            f"type {name} cannot be loaded: {error}; is its package built, and was its workspace "
            "sourced before the start?"
        ) from None
    return message_type


def field_types(name: str) -> dict[str, str] | None:
    """Return the types of a message type's fields by their names; None for other types.

    Parameters
    ----------
    name : str
        As fields name their types: ``geometry_msgs/Pose``.
    """
    package, slash, short = name.partition("/")
    if not slash:
        return None
    fields: dict[str, str] = get_message(f"{package}/msg/{short}").get_fields_and_field_types()
    return fields


def make_message(name: str) -> Any:
    """Return a new message of a type.

    Parameters
    ----------
    name : str
        As fields name their types: ``geometry_msgs/Pose``.
    """
    package, _, short = name.partition("/")
    return get_message(f"{package}/msg/{short}")()


def stamp_path(source: Source) -> FieldPath | None:
    """Return where messages of a source hold the time of the measurement; None: nowhere.

    Raises
    ------
    FieldPathError
        If the given path leads to no time.
    """
    name = short_name(source.type)
    if source.by_arrival:
        return None
    if source.stamp is None:
        has_header = (field_types(name) or {}).get("header") == HEADER
        return FieldPath("header.stamp") if has_header else None
    _require_type(source.stamp, name, frozenset((TIME,)), "a time")
    return source.stamp


def require_fields(source: Source) -> None:
    """Check that the type of a source has the fields that are taken from it.

    Raises
    ------
    FieldPathError
        If a path leads nowhere in it, or to something that is no number.
    """
    for entry in source.entries:
        for path in entry.paths:
            _require_value(path, short_name(source.type), entry)


def _require_value(path: FieldPath, type_name: str, entry: Entry) -> None:
    if path is entry.field and entry.is_yaw:
        _require_type(path, type_name, frozenset((QUATERNION,)), "a quaternion")
    else:
        _require_type(path, type_name, NUMBERS, "a number")


def _require_type(path: FieldPath, type_name: str, valid: frozenset[str], expected: str) -> None:
    found = path.require_in(type_name, field_types)
    if found not in valid:
        raise FieldPathError(f"'{path.text}' of {type_name} is a {found}, expected {expected}")


def short_name(name: str) -> str:
    """Return the name of a message type as fields name their types."""
    package, _, short = name.partition("/msg/")
    return f"{package}/{short}"
