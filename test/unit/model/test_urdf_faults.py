# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of a URDF are told with file, line and reason; those in what is not read do no harm."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from model_texts import MASS, robot
from refusals import refusal

from charmie_dynamics.model.description import urdf
from charmie_dynamics.model.description.urdf import parse_urdf

# where and why: each text has its fault on line 3
FAULTS = {
    "mass negative": (f'<link name="b">{MASS.format("-2")}</link>', "link 'b': mass"),
    "mass NaN": (f'<link name="b">{MASS.format("nan")}</link>', "link 'b', inertial, mass value"),
    "mass missing": ('<link name="b"><inertial/></link>', "<mass> is missing"),
    "mass in digits with underscores": (
        f'<link name="b">{MASS.format("1_0")}</link>',
        "expected a number, got '1_0'",
    ),
    "mass beyond all bodies": (f'<link name="b">{MASS.format("1e31")}</link>', "up to 1e+30"),
    "inertia incomplete": (
        '<link name="b"><inertial><mass value="1"/><inertia ixx="1"/></inertial></link>',
        "attribute 'ixy' is missing",
    ),
    "two inertials": (
        f'<link name="b">{MASS.format(1)}{MASS.format(2)}</link>',
        "link 'b', inertial: occurs twice, first on line 3",
    ),
    "zero axis": (
        '<joint name="j" type="revolute"><parent link="a"/><child link="c"/><axis xyz="0 0 0"/>'
        "</joint>",
        "joint 'j', axis: axis must not be zero",
    ),
    "axis without numbers": (
        '<joint name="j" type="revolute"><parent link="a"/><child link="c"/><axis/></joint>',
        "joint 'j', axis: not a valid URDF: attribute 'xyz' is missing",
    ),
    "limits reversed": (
        '<joint name="j" type="revolute"><parent link="a"/><child link="c"/>'
        '<limit lower="1" upper="-1" effort="1" velocity="1"/></joint>',
        "joint 'j', limit: lower limit must not exceed the upper, got 1.0 and -1.0",
    ),
    "limit without effort": (
        '<joint name="j" type="revolute"><parent link="a"/><child link="c"/>'
        '<limit lower="-1" upper="1" velocity="1"/></joint>',
        "attribute 'effort' is missing",
    ),
    "link missing": (
        '<joint name="j" type="revolute"><parent link="a"/><child link="x"/></joint>',
        "child link 'x' does not exist",
    ),
    "link without name": ("<link/>", "link: not a valid URDF: attribute 'name' is missing"),
    "link with an empty name": ('<link name=""/>', "attribute 'name' is empty"),
    "duplicate link": ('<link name="a"/>', "link name 'a' is used more than once, first on line 2"),
    "duplicate attribute": ('<link name="b" name="c"/>', "duplicate attribute"),
    "two roots": ('<link name="b"/>', "expected one root link (child of no joint), got 3"),
    "mesh without a path": (
        '<link name="b"><visual><geometry><mesh/></geometry></visual></link>',
        "visual, geometry, mesh: not a valid URDF: attribute 'filename' is missing",
    ),
    "shape of no size": (
        '<link name="b"><visual><geometry><sphere radius="nan"/></geometry></visual></link>',
        "sphere radius: expected a number, finite",
    ),
    "negative shape": (
        '<link name="b"><visual><geometry><box size="1 -1 1"/></geometry></visual></link>',
        "box: sizes must not be negative",
    ),
    "two shapes in one": (
        '<link name="b"><visual><geometry><sphere radius="1"/><sphere radius="1"/></geometry>'
        "</visual></link>",
        "expected one shape, got 2",
    ),
    "color that is not finite": (
        '<material name="m"><color rgba="1 nan 0 1"/></material>',
        "material 'm', color rgba: expected 4 numbers, finite",
    ),
    "color without a name": (
        '<material><color rgba="1 0 0 1"/></material>',
        "material: not a valid URDF: attribute 'name' is missing",
    ),
    "quaternion": (
        '<joint name="j" type="fixed"><parent link="a"/><child link="c"/>'
        '<origin quat_xyzw="0 0 0 1"/></joint>',
        "origin: quat_xyzw is not supported",
    ),
    "xacro": ('<xacro:include filename="x"/>', "holds the xacro element <xacro:include>"),
    "tags crossed": ('<link name="b"></joint>', "mismatched tag"),
    "entity that is not declared": ('<link name="&b;"/>', "undefined entity"),
    "zero byte": ('<link name="\0"/>', "not UTF-8 text, a zero byte"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_fault_of_a_urdf_is_told_with_its_line(what: str) -> None:
    fault, reason = FAULTS[what]
    text = f'<robot name="r">\n<link name="a"/>\n{fault}\n<link name="c"/>\n</robot>'
    message = refusal(lambda: parse_urdf(text, "arm.urdf"))
    assert message.startswith("arm.urdf, line 3: ")
    assert reason in message


def test_unphysical_links_are_named_up_to_five_and_the_others_counted() -> None:
    bodies = "".join(f'\n<link name="l{i}">{MASS.format(-1)}</link>' for i in range(8))
    message = refusal(lambda: parse_urdf(robot(bodies), "arm.urdf"))
    assert message.startswith("arm.urdf, line 2: link 'l0': mass must not be negative")
    assert message.endswith(
        "likewise unphysical: 'l1' (line 3), 'l2' (line 4), 'l3' (line 5), 'l4' (line 6) and 3 more"
    )


def test_cycle_beside_the_tree_is_found_from_a_link_that_hangs_on_it() -> None:
    links = "".join(f'\n<link name="{name}"/>' for name in ("root", "leaf", "a", "b"))
    ends = (("b", "leaf"), ("a", "b"), ("b", "a"))
    joints = "".join(
        f'\n<joint name="{parent}{child}" type="fixed"><parent link="{parent}"/>'
        f'<child link="{child}"/></joint>'
        for parent, child in ends
    )
    message = refusal(lambda: parse_urdf(robot(links + joints), "arm.urdf"))
    assert re.match(r"arm\.urdf, line [78]: link '[ab]' lies on a cycle", message)


def test_mesh_that_is_not_there_is_reported_and_does_not_stop_the_robot(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def visual(name: object) -> str:
        mesh = f'\n<visual><geometry><mesh filename="{name}"/></geometry></visual>'
        return f'<link name="a">{mesh}</link>'

    there = tmp_path / "there.stl"
    there.touch()
    for name in (there, f"file://{there}", "package://arm/elsewhere.stl"):
        parse_urdf(robot(visual(name)), "arm.urdf")
    assert caplog.record_tuples == []
    parse_urdf(robot(visual(f"file://{tmp_path}/gone.stl")), "arm.urdf")
    ((logger, _, message),) = caplog.record_tuples
    assert logger == urdf.__name__
    assert message.startswith("arm.urdf, line 2: the mesh ")
    assert "gone.stl' does not exist" in message


# what is not read, each with a flaw
UNREAD = """\
<robot name="r" version="1.2" xmlns:x="http://localhost/x" x:a="b">
<gazebo><a/></gazebo><transmission/><material name="bare"/><material><texture/></material>
<link name="a" type="x"><visual extra="1">
<geometry><box size="1 2 3" unit="m"/></geometry><material><color rgba="1 0 0 1"/></material>
</visual></link><link name="b"/>
<joint name="j" type="fixed" extra="1"><parent link="a" b="c"/><child link="b"/><axis/><mimic/>
<dynamics damping="much"/><safety_controller/><calibration/></joint>
</robot>
"""


def test_flaws_in_what_is_not_read_do_no_harm_and_make_no_noise(
    capfd: pytest.CaptureFixture[str],
) -> None:
    tree = parse_urdf(UNREAD, "arm.urdf")
    assert [joint.name for joint in tree.joints] == ["j"]
    (visual,) = tree.links["a"].visuals
    assert (visual.size, visual.rgba) == ((1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 1.0))
    assert capfd.readouterr() == ("", "")


def test_names_reach_the_tree_as_the_file_means_them() -> None:
    name = "a &amp; &lt;b&gt; &quot;c&quot; &#10;&#9;&#13; \u00e9 \U0001f600 'd'"
    tree = parse_urdf(robot(f'<link name="{name}"/>'), "arm.urdf")
    assert tree.root == "a & <b> \"c\" \n\t\r \u00e9 \U0001f600 'd'"
