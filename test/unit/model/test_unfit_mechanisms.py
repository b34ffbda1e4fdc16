# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanisms that do not fit their robot, or each other, are told with their line."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_texts import robot
from refusals import refusal

from charmie_dynamics import load_model

LOOPS = """\
base_body: lug
rest_pose:
  luff: 0.0
linear_actuators:
  push:
    joint: luff
    base_body: base
    base_point: [0.1, 0, 0.2]
    tip_body: arm
    tip_point: [0.3, 0, 0.1]
springs:
  pull:
    base_body: base
    base_point: [0, 0, 0]
    tip_body: arm
    tip_point: [0.5, 0, 0]
    stiffness: 100
    free_length: 0.1
"""
ARM = robot(
    '<link name="base"/><link name="arm"/><link name="lug"/><link name="pull_tip"/>'
    '<joint name="luff" type="revolute"><parent link="base"/><child link="arm"/>'
    '<origin xyz="0 0 1"/><axis xyz="0 1 0"/></joint>'
    '<joint name="weld" type="fixed"><parent link="base"/><child link="lug"/></joint>'
    '<joint name="weld_2" type="fixed"><parent link="base"/><child link="pull_tip"/></joint>'
)
UNFIT = {
    "base body": ("base_body: lug", "base_body: lag", 1, "'lag' is no link; did you mean 'lug'"),
    "rest pose": ("", "", 3, "'luff' is no actuator"),
    "joint": ("joint: luff", "joint: weld", 6, "'weld' is no independent movable joint"),
    "body of an actuator": ("base_body: base", "base_body: bass", 7, "did you mean 'base'"),
    "pins on one side": ("tip_body: arm", "tip_body: lug", 5, "one pin on each side"),
    "body of a spring": (
        "base_body: base\n    base_point: [0, 0, 0]",
        "base_body: bass\n    base_point: [0, 0, 0]",
        13,
        "spring 'pull': base_body 'bass' is no link",
    ),
    "name of a frame": ("", "", 12, "frame name 'pull_tip' is used more than once"),
}


@pytest.mark.parametrize("what", UNFIT)
def test_mechanism_that_does_not_fit_its_robot_is_told_with_its_line(
    what: str, tmp_path: Path
) -> None:
    old, new, line, reason = UNFIT[what]
    urdf, loops = tmp_path / "arm.urdf", tmp_path / "loops.yaml"
    urdf.write_text(ARM, encoding="utf-8")
    text = LOOPS.replace(old, new, 1) if old else LOOPS
    if what != "rest pose":
        text = text.replace("  luff: 0.0", "  push: 1.0", 1)
    loops.write_text(text, encoding="utf-8")
    message = refusal(lambda: load_model(urdf=urdf, mechanisms=loops))
    assert message.startswith(f"{loops}, line {line}: ")
    assert reason in message
