# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loops that cannot be closed, are open, or determine too little; entries that mean nothing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loop_robots import GROUND, ROCKER, four_bar, joint, link, robot

from charmie_dynamics import InputError, Model, ModelFileError, OutOfReachError, UnknownNameError
from charmie_dynamics.errors import LoopError, MassMatrixError, UnsupportedError

PIN: dict[str, Any] = {
    "type": "revolute",
    "first_body": "coupler",
    "first_point": [0.0, 0.0, 0.6],
    "second_body": "rocker",
    "second_point": [0.0, 0.0, ROCKER],
    "axis": [0.0, 1.0, 0.0],
}


def of_pin(folder: Path, passive: list[str] | None = None, **entry: Any) -> Model:
    """Return the four-bar with another loop joint; None leaves a key out."""
    own = {key: value for key, value in {**PIN, **entry}.items() if value is not None}
    parts = [
        link("ground"),
        link("crank", 1.2),
        link("coupler", 2.0),
        link("rocker", 1.5),
        link("arm", 1.0),
        joint("crank_joint", "continuous", "ground", "crank"),
        joint("coupler_joint", "continuous", "crank", "coupler", (0, 0, 0.2)),
        joint("rocker_joint", "continuous", "ground", "rocker", (GROUND, 0, 0)),
        joint("arm_joint", "continuous", "ground", "arm"),
    ]
    names = ["coupler_joint", "rocker_joint"] if passive is None else passive
    return robot(folder, parts, {"loop_joints": {"pin": own}, "passive_joints": names})


@pytest.fixture(scope="module")
def bars(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return four_bar(tmp_path_factory.mktemp("bars"))


@pytest.fixture(scope="module")
def closed(bars: Model):
    return bars.assemble([0.3, 1.0, 0.3], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0])


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"type": "hinge"}, r"line \d+: loop_joints.pin.type: 'hinge' is not one of"),
        (
            {"axis": None},
            "expected axis, a vector in coupler that is not zero, since its type is revolute",
        ),
        ({"axis": [0.0, 0.0, 0.0]}, "expected axis, a vector in coupler that is not zero"),
        ({"type": "spherical"}, "axis is only for revolute, prismatic"),
        ({"type": "fixed", "axis": None, "second_axis": [1, 0, 0]}, "second_axis is for revolute"),
        (
            {"type": "spherical", "axis": None, "second_rpy": [0, 0, 0]},
            "second_rpy is for revolute",
        ),
        ({"length": 1.0}, "length is for distance"),
        ({"type": "distance", "axis": None, "length": 0}, "0 is less than or equal"),
        ({"second_body": "coupler"}, "expected two links, got 'coupler' twice"),
        ({"second_body": "roker"}, "second_body 'roker' is no link; did you mean 'rocker'"),
        ({"first_pont": [0, 0, 0]}, "unknown key 'first_pont'; did you mean 'first_point'"),
        ({"first_point": [0, 0]}, "first_point"),
    ],
)
def test_an_entry_that_means_nothing_is_refused(
    tmp_path: Path, entry: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelFileError, match=message) as refused:
        of_pin(tmp_path, **entry)
    assert "line" in str(refused.value)


@pytest.mark.parametrize(
    ("passive", "message"),
    [
        (
            ["coupler_joint", "rocker_joint", "arm_joint"],
            "passive joint 'arm_joint': no loop joint",
        ),
        (["coupler_joit"], "'coupler_joit' is no independent movable joint; did you mean"),
        (["coupler_joint", "coupler_joint"], "non-unique"),
    ],
)
def test_passive_joints_have_to_be_in_loops(
    tmp_path: Path, passive: list[str], message: str
) -> None:
    with pytest.raises(ModelFileError, match=message):
        of_pin(tmp_path, passive)


def test_links_that_nothing_moves_apart_make_no_loop(tmp_path: Path) -> None:
    parts = [link("ground"), link("a", 1.0), link("b", 1.0)]
    parts += [joint("j", "continuous", "ground", "a"), joint("k", "fixed", "a", "b")]
    loops = {"weld": {"type": "fixed", "first_body": "a", "second_body": "b"}}
    with pytest.raises(ModelFileError, match="no joint moves 'b' in 'a'"):
        robot(tmp_path, parts, {"loop_joints": loops})


