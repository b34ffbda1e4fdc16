# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is derived, what is refused, and what a user is told beforehand."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from floating_robots import random_urdf

from charmie_dynamics import (
    CharmieError,
    DerivationWarning,
    InputError,
    Model,
    ModelFileError,
    Payload,
    UnknownNameError,
    Wrench,
    load_model,
)
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.symbolic import SymbolicEquations, derive
from charmie_dynamics.symbolic.duration import expected_duration
from charmie_dynamics.symbolic.tree import beginning, count_coordinates, without_fixed_links

BOOM = Path(__file__).resolve().parents[3] / "examples" / "robots"
FREE = """<robot name="r"><link name="base"/><link name="a"><inertial>
  <origin xyz="0.5 0 0"/><mass value="1"/>
  <inertia ixx="1e-06" iyy="0.083" izz="0.083" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="q1" type="floating"><parent link="base"/><child link="a"/></joint></robot>"""
Robots = Callable[[str], Model]


@pytest.fixture(scope="module")
def scara() -> SymbolicEquations:
    return derive("scara", "christoffel")


def test_symbols_are_those_of_the_joints_in_their_order(scara: SymbolicEquations) -> None:
    import sympy

    assert scara.joint_names == ("joint_1", "joint_2", "joint_3", "joint_4", "joint_5")
    assert [str(symbol) for symbol in scara.symbols.position] == ["q1", "q2", "q3", "q4", "q5"]
    found = scara.mass_matrix.free_symbols | scara.coriolis_matrix.free_symbols
    assert found <= {*scara.symbols.position, *scara.symbols.velocity}
    assert isinstance(scara.mass_matrix, sympy.MatrixBase)
    shapes = scara.mass_matrix.shape, scara.coriolis_matrix.shape, scara.gravity.shape
    assert shapes == ((5, 5), (5, 5), (5, 1))


def test_a_robot_is_given_by_name_path_or_as_a_model(scara: SymbolicEquations) -> None:
    model = load_model("scara")
    path = Path(__file__).resolve().parents[3] / "robots" / "scara.urdf"
    for robot in (model, path, str(path)):
        assert derive(robot, "christoffel").code("c") == scara.code("c")


def test_a_payload_is_a_part_of_its_link_and_a_push_is_none(scara: SymbolicEquations) -> None:
    model = load_model("scara")
    held = derive(model.with_loads({"tool": Payload(2.0)}), "christoffel")
    assert float(held.mass_matrix[0, 0]) == pytest.approx(model.total_mass + 2.0)
    pushed = derive(model.with_loads(wrenches={"tool": Wrench((1.0, 2.0, 3.0))}), "christoffel")
    assert pushed.code("c") == scara.code("c")


def test_a_payload_counts_in_all_terms(terms_of: Callable[..., Any]) -> None:
    model = load_model("scara").with_loads({"tool": Payload(2.0, (0.0, 0.05, 0.1))})
    position, velocity = np.random.default_rng(3).uniform(-1.0, 1.0, (2, 5))
    mass_matrix, coriolis_matrix, gravity = derive(model, "structural").function()(
        position, velocity
    )
    expected = terms_of(model, position, velocity)
    np.testing.assert_allclose(mass_matrix, expected.mass_matrix, atol=1e-10)
    np.testing.assert_allclose(coriolis_matrix @ velocity, expected.bias, atol=1e-10)
    np.testing.assert_allclose(gravity, expected.gravity, atol=1e-8)


def test_what_is_fixed_to_a_link_is_a_part_of_it(robot_of: Robots) -> None:
    model = robot_of("odd")
    tree, _ = without_fixed_links(model.flat.tree)
    moving = [joint.child for joint in model.tree.joints if joint.type != "fixed"]
    assert len(tree.parent) == 1 + len(moving)
    assert tree.mass.sum() == pytest.approx(model.total_mass)
    assert sorted(tree.mass[1:]) == pytest.approx([0.2, 0.3, 0.7, 2.5])


def test_the_beginning_of_a_tree_has_its_first_joints(robot_of: Robots) -> None:
    tree, _ = without_fixed_links(robot_of("arm_6").flat.tree)
    first = beginning(tree, 3)
    assert count_coordinates(first) == 3
    assert first.parent.tolist() == [-1, 0, 1, 2]
    np.testing.assert_array_equal(first.mass, tree.mass[:4])


def test_a_linear_actuator_changes_no_equation_of_its_joint() -> None:
    boom = load_model(BOOM / "boom.urdf", BOOM / "boom.yaml")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        equations = derive(boom, "christoffel")
        bare = derive(BOOM / "boom.urdf", "christoffel")
    assert equations.joint_names == boom.joint_names
    assert bare.mass_matrix == equations.mass_matrix
    assert bare.gravity != equations.gravity  # with springs


def test_a_long_derivation_is_announced_with_what_was_measured(tmp_path: Path) -> None:
    fingers = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="palm"/><child link="f{k}"/>'
        f'<axis xyz="1 0 0"/></joint><link name="f{k}"><inertial><origin xyz="0 0 0.1"/>'
        '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link>"
        for k in range(13)
    )
    path = tmp_path / "hand.urdf"
    path.write_text(f'<robot name="hand"><link name="palm"/>{fingers}</robot>')
    with pytest.warns(DerivationWarning, match="13 joints, more than 12") as caught:
        equations = derive(path, "structural")
    assert len(equations.joint_names) == 13
    (warning,) = caught
    assert re.search(r"first \d and \d joints took .* all 13 take between", str(warning.message))
    assert warning.filename == __file__


