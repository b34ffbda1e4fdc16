# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of the files as symbols: the equations hold for other values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sympy", reason="SymPy is missing, with which equations are derived")

from loop_robots import joint, link, robot

from charmie_dynamics import InputError, Model, Payload, UnknownNameError, load_model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.equations.number_paths import parsed, with_numbers
from charmie_dynamics.symbolic import METHODS, derive


def described(folder: Path) -> Model:
    """Return a planar linkage with a welded link, springs, rotors and a mimic joint."""
    parts = [
        link("ground"),
        link("crank", 1.2, (0.01, 0.0, 0.1)),
        link("weight", 0.5, (0.0, 0.03, 0.02)),
        link("coupler", 2.0, (0.02, 0.0, 0.3)),
        link("rocker", 1.5, (-0.01, 0.0, 0.2)),
        joint("crank_joint", "continuous", "ground", "crank"),
        joint("bolt", "fixed", "crank", "weight", (0.05, 0.0, 0.1), rpy=(0.0, 0.7, 0.0)),
        joint("coupler_joint", "continuous", "crank", "coupler", (0, 0, 0.2)),
        joint("rocker_joint", "continuous", "ground", "rocker", (0.5, 0, 0)),
    ]
    pin = {"type": "revolute", "first_body": "coupler", "first_point": [0.0, 0.0, 0.6],
           "second_body": "rocker", "second_point": [0.0, 0.0, 0.4], "axis": [0, 1, 0]}  # fmt: skip
    mechanisms = {
        "loop_joints": {"pin": pin},
        "joint_springs": {"s": {"joint": "rocker_joint", "stiffness": 3.0, "rest": 0.2}},
        "rotors": {"crank_joint": {"inertia": 1e-4, "gear_ratio": 50.0}},
        "passive_joints": ["coupler_joint", "rocker_joint"],
    }
    return robot(folder, parts, mechanisms, "described")


NEW = {
    "inertials.weight.mass": 0.9,
    "inertials.crank.com[2]": 0.13,
    "inertials.rocker.inertia.yy": 0.05,
    "inertials.rocker.inertia.xz": 0.002,
    "joints.coupler_joint.xyz[2]": 0.25,
    "joints.bolt.xyz[0]": 0.08,
    "joints.rocker_joint.xyz[0]": 0.55,
    "loop_joints.pin.first_point[2]": 0.63,
    "loop_joints.pin.second_point[0]": 0.02,
    "gravity[2]": -9.0,
    "gravity[0]": 0.7,
    "rotors.crank_joint.inertia": 2e-4,
    "joint_springs.s.stiffness": 4.0,
    "joint_springs.s.rest": -0.1,
}


def terms_of(code: str, *arguments: Any) -> tuple[np.ndarray, ...]:
    scope: dict[str, Any] = {}
    exec(code, scope)
    return tuple(scope["described_equations"](*arguments))


@pytest.mark.parametrize("method", METHODS)
def test_equations_hold_for_other_values(method: str, tmp_path: Path) -> None:
    model = described(tmp_path)
    equations = derive(model, method, symbols=list(NEW))
    assert list(equations.parameters) == list(NEW)
    assert equations.parameters["inertials.weight.mass"] == 0.5
    q, v = np.random.default_rng(3).uniform(-1.0, 1.0, (2, 3))
    code = equations.code("python")
    for values in (equations.parameters, NEW):
        own = {parsed(name): value for name, value in values.items()}
        other = Model(*with_numbers(model.tree, model.mechanisms, own))
        expected = terms_of(derive(other, method).code("python"), q, v)
        found = terms_of(code, q, v, np.array(list(values.values())))
        for one, two in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, two, rtol=0.0, atol=1e-9)


