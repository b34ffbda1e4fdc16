# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loop joints with springs, friction, limits and motors; relations of three and more joints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loop_robots import COUPLER, GROUND, ROCKER, four_bar, joint, link, robot

from charmie_dynamics import Model, ModelFileError, load_model
from charmie_dynamics.live.estimation.following import assembly_lines
from charmie_dynamics.model.equations.number_paths import path_of, with_numbers
from charmie_dynamics.model.movable import movable_joints, moving_frames
from charmie_dynamics.simulation import Plant
from charmie_dynamics.studies.robot_parameters.robot_files import (
    rewritten_mechanisms,
    rewritten_urdf,
)
from charmie_dynamics.symbolic import derive

CRANK = [0.7, 0.4, 0.9, 0.0]
RATE, ACCELERATION = [1.3, 0.0, 0.0, 0.0], [0.6, 0.0, 0.0, 0.0]
PIN = {"type": "revolute", "first_body": "coupler", "first_point": [0.0, 0.0, COUPLER],
       "second_body": "rocker", "second_point": [0.0, 0.0, ROCKER],
       "axis": [0.0, 1.0, 0.0]}  # fmt: skip


def bars(folder: Path, passive: tuple[str, ...] = ("coupler_joint", "rocker_joint"),
         sections: dict[str, Any] | None = None, **entry: Any) -> Model:  # fmt: skip
    """Return the four-bar whose pin has an entry and names in sections of its own."""
    parts = [
        link("ground"),
        link("crank", 1.2, (0.01, 0.0, 0.1)),
        link("coupler", 2.0, (0.02, 0.0, 0.3)),
        link("rocker", 1.5, (-0.01, 0.0, 0.2)),
        joint("crank_joint", "continuous", "ground", "crank"),
        joint("coupler_joint", "continuous", "crank", "coupler", (0, 0, 0.2)),
        joint("rocker_joint", "continuous", "ground", "rocker", (GROUND, 0, 0)),
    ]
    mechanisms = {"loop_joints": {"pin": {**PIN, **entry}}, "passive_joints": list(passive)}
    return robot(folder, parts, {**mechanisms, **(sections or {})}, "bars")


def loaded(**entry: Any) -> dict[str, Any]:
    return {"joint_springs": {"leaf": {"joint": "pin", "stiffness": 0.0, **entry}}}


def test_the_angle_of_a_pin_is_that_of_its_links(tmp_path: Path) -> None:
    model = bars(tmp_path, sections=loaded())
    assert model.velocity_names == ("crank_joint", "coupler_joint", "rocker_joint", "pin")
    q, v, a = model.assemble(CRANK, RATE, ACCELERATION)
    assert q[3] == pytest.approx(q[2] - q[0] - q[1], abs=1e-9)
    assert v[3] == pytest.approx(v[2] - v[0] - v[1], abs=1e-9)
    plain = four_bar(tmp_path).compute(*(each[:3] for each in (q, v, a)))
    found = model.compute(q, v, a)
    np.testing.assert_allclose(found.actuator_effort, plain.actuator_effort, atol=1e-9)
    np.testing.assert_allclose(found.loop_force("pin"), plain.loop_force("pin"), atol=1e-9)


def test_springs_dampers_and_friction_of_a_pin_work_by_its_rate(tmp_path: Path) -> None:
    free = bars(tmp_path, sections=loaded())
    q, v, a = free.assemble(CRANK, RATE, ACCELERATION)
    friction = {"friction": {"pin": {"viscous": 0.7, "coulomb": 1.5}}}
    spring = loaded(stiffness=8.0, rest=0.2, damping=0.3)
    model = bars(tmp_path, sections={**spring, **friction})
    resisting = 8.0 * (q[3] - 0.2) + (0.3 + 0.7) * v[3] + 1.5 * np.sign(v[3])
    expected = free.compute(q, v, a).actuator_effort + resisting * v[3] / v[0]
    found = model.compute(q, v, a)
    np.testing.assert_allclose(found.actuator_effort, expected, atol=1e-9)
    torque = found.loop_force("pin")[3:] @ [0.0, 1.0, 0.0]
    assert torque == pytest.approx(-resisting, abs=1e-9)
    again = model.forward(q, v, found.actuator_effort).acceleration
    np.testing.assert_allclose(again, a, atol=1e-9)


