# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The nearest pair of whole worlds beside coal, which computes all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics.simulation import World, load_world, world_of
from charmie_dynamics.simulation.contact.meshes import mesh_distance

pytest.importorskip("coal")
SIZES = {"sphere": 1, "capsule": 2, "box": 3, "cylinder": 2}


def crowd(random: np.random.Generator, spread: float) -> World:
    """Return a world of twelve free shapes, random in all but their kinds, above a plane."""
    entities = [f"ground: {{shape: plane, pose: [0, 0, {-2.0 * spread}, 0, 0, 0]}}"]
    for k, kind in enumerate(3 * [*SIZES]):
        size = random.uniform(0.05, 0.4, SIZES[kind]).tolist()
        pose = [
            *random.uniform(-spread, spread, 3).tolist(),
            *random.uniform(-3.0, 3.0, 3).tolist(),
        ]
        entities.append(f"e{k}: {{shape: {kind}, size: {size}, mass: 1, pose: {pose}}}")
    lines = "".join(f"  {entity}\n" for entity in entities)
    return world_of(
        f"contacts: {{default: {{normal: hooke, stiffness: 1.0e5}}}}\nentities:\n{lines}"
    )


def least_by_coal(world: World, position: np.ndarray) -> float:
    """Return the least distance of the pairs that may meet."""
    state, shapes = world.model.kinematics(position), world.contacts.shapes
    solids = []
    for shape in shapes:
        p, R = state.frame(shape.link)
        count = {"plane": 0, **SIZES}[shape.kind]
        pose = R @ shape.R_link_shape, p + R @ shape.p_link_shape
        solids.append(((shape.kind, shape.half_size[:count]), pose))
    first, second, _ = world.contacts.meeting_pairs()
    return min(
        mesh_distance(*solids[i], *solids[j]).distance
        for i, j in zip(first.tolist(), second.tolist(), strict=True)
    )


@pytest.mark.parametrize("spread", [1.0, 2.0, 20.0])
@pytest.mark.parametrize("seed", range(10))
def test_clearance_of_a_crowd_agrees_with_coal_to_1e_6(seed: int, spread: float) -> None:
    world = crowd(np.random.default_rng(seed), spread)
    clearance = world.clearance(world.position)
    expected = least_by_coal(world, world.position)
    if expected > 0.0:
        assert clearance.distance == pytest.approx(expected, abs=1e-6)
        gap = np.linalg.norm(clearance.p_second - clearance.p_first)
        assert gap == pytest.approx(expected, abs=1e-6)
    else:  # coal's depths of curved shapes may exceed the least one
        assert expected - 1e-6 <= clearance.distance <= 0.0


@pytest.mark.parametrize("name", ["athena", "quadruped", "charmie_wheeled"])
def test_clearance_of_robots_agrees_with_coal_to_1e_6(name: str) -> None:
    """The robots of the package in random poses, above the floor and in it."""
    world, random = load_world(name), np.random.default_rng(3)
    positions = world.position + random.uniform(-0.05, 0.05, (20, len(world.position)))
    positions = world.model.normalised_position(positions)
    for position, distance in zip(positions, world.clearance(positions).distance, strict=True):
        assert distance == pytest.approx(least_by_coal(world, position), abs=1e-6)
