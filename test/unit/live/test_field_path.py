# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Paths lead to values in messages, and are refused where they cannot."""

from __future__ import annotations

import math
from types import SimpleNamespace as Message
from typing import Any

import pytest

from charmie_dynamics.live.bridge.field_path import FieldPath, FieldPathError

TYPES: dict[str, dict[str, str]] = {
    "a/Joints": {
        "name": "sequence<string>",
        "position": "sequence<double>",
        "serials": "sequence<uint8, 4>",
        "ends": "double[2]",
        "frames": "sequence<a/Frame>",
        "label": "string<=8>",
    },
    "a/Frame": {"id": "string", "place": "a/Place", "number": "int32"},
    "a/Place": {"x": "double"},
}
JOINTS = Message(
    name=["shoulder", "elbow"],
    position=[0.5, -0.25],
    ends=[1.0, 2.0],
    frames=[
        Message(id="base.link", place=Message(x=3.0), number=1),
        Message(id="tool", place=Message(x=4.0), number=2),
    ],
)


@pytest.mark.parametrize(
    "path, value, kind",
    [
        ("position[1]", -0.25, "double"),
        ("position[name=elbow]", -0.25, "double"),
        ("ends[0]", 1.0, "double"),
        ("frames[id=tool].place.x", 4.0, "double"),
        ("frames[id=base.link].place.x", 3.0, "double"),
        ("frames[1].number", 2, "int32"),
        ("name[0]", "shoulder", "string"),
    ],
)
def test_a_path_leads_to_the_value_and_its_type(path: str, value: Any, kind: str) -> None:
    found = FieldPath(path)
    assert found.value_in(JOINTS) == value
    assert found.require_in("a/Joints", TYPES.get) == kind


@pytest.mark.parametrize(
    "path", ["position[2]", "position[name=wrist]", "frames[id=hand].place.x", "frames[7].number"]
)
def test_what_a_message_does_not_hold_is_none(path: str) -> None:
    assert FieldPath(path).value_in(JOINTS) is None


def test_a_shorter_array_than_its_names_holds_nothing() -> None:
    message = Message(name=["shoulder", "elbow"], position=[0.5])
    assert FieldPath("position[name=elbow]").value_in(message) is None


def test_a_nan_is_a_value() -> None:
    assert math.isnan(FieldPath("x").value_in(Message(x=math.nan)))


@pytest.mark.parametrize(
    "path, expected",
    [
        ("positoin[0]", "no field 'positoin'; did you mean 'position'?"),
        ("position", "expected an index in brackets"),
        ("label[0]", "expected no brackets"),
        ("label.x", "field 'x' requested of a string<=8>, expected a message"),
        ("frames[id=tool].place.y", "a/Place has no field 'y'"),
        ("frames[number=2].place", "'number' of a/Frame is a int32, expected text"),
        ("position[label=x]", "'label' of a/Joints is a string<=8>, expected text"),
        ("position[nmae=x]", "a/Joints has no field 'nmae'; did you mean 'name'?"),
    ],
)
def test_a_path_that_a_type_does_not_have_is_refused(path: str, expected: str) -> None:
    with pytest.raises(FieldPathError) as caught:
        FieldPath(path).require_in("a/Joints", TYPES.get)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", ".", "a..b", "a[", "a[]", "a[-1]", "a[1", "a[=x]", "a[b=]", "a[0][1]", "a b", "__c"],
)
def test_a_text_that_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(FieldPathError, match="expected"):
        FieldPath(text)
