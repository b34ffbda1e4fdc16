# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Impacts in simulations are those of the theory of the laws."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from small_worlds import GROUND, ball, law_text, world

from charmie_dynamics.core.contact.impacts import (
    contact_time,
    deepest_indentation,
    restitution_of,
)
from charmie_dynamics.core.contact.law_types import LawParameter, NormalLaw
from charmie_dynamics.core.contact.registry import NORMAL_LAWS

pytest.importorskip("scipy")

NOWHERE = "[0, 0, 0]"  # gravity
EXACT = {"rtol": 1e-10, "atol": 1e-13}
IMPACTS = [
    ("hooke", {"stiffness": 1e6}),
    ("hertz", {"stiffness": 1e7, "exponent": 1.5}),
    ("hertz", {"stiffness": 1e7, "exponent": 2.2}),
    ("kelvin_voigt", {"stiffness": 1e6, "damping": 30.0}),
    ("kelvin_voigt", {"stiffness": 1e5, "damping": 600.0}),
    ("kelvin_voigt", {"stiffness": 1e5, "damping": 2000.0}),
    *(
        (law, {"stiffness": 1e6, "restitution": c})
        for law in ("hunt_crossley", "lankarani_nikravesh", "flores", "calibrated")
        for c in (0.01, 0.33, 0.71, 0.95)
    ),
]


@pytest.mark.parametrize("integrator", ["adaptive", "DOP853"])
@pytest.mark.parametrize(("law", "values"), IMPACTS)
def test_the_restitution_of_an_impact_is_that_of_its_law(
    law: str, values: Mapping[str, float], integrator: str
) -> None:
    speed, mass = 1.3, 0.7
    thrown = world(
        law_text(law, values), GROUND, ball(0.052, mass=mass, down=speed), gravity=NOWHERE
    )
    run = thrown.simulate(0.5, integrator=integrator, **EXACT)
    found = run.velocity[-1][2] / speed
    assert found == pytest.approx(restitution_of(law, values, speed=speed, mass=mass), abs=1e-6)


def test_two_balls_part_as_fast_as_restitution_says() -> None:
    a = "a: {shape: sphere, size: [0.05], mass: 1.0, twist: [1.5, 0, 0, 0, 0, 0]}"
    b = (
        "b: {shape: sphere, size: [0.03], mass: 2.5, pose: [0.0802, 0, 0, 0, 0, 0], "
        "twist: [-0.5, 0, 0, 0, 0, 0]}"
    )
    law = law_text("calibrated", {"stiffness": 1e6, "restitution": 0.4})
    run = world(law, a, b, gravity=NOWHERE).simulate(0.1, **EXACT)
    first, second = (run.twist(name).linear[-1, 0] for name in "ab")
    assert second - first == pytest.approx(0.4 * 2.0, abs=1e-7)
    assert first + 2.5 * second == pytest.approx(1.5 - 0.5 * 2.5, abs=1e-10)


@pytest.mark.parametrize(
    "friction",
    [
        "threlfall, kinetic: 0.4, v0: 0.02",
        "bengisu_akay, kinetic: 0.4, static: 0.5, v0: 0.02",
        "ambrosio, kinetic: 0.4, v0: 0.02, v1: 0.05",
        "elasto_plastic, kinetic: 0.4, static: 0.5, v0: 0.02, tangential_stiffness: 5.0e4, "
        "tangential_damping: 50.0",
    ],
)
def test_steep_friction_in_an_impact_is_resolved_by_default(friction: str) -> None:
    """The step that the impact itself needs is too long: the run repeats with shorter steps."""
    a = "a: {shape: sphere, size: [0.05], mass: 1.0, twist: [1, 0.1, 0, 0, 2, 2]}"
    b = (
        "b: {shape: sphere, size: [0.03], mass: 1.5, pose: [0.12, 0.01, 0.02, 0, 0, 0], "
        "twist: [-1, 0, 0, 1, 0, -2]}"
    )
    laws = f"normal: hunt_crossley, stiffness: 1.0e5, restitution: 0.6, friction: {friction}"
    glancing = world(laws, a, b, gravity=NOWHERE)
    fixed, exact = glancing.simulate(0.1, integrator="rk4"), glancing.simulate(0.1)
    assert len(fixed.contacts)
    np.testing.assert_allclose(fixed.velocity[-1], exact.velocity[-1], rtol=1e-2, atol=1e-2)