def test_a_motor_at_the_pin_does_the_work_of_one_at_the_crank(tmp_path: Path) -> None:
    free = bars(tmp_path, sections=loaded())
    q, v, a = free.assemble(CRANK, RATE, ACCELERATION)
    passive = "crank_joint", "coupler_joint", "rocker_joint"
    rotor = {"rotors": {"pin": {"inertia": 1e-4, "gear_ratio": 30}}}
    model = bars(tmp_path, passive, rotor, driven=True, effort_limit=20.0, limits=[-3.0, 3.0])
    assert model.actuator_names == ("pin",)
    (limit,) = model.actuator_limits()
    assert (limit.lower, limit.upper, limit.effort) == (-3.0, 3.0, 20.0)
    found = model.compute(q, v, a).actuator_effort
    inertia = 1e-4 * 30**2
    expected = free.compute(q, v, a).actuator_effort * v[0] / v[3] + inertia * a[3]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_pin_stops_at_its_limits(tmp_path: Path) -> None:
    model = bars(tmp_path, sections=loaded())
    q = model.assemble(CRANK).position
    limited = bars(tmp_path, limits=[float(q[3]) - 0.1, float(q[3]) + 0.1])
    plant = Plant(limited, q, joint_stops=True)
    plant.advance([4.0], steps=3000)
    assert 0.1 < abs(plant.position[3] - q[3]) < 0.11
    plant = Plant(model, q, joint_stops=True)
    plant.advance([4.0], steps=400)
    assert abs(plant.position[3] - q[3]) > 0.2


def test_the_zero_of_a_pin_is_that_of_second_rpy(tmp_path: Path) -> None:
    q = bars(tmp_path, sections=loaded()).assemble(CRANK).position
    model = bars(tmp_path, sections=loaded(), second_rpy=[0.0, 0.3, 0.0])
    moved = model.assemble(CRANK).position
    assert moved[3] == pytest.approx(q[3] - 0.3, abs=1e-9)
    about = bars(tmp_path, sections=loaded(), second_axis=[0.0, 1.0, 0.0]).assemble(CRANK)
    np.testing.assert_allclose(about.position, q, atol=1e-9)


def test_copies_and_numbers_of_a_pin_are_those_of_its_joint(tmp_path: Path) -> None:
    model = bars(tmp_path, sections=loaded(stiffness=8.0))
    again = Model(model.tree, model.mechanisms)
    q, v, a = model.assemble(CRANK, RATE, ACCELERATION)
    expected = model.compute(q, v, a).actuator_effort
    np.testing.assert_array_equal(again.compute(q, v, a).actuator_effort, expected)
    assert "joint_springs.leaf.stiffness" in model.parameters


def test_numbers_of_a_pin_are_written_to_the_mechanisms_file(tmp_path: Path) -> None:
    friction = {"friction": {"pin": {"viscous": 0.7, "coulomb": 1.5}}}
    model = bars(tmp_path, sections={**loaded(stiffness=8.0), **friction})
    numbers = {"joints.pin.damping": 0.9, "joints.pin.xyz[2]": 0.65}
    expected = with_numbers(
        model.tree,
        model.mechanisms,
        {path_of(model.tree, model.mechanisms, path): value for path, value in numbers.items()},
    )
    file = tmp_path / "bars.yaml"
    file.write_text(rewritten_mechanisms(file.read_text(), numbers, tree=model.tree))
    assert rewritten_urdf(model.tree, {}) == model.tree.urdf
    again = load_model(tmp_path / "bars.urdf", file)
    motion = again.assemble(CRANK, RATE, ACCELERATION)
    found = again.compute(*motion).actuator_effort
    np.testing.assert_allclose(found, Model(*expected).compute(*motion).actuator_effort, atol=1e-9)
    with pytest.raises(ModelFileError, match=r"expected 'joints\.pin\.xyz'"):
        rewritten_mechanisms(
            file.read_text(), {"loop_joints.pin.first_point[2]": 0.01}, tree=model.tree
        )


DIFFERENTIAL = {
    "tilt": {"coefficients": {"pitch": 1.0, "left": -0.5, "right": -0.5}},
    "turn": {"coefficients": {"roll": 2.0, "left": -1.0, "right": 1.0}, "constant": 0.4},
}


def wrist(folder: Path, relations: dict[str, Any], passive: list[str]) -> Model:
    """Return a wrist of two axes, and two motors with rotors before them."""
    parts = [
        link("base"),
        link("left_gear", 0.2),
        link("right_gear", 0.3),
        link("yoke", 1.0, (0.1, 0.02, 0.05)),
        link("hand", 2.0, (0.2, 0.03, -0.04)),
        joint("left", "continuous", "base", "left_gear", (0, 0.1, 0)),
        joint("right", "continuous", "base", "right_gear", (0, -0.1, 0)),
        joint("pitch", "continuous", "base", "yoke"),
        joint("roll", "continuous", "yoke", "hand", (0.1, 0, 0), (1, 0, 0)),
    ]  # fmt: skip
    sections = {"joint_relations": relations, "passive_joints": passive}
    return robot(folder, parts, {key: value for key, value in sections.items() if value}, "wrist")


