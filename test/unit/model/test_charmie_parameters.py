# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDF and mechanisms file hold the numbers of the reference parameters, every one of them."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from charmie_dynamics import Model
from charmie_dynamics.model.description.robot import Joint
from charmie_dynamics.model.model import DEFAULT_MECHANISMS, DEFAULT_URDF

# frames of INTERFACE.md's robot that stand for no body of the papers
EXTRA_FRAMES = {"world", "base_link", "base_footprint", "left_tool", "right_tool"}


@pytest.fixture(scope="module")
def given(reference: Path) -> dict[str, Any]:
    return yaml.safe_load((reference / "charmie_parameters.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def bodies(given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {body["name"]: body for body in given["bodies"]}


@pytest.fixture(scope="module")
def joints(charmie: Model) -> dict[str, Joint]:
    return {joint.child: joint for joint in charmie.tree.joints}


@pytest.fixture(scope="module")
def urdf_text(repository: Path) -> str:
    return repository.joinpath(*DEFAULT_URDF).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def loops(repository: Path) -> dict[str, Any]:
    return yaml.safe_load(repository.joinpath(*DEFAULT_MECHANISMS).read_text(encoding="utf-8"))


def angle(text: Any) -> float:
    values = {"pi": math.pi, "pi/2": math.pi / 2, "-pi/2": -math.pi / 2}
    return values[text] if text in values else float(text)


def zxz(angles: list[Any]) -> np.ndarray:
    result = np.eye(3)
    for value, axis in zip(map(angle, angles), "zxz", strict=True):
        c, s = math.cos(value), math.sin(value)
        about_z = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        about_x = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        result = result @ (about_z if axis == "z" else about_x)
    return result


def test_links_are_the_bodies_and_a_few_frames(charmie: Model, bodies: dict[str, Any]) -> None:
    assert set(charmie.tree.links) == set(bodies) | EXTRA_FRAMES


def test_joints_have_name_type_and_parent(joints: dict[str, Joint], bodies: dict[str, Any]) -> None:
    for name, body in bodies.items():
        got, expected = joints[name], body["joint"]
        # a revolute joint without limits is `continuous` in URDF
        kind = "revolute" if got.type == "continuous" else got.type
        assert (got.name, kind, got.parent) == (expected["name"], expected["type"], body["parent"])


def test_joints_have_axis_and_mimic(joints: dict[str, Joint], bodies: dict[str, Any]) -> None:
    for name, body in bodies.items():
        got, expected = joints[name], body["joint"]
        if expected["type"] != "fixed":
            assert got.axis.tolist() == expected["axis"]
        if "mimic" in expected:
            assert got.mimic.joint == expected["mimic"]["joint"]
            assert (got.mimic.multiplier, got.mimic.offset) == (
                expected["mimic"]["multiplier"],
                0.0,
            )
        else:
            assert got.mimic is None


def test_joints_have_origin_and_constant_rotation(
    joints: dict[str, Joint], bodies: dict[str, Any]
) -> None:
    for name, body in bodies.items():
        assert joints[name].p_parent_joint.tolist() == body["origin"]
        expected = zxz(body.get("zxz", [0, 0, 0]))
        np.testing.assert_allclose(joints[name].R_parent_joint, expected, rtol=0.0, atol=1e-15)


def test_inertials_are_those_given_and_the_rest_is_massless(
    charmie: Model, given: dict[str, Any]
) -> None:
    for name, link in charmie.tree.links.items():
        if name not in given["inertials"]:
            assert link.inertial is None
            continue
        expected = given["inertials"][name]
        assert link.inertial.mass == expected["mass"]
        assert link.inertial.p_link_com.tolist() == expected["com"]
        assert link.inertial.inertia.tolist() == np.diag(expected["inertia"]).tolist()


def test_tool_points(joints: dict[str, Joint], given: dict[str, Any]) -> None:
    for name, tool in given["tool_points"].items():
        assert (joints[name].parent, joints[name].type) == (tool["body"], "fixed")
        assert joints[name].p_parent_joint.tolist() == tool["point"]
        assert joints[name].R_parent_joint.tolist() == np.eye(3).tolist()


def test_rep_103_frames_stand_on_the_base_with_x_to_its_front(joints: dict[str, Joint]) -> None:
    # x forward is the robot's y, y left its -x; the footprint is on the floor
    for name, height in (("base_link", 0.0), ("base_footprint", -0.0368)):
        joint = joints[name]
        assert (joint.parent, joint.type) == ("base", "fixed")
        assert joint.p_parent_joint.tolist() == [0.0, 0.0, height]
        np.testing.assert_allclose(
            joint.R_parent_joint, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], rtol=0.0, atol=1e-15
        )


def test_linear_actuators(charmie: Model, given: dict[str, Any]) -> None:
    assert [a.name for a in charmie.mechanisms.linear_actuators] == list(given["linear_actuators"])
    for got in charmie.mechanisms.linear_actuators:
        expected = given["linear_actuators"][got.name]
        assert got.joint == expected["joint"]
        assert (got.base_body, got.tip_body) == (expected["base_body"], expected["tip_body"])
        assert list(got.base_point) == expected["base_point"]
        assert list(got.tip_point) == expected["tip_point"]
        assert [got.limit.lower, got.limit.upper] == expected["length_limits"]
        assert got.branch == expected.get("branch", "upright")


def test_undetermined_reactions_are_halved(charmie: Model) -> None:
    # multibody paper, eq. 36, 38 and 43; eq. 42 leaves nothing to the lift actuator
    shares = [a.reaction_share for a in charmie.mechanisms.linear_actuators]
    assert shares == [0.0, 0.5]
    assert [b.torque_share for b in charmie.mechanisms.balance_mechanisms] == [0.5, 0.5]


NUMBERS = ["stiffness", "free_length", "pretension"]


def test_springs(charmie: Model, given: dict[str, Any]) -> None:
    assert [s.name for s in charmie.mechanisms.springs] == list(given["springs"])
    for got in charmie.mechanisms.springs:
        expected = given["springs"][got.name]
        assert (got.base_body, got.tip_body) == (expected["base_body"], expected["tip_body"])
        assert list(got.base_point) == expected["base_point"]
        assert list(got.tip_point) == expected["tip_point"]
        assert [getattr(got, key) for key in NUMBERS] == [expected[key] for key in NUMBERS]


def test_balance_mechanisms(charmie: Model, given: dict[str, Any]) -> None:
    parts = charmie.mechanisms.balance_mechanisms
    assert [part.name for part in parts] == list(given["balance_mechanisms"])
    for got in parts:
        expected = dict(given["balance_mechanisms"][got.name])
        del expected["source"]
        for key, value in expected.items():
            found = getattr(got, key)
            assert (list(found) if isinstance(value, list) else found) == value, key


def test_gravity_and_base(charmie: Model, given: dict[str, Any]) -> None:
    assert list(charmie.mechanisms.gravity) == given["gravity"]
    assert charmie.mechanisms.base_body == "base"
    assert charmie.mechanisms.base_joints == ("base_x_joint", "base_y_joint", "base_yaw_joint")


@pytest.mark.parametrize("group", ["linear_actuators", "springs", "balance_mechanisms"])
def test_mechanisms_file_marks_each_entry_as_the_reference_does(
    loops: dict[str, Any], given: dict[str, Any], group: str
) -> None:
    marks = {name: entry["source"] for name, entry in loops[group].items()}
    assert marks == {name: entry["source"] for name, entry in given[group].items()}


def test_mechanisms_file_says_which_groups_are_estimates(charmie: Model) -> None:
    assert dict(charmie.mechanisms.sources) == {
        "contact": "estimated",
        "geometry": "published",
        "inertials": "estimated",
        "limits": "estimated",
        "springs": "estimated",
        "wheel_contacts": "estimated",
    }


def test_wheel_contacts_are_below_the_wheels_on_the_floor(charmie: Model) -> None:
    wheels = [
        visual
        for visual in charmie.tree.links["base"].visuals
        if visual.kind == "cylinder" and visual.size[0] == 0.05
    ]
    lowest = {(*v.p_link_visual[:2], round(v.p_link_visual[2] - v.size[0], 9)) for v in wheels}
    assert set(charmie.mechanisms.wheel_contacts) == lowest
    _, _, z = charmie.mechanisms.wheel_contacts[0]
    assert charmie.compute(charmie.zero_position()).frame("base")[0][2] + z == 0.0


def test_limits_of_the_linear_actuators_are_marked_as_estimates(repository: Path) -> None:
    text = repository.joinpath(*DEFAULT_MECHANISMS).read_text(encoding="utf-8")
    for name in ("lift_actuator", "torso_actuator"):
        comment = re.search(rf"((?:  #[^\n]*\n)+)  {name}:", text)
        assert comment is not None
        assert "limits are estimated" in " ".join(comment[1].replace("#", " ").split())


@pytest.mark.parametrize(
    "words", ["every mass and inertia", "every other centre of mass", "all limits", "right tool"]
)
def test_urdf_marks_what_is_estimated(urdf_text: str, words: str) -> None:
    header = " ".join(urdf_text[: urdf_text.index("<robot")].split())
    estimated = header[header.index(" estimated ") : header.index("Replace them")]
    assert words in estimated


def test_urdf_marks_what_is_published(urdf_text: str) -> None:
    header = " ".join(urdf_text[: urdf_text.index("<robot")].split())
    published = header[header.index(" published ") : header.index(" estimated ")]
    assert "joint types, axes and origins" in published
    assert "centre of mass" in published
    assert "head" in published


def test_every_actuator_has_a_range_and_rated_effort_and_velocity(charmie: Model) -> None:
    for name, limit in zip(charmie.actuator_names, charmie.actuator_limits(), strict=True):
        assert limit.lower < limit.upper, name
        assert 0.0 < limit.effort < math.inf, name
        assert 0.0 < limit.velocity < math.inf, name


def test_range_of_a_driven_joint_lies_within_that_of_its_actuator(charmie: Model) -> None:
    for actuator in charmie.mechanisms.linear_actuators:
        limit = next(j.limit for j in charmie.tree.joints if j.name == actuator.joint)
        for q in (limit.lower, limit.upper):
            length, _, _ = charmie.actuator_from_joint(actuator.joint, q)
            assert actuator.limit.lower <= length <= actuator.limit.upper + 1e-4
