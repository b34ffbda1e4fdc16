# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Names are no longer than the longest that ROS 2 takes."""

from __future__ import annotations

import pytest

from charmie_dynamics import Model, ModelFileError
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.description.names import LONGEST_NAME
from charmie_dynamics.model.description.urdf import parse_urdf

LONG = "n" * LONGEST_NAME
TOO_LONG = LONG + "n"
URDFS = {
    "link": '<robot name="r">\n<link name="{}"/>\n</robot>',
    "joint": (
        '<robot name="r"><link name="a"/><link name="b"/>\n'
        '<joint name="{}" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'
    ),
    "robot": '<!-- first -->\n<robot name="{}"><link name="a"/></robot>',
}
SPRING = (
    "springs:\n  {name}: {{base_body: a, base_point: [0, 0, 0], tip_body: {body}, "
    "tip_point: [0, 0, 1], stiffness: 1, free_length: 0}}\n"
)


@pytest.mark.parametrize("element", URDFS)
def test_name_in_a_urdf_has_at_most_as_many_characters_as_ros_2_takes(element: str) -> None:
    parse_urdf(URDFS[element].format(LONG), "arm.urdf")
    with pytest.raises(ModelFileError) as caught:
        parse_urdf(URDFS[element].format(TOO_LONG), "arm.urdf")
    message = str(caught.value)
    assert message.startswith(f"arm.urdf, line 2: {element} 'nnn")
    assert message.endswith(f"the name has {len(TOO_LONG)} characters; expected at most 255")


def test_name_of_a_mechanism_has_at_most_as_many_characters_as_ros_2_takes() -> None:
    text = SPRING.format(name=TOO_LONG, body="b")
    with pytest.raises(ModelFileError) as caught:
        parse_mechanisms(text, "arm.yaml")
    message = str(caught.value)
    assert message.startswith("arm.yaml, line 2: springs: the name 'nnn")
    assert message.endswith(f"has {len(TOO_LONG)} characters; expected at most 255")


def sprung(characters: int) -> Model:
    """Return a robot with a spring whose name has that many characters; `_base` follows them."""
    tree = parse_urdf(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>',
        "arm.urdf",
    )
    text = SPRING.format(name="s" * characters, body="b")
    return Model(tree, parse_mechanisms(text, "arm.yaml"), "arm.yaml")


def test_frame_of_an_auxiliary_body_is_no_longer_either() -> None:
    assert max(map(len, sprung(250).frame_names)) == LONGEST_NAME
    with pytest.raises(ModelFileError, match=r"arm.yaml, line 2: frame name 'sss.* shorter name"):
        sprung(251)


def test_frame_of_an_auxiliary_body_has_the_name_of_no_link() -> None:
    tree = parse_urdf(
        '<robot name="r"><link name="a"/><link name="pull_tip"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="pull_tip"/></joint></robot>',
        "arm.urdf",
    )
    text = SPRING.format(name="pull", body="pull_tip")
    with pytest.raises(ModelFileError, match="line 2: frame name 'pull_tip' is used more than"):
        Model(tree, parse_mechanisms(text, "arm.yaml"), "arm.yaml")
