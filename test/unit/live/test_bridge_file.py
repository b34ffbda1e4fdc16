# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The bridge file is read with units and defaults, and faults are named with their line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.live.bridge.configuration import Entry, parse_bridge
from charmie_dynamics.model.description.files import share_file


def entry_of(model: Model, text: str, name: str = "legs_joint") -> Entry:
    (source,) = parse_bridge(document(text, name), "test", model)
    return source.entries[0]


def document(entry: str, name: str = "legs_joint", kind: str = "joints") -> str:
    return (
        "sources:\n  one:\n    topic: /t\n    type: a_msgs/msg/T\n"
        f"    {kind}:\n      {name}: {{{entry}}}\n"
    )


def test_the_robots_file_gives_every_joint_of_its_model_once(lar: Model) -> None:
    path = share_file("config", "charmie_bridge.yaml")
    sources = parse_bridge(path.read_text(encoding="utf-8"), str(path), lar)
    names = [entry.name for source in sources for entry in source.entries]
    assert sorted(names) == sorted(lar.joint_names)


@pytest.mark.parametrize(
    "joint, field, expected",
    [
        ("legs_joint", 0.14, 0.14),
        ("torso_joint", 8.0, math.radians(8.0) - 0.15708),
        ("torso_joint", 64.0, math.radians(64.0) - 0.15708),
        ("neck_pan_joint", 30.0, math.radians(30.0)),
        ("neck_tilt_joint", 30.0, -math.radians(30.0)),
    ],
)
def test_the_robots_file_holds_the_published_conversions(
    lar: Model, joint: str, field: float, expected: float
) -> None:
    path = share_file("config", "charmie_bridge.yaml")
    sources = parse_bridge(path.read_text(encoding="utf-8"), str(path), lar)
    (entry,) = (e for source in sources for e in source.entries if e.name == joint)
    assert entry.factor * field + entry.offset == pytest.approx(expected, abs=1e-12)


def test_an_entry_of_a_field_alone_is_taken_as_it_is(lar: Model) -> None:
    entry = entry_of(lar, "field: x")
    assert (entry.factor, entry.offset, entry.quantum, entry.cutoff) == (1.0, 0.0, 0.0, 0.0)


def test_units_scale_sign_and_quantum_go_together(lar: Model) -> None:
    entry = entry_of(lar, "field: x, unit: mm, scale: 2, sign: -1, offset: 0.5, quantum: 3")
    assert (entry.factor, entry.offset, entry.quantum, entry.cutoff) == (-0.002, 0.5, 0.006, 1.0)


def test_a_measured_length_goes_to_the_actuator_lengths(lar: Model) -> None:
    (source,) = parse_bridge(document("field: x", "lift_actuator", "actuators"), "test", lar)
    assert source.entries[0].is_length


@pytest.mark.parametrize(
    "text, expected",
    [
        (document("field: x", "legs_jiont"), "test, line 6: sources.one.joints.legs_jiont"),
        (document("field: x", "legs_joint", "actuators"), "has no linear actuator 'legs_joint'"),
        (document("feild: x"), "line 6: sources.one.joints.legs_joint: unknown key 'feild'; did"),
        (document("field: x, unit: inch"), "'inch' is not one of"),
        (document("field: x, sign: 2"), "2 is not one of [-1, 1]"),
        (document("field: x, scale: 0"), "scale"),
        (document("field: x, offset: .nan"), "expected finite numbers"),
        (document("field: x, scale: 1e400"), "expected finite numbers"),
        (document("field: 'x['"), "line 6: sources.one.joints.legs_joint.field: 'x[' is no path"),
        (document("field: x, velocity: v, quantum: 1"), "either a velocity or smoothing"),
        (document("field: x, velocity: v, unit: yaw"), "no velocity with the unit yaw"),
        (document("field: x").replace("a_msgs/msg/T", "a_msgs/T"), "does not match"),
        (document("field: x").replace("/t\n", "/t t\n"), "does not match"),
        ("sources: {one: {topic: /t, type: a/msg/T}}", "expected joints or actuators, got neither"),
        ("sources: {}", "sources"),
        (
            document("field: x")
            + document("field: x", "torso_joint")
            .replace("sources:\n  one", "  two")[:-1]
            .replace("msg/T", "msg/U"),
            "line 9: sources.two.type: expected a_msgs/msg/T, as of the same topic above",
        ),
        ("", "'sources' is a required property"),
        ("[1]", "is not of type 'object'"),
        ("sources: *x", "aliases are not allowed"),
        (
            document("field: x") + document("field: x").replace("sources:\n  one", "  two"),
            "expected one source, also read from 'one'",
        ),
    ],
)
def test_a_fault_is_named_with_what_was_expected(lar: Model, text: str, expected: str) -> None:
    with pytest.raises(CharmieError) as caught:
        parse_bridge(text, "test", lar)
    assert expected in str(caught.value)
    assert str(caught.value).startswith("test")


def test_the_schema_is_installed_with_the_package() -> None:
    from charmie_dynamics.live.bridge import configuration

    setup = Path(__file__).resolve().parents[3] / "setup.py"
    assert configuration.SCHEMA_FILE.is_file()
    assert 'f"{PACKAGE}.live.bridge": ["*.json"]' in setup.read_text(encoding="utf-8")
