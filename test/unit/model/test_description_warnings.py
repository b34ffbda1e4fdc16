# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What cannot be right in a URDF: computed as it is written, with a warning, or refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import Model, ModelFileError, ModelFileWarning, load_model
from charmie_dynamics.model.description.description_warnings import (
    MOST_LINES,
    MOST_NAMED,
    warning_lines,
)
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.description.world import parse_world
from charmie_dynamics.model.description.world.merging import merge_trees
from charmie_dynamics.model.loads import Payload
from charmie_dynamics.model.reading import read_model

HINGE = (
    '<joint name="{name}" type="continuous"><parent link="stand"/><child link="{child}"/>'
    '<axis xyz="0 0 1"/>{mimic}</joint>\n'
)


def body(name: str, moments: tuple[float, float, float], mass: float = 1.0) -> str:
    xx, yy, zz = moments
    inertia = f'ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"'
    inside = f'<inertial><mass value="{mass}"/><inertia {inertia}/></inertial>'
    return f'<link name="{name}">{inside}</link>\n'


def arm(link: str, mimic: str = "") -> str:
    hinges = HINGE.format(name="hinge", child="arm", mimic=mimic)
    return f'<robot name="r">\n<link name="stand"/>\n{link}{hinges}</robot>'


# what cannot be right: the URDF, the subject, the line, and the words of the fault
DOUBTFUL = {
    "negative moment": (
        arm(body("arm", (-1.0, 1.0, 1.0))),
        ("link", "arm", 3),
        "principal moments of inertia must not be negative, got [-1, 1, 1]",
    ),
    "triangle inequality": (
        arm(body("arm", (1.0, 1.0, 3.0))),
        ("link", "arm", 3),
        "the largest exceeds the sum of the others (triangle inequality): [1, 1, 3]",
    ),
    "leader that does not exist": (
        arm('<link name="arm"/>\n', '<mimic joint="henge" multiplier="2"/>'),
        ("joint", "hinge", 4),
        "mimics 'henge', which does not exist",
    ),
}


@pytest.mark.parametrize("what", DOUBTFUL)
def test_urdf_that_cannot_be_right_loads_with_a_warning_that_names_place_and_fault(
    what: str,
) -> None:
    text, place, fault = DOUBTFUL[what]
    (warning,) = parse_urdf(text, "arm.urdf").warnings
    element, name, line = place
    assert (warning.element, warning.name, warning.line) == place
    assert warning.source == "arm.urdf"
    assert fault in warning.fault
    assert str(warning).startswith(f"arm.urdf, line {line}: {element} '{name}': ")
    assert str(warning).endswith(f"{warning.fault}; {warning.consequence}")


@pytest.mark.parametrize("what", DOUBTFUL)
def test_urdf_that_cannot_be_right_is_refused_if_it_has_to_be(what: str, tmp_path: Path) -> None:
    text, (element, name, line), fault = DOUBTFUL[what]
    path = tmp_path / "arm.urdf"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelFileError) as caught:
        load_model(path, strict=True)
    assert str(caught.value).startswith(f"{path}, line {line}: {element} '{name}'")
    assert fault in str(caught.value)


def test_nearest_joint_is_proposed_for_a_leader_that_does_not_exist() -> None:
    text = DOUBTFUL["leader that does not exist"][0]
    with pytest.raises(ModelFileError, match="did you mean 'hinge'"):
        parse_urdf(text, "arm.urdf", strict=True)


@pytest.mark.parametrize("moment", [3.0, -0.5])
def test_moments_that_no_body_has_are_computed_as_given(moment: float) -> None:
    tree = parse_urdf(arm(body("arm", (1.0, 1.0, moment))), "arm.urdf")
    model = Model(tree, MechanismSet())
    assert model.compute([0.3], [1.0], [2.0]).actuator_effort == pytest.approx([2.0 * moment])
    assert model.warnings == tree.warnings


def test_joint_whose_leader_does_not_exist_moves_on_its_own() -> None:
    text = DOUBTFUL["leader that does not exist"][0]
    model = Model(parse_urdf(text, "arm.urdf"), MechanismSet())
    assert model.actuator_names == ("hinge",)
    _, R = model.compute([0.3]).frame("arm")
    assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(0.3)
    assert model.tree.urdf == text


