# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The friction laws of contact are their formulas, oppose sliding, creep or hold on a slope."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from charmie_dynamics.core.contact.evaluation import friction_force
from charmie_dynamics.core.contact.friction import SHORTEST
from charmie_dynamics.core.contact.registry import FRICTION_LAWS
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.vectors import Floats
from validation.contact_runs import slide

KINETIC, STATIC, V0, V1, XI = 0.5, 0.65, 0.01, 0.03, 120.0
STIFFNESS, DAMPING = 2e4, 150.0  # N/m, N s/m
VALUES = {
    "kinetic": KINETIC,
    "static": STATIC,
    "v0": V0,
    "v1": V1,
    "xi": XI,
    "tangential_stiffness": STIFFNESS,
    "tangential_damping": DAMPING,
}
LOAD = 20.0  # N
AT_REST = (0.0, 0.0, 0.0)
WITHOUT_STATE = [name for name, law in FRICTION_LAWS.items() if not law.is_elastic]
speeds = st.floats(-0.1, 0.1)
bends = st.floats(-2e-3, 2e-3)


def load_of(
    law: str, velocity: tuple, displacement: tuple = AT_REST, normal: float = LOAD
) -> tuple:
    found = FRICTION_LAWS[law]
    numbers = found.numbers(VALUES)
    return friction_force(found.address, numbers, normal, velocity, displacement)


def coefficient(law: str, speed: float) -> float:
    return -load_of(law, (speed, 0.0, 0.0))[0][0] / LOAD


def expected_coefficient(law: str, v: float) -> float:
    if law == "none":
        return 0.0
    if law == "coulomb":
        return KINETIC if v else 0.0
    if law == "threlfall":
        return KINETIC * (1.0 - math.exp(-3.0 * v / V0) if v <= V0 else 0.95)
    if law == "bengisu_akay":
        if v < V0:
            return -STATIC / V0**2 * (v - V0) ** 2 + STATIC
        return KINETIC + (STATIC - KINETIC) * math.exp(-XI * (v - V0))
    return KINETIC * min(1.0, max(0.0, (v - V0) / (V1 - V0)))


@pytest.mark.parametrize("speed", [0.0, 1e-3, 0.0099, 0.01, 0.0101, 0.02, 0.03, 0.5])
@pytest.mark.parametrize("law", WITHOUT_STATE)
def test_a_law_is_its_formula(law: str, speed: float) -> None:
    assert coefficient(law, speed) == pytest.approx(expected_coefficient(law, speed), abs=1e-14)


def friction_power(force: tuple[float, ...], velocity: tuple[float, ...]) -> float:
    """Return the power of friction (W): dissipated, except for the rate of the stored energy."""
    return -sum(f * v for f, v in zip(force, velocity, strict=True))


@given(st.sampled_from(WITHOUT_STATE), speeds, speeds, speeds)
def test_friction_is_against_the_velocity(law: str, x: float, y: float, z: float) -> None:
    force, rate, stored = load_of(law, (x, y, z))
    speed = math.sqrt(x * x + y * y + z * z)
    size = math.sqrt(sum(f * f for f in force))
    assert rate == AT_REST and stored == 0.0
    assert size <= STATIC * LOAD * (1.0 + 1e-12)
    assert friction_power(force, (x, y, z)) == pytest.approx(size * speed, rel=1e-12, abs=1e-15)


def released(
    law: str, slope: float, duration: float, push: tuple[float, float] = (0.0, 0.0)
) -> Floats:
    return slide(law, VALUES, slope, np.linspace(0.0, duration, 101), push)


def test_it_holds_up_to_static_friction_where_the_load_comes_slowly() -> None:
    # 0.95 of static friction, beyond kinetic and beyond where bristles begin to slip
    force, _, _ = load_of("elasto_plastic", AT_REST, (0.95 * STATIC * LOAD / STIFFNESS, 0.0, 0.0))
    assert force[0] == pytest.approx(-0.95 * STATIC * LOAD)


def test_while_sliding_the_force_turns_with_the_direction() -> None:
    run = released("elasto_plastic", math.atan(0.9), 4.0, push=(0.0, 9.0))
    velocity = run[-1, 2:4] / np.linalg.norm(run[-1, 2:4])
    bent = run[-1, 4:6] / np.linalg.norm(run[-1, 4:6])
    np.testing.assert_allclose(bent, velocity, atol=1e-4)


@given(
    st.tuples(speeds, speeds),
    st.tuples(bends, bends),
    st.floats(0.0, 40.0),
    st.tuples(st.floats(0.0, 1.5), st.floats(0.0, 0.5), st.floats(1e3, 1e6), st.floats(0.0, 1e3)),
)
def test_what_bristles_lose_is_never_less_than_zero(
    v: tuple[float, float],
    z: tuple[float, float],
    normal: float,
    parameters: tuple[float, float, float, float],
) -> None:
    kinetic, more, stiffness, damping = parameters
    law = FRICTION_LAWS["elasto_plastic"]
    numbers = law.numbers(
        {
            "kinetic": kinetic,
            "static": kinetic + more,
            "tangential_stiffness": stiffness,
            "tangential_damping": damping,
        }
    )
    velocity = (*v, 0.0)
    force, rate, stored = friction_force(law.address, numbers, normal, velocity, (*z, 0.0))
    assert stored == pytest.approx(0.5 * stiffness * (z[0] ** 2 + z[1] ** 2))
    gained = stiffness * (z[0] * rate[0] + z[1] * rate[1])
    power = friction_power(force, velocity)
    # where a contact begins, bristles bend by about SHORTEST without load
    unpaid = 0.5 * stiffness * SHORTEST * math.hypot(*v)
    assert power - gained >= -1e-12 * (abs(power) + abs(gained)) - unpaid
    assert math.hypot(force[0], force[1]) <= (kinetic + more) * normal * (1.0 + 1e-12) + 1e-100


@given(st.sampled_from(list(FRICTION_LAWS)), speeds, speeds, bends, bends)
def test_compiled_and_plain_python_agree(
    law: str, vx: float, vy: float, zx: float, zy: float
) -> None:
    numbers = FRICTION_LAWS[law].numbers(VALUES)
    velocity, bent = (vx, vy, 0.0), (zx, zy, 0.0)
    expected = plain(FRICTION_LAWS[law].force)(numbers, LOAD, velocity, bent)
    for found, given_by_python in zip(load_of(law, velocity, bent), expected, strict=True):
        np.testing.assert_allclose(found, given_by_python, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("law", FRICTION_LAWS)
def test_without_normal_force_there_is_no_friction(law: str) -> None:
    force, _, _ = load_of(law, (0.2, -0.1, 0.0), (1e-4, 0.0, 0.0), normal=0.0)
    assert [abs(f) for f in force] == [0.0, 0.0, 0.0]


def test_without_a_static_coefficient_it_is_the_kinetic_one() -> None:
    given: Mapping[str, float] = {"kinetic": 0.4}
    found = FRICTION_LAWS["bengisu_akay"].numbers(given)
    np.testing.assert_array_equal(found, [0.4, 0.4, 0.01, 100.0])
