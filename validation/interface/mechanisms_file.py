# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of the keys of a mechanisms file, from its schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from inspect import getdoc
from typing import Any

from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.mechanisms.mechanisms_file import file_schema
from charmie_dynamics.model.description.mechanisms.sections import SECTIONS

from .document import code, table_of

HEADINGS = ("key", "value", "meaning")
KINDS = {
    "vector3": "three numbers",
    "name": "name",
    "share": "0 to 1",
    "positive": "number above 0",
    "not_negative": "number, 0 or above",
    "range": "two numbers, the lower first",
}


def top_level() -> str:
    """Return the table of the keys that are no sections of mechanisms."""
    schema = file_schema()
    rows = [
        (code(key), _value(value), _meaning(value, _default(MechanismSet, key)))
        for key, value in schema["properties"].items()
        if key not in SECTIONS
    ]
    return table_of(HEADINGS, rows)


def rotors() -> str:
    """Return the table of an entry of ``rotors``."""
    return _entry(file_schema()["definitions"]["rotor"], None)


def friction() -> str:
    """Return the table of an entry of ``friction``."""
    return _entry(file_schema()["definitions"]["friction"], None)


def rollers() -> str:
    """Return the table of an entry of ``rollers``."""
    return _entry(file_schema()["definitions"]["roller"], None)


def tracked_points() -> str:
    """Return the table of an entry of ``tracked_points``."""
    return _entry(file_schema()["definitions"]["tracked_point"], None)


def contact() -> str:
    """Return the table of ``contact``."""
    return _entry(file_schema()["properties"]["contact"], None)


def mechanisms() -> str:
    """Return a passage for each section of mechanisms: what it is, and the table of an entry."""
    return "\n\n".join(
        f"### {name}\n\n{getdoc(kind)}\n\n{_entry(kind.schema, kind)}"
        for name, kind in SECTIONS.items()
    )


def _entry(schema: Mapping[str, Any], kind: type | None) -> str:
    needed = schema.get("required", ())
    rows = []
    for key, value in schema["properties"].items():
        default = "" if kind is None else _default(kind, key)
        of = "" if key in needed or not needed else "; may be left out"
        rows.append((code(key), _value(value), _meaning(value, default) + ("" if default else of)))
    return table_of(HEADINGS, rows)


def _meaning(value: Mapping[str, Any], default: str) -> str:
    text = str(value["description"])
    return f"{text}; default {default}" if default else text


def _default(kind: type, key: str) -> str:
    """Return the default of a field of a dataclass; nothing where it has none or that is empty."""
    for field in fields(kind):
        if field.name == key and field.default not in (MISSING, "", ()):
            value = field.default
            if isinstance(value, tuple):
                return code(list(value))
            return code(f"{value:g}" if isinstance(value, float) else value)
    return ""


def _value(value: Mapping[str, Any]) -> str:
    if "$ref" in value:
        return KINDS.get(value["$ref"].rpartition("/")[2], "see below")
    if "enum" in value:
        return " or ".join(map(code, value["enum"]))
    kind = value["type"]
    if kind == "array":
        return f"list: {_value(value['items'])}, ..."
    if kind == "object":
        if "properties" in value:
            return "see below"
        return f"by name: {_value(value['additionalProperties'])}"
    return {"string": "text", "number": "number"}[kind]
