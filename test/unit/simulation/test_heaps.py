# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Heaps of bodies that fall onto each other, by methods that vary their step."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from small_worlds import GROUND, world

from charmie_dynamics.errors import SimulationError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import Run, World

pytest.importorskip("scipy")

HARD = "normal: hunt_crossley, stiffness: 1.0e6, exponent: 1.5, restitution: 0.5"
STICKS = (
    "friction: elasto_plastic, kinetic: 0.5, tangential_stiffness: 1.0e5, tangential_damping: 100.0"
)
FRICTIONS = {"sticks": STICKS, "creeps": "friction: bengisu_akay, kinetic: 0.5, v0: 0.01"}
BODIES = [
    "a: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.06, 0, 0, 0]}",
    "b: {shape: sphere, size: [0.05], mass: 1.0, pose: [0.03, 0.01, 0.17, 0, 0, 0.3]}",
    "c: {shape: sphere, size: [0.05], mass: 1.0, pose: [0.01, 0.04, 0.29, 0, 0, 0.3]}",
    "d: {shape: box, size: [0.1, 0.12, 0.08], mass: 1.0, pose: [0.02, 0.03, 0.42, 0.4, 0.2, 0.3]}",
]
DURATION = 0.25
AT = [0.0, 0.1, 0.2, DURATION]


def heap(friction: str) -> World:
    """Return three balls and a box above each other."""
    return world(f"{HARD}, {FRICTIONS[friction]}", GROUND, *BODIES)


def places(run: Run) -> Floats:
    """Return where the bodies are (bodies, k, 3)."""
    return np.array([run.pose(name)[0] for name in "abcd"])


@functools.lru_cache(maxsize=2)
def in_short_steps(friction: str) -> Floats:
    """Return what fixed steps give that are far shorter than the contacts need."""
    return places(heap(friction).simulate(DURATION, integrator="rk4", step=5e-6, times=AT))


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("integrator", ["adaptive", "DOP853", "BDF", "Radau"])
def test_a_heap_takes_as_many_evaluations_as_its_contacts_are_stiff(
    integrator: str, friction: str
) -> None:
    run = heap(friction).simulate(DURATION, integrator=integrator, times=AT)
    assert run.evaluations < 300_000 * DURATION
    assert np.abs(run.energy.error).max() < 1e-4
    assert places(run) == pytest.approx(in_short_steps(friction), abs=3e-5)


@pytest.mark.parametrize("integrator", ["Radau", "BDF", "adaptive"])
def test_a_long_flight_ends_at_the_floor(integrator: str) -> None:
    ball = (
        "ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 5.05, 0, 0, 0], "
        "twist: [2, 0, 0, 0, 30, 0]}"
    )
    run = world(f"{HARD}, {STICKS}", GROUND, ball).simulate(1.5, integrator=integrator)
    # 11,600 to 13,200, of which the search for contacts between the steps is a part
    assert run.evaluations < 14_000
    speed = np.sqrt(2.0 * 9.81 * 5.0)
    assert run.twist("ball").linear[:, 2].min() == pytest.approx(-speed, rel=1e-3)
    assert np.abs(run.energy.error).max() < 1e-4 * run.energy.kinetic.max()


def test_a_run_that_needs_too_much_says_what_does() -> None:
    with pytest.raises(SimulationError) as error:
        heap("sticks").simulate(DURATION, integrator="DOP853", most_evaluations=2000)
    assert (
        "more than 2000 evaluations; fastest: '" in error.value.message
        and "try integrator 'LSODA' or 'Radau', whose steps are not bounded by stiffness, or 'rk4'"
        in error.value.message
    )
