# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Barrels and rods of linear actuators in the files that studies and identification write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cranes import crane_urdf

from charmie_dynamics import Model, ModelFileError, load_model
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.description.robot import Inertial
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.equations.number_paths import path_of, with_numbers
from charmie_dynamics.studies.identification.written_files import (
    identified_mechanisms,
    identified_urdf,
)
from charmie_dynamics.studies.results.winners import write_winner
from charmie_dynamics.studies.robot_parameters.robot_files import rewritten_mechanisms

TEXT = """linear_actuators:
  ram: {joint: boom_joint, base_body: column, base_point: [0.12, 0, 0.3],
        tip_body: boom, tip_point: [0.55, 0, -0.04],
        barrel: {mass: 8.0, center: 0.2, inertia: 0.1}, rod: {mass: 3.0, center: 0.15}}
"""
NUMBERS = {
    "inertials.ram_barrel.mass": 9.5,
    "inertials.ram_barrel.com[0]": 0.23,
    "inertials.ram_barrel.inertia.yy": 0.14,
    "inertials.ram_barrel.inertia.zz": 0.14,
    "inertials.ram_piston.com[0]": -0.18,
    "inertials.ram_piston.com[1]": 0.0,
    "inertials.ram_piston.inertia.yy": 0.02,
    "inertials.ram_piston.inertia.zz": 0.02,
}


@pytest.fixture(scope="module")
def model() -> Model:
    tree = parse_urdf(crane_urdf(slewing=True), "crane.urdf")
    return Model(tree, parse_mechanisms(TEXT, "crane.yaml"))


def efforts(model: Model) -> Any:
    at = model.assemble(model.zero_position(), *np.ones((2, len(model.velocity_names))))
    return model.compute(*at).actuator_effort


def test_masses_of_a_winner_are_in_its_mechanisms_file(model: Model, tmp_path: Path) -> None:
    base = model
    evaluator = SimpleNamespace(numbers=lambda _: NUMBERS, base=base)
    study: Any = SimpleNamespace(evaluator=evaluator, name="s", mechanisms_text=TEXT)
    winner: Any = SimpleNamespace(candidate=(), name="best")
    (path,) = write_winner(tmp_path, study, winner)
    urdf = tmp_path / "crane.urdf"
    urdf.write_text(crane_urdf(slewing=True))
    written = load_model(urdf, path)
    paths = {path_of(base.tree, base.mechanisms, n): value for n, value in NUMBERS.items()}
    expected = Model(*with_numbers(base.tree, base.mechanisms, paths))
    assert efforts(written) == pytest.approx(efforts(expected), rel=1e-10)
    assert abs(efforts(written) - efforts(base)).max() > 1.0
    assert "inertials.ram_barrel.mass" in path.read_text().splitlines()[0]


def test_an_identified_barrel_is_written_or_refused(model: Model) -> None:
    solid = Inertial(9.0, np.array([0.21, 0.0, 0.0]), np.diag([0.0, 0.11, 0.11]))
    others = ("joint_friction", "springs", "joint_springs", "rotors", "friction")
    result: Any = SimpleNamespace(
        model=model, inertials={"ram_barrel": solid}, **{name: {} for name in others}
    )
    text = identified_mechanisms(result, TEXT, "a test")
    assert "barrel: {mass: 9.0, center: 0.21, inertia: 0.11}" in text
    assert "ram_barrel" not in identified_urdf(result, "a test")
    result.inertials = {"ram_barrel": replace(solid, p_link_com=np.full(3, 0.1))}
    with pytest.raises(ModelFileError, match=r"inertials.ram_barrel.com\[1\]'.*write it as a link"):
        identified_mechanisms(result, TEXT, "a test")


@pytest.mark.parametrize(
    "path",
    ["joints.ram_swing.xyz[0]", "inertials.ram_barrel.inertia.yy", "inertials.ram_piston.com[2]"],
)
def test_a_number_that_no_file_holds_is_refused(model: Model, path: str) -> None:
    with pytest.raises(ModelFileError, match=path.replace("[", r"\[")):
        rewritten_mechanisms(TEXT, {path: 0.3}, tree=model.tree)
