# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Model files that are hostile, huge or wrong: refused quickly, with file, line and reason."""

from __future__ import annotations

import math
import os
import re
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.slowness import time_on_a_usual_machine
from charmie_dynamics import Model, ModelFileError, load_model
from charmie_dynamics.model.description import files, urdf, urdf_form, xml_document, yaml_document
from charmie_dynamics.model.description.mechanisms import MechanismSet, parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf

SECOND = 1.0
TRIES = 6  # the machine may be busy with other things
PAUSE = 1.0  # s between them: others are busy for a while
MEMORY = 200 * 2**20  # bytes, on top of the text

NO_INERTIA = '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'


def robot(inside: str) -> str:
    return f'<robot name="r">{inside}</robot>'


def chain(count: int, joint: str = "", inertial: str = "") -> str:
    parts = ['<link name="stand"/>']
    for i in range(count):
        parent = f"link_{i - 1}" if i else "stand"
        parts.append(
            f'<link name="link_{i}">{inertial}</link>\n'
            f'<joint name="hinge_{i}" type="continuous"><parent link="{parent}"/>'
            f'<child link="link_{i}"/>{joint.format(before=i - 1) if i else ""}</joint>\n'
        )
    return robot("".join(parts))


def quickest(run: Callable[[], object]) -> float:
    """Return the processor time (s) of a try: the first below a second, else the best of a few."""
    best = math.inf
    for _ in range(TRIES):
        best = min(best, time_on_a_usual_machine(run))
        if best < SECOND:
            break
        time.sleep(PAUSE)
    return best


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(ModelFileError) as caught:
        read()
    return str(caught.value)


# where and why: each text has its fault on line 3

MASS = '<inertial><mass value="{}"/></inertial>'
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
        "link 'b', inertial: stands twice, first on line 3",
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
    assert message.startswith("arm.urdf, line 2: link 'l0': mass must be")
    assert message.endswith(
        "likewise unphysical: 'l1' (line 3), 'l2' (line 4), 'l3' (line 5), 'l4' (line 6) and 3 more"
    )


def test_two_unphysical_links_are_both_named() -> None:
    bodies = "".join(f'\n<link name="l{i}">{MASS.format(-1)}</link>' for i in range(2))
    message = refusal(lambda: parse_urdf(robot(bodies), "arm.urdf"))
    assert message.endswith("likewise unphysical: 'l1' (line 3)")


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
<link name="a" type="x"><collision><geometry/></collision><visual extra="1">
<geometry><box size="1 2 3" unit="m"/></geometry><material><color rgba="1 0 0 1"/></material>
</visual><unknown/></link><link name="b"/>
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


# encodings and entities

