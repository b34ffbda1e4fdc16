# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of the keys of mechanisms, world and study files, from their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from inspect import getdoc
from typing import Any

from charmie_dynamics.core.contact.law_types import FrictionLaw, NormalLaw
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.mechanisms.mechanisms_file import file_schema
from charmie_dynamics.model.description.mechanisms.sections import SECTIONS
from charmie_dynamics.model.description.world.named_poses import BOUNDS_KEYS, NAMED_POSE
from charmie_dynamics.model.description.world.world_file import world_schema
from charmie_dynamics.studies.design.motion_entries import MOTION
from charmie_dynamics.studies.design.quantities import KINDS as QUANTITIES
from charmie_dynamics.studies.design.study_file import METHODS, VARIABLE, study_schema

from .cells import code, table_of

HEADINGS = ("key", "value", "meaning")
KINDS = {
    "vector3": "three numbers",
    "name": "name",
    "share": "0 to 1",
    "positive": "number above 0",
    "not_negative": "number, 0 or above",
    "range": "two numbers, the lower first",
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "true or false",
}
COUNTS = {2: "two ", 3: "three ", 4: "four ", 6: "six "}
# sections with passages of their own, and keys without a description in the schema
MEANINGS = {
    "materials": "young (Pa) and poisson of each material, by its name",
    "contacts": "laws between entities: default, and pairs",
    "entities": "robots and bodies in the world, by name",
    "named_poses": "poses for spawning and similar purposes, by name",
    "variables": "numbers that may change, by name",
    "motions": "motions of the robot, by name",
    "objectives": "quantities to optimise, by name",
    "constraints": "quantities with limits, by name",
    "methods": "methods, applied one after the other",
    "bounds": "smallest and largest value; not needed with steps or a list",
}
OF_METHODS = {
    "grid": "all combinations of a number of values of each variable, or of all its steps",
    "latin_hypercube": "candidates with one value of each variable in each part of its range",
    "sobol": "candidates that cover the ranges evenly",
    "sensitivity": "Sobol's indices: the contribution of each variable to the variance of each "
    "quantity; samples times (variables + 2) candidates",
    "local": "gradient-based search, from the described robot and from the best of some samples",
    "global": "differential evolution, ended by a local search; population is for each variable",
    "pareto": "points of the front of several objectives, each by a local search",
}


def _keys(schema: Mapping[str, Any], kind: type | None = None, left_out: bool = False) -> str:
    """Return the table of the keys of an object, with defaults of the fields of a class."""
    needed, rows = schema.get("required", ()), []
    for key, value in schema["properties"].items():
        default = _default(kind, key) if kind else ""
        optional = "; optional" if left_out and needed and key not in needed else ""
        meaning = str(value.get("description") or MEANINGS[key])
        rows.append((code(key), _value(value), meaning + (default or optional)))
    return table_of(HEADINGS, rows)


def _default(kind: type, key: str) -> str:
    """Return the default of a field of a dataclass; nothing where it has none or that is empty."""
    for field in fields(kind):
        if field.name == key and field.default not in (MISSING, "", (), None):
            value = field.default
            shown = list(value) if isinstance(value, tuple) else value
            return f"; default {code(f'{shown:g}' if isinstance(shown, float) else shown)}"
    return ""


def _value(value: Mapping[str, Any]) -> str:
    if "$ref" in value:
        return KINDS.get(value["$ref"].rpartition("/")[2], "see below")
    if "enum" in value:
        return " or ".join(map(code, value["enum"]))
    for key in ("anyOf", "oneOf"):
        if key in value:
            return " or ".join(map(_value, value[key]))
    kind = value["type"]
    if kind == "array":
        items = value["items"]
        of = items.get("type")
        count = COUNTS.get(value.get("minItems", value.get("maxItems", 0)), "")
        if "$ref" in items or (of == "string" and "description" in value and "pattern" in items):
            return f"list: {_value(items)}, ..."
        lists = "list of points" if items.get("items") == {"type": "number"} else "list of pairs"
        known = {"number": f"{count}numbers", "string": "names", "array": lists}
        return known.get(of, "list, see below") if isinstance(of, str) else "list, see below"
    if kind == "object":
        entry = value.get("additionalProperties")
        if "properties" in value or not isinstance(entry, Mapping):
            return "see below"
        if "$ref" in entry or entry.get("type") in ("number", "string"):
            return f"by name: {_value(entry)}"
        return "by name: numbers" if entry.get("type") == "array" else "see below"
    return KINDS[kind]


