# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Generated code is complete: it compiles, says what it is, and computes what the kernels do."""

from __future__ import annotations

import ast
import ctypes
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sympy", reason="SymPy is missing, with which equations are derived")

import sympy

from charmie_dynamics import InputError, Model, UnknownNameError
from charmie_dynamics.numerics import jit
from charmie_dynamics.symbolic import SymbolicEquations, derive
from charmie_dynamics.symbolic.code import CPrinter, PythonPrinter

POSITION = np.array([0.2, -0.4, 0.7, 1.1, -0.3])
VELOCITY = np.array([0.5, -1.2, 0.4, 2.0, -0.7])
C_COMPILER = shutil.which("cc")


@pytest.fixture(scope="module")
def scara(robot_of: Callable[[str], Model]) -> Model:
    return robot_of("scara")


@pytest.fixture(scope="module")
def equations(scara: Model) -> SymbolicEquations:
    return derive(scara, "christoffel")


@pytest.fixture(scope="module")
def function(equations: SymbolicEquations) -> Any:
    return equations.function()


@pytest.fixture(scope="module")
def expected(scara: Model, terms_of: Callable[..., Any]) -> Any:
    return terms_of(scara, POSITION, VELOCITY)


def assert_terms(found: Any, expected: Any) -> None:
    mass_matrix, coriolis_matrix, gravity = found
    np.testing.assert_allclose(mass_matrix, expected.mass_matrix, atol=1e-10)
    np.testing.assert_allclose(coriolis_matrix @ VELOCITY, expected.bias, atol=1e-10)
    np.testing.assert_allclose(gravity, expected.gravity, atol=1e-8)


def test_the_function_computes_what_the_kernels_do(function: Any, expected: Any) -> None:
    terms = function(POSITION, VELOCITY)
    assert_terms(terms, expected)
    assert terms.gravity is terms[2]


def test_the_function_is_compiled_where_numba_is(equations: SymbolicEquations) -> None:
    scope: dict[str, Any] = {}
    exec(equations.code("python"), scope)
    compiled = jit.compiled_at_once(scope["scara_equations"], "floats", "floats")
    assert hasattr(compiled, "py_func") == jit.HAS_NUMBA
    if jit.HAS_NUMBA:
        with pytest.raises(TypeError):
            compiled(POSITION.astype(np.float32), VELOCITY)


def test_the_function_works_without_numba(
    equations: SymbolicEquations, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "HAS_NUMBA", False)
    assert_terms(equations.function()(POSITION, VELOCITY), expected)


def test_the_function_takes_whatever_is_an_array(function: Any) -> None:
    expected = function(POSITION, VELOCITY)
    padded = np.zeros((5, 2))
    padded[:, 0] = POSITION
    for position in (POSITION.tolist(), padded[:, 0], np.asfortranarray(POSITION)):
        np.testing.assert_array_equal(
            function(position, VELOCITY).mass_matrix, expected.mass_matrix
        )
    at_rest = function(POSITION)
    assert not at_rest.coriolis_matrix.any()
    np.testing.assert_array_equal(at_rest.gravity, expected.gravity)
    read_only = POSITION.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(function(read_only, VELOCITY).gravity, expected.gravity)