def test_matrices_contain_the_symbols_without_round_off() -> None:
    import sympy

    files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
    names = {"inertials.crank.mass": "m", "joints.coupler_joint.xyz[2]": "l"}
    equations = derive(files[0], "structural", mechanisms=files[1], symbols=names)
    m, l = equations.symbols.parameters  # noqa: E741
    q2 = equations.symbols.position[1]
    assert equations.mass_matrix[1, 2] == 0
    assert float(equations.mass_matrix[0, 0].coeff(m)) == pytest.approx(0.01, rel=1e-12)
    assert sympy.diff(equations.jacobian[0, 1], l) == sympy.sin(q2)


def test_symbols_have_names_that_code_can_contain(tmp_path: Path) -> None:
    model = described(tmp_path)
    equations = derive(model, "structural", symbols=["inertials.rocker.inertia.yy", "gravity[2]"])
    shown = [str(symbol) for symbol in equations.symbols.parameters]
    assert shown == ["inertials_rocker_inertia_yy", "gravity_2"]
    code = equations.code("c")
    assert "const double gravity_2 = parameters[1];" in code
    assert "gravity_2: gravity_2_" in code
    assert "const double *velocity, const double *parameters," in code


def test_the_function_takes_values_in_the_order_of_the_parameters() -> None:
    model = load_model("scara")
    names = ["gravity[2]", next(name for name in model.parameters if name.endswith("mass"))]
    function = derive(model, "christoffel", symbols=names).function()
    q = np.full(5, 0.3)
    np.testing.assert_allclose(function(q).gravity, model.equations(q).gravity_effort, atol=1e-9)
    doubled = function(q, None, [-2.0 * 9.81, model.parameters[names[1]]])
    np.testing.assert_allclose(doubled.gravity, 2.0 * function(q).gravity, atol=1e-9)
    with pytest.raises(InputError, match=r"parameters: expected shape \(2,\), got \(1,\)"):
        function(q, None, [1.0])
    with pytest.raises(InputError, match="got nan for 'gravity"):
        function(q, None, [np.nan, 1.0])
    with pytest.raises(InputError, match="parameters: expected none"):
        derive(model, "christoffel").function()(q, None, [1.0])


@pytest.mark.parametrize(
    ("symbols", "error", "message"),
    [
        (["inertials.crank.mas"], UnknownNameError, "did you mean 'inertials.crank.mass'"),
        (["joints.bolt.rpy[1]"], InputError, r"bolt.rpy\[1\]': expected one in which masses"),
        (["rotors.crank_joint.gear_ratio"], InputError, "gear_ratio': expected one in which"),
        (["joints.crank_joint.lower"], InputError, "expected one on which the equations depend"),
        (["joints.crank_joint.effort"], InputError, "expected one on which the equations depend"),
        ({"gravity[2]": "q1"}, InputError, "symbol 'q1' .* it is reserved"),
        ({"gravity[2]": "2g"}, InputError, "symbol '2g' .* no identifier"),
        ({"gravity[2]": "g", "gravity[1]": "g"}, InputError, r"gravity\[1\]' .* used twice"),
        ("gravity[2]", InputError, "expected a list of parameters"),
    ],
)
def test_parameters_that_cannot_be_symbols_are_refused(
    symbols: Any, error: type[Exception], message: str, tmp_path: Path
) -> None:
    model = described(tmp_path)
    with pytest.raises(error, match=message):
        derive(model, "structural", symbols=symbols)


def test_a_payload_on_the_link_of_a_parameter_is_refused(tmp_path: Path) -> None:
    model = described(tmp_path).with_loads({"crank": Payload(1.0, (0.1, 0.0, 0.0))})
    with pytest.raises(InputError, match="a link without payload"):
        derive(model, "structural", symbols=["inertials.crank.mass"])
    others = derive(model, "structural", symbols=["inertials.rocker.mass"])
    q = np.array([0.3, 0.2, 0.1])
    values = np.array([1.5])
    found = terms_of(others.code("python"), q, q, values)[2]
    expected = model.open_tree().equations(q, q).gravity_effort
    expected[2] += 3.0 * (q[2] - 0.2)
    np.testing.assert_allclose(found, expected, atol=1e-9)
