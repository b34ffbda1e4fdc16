# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is wrong in a world file is refused with its line, and what is valid."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    ModelFileError,
    SimulationError,
    UnknownNameError,
    UnsupportedError,
)
from charmie_dynamics.model.description.files import read_text
from charmie_dynamics.model.description.package_robots import model_files
from charmie_dynamics.model.description.world import RobotEntity, parse_world
from charmie_dynamics.simulation import load_world, world_of

LAWS = "contacts: {default: {normal: hooke, stiffness: 1.0e5}}"
HERTZ = "contacts: {default: {normal: hertz}}"
STEEL = "materials: {steel: {young: 2.1e11, poisson: 0.3}}"
ROBOT = """<robot name="r"><link name="base">{0}</link><link name="end">{0}</link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="end"/></joint></robot>
""".format('<collision><geometry><sphere radius="0.1"/></geometry></collision>')
GROUND = "  ground: {shape: plane}"
BALL = "  ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.5, 0, 0, 0]}"


def text(*lines: str, laws: str = LAWS) -> str:
    return "\n".join([laws, "entities:", *(lines or [GROUND]), ""])


def entity(keys: str) -> str:
    return text(f"  it: {{{keys}}}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("world: a\n", "line 1: document: 'entities' is a required property"),
        ("[1, 2]\n", "line 1: document: [1, 2] is not of type 'object'"),
        ("gravitty: [0, 0, 0]\n" + text(GROUND), "unknown key 'gravitty'; did you mean 'gravity'?"),
        (text(GROUND, GROUND), "line 4: key 'ground' occurs twice, first on line 3"),
        (text("  a/b: {shape: plane}"), "line 2: entities: 'a/b' does not match"),
        (text("  world: {shape: plane}"), "line 3: entities.world: expected another name"),
        (entity("mass: 1"), "line 3: entities.it: expected shape or urdf"),
        (entity("shape: sphere, size: [1], mas: 1"), "unknown key 'mas'; did you mean 'mass'?"),
        (entity("shape: cone, mass: 1"), "entities.it.shape: 'cone' is not one of ['plane', "),
        (entity("shape: mesh, mass: 1"), "entities.it: expected mesh, the file of it"),
        (entity("shape: plane, moves: free"), "entities.it.moves: a plane has no end and does not"),
        (entity("shape: sphere, size: [0.05]"), "entities.it: expected mass, as it moves"),
        (
            entity("shape: sphere, size: [0.05], mass: 0"),
            "entities.it.mass: 0 is less than or equal to",
        ),
        (
            entity("shape: box, size: [1, 2], mass: 1"),
            "entities.it.size: expected 3 numbers of a box",
        ),
        (entity("shape: sphere, mass: 1"), "entities.it: expected 1 numbers of a sphere, got 0"),
        (entity("shape: sphere, size: [-1], mass: 1"), "entities.it.size.0: -1 is less than"),
        (
            entity("shape: sphere, size: [1], moves: fixed, twist: [1, 0, 0, 0, 0, 0]"),
            "entities.it.twist: it does not move: expected moves: free",
        ),
        (
            entity("urdf: scara, twist: [1, 0, 0, 0, 0, 0]"),
            "entities.it.twist: it does not move: expected moves: free",
        ),
        (
            entity("shape: sphere, size: [1], mass: 1, pose: [0, 0, 0]"),
            "entities.it.pose: [0, 0, 0] is ",
        ),
        (
            entity("shape: plane, pose: [.nan, 0, 0, 0, 0, 0]"),
            "entities.it.pose.0: expected a finite number",
        ),
        (
            entity("shape: plane, mechanisms: charmie"),
            "entities.it.mechanisms: a single body has no",
        ),
        (entity("urdf: scara, mass: 1"), "entities.it.mass: a robot has no such key"),
        (entity("urdf: scara, shape: box"), "entities.it.shape: a robot has no such key"),
        (
            entity("urdf: nowhere.urdf"),
            "line 3: entities.it.urdf: 'nowhere.urdf' is no file and no robot of the package. "
            "Valid: charmie, ",
        ),
        (
            entity("urdf: scara, solid: [link_1, link5]"),
            "entities.it.solid.1: expected a link with shapes, got 'link5'; did you mean 'link_5'?",
        ),
        (
            entity("urdf: scara, self: [[base, tool]]"),
            "entities.it.self.0: expected links with shapes, 'tool' has none",
        ),
        (entity("shape: plane, solid: [it]"), "entities.it.solid: a single body has no such key"),
        (entity("urdf: charmi"), "robot 'charmi' is unknown; did you mean 'charmie'"),
        (entity("urdf: scara, mechanisms: nowhere.yaml"), "entities.it.mechanisms: 'nowhere.yaml'"),
        (
            STEEL + "\n" + entity("shape: plane, material: steal"),
            "line 4: entities.it.material: material 'steal' is unknown; did you mean 'steel'?",
        ),
        (
            text(GROUND, BALL, laws=HERTZ),
            "line 1: contact of 'ground' and 'ball': expected stiffness, or materials and radii",
        ),
    ],
)
def test_a_wrong_world_is_refused_with_its_line(content: str, message: str) -> None:
    with pytest.raises(ModelFileError) as error:
        world_of(content)
    assert str(error.value).startswith("world, line ") and message in str(error.value)


