# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Checks of candidates: numbers that a file must not contain are refused here, too."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

import jsonschema
import numpy as np

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.model.description.inertials import Given, make_inertials
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.mechanisms.mechanisms_file import (
    file_schema,
    wheel_contacts_fault,
)
from charmie_dynamics.model.description.robot import RobotTree
from charmie_dynamics.model.equations.number_paths import (
    INERTIA_AXES,
    INERTIALS,
    JOINTS,
    WHEEL_CONTACTS,
    NumberPath,
)


def require_allowed(
    tree: RobotTree,
    mechanisms: MechanismSet,
    values: Mapping[NumberPath, float],
    doubtful: Collection[str] = (),
) -> None:
    """Refuse a candidate whose files would be invalid.

    Parameters
    ----------
    tree, mechanisms : RobotTree, MechanismSet
        Of the candidate.
    values : mapping of NumberPath to float
        Numbers that differ from those of the described robot.
    doubtful : collection of str
        Links with described moments of inertia that no body can have, which a file may contain.

    Raises
    ------
    ModelFileError
        For an invalid value; names the entry and the expectation.
    """
    for path, value in values.items():
        if path.section in (INERTIALS, JOINTS):
            continue
        for error in _validator_of(path).iter_errors(value):
            raise ModelFileError(f"{path.section}.{path.name}.{path.field}: {error.message}")
    entries = {(path.section, path.name) for path in values}
    for section, part in mechanisms.parts():
        if (section, part.name) in entries:
            for _, message in part.faults():
                raise ModelFileError(message)
    if any(section == WHEEL_CONTACTS for section, _ in entries):
        fault = wheel_contacts_fault(mechanisms.wheel_contacts)
        if fault:
            raise ModelFileError(f"{WHEEL_CONTACTS}: {fault}")
    links = {name for section, name in entries if section == INERTIALS}
    _require_bodies(tree, links.difference(doubtful), strict=True)
    _require_bodies(tree, links.intersection(doubtful), strict=False)
    for joint in tree.joints:
        if (JOINTS, joint.name) in entries and joint.limit.lower > joint.limit.upper:
            raise ModelFileError(
                f"joints.{joint.name}: lower limit must not exceed the upper, got "
                f"{joint.limit.lower:.6g} and {joint.limit.upper:.6g}"
            )


def _require_bodies(tree: RobotTree, links: Collection[str], *, strict: bool) -> None:
    """Refuse negative masses and, if strict, moments of inertia that no body can have."""
    names = []
    for name in sorted(links):
        own = tree.links[name].inertial
        if own is not None:
            six = tuple(float(own.inertia[place]) for place in INERTIA_AXES.values())
            names.append(Given(name, 0, own.mass, own.p_link_com, np.eye(3), six))
    try:
        if names:
            make_inertials(names, "candidate", strict=strict)
    except ModelFileError as error:
        raise ModelFileError(str(error).partition(": ")[2]) from None


@cache
def _schema() -> dict[str, Any]:
    return file_schema()


@cache
def _validator_of(path: NumberPath) -> Any:
    """Return the validator of a number in a mechanisms file."""
    whole = _schema()
    definitions: dict[str, Any] = whole["definitions"]
    schema: dict[str, Any] = {}
    if path.field:
        entries = whole["properties"][path.section]["additionalProperties"]
        schema = _resolved(entries, definitions)["properties"].get(path.field, {})
    schema = _resolved(schema, definitions)
    if path.place is not None:
        schema = _resolved(schema.get("items", {}), definitions)
    return jsonschema.Draft7Validator(schema)


def _resolved(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    return schema
