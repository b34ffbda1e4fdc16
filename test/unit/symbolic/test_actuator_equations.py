# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Linear actuators and balance mechanisms in symbolic equations and generated code."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import warnings
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

pytest.importorskip("sympy", reason="SymPy is missing, with which equations are derived")

import sympy
from linkages import random_linkage
from loop_robots import joint, link, robot

from charmie_dynamics import InputError, Model, OutOfReachError, load_model
from charmie_dynamics.errors import ModelFileError, UnsupportedError
from charmie_dynamics.symbolic import METHODS, SymbolicEquations, derive

C_COMPILER = shutil.which("cc")
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC")
SEEDS = range(6)
Code = dict[str, Callable[..., Any]]


def cylinder(rng: np.random.Generator, base: str, tip: str, **more: Any) -> dict[str, Any]:
    """Return a linear actuator between random points of two links, sometimes with mass."""
    solids = {
        part: {"mass": float(rng.uniform(0.5, 2.0)), "center": 0.1, "inertia": 0.02}
        for part in ("barrel", "rod")
        if rng.random() < 0.15
    }
    ends = {"base_body": base, "tip_body": tip}
    points = {f"{end}_point": rng.normal(0.0, 0.5, 3).tolist() for end in ("base", "tip")}
    if rng.random() < 0.5:
        ends = {"base_body": tip, "tip_body": base}
    branch = str(rng.choice(["upright", "inverted"]))
    branches = {} if "joints" in more else {"branch": branch}
    return {**ends, **points, **solids, **branches, **more}


def with_cylinders(folder: Path, rng: np.random.Generator, is_open: bool) -> Model:
    """Return a random linkage, or its tree, whose driven joints linear actuators move."""
    linkage = random_linkage(folder, rng)
    mechanisms = yaml.safe_load((folder / "linkage.yaml").read_text())
    if is_open:
        del mechanisms["loop_joints"], mechanisms["passive_joints"]
    joints = {each.name: each for each in linkage.tree.joints}
    parts, rotors = {}, mechanisms["rotors"]
    driven = list(joints) if is_open else list(linkage.actuator_names)
    for name in driven[:3]:
        ends = joints[name].parent, joints[name].child
        for k in range(int(rng.integers(1, 3))):
            share = {"share": float(rng.uniform(0.2, 0.8))} if rng.random() < 0.5 else {}
            parts[f"{name}_{k}"] = cylinder(rng, *ends, joint=name, **share)
        rotors[f"{name}_0"] = {"inertia": 0.01, "gear_ratio": 20.0}
        rotors.pop(name, None)
    mechanisms["linear_actuators"] = parts
    file = folder / "cylinders.yaml"
    file.write_text(yaml.safe_dump(mechanisms))
    return load_model(folder / "linkage.urdf", file)


def random_robot(folder: Path, rng: np.random.Generator, is_open: bool) -> Model:
    """Return the first random robot whose actuators are not at a dead centre."""
    while True:
        try:
            model = with_cylinders(folder, rng, is_open)
            model.compute(model.zero_position())
        except (ModelFileError, OutOfReachError):
            continue
        return model


def python_of(equations: SymbolicEquations) -> Code:
    """Return the functions of generated Python by the ends of their names."""
    scope: dict[str, Any] = {}
    exec(equations.code("python"), scope)
    return {name.rpartition("_")[2]: each for name, each in scope.items() if callable(each)}


