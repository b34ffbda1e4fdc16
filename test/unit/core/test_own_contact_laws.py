# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A law of a user is one function, and takes the way of those of the package."""

from __future__ import annotations

import pytest

from charmie_dynamics.core.contact.evaluation import friction_force, normal_energy, normal_force
from charmie_dynamics.core.contact.law_types import FrictionLaw, LawParameter, NormalLaw
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.jit import HAS_NUMBA
from charmie_dynamics.numerics.vectors import Floats

STIFFNESS = LawParameter("stiffness", "at touch (N/m)")


def foam(parameters: Floats, indentation: float, rate: float, touch_rate: float) -> float:
    if indentation <= 0.0:
        return 0  # a whole number, as people write it
    return max(0.0, parameters[0] * indentation * (1.0 + 50.0 * indentation) + 3.0 * rate)


def grease(parameters: Floats, normal: float, velocity: tuple, displacement: tuple) -> tuple:
    d = -parameters[0]
    return (d * velocity[0], d * velocity[1], d * velocity[2]), (0, 0, 0), 0


def test_a_normal_law_of_a_user_is_called_as_the_others() -> None:
    law = NormalLaw(foam, (STIFFNESS,))
    numbers = law.numbers({"stiffness": 1e4})
    force, lost = normal_force(law.address, numbers, 2e-3, 0.1, 1.0)
    assert force == pytest.approx(1e4 * 2e-3 * 1.1 + 0.3)
    assert lost == pytest.approx(0.3 * 0.1)
    stored = normal_energy(law.address, numbers, 2e-3)
    assert stored == pytest.approx(1e4 * (2e-3**2 / 2.0 + 50.0 * 2e-3**3 / 3.0), rel=1e-13)
    assert normal_force(law.address, numbers, -1.0, 0.0, 1.0) == (0.0, 0.0)
    assert law.address == law.address


def test_a_friction_law_of_a_user_is_called_as_the_others() -> None:
    law = FrictionLaw(grease, (LawParameter("viscous", "N s/m"),))
    numbers = law.numbers({"viscous": 3.0})
    velocity, at_rest = (0.1, -0.2, 0.0), (0.0, 0.0, 0.0)
    force, rate, stored = friction_force(law.address, numbers, 5.0, velocity, at_rest)
    assert force == pytest.approx((-0.3, 0.6, 0.0))
    assert rate == at_rest and stored == 0.0


def test_whole_numbers_are_taken_for_floats() -> None:
    law = NORMAL_LAWS["kelvin_voigt"]
    numbers = law.numbers({"stiffness": 100.0, "damping": 10.0})
    assert normal_force(law.address, numbers, 1, 2, 3) == (120.0, 40.0)
    assert normal_energy(law.address, numbers, 1) == pytest.approx(50.0)
    law_of_friction = FRICTION_LAWS["coulomb"]
    numbers = law_of_friction.numbers({"kinetic": 0.5})
    force, _, _ = friction_force(law_of_friction.address, numbers, 8, (0, 3, 0), (0, 0, 0))
    assert force == (0.0, -4.0, 0.0)


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
def test_a_law_that_cannot_be_compiled_is_refused_by_its_name() -> None:
    def broken(parameters: Floats, indentation: float, rate: float, touch_rate: float) -> object:
        return {"force": [indentation]}

    with pytest.raises(InputError, match="law 'broken' cannot be compiled"):
        _ = NormalLaw(broken, ()).address


def test_a_parameter_that_is_missing_is_named_with_its_meaning() -> None:
    with pytest.raises(InputError, match=r"'stiffness': missing: at touch \(N/m\)"):
        NormalLaw(foam, (STIFFNESS,)).numbers({})


def test_each_name_and_each_parameter_of_a_law_stands_once() -> None:
    for law in (*NORMAL_LAWS.values(), *FRICTION_LAWS.values()):
        names = [parameter.name for parameter in law.parameters]
        assert len(set(names)) == len(names)
    normal = {p.name for law in NORMAL_LAWS.values() for p in law.parameters}
    friction = {p.name for law in FRICTION_LAWS.values() for p in law.parameters}
    assert not normal & friction  # both stand in one entry of a world file