def test_a_duration_is_extrapolated_from_the_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def derive_first(joints: int) -> None:
        now[0] += 0.001 * joints**3

    monkeypatch.setattr("charmie_dynamics.symbolic.duration.perf_counter", lambda: now[0])
    text = expected_duration(40, derive_first)
    # the first 2 take 8 ms, the first 8 half a second; a cube of the number gives 64 s
    assert "first 2 and 8 joints took 0.008 s and 0.51 s" in text
    assert "between 64 s" in text


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("scara", "newton"), UnknownNameError, "method 'newton' .* structural, lagrange, kane"),
        (("scara", "kanes"), UnknownNameError, "did you mean 'kane'"),
        (("no_such.urdf", "kane"), ModelFileError, "no_such.urdf: cannot be read"),
    ],
)
def test_what_does_not_exist_is_refused(
    arguments: tuple[str, str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        derive(*arguments)


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'sympy'"):
        derive("scara", "kane", engine="simpy")


def test_a_robot_that_cannot_move_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rock.urdf"
    path.write_text('<robot name="rock"><link name="rock"/></robot>')
    with pytest.raises(CharmieError, match="'rock': expected a movable joint"):
        derive(path, "structural")


@pytest.mark.parametrize(("missing", "engine"), [("sympy", None), ("symengine", "symengine")])
def test_without_sympy_or_the_engine_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, missing: str, engine: str | None
) -> None:
    if missing == "symengine":
        pytest.importorskip("sympy", reason="SymPy is missing")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(CharmieError, match=rf"the package {missing}.*charmie_dynamics\[symbolic\]"):
        derive("scara", "christoffel", engine=engine)


def test_without_symengine_sympy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "symengine", None)
    assert derive("scara", "christoffel").engine == "sympy"


def test_sympy_is_imported_by_who_derives_only() -> None:
    code = "import sys, charmie_dynamics.symbolic as s; print('sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("method", ["structural", "lagrange", "kane", "christoffel"])
def test_equations_of_a_planar_joint_are_those_of_the_model(method: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    (tmp_path / "planar.urdf").write_text(random_urdf(rng, ("planar", "prismatic")))
    model = load_model(tmp_path / "planar.urdf")
    equations = derive(model, method)
    assert equations.joint_names == ("joint_1/x", "joint_1/y", "joint_1/angle", "joint_2")
    position, velocity = rng.uniform(-1.0, 1.0, (2, 4))
    mass_matrix, coriolis_matrix, gravity = equations.function()(position, velocity)
    expected = model.equations(position, velocity)
    np.testing.assert_allclose(mass_matrix, expected.mass_matrix, atol=1e-12)
    np.testing.assert_allclose(coriolis_matrix, expected.coriolis_matrix, atol=1e-12)
    np.testing.assert_allclose(np.ravel(gravity), expected.gravity_effort, atol=1e-12)


@pytest.mark.parametrize(
    ("method", "kinds"),
    [
        ("structural", ("revolute", "floating", "prismatic")),
        ("christoffel", ("floating", "revolute", "floating")),
        ("kane", ("floating",)),
    ],
)
def test_equations_of_floating_joints_are_those_of_the_model(
    method: str, kinds: tuple[str, ...], tmp_path: Path
) -> None:
    rng = np.random.default_rng(7)
    (tmp_path / "free.urdf").write_text(random_urdf(rng, kinds))
    model = load_model(tmp_path / "free.urdf")
    equations = derive(model, method)
    p, v = len(model.position_names), len(model.velocity_names)
    assert (len(equations.symbols.position), len(equations.symbols.velocity)) == (p, v)
    scope: dict[str, Any] = {}
    exec(equations.code("python"), scope)
    position = model.normalised_position(rng.normal(size=p))
    velocity = rng.normal(size=v)
    mass_matrix, coriolis_matrix, gravity = scope["random_equations"](position, velocity)
    expected = model.equations(position, velocity)
    np.testing.assert_allclose(mass_matrix, expected.mass_matrix, atol=1e-10)
    np.testing.assert_allclose(coriolis_matrix, expected.coriolis_matrix, atol=1e-10)
    np.testing.assert_allclose(gravity, expected.gravity_effort, atol=1e-10)


def test_code_lists_positions_and_velocities_of_a_floating_joint(tmp_path: Path) -> None:
    (tmp_path / "free.urdf").write_text(FREE)
    equations = derive(tmp_path / "free.urdf", "christoffel")
    code = equations.code("python")
    assert "position, velocity : (7,) and (6,) array" in code
    for line in ("q3: q1/z (m)", "q7: q1/qw (1)", "v1: q1/vx (m/s)", "v6: q1/wz (rad/s)"):
        assert f"        {line}\n" in code
    assert "position, velocity: 7 and 6 numbers" in equations.code("c")
    function = equations.function()
    weight = function([0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0]).gravity
    np.testing.assert_allclose(weight, [0.0, 0.0, 9.81, 0.0, -4.905, 0.0], atol=1e-12)
    with pytest.raises(InputError, match=r"position: expected shape \(7,\), got \(6,\)"):
        function(np.zeros(6), np.zeros(6))


def test_lagranges_method_refuses_a_floating_joint_by_name_and_type(tmp_path: Path) -> None:
    (tmp_path / "free.urdf").write_text(FREE)
    with pytest.raises(UnsupportedError, match=r"'r', method lagrange: .* 'q1' of type"):
        derive(tmp_path / "free.urdf", "lagrange")
