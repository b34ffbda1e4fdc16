# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Model files of any size are read, or refused, within a second and in bounded memory."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from model_texts import MASS, NO_INERTIA, chain, robot
from refusals import SECOND, quickest, refusal

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description import files, urdf_form, xml_document, yaml_document
from charmie_dynamics.model.description.mechanisms import MechanismSet, parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf

MEMORY = 200 * 2**20  # bytes, on top of the text


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
    assert quickest(lambda: refusal(lambda: load_model(urdf=path)), below=0.01) < 0.01


def test_pipe_and_device_are_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.urdf"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        assert "expected a regular file" in refusal(lambda path=path: load_model(urdf=path))


def test_path_that_no_file_can_have_is_refused() -> None:
    assert "cannot be read" in refusal(lambda: load_model(urdf="a\0b"))
    assert "cannot be read" in refusal(lambda: load_model(urdf="x" * 5000))
    message = refusal(lambda: load_model(urdf='<robot name="r">' + "<link/>" * 1000))
    assert "expected the path of a file, got its text" in message and len(message) < 300


LONGEST = urdf_form.MOST_LINKS - 1  # hinges of a chain
JOINT = '<origin xyz="0.02 0 0"/><axis xyz="0 -1 0"/>'
INERTIAL = f'<inertial><origin xyz="0.01 0 0"/><mass value="0.3"/>{NO_INERTIA}</inertial>'


def test_one_link_too_many_is_refused_for_their_number(tmp_path: Path) -> None:
    path = tmp_path / "chain.urdf"
    path.write_text(chain(LONGEST + 1, JOINT), encoding="utf-8")
    line = 2 * LONGEST + 1  # of the first link that is too much
    assert refusal(lambda: load_model(urdf=path)) == (
        f"{path}, line {line}: link 'link_{LONGEST}': the file has {LONGEST + 2} links; expected "
        f"at most {LONGEST + 1}"
    )


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
    "chain of ten thousand links": lambda: chain(10_000, JOINT, INERTIAL),
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


def test_limits_of_the_readers_are_those_that_the_manual_states() -> None:
    assert files.LARGEST_FILE == 8 * 2**20
    assert xml_document.MOST_ELEMENTS == 120_000
    assert (urdf_form.MOST_LINKS, urdf_form.MOST_READ) == (2500, 26_000)
    assert (yaml_document.LARGEST, yaml_document.MOST_VALUES) == (65_536, 10_000)