def mechanisms_top_level() -> str:
    """Return the table of the keys of a mechanisms file that are no sections of mechanisms."""
    own = {k: v for k, v in file_schema()["properties"].items() if k not in SECTIONS}
    return _keys({"properties": own}, MechanismSet)


def mechanisms() -> str:
    """Return a passage for each section of mechanisms: what it is, and the table of an entry."""
    return "\n\n".join(
        f"### {name}\n\n{getdoc(kind)}\n\n{_keys(kind.schema, kind, True)}"
        for name, kind in SECTIONS.items()
    )


def mechanisms_entry(name: str) -> str:
    """Return the table of a definition of the schema, or of a section that is an object."""
    schema = file_schema()
    entry = schema["definitions"].get(name) or schema["properties"][name]
    return _keys(entry, None, True)


def world_top_level() -> str:
    """Return the table of the sections and keys of a world file."""
    return _keys(world_schema())


def entities() -> str:
    """Return the table of an entry of ``entities``."""
    return _keys(world_schema()["properties"]["entities"]["additionalProperties"])


def named_poses() -> str:
    """Return the table of an entry of ``named_poses``."""
    return _keys(NAMED_POSE)


def pose_bounds() -> str:
    """Return the table of the bounds of a named pose."""
    return _keys({"properties": BOUNDS_KEYS})


def laws() -> str:
    """Return the table of the laws of contact and their parameters."""
    rows = [
        (code(key), code(name), ", ".join(code(each.name) for each in law.parameters) or "none")
        for key, all_laws in (("normal", NORMAL_LAWS), ("friction", FRICTION_LAWS))
        for name, law in all_laws.items()
    ]
    return table_of(("key", "law", "parameters"), rows)


def parameters() -> str:
    """Return the table of the parameters of all laws."""
    found: dict[str, tuple[str, str, str]] = {}
    laws: list[NormalLaw | FrictionLaw] = [*NORMAL_LAWS.values(), *FRICTION_LAWS.values()]
    for law in laws:
        for each in law.parameters:
            default = "" if each.default is None else code(each.default)
            found.setdefault(each.name, (code(each.name), each.meaning, default))
    return table_of(("key", "meaning", "default"), found.values())


def study_top_level() -> str:
    """Return the table of the sections and keys of a study file."""
    return _keys(study_schema())


def variables() -> str:
    """Return the table of a variable."""
    return _keys({"properties": VARIABLE}).replace("by name", "by path")


def motions() -> str:
    """Return the table of a motion."""
    return _keys({"properties": MOTION})


def quantities() -> str:
    """Return the table of all quantities, with their options."""
    rows = []
    for name, kind in QUANTITIES.items():
        options = [
            f"{code(option)}: {meaning}" + ("" if default is None else f"; {default:g}")
            for option, (default, meaning) in kind.options.items()
        ]
        rows.append(
            (code(name), kind.of or code("true"), kind.unit, kind.meaning, "; ".join(options))
        )
    return table_of(("key", "value", "unit", "meaning", "options and their defaults"), rows)


def beside_quantities() -> str:
    """Return the table of the further keys of an objective or a constraint."""
    known = set(QUANTITIES) | {option for kind in QUANTITIES.values() for option in kind.options}
    found: dict[str, Any] = {}
    for section in ("objectives", "constraints"):
        entry = study_schema()["properties"][section]["additionalProperties"]["properties"]
        found.update({key: value for key, value in entry.items() if key not in known})
    return _keys({"properties": found})


def methods() -> str:
    """Return the table of the methods."""
    rows = [
        (code(name), ", ".join(code(f"{k}: {v}") for k, v in options.items()), OF_METHODS[name])
        for name, options in METHODS.items()
    ]
    return table_of(("method", "options and their defaults", "what it does"), rows)