@pytest.mark.parametrize(
    ("position", "velocity", "message"),
    [
        (POSITION[:4], VELOCITY, r"position: expected shape \(5,\), got \(4,\)"),
        (POSITION, VELOCITY[:, None], r"velocity: expected shape \(5,\), got \(5, 1\)"),
        (POSITION, [1.0, np.nan, 0.0, 0.0, 0.0], "velocity: .* got nan for 'joint_2'"),
        ([np.inf, 0, 0, 0, 0], VELOCITY, "position: .* got inf for 'joint_1'"),
        (["a"] * 5, VELOCITY, "position: expected numbers"),
    ],
)
def test_the_function_refuses_what_compute_refuses(
    function: Any, position: Any, velocity: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        function(position, velocity)


def test_python_code_is_a_module_that_says_what_it_is(equations: SymbolicEquations) -> None:
    tree = ast.parse(equations.code("python"))
    assert "scara" in (ast.get_docstring(tree) or "")
    (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    text = ast.get_docstring(function) or ""
    assert "q1, v1: joint_1 (m, m/s)" in text and "q5, v5: joint_5 (rad, rad/s)" in text


def test_python_code_runs_by_itself(
    equations: SymbolicEquations, expected: Any, tmp_path: Path
) -> None:
    (tmp_path / "generated.py").write_text(equations.code("python"))
    program = (
        "import sys, generated; "
        f"terms = generated.scara_equations({POSITION.tolist()}, {VELOCITY.tolist()}); "
        "print(*(repr(float(x)) for t in terms for x in t.flat)); "
        "sys.exit('charmie_dynamics' in sys.modules or 'sympy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    numbers = np.array([float(word) for word in done.stdout.split()])
    assert_terms((numbers[:25].reshape(5, 5), numbers[25:50].reshape(5, 5), numbers[50:]), expected)


@pytest.mark.skipif(C_COMPILER is None, reason="there is no C compiler")
def test_c_code_compiles_without_warnings_and_computes_the_same(
    equations: SymbolicEquations, expected: Any, tmp_path: Path
) -> None:
    source, library = tmp_path / "generated.c", tmp_path / "generated.so"
    source.write_text(equations.code("c"))
    flags = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC")
    command = [str(C_COMPILER), *flags, str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    call = ctypes.CDLL(str(library)).scara_equations
    found = np.empty((5, 5)), np.empty((5, 5)), np.empty(5)
    arrays = (POSITION, VELOCITY, *found)
    call(*(array.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for array in arrays))
    assert_terms(found, expected)


def test_operations_are_those_of_the_code(equations: SymbolicEquations) -> None:
    tree = ast.parse(equations.code("python"))
    nodes = list(ast.walk(tree))
    calls = [n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    adding = [n for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add | ast.Sub)]
    assert equations.operations.functions == len(calls) == 6
    counted = equations.operations.additions  # of what is written twice, once
    assert counted <= len(adding) <= 1.5 * counted


@pytest.mark.parametrize("language", ["python", "c"])
def test_a_name_that_is_no_identifier_does_not_break_the_code(
    robot_of: Callable[[str], Model], tmp_path: Path, language: str
) -> None:
    text = robot_of("arm_2").tree.urdf.replace("joint_1", 'a*/"""b\\').replace("arm_2", "2 x*/é")
    path = tmp_path / "robot.urdf"
    path.write_text(text.replace('"a*/"""b\\"', '\'a*/"""b\\\''), encoding="utf-8")
    equations = derive(path, "christoffel")
    code = equations.code(language)
    assert re.search(r"\b_x____equations\(", code)
    if language == "python":
        ast.parse(code)
    else:
        assert code.count("*/") == code.count("/*") == 2


def test_another_language_is_refused_with_those_that_exist(equations: SymbolicEquations) -> None:
    with pytest.raises(UnknownNameError, match=r"'pyton' is unknown; did you mean 'python'\?"):
        equations.code("pyton")


@pytest.mark.parametrize("printer", [PythonPrinter(), CPrinter()])
@pytest.mark.parametrize(
    "text",
    ["y/(x + 1)**2", "-0.5*(y - 1)/(x + 1)**2", "(y + 2)/(x**2*(y + 3)**3)", "x**2*y/(2*y)**4",
     "(x + y)**2/(x - 4)", "3/x**2 - y/(x + 2)**5", "-x**-2", "(x*y)**2/y**2/(1 + x)**3"],
)  # fmt: skip
def test_powers_in_numerators_and_denominators_keep_their_value(printer: Any, text: str) -> None:
    expression = sympy.sympify(text, evaluate=True)
    values = {"x": 0.7, "y": 1.3}
    found = eval(printer.doprint(expression), {"pow": pow, **values})
    assert found == pytest.approx(float(expression.subs(values)), rel=1e-12)
