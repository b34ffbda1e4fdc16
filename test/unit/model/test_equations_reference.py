# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of motion against reference data of an independent library.

All agrees to a relative 1e-7 of the largest value of its kind, which is what the numeric
derivatives of the loops allow there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import Model

TOLERANCE = 1e-7
Case = dict[str, dict[str, Any]]
CASES = range(6)


@pytest.fixture(scope="module")
def cases(reference: Path) -> list[Case]:
    found = json.loads((reference / "equations.json").read_text(encoding="utf-8"))["cases"]
    assert len(found) == len(CASES)
    return found


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, cases: list[Case]) -> Case:
    return cases[request.param]


def given(model: Model, case: Case, *subjects: str) -> list[np.ndarray]:
    return [ordered(model, case["input"][subject]) for subject in subjects]


def ordered(model: Model, values: dict[str, float]) -> np.ndarray:
    assert values.keys() == set(model.actuator_names)
    return np.array([values[name] for name in model.actuator_names])


def agree(found: Any, expected: Any) -> None:
    expected = np.array(expected, dtype=float)
    assert np.shape(found) == expected.shape
    scale = TOLERANCE * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE, atol=scale)


def test_actuators_have_the_order_of_the_matrices(charmie: Model, case: Case) -> None:
    assert tuple(case["expected"]["actuators"]) == charmie.actuator_names


def test_mass_matrix(charmie: Model, case: Case) -> None:
    equations = charmie.equations(*given(charmie, case, "position"))
    expected = np.array(case["expected"]["mass_matrix"])
    # elements have units of their own: each against those of its row and column
    scale = np.sqrt(np.outer(expected.diagonal(), expected.diagonal()))
    assert (np.abs(equations.mass_matrix - expected) / scale).max() < TOLERANCE


def test_efforts_of_velocities(charmie: Model, case: Case) -> None:
    position, velocity = given(charmie, case, "position", "velocity")
    found = charmie.equations(position, velocity).coriolis_matrix @ velocity
    agree(found, ordered(charmie, case["expected"]["coriolis_effort"]))


@pytest.mark.parametrize("term", ["gravity_effort", "spring_effort"])
def test_efforts_of_gravity_and_springs(charmie: Model, case: Case, term: str) -> None:
    equations = charmie.equations(*given(charmie, case, "position", "velocity"))
    agree(getattr(equations, term), ordered(charmie, case["expected"][term]))


def test_accelerations_under_efforts(charmie: Model, case: Case) -> None:
    state = charmie.forward(*given(charmie, case, "position", "velocity", "effort"))
    agree(state.acceleration, ordered(charmie, case["expected"]["forward_acceleration"]))
    joints = case["expected"]["joint_forward_acceleration"]
    assert joints.keys() == set(charmie.joint_names)
    agree(state.joint_acceleration, [joints[name] for name in charmie.joint_names])


def test_jacobians_of_points(charmie: Model, case: Case) -> None:
    (position,) = given(charmie, case, "position")
    assert len(case["expected"]["jacobians"]) == 3
    for entry in case["expected"]["jacobians"]:
        agree(charmie.jacobian(position, entry["frame"], entry["point"]), entry["matrix"])


def test_energies(charmie: Model, cases: list[Case]) -> None:
    found = [charmie.energy(*given(charmie, case, "position", "velocity")) for case in cases]
    expected = [case["expected"] for case in cases]
    agree([energy.kinetic for energy in found], [one["kinetic_energy"] for one in expected])
    agree([energy.elastic for energy in found], [one["spring_energy"] for one in expected])
    # there up to a constant
    rise = np.array([energy.gravitational for energy in found])
    agree(
        rise - rise[0],
        [one["gravitational_energy"] for one in expected]
        - np.array(expected[0]["gravitational_energy"]),
    )


def test_gravitational_energy_is_zero_with_all_mass_at_the_height_of_the_origin(
    charmie: Model, case: Case
) -> None:
    energy = charmie.energy(*given(charmie, case, "position"))
    assert energy.gravitational == pytest.approx(case["expected"]["gravitational_energy"], rel=1e-7)
