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


def link(name: str, pose: str, angle: str = "", relative: str = "") -> str:
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
    return import_robot(file, folder / "out", driven)


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
            "joint 'j': expected one of .* got 'screw'",
        ),
        (
            HEAD + link("crank", "0 0 0", "0 0 0") + link("rocker", "0 0 0", "0 0 0")
            + joint("j", "world", "crank") + "</model></sdf>",
            "no joint connects rocker",
        ),
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
    file.write_text(four_bar("universal", "<model name='inner'/></model></sdf>"))
    assert main([str(file), "--out", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    assert "bars.urdf" in text and "1 elements <model>" in text
    assert "joint 'pin': a loop closed by 'universal'; expected revolute" in text
    assert main([str(tmp_path / "robot.txt"), "--out", str(tmp_path)]) == 1
    assert "expected a file .xml, .mjcf or .sdf" in capsys.readouterr().err