def test_a_contact_by_hertz_lasts_as_long_and_goes_as_deep_as_known() -> None:
    speed, mass, stiffness = 0.8, 2.0, 3e7
    law = law_text("hertz", {"stiffness": stiffness})
    thrown = world(law, GROUND, ball(0.051, mass=mass, down=speed), gravity=NOWHERE)
    run = thrown.simulate(0.1, **EXACT)
    touching = run.position[:, 2] < 0.05
    deepest = deepest_indentation(stiffness, 1.5, speed=speed, mass=mass)
    # it begins and ends at steps of the run
    begin, end = np.flatnonzero(np.diff(touching.astype(int)))
    lasts = run.time[end + 1] - run.time[begin]
    moved = run.position[[begin, end + 1], 2] - 0.05
    lasts -= moved.sum() / speed  # up to the step before, and since the step after
    assert lasts == pytest.approx(contact_time(deepest, 1.5, speed=speed), rel=1e-6)
    assert deepest - (0.05 - run.position[:, 2].min()) == pytest.approx(0.0, abs=2e-2 * deepest)


@pytest.mark.parametrize("options", [{}, {"integrator": "rk4"}])
@pytest.mark.parametrize("law", ["hunt_crossley", "calibrated"])
def test_the_energy_of_a_ball_that_bounces_never_rises(law: str, options: dict[str, str]) -> None:
    text = law_text(law, {"stiffness": 1e5, "restitution": 0.9})
    run = world(text, GROUND, ball(0.5)).simulate(20.0, **options)
    stored = run.energy.stored
    turned_over = 9.81 * 0.45
    # a touch within a fixed step is seen at its end
    assert np.diff(stored).max() < (1e-4 if options else 1e-6) * turned_over
    assert np.abs(run.energy.error).max() < 1e-3 * turned_over
    assert np.diff(run.energy.lost).min() > (-1e-4 if options else -1e-6) * turned_over
    # it has come to rest at the indentation that carries its weight
    assert run.velocity[-1][2] == pytest.approx(0.0, abs=5e-3)
    resting = 0.05 - run.position[run.time > 19.0, 2].mean()
    assert resting == pytest.approx((9.81 / 1e5) ** (1.0 / 1.5), rel=0.05)


@pytest.mark.parametrize(("restitution", "integrator"), [(1.0, "adaptive"), (0.9, "DOP853")])
def test_the_last_ball_of_a_cradle_leaves_as_restitution_allows(
    restitution: float, integrator: str
) -> None:
    # gaps are a few indentations, so that one impact is over before the next begins
    balls = [
        f"b{k}: {{shape: sphere, size: [0.02], mass: 0.3, pose: [{0.041 * k}, 0, 0, 0, 0, 0], "
        f"twist: [{1.0 if k == 0 else 0.0}, 0, 0, 0, 0, 0]}}"
        for k in range(5)
    ]
    law = law_text("calibrated", {"stiffness": 1e9, "restitution": restitution})
    run = world(law, *balls, gravity=NOWHERE).simulate(0.02, integrator=integrator, **EXACT)
    speeds = np.array([run.twist(f"b{k}").linear[-1, 0] for k in range(5)])
    assert speeds[4] == pytest.approx((0.5 * (1.0 + restitution)) ** 4, abs=1e-6)
    assert speeds.sum() == pytest.approx(1.0, abs=1e-9)
    if restitution == 1.0:
        assert np.abs(speeds[:4]).max() < 1e-6


@pytest.mark.parametrize("integrator", ["adaptive", "DOP853", "RK45"])
@pytest.mark.parametrize("distance", [0.3, 1.0, 3.0, 9.0])
def test_no_impact_is_missed_however_long_the_flight_before(
    distance: float, integrator: str
) -> None:
    a = "a: {shape: sphere, size: [0.05], mass: 1.0, twist: [2.0, 0, 0, 0, 0, 0]}"
    b = f"b: {{shape: sphere, size: [0.05], mass: 1.0, pose: [{distance}, 0, 0, 0, 0, 0]}}"
    law = law_text("hertz", {"stiffness": 1e6})
    run = world(law, a, b, gravity=NOWHERE).simulate(distance, integrator=integrator)
    assert run.twist("a").linear[-1, 0] == pytest.approx(0.0, abs=1e-4)
    assert run.twist("b").linear[-1, 0] == pytest.approx(2.0, abs=1e-4)


def test_a_law_of_a_user_takes_the_same_path(monkeypatch: pytest.MonkeyPatch) -> None:
    def spring(parameters, indentation, rate, touch_rate):  # type: ignore[no-untyped-def]
        return parameters[0] * indentation if indentation > 0.0 else 0.0

    stiffness = LawParameter("stiffness", "of the foam (N/m)", above=True)
    monkeypatch.setitem(NORMAL_LAWS, "foam", NormalLaw(spring, (stiffness,)))
    runs = [
        world(law_text(law, {"stiffness": 1e5}), GROUND, ball(0.06)).simulate(
            0.5, integrator="rk4", step=1e-4
        )
        for law in ("foam", "hooke")
    ]
    assert (runs[0].position == runs[1].position).all()
    assert np.abs(runs[0].energy.error).max() < 1e-5
