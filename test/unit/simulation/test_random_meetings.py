# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random shapes that fly and turn, and touch in short steps, are noticed by every integrator."""

from __future__ import annotations

import numpy as np
import pytest
from small_worlds import world

from charmie_dynamics.errors import SimulationError
from charmie_dynamics.simulation import World

pytest.importorskip("scipy")

NO_FORCE = "normal: hooke, stiffness: 1.0e-6"
STIFF = "normal: hertz, stiffness: 3.0e8"
GRAZE = 0.125  # of the sum of the half thicknesses: shallower contacts may pass unseen
SEEDS = range(16)
OPTIONS = {
    "rk4": {"step": 1e-3},
    "semi_implicit_euler": {"step": 1e-3},
    "RK23": {"most_evaluations": 5000},
    "BDF": {"most_evaluations": 5000},
}


def shape(rng: np.random.Generator) -> tuple[str, float]:
    """Return the text of a thin shape, and its largest radius (m)."""
    thin, length = 10.0 ** rng.uniform(-3.0, -1.7), rng.uniform(0.05, 0.6)
    kind = ["sphere", "capsule", "cylinder", "box", "box"][rng.integers(5)]
    size = {
        "sphere": [length / 8.0],
        "capsule": [thin, length],
        "cylinder": [thin, length] if rng.random() < 0.5 else [length / 2.0, thin],
        "box": [thin, length, thin if rng.random() < 0.5 else length],
    }[kind]
    return f"shape: {kind}, size: {[round(float(x), 6) for x in size]}", float(sum(size))


def meeting(seed: int, law: str) -> tuple[World, float]:
    """Return a shape that flies to where another one turns, and a duration (s)."""
    rng = np.random.default_rng(seed)
    (first, reach), (second, other) = shape(rng), shape(rng)
    speed, away = 10.0 ** rng.uniform(0.7, 1.7), reach + other + 0.1
    offset = rng.uniform(-0.4, 0.4, 2) * max(reach, other)
    poses = [0.0, 0.0, 0.0, *rng.uniform(-3, 3, 3)], [-away, *offset, *rng.uniform(-3, 3, 3)]
    twists = [0.0] * 3 + [*rng.uniform(-20, 20, 3)], [speed, 0.0, 0.0, *rng.uniform(-99, 99, 3)]
    bodies = [
        f"{name}: {{{text}, mass: 0.5, pose: {[float(x) for x in pose]}, "
        f"twist: {[float(x) for x in twist]}}}"
        for name, text, pose, twist in zip("ab", (first, second), poses, twists, strict=True)
    ]
    return world(law, *bodies, gravity="[0, 0, 0]"), 2.0 * away / speed


def touches(seed: int) -> bool:
    """Return whether the undisturbed motion in short steps is deeper than a graze."""
    made, duration = meeting(seed, NO_FORCE)
    thickness = sum(each.half_thickness for each in made.contacts.shapes)
    try:
        run = made.simulate(duration, integrator="rk4", step=2e-5)
    except SimulationError as error:
        return "indentation" in error.message
    return len(run.contacts) > 0 and bool(run.contacts.indentation.max() > GRAZE * thickness)


@pytest.fixture(scope="module")
def hits() -> list[int]:
    """Return the seeds whose shapes touch."""
    found = [seed for seed in SEEDS if touches(seed)]
    assert len(found) >= 4
    return found


@pytest.mark.parametrize("integrator", OPTIONS)
def test_shapes_that_touch_are_noticed_or_refused(integrator: str, hits: list[int]) -> None:
    for seed in hits:
        made, duration = meeting(seed, STIFF)
        try:
            run = made.simulate(duration, integrator=integrator, **OPTIONS[integrator])
        except SimulationError:
            continue
        assert len(run.contacts) > 0, seed
