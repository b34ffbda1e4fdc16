# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages become joint values and the lengths that belong to them."""

from __future__ import annotations

import math
from types import SimpleNamespace as Message

import pytest

from charmie_dynamics import Model
from charmie_dynamics.live.bridge.configuration import parse_bridge
from charmie_dynamics.live.bridge.translator import Translator, yaw_of

SECOND = 1_000_000_000


def translator(model: Model, **entries: str) -> Translator:
    joints = ", ".join(f"{name}: {{{entry}}}" for name, entry in entries.items())
    text = f"sources: {{one: {{topic: /t, type: a_msgs/msg/T, joints: {{{joints}}}}}}}"
    (source,) = parse_bridge(text, "test", model)
    return Translator(source, model)


def test_the_length_has_the_rate_that_belongs_to_the_joints(lar: Model) -> None:
    reader = translator(lar, legs_joint="field: x, velocity: v, effort: e, sign: -1")
    result = reader.translate(Message(x=-0.07, v=-0.02, e=5.0), 0)
    assert result.joints.names == ["legs_joint"]
    assert (result.joints.position, result.joints.velocity) == ([0.07], [0.02])
    assert result.joints.effort == [-5.0]
    length, rate, _ = lar.actuator_from_joint("legs_joint", 0.07, 0.02)
    assert result.lengths.names == ["lift_actuator"]
    assert (result.lengths.position, result.lengths.velocity) == ([length], [rate])


def test_a_length_without_a_rate_has_none(lar: Model) -> None:
    result = translator(lar, legs_joint="field: x").translate(Message(x=0.07), 0)
    assert math.isnan(result.joints.velocity[0])
    assert math.isnan(result.lengths.velocity[0])


def test_a_joint_beyond_the_dead_centre_has_no_length(lar: Model) -> None:
    result = translator(lar, torso_joint="field: x").translate(Message(x=3.0), 0)
    assert result.joints.names == ["torso_joint"]
    assert result.lengths.names == []
    assert "dead centre" in result.beyond["torso_joint"]


def test_what_is_absent_or_not_finite_is_left_out(lar: Model) -> None:
    paths = {k: f"field: 'p[{k - 1}]'" for k in (1, 2, 3)}
    reader = translator(lar, **{f"xarm_joint{k}": path for k, path in paths.items()})
    result = reader.translate(Message(p=[math.inf, 0.5]), 0)
    assert result.joints.names == ["xarm_joint2"]
    assert (result.not_finite, result.absent) == (["xarm_joint1"], ["xarm_joint3"])


def test_bytes_without_the_names_that_are_looked_for_need_not_be_decoded(lar: Model) -> None:
    reader = translator(lar, xarm_joint1="field: 'p[name=one]'", xarm_joint2="field: 'p[name=two]'")
    assert reader.may_hold(b"..two..")
    assert not reader.may_hold(b"..three..")
    assert translator(lar, xarm_joint1="field: x").may_hold(b"")


def test_a_heading_is_unwrapped_and_turned_as_the_entry_says(lar: Model) -> None:
    reader = translator(lar, base_yaw_joint="field: q, unit: yaw, sign: -1, offset: 0.5")
    found = []
    for k in range(9):  # two turns to the left, whose quaternions change their sign
        yaw = k * math.pi / 2.0
        q = Message(x=0.0, y=0.0, z=math.sin(yaw / 2.0), w=math.cos(yaw / 2.0))
        found += reader.translate(Message(q=q), k).joints.position
    expected = [0.5 - k * math.pi / 2.0 for k in range(9)]
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_heading_of_a_tilted_base_is_that_of_its_x_axis() -> None:
    # yaw 0.7 about z, then 0.3 about y: x axis turned by 0.7, whatever the length
    c, s, cy, sy = math.cos(0.35), math.sin(0.35), math.cos(0.15), math.sin(0.15)
    x, y, z, w = -s * sy, c * sy, s * cy, c * cy
    assert yaw_of(2 * x, 2 * y, 2 * z, 2 * w) == pytest.approx(0.7, abs=1e-12)
    assert math.isnan(yaw_of(0.0, 0.0, 0.0, 0.0))
