# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""YAML that is hostile or wrong is refused quickly, with its line and the reason."""

from __future__ import annotations

import pytest
from refusals import SECOND, quickest, refusal

from charmie_dynamics.model.description import yaml_document
from charmie_dynamics.model.description.mechanisms import parse_mechanisms

YAML_FAULTS = {
    "alias": ("a: &a 1\nrobot: x\nrest_pose: {b: *a}", "line 3: not valid YAML: aliases"),
    "alias bomb": (
        "a: &a [1]\n"
        + "".join(
            f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n"
            for i in range(9)
        ),
        "line 2: not valid YAML: aliases are not allowed",
    ),
    "tag": ("robot: x\nsources: {a: !!binary aGk=}", "line 2: not valid YAML: tags"),
    "merge key": ("robot: x\n<<: {gravity: [0, 0, 0]}", "line 2: top level: unknown key '<<'"),
    "duplicate key": ("robot: x\nrobot: y", "line 2: key 'robot' occurs twice, first on line 1"),
    "duplicate key in quotes": ("1: x\n'1': y", "line 2: key '1' occurs twice"),
    "key that is a list": ("robot: x\n? [a]\n: b", "line 2: expected a key of text"),
    "two documents": ("robot: x\n---\nrobot: y", "expected a single document"),
    "control character": (
        "robot: x\nsources: {a: \x01}",
        "line 2: not valid YAML: character U+0001",
    ),
    "unknown key": ("robot: x\nsprings: {s: {stifness: 1}}", "did you mean 'stiffness'"),
    "yes": ("rest_pose:\n  a: yes", "line 2: rest_pose.a: 'yes' is not of type 'number'"),
    "hexadecimal": ("rest_pose:\n  a: 0x10", "line 2: rest_pose.a: '0x10' is not of type"),
    "underscore": ("rest_pose:\n  a: 1_0", "line 2: rest_pose.a: '1_0' is not of type 'number'"),
    "date": ("rest_pose:\n  a: 2024-01-01", "line 2: rest_pose.a: '2024-01-01' is not of type"),
    "more digits than a number has": (
        f"rest_pose:\n  a: {'9' * 5000}",
        "line 2: rest_pose.a: expect",
    ),
    "number beyond all robots": ("rest_pose:\n  a: 1e31", "up to 1e+30, got 1e+31"),
    "too many values": (
        f"wheel_contacts: [{'[0, 0, 0], ' * 5000}]",
        f"line 1: not valid YAML: more than {yaml_document.MOST_VALUES} keys and values",
    ),
    "deep": ("robot: " + "[" * 60_000, f"more than {yaml_document.DEEPEST} deep"),
    "too long": ("#" * 70_000, f"70000 characters; expected at most {yaml_document.LARGEST}"),
    "key of 60000 letters": ("k" * 1000 + ": 1\nrobot: " + "x" * 60_000, "unknown key 'kkk"),
    "list of 60000 letters": (f"robot: [{'x' * 60_000}]", "line 1: robot: ['xxx"),
}


@pytest.mark.parametrize("what", YAML_FAULTS)
def test_hostile_or_wrong_yaml_is_refused_with_its_line_and_quickly(what: str) -> None:
    text, reason = YAML_FAULTS[what]
    message = refusal(lambda: parse_mechanisms(text, "loops.yaml"))
    assert message.startswith("loops.yaml")
    assert reason in message
    assert len(message) < 1000
    assert quickest(lambda: refusal(lambda: parse_mechanisms(text, "loops.yaml"))) < SECOND
