# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The sections ``materials`` and ``contacts`` of a world file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import jsonschema

from charmie_dynamics.core.contact.law_types import FrictionLaw, NormalLaw
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import ModelFileError, choices, shown

from ..names import LONGEST_NAME
from ..schema_faults import describe, dotted, require_finite
from ..yaml_document import Key, Lines, line_of
from .contact_entries import Fault, read_entry
from .contact_rules import ContactRule, ContactRules
from .materials import Material

MATERIALS, CONTACTS = "materials", "contacts"
DEFAULT, PAIRS, BETWEEN = "default", "pairs", "between"
NAME = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
SOURCE = {"type": "string", "description": "origin of the values, for readers; not used"}


def contact_schema() -> dict[str, Any]:
    """Return the JSON schema of the two sections, with the parameters of all laws.

    Numbers are checked later, since each law defines its own ranges.
    """
    laws: list[NormalLaw | FrictionLaw] = [*NORMAL_LAWS.values(), *FRICTION_LAWS.values()]
    keys = {
        "normal": {"type": "string", "description": "law of the normal force"},
        "friction": {"type": "string", "description": "law of the friction force; none if omitted"},
        **{
            parameter.name: {"type": "number", "description": parameter.meaning}
            for law in laws
            for parameter in law.parameters
        },
        "source": SOURCE,
    }
    # no limit, as the names entity/link of links are longer than those of entities
    name = {"type": "string", "minLength": 1}
    pair = {"type": "array", "items": name, "minItems": 2, "maxItems": 2}
    positive = {"type": "number", "exclusiveMinimum": 0}
    # below 0 are materials that get thicker when they are pulled
    poisson = {"type": "number", "exclusiveMinimum": -1, "maximum": 0.5}
    material = _entry({"young": positive, "poisson": poisson, "source": SOURCE})
    material["required"] = ["young", "poisson"]
    of_pair = {**_entry({BETWEEN: pair, **keys}), "required": [BETWEEN]}
    rules = _entry({DEFAULT: _entry(keys), PAIRS: {"type": "array", "items": of_pair}})
    materials = {"type": "object", "propertyNames": NAME, "additionalProperties": material}
    return {"type": "object", "properties": {MATERIALS: materials, CONTACTS: rules}}


def _entry(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def parse_contacts(
    document: Mapping[str, Any], lines: Lines, source: str, entities: Collection[str]
) -> tuple[dict[str, Material], ContactRules]:
    """Read the sections ``materials`` and ``contacts`` of a world file.

    Parameters
    ----------
    document : mapping
        The file; its other sections are not read.
    lines : dict of tuple to int
        Lines of its entries, from `load_yaml`.
    source : str
        Name of the file, for messages.
    entities : collection of str
        Names that pairs may be between.

    Returns
    -------
    materials : dict of str to Material
    rules : ContactRules

    Raises
    ------
    ModelFileError
        Naming file, line, entry, the expected and the actual value.

    Examples
    --------
    >>> from charmie_dynamics.model.description.world import parse_contacts
    >>> from charmie_dynamics.model.description.yaml_document import load_yaml
    >>> text = '''
    ... contacts:
    ...   default: {normal: flores, stiffness: 1.0e6, restitution: 0.7}
    ...   pairs:
    ...     - {between: [ball, ground], normal: hertz, friction: coulomb, kinetic: 0.3}
    ... '''
    >>> document, lines = load_yaml(text, "kitchen.yaml")
    >>> materials, rules = parse_contacts(document, lines, "kitchen.yaml", ["ball", "ground"])
    >>> rule = rules.of("ground", "ball")
    >>> rule.normal, rule.normal_values, rule.friction_values
    ('hertz', {'stiffness': 1000000.0, 'exponent': 1.5}, {'kinetic': 0.3})
    """
    sections = {key: document[key] for key in (MATERIALS, CONTACTS) if key in document}
    validator = jsonschema.Draft7Validator(contact_schema())
    for error in sorted(validator.iter_errors(sections), key=lambda e: list(map(str, e.path))):
        raise ModelFileError(describe(error, lines, source))
    require_finite(sections, (), lines, source)
    materials = {
        name: Material(name, float(entry["young"]), float(entry["poisson"]))
        for name, entry in sections.get(MATERIALS, {}).items()
    }
    return materials, _rules(sections.get(CONTACTS, {}), lines, source, entities)


def _rules(
    section: Mapping[str, Any], lines: Lines, source: str, entities: Collection[str]
) -> ContactRules:
    def place(*path: Key) -> str:
        return f"{source}, line {line_of((CONTACTS, *path), lines)}"

    def fault_at(*path: Key) -> Fault:
        def fault(key: str, message: str) -> ModelFileError:
            where = (*path, key) if (CONTACTS, *path, key) in lines else path
            return ModelFileError(f"{place(*where)}: {dotted((CONTACTS, *where))}: {message}")

        return fault

    default, usual = None, section.get(DEFAULT, {})
    if DEFAULT in section:
        default = read_entry(usual, {}, place(DEFAULT), fault_at(DEFAULT))
    pairs: dict[frozenset[str], ContactRule] = {}
    for k, entry in enumerate(section.get(PAIRS, ())):
        fault = fault_at(PAIRS, k)
        first, second = entry[BETWEEN]
        for name in (first, second):
            if name.partition("/")[0] not in entities:
                raise fault(BETWEEN, f"entity '{shown(name)}' is unknown{choices(name, entities)}")
        if first == second:
            raise fault(BETWEEN, f"expected two entities or links, got '{shown(first)}' twice")
        names = frozenset((first, second))
        if names in pairs:
            raise fault(
                BETWEEN, f"'{shown(first)}' and '{shown(second)}' occur twice: {pairs[names].place}"
            )
        pairs[names] = read_entry(entry, usual, place(PAIRS, k), fault)
    return ContactRules(default, pairs)
