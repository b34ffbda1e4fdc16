# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Four methods, one result: the terms that inverse dynamics gives in numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import Model
from charmie_dynamics.symbolic import METHODS, derive

STATES = 5
TOLERANCE = 1e-10  # of the largest entry
ROBOTS = ("scara", "arm_2", "arm_4", "arm_6", "odd")
# SymPy's own classes take longer for these: benchmarks.symbolic holds them against the same
LONG = {("lagrange", "arm_4"), ("lagrange", "arm_6"), ("kane", "arm_6")}
CASES = [(m, r) for r in ROBOTS for m in METHODS if (m, r) not in LONG]
Robots = Callable[[str], Model]
Derived = Callable[..., Any]
Compute = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


@pytest.fixture(scope="module")
def derived(robot_of: Robots) -> Derived:
    """A function that returns the terms of a robot by a method, as a function in plain Python."""

    @cache
    def derived(method: str, robot: str, engine: str | None = None) -> Compute:
        scope: dict[str, Any] = {}
        exec(derive(robot_of(robot), method, engine=engine).code("python"), scope)
        return next(each for name, each in scope.items() if name.endswith("_equations"))

    return derived


def states(model: Model) -> np.ndarray:
    shape = (STATES, 2, len(model.joint_names))
    return np.random.default_rng(7).uniform(-1.5, 1.5, shape)


def assert_close(found: np.ndarray, expected: np.ndarray, scale: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=TOLERANCE * scale)


@pytest.mark.parametrize(("method", "robot"), CASES)
def test_terms_are_those_of_inverse_dynamics_and_of_the_kernels(
    robot_of: Robots,
    derived: Derived,
    terms_of: Callable[..., Any],
    method: str,
    robot: str,
) -> None:
    model = robot_of(robot)
    compute = derived(method, robot)
    for position, velocity in states(model):
        expected = terms_of(model, position, velocity)
        mass_matrix, coriolis_matrix, gravity = compute(position, velocity)
        scale = max(np.abs(expected.gravity).max(), np.abs(expected.bias).max())
        assert_close(mass_matrix, expected.mass_matrix, np.abs(expected.mass_matrix).max())
        assert_close(coriolis_matrix @ velocity, expected.bias, scale)
        assert_close(gravity, expected.gravity, scale)
        kernels = model.equations(position, velocity)
        assert_close(mass_matrix, kernels.mass_matrix, np.abs(kernels.mass_matrix).max())
        assert_close(coriolis_matrix, kernels.coriolis_matrix, np.abs(coriolis_matrix).max())
        assert_close(gravity, kernels.gravity_effort, scale)


@pytest.mark.parametrize("robot", ["scara", "arm_2"])
def test_methods_agree_on_the_coriolis_matrix_too(
    robot_of: Robots, derived: Derived, robot: str
) -> None:
    first, *others = [derived(method, robot) for method in METHODS]
    for position, velocity in states(robot_of(robot)):
        _, expected, _ = first(position, velocity)
        assert np.abs(expected).max() > 1e-3
        for compute in others:
            assert_close(compute(position, velocity)[1], expected, np.abs(expected).max())


@pytest.mark.parametrize("method", METHODS)
def test_both_engines_give_the_same(robot_of: Robots, derived: Derived, method: str) -> None:
    pytest.importorskip("symengine", reason="SymEngine is missing")
    one, other = (derived(method, "arm_2", engine) for engine in ("symengine", "sympy"))
    for position, velocity in states(robot_of("arm_2")):
        for a, b in zip(one(position, velocity), other(position, velocity), strict=True):
            assert_close(a, b, 1.0)