def test_points_in_one_place_keep_no_distance(tmp_path: Path) -> None:
    entry = {"type": "distance", "axis": None, "first_body": "arm", "second_body": "crank"}
    points = {"first_point": [0, 0, 0], "second_point": [0, 0, 0]}
    with pytest.raises(ModelFileError, match="in the same place; expected a distance above 0"):
        of_pin(tmp_path, [], **entry, **points)


def test_a_joint_cannot_be_passive_and_driven(data: Path, tmp_path: Path) -> None:
    import yaml

    from charmie_dynamics import load_model

    document = yaml.safe_load((data / "crane.yaml").read_text())
    driven = next(iter(document["linear_actuators"].values()))["joint"]
    document["passive_joints"] = [driven]
    file = tmp_path / "both.yaml"
    file.write_text(yaml.safe_dump(document))
    with pytest.raises(ModelFileError, match=f"joint '{driven}' is moved by no single act"):
        load_model(data / "crane.urdf", file)


def test_open_loops_are_told_by_how_much(bars: Model, closed: Any) -> None:
    position = np.add(closed.position, (0.0, 0.0, 1e-3))
    for call in (
        lambda: bars.compute(position),
        lambda: bars.kinematics(position),
        lambda: bars.forward(position),
        lambda: bars.equations(position),
    ):
        with pytest.raises(OutOfReachError, match=r"'pin' is open by 0.000\d+ m") as refused:
            call()
        assert refused.value.name == "pin"
    rows = np.array([closed.position, position])
    for many in (bars.compute, bars.forward, bars.equations):
        with pytest.raises(OutOfReachError, match="sample 1: loop joint 'pin' is open"):
            many(rows)


def test_openings_up_to_a_millionth_of_the_levers_are_allowed(bars: Model, closed: Any) -> None:
    off = np.array([0.0, 0.0, 1e-6])
    opened = bars.constraints(closed.position + off)
    share = abs(opened.error / opened.size).max()
    for call in (bars.compute, bars.equations):
        call(closed.position + 0.99e-6 / share * off)
        with pytest.raises(OutOfReachError, match="'pin' is open"):
            call(closed.position + 1.01e-6 / share * off)


def test_velocities_that_open_a_loop_are_refused(bars: Model, closed: Any) -> None:
    velocity = np.add(closed.velocity, (0.0, 0.01, 0.0))
    for call in (bars.compute, bars.forward, bars.equations):
        with pytest.raises(InputError, match=r"velocity: it opens loop joint 'pin' by 0.0\d+ m/s;"):
            call(closed.position, velocity)
    with pytest.raises(InputError, match="acceleration: it opens loop joint 'pin' by"):
        bars.compute(*closed[:2])


@pytest.mark.parametrize("order", ["velocity", "acceleration"])
def test_drives_that_contradict_each_other_are_not_sent_to_assemble(
    tmp_path: Path, order: str
) -> None:
    position = of_pin(tmp_path).assemble([0.3, 1.0, 0.3, 0.0]).position
    driven = of_pin(tmp_path, ["coupler_joint"])
    with pytest.raises(InputError, match=f"{order}: loop joint 'pin' opens by .* singular") as told:
        driven.assemble(position, **{order: [1.0, 0.0, 0.0, 0.0]})
    assert "assemble" not in str(told.value)


def test_a_loop_out_of_reach_is_told_by_how_much(tmp_path: Path) -> None:
    bars = four_bar(tmp_path, first_point=[0.0, 0.0, 0.2])  # 0.5 m are too far for 0.2 + 0.4
    with pytest.raises(OutOfReachError, match=r"'pin' cannot be closed: it stays open by 0.\d+ m"):
        bars.assemble([-1.5, 0.5, -0.5])
    turned, _ = bars.project([-1.5, 0.5, -0.5])  # the crank may move, too
    assert abs(bars.constraints(turned).error).max() < 1e-14
    assert abs(bars.constraints(bars.assemble([1.5, 0.5, 0.5]).position).error).max() < 1e-14


