# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of robots with loop joints: terms, forward and inverse dynamics, code."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sympy", reason="SymPy is missing, with which equations are derived")

import loop_robots
from linkages import planar_linkage, random_linkage

from charmie_dynamics import InputError, Model, OutOfReachError, load_model
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.symbolic import METHODS, SymbolicEquations, derive

C_COMPILER = shutil.which("cc")
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC")
Code = dict[str, Callable[..., Any]]


def four_bar() -> Model:
    return load_model(share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml"))


def python_of(equations: SymbolicEquations) -> Code:
    """Return the functions of generated Python by the ends of their names."""
    scope: dict[str, Any] = {}
    exec(equations.code("python"), scope)
    return {name.rpartition("_")[2]: each for name, each in scope.items() if callable(each)}


def closed_state(model: Model, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a position and a velocity with which the loops are closed."""
    position = model.zero_position() + rng.uniform(-0.2, 0.2, len(model.position_names))
    velocity = rng.uniform(-1.0, 1.0, len(model.velocity_names))
    if any(joint.type == "floating" for joint in model.tree.joints):
        position = model.normalised_position(position)
    return model.project(position, velocity)


def tree_with_springs(model: Model) -> Model:
    """Return a robot without its loop joints."""
    mechanisms = replace(model.mechanisms, loop_joints=(), passive_joints=())
    return Model(model.tree, mechanisms)


def reactions(model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: Any) -> np.ndarray:
    """Return the multipliers of the numeric model: the shortest that supply the efforts."""
    rest = tree_with_springs(model).compute(q, v, a, friction=False).dynamics.joint_effort.copy()
    rest[model.actuator_index] -= u
    D = model.constraints(q, v).jacobian
    return np.linalg.lstsq(D.T, rest, rcond=1e-9)[0]


def assert_close(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-9) -> None:
    scale = max(1.0, float(abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * scale)


def assert_terms(model: Model, terms: Any, q: np.ndarray, v: np.ndarray) -> None:
    mass_matrix, coriolis_matrix, gravity, jacobian, jacobian_rate = terms
    constraints, tree = model.constraints(q, v), model.open_tree().equations(q, v)
    springy = tree_with_springs(model)
    still, moving = (springy.compute(q, x).dynamics.joint_effort for x in (np.zeros(len(v)), v))
    assert_close(mass_matrix, tree.mass_matrix)
    damping = coriolis_matrix - tree.coriolis_matrix
    assert_close(damping, damping.T)
    assert_close(coriolis_matrix @ v, moving - still)
    assert_close(gravity, still)
    assert_close(jacobian, constraints.jacobian)
    assert_close(jacobian_rate, constraints.jacobian_rate)


def assert_dynamics(model: Model, code: Code, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> None:
    state = model.forward(q, v, u)
    acceleration, multipliers = code["accelerations"](q, v, u)
    assert_close(acceleration, state.acceleration)
    assert_close(multipliers, reactions(model, q, v, state.acceleration, u))
    state = model.compute(q, v, state.acceleration)
    effort, multipliers = code["efforts"](q, v, state.acceleration)
    assert_close(effort, state.actuator_effort)
    expected = reactions(model, q, v, state.acceleration, state.actuator_effort)
    assert_close(multipliers, expected)


@pytest.mark.parametrize("method", ["structural", "christoffel"])
@pytest.mark.parametrize("seed", range(8))
def test_equations_of_random_linkages_are_those_of_the_model(
    seed: int, method: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    model = random_linkage(tmp_path, rng)
    equations = derive(model, method, engine="sympy" if seed == 0 else None)
    code = python_of(equations)
    checked = 0
    for _ in range(3):
        try:
            q, v = closed_state(model, rng)
        except OutOfReachError:  # far from zero the loop may not close
            continue
        assert_terms(model, code["equations"](q, v), q, v)
        assert_dynamics(model, code, q, v, rng.normal(size=len(model.actuator_names)))
        checked += 1
    assert checked
    assert set(equations.constraint_names) == {"loop"}


ROBOTS = {
    "redundant": four_bar,
    "welded": loop_robots.welded_four_bar,
    "sliding": loop_robots.slider_crank,
    "idle": loop_robots.rod_between_balls,
    "without inertia": lambda folder: loop_robots.rod_between_balls(folder, is_thin=True),
    "with distances": lambda folder: loop_robots.stewart(folder, "distance"),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_equations_of_mechanisms_are_those_of_the_model(name: str, tmp_path: Path) -> None:
    model = ROBOTS[name](*([tmp_path] if name != "redundant" else []))
    q, v = closed_state(model, np.random.default_rng(2))
    code = python_of(derive(model, "christoffel"))
    assert_terms(model, code["equations"](q, v), q, v)
    assert_dynamics(model, code, q, v, np.linspace(1.0, 2.0, len(model.actuator_names)))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_same_loops(method: str) -> None:
    model = four_bar()
    q, v = closed_state(model, np.random.default_rng(4))
    code = python_of(derive(model, method))
    assert_terms(model, code["equations"](q, v), q, v)


@pytest.mark.parametrize("method", ["structural", "christoffel", "kane"])
def test_planar_and_mimic_joints_in_a_loop_have_the_equations_of_the_model(
    method: str, tmp_path: Path
) -> None:
    model = planar_linkage(tmp_path)
    q, v = closed_state(model, np.random.default_rng(8))
    code = python_of(derive(model, method))
    assert_terms(model, code["equations"](q, v), q, v)
    acceleration, multipliers = code["accelerations"](q, v, [0.8])
    state = model.forward(q, v, [0.8])
    assert_close(acceleration, state.acceleration)
    assert_close(multipliers, reactions(model, q, v, state.acceleration, np.array([0.8])))


def test_redundant_constraints_may_be_open_by_errors_of_integration(tmp_path: Path) -> None:
    model = loop_robots.slider_crank(tmp_path)
    q, v = closed_state(model, np.random.default_rng(9))
    solve = python_of(derive(model, "christoffel"))["accelerations"]
    expected = solve(q, v, [1.0])
    for error in (1e-12, 1e-10, 1e-9):
        found = solve(q + error * np.array([1.0, -2.0, 0.5]), v, [1.0])
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other, 1e3 * error + 1e-12)


def test_a_floating_body_on_rods_has_the_equations_of_the_model(tmp_path: Path) -> None:
    parts = [
        loop_robots.link("base"),
        loop_robots.link("plate", 2.0, (0.1, 0.02, 0.05), 0.4),
        loop_robots.link("arm", 1.0, (0.0, 0.0, 0.1)),
        loop_robots.joint("float", "floating", "base", "plate", (0, 0, -0.5)),
        loop_robots.joint("turn", "continuous", "base", "arm", (1, 0, 0)),
    ]
    corners = [[0.4, 0.0, 0.0], [-0.3, 0.3, 0.0], [-0.2, -0.4, 0.1]]
    rods = {
        f"rod{k}": {"type": "distance", "first_body": "arm" if k == 2 else "base",
                    "first_point": [0.1 * k, 0.2, 0.3], "second_body": "plate",
                    "second_point": corner}
        for k, corner in enumerate(corners)
    }  # fmt: skip
    model = loop_robots.robot(tmp_path, parts, {"loop_joints": rods, "passive_joints": ["float"]})
    q, v = closed_state(model, np.random.default_rng(5))
    code = python_of(derive(model, "christoffel"))
    assert_terms(model, code["equations"](q, v), q, v)
    u = np.array([0.7])
    acceleration, multipliers = code["accelerations"](q, v, u)
    state = model.forward(q, v, u)
    assert_close(acceleration, state.acceleration)
    assert_close(multipliers, reactions(model, q, v, state.acceleration, u))
    with pytest.raises(ArithmeticError, match="no efforts of the actuators"):
        code["efforts"](q, v, np.zeros(7))


def test_multipliers_are_the_forces_of_the_loop_joint() -> None:
    model = four_bar()
    q, v = closed_state(model, np.random.default_rng(6))
    result = derive(model, "christoffel").function().accelerations(q, v, [2.0])
    force = model.forward(q, v, [2.0]).loop_force("pin")
    assert np.linalg.norm(result.multipliers[:2]) == pytest.approx(np.linalg.norm(force[:3]))
    np.testing.assert_allclose(result.multipliers[2:], 0.0, atol=1e-12)


def test_accelerations_of_passive_joints_follow_from_the_loops() -> None:
    model = four_bar()
    q, v, a = model.assemble([0.5, 0.0, 0.0], [1.2, 0.0, 0.0], [0.7, 0.0, 0.0])
    function = derive(model, "christoffel").function()
    expected = model.compute(q, v, a).actuator_effort
    for given in (a, [0.7, 0.0, 0.0]):
        np.testing.assert_allclose(function.efforts(q, v, given).effort, expected, atol=1e-9)


def test_reduced_equations_are_those_of_the_actuators() -> None:
    model = four_bar()
    q, v, _ = model.assemble([0.5, 0.0, 0.0], [1.2, 0.0, 0.0])
    equations = derive(model, "christoffel")
    reduced, expected = equations.reduced(), model.equations(q, v)
    symbols = *equations.symbols.position, *equations.symbols.velocity
    values = dict(zip(symbols, [*q, *v], strict=True))
    found = [np.array(each.subs(values), dtype=float) for each in reduced]
    np.testing.assert_allclose(found[0], expected.mass_matrix, atol=1e-9)
    np.testing.assert_allclose(found[1] * v[0], expected.coriolis_matrix * v[0], atol=1e-9)
    np.testing.assert_allclose(found[2][0], expected.gravity_effort, atol=1e-9)
    np.testing.assert_allclose(found[3][:, 0] * v[0], v, atol=1e-9)


def test_rows_that_do_not_determine_the_passive_joints_are_refused() -> None:
    equations = derive(four_bar(), "christoffel")
    with pytest.raises(InputError, match=r"expected 2 independent rows .* got 1 \(\[0\]\)"):
        equations.reduced([0])
    with pytest.raises(InputError, match="expected 2 independent rows"):
        equations.reduced([0, 4])


def test_a_tree_has_no_reactions() -> None:
    equations = derive("scara", "christoffel")
    assert equations.jacobian.shape == equations.jacobian_rate.shape == (0, 5)
    with pytest.raises(UnsupportedError, match="'scara': expected loop joints, got none"):
        equations.function().accelerations(np.zeros(5))


@pytest.mark.skipif(C_COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("seed", [1, 3, 5])
def test_c_code_computes_what_python_code_does(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    model = four_bar() if seed == 1 else random_linkage(tmp_path, rng)
    equations = derive(model, "christoffel", symbols=["gravity[2]"] if seed == 5 else ())
    values = [np.array([-9.0])] if seed == 5 else []
    q, v = closed_state(model, rng)
    u, a = rng.normal(size=len(model.actuator_names)), rng.normal(size=len(v))
    source, library = tmp_path / "generated.c", tmp_path / "generated.so"
    source.write_text(equations.code("c"))
    command = [str(C_COMPILER), *FLAGS, str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    functions = ctypes.CDLL(str(library))
    python = python_of(equations)
    for end, inputs in (("equations", []), ("accelerations", [u]), ("efforts", [a])):
        arguments = [q, v, *values, *inputs]
        expected = python[end](*arguments)
        found = [np.full_like(each, np.nan) for each in expected]
        arrays = [each.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
                  for each in (*arguments, *found)]  # fmt: skip
        fault = getattr(functions, f"{model.name}_{end}")(*arrays)
        assert end == "equations" or fault == 0
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other, 1e-9)
