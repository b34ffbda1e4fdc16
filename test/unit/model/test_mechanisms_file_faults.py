# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of a mechanisms file are told with its name, the line and the reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from model_texts import changed, robot

from charmie_dynamics import Model, ModelFileError, load_model
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf


def line(text: str, words: str) -> str:
    """Return how a message names the line on which `words` first stand."""
    return f"line {text[: text.index(words)].count(chr(10)) + 1}:"


# what is wrong: words of the file, what they become, where the message points, what it says
REFUSED = {
    "unknown key of an actuator": (
        "effort_limit: 900.0",
        "effort_limits: 900.0",
        "effort_limits",
        ["jib_cylinder", "unknown key 'effort_limits'", "did you mean 'effort_limit'"],
    ),
    "unknown key of the file": (
        "springs:",
        "sprngs:",
        "sprngs",
        ["top level", "unknown key 'sprngs'", "did you mean 'springs'"],
    ),
    "text for a number": (
        "stiffness: 300.0",
        "stiffness: stiff",
        "stiffness: stiff",
        ["springs.jib_spring.stiffness", "'stiff'", "number"],
    ),
    "number for a name": (
        "joint: luff",
        "joint: 7",
        "joint: 7",
        ["linear_actuators.jib_cylinder.joint", "7", "string"],
    ),
    "point of two numbers": (
        "[0.02, 0.03, -0.01]",
        "[0.02, 0.03]",
        "[0.02, 0.03]",
        ["linear_actuators.jib_cylinder.base_point"],
    ),
    "negative stiffness": (
        "stiffness: 300.0",
        "stiffness: -300.0",
        "stiffness: -300.0",
        ["springs.jib_spring.stiffness", "-300.0", "minimum of 0"],
    ),
    "NaN": (
        "pretension: 20.0",
        "pretension: .nan",
        "pretension: .nan",
        ["springs.jib_spring.pretension", "finite", "nan"],
    ),
    "tracked point without a frame": (
        "springs:",
        "tracked_points:\n  hook: {point: [0, 0, 1]}\nsprings:",
        "hook:",
        ["tracked_points.hook", "'frame'", "required"],
    ),
    "tracked point whose name is no part of a topic": (
        "springs:",
        "tracked_points:\n  my-hook: {frame: jib}\nsprings:",
        "tracked_points:",
        ["tracked_points", "my-hook"],
    ),
    "tracked point of an unknown frame": (
        "springs:",
        "tracked_points:\n  hook: {frame: jib_spring_tp}\nsprings:",
        "frame: jib_spring_tp",
        ["tracked_points: hook", "'jib_spring_tp' is no frame", "did you mean 'jib_spring_tip'"],
    ),
    "missing key": (
        "    stiffness: 300.0\n",
        "",
        "jib_spring:",
        ["springs.jib_spring", "'stiffness'", "required"],
    ),
    "unknown branch": (
        "effort_limit: 900.0",
        "branch: upside_down",
        "branch: upside_down",
        ["'upside_down'", "upright", "inverted"],
    ),
    "side that is none": ("side: -1", "side: 2", "side: 2", ["side", "2"]),
    "share above one": (
        "torque_share: 0.3",
        "torque_share: 1.3",
        "torque_share: 1.3",
        ["torque_share", "1.3", "maximum of 1"],
    ),
    "reversed lengths": (
        "length_limits: [0.35, 1.05]",
        "length_limits: [1.05, 0.35]",
        "length_limits: [1.05",
        ["jib_cylinder", "lower < upper", "1.05 and 0.35"],
    ),
    "spring arm beyond the bar": (
        "spring_arm: 0.1\n",
        "spring_arm: 0.3\n",
        "spring_arm: 0.3",
        ["hoist_balance_a", "bar_length 0.25", "0.3"],
    ),
    "one name for two things": (
        "  hoist_balance_b:",
        "  jib_spring:",
        None,
        ["'jib_spring'", "more than once"],
    ),
    "unknown body": (
        "base_body: lug",
        "base_body: lgu",
        "base_body: lgu",
        ["'jib_cylinder'", "base_body 'lgu'", "did you mean 'lug'"],
    ),
    "unknown base": (
        "base_body: mast",
        "base_body: mst",
        "base_body: mst",
        ["base_body 'mst'", "did you mean 'mast'"],
    ),
    "rest pose of no actuator": (
        "base_body: mast",
        "rest_pose: {luff: 0.1}",
        "rest_pose",
        ["rest_pose", "'luff'", "jib_cylinder"],
    ),
    "rest pose beyond the range": (
        "base_body: mast",
        "rest_pose: {slew: 9.0}",
        None,
        ["rest_pose", "'slew'", "9", "-1.5", "1.5"],
    ),
    "negative friction": (
        "base_body: mast",
        "friction: {slew: {viscous: 1.0, coulomb: -2.0}}",
        None,
        ["friction.slew.coulomb", "-2.0", "minimum of 0"],
    ),
    "contact threshold of no actuator": (
        "base_body: mast",
        "contact: {thresholds: {slw: 3.0}}",
        None,
        ["contact.thresholds", "'slw'", "did you mean 'slew'"],
    ),
    "unknown joint": (
        "joint: luff",
        "joint: lufff",
        "joint: lufff",
        ["'lufff'", "did you mean 'luff'"],
    ),
    "mimic for a driven joint": (
        "joint: luff",
        "joint: grip_b",
        None,
        ["'grip_b'", "no independent movable joint"],
    ),
    "actuator of another joint": (
        "joint: travel",
        "joint: luff",
        None,
        ["one pin on each side of joint 'luff'"],
    ),
    "actuator with the name of a joint": (
        "  trolley_spindle:",
        "  swivel:",
        None,
        ["'swivel'", "name of a joint"],
    ),
    "spring with both ends on one link": (
        "tip_body: jib\n    tip_point: [0.1, 0.2, 0.3]",
        "tip_body: mast\n    tip_point: [0.1, 0.2, 0.3]",
        "tip_body: mast",
        ["spring 'jib_spring'", "expected two links", "'mast' twice"],
    ),
    "unknown base joint": (
        "base_body: mast",
        "base_joints:\n  - slew\n  - slw",
        "- slw\n",
        ["'slw'", "no independent movable joint", "did you mean 'slew'"],
    ),
    "base joint named twice": (
        "base_body: mast",
        "base_joints: [slew, slew]",
        "base_joints",
        ["base_joints", "non-unique"],
    ),
    "pins on one side of the joint": (
        "tip_body: bracket",
        "tip_body: jib",
        "jib_cylinder:",
        ["'jib_cylinder'", "each side of joint 'luff'", "'lug' and 'jib'"],
    ),
    "pin beyond the next joint": (
        "tip_body: bracket",
        "tip_body: floor",
        None,
        ["'jib_cylinder'", "each side of joint 'luff'", "'lug' and 'floor'"],
    ),
    "share beside a slide": (
        "effort_limit: 400.0",
        "reaction_share: 0.5",
        None,
        ["'trolley_spindle'", "reaction_share", "prismatic", "expected 0"],
    ),
    "lengths beyond the reach": (
        "length_limits: [0.35, 1.05]",
        "length_limits: [0.35, 1.2]",
        None,
        ["'jib_cylinder'", "0.35 to 1.2 m", "within the reach, ends excluded: 0.291416 to 1.08377"],
    ),
    "balance on a joint that turns": (
        "carried_body: cabin",
        "carried_body: jib",
        None,
        ["'hoist_balance_a'", "'jib'", "prismatic joint along z of frame_body 'mast'"],
    ),
    "balance on a skew slide": (
        "frame_body: mast\n    carried_body: cabin",
        "frame_body: jib\n    carried_body: trolley",
        None,
        ["'hoist_balance_a'", "'trolley'", "prismatic joint along z"],
    ),
    "torque shares above one together": (
        "torque_share: 0.3",
        "torque_share: 0.5",
        None,
        ["'hoist_balance_b'", "'cabin'", "not exceed 1", "1.1"],
    ),
    "spring anchor outside the plane of its bar": (
        "spring_anchor: [0.1, 0.08, 0.7]",
        "spring_anchor: [0.1, 0.18, 0.7]",
        None,
        ["'hoist_balance_a'", "spring_anchor"],
    ),
    "contacts at two heights": (
        "base_body: mast",
        "base_body: mast\nwheel_contacts: [[0, 0, 0], [1, 0, 0], [0, 1, 0.1]]",
        "wheel_contacts",
        ["wheel_contacts", "same z", "0.0 to 0.1"],
    ),
    "contacts in a line": (
        "base_body: mast",
        "base_body: mast\nwheel_contacts: [[0, 0, 0], [1, 1, 0], [2, 2, 0]]",
        "wheel_contacts",
        ["wheel_contacts", "enclose an area", "got 3 in a line"],
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_faulty_file_is_refused_with_its_reason(what: str, text: str, load) -> None:
    old, new, where, reasons = REFUSED[what]
    faulty = changed(text, old, new)
    with pytest.raises(ModelFileError) as caught:
        load(faulty)
    message = str(caught.value)
    assert "loops.yaml" in message
    for words in reasons:
        assert words in message
    if where is not None:
        assert line(faulty, where) in message


def test_list_for_the_file_is_refused(load) -> None:
    with pytest.raises(ModelFileError, match=r"line 1: document: .*object"):
        load("- robot\n")


def test_deep_nesting_is_refused(load) -> None:
    with pytest.raises(ModelFileError):
        load("robot: " + "[" * 5000)


def test_pin_on_the_axis_of_the_joint_is_refused(load, text: str) -> None:
    on_axis = changed(text, "base_body: lug", "base_body: jib")
    on_axis = changed(on_axis, "base_point: [0.02, 0.03, -0.01]", "base_point: [0.6, 0.1, -0.3]")
    with pytest.raises(ModelFileError, match=r"'jib_cylinder': a pin lies on the axis of 'luff'"):
        load(on_axis)


def test_loop_at_a_dead_centre_in_the_zero_position_is_refused(load, text: str) -> None:
    level = changed(text, "[0.1, -0.2, 0.15]", "[0.0, 0.3, 0.05]")
    level = changed(level, "tip_point: [0.04, 0.02, 0.03]", "tip_point: [0.2, 0.0, 0.3]")
    with pytest.raises(ModelFileError, match=r"'trolley_spindle': .* dead centre"):
        load(level)


def test_missing_file_is_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=re.escape(str(tmp_path / "none.yaml"))):
        load_model(urdf=data / "crane.urdf", mechanisms=tmp_path / "none.yaml")


@pytest.mark.parametrize("name", ["passive", "mimic", "fixed", "planar", "planar/x", "floating/qw"])
def test_actuator_with_the_name_of_a_joint_or_coordinate_is_refused(name: str) -> None:
    kinds = {"driven": "continuous", "passive": "continuous", "mimic": "continuous"}
    kinds.update({kind: kind for kind in ("fixed", "planar", "floating")})
    parts = [f'<link name="{link}"/>' for link in ("root", *kinds)]
    for joint, kind in kinds.items():
        mimic = '<mimic joint="driven"/>' if joint == "mimic" else ""
        parts.append(
            f'<joint name="{joint}" type="{kind}"><parent link="root"/><child link="{joint}"/>'
            f"{mimic}</joint>"
        )
    mechanisms = parse_mechanisms(
        "passive_joints: [passive]\nlinear_actuators:\n"
        f"  {name}: {{joint: driven, base_body: root, base_point: [0, 1, 0], tip_body: driven, "
        "tip_point: [0, 0, 1]}\n",
        "arm.yaml",
    )
    with pytest.raises(ModelFileError, match=f"line 3: .*'{name}' has the name of a joint or of"):
        Model(parse_urdf(robot("".join(parts)), "arm.urdf"), mechanisms, "arm.yaml")
