# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where a robot may touch the floor, by a world that it is in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import ModelFileError, load_model
from charmie_dynamics.model.description.world import parse_world
from charmie_dynamics.model.description.world.robot_contacts import (
    contacts_of_world,
    read_robot_contacts,
)

RULE = "contacts: {default: {normal: hooke, stiffness: 1.0e5, friction: coulomb, kinetic: 0.4}}\n"


def test_wheels_are_balls_and_what_has_no_drive_is_passive() -> None:
    robot = load_model("charmie_wheeled").tree
    found = read_robot_contacts("charmie_wheeled", robot)
    wheels = [c for c in found.contacts if c.link.endswith("_wheel")]
    assert [c.radius for c in wheels] == pytest.approx([0.1015] * 4)
    assert {c.friction for c in wheels} == {0.7}  # the larger one of two
    assert len(found.passive) == 4
    assert all("suspension" in name for name in found.passive)


def test_the_plane_may_be_tilted_and_elsewhere() -> None:
    text = RULE + (
        "entities:\n"
        "  slope: {shape: plane, pose: [0, 0, 0.5, 0, 0.1, 0]}\n"
        "  athena: {urdf: athena}\n"
    )
    found = contacts_of_world(parse_world(text, "slope.yaml"), load_model("athena").tree)
    np.testing.assert_allclose(found.normal, [np.sin(0.1), 0.0, np.cos(0.1)], atol=1e-12)
    assert found.floor == pytest.approx(0.5 * np.cos(0.1))
    assert found.contacts[-1].friction == 0.4


FEET = """<robot name="feet"><link name="a">{0}</link><link name="b">{0}</link>
<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint></robot>""".format(
    '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
)


@pytest.mark.parametrize(
    ("default", "frictions"),
    [(RULE.strip()[:-1], {"a": 0.4, "b": 0.9}), ("contacts: {", {"b": 0.9})],
)
def test_a_rule_of_a_link_has_priority_over_that_of_its_robot(
    tmp_path: Path, default: str, frictions: dict[str, float]
) -> None:
    (tmp_path / "feet.urdf").write_text(FEET, encoding="utf-8")
    rule = "normal: hooke, stiffness: 1.0e5, friction: coulomb, kinetic: 0.9"
    separator = "" if default.endswith("{") else ", "
    text = f"{default}{separator}pairs: [{{between: [ground, r/b], {rule}}}]}}\n"
    text += "entities: {ground: {shape: plane}, r: {urdf: feet.urdf}}"
    found = contacts_of_world(
        parse_world(text, "feet.yaml", tmp_path), load_model(tmp_path / "feet.urdf").tree
    )
    assert {contact.link: contact.friction for contact in found.contacts} == frictions


def test_names_of_the_points_of_two_links_differ(tmp_path: Path) -> None:
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    links = {"foot": 3 * ball, "foot_2": ball, "foot_1": 2 * ball}
    text = "".join(f'<link name="{name}">{shapes}</link>' for name, shapes in links.items())
    joints = "".join(
        f'<joint name="to_{name}" type="fixed"><parent link="foot"/><child link="{name}"/></joint>'
        for name in ("foot_2", "foot_1")
    )
    (tmp_path / "feet.urdf").write_text(f'<robot name="feet">{text}{joints}</robot>')
    world = parse_world(
        RULE + "entities: {ground: {shape: plane}, r: {urdf: feet.urdf}}", "w.yaml", tmp_path
    )
    found = contacts_of_world(world, load_model(tmp_path / "feet.urdf").tree).contacts
    names = {link: [c.name for c in found if c.link == link] for link in links}
    assert names["foot_2"] == ["foot_2"]
    assert names["foot_1"] == ["foot_1_1", "foot_1_2"]
    assert len({c.name for c in found}) == len(found) == 6


@pytest.mark.parametrize(
    ("entities", "text"),
    [
        ("entities: {athena: {urdf: athena}}", "expected one plane and one robot 'athena', got 0"),
        ("entities: {ground: {shape: plane}}", "one robot 'athena', got 1 and 0"),
    ],
)
def test_a_world_without_floor_or_robot_is_refused(entities: str, text: str) -> None:
    world = parse_world(RULE + entities, "world.yaml")
    with pytest.raises(ModelFileError, match=text):
        contacts_of_world(world, load_model("athena").tree, "world.yaml")


def test_a_robot_that_touches_nothing_is_refused() -> None:
    world = parse_world("entities: {g: {shape: plane}, athena: {urdf: athena}}", "world.yaml")
    with pytest.raises(ModelFileError, match="expected a contact of the robot with the plane"):
        contacts_of_world(world, load_model("athena").tree, "world.yaml")
