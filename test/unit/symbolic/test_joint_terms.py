# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotors and joint springs as symbols."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sympy", reason="SymPy is missing, with which equations are derived")

from driven_arms import JOINT_SPRINGS, ROTORS, arm, sample_of

from charmie_dynamics.symbolic import METHODS, derive

# without SymEngine the Christoffel symbols of an arm take minutes, with it seconds
CASES = [("structural", "side by side"), ("structural", "elsewhere")]
CASES += [("christoffel", "elsewhere")] if find_spec("symengine") else []

PENDULUM = """<robot name="pendulum"><link name="base"/><link name="rod"><inertial>
  <mass value="2"/><origin xyz="0 0 -0.5"/>
  <inertia ixx="0.1" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link><joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
  <axis xyz="0 1 0"/></joint><transmission name="t"><joint name="hinge"/><actuator name="m">
  <motorInertia>0.01</motorInertia><mechanicalReduction>10</mechanicalReduction></actuator>
  </transmission></robot>"""


@pytest.mark.parametrize(("method", "mimics"), CASES)
def test_equations_have_rotors_and_joint_springs(method: str, mimics: str) -> None:
    model = arm(mimics, rotors=ROTORS, joint_springs=JOINT_SPRINGS)
    q, v, a = sample_of(model)
    mass_matrix, coriolis_matrix, gravity = derive(model, method).function()(q, v)
    effort = mass_matrix @ a + coriolis_matrix @ v + gravity
    np.testing.assert_allclose(effort, model.compute(q, v, a).actuator_effort, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_same_terms(method: str, tmp_path: Path) -> None:
    (tmp_path / "p.urdf").write_text(PENDULUM, encoding="utf-8")
    (tmp_path / "p.yaml").write_text(
        "joint_springs: {s: {joint: hinge, stiffness: 4, rest: 0.5, damping: 3}}", encoding="utf-8"
    )
    equations = derive(tmp_path / "p.urdf", method, mechanisms=tmp_path / "p.yaml")
    mass_matrix, coriolis_matrix, gravity = equations.function()([0.3], [2.0])
    assert mass_matrix[0, 0] == pytest.approx(0.2 + 2.0 * 0.25 + 1.0)
    assert coriolis_matrix[0, 0] == pytest.approx(3.0)
    assert gravity[0] == pytest.approx(9.81 * np.sin(0.3) + 4.0 * (0.3 - 0.5))


def test_rotors_of_transmissions_need_no_mechanisms_file(tmp_path: Path) -> None:
    (tmp_path / "p.urdf").write_text(PENDULUM, encoding="utf-8")
    mass_matrix = derive(tmp_path / "p.urdf", "christoffel").mass_matrix
    assert float(mass_matrix[0, 0]) == pytest.approx(0.2 + 2.0 * 0.25 + 1.0)


def test_a_damper_that_only_pulls_is_named(tmp_path: Path) -> None:
    (tmp_path / "p.urdf").write_text(PENDULUM, encoding="utf-8")
    spring = "{base_body: base, base_point: [1, 0, 0], tip_body: rod, tip_point: [0, 0, -1], "
    law = "stiffness: 5, free_length: 1, damping: 2"
    for acts in ("both", "tension"):
        text = f"springs: {{s: {spring}{law}, acts: {acts}}}}}"
        (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            equations = derive(tmp_path / "p.urdf", "christoffel", mechanisms=tmp_path / "p.yaml")
        assert ["dampers of springs that only pull" in str(w.message) for w in said] == (
            [True] if acts == "tension" else []
        )
        assert (equations.coriolis_matrix[0, 0] == 0) == (acts == "tension")
