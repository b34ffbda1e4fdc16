# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots that are imported from SDF: their frames, their loops, and what is left out."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import ModelFileError
from charmie_dynamics.conversion.import_command import import_robot
from charmie_dynamics.conversion.import_options import main

LENGTHS = {"crank": 0.2, "coupler": 0.6, "rocker": 0.5}
MASSES = {"crank": 1.2, "coupler": 2.0, "rocker": 1.5}
GROUND, DRIVEN = 0.5, 0.4  # m, rad
HEAD = '<sdf version="1.9"><model name="bars">'


def angles(turn: float) -> tuple[float, float]:
    """Return those of coupler and rocker (rad, from z towards x) by the law of cosines."""
    crank = LENGTHS["crank"] * np.array((math.sin(turn), math.cos(turn)))
    base = np.array((GROUND, 0.0))
    way = base - crank
    distance = float(np.linalg.norm(way))
    a, b = LENGTHS["coupler"], LENGTHS["rocker"]
    inner = math.acos((a * a + distance**2 - b * b) / (2.0 * a * distance))
    coupler = math.atan2(way[0], way[1]) - inner
    pin = crank + a * np.array((math.sin(coupler), math.cos(coupler)))
    return coupler, math.atan2(*(pin - base))


def link(name: str, pose: str, angle: str = "0 0 0", relative: str = "") -> str:
    half, mass = 0.5 * LENGTHS[name], MASSES[name]
    across = mass * LENGTHS[name] ** 2 / 12.0
    return (
        f'<link name="{name}"><pose{relative}>{pose} {angle}</pose><inertial>'
        f"<pose>0 0 {half} 0 0 0</pose><mass>{mass}</mass><inertia><ixx>{across}</ixx>"
        f"<iyy>{across}</iyy><izz>1e-3</izz></inertia></inertial>"
        f'<visual name="bar"><geometry><box><size>0.02 0.02 {2 * half}</size></box></geometry>'
        "</visual></link>"
    )


def joint(name: str, parent: str, child: str, extra: str = "", kind: str = "revolute") -> str:
    return (
        f'<joint name="{name}" type="{kind}">{extra}<parent>{parent}</parent>'
        f"<child>{child}</child><axis><xyz>0 1 0</xyz></axis></joint>"
    )


def four_bar(pin: str = "revolute", end: str = "</model></sdf>") -> str:
    """Return a four-bar that is closed with all joints at zero."""
    coupler, rocker = angles(DRIVEN)
    parts = [
        HEAD,
        '<frame name="tilted"><pose>0 0 0.3 0 0 0</pose></frame>',
        link("crank", "0 0 -0.3", f"0 {DRIVEN} 0", ' relative_to="tilted"'),
        link("coupler", f"0 0 {LENGTHS['crank']}", f"0 {coupler - DRIVEN} 0",
             ' relative_to="crank"'),
        link("rocker", f"{GROUND} 0 0", f"0 {rocker} 0"),
        joint("crank_joint", "world", "crank"),
        joint("coupler_joint", "crank", "coupler"),
        joint("rocker_joint", "world", "rocker"),
        joint("pin", "rocker", "coupler", f"<pose>0 0 {LENGTHS['coupler']} 0 0 0</pose>", pin),
    ]  # fmt: skip
    return "".join(parts) + end


def imported(text: str, folder: Path, driven: list[str] | None = None):
    file = folder / "robot.sdf"
    file.write_text(text)
    return import_robot(file, folder / "out", driven, [folder / "places"])


@pytest.mark.parametrize("pin", ["revolute", "ball"])
def test_a_four_bar_moves_by_the_law_of_cosines_and_takes_the_power_of_its_crank(
    pin: str, tmp_path: Path
) -> None:
    converted, found = imported(four_bar(pin), tmp_path)
    model, rate = found.model, 1.5
    assert model.actuator_names == ("crank_joint",) and found.opening < 1e-12
    rocker = model.position_names.index("rocker_joint")
    for turn in (0.0, 0.5, -0.3):
        closed = model.assemble([turn, 0.0, 0.0], [rate, 0.0, 0.0], [0.7, 0.0, 0.0])
        expected = angles(DRIVEN + turn)[1] - angles(DRIVEN)[1]
        assert closed.position[rocker] == pytest.approx(expected, abs=1e-10)
        energies = []
        for step in (1e-5, -1e-5):
            moved = model.assemble(
                closed.position + step * closed.velocity,
                closed.velocity + step * closed.acceleration,
            )
            energies.append(sum(model.energy(*moved[:2])))
        power = model.compute(*closed).actuator_effort[0] * rate
        assert power == pytest.approx((energies[0] - energies[1]) / 2e-5, rel=1e-5)
    assert converted.links["crank"].visuals


