# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The contacts and materials of a world file are read, held against the laws, or refused."""

from __future__ import annotations

import math

import pytest

from charmie_dynamics.core.contact.law_types import LawParameter, NormalLaw
from charmie_dynamics.core.contact.registry import NORMAL_LAWS
from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.model.description.world import (
    ContactRules,
    Material,
    Surface,
    parse_contacts,
)
from charmie_dynamics.model.description.yaml_document import load_yaml

KITCHEN = """world: kitchen
materials:
  steel: {young: 2.1e11, poisson: 0.3, source: a handbook}
  rubber: {young: 5.0e6, poisson: 0.49}
contacts:
  default: {normal: flores, stiffness: 1.0e6, exponent: 1.5, restitution: 0.7,
            friction: bengisu_akay, kinetic: 0.5, static: 0.6, v0: 0.01}
  pairs:
    - {between: [ball, ground], normal: hertz}
    - {between: [ball, table], restitution: 0.9, friction: none}
"""
ENTITIES = ("ground", "ball", "table")
STEEL = Material("steel", 2.1e11, 0.3)


def read(text: str) -> tuple[dict[str, Material], ContactRules]:
    document, lines = load_yaml(text, "world.yaml")
    return parse_contacts(document, lines, "world.yaml", ENTITIES)


def contacts(*lines: str) -> str:
    return "contacts:\n" + "".join(f"  {line}\n" for line in lines)


def test_materials_and_rules_are_read() -> None:
    materials, rules = read(KITCHEN)
    assert materials == {"steel": STEEL, "rubber": Material("rubber", 5e6, 0.49)}
    default = rules.of("table", "ground")
    assert default is not None and default is rules.default
    assert (default.normal, default.friction) == ("flores", "bengisu_akay")
    assert default.normal_values == {
        "stiffness": 1e6,
        "exponent": 1.5,
        "restitution": 0.7,
        "least_speed": 1e-2,
    }
    assert default.friction_values == {"kinetic": 0.5, "static": 0.6, "v0": 0.01, "xi": 100.0}
    assert not default.needs_stiffness
    assert default.place == "world.yaml, line 6"


def test_a_pair_has_what_it_says_and_the_rest_of_the_default() -> None:
    _, rules = read(KITCHEN)
    rule = rules.of("ground", "ball")
    assert rule is not None and rule.normal == "hertz" and rule.friction == "bengisu_akay"
    # hertz has no restitution: that of the default is not its business
    assert rule.normal_values == {"stiffness": 1e6, "exponent": 1.5}
    other = rules.of("ball", "table")
    assert other is not None and other.normal_values["restitution"] == 0.9
    assert other.friction == "none" and other.friction_values == {}


def test_without_the_section_nothing_is_between_anything() -> None:
    assert read("world: empty\n") == ({}, ContactRules())
    _, rules = read(contacts("pairs:", "  - {between: [ball, ground], normal: hertz}"))
    assert rules.of("ball", "table") is None


def test_the_stiffness_follows_from_materials_and_radii() -> None:
    text = contacts("default: {normal: hertz}")
    _, rules = read(text)
    rule = rules.of("ball", "ground")
    assert rule is not None and rule.needs_stiffness
    found = rule.between(Surface("ball", STEEL, 0.05), Surface("ground", STEEL, math.inf))
    sigma = (1.0 - 0.3**2) / 2.1e11
    expected = 4.0 / (3.0 * 2.0 * sigma) * math.sqrt(0.05)
    assert found.normal_values["stiffness"] == pytest.approx(expected)
    assert not found.needs_stiffness and found.between(Surface("a"), Surface("b")) is found


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            Surface("ball", STEEL, 0.05),
            Surface("ground", None, math.inf),
            "materials and radii of both; 'ground' has no material",
        ),
        (
            Surface("ball", STEEL, 0.05),
            Surface("table", STEEL, None),
            "materials and radii of both; 'table' has no radius there",
        ),
        (
            Surface("ground", STEEL, math.inf),
            Surface("table", STEEL, math.inf),
            "one of them round; got the radii inf m and inf m",
        ),
        (
            Surface("ball", STEEL, 0.05),
            Surface("table", STEEL, -0.04),
            "one of them round; got the radii 0.05 m and -0.04 m",
        ),
    ],
)
def test_a_stiffness_that_does_not_follow_is_refused(
    first: Surface, second: Surface, message: str
) -> None:
    _, rules = read(contacts("default: {normal: hertz}"))
    assert rules.default is not None
    with pytest.raises(ModelFileError) as error:
        rules.default.between(first, second)
    names = f"'{first.entity}' and '{second.entity}'"
    assert str(error.value).startswith(
        f"world.yaml, line 2: contact of {names}: expected stiffness, or "
    )
    assert message in str(error.value)


def refusal(text: str) -> str:
    with pytest.raises(ModelFileError) as error:
        read(text)
    return str(error.value)


def of_default(entry: str) -> str:
    return refusal(contacts(f"default: {{{entry}}}"))