def test_a_dead_centre_is_told(tmp_path: Path) -> None:
    """Driven by the rocker, with crank and coupler in line: 0.8 m from pivot to pin."""
    bars = of_pin(tmp_path, ["crank_joint", "coupler_joint"])
    distance = 0.8
    pin_x = (distance**2 - ROCKER**2 + GROUND**2) / (2 * GROUND)
    pin_z = math.sqrt(distance**2 - pin_x**2)
    crank, rocker = math.atan2(pin_x, pin_z), math.atan2(pin_x - GROUND, pin_z)
    for off in (0.0, 1e-9):  # as well as near it
        with pytest.raises(LoopError, match="is in a singular position, or too near") as told:
            bars.assemble([crank + off, 0.0, rocker, 0.0])
        assert told.value.name in ("crank_joint", "coupler_joint")
    with pytest.raises(OutOfReachError, match="'pin' cannot be closed"):
        bars.assemble([crank, 0.0, rocker + 0.01, 0.0])


def test_a_passive_joint_that_stays_free_is_named(tmp_path: Path) -> None:
    model = of_pin(tmp_path, ["crank_joint", "coupler_joint", "rocker_joint"])
    start = [0.3, 0.95288992, 0.32847292, 0.0]
    with pytest.raises(LoopError, match="the loops determine its motion") as refused:
        model.assemble(start)
    assert refused.value.name in ("crank_joint", "coupler_joint", "rocker_joint")
    position, velocity = model.project(start)
    with pytest.raises(LoopError, match="no efforts of the actuators"):
        model.compute(position, velocity)  # nobody holds it
    with pytest.raises(LoopError):
        model.equations(position)
    # let go, it falls, and for that it needs no effort
    state = model.forward(position, velocity)
    again = model.compute(state.position, state.velocity, state.acceleration)
    np.testing.assert_allclose(again.actuator_effort, 0.0, atol=1e-12)


def test_more_actuators_than_motions_share_the_least_efforts(tmp_path: Path) -> None:
    model = of_pin(tmp_path, [])
    position, velocity = model.project([0.3, 0.95, 0.33, 0.1])
    effort = model.compute(position, velocity).actuator_effort
    constraints = model.constraints(position)
    assert (constraints.rank, constraints.mobility) == (2, 2)
    needed = model.open_tree().compute(position).generalized_force
    work = constraints.motions.T @ needed
    least = np.linalg.lstsq(constraints.motions.T, work, rcond=None)[0]
    np.testing.assert_allclose(effort, least, atol=1e-11)
    with pytest.raises(UnsupportedError, match="got 2 and 4; "):
        model.equations(position)
    given = np.array([1.0, -2.0, 0.5, 0.2])
    state = model.forward(position, velocity, given)
    np.testing.assert_allclose(state.actuator_effort, given, atol=1e-12)


def test_a_loop_without_mass_has_no_forward_dynamics(tmp_path: Path) -> None:
    parts = [link("ground")] + [link(name) for name in ("crank", "coupler", "rocker")]
    parts += [
        joint("crank_joint", "continuous", "ground", "crank"),
        joint("coupler_joint", "continuous", "crank", "coupler", (0, 0, 0.2)),
        joint("rocker_joint", "continuous", "ground", "rocker", (GROUND, 0, 0)),
    ]
    passive = ["coupler_joint", "rocker_joint"]
    model = robot(tmp_path, parts, {"loop_joints": {"pin": PIN}, "passive_joints": passive})
    position = model.assemble([0.3, 1.0, 0.3]).position
    with pytest.raises(MassMatrixError, match="adds no mass of its own"):
        model.forward(position)


def test_names_and_numbers_that_are_wrong(bars: Model, closed: Any) -> None:
    with pytest.raises(UnknownNameError, match="loop joint 'pn' is unknown; did you mean 'pin'"):
        bars.compute(*closed).loop_force("pn")
    with pytest.raises(InputError, match="position: expected shape"):
        bars.assemble([0.1])
    with pytest.raises(InputError, match="velocity: expected finite"):
        bars.assemble(closed.position, [np.nan, 0.0, 0.0])
    with pytest.raises(InputError, match=r"effort: expected shape \(1,\)"):
        bars.forward(closed.position, closed.velocity, [1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="effort: expected finite values, got inf for 'crank_j"):
        bars.forward(closed.position, closed.velocity, [np.inf])
