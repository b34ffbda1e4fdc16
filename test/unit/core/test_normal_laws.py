# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The normal laws of contact are their formulas, push only, and store what their springs do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from charmie_dynamics.core.contact.evaluation import normal_energy, normal_force
from charmie_dynamics.core.contact.registry import NORMAL_LAWS
from charmie_dynamics.core.contact.stiffness import (
    effective_modulus,
    effective_radius,
    hertz_stiffness,
)
from charmie_dynamics.numerics.jit import plain

K, D, N, C = 4e5, 120.0, 1.7, 0.6
VALUES = {"stiffness": K, "damping": D, "exponent": N, "restitution": C, "least_speed": 1e-3}
V = 0.8  # m/s, at touch
X = 3e-3  # m
FORMULAS = {
    "hooke": lambda u: K * X,
    "hertz": lambda u: K * X**N,
    "kelvin_voigt": lambda u: K * X + D * u * V,
    "hunt_crossley": lambda u: K * X**N * (1.0 + 1.5 * (1.0 - C) * u),
    "lankarani_nikravesh": lambda u: K * X**N * (1.0 + 0.75 * (1.0 - C**2) * u),
    "flores": lambda u: K * X**N * (1.0 + 1.6 * (1.0 - C) / C * u),
}
speeds = st.floats(-5.0, 5.0)
laws = st.sampled_from(list(NORMAL_LAWS))


def force(law: str, indentation: float, rate: float, touch_rate: float = V) -> tuple[float, float]:
    found = NORMAL_LAWS[law]
    numbers = found.numbers(VALUES)
    return normal_force(found.address, numbers, indentation, rate, touch_rate)


@pytest.mark.parametrize("share", [1.0, 0.3, 0.0, -0.4])
@pytest.mark.parametrize("law", FORMULAS)
def test_a_law_is_its_formula(law: str, share: float) -> None:
    found, lost = force(law, X, share * V)
    assert found == pytest.approx(FORMULAS[law](share), rel=1e-13)
    spring = FORMULAS[law](0.0)
    assert lost == pytest.approx((found - spring) * share * V, rel=1e-13, abs=1e-12)


@given(laws, st.floats(-0.01, 0.01), speeds, st.floats(-1.0, 3.0))
def test_a_contact_pushes_only_and_never_makes_energy(
    law: str, indentation: float, rate: float, touch_rate: float
) -> None:
    found, lost = force(law, indentation, rate, touch_rate)
    assert math.isfinite(found) and found >= 0.0
    assert lost >= 0.0
    assert indentation > 0.0 or found == 0.0


@given(
    laws,
    st.tuples(st.floats(1.0, 1e10), st.floats(0.0, 1e6), st.floats(1.0, 4.0), st.floats(0.01, 1.0)),
    st.floats(1e-9, 0.1),
    st.floats(-100.0, 100.0),
)
def test_that_holds_whatever_the_parameters(
    name: str, parameters: tuple[float, float, float, float], indentation: float, rate: float
) -> None:
    keys = ("stiffness", "damping", "exponent", "restitution")
    law = NORMAL_LAWS[name]
    numbers = law.numbers(dict(zip(keys, parameters, strict=True)))
    found, lost = normal_force(law.address, numbers, indentation, rate, 0.5)
    assert math.isfinite(found) and found >= 0.0 and lost >= 0.0


@pytest.mark.parametrize(
    ("law", "factor"),
    [
        ("hunt_crossley", 1.5 * (1.0 - C)),
        ("lankarani_nikravesh", 0.75 * (1.0 - C**2)),
        ("flores", 1.6 * (1.0 - C) / C),
    ],
)
def test_the_force_ends_where_the_formula_would_pull(law: str, factor: float) -> None:
    assert force(law, X, -1.001 * V / factor)[0] == 0.0
    assert force(law, X, -0.999 * V / factor)[0] > 0.0


def test_a_contact_that_begins_at_rest_has_the_damping_of_the_least_speed() -> None:
    for touch_rate in (0.0, -0.3, 1e-9):
        assert force("flores", X, 0.01, touch_rate) == force("flores", X, 0.01, 1e-3)


@pytest.mark.parametrize("exponent", [1.0, 1.1, 1.5, 2.5, 4.0, 7.0])
def test_the_stored_energy_is_the_work_of_the_spring(exponent: float) -> None:
    law = NORMAL_LAWS["hunt_crossley"]
    numbers = law.numbers({**VALUES, "exponent": exponent})
    expected = K * X ** (exponent + 1.0) / (exponent + 1.0)
    assert normal_energy(law.address, numbers, X) == pytest.approx(expected, rel=2e-14)
    assert normal_energy(law.address, numbers, -X) == 0.0


@given(laws, st.floats(0.0, 0.01), speeds)
def test_compiled_and_plain_python_agree(law: str, indentation: float, rate: float) -> None:
    found = NORMAL_LAWS[law]
    numbers = found.numbers(VALUES)
    expected = plain(found.force)(numbers, indentation, rate, V)
    compiled = normal_force(found.address, numbers, indentation, rate, V)[0]
    assert compiled == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_stiffness_of_steel_balls() -> None:
    steel, rubber = (2.1e11, 0.3), (5e6, 0.49)
    sigma = (1.0 - 0.09) / 2.1e11 + (1.0 - 0.49**2) / 5e6
    modulus = effective_modulus(steel, rubber)
    assert modulus == pytest.approx(1.0 / sigma)
    for other, product in ((0.02, 0.03 * 0.02 / 0.05), (math.inf, 0.03), (-0.04, 0.12)):
        radius = effective_radius(0.03, other)
        assert radius == pytest.approx(product)
        stiffness = hertz_stiffness(radius, modulus)
        assert stiffness == pytest.approx(4.0 / (3.0 * sigma) * math.sqrt(product))
    assert effective_radius(math.inf, math.inf) == math.inf
    assert effective_radius(0.1, -0.1) == math.inf


def test_the_numbers_of_a_law_are_in_the_order_of_its_parameters() -> None:
    for law in NORMAL_LAWS.values():
        assert len(law.numbers(VALUES)) == len(law.parameters)
    given = NORMAL_LAWS["hertz"].numbers({"stiffness": 3.0})
    np.testing.assert_array_equal(given, [3.0, 1.5])