def test_negative_mass_is_refused_whatever_else_is_taken() -> None:
    text = arm(body("arm", (1.0, 1.0, 3.0), mass=-1.0))
    with pytest.raises(ModelFileError, match="mass must not be negative"):
        parse_urdf(text, "arm.urdf")


@pytest.mark.parametrize("name", ["charmie", "charmie_lar"])
def test_robots_of_this_package_have_no_warnings(name: str) -> None:
    assert load_model(name, strict=True).warnings == ()


def test_warnings_come_in_the_order_of_the_file() -> None:
    text = arm(body("arm", (1.0, 1.0, 3.0)), '<mimic joint="henge"/>')
    assert [w.line for w in parse_urdf(text, "arm.urdf").warnings] == [3, 4]


def test_loaded_robot_has_the_warnings_of_the_robot() -> None:
    model = Model(parse_urdf(arm(body("arm", (1.0, 1.0, 3.0))), "arm.urdf"), MechanismSet())
    assert model.with_loads({"arm": Payload(1.0)}).warnings == model.warnings != ()


def many(count: int) -> str:
    bodies = "".join(body(f"arm_{i}", (1.0, 1.0, 3.0)) for i in range(count))
    hinges = "".join(
        HINGE.format(name=f"hinge_{i}", child=f"arm_{i}", mimic="") for i in range(count)
    )
    return f'<robot name="r">\n<link name="stand"/>\n{bodies}{hinges}</robot>'


def test_loading_warns_once_and_names_all(tmp_path: Path) -> None:
    path = tmp_path / "many.urdf"
    path.write_text(many(12), encoding="utf-8")
    with pytest.warns(ModelFileWarning) as caught:
        model = load_model(path)
    (only,) = caught
    assert only.filename == __file__
    names = [warning.name for warning in model.warnings]
    assert names == [f"arm_{i}" for i in range(12)]
    assert [name for name in names if f"'{name}'" not in str(only.message)] == []


@pytest.mark.parametrize("read", [read_model, lambda path: load_model(path, strict=True)])
def test_who_tells_in_another_way_or_refuses_gets_no_warning_of_python(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(DOUBTFUL["triangle inequality"][0], encoding="utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            read(path)
        except ModelFileError:
            pass
    assert caught == []


@pytest.mark.parametrize("count", [1, MOST_LINES])
def test_few_warnings_have_a_line_each(count: int) -> None:
    found = parse_urdf(many(count), "many.urdf").warnings
    assert warning_lines(found) == [str(warning) for warning in found]


def test_many_warnings_of_a_kind_are_the_first_and_the_names_of_the_others() -> None:
    found = parse_urdf(many(MOST_LINES + 1), "many.urdf").warnings
    first, others = warning_lines(found)
    assert first == str(found[0])
    assert others.startswith("many.urdf: likewise computed as given: link 'arm_1' (line 4), ")
    assert others.endswith(f"link 'arm_{MOST_LINES}' (line {MOST_LINES + 3})")


def test_warnings_of_several_files_are_grouped_by_file() -> None:
    files = ("left.urdf", "right.urdf")
    found = [each for file in files for each in parse_urdf(many(MOST_LINES + 1), file).warnings]
    lines = warning_lines(found)
    assert [line.partition(".urdf")[0] for line in lines] == ["left", "left", "right", "right"]
    few = [each for file in files for each in parse_urdf(many(MOST_LINES), file).warnings]
    assert warning_lines(few) == [str(warning) for warning in few]


def test_a_world_has_the_warnings_of_all_its_robots(tmp_path: Path) -> None:
    for name in ("left", "right"):
        (tmp_path / f"{name}.urdf").write_text(many(1) + "\n", encoding="utf-8")
    entities = "{a: {urdf: left.urdf}, b: {urdf: right.urdf}, c: {urdf: left.urdf}}"
    world = parse_world(f"entities: {entities}", "world.yaml", tmp_path)
    warnings_of_world = merge_trees("world", world.entities).warnings
    subjects = [each.subject for each in warnings_of_world]
    assert subjects == ["link 'a/arm_0'", "link 'b/arm_0'", "link 'c/arm_0'"]
    files = [Path(each.source).name for each in warnings_of_world]
    assert files == ["left.urdf", "right.urdf", "left.urdf"]


def test_line_that_names_the_others_stays_bounded() -> None:
    _, others = warning_lines(parse_urdf(many(MOST_NAMED + 8), "many.urdf").warnings)
    assert others.count("link '") == MOST_NAMED
    assert others.endswith(" and 7 more")
