# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of the keys of a study file, from its schema, quantities and methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from charmie_dynamics.studies.design.motion_entries import MOTION
from charmie_dynamics.studies.design.quantities import KINDS
from charmie_dynamics.studies.design.study_file import METHODS, VARIABLE, study_schema

from .document import code, table_of

HEADINGS = ("key", "value", "meaning")
# sections whose entries have passages of their own, and what needs more words than its schema has
MEANINGS = {
    "variables": "what may change, by name",
    "motions": "what the robot does, by name",
    "objectives": "what is to become small, by name",
    "constraints": "what has to stay within limits, by name",
    "methods": "what is done, one after the other",
    "bounds": "smallest and largest value; needless with steps or a list",
}
OF_METHODS = {
    "grid": "all combinations of so many values of each variable, or of all its steps",
    "latin_hypercube": "candidates of which each variable has one in each part of its range",
    "sobol": "candidates that cover the ranges evenly",
    "sensitivity": "Sobol's indices: which share of each quantity comes from which variable; "
    "samples times (variables + 2) candidates",
    "local": "search by gradients, from the robot as it is and from the best of some samples",
    "global": "differential evolution, ended by a local search; population is for each variable",
    "pareto": "points of the front of several objectives, each by a local search",
}


def top_level() -> str:
    """Return the table of the sections and keys of the file."""
    return _table(study_schema()["properties"])


def variables() -> str:
    """Return the table of a variable."""
    return _table(VARIABLE)


def motions() -> str:
    """Return the table of a motion."""
    return _table(MOTION)


def quantities() -> str:
    """Return the table of all quantities, with their options."""
    rows = []
    for name, kind in KINDS.items():
        options = [
            f"{code(option)}: {meaning}" + ("" if default is None else f"; {default:g}")
            for option, (default, meaning) in kind.options.items()
        ]
        of = kind.of or code("true")
        rows.append((code(name), of, kind.unit, kind.meaning, "; ".join(options)))
    return table_of(("key", "value", "unit", "meaning", "options and their defaults"), rows)


def beside_quantities() -> str:
    """Return the table of what else an objective or a constraint may have."""
    known = set(KINDS) | {option for kind in KINDS.values() for option in kind.options}
    found: dict[str, Any] = {}
    for section in ("objectives", "constraints"):
        entry = study_schema()["properties"][section]["additionalProperties"]["properties"]
        found.update({key: value for key, value in entry.items() if key not in known})
    return _table(found)


def methods() -> str:
    """Return the table of the methods."""
    rows = [
        (
            code(name),
            ", ".join(code(f"{option}: {value}") for option, value in options.items()),
            OF_METHODS[name],
        )
        for name, options in METHODS.items()
    ]
    return table_of(("method", "options and their defaults", "what it does"), rows)


def _table(properties: Mapping[str, Any]) -> str:
    rows = [
        (code(key), _value(value), value.get("description") or MEANINGS[key])
        for key, value in properties.items()
    ]
    return table_of(HEADINGS, rows)


def _value(value: Mapping[str, Any]) -> str:
    if "anyOf" in value:
        return " or ".join(_value(each) for each in value["anyOf"])
    kind = value["type"]
    if kind == "array":
        items = value["items"].get("type", "")
        count = {2: "two "}.get(value.get("maxItems", 0), "")
        if not isinstance(items, str):
            return "list, see below"
        return {"number": f"{count}numbers", "string": "names"}.get(items, "list, see below")
    if kind == "object":
        content = value["additionalProperties"].get("type")
        each = {"number": "number", "array": "numbers"}.get(content)
        return f"by path: {each}" if each else "see below"
    names = {"string": "text", "number": "number", "integer": "whole number"}
    return {**names, "boolean": "true or false"}[kind]