LAUGHS = (
    '<!DOCTYPE r [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + ']>\n<robot name="&j;"><link name="a"/></robot>'
)
DECLARED = {
    "billion laughs": LAUGHS,
    "external entity": '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="&a;"/>',
    "external document type": '<!DOCTYPE robot SYSTEM "http://localhost/r.dtd"><robot name="r"/>',
}


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "BOM"])
@pytest.mark.parametrize("what", DECLARED)
def test_document_type_is_refused_before_an_entity_is_expanded(what: str, mark: str) -> None:
    text = mark + DECLARED[what]
    assert "line 1: has a DOCTYPE" in refusal(lambda: parse_urdf(text, "arm.urdf"))
    assert quickest(lambda: refusal(lambda: parse_urdf(text, "arm.urdf"))) < 0.01


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_urdf_in_another_encoding_is_refused_as_such(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_bytes(LAUGHS.encode(encoding))
    message = refusal(lambda: load_model(urdf=path))
    assert message.startswith(f"{path}, line 1: ")
    assert "not UTF-8 text" in message


def test_words_of_a_declaration_in_a_comment_do_no_harm() -> None:
    text = robot('<!-- no <!DOCTYPE and no <!ENTITY here --><link name="a"/>')
    assert parse_urdf(text, "arm.urdf").root == "a"


def test_byte_order_mark_of_utf_8_is_no_part_of_a_file(tmp_path: Path) -> None:
    urdf, loops = tmp_path / "arm.urdf", tmp_path / "loops.yaml"
    urdf.write_text(robot('<link name="a"/>'), encoding="utf-8-sig")
    loops.write_text("base_body: a\n", encoding="utf-8-sig")
    assert load_model(urdf=urdf, mechanisms=loops).mechanisms.base_body == "a"


def test_line_of_bytes_that_are_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_bytes(b"<robot\n name='z\xfcrich'/>")
    assert "line 2: not UTF-8 text" in refusal(lambda: load_model(urdf=path))


# sizes


def test_file_of_100_megabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    tracemalloc.start()
    message = refusal(lambda: load_model(urdf=path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert f"{path}: 100000000 bytes; expected at most {files.LARGEST_FILE}" in message
    assert peak < 2**20
    assert quickest(lambda: refusal(lambda: load_model(urdf=path))) < 0.01


def test_pipe_and_device_are_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.urdf"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        assert "expected a regular file" in refusal(lambda path=path: load_model(urdf=path))


def test_path_that_no_file_can_have_is_refused() -> None:
    assert "cannot be read" in refusal(lambda: load_model(urdf="a\0b"))
    assert "cannot be read" in refusal(lambda: load_model(urdf="x" * 5000))


LONGEST = urdf_form.MOST_LINKS - 1  # hinges of a chain
JOINT = '<origin xyz="0.02 0 0"/><axis xyz="0 -1 0"/>'
INERTIAL = f'<inertial><origin xyz="0.01 0 0"/><mass value="0.3"/>{NO_INERTIA}</inertial>'


def test_chain_of_ten_thousand_links_is_refused_for_their_number(tmp_path: Path) -> None:
    path = tmp_path / "chain.urdf"
    path.write_text(chain(10_000, JOINT, INERTIAL), encoding="utf-8")
    line = 2 * LONGEST + 1  # of the first link that is too much
    assert refusal(lambda: load_model(urdf=path)) == (
        f"{path}, line {line}: link 'link_{LONGEST}': the file has 10001 links; expected at most "
        f"{LONGEST + 1}"
    )
    assert quickest(lambda: refusal(lambda: load_model(urdf=path))) < SECOND


def test_longest_chain_of_links_with_inertials_loads_within_a_second(tmp_path: Path) -> None:
    path = tmp_path / "chain.urdf"
    path.write_text(chain(LONGEST, JOINT, INERTIAL), encoding="utf-8")
    assert len(load_model(urdf=path).actuator_names) == LONGEST
    assert quickest(lambda: load_model(urdf=path)) < SECOND


# the elements with the most attributes, which take longest
FULL_JOINT = (
    '<origin xyz="0.02 0 0" rpy="0 0 0.1"/><axis xyz="0 -1 0"/>'
    '<limit lower="1" upper="2" effort="1" velocity="1"/>'
    '<mimic joint="hinge_0" multiplier="1" offset="2"/>'
)


def test_robot_of_as_many_elements_as_are_read_loads_within_a_second() -> None:
    links = urdf_form.MOST_READ // 12
    text = chain(links, FULL_JOINT, INERTIAL.replace("xyz", 'rpy="0 0 0.1" xyz'))
    assert len(parse_urdf(text, "arm.urdf").links) == links + 1
    assert quickest(lambda: parse_urdf(text, "arm.urdf")) < SECOND
    more = '<material name="m"><color rgba="0 0 0 1"/></material>' * 12
    message = refusal(lambda: parse_urdf(text.replace("</robot>", f"{more}</robot>"), "arm.urdf"))
    assert f"more than {urdf_form.MOST_READ} elements that are read" in message


FULL = files.LARGEST_FILE - 100
# the largest of each kind that is within the limits of size, or the first beyond another limit
HUGE: dict[str, Callable[[], str]] = {
    "too many elements": lambda: robot('<link name="a"/>' * (FULL // 16)),
    "elements that are not read": lambda: robot(
        "<gazebo>" + "<a/>" * (FULL // 4 - 8) + "</gazebo>"
    ),
    "deep": lambda: "<robot>" + "<link>" * (FULL // 6),
    "attributes": lambda: f"<robot {' '.join(f'a{i:x}=' + repr('1') for i in range(FULL // 13))}/>",
    "digits": lambda: robot(f'<link name="a">{MASS.format("9" * FULL)}</link>')[: FULL + 200],
    "numbers": lambda: robot(
        f'<link name="a"><inertial><origin xyz="{"1 " * (FULL // 2)}"/></inertial></link>'
    ),
    "no links": lambda: robot("\n" * FULL),
    "too many links": lambda: robot("".join(f'<link name="forearm_{i}"/>' for i in range(100_000))),
    "too many shapes": lambda: robot(
        '<link name="a">'
        + '<visual><geometry><sphere radius="1"/></geometry></visual>' * 39_000
        + "</link>"
    ),
    "mimics in a ring": lambda: chain(LONGEST, '<mimic joint="hinge_{before}"/>').replace(
        'child link="link_0"/>', f'child link="link_0"/><mimic joint="hinge_{LONGEST - 1}"/>', 1
    ),
    "unknown link in a chain": lambda: chain(LONGEST).replace(
        f'child link="link_{LONGEST - 1}"', f'child link="lonk_{LONGEST - 1}"'
    ),
    "unknown link among many": lambda: robot(
        "".join(f'<link name="forearm_{i}"/>' for i in range(LONGEST + 1))
        + '<joint name="j" type="fixed"><parent link="forearm_0"/><child link="foraerm_x"/></joint>'
    ),
    "long names": lambda: robot(
        f'<link name="{"a" * (FULL // 4)}"/><joint name="j" type="fixed">'
        f'<parent link="{"a" * (FULL // 4)}b"/><child link="{"a" * (FULL // 4)}c"/></joint>'
    ),
}


@pytest.mark.parametrize("what", HUGE)
def test_huge_urdf_is_refused_within_a_second_in_few_words(what: str) -> None:
    text = HUGE[what]()
    message = refusal(lambda: parse_urdf(text, "arm.urdf"))
    assert message.startswith("arm.urdf, line ")
    assert len(message) < 1500
    assert quickest(lambda: refusal(lambda: parse_urdf(text, "arm.urdf"))) < SECOND


@pytest.mark.parametrize("what", ["too many elements", "numbers"])
def test_huge_urdf_takes_bounded_memory(what: str) -> None:
    text = HUGE[what]()
    tracemalloc.start()
    refusal(lambda: parse_urdf(text, "arm.urdf"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MEMORY


def test_mimics_one_behind_the_other_are_followed_within_a_second() -> None:
    hinges = LONGEST - LONGEST % 2  # an odd number of mimics: together -1 as well
    text = chain(hinges, '<mimic joint="hinge_{before}" multiplier="-1" offset="0.5"/>')
    model = Model(parse_urdf(text, "arm.urdf"), MechanismSet())
    assert model.joint_names == ("hinge_0",)
    assert model.flat.tree.multiplier[-1] == -1.0
    assert model.flat.tree.offset[-1] == 0.5
    assert quickest(lambda: Model(parse_urdf(text, "arm.urdf"), MechanismSet())) < SECOND


def test_mimics_whose_multipliers_overflow_together_are_refused() -> None:
    text = chain(30, '<mimic joint="hinge_{before}" multiplier="1e20"/>')
    message = refusal(lambda: parse_urdf(text, "arm.urdf"))
    assert (
        "line 6: joint 'hinge_2' mimics 'hinge_1', in the end by a multiplier of 1e+40" in message
    )


def test_actuator_at_the_end_of_a_long_chain_is_found_within_a_second() -> None:
    axis = '<axis xyz="0 1 0"/><origin xyz="0 0 1"/>'
    tree = parse_urdf(chain(LONGEST, axis), "arm.urdf")
    last = LONGEST - 1
    loops = (
        f"linear_actuators: {{push: {{joint: hinge_{last}, base_body: link_{last - 1}, "
        f"base_point: [0.1, 0, 0.2], tip_body: link_{last}, tip_point: [0.3, 0, 0.1]}}}}\n"
        f"springs: {{pull: {{base_body: stand, base_point: [0, 0, 0], tip_body: link_{last}, "
        f"tip_point: [0, 0, 0], stiffness: 1, free_length: 0}}}}"
    )
    mechanisms = parse_mechanisms(loops, "loops.yaml")
    assert Model(tree, mechanisms).actuator_names[-1] == "push"
    assert quickest(lambda: Model(tree, mechanisms)) < SECOND


# YAML

NAMED = "springs:\n  s:\n    "
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
    "alias of itself": ("robot: &a [*a]", "line 1: not valid YAML: aliases are not allowed"),
    "tag": ("robot: x\nsources: {a: !!binary aGk=}", "line 2: not valid YAML: tags"),
    "time stamp that is none": ("robot: !!timestamp x", "line 1: not valid YAML: tags"),
    "integer that is none": ('robot: !!int ""', "line 1: not valid YAML: tags"),
    "merge key": ("robot: x\n<<: {gravity: [0, 0, 0]}", "line 2: top level: unknown key '<<'"),
    "duplicate key": ("robot: x\nrobot: y", "line 2: key 'robot' stands twice, first on line 1"),
    "duplicate key in quotes": ("1: x\n'1': y", "line 2: key '1' stands twice"),
    "key that is a list": ("robot: x\n? [a]\n: b", "line 2: expected a key of text"),
    "two documents": ("robot: x\n---\nrobot: y", "expected a single document"),
    "control character": (
        "robot: x\nsources: {a: \x01}",
        "line 2: not valid YAML: character U+0001",
    ),
    "unknown key": ("robot: x\nsprings: {s: {stifness: 1}}", "did you mean 'stiffness'"),
    "yes": ("rest_pose:\n  a: yes", "line 2: rest_pose.a: 'yes' is not of type 'number'"),
    "minutes": ("rest_pose:\n  a: 1:30", "line 2: rest_pose.a: '1:30' is not of type 'number'"),
    "hexadecimal": ("rest_pose:\n  a: 0x10", "line 2: rest_pose.a: '0x10' is not of type"),
    "underscore": ("rest_pose:\n  a: 1_0", "line 2: rest_pose.a: '1_0' is not of type 'number'"),
    "date": ("rest_pose:\n  a: 2024-01-01", "line 2: rest_pose.a: '2024-01-01' is not of type"),
    "number in quotes": (
        "rest_pose:\n  a: '1'",
        "line 2: rest_pose.a: '1' is not of type 'number'",
    ),
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
    "deep without end": ("- " * 30_000, f"more than {yaml_document.DEEPEST} deep"),
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


@pytest.mark.parametrize(
    ("written", "value"), [("010", 10.0), ("1e-3", 1e-3), ("+.5", 0.5), ("-1E+2", -100.0)]
)
def test_number_is_read_as_it_is_written(written: str, value: float) -> None:
    assert parse_mechanisms(f"rest_pose: {{a: {written}}}", "t").rest_pose["a"] == value


def test_names_that_older_yaml_takes_for_truth_or_numbers_are_names() -> None:
    read = parse_mechanisms("rest_pose: {on: 1, 7: 2, no: 3}", "t")
    assert list(read.rest_pose) == ["on", "7", "no"]


# what does not fit the tree, or itself, is told with its line as well

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


def test_limits_of_the_readers_are_those_that_the_manual_states() -> None:
    assert files.LARGEST_FILE == 8 * 2**20
    assert xml_document.MOST_ELEMENTS == 120_000
    assert (urdf_form.MOST_LINKS, urdf_form.MOST_READ) == (2500, 26_000)
    assert (yaml_document.LARGEST, yaml_document.MOST_VALUES) == (65_536, 10_000)