def test_without_motors_the_first_free_joint_is_driven_or_the_named_one(tmp_path: Path) -> None:
    converted, _ = imported(four_bar(), tmp_path)
    assert converted.dropped == [
        "free motions of the loops: crank_joint have no motor and count as actuators; name others "
        "with --driven"
    ]
    other, found = imported(four_bar(), tmp_path, ["rocker_joint"])
    assert found.model.actuator_names == ("rocker_joint",) and other.dropped == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<sdf version='1.9'></sdf>", "expected a <model>"),
        ("<sdf>", "no element found"),
        (HEAD + joint("j", "a", "b") + "</model></sdf>", "joint 'j': link 'a' is unknown"),
        (
            HEAD + link("crank", "0 0 x", "0 0 0") + "</model></sdf>",
            "crank: expected 6 numbers, got '0 0 x 0 0 0'",
        ),
        (
            HEAD + link("crank", "0 0 0", "0 0 0", ' relative_to="nowhere"') + "</model></sdf>",
            "frame 'nowhere' is unknown",
        ),
        (
            HEAD + link("crank", "0 0 0", "0 0 0", ' relative_to="crank"') + "</model></sdf>",
            "frame 'crank' depends on itself",
        ),
        (
            HEAD + link("crank", "0 0 0", "0 0 0") + joint("j", "world", "crank", "", "screw")
            + "</model></sdf>",
            "joint 'j': expected one of .* got 'screw'; write a light link on a revolute",
        ),
        (
            HEAD + link("crank", "0 0 0", "0 0 0") + joint("j", "crank", "rocker")
            + joint("k", "rocker", "crank") + "</model></sdf>",
            "joint 'j': link 'rocker' is unknown",
        ),
        (
            HEAD + link("crank", "0 0 0") + link("crank", "0 0 0") + "</model></sdf>",
            "link 'crank': expected names that each link has alone",
        ),
        (
            HEAD + link("crank", "0 0 0").replace("<mass>1.2", "<mass>heavy") + "</model></sdf>",
            "inertial of 'crank', mass: expected a number, got 'heavy'",
        ),
        (
            HEAD + link("crank", "0 0 0").replace("<inertial>", "<inertial auto='true'>")
            + "</model></sdf>",
            "inertial of 'crank': auto='true' needs collisions that are boxes",
        ),
        (
            HEAD + "<frame name='a' attached_to='b'/><frame name='b' attached_to='a'/>"
            + link("crank", "0 0 0") + joint("j", "world", "a") + "</model></sdf>",
            "frame 'a' is attached to itself",
        ),
        (
            HEAD + "<include><uri>https://fuel.org/models/hand</uri></include></model></sdf>",
            "'https://fuel.org/models/hand': expected a path, .* nothing is downloaded",
        ),
        (
            HEAD + "<include><uri>model://hand</uri></include></model></sdf>",
            "package 'hand' is not installed; .* tried .*places/hand",
        ),
        (
            HEAD + "<include><uri>robot.sdf</uri><name>me</name></include></model></sdf>",
            "model 'me': models in models without end",
        ),
        (HEAD + "<model><link name='a'/></model></model></sdf>", "expected a name, got none"),
        ("<!DOCTYPE x><sdf version='1.9'></sdf>", "it has a DOCTYPE declaration"),
        ("<sdf version='1.0'/>", "expected <sdf> of version 1.2 or later"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=message):
        imported(text, tmp_path)


def test_a_model_without_a_joint_to_the_world_floats_unless_it_is_static(tmp_path: Path) -> None:
    body = HEAD + "{}" + link("crank", "1 2 3", "0 0 0") + "</model></sdf>"
    _, free = imported(body.format(""), tmp_path)
    assert len(free.model.velocity_names) == 6
    np.testing.assert_allclose(
        free.model.compute(free.model.zero_position()).frame("crank")[0], (1, 2, 3)
    )
    _, fixed = imported(body.format("<static>true</static>"), tmp_path)
    assert fixed.model.velocity_names == ()


