# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from pose_series import turn

from charmie_dynamics import Model, ModelFileError, load_model
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.urdf import parse_urdf

X, Y, Z = np.eye(3)
INERTIA = '<inertia ixx="0.3" ixy="0.02" ixz="-0.01" iyy="0.4" iyz="0.03" izz="0.5"/>'


def robot(inside: str) -> str:
    return f'<robot name="test">{inside}</robot>'


def links(*names: str) -> str:
    return "".join(f'<link name="{name}"/>' for name in names)


def joint(
    name: str = "j", parent: str = "a", child: str = "b", kind: str = "revolute", inside: str = ""
) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def inertial(mass: str = "1", inertia: str = INERTIA, origin: str = "") -> str:
    return f'<inertial>{origin}<mass value="{mass}"/>{inertia}</inertial>'


def model_of(text: str) -> Model:
    return Model(parse_urdf(text, "test.urdf"), MechanismSet())


def limit(lower: str, upper: str) -> str:
    return f'<limit lower="{lower}" upper="{upper}" effort="3" velocity="2"/>'


TWO = links("a", "b")


def test_axis_of_any_length_becomes_a_unit_vector() -> None:
    text = robot(TWO + joint(inside='<axis xyz="0 -3 4"/>'))
    assert parse_urdf(text, "t").joints[0].axis.tolist() == pytest.approx([0.0, -0.6, 0.8])


def test_axis_is_x_where_none_is_given() -> None:
    assert parse_urdf(robot(TWO + joint()), "t").joints[0].axis.tolist() == [1.0, 0.0, 0.0]


def test_turned_joint_turns_about_its_axis_in_the_turned_frame() -> None:
    origin = '<origin xyz="1 2 3" rpy="0.1 -0.2 0.3"/><axis xyz="0 0.6 0.8"/>'
    model = model_of(robot(TWO + joint(inside=origin)))
    p, R = model.compute([0.7]).frame("b")
    fixed = turn(Z, 0.3) @ turn(Y, -0.2) @ turn(X, 0.1)
    assert p.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_allclose(R, fixed @ turn(np.array([0.0, 0.6, 0.8]), 0.7), atol=1e-15)


def test_continuous_joint_turns_without_limits() -> None:
    text = robot(TWO + joint(kind="continuous", inside=limit("-1", "1")))
    model = model_of(text)
    assert (model.actuator_limits()[0].lower, model.actuator_limits()[0].upper) == (
        -math.inf,
        math.inf,
    )
    np.testing.assert_allclose(model.compute([7.0]).frame("b")[1], turn(X, 7.0), atol=1e-15)


def test_limits_are_read() -> None:
    got = parse_urdf(robot(TWO + joint(inside=limit("-0.5", "1.5"))), "t").joints[0].limit
    assert (got.lower, got.upper, got.effort, got.velocity) == (-0.5, 1.5, 3.0, 2.0)


@pytest.mark.parametrize("order", itertools.permutations(range(3)))
def test_chain_of_mimics_follows_its_leader_with_all_offsets(order: tuple[int, ...]) -> None:
    joints = (
        joint("lead", "a", "b"),
        joint("second", "a", "c", inside='<mimic joint="lead" multiplier="-2" offset="0.3"/>'),
        joint("third", "a", "d", inside='<mimic joint="second" multiplier="0.5" offset="-1"/>'),
    )
    model = model_of(robot(links("a", "b", "c", "d") + "".join(joints[k] for k in order)))
    assert model.joint_names == ("lead",)
    state = model.compute([0.4])
    for frame, angle in (("b", 0.4), ("c", -2 * 0.4 + 0.3), ("d", 0.5 * (-2 * 0.4 + 0.3) - 1.0)):
        np.testing.assert_allclose(state.frame(frame)[1], turn(X, angle), atol=1e-15)


def test_mimic_has_multiplier_one_and_offset_zero_where_none_is_given() -> None:
    followers = joint("second", "a", "c", inside='<mimic joint="j"/>')
    state = model_of(robot(links("a", "b", "c") + joint() + followers)).compute([0.4])
    np.testing.assert_array_equal(state.frame("b")[1], state.frame("c")[1])


def test_inertial_in_a_turned_frame_is_turned_to_the_axes_of_the_link() -> None:
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.4 -0.5 0.6"/>'
    text = robot(f'<link name="a">{inertial(origin=origin)}</link>')
    got = parse_urdf(text, "t").links["a"].inertial
    R = turn(Z, 0.6) @ turn(Y, -0.5) @ turn(X, 0.4)
    given = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.5]])
    assert got.p_link_com.tolist() == [0.1, 0.2, 0.3]
    np.testing.assert_allclose(got.inertia, R @ given @ R.T, atol=1e-15)


