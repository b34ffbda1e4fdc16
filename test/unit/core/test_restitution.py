# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What restitution comes out of a law of contact: by theory, and by integration of an impact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from charmie_dynamics.core.contact.impacts import (
    contact_time,
    deepest_indentation,
    restitution_of,
)
from charmie_dynamics.core.contact.registry import NORMAL_LAWS
from charmie_dynamics.core.contact.restitution import (
    LEAST_RESTITUTION,
    calibrated_factor,
    restitution_with,
)
from charmie_dynamics.errors import InputError, UnknownNameError
from validation.contact_runs import impact

ASKED = (0.01, 0.05, 0.2, 0.5, 0.7, 0.9, 0.95)
HYSTERETIC = ("hunt_crossley", "lankarani_nikravesh", "flores", "calibrated")


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("law", HYSTERETIC)
def test_an_impact_has_the_restitution_of_the_theory(law: str, asked: float) -> None:
    values = {"stiffness": 2e6, "exponent": 1.5, "restitution": asked}
    run = impact(law, values, speed=0.7, mass=0.3)
    theory = restitution_of(law, values, speed=0.7, mass=0.3)
    assert run.restitution == pytest.approx(theory, abs=1e-6)


@pytest.mark.parametrize("ratio", [0.02, 0.3, 0.9, 1.0, 1.5])
def test_a_spring_and_a_damper_have_the_restitution_of_the_theory(ratio: float) -> None:
    stiffness, mass = 1e5, 0.5
    values = {"stiffness": stiffness, "damping": 2.0 * ratio * math.sqrt(stiffness * mass)}
    run = impact("kelvin_voigt", values, speed=1.3, mass=mass)
    theory = restitution_of("kelvin_voigt", values, speed=1.3, mass=mass)
    assert run.restitution == pytest.approx(theory, abs=1e-6)


@pytest.mark.parametrize("ratio", [0.05, 0.5, 0.95])
def test_the_formula_of_spring_and_damper_is_that_with_the_phase_angle(ratio: float) -> None:
    w = math.sqrt(1.0 - ratio**2)
    expected = math.exp(-ratio / w * (math.pi - math.atan2(2.0 * ratio * w, 1.0 - 2.0 * ratio**2)))
    values = {"stiffness": 1.0, "damping": 2.0 * ratio}
    assert restitution_of("kelvin_voigt", values) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        ("hunt_crossley", 0.66296220),
        ("lankarani_nikravesh", 0.72524111),
        ("flores", 0.47044478),
        ("calibrated", 0.5),
    ],
)
def test_what_comes_out_where_one_half_is_asked_for(law: str, expected: float) -> None:
    assert restitution_of(law, {"restitution": 0.5}) == pytest.approx(expected, abs=5e-9)


@pytest.mark.parametrize("law", ["hooke", "hertz"])
def test_a_spring_loses_nothing(law: str) -> None:
    values = {"stiffness": 1e5}
    assert restitution_of(law, values) == 1.0
    assert impact(law, values, speed=1.0, mass=1.0).restitution == pytest.approx(1.0, abs=1e-8)


@given(st.floats(LEAST_RESTITUTION, 1.0))
def test_the_calibrated_factor_gives_what_is_asked_for_to_round_off(asked: float) -> None:
    factor = calibrated_factor(asked)
    assert restitution_with(factor) == pytest.approx(asked, abs=2e-15)
    if 0.1 < asked < 0.7:  # where the equation as it stands loses no digits
        left = factor * (1.0 + asked)
        assert left == pytest.approx(math.log((1.0 + factor) / (1.0 - factor * asked)), rel=1e-9)


@given(st.sampled_from(HYSTERETIC), st.floats(0.01, 1.0), st.floats(0.01, 1.0))
def test_what_is_asked_for_more_gives_more_and_never_more_than_all(
    law: str, first: float, second: float
) -> None:
    came = [restitution_of(law, {"restitution": c}) for c in sorted((first, second))]
    assert 0.0 < came[0] <= came[1] + 1e-15 <= 1.0 + 1e-15


def test_the_limits_of_the_calibrated_factor() -> None:
    assert calibrated_factor(1.0) == 0.0
    nearly = 1.0 - 2.0**-40
    assert calibrated_factor(nearly) == pytest.approx(1.5 * 2.0**-40, rel=1e-9)
    assert calibrated_factor(1e-4) == pytest.approx(1e4, rel=1e-12)


def test_less_is_lost_below_the_least_speed() -> None:
    values = {"restitution": 0.5, "least_speed": 0.01}
    slow = restitution_of("calibrated", values, speed=0.001)
    assert slow > restitution_of("calibrated", values, speed=0.005) > 0.5
    values |= {"stiffness": 1e5, "exponent": 1.5}
    run = impact("calibrated", values, speed=0.001, mass=1.0)
    assert run.restitution == pytest.approx(slow, abs=1e-6)


@pytest.mark.parametrize(
    ("law", "exponent", "factor"), [("hertz", 1.5, 2.9432751843), ("hooke", 1.0, math.pi)]
)
def test_an_elastic_impact_takes_the_time_and_depth_of_the_theory(
    law: str, exponent: float, factor: float
) -> None:
    values = {"stiffness": 1e6}
    run = impact(law, values, speed=0.8, mass=2.0)
    deepest = deepest_indentation(1e6, exponent, speed=0.8, mass=2.0)
    assert run.duration == pytest.approx(factor * deepest / 0.8, rel=1e-9)
    assert contact_time(deepest, exponent, speed=0.8) == pytest.approx(run.duration, rel=1e-9)
    assert run.indentation.max() == pytest.approx(deepest, rel=1e-3)  # between steps


@pytest.mark.parametrize("law", NORMAL_LAWS)
def test_energy_never_rises_in_an_impact_and_what_is_lost_is_counted(law: str) -> None:
    values = {"stiffness": 1e5, "restitution": 0.6, "damping": 90.0}
    run = impact(law, values, speed=1.0, mass=1.0)
    total = run.kinetic + run.stored
    assert (np.diff(total) <= 1e-10).all()
    np.testing.assert_allclose(total + run.lost, run.kinetic[0], atol=1e-9)


def test_unusable_questions_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'flores'"):
        restitution_of("flore", {"restitution": 0.5})
    with pytest.raises(InputError, match="mass: expected a number above 0, got 0"):
        restitution_of("flores", {"restitution": 0.5}, mass=0.0)
    with pytest.raises(InputError, match="parameter 'damping': missing"):
        restitution_of("kelvin_voigt", {"stiffness": 1.0})
    with pytest.raises(InputError, match="'kelvin_voigt': expected a stiffness, on which"):
        restitution_of("kelvin_voigt", {"damping": 50.0})