def assert_close(found: np.ndarray, expected: np.ndarray) -> None:
    scale = max(1.0, float(abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * scale)


def closed_motion(model: Model, rng: np.random.Generator, width: float = 0.1) -> list[np.ndarray]:
    """Return position, velocity and acceleration with closed loops, near zero."""
    q = model.zero_position() + rng.uniform(-width, width, len(model.position_names))
    v, a = rng.uniform(-1.0, 1.0, (2, len(model.velocity_names)))
    if not len(model.flat.mechanisms.by_type.loop_joints.row_joint):
        return [q, v, a]
    q, v = model.project(q, v)
    return [q, v, model.forward(q, v, a[model.actuator_index]).acceleration]


def compare(model: Model, code: Code, rng: np.random.Generator, count: int = 3) -> int:
    """Compare generated Python with the model; return the number of states within reach."""
    compared = 0
    for k in range(count):
        try:
            motion = closed_motion(model, rng, 0.2 / (1 + k))
            state = model.compute(*motion, friction=False)
        except OutOfReachError:
            continue
        q, v, a = state.joint_position, state.joint_velocity, state.joint_acceleration
        mass_matrix, coriolis_matrix, gravity, *jacobians = code["equations"](q, v)
        if jacobians:
            effort = code["efforts"](q, v, a)[0]
            assert_close(code["accelerations"](q, v, effort)[0], a)
        else:
            effort = mass_matrix @ a + coriolis_matrix @ v + gravity
        length, moment_arm, rate, force = code["actuators"](q, v, effort)
        expected = state.cylinder_loads
        assert_close(length, expected.length)
        assert_close(rate, expected.velocity)
        assert_close(force, expected.effort)
        assert (moment_arm != 0.0).all()
        compared += 1
    return compared


@pytest.mark.parametrize("is_open", [False, True], ids=["loops", "tree"])
@pytest.mark.parametrize("seed", SEEDS)
def test_actuators_of_random_robots_are_those_of_the_model(
    seed: int, is_open: bool, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    model = random_robot(tmp_path, rng, is_open)
    equations = derive(model, "structural")
    assert equations.linear_actuator_names == model.flat.linear_actuator_names
    assert compare(model, python_of(equations), rng, 6)


def spanning_arm(folder: Path, is_heavy: bool) -> Model:
    """Return an arm with a cylinder across both joints and one on the second."""
    parts = [
        link("ground"),
        link("upper", 2.0, (0.3, 0.0, 0.1)),
        link("lower", 1.0, (0.2, 0.1, 0.0)),
        joint("shoulder", "continuous", "ground", "upper", (0, 0, 0.5), (0, 1, 0.2)),
        joint("elbow", "continuous", "upper", "lower", (0.6, 0, 0.1), (0.1, 1, 0)),
    ]
    solid = {"barrel": {"mass": 1.5, "center": 0.2, "inertia": 0.03}} if is_heavy else {}
    cylinders = {
        "long": {"joints": ["shoulder", "elbow"], "base_body": "ground", "base_point": [0.2, 0, 0],
                 "tip_body": "lower", "tip_point": [0.1, 0, -0.2], **solid},
        "short": {"joint": "elbow", "base_body": "upper", "base_point": [0.1, 0.05, 0.2],
                  "tip_body": "lower", "tip_point": [0.2, 0, 0.15]},
    }  # fmt: skip
    mechanisms = {
        "linear_actuators": cylinders,
        "rotors": {name: {"inertia": 0.02, "gear_ratio": 10.0} for name in cylinders},
    }
    return robot(folder, parts, mechanisms, "arm")


@pytest.mark.parametrize("is_heavy", [False, True], ids=["massless", "barrel"])
def test_an_actuator_across_two_joints_has_the_terms_of_the_model(
    is_heavy: bool, tmp_path: Path
) -> None:
    model = spanning_arm(tmp_path, is_heavy)
    code = python_of(derive(model, "christoffel"))
    assert compare(model, code, np.random.default_rng(1))


def lift(folder: Path, more: dict[str, Any] | None = None) -> Model:
    """Return a balanced slide on a cylinder, with a hinge above it on another."""
    parts = [
        link("ground"),
        link("slide", 4.0, (0.1, 0.0, 0.2)),
        link("torso", 3.0, (0.0, 0.0, 0.3)),
        joint("raise", "prismatic", "ground", "slide", (0, 0, 0.2), (0, 0, -1)),
        joint("bend", "continuous", "slide", "torso", (0, 0, 0.4)),
    ]
    balance = {
        "frame_body": "ground", "carried_body": "slide", "pivot": [-0.04, 0.02, 0.3], "side": -1,
        "bar_length": 0.2, "spring_arm": 0.12, "link_height": 0.15, "carried_point_z": 0.25,
        "spring_anchor": [-0.13, 0.02, 0.56], "stiffness": 300.0, "free_length": 0.12,
        "pretension": 150.0,
    }  # fmt: skip
    mechanisms = {
        "balance_mechanisms": {
            "left": balance,
            "right": {**deepcopy(balance), "side": 1, **(more or {})},
        },
        "linear_actuators": {
            "jack": {"joint": "raise", "base_body": "ground", "base_point": [0.1, 0, 0],
                     "tip_body": "slide", "tip_point": [0.1, 0, 0.3]},
            "strut": {"joint": "bend", "base_body": "slide", "base_point": [0.2, 0, 0.1],
                      "tip_body": "torso", "tip_point": [0.15, 0, 0.2]},
        },
    }  # fmt: skip
    return robot(folder, parts, mechanisms, "lift")


@pytest.mark.parametrize("method", METHODS)
def test_a_balanced_lift_has_the_equations_of_the_model(method: str, tmp_path: Path) -> None:
    model = lift(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        equations = derive(model, method)
    assert compare(model, python_of(equations), np.random.default_rng(2), 6) >= 3


def test_a_slack_spring_of_a_balance_mechanism_has_no_effort(tmp_path: Path) -> None:
    model = lift(tmp_path, {"free_length": 5.0, "pretension": 0.0})
    code = python_of(derive(model, "christoffel"))
    assert compare(model, code, np.random.default_rng(2), 6) >= 3


def test_an_excavator_has_the_cylinders_of_the_model() -> None:
    model = load_model("excavator")
    rng, function = np.random.default_rng(3), derive(model, "structural").function()
    position = model.rest_position()
    state = model.compute(*model.assemble(position, *rng.normal(size=(2, len(position)))))
    motion = state.joint_position, state.joint_velocity
    effort = function.efforts(*motion, state.joint_acceleration).effort
    found, expected = function.linear_actuators(*motion, effort), state.cylinder_loads
    assert_close(found.length, expected.length)
    assert_close(found.rate, expected.velocity)
    assert_close(found.force, expected.effort)


@pytest.mark.skipif(C_COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_c_code_has_the_actuators_of_python_code(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    model = lift(tmp_path) if seed == 2 else random_robot(tmp_path, rng, is_open=seed == 1)
    symbols = ["linear_actuators.strut.tip_point[2]"] if seed == 2 else []
    equations = derive(model, "structural", symbols=symbols)
    source, library = tmp_path / "generated.c", tmp_path / "generated.so"
    source.write_text(equations.code("c"))
    command = [str(C_COMPILER), *FLAGS, str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    state = model.compute(*closed_motion(model, rng, 0.05))
    inputs = [
        np.ascontiguousarray(state.joint_position),
        np.ascontiguousarray(state.joint_velocity),
    ]
    inputs += [np.array(list(equations.parameters.values()))] if symbols else []
    inputs.append(rng.normal(size=len(model.actuator_names)))
    expected = python_of(equations)["actuators"](*inputs)
    found = [np.full_like(each, np.nan) for each in expected]
    arrays = [each.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for each in (*inputs, *found)]
    getattr(ctypes.CDLL(str(library)), f"{model.name}_linear_actuators")(*arrays)
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other)


def test_pins_and_dimensions_remain_symbols(tmp_path: Path) -> None:
    changed = {
        "linear_actuators.strut.tip_point[2]": 0.25,
        "balance_mechanisms.left.bar_length": 0.23,
        "balance_mechanisms.left.spring_anchor[2]": 0.6,
        "springs.left.stiffness": 0.0,
    }
    model = lift(tmp_path)
    names = [name for name in changed if not name.startswith("springs")]
    function = derive(model, "christoffel", symbols=names).function()
    text = yaml.safe_load((tmp_path / "lift.yaml").read_text())
    text["linear_actuators"]["strut"]["tip_point"][2] = 0.25
    text["balance_mechanisms"]["left"].update(bar_length=0.23, spring_anchor=[-0.13, 0.02, 0.6])
    (tmp_path / "lift.yaml").write_text(yaml.safe_dump(text))
    other = load_model(tmp_path / "lift.urdf", tmp_path / "lift.yaml")
    state = other.compute(other.zero_position())
    values = [changed[name] for name in names]
    terms = function(state.joint_position, None, values)
    loads = function.linear_actuators(state.joint_position, None, terms.gravity, values)
    assert_close(loads.length, state.cylinder_loads.length)
    assert_close(loads.force, state.cylinder_loads.effort)


def test_the_moment_arm_of_a_slide_and_a_hinge_are_those_by_hand(tmp_path: Path) -> None:
    equations = derive(lift(tmp_path), "christoffel")
    q1, q2, v1, v2 = *equations.symbols.position, *equations.symbols.velocity
    actuators = equations.linear_actuators
    # the slide moves down; the pins are one above the other, 0.5 m apart at zero
    values = {q1: 0.1, q2: 0.3, v1: 2.0, v2: -1.0}
    found = [[float(each.subs(values)) for each in part] for part in actuators]
    f, m = np.array([0.2, -0.3]), np.array([0.15, 0.2])
    length = np.sqrt(
        f @ f + m @ m - 2.0 * (f @ m * np.cos(0.3) + (m[1] * f[0] - m[0] * f[1]) * np.sin(0.3))
    )
    arm = (f @ m * np.sin(0.3) - (m[1] * f[0] - m[0] * f[1]) * np.cos(0.3)) / length
    assert found[0] == pytest.approx([0.4, length])
    assert found[1] == pytest.approx([-1.0, arm])
    assert found[2] == pytest.approx([-2.0, -arm])
    assert found[3] == pytest.approx([-1.0, 1.0 / arm])
    assert float(actuators.length[1].diff(q2).subs(values)) == pytest.approx(arm)
    assert isinstance(actuators.length, sympy.MatrixBase)


def test_a_robot_without_linear_actuators_is_refused_by_name() -> None:
    equations = derive("scara", "christoffel")
    with pytest.raises(UnsupportedError, match="'scara': expected linear actuators, got none"):
        _ = equations.linear_actuators
    with pytest.raises(UnsupportedError, match="'scara': expected linear actuators, got none"):
        equations.function().linear_actuators(np.zeros(5))
    assert "linear_actuators" not in equations.code("python") + equations.code("c")


def test_efforts_of_another_number_are_refused(tmp_path: Path) -> None:
    function = derive(lift(tmp_path), "christoffel").function()
    with pytest.raises(InputError, match=r"effort: expected shape \(2,\), got \(3,\)"):
        function.linear_actuators([0.0, 0.0], None, [1.0, 2.0, 3.0])