def test_joints_keep_the_order_of_the_file_and_links_may_come_in_any() -> None:
    text = robot(
        joint("z", "b", "c")
        + links("c", "b", "a", "d")
        + joint("y", "a", "b")
        + joint("x", "a", "d")
    )
    model = model_of(text)
    assert model.joint_names == ("z", "y", "x")
    assert model.frame_names[0] == "a"
    assert model.frame_names.index("b") < model.frame_names.index("c")


MIMIC = '<mimic joint="{}"/>'
HOLLOW = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="{}"/>'


def link_a(inside: str) -> str:
    return robot(f'<link name="a">{inside}</link>')


# what is wrong: the text, and what the message must say
MALFORMED = {
    "cycle without root": (
        robot(TWO + joint() + joint("k", "b", "a")),
        ["one root", "got 0", "cycle"],
    ),
    "two parents": (
        robot(links("a", "b", "c") + joint("j", "a", "c") + joint("k", "b", "c")),
        ["'c'", "child of 2 joints"],
    ),
    "unknown parent": (
        robot(links("base", "b") + joint(parent="bsae")),
        ["joint 'j'", "parent link 'bsae'", "did you mean 'base'"],
    ),
    "repeated joint": (
        robot(links("a", "b", "c") + joint() + joint(child="c")),
        ["joint name 'j'", "more than once"],
    ),
    "no link": (robot(""), ["'test'", "no link"]),
    "axis that is not finite": (
        robot(TWO + joint(inside='<axis xyz="0 nan 1"/>')),
        ["joint 'j'", "axis", "finite", "nan"],
    ),
    "inertia that is not finite": (
        link_a(inertial(inertia=HOLLOW.format("inf"))),
        ["link 'a'", "inertia izz", "finite", "inf"],
    ),
    "joint type that is not supported": (
        robot(TWO + joint(kind="screw")),
        ["joint 'j'", "type 'screw'", "revolute"],
    ),
    "mimic of a fixed joint": (
        robot(
            links("a", "b", "c")
            + joint("f", "a", "b", "fixed")
            + joint("j", "b", "c", inside=MIMIC.format("f"))
        ),
        ["joint 'j'", "mimics 'f'", "fixed"],
    ),
    "mimic of itself": (
        robot(TWO + joint(inside=MIMIC.format("j"))),
        ["joint 'j'", "mimics 'j'", "itself"],
    ),
    "mimics in a ring": (
        robot(
            links("a", "b", "c")
            + joint("j", "a", "b", inside=MIMIC.format("k"))
            + joint("k", "b", "c", inside=MIMIC.format("j"))
        ),
        ["joint 'j'", "itself", "j -> k"],
    ),
    "mimic without a number": (
        robot(
            links("a", "b", "c")
            + joint()
            + joint("k", "b", "c", inside='<mimic joint="j" offset="nan"/>')
        ),
        ["joint 'k'", "mimic", "finite"],
    ),
    "no XML": ("robot: crane", ["not a valid URDF"]),
    "other XML": ("<sdf><model/></sdf>", ["not a valid URDF", "robot"]),
    "empty": ("", ["not a valid URDF"]),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_urdf_is_refused_with_its_reason(what: str, tmp_path: Path) -> None:
    text, reasons = MALFORMED[what]
    path = tmp_path / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelFileError) as caught:
        load_model(urdf=path)
    for words in (str(path), *reasons):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "reason"), [("missing", "No such file"), ("folder", "directory"), ("latin", "UTF-8")]
)
def test_file_that_cannot_be_read_is_refused_with_its_reason(
    kind: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "robot.urdf"
    if kind == "folder":
        path.mkdir()
    elif kind == "latin":
        path.write_bytes('<robot name="zürich"/>'.encode("latin-1"))
    with pytest.raises(ModelFileError) as caught:
        load_model(urdf=path)
    assert str(path) in str(caught.value)
    assert reason.lower() in str(caught.value).lower()


def test_parts_of_a_description_with_arrays_compare_by_identity() -> None:
    inside = '<link name="a"><inertial><mass value="1"/></inertial></link>'
    first, second = (parse_urdf(robot(inside), "arm.urdf").links["a"].inertial for _ in range(2))
    assert first == first and first != second
    assert len({first, second}) == 2
