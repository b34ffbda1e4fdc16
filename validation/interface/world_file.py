# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of the keys of a world file, from its schema and the laws of contact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from charmie_dynamics.core.contact.law_types import FrictionLaw, NormalLaw
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.model.description.world.world_file import world_schema

from .document import code, table_of

HEADINGS = ("key", "value", "meaning")
# sections whose entries have passages of their own
MEANINGS = {
    "materials": "young (Pa) and poisson of each material, by its name",
    "contacts": "laws between entities: default, and pairs",
    "entities": "what stands and moves in the world, by its name",
}


def top_level() -> str:
    """Return the table of the sections and keys of the file."""
    return _table(world_schema()["properties"])


def entities() -> str:
    """Return the table of an entry of ``entities``."""
    return _table(world_schema()["properties"]["entities"]["additionalProperties"]["properties"])


def laws() -> str:
    """Return the table of the laws and their parameters."""
    rows = [
        (code(key), code(name), ", ".join(code(each.name) for each in law.parameters) or "none")
        for key, all_laws in (("normal", NORMAL_LAWS), ("friction", FRICTION_LAWS))
        for name, law in all_laws.items()
    ]
    return table_of(("key", "law", "parameters"), rows)


def parameters() -> str:
    """Return the table of the parameters of all laws."""
    found: dict[str, tuple[str, str, str]] = {}
    both: list[NormalLaw | FrictionLaw] = [*NORMAL_LAWS.values(), *FRICTION_LAWS.values()]
    for law in both:
        for each in law.parameters:
            default = "" if each.default is None else code(each.default)
            found.setdefault(each.name, (code(each.name), each.meaning, default))
    return table_of(("key", "meaning", "default"), found.values())


def _table(properties: Mapping[str, Any]) -> str:
    rows = [
        (code(key), _value(value), value.get("description") or MEANINGS[key])
        for key, value in properties.items()
    ]
    return table_of(HEADINGS, rows)


def _value(value: Mapping[str, Any]) -> str:
    if "enum" in value:
        return " or ".join(map(code, value["enum"]))
    if "oneOf" in value:
        return " or ".join(map(_value, value["oneOf"]))
    kind = value["type"]
    if kind == "array":
        if value["items"].get("type") == "array":
            return "list of pairs"
        count = {3: "three ", 6: "six "}.get(value.get("minItems", 0), "")
        return f"{count}numbers"
    if kind == "object":
        has_numbers = value.get("additionalProperties", {}).get("type") == "number"
        return "by name: number" if has_numbers else "see below"
    return {
        "string": "text",
        "number": "number",
        "integer": "whole number",
        "boolean": "true or false",
    }[kind]