def test_a_differential_transmits_efforts_by_its_transpose(tmp_path: Path) -> None:
    model = wrist(tmp_path, DIFFERENTIAL, ["pitch", "roll"])
    names = model.velocity_names
    given = {"left": (0.8, 1.1, 0.2), "right": (0.3, -0.4, 0.9)}
    q, v, a = model.assemble(*np.array([given.get(name, (0, 0, 0)) for name in names]).T)
    of = dict(zip(names, q, strict=True))
    assert of["pitch"] == pytest.approx(0.5 * (0.8 + 0.3), abs=1e-12)
    assert of["roll"] == pytest.approx(0.5 * (0.8 - 0.3 + 0.4), abs=1e-12)
    tree = wrist(tmp_path, {}, [])
    assert tree.velocity_names == names
    tau = dict(zip(names, tree.compute(q, v, a).actuator_effort, strict=True))
    found = dict(zip(model.actuator_names, model.compute(q, v, a).actuator_effort, strict=True))
    assert found["left"] == pytest.approx(tau["left"] + 0.5 * (tau["pitch"] + tau["roll"]))
    assert found["right"] == pytest.approx(tau["right"] + 0.5 * (tau["pitch"] - tau["roll"]))
    again = model.forward(q, v, model.compute(q, v, a).actuator_effort)
    np.testing.assert_allclose(again.acceleration, a, atol=1e-9)
    assert model.constraints(q).undetermined == ()


def test_turns_of_a_gear_are_counted(tmp_path: Path) -> None:
    relation = {"gear": {"coefficients": {"pitch": 50.0, "left": -1.0}}}
    model = wrist(tmp_path, relation, ["pitch"])
    pose = model.closed_pose({"left": 400.0})
    assert pose[model.position_names.index("pitch")] == pytest.approx(8.0, abs=1e-9)


@pytest.mark.parametrize(
    ("relations", "words"),
    [
        ({"x": {"coefficients": {"pitch": 1.0, "lefty": 1.0}}}, r"'lefty' is no revolute.*'left'"),
        ({"x": {"coefficients": {"pitch": 1.0, "left": 0.0}}}, r"line \d+: .*other than 0"),
        ({"x": {"coefficients": {"pitch": 1.0}}}, r"coefficients"),
    ],
)  # fmt: skip
def test_faulty_relations_are_refused(tmp_path: Path, relations: Any, words: str) -> None:
    with pytest.raises(ModelFileError, match=words):
        wrist(tmp_path, relations, ["pitch"])


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"type": "spherical", "axis": None, "driven": True}, "driven is for revolute, prismatic"),
        ({"limits": [1.0, -1.0]}, "expected lower < upper, got 1.0 and -1.0"),
        ({"effort_limit": 3.0}, "effort_limit needs driven or limits"),
        ({"second_rpy": [0, 0, 0], "second_axis": [0, 1, 0]}, "second_axis or second_rpy"),
    ],
)
def test_faulty_entries_are_refused(tmp_path: Path, entry: Any, words: str) -> None:
    own = {key: value for key, value in {**PIN, **entry}.items() if value is not None}
    with pytest.raises(ModelFileError, match=words):
        robot(tmp_path, [link("coupler")], {"loop_joints": {"pin": own}})


def test_names_of_added_parts_may_not_be_taken(tmp_path: Path) -> None:
    own = {**PIN, "limits": [-1.0, 1.0]}
    parts = [
        *(link(name) for name in ("ground", "coupler", "rocker")),
        joint("a", "continuous", "ground", "coupler"),
        joint("pin", "continuous", "ground", "rocker"),
    ]  # fmt: skip
    with pytest.raises(ModelFileError, match=r"line \d+: .*'pin' has the name of another part"):
        robot(tmp_path, parts, {"loop_joints": {"pin": own}})


def test_sliders_of_relations_are_no_published_joints_and_frames(tmp_path: Path) -> None:
    model = wrist(tmp_path, DIFFERENTIAL, ["pitch", "roll"])
    plain = wrist(tmp_path, {}, [])
    assert len(model.frame_names) == len(plain.frame_names) + 6
    assert movable_joints(model).names == movable_joints(plain).names
    frames = [model.frame_names[i] for i in moving_frames(model)]
    assert frames == [plain.frame_names[i] for i in moving_frames(plain)]


def test_relations_leave_no_assembly_undecided(tmp_path: Path) -> None:
    assert assembly_lines(wrist(tmp_path, DIFFERENTIAL, ["pitch", "roll"])) == []
    assert assembly_lines(bars(tmp_path)) != []


def test_equations_of_a_relation_can_be_derived(tmp_path: Path) -> None:
    relation = {"tilt": DIFFERENTIAL["tilt"]}
    model = wrist(tmp_path, relation, ["pitch"])
    found = derive(model, "christoffel").function()(np.zeros(4), np.zeros(4))
    (row,) = found.jacobian
    found = dict(zip(model.joint_names, row.tolist(), strict=True))
    assert found == {"left": -0.5, "right": -0.5, "pitch": 1.0, "roll": 0.0}