@pytest.mark.parametrize("name", ["a\tb", "a b", "a\n"])
def test_a_name_with_blanks_is_refused(name: str) -> None:
    with pytest.raises(ModelFileError, match="does not match"):
        world_of(text(f"  {json.dumps(name)}: {{shape: plane}}"))


def test_links_in_contact_rules_may_have_longer_names_than_entities(tmp_path: Path) -> None:
    link, name = "l" * 200, "e" * 200
    (tmp_path / "r.urdf").write_text(ROBOT.replace("base", link), encoding="utf-8")
    pair = f"{{between: [ground, {name}/{link}], normal: hooke, stiffness: 1.0e5}}"
    laws = f"contacts: {{pairs: [{pair}]}}"
    parse_world(text(GROUND, f"  {name}: {{urdf: r.urdf}}", laws=laws), "world", tmp_path)


@pytest.mark.parametrize(
    ("pair", "own", "fits"),
    [
        ("r/base, r/end", "", False),
        ("r/base, r", "", False),
        ("r/base, r/end", ", self: [[base, end]]", True),
        ("r/base, r", ", self: [[base, end]]", True),
    ],
)
def test_a_rule_between_links_that_cannot_touch_each_other_is_refused(
    tmp_path: Path, pair: str, own: str, fits: bool
) -> None:
    (tmp_path / "r.urdf").write_text(ROBOT, encoding="utf-8")
    laws = f"contacts: {{pairs: [{{between: [{pair}], normal: hooke, stiffness: 1.0e5}}]}}"
    content = text(f"  r: {{urdf: r.urdf{own}}}", laws=laws)
    if fits:
        assert parse_world(content, "world", tmp_path).contacts.self_pairs
        return
    with pytest.raises(ModelFileError, match=r"line 1: .*name the links in the key self"):
        parse_world(content, "world", tmp_path)


@pytest.mark.parametrize("robot", ["charmie_lar", "./charmie_lar", "sub/arm"])
def test_a_path_without_suffix_is_relative_to_the_folder_of_the_file(
    tmp_path: Path, robot: str
) -> None:
    (tmp_path / "sub").mkdir()
    for file in ("charmie_lar", "sub/arm"):
        (tmp_path / file).write_text(ROBOT, encoding="utf-8")
    (made,) = parse_world(text(f"  r: {{urdf: {robot}}}"), "world", tmp_path).entities
    assert isinstance(made, RobotEntity)
    assert made.tree.name == ("charmie_lar" if robot == "charmie_lar" else "r")


