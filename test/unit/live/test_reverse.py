# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The bridge backwards: what it writes is what the bridge reads."""

from __future__ import annotations

import math
from array import array
from types import SimpleNamespace
from typing import Any

import pytest

from charmie_dynamics import Model
from charmie_dynamics.live.bridge.configuration import parse_bridge
from charmie_dynamics.live.bridge.field_path import FieldPath
from charmie_dynamics.live.bridge.reverse import JointValues, ReverseTranslator
from charmie_dynamics.live.bridge.translator import Translator

FIELDS: dict[str, dict[str, str]] = {
    "a_msgs/Torso": {"angle": "int32", "legs": "float", "up": "boolean"},
    "a_msgs/State": {"name": "sequence<string>", "position": "sequence<double>",
                     "velocity": "sequence<double>", "effort": "sequence<double>"},
    "a_msgs/Numbers": {"data": "sequence<double>", "fixed": "double[2]"},
    "a_msgs/Tree": {"transforms": "sequence<a_msgs/Transform>"},
    "a_msgs/Transform": {"child": "string", "x": "double", "rotation": "geometry_msgs/Quaternion"},
    "geometry_msgs/Quaternion": {"x": "double", "y": "double", "z": "double", "w": "double"},
}  # fmt: skip


def field_types(name: str) -> dict[str, str] | None:
    return FIELDS.get(name)


def make(name: str) -> Any:
    """Return an empty message of a type, as rclpy makes it."""
    values: dict[str, Any] = {}
    for field, kind in FIELDS[name].items():
        if kind == "sequence<double>":
            values[field] = array("d")
        elif kind.startswith("sequence"):
            values[field] = []
        elif kind == "double[2]":
            values[field] = array("d", [0.0, 0.0])
        elif kind in FIELDS:
            values[field] = make(kind)
        else:
            values[field] = "" if kind == "string" else 0
    return SimpleNamespace(**values)


def written(model: Model, kind: str, entries: str, values: dict[str, JointValues]) -> Any:
    """Return the message of a bridge file, and the values that the bridge reads from it."""
    text = f"sources:\n  one:\n    topic: /t\n    type: a_msgs/msg/{kind}\n    joints:\n{entries}"
    (source,) = parse_bridge(text, "test", model)
    message = ReverseTranslator(source, f"a_msgs/{kind}", field_types, make).message(values)
    return message, Translator(source, model).translate(message, 1).joints


def test_units_signs_offsets_and_steps_are_undone(lar: Model) -> None:
    entries = (
        "      torso_joint: {field: angle, unit: deg, sign: -1, offset: -0.2, quantum: 2}\n"
        "      legs_joint: {field: legs, unit: mm}\n"
    )
    values = {
        "torso_joint": JointValues(0.3, 0.0, math.nan),
        "legs_joint": JointValues(0.0123, 0.0, math.nan),
    }
    message, read = written(lar, "Torso", entries, values)
    assert message.legs == pytest.approx(12.3)
    assert message.angle == 2 * round(-math.degrees(0.5) / 2) and isinstance(message.angle, int)
    assert read.position[1] == pytest.approx(0.0123)
    assert read.position[0] == pytest.approx(0.3, abs=math.radians(1.0))


def test_numbers_beside_names_are_added_under_their_names(lar: Model) -> None:
    entries = "".join(
        f"      xarm_joint{k}: {{field: 'position[name=xarm_joint{k}]', sign: -1, "
        f"velocity: 'velocity[name=xarm_joint{k}]', effort: 'effort[name=xarm_joint{k}]'}}\n"
        for k in (1, 2, 3)
    )
    values = {f"xarm_joint{k}": JointValues(0.1 * k, -k, 2.0 * k) for k in (1, 2, 3)}
    message, read = written(lar, "State", entries, values)
    assert message.name == ["xarm_joint1", "xarm_joint2", "xarm_joint3"]
    assert list(message.effort) == [-2.0, -4.0, -6.0]
    assert read.position == pytest.approx([0.1, 0.2, 0.3])
    assert read.velocity == [-1.0, -2.0, -3.0] and read.effort == [2.0, 4.0, 6.0]


def test_numbers_by_their_index_are_put_there_and_others_are_unknown(lar: Model) -> None:
    entries = "      neck_pan_joint: {field: 'data[2]', scale: 2}\n"
    values = {"neck_pan_joint": JointValues(0.5, 0.0, 0.0)}
    message, read = written(lar, "Numbers", entries, values)
    assert [math.isnan(x) for x in message.data] == [True, True, False]
    assert read.position == [0.5]


def test_messages_are_found_by_a_text_and_a_heading_is_a_quaternion(lar: Model) -> None:
    entries = (
        "      base_x_joint: {field: 'transforms[child=base].x'}\n"
        "      base_yaw_joint: {field: 'transforms[child=base].rotation', unit: yaw, offset: 0.1}\n"
    )
    values = {
        "base_x_joint": JointValues(3.0, 0.0, 0.0),
        "base_yaw_joint": JointValues(-2.0, 0.0, 0.0),
    }
    message, read = written(lar, "Tree", entries, values)
    assert [t.child for t in message.transforms] == ["base"]
    assert read.position == pytest.approx([3.0, -2.0])


def test_an_array_of_fixed_length_has_its_entries_and_no_more() -> None:
    message = make("a_msgs/Numbers")
    types = "a_msgs/Numbers", field_types, make
    FieldPath("fixed[1]").put_in(message, 4.0, types)
    assert list(message.fixed) == [0.0, 4.0]
