# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The step that contacts need is stable, and not needlessly short."""

from __future__ import annotations

import numpy as np
import pytest
from small_worlds import GROUND, world

from charmie_dynamics.errors import SimulationError
from charmie_dynamics.simulation import World

DAMPED = "normal: kelvin_voigt, stiffness: 1.0e5, damping: 100.0"
HYSTERETIC = "normal: hunt_crossley, stiffness: 1.0e6, restitution: 0.5"
STICKS = (
    "friction: elasto_plastic, kinetic: 0.5, tangential_stiffness: 1.0e5, tangential_damping: 100.0"
)
CREEPS = "friction: bengisu_akay, kinetic: 0.5, v0: 0.02"
RAMP = "friction: ambrosio, kinetic: 0.5, v0: 0.0, v1: 0.0005"
SIZES = {"box": "[0.1, 0.1, 0.1]", "sphere": "[0.05]"}
TOO_LONG = 5


def stack(laws: str, *bodies: tuple[str, float]) -> World:
    """Return shapes with masses that lie on each other."""
    entities = [
        f"body{k}: {{shape: {shape}, size: {SIZES[shape]}, mass: {mass}, "
        f"pose: [0, 0, {0.05 + 0.1 * k}, 0, 0, 0]}}"
        for k, (shape, mass) in enumerate(bodies)
    ]
    made = world(laws, GROUND, *entities)
    made.velocity[:] = 1e-3 * np.sin(1.0 + np.arange(len(made.velocity)))  # a light push
    return made


def energy_error(made: World, integrator: str, step: float, duration: float) -> float:
    """Return how far the balance of a run is off at most (J); inf if it fails."""
    count = max(100, round(duration / step))
    try:
        run = made.simulate(count * step, integrator=integrator, step=step, energy_tolerance=np.inf)
    except SimulationError:
        return np.inf
    return float(np.abs(run.energy.error).max())


@pytest.mark.parametrize(
    ("laws", "bodies"),
    [
        (f"{DAMPED}, {STICKS}", [("box", 1.0)]),
        (f"{DAMPED}, {STICKS}", [("sphere", 1.0)]),
        (f"{DAMPED}, {STICKS}", [("box", 1.0), ("box", 1.0)]),
        (f"{DAMPED}, {STICKS}", [("box", 1.0), ("box", 100.0)]),
        (f"{DAMPED}, {STICKS}", [("box", 1.0), ("sphere", 100.0)]),
        (f"{DAMPED}, {STICKS}", [("box", 1.0), ("box", 10.0), ("box", 100.0)]),
        (f"{DAMPED}, {STICKS}", [("box", 1.0)] * 4),
        (f"{HYSTERETIC}, {STICKS}", [("box", 1.0), ("box", 1.0)]),
        (f"{HYSTERETIC}, {STICKS}", [("box", 100.0), ("box", 1.0)]),
        (f"{HYSTERETIC}, {CREEPS}", [("box", 1.0)] * 3),
        (f"{HYSTERETIC}, {CREEPS}", [("box", 1.0), ("box", 20.0)]),
        (f"{HYSTERETIC}, {RAMP}", [("box", 1.0), ("box", 1.0)]),
    ],
)
def test_a_stack_is_stable_with_the_step_that_it_needs_and_not_with_a_longer_one(
    laws: str, bodies: list[tuple[str, float]]
) -> None:
    made = stack(laws, *bodies)
    need = made.contact_need("rk4")
    assert need is not None
    assert energy_error(made, "rk4", need.step, 0.3) < 1e-4
    assert energy_error(made, "rk4", TOO_LONG * need.step, 0.3) > 5e-3


def test_the_load_of_a_stack_adds_up() -> None:
    light_below = [("box", 1.0), ("box", 20.0), ("box", 40.0)]
    need = stack(f"{HYSTERETIC}, {CREEPS}", *light_below).contact_need("rk4")
    assert need is not None and need.second == "body1"
    assert need.load == pytest.approx(60.0 * 9.81)
    lowest = stack(f"{HYSTERETIC}, {CREEPS}", ("box", 1.0), ("sphere", 60.0)).contact_need("rk4")
    assert lowest is not None and (lowest.first, lowest.second) == ("ground", "body0")
    assert lowest.load == pytest.approx(61.0 * 9.81)


@pytest.mark.parametrize(
    ("friction", "slope"),
    [
        ("threlfall, kinetic: 0.5, v0: 0.02", 0.5 * 3.0 / 0.02),
        ("bengisu_akay, kinetic: 0.5, static: 0.6, v0: 0.02", 0.6 * 2.0 / 0.02),
        ("ambrosio, kinetic: 0.5, v0: 0.02, v1: 0.05", 0.5 / 0.03),
        ("ambrosio, kinetic: 0.5, v0: 0.02, v1: 0.02005", 0.5 / 0.00005),
        ("ambrosio, kinetic: 0.5, v0: 2.0, v1: 2.01", 0.5 / 0.01),
    ],
)
def test_the_damping_of_friction_is_its_largest_slope(friction: str, slope: float) -> None:
    """Of eq. 47, 48 and 50; a sphere has one point of contact, and the normal force is soft."""
    made = stack(f"normal: hooke, stiffness: 1.0e3, friction: {friction}", ("sphere", 1.0))
    need = made.contact_need("rk4")
    assert need is not None
    assert need.damping == pytest.approx(slope * 9.81, rel=1e-2)


def test_what_lies_beside_something_is_no_load_of_it() -> None:
    apart = [
        f"body{k}: {{shape: box, size: [0.1, 0.1, 0.1], mass: {mass}, "
        f"pose: [{0.2 * k}, 0, 0.05, 0, 0, 0]}}"
        for k, mass in enumerate((1.0, 100.0))
    ]
    alone = stack(f"{HYSTERETIC}, {STICKS}", ("box", 1.0)).contact_need("rk4")
    both = world(f"{HYSTERETIC}, {STICKS}", GROUND, *apart).contact_need("rk4")
    assert alone is not None and both is not None
    assert both.step == pytest.approx(alone.step, rel=0.3)


@pytest.mark.parametrize("mass", [0.1, 1.0])
def test_fast_sliding_with_friction_that_sticks_needs_no_shorter_step(mass: float) -> None:
    box = (
        f"box: {{shape: box, size: [0.1, 0.1, 0.02], mass: {mass}, pose: [0, 0, 0.01, 0, 0, 0], "
        "twist: [3, 0, 0, 0, 0, 0]}"
    )
    run = world(f"{DAMPED}, {STICKS}", GROUND, box).simulate(0.1, integrator="rk4")
    lost = 3.0 - run.twist("box").linear[-1, 0]
    assert lost == pytest.approx(0.5 * 9.81 * 0.1, rel=5e-3)
    assert np.abs(run.energy.error).max() < 1e-5 * run.energy.kinetic[0]