DEFAULT = "world.yaml, line 2: contacts.default"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "normal: flore",
            ".normal: normal law 'flore' is unknown; did you mean 'flores'? Valid: hooke, hertz, ",
        ),
        (
            "normal: hooke, stiffness: 1, friction: columb",
            ".friction: friction law 'columb' is unknown; did you mean 'coulomb'? Valid: none, ",
        ),
        ("friction: none", ": expected a normal law. Valid: hooke, hertz, kelvin_voigt, "),
        (
            "normal: flores, restitution: 1.2",
            ".restitution: expected 1e-06 to 1 with normal law 'flores', got 1.2",
        ),
        (
            "normal: hunt_crossley, restitution: -0.1",
            ".restitution: expected 0 to 1 with normal law 'hunt_crossley', got -0.1",
        ),
        (
            "normal: calibrated, restitution: 0",
            ".restitution: expected 1e-06 to 1 with normal law 'calibrated', got 0",
        ),
        ("normal: hertz, stiffness: 0", ".stiffness: expected above 0 with normal law 'hertz', "),
        (
            "normal: hertz, restitution: 0.5",
            ".restitution: no parameter of normal law 'hertz' or friction law 'none'. Valid: "
            "stiffness, exponent",
        ),
        (
            "normal: hertz, friction: coulomb, kinetic: 0.5, static: 0.6",
            ".static: no parameter of normal law 'hertz' or friction law 'coulomb'",
        ),
        ("normal: hertz, stifness: 1", ".stifness: unknown key 'stifness'; did you mean 'stiff"),
        ("normal: hertz, stiffness: big", ".stiffness: 'big' is not of type 'number'"),
        ("normal: hertz, stiffness: .inf", ".stiffness: expected a finite number"),
        (
            "normal: kelvin_voigt, stiffness: 1e5",
            ": expected damping, of the contact (N s/m), of normal law 'kelvin_voigt'",
        ),
        (
            "normal: hertz, friction: threlfall",
            ": expected kinetic, coefficient of friction while sliding, of friction law 'threlf",
        ),
        (
            "normal: hooke",
            ": expected stiffness, as normal law 'hooke' has the exponent 1 here; it follows from "
            "materials and radii for 1.5 alone",
        ),
        (
            "normal: hertz, friction: bengisu_akay, kinetic: 0.6, static: 0.5",
            ".static: expected kinetic up to static with friction law 'bengisu_akay', got 0.6 and "
            "0.5",
        ),
        (
            "normal: hertz, friction: ambrosio, kinetic: 0.6, v0: 0.02, v1: 0.01",
            ".v1: expected v0 up to v1 with friction law 'ambrosio', got 0.02 and 0.01",
        ),
        (
            "normal: hertz, friction: threlfall, kinetic: 0.6, v0: 0",
            ".v0: expected above 0 with friction law 'threlfall', got 0",
        ),
    ],
)
def test_a_wrong_entry_is_refused_with_its_line_and_what_is_valid(entry: str, message: str) -> None:
    found = of_default(entry)
    if "unknown key" in message:
        message = message.replace(".stifness", "")
    assert found.startswith(DEFAULT + message), found


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (
            "between: [ball, grund], normal: hertz",
            ".between: entity 'grund' is unknown; did you mean 'ground'? Valid: ground",
        ),
        ("between: [ball, ball]", ".between: expected two entities or links, got 'ball' twice"),
        ("between: [ball]", ".between: ['ball'] is too short"),
        ("normal: hertz", ": 'between' is a required property"),
        (
            "between: [ball, ground], normal: hooke",
            ": expected stiffness, as normal law 'hooke' has the exponent 1 here and that of the "
            "default is for 1.5",
        ),
        (
            "between: [ball, ground], kinetic: 0.9",
            ".kinetic: expected kinetic up to static with friction law 'bengisu_akay', got 0.9 "
            "and 0.6",
        ),
        (
            "between: [ball, ground], v1: 0.1",
            ".v1: no parameter of normal law 'flores' or friction law 'bengisu_akay'. Valid: ",
        ),
    ],
)
def test_a_wrong_pair_is_refused_with_its_line(pair: str, message: str) -> None:
    text = KITCHEN.split("  pairs:")[0] + f"  pairs:\n    - {{{pair}}}\n"
    assert refusal(text).startswith(f"world.yaml, line 9: contacts.pairs.0{message}"), refusal(text)


def test_a_pair_that_stands_twice_is_refused() -> None:
    text = KITCHEN + "    - {between: [ground, ball]}\n"
    expected = "'ground' and 'ball' occur twice: world.yaml, line 9"
    assert refusal(text) == f"world.yaml, line 11: contacts.pairs.2.between: {expected}"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("steel: {young: 2.1e11}", ".steel: 'poisson' is a required property"),
        ("steel: {young: 0, poisson: 0.3}", ".steel.young: 0 is less than or equal to"),
        ("steel: {young: 1, poisson: 0.6}", ".steel.poisson: 0.6 is greater than"),
        ("steel: {young: 1, poison: 0.3}", ".steel: unknown key 'poison'; did you mean 'poisson'"),
    ],
)
def test_a_wrong_material_is_refused(entry: str, message: str) -> None:
    found = refusal(f"materials:\n  {entry}\n")
    assert found.startswith(f"world.yaml, line 2: materials{message}"), found


def test_a_law_of_a_user_is_named_like_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def foam(parameters: object, indentation: float, rate: float, touch_rate: float) -> float:
        return 0.0

    hard = LawParameter("hard", "indentation at which it is hard (m)", above=True)
    monkeypatch.setitem(NORMAL_LAWS, "foam", NormalLaw(foam, (hard,)))
    _, rules = read(contacts("default: {normal: foam, hard: 0.02}"))
    assert rules.default is not None and rules.default.normal_values == {"hard": 0.02}
    assert "expected above 0 with normal law 'foam', got -1" in of_default("normal: foam, hard: -1")