def test_the_mechanisms_of_a_robot_of_the_package_fit_another_urdf(tmp_path: Path) -> None:
    urdf, _ = model_files("four_bar", "")
    (tmp_path / "r.urdf").write_text(read_text(urdf), encoding="utf-8")
    content = text("  r: {urdf: r.urdf, mechanisms: four_bar}")
    (made,) = parse_world(content, "world", tmp_path).entities
    assert isinstance(made, RobotEntity) and made.mechanisms.loop_joints
    with pytest.raises(ModelFileError, match=r"r\.urdf, line 2: not valid YAML"):
        parse_world(content.replace("four_bar", "r.urdf"), "world", tmp_path)
    with pytest.raises(ModelFileError, match=r"robot of the package with mechanisms, got 'scara'"):
        parse_world(content.replace("four_bar", "scara"), "world", tmp_path)


def test_only_the_solid_links_of_a_robot_have_shapes_in_a_world() -> None:
    world = world_of(entity("urdf: scara, solid: [link_5, link_2], self: true"))
    assert [shape.link for shape in world.contacts.shapes] == ["it/link_2", "it/link_5"]
    assert len(list(world.contacts.rules_of_pairs())) == 1  # of these two


def test_a_coordinate_that_a_robot_does_not_have_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"position of 'it': 'elbow' is unknown"):
        world_of(entity("urdf: scara, position: {elbow: 1}"))


def test_a_world_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"nowhere.yaml: cannot be read"):
        load_world(tmp_path / "nowhere.yaml")


def refused(kind: type[CharmieError], content: str, **options: object) -> str:
    with pytest.raises(kind) as error:
        world_of(content).simulate(0.5, **options)
    return str(error.value)


def test_entities_that_overlap_at_the_start_are_named_with_how_much() -> None:
    low = BALL.replace("0.5, 0", "0.03, 0")
    assert refused(InputError, text(GROUND, low)) == (
        "world 'world': 'ground' and 'ball' overlap at the start by 0.02 m, expected at most "
        "0.001 m"
    )


def test_rosenbrock_takes_no_contacts() -> None:
    message = refused(UnsupportedError, text(GROUND, BALL), integrator="rosenbrock")
    assert "'rosenbrock' with contacts: expected one of rk4, semi_implicit_euler or" in message


def test_a_step_that_is_too_long_is_told_with_one_that_does() -> None:
    hard = text(GROUND, BALL.replace("0.5, 0", "0.06, 0"), laws=LAWS.replace("1.0e5", "1.0e8"))
    message = refused(SimulationError, hard, integrator="rk4", step=1e-3)
    need = world_of(hard).contact_need("rk4")
    # of the fall to the ground, a radian of which lasts 0.1 ms
    assert need is not None and need.step == pytest.approx(0.2 / np.sqrt(1e8))
    assert message.endswith(
        "the contact of 'ground' and 'ball' needs a step of at most 2.0e-05 s with 'rk4', got "
        "1.0e-03 s"
    )
    run = world_of(hard).simulate(0.5, integrator="rk4", step=need.step)
    assert np.abs(run.energy.error).max() < 1e-3


@pytest.mark.parametrize("integrator", ["adaptive", "rk4"])
def test_more_points_in_contact_than_there_is_room_for_are_refused(integrator: str) -> None:
    box = "  box: {shape: box, size: [0.1, 0.1, 0.1], mass: 1, pose: [0, 0, 0.0501, 0, 0, 0]}"
    content = "contact_slots: 3\n" + text(GROUND, box)
    message = refused(CharmieError, content, integrator=integrator)
    assert "contacts: expected at most 3 points at a time, got more; give the world more" in message


def test_entities_compare_by_identity() -> None:
    first, second = (world_of(text(GROUND, BALL)).entities["ball"] for _ in range(2))
    assert first == first and first != second
    assert len({first, second}) == 2