def test_the_command_prints_files_loops_and_what_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "robot.sdf"
    file.write_text(four_bar("universal", "<plugin name='p'/></model></sdf>"))
    assert main([str(file), "--out", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    assert "bars.urdf" in text and "1 elements <plugin>" in text
    assert "joint 'pin': a loop closed by 'universal'; expected revolute" in text
    assert main([str(tmp_path / "robot.txt"), "--out", str(tmp_path)]) == 1
    assert "expected a file .xml, .mjcf, .sdf or .urdf" in capsys.readouterr().err


def test_links_that_no_joint_holds_float_beside_those_of_the_world(tmp_path: Path) -> None:
    text = HEAD + link("crank", "0 0 0") + link("rocker", "1 2 3") + joint("j", "world", "crank")
    _, found = imported(f"{text}</model></sdf>", tmp_path)
    assert len(found.model.velocity_names) == 7 and found.model.actuator_names == ("j",)
    state = found.model.compute(found.model.zero_position())
    np.testing.assert_allclose(state.frame("rocker")[0], (1, 2, 3))


FINGER = """
<sdf version="1.9"><model name="finger" canonical_link="base">
  <pose>9 9 9 0 0 0</pose>
  <link name="tip"><pose relative_to="bend">0 0 0.2 0.1 0 0</pose>{tip}</link>
  <link name="base"><pose>0 0 0.05 0 0 0.3</pose>{base}</link>
  <frame name="flange" attached_to="base"><pose>0 0.02 0 0.5 0 0</pose></frame>
  <joint name="bend" type="revolute"><pose relative_to="__model__">0 0 0.3 0 0.2 0</pose>
    <parent>base</parent><child>tip</child>
    <axis><xyz expressed_in="flange">1 0 0</xyz></axis></joint>
</model></sdf>"""
HAND = """
<sdf version="1.9"><model name="hand">
  <link name="palm"><pose>0.1 0 0.4 0 0 0.7</pose>{palm}</link>
  <joint name="hold" type="revolute"><parent>world</parent><child>palm</child>
    <axis><xyz>0 1 0</xyz></axis></joint>
  <frame name="left" attached_to="palm"><pose>0 0.1 0.1 0 0.4 0</pose></frame>
  <include><uri>model://finger</uri><name>one</name><pose relative_to="left">0 0 0 0 0 1</pose>
    <placement_frame>flange</placement_frame></include>
  <joint name="one_fixed" type="fixed"><parent>palm</parent><child>one</child></joint>
  <model name="side">
    <pose relative_to="__model__">0 -0.1 0.5 0.2 0 0</pose>
    <include><uri>finger/model.sdf</uri><name>two</name><pose>0 0 0.1 0 0 0</pose></include>
  </model>
  <joint name="two_slide" type="prismatic"><parent>side::two::__model__</parent><child>palm</child>
    <pose relative_to="side::two::flange"/><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""


def body(mass: float) -> str:
    return (
        f"<inertial><pose>0.01 0.02 {0.03 * mass} 0 0.1 0</pose><mass>{mass}</mass><inertia>"
        f"<ixx>{0.02 * mass}</ixx><iyy>{0.03 * mass}</iyy><izz>{0.025 * mass}</izz>"
        f"<ixy>{0.001 * mass}</ixy></inertia></inertial>"
    )


def pose(p: tuple[float, ...], rpy: tuple[float, ...] = (0, 0, 0)) -> np.ndarray:
    """Return a matrix (4, 4) of a position and of turns about the fixed axes x, y and z."""
    result = np.eye(4)
    for axis, angle in enumerate(rpy):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(4)
        turn[i, i] = turn[j, j] = math.cos(angle)
        turn[j, i], turn[i, j] = math.sin(angle), -math.sin(angle)
        result = turn @ result
    result[:3, 3] = p
    return result


def place_finger(folder: Path) -> None:
    finger = folder / "places" / "finger"
    finger.mkdir(parents=True)
    (finger / "model.sdf").write_text(FINGER.format(tip=body(0.4), base=body(0.7)))
    (finger / "model.config").write_text(
        "<model><sdf version='1.5'>old.sdf</sdf><sdf version='1.9'>model.sdf</sdf></model>"
    )


def test_models_in_models_and_of_other_files_are_where_their_poses_say(tmp_path: Path) -> None:
    place_finger(tmp_path)
    converted, found = imported(HAND.format(palm=body(1.0)), tmp_path)
    palm = pose((0.1, 0, 0.4), (0, 0, 0.7))
    left = palm @ pose((0, 0.1, 0.1), (0, 0.4, 0))
    base, bend = pose((0, 0, 0.05), (0, 0, 0.3)), pose((0, 0, 0.3), (0, 0.2, 0))
    flange = base @ pose((0, 0.02, 0), (0.5, 0, 0))
    # the flange is at the pose, not the finger
    one = left @ pose((0, 0, 0), (0, 0, 1)) @ np.linalg.inv(flange)
    two = pose((0, -0.1, 0.5), (0.2, 0, 0)) @ pose((0, 0, 0.1))
    expected = {"palm": palm}
    for name, finger in (("one", one), ("side::two", two)):
        expected[f"{name}::base"] = finger @ base
        expected[f"{name}::tip"] = finger @ bend @ pose((0, 0, 0.2), (0.1, 0, 0))
    model = found.model
    state = model.compute(model.zero_position())
    for name, matrix in expected.items():
        p, R = state.frame(name)
        np.testing.assert_allclose(p, matrix[:3, 3], atol=1e-12)
        np.testing.assert_allclose(R, matrix[:3, :3], atol=1e-12)
    assert model.total_mass == pytest.approx(1.0 + 2 * 1.1) and converted.dropped == []
    # axes are those of the flanges; the slide moves the second finger away from its child
    for joint, child, axis in (
        ("one::bend", "one::tip", (one @ flange)[:3, 0]),
        ("side::two::bend", "side::two::tip", (two @ flange)[:3, 0]),
        ("two_slide", "side::two::base", -(two @ flange)[:3, 2]),
    ):
        position = model.zero_position()
        position[model.position_names.index(joint)] = 0.5
        (p, R), (p_zero, R_zero) = model.compute(position).frame(child), state.frame(child)
        twice = R @ R_zero.T - R_zero @ R.T
        turn = 0.5 * np.array((twice[2, 1], twice[0, 2], twice[1, 0]))
        moved = p - p_zero if joint == "two_slide" else turn
        size = 0.5 if joint == "two_slide" else math.sin(0.5)
        np.testing.assert_allclose(moved, size * axis, atol=1e-12)


def test_a_merged_model_is_part_of_the_other_one(tmp_path: Path) -> None:
    place_finger(tmp_path)
    text = """<sdf version="1.9"><model name="post"><include merge="true"><uri>model://finger</uri>
      <pose>0 0 1 0 0 0.5</pose></include><link name="knob"><pose relative_to="flange"/></link>
      <joint name="stand" type="fixed"><parent>world</parent><child>base</child></joint>
      <joint name="grip" type="fixed"><parent>base</parent><child>knob</child></joint>
      </model></sdf>"""
    _, found = imported(text, tmp_path)
    assert found.model.actuator_names == ("bend",)
    flange = pose((0, 0, 1), (0, 0, 0.5)) @ pose((0, 0, 0.05), (0, 0, 0.3))
    flange = flange @ pose((0, 0.02, 0), (0.5, 0, 0))
    p, R = found.model.compute([0.0]).frame("knob")
    np.testing.assert_allclose(p, flange[:3, 3], atol=1e-12)
    np.testing.assert_allclose(R, flange[:3, :3], atol=1e-12)


@pytest.mark.parametrize(
    ("version", "extra", "axis"),
    [
        ("1.4", "", (0, 1, 0)),
        ("1.6", "<use_parent_model_frame>1</use_parent_model_frame>", (0, 1, 0)),
        ("1.6", "", (-1, 0, 0)),
        ("1.9", "", (-1, 0, 0)),
    ],
)
def test_axes_of_old_versions_are_in_the_frame_of_the_model(
    version: str, extra: str, axis: tuple[int, ...], tmp_path: Path
) -> None:
    # joint and link bear the same name, which old versions allowed
    turned = link("crank", "0 0 0", f"0 0 {0.5 * math.pi}").replace("<pose>", '<pose frame="">')
    hinge = joint("crank", "world", "crank").replace("</axis>", f"{extra}</axis>")
    text = f'<sdf version="{version}"><model name="m">{turned}{hinge}</model></sdf>'
    _, found = imported(text, tmp_path)
    R, R_zero = (found.model.compute([q]).frame("crank")[1] for q in (0.5, 0.0))
    twice = R @ R_zero.T - R_zero @ R.T
    turn = 0.5 * np.array((twice[2, 1], twice[0, 2], twice[1, 0]))
    np.testing.assert_allclose(turn, math.sin(0.5) * np.array(axis), atol=1e-12)


def test_a_joint_that_mimics_another_follows_it(tmp_path: Path) -> None:
    mimic = (
        '<mimic joint="a"><multiplier>2</multiplier><offset>0.3</offset>'
        "<reference>0.1</reference></mimic></axis>"
    )
    follower = joint("b", "crank", "coupler").replace("</axis>", mimic)
    text = HEAD + link("crank", "0 0 0") + link("coupler", "0 0 0.2") + joint("a", "world", "crank")
    _, found = imported(f"{text}{follower}</model></sdf>", tmp_path)
    assert found.model.actuator_names == ("a",)
    (own,) = (j.mimic for j in found.model.tree.joints if j.mimic is not None)
    assert (own.joint, own.multiplier) == ("a", 2.0) and own.offset == pytest.approx(0.1)
    with pytest.raises(ModelFileError, match="joint 'b': it follows 'c', which is unknown"):
        imported(f"{text}{follower}</model></sdf>".replace('joint="a">', 'joint="c">'), tmp_path)


def test_the_first_model_of_a_world_that_can_move_is_the_robot(tmp_path: Path) -> None:
    place_finger(tmp_path)
    text = """<sdf version="1.9"><!-- a -- b --><world name="w"><gravity>0 0 -1.6</gravity>
      <model name="floor"><static>true</static><link name="slab"/></model>
      <include><uri>model://sun</uri></include>
      <include><uri>model://finger</uri><name>thumb</name></include></world></sdf>"""
    converted, found = imported(text, tmp_path)
    assert found.model.name == "thumb" and found.model.total_mass == pytest.approx(1.1)
    assert found.model.mechanisms.gravity == (0.0, 0.0, -1.6)
    sun, floor = converted.dropped
    assert "package 'sun' is not installed" in sun and floor == "model 'floor' of the world"


def test_automatic_inertials_are_those_of_the_shapes(tmp_path: Path) -> None:
    """A tube of two boxes and a ball, checked by sums over points of a grid."""
    boxes = (
        ((0.2, 0.4, 0.6), (0.1, 0.0, -0.2), (0.3, -0.2, 0.5), 500.0),
        ((0.3, 0.1, 0.2), (-0.2, 0.3, 0.1), (0.0, 0.4, 0.0), 800.0),
    )
    shapes = "".join(
        f'<collision name="c{k}"><pose>{" ".join(map(str, (*p, *rpy)))}</pose>'
        + (f"<density>{density}</density>" if k else "")
        + f"<geometry><box><size>{' '.join(map(str, size))}</size></box></geometry></collision>"
        for k, (size, p, rpy, density) in enumerate(boxes)
    )
    for given, scale in (("", 1.0), ("<mass>12</mass>", 12.0 / 28.8)):
        text = (
            f'{HEAD}<link name="body"><inertial auto="true"><density>500</density>{given}'
            f"</inertial>{shapes}</link>{joint('j', 'world', 'body')}</model></sdf>"
        )
        _, found = imported(text, tmp_path)
        own = found.model.tree.links["body"].inertial
        points, masses = [], []
        steps = (np.arange(30) + 0.5) / 30.0 - 0.5
        for size, p, rpy, density in boxes:
            grid = np.stack(np.meshgrid(*(steps * edge for edge in size)), axis=-1).reshape(-1, 3)
            T = pose(p, rpy)
            points.append(grid @ T[:3, :3].T + T[:3, 3])
            masses.append(np.full(len(grid), density * np.prod(size) / len(grid)))
        x, m = np.concatenate(points), scale * np.concatenate(masses)
        d = x - m @ x / m.sum()
        inertia = np.einsum("i,ij,ij->", m, d, d) * np.eye(3) - np.einsum("i,ij,ik->jk", m, d, d)
        assert own is not None and own.mass == pytest.approx(28.8 * scale)
        np.testing.assert_allclose(own.p_link_com, m @ x / m.sum(), atol=1e-9)
        np.testing.assert_allclose(own.inertia, inertia, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize(
    ("geometry", "volume", "moment"),
    [
        ("<sphere><radius>0.2</radius></sphere>", 4 / 3 * math.pi * 0.2**3, 0.4 * 0.04),
        ("<cylinder><radius>0.2</radius><length>0.5</length></cylinder>",
         math.pi * 0.04 * 0.5, 0.02),
        ("<capsule><radius>0.2</radius><length>0</length></capsule>",
         4 / 3 * math.pi * 0.2**3, 0.4 * 0.04),
    ],
)  # fmt: skip
def test_round_shapes_have_the_density_of_water_unless_told(
    geometry: str, volume: float, moment: float, tmp_path: Path
) -> None:
    text = (
        f'{HEAD}<link name="body"><inertial auto="1"/><collision name="c"><geometry>{geometry}'
        f"</geometry></collision></link>{joint('j', 'world', 'body')}</model></sdf>"
    )
    own = imported(text, tmp_path)[1].model.tree.links["body"].inertial
    assert own is not None and own.mass == pytest.approx(1000.0 * volume)
    assert own.inertia[2, 2] == pytest.approx(own.mass * moment)


def geared(axes: tuple[str, str], more: str = "") -> str:
    """Return two cranks on a frame, whose angles a gearbox of ratio 3 relates."""
    return (
        f"{HEAD}{link('rocker', '0 0 0')}{link('crank', '0 0 0.2')}{link('coupler', '0.3 0 0.2')}"
        f"{joint('fix', 'world', 'rocker', kind='fixed')}{joint('a', 'rocker', 'crank')}"
        f'{joint("b", "coupler", "rocker")}<joint name="g" type="gearbox"><parent>crank</parent>'
        f"<child>coupler</child><gearbox_ratio>3</gearbox_ratio>"
        f"<gearbox_reference_body>rocker</gearbox_reference_body><axis><xyz>{axes[0]}</xyz></axis>"
        f"<axis2><xyz>{axes[1]}</xyz></axis2></joint>{more}</model></sdf>"
    )


@pytest.mark.parametrize(
    ("axes", "multiplier"),
    # b turns the frame on the second crank: the crank turns by -b about the axis
    [(("0 1 0", "0 1 0"), 3.0), (("0 1 0", "0 -1 0"), -3.0), (("0 -1 0", "0 -1 0"), 3.0)],
)
def test_a_gearbox_is_a_joint_that_follows(
    axes: tuple[str, str], multiplier: float, tmp_path: Path
) -> None:
    converted, found = imported(geared(axes), tmp_path)
    assert found.model.actuator_names == ("a",) and converted.dropped == []
    position = found.model.zero_position()
    position[0] = 0.2
    turns = {}
    for name in ("crank", "coupler"):
        R = found.model.kinematics(position).frame(name)[1]
        turns[name] = math.atan2(R[0, 2], R[0, 0])
    sense = [float(axis.split()[1]) for axis in axes]
    # theta_2 = -ratio * theta_1, each about its own axis
    assert sense[1] * turns["coupler"] == pytest.approx(-3.0 * sense[0] * turns["crank"])
    (mimic,) = (j.mimic for j in found.model.tree.joints if j.mimic is not None)
    assert mimic.multiplier == pytest.approx(multiplier)


def test_a_gearbox_in_an_inner_model_has_its_reference_body(tmp_path: Path) -> None:
    own = geared(("0 1 0", "0 1 0")).removeprefix(HEAD).removesuffix("</model></sdf>")
    text = f'{HEAD}<model name="inner">{own}</model></model></sdf>'
    converted, found = imported(text, tmp_path)
    assert found.model.actuator_names == ("inner::a",) and converted.dropped == []
    lost = text.replace("reference_body>rocker", "reference_body>nowhere")
    converted, _ = imported(lost, tmp_path)
    assert any("gearbox 'inner::g'" in line for line in converted.dropped)


def test_the_driven_joint_of_a_gearbox_leads_and_others_are_named(tmp_path: Path) -> None:
    plugin = "<plugin><joint_name>b</joint_name></plugin>"
    _, found = imported(geared(("0 1 0", "0 1 0"), more=plugin), tmp_path)
    assert found.model.actuator_names == ("b",)
    converted, found = imported(geared(("0 1 0", "1 0 0")), tmp_path)
    assert any("gearbox 'g': expected hinges parallel" in line for line in converted.dropped)
    assert found.model.actuator_names == ("a", "b")
