# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Poses of entities: on each other, at random, and different in plants side by side."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError, ModelFileError
from charmie_dynamics.errors import OverlapError
from charmie_dynamics.simulation import World, world_of

TABLE = (
    "table: {shape: box, size: [1, 1, 0.1], moves: fixed, pose: [2, 0, 0.5, 0, 0, 1.2], "
    "spread: [0.1, 0.2, 0.05, 0, 0, 0.5]}"
)
BALL = (
    "ball: {shape: sphere, size: [0.05], mass: 1.0, on: table, pose: [0.2, 0.1, 0.1, 0, 0, 0], "
    "spread: [0.1, 0.1, 0, 0, 0, 0]}"
)


def text(*entities: str) -> str:
    lines = "".join(f"  {entity}\n" for entity in entities)
    return (
        "contacts: {default: {normal: hunt_crossley, stiffness: 1.0e6, restitution: 0.2}}\n"
        f"entities:\n{lines}"
    )


@pytest.fixture(scope="module")
def world() -> World:
    return world_of(text(TABLE, BALL))


def test_a_pose_on_an_entity_is_relative_to_it(world: World) -> None:
    c, s = np.cos(1.2), np.sin(1.2)
    expected = 2 + 0.2 * c - 0.1 * s, 0.2 * s + 0.1 * c, 0.6
    np.testing.assert_allclose(world.entities["ball"].pose.p_world_body, expected)


def test_random_poses_stay_within_their_spread(world: World) -> None:
    rng = np.random.default_rng(0)
    drawn = [world.random_poses(rng) for _ in range(200)]
    table = np.array([poses["table"] for poses in drawn]) - (2, 0, 0.5, 0, 0, 1.2)
    assert (np.abs(table) <= (0.1, 0.2, 0.05, 1e-12, 1e-12, 0.5)).all()
    assert (np.abs(table).max(axis=0)[[0, 1, 2, 5]] > (0.09, 0.18, 0.045, 0.45)).all()
    local = []
    for poses in drawn:
        p, yaw = poses["ball"][:3] - poses["table"][:3], poses["table"][5]
        c, s = np.cos(yaw), np.sin(yaw)
        local.append((c * p[0] + s * p[1], c * p[1] - s * p[0], p[2]))
    assert (np.abs(np.array(local) - (0.2, 0.1, 0.1)) <= (0.1 + 1e-9, 0.1 + 1e-9, 1e-9)).all()


def test_equal_seeds_give_equal_worlds() -> None:
    first, second, other = (world_of(text(TABLE, BALL), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.position, second.position)
    assert not np.array_equal(first.position, other.position)


def test_worlds_of_a_seed_do_not_overlap() -> None:
    near = (
        "other: {shape: sphere, size: [0.05], mass: 1.0, on: table, pose: [0.2, 0.1, 0.1, 0, 0, 0]}"
    )
    for seed in range(20):
        world = world_of(text(TABLE, BALL, near), seed=seed)
        gap = np.linalg.norm(
            world.entities["ball"].pose.p_world_body - world.entities["other"].pose.p_world_body
        )
        assert gap > 0.099


def test_worlds_that_always_overlap_are_refused() -> None:
    inside = "inside: {shape: sphere, size: [0.05], mass: 1.0, on: table, pose: [0, 0, 0, 0, 0, 0]}"
    with pytest.raises(OverlapError):
        world_of(text(TABLE, inside), seed=0)


def test_fixed_bodies_differ_between_plants_side_by_side(world: World) -> None:
    heights = np.array([0.4, 0.5, 0.6])
    table, ball = np.tile((2.0, 0, 0, 0, 0, 0), (3, 1)), np.tile((2.0, 0, 0, 0, 0, 0), (3, 1))
    table[:, 2], ball[:, 2] = heights, heights + 0.1
    batch = world.batch(3, poses={"table": table, "ball": ball})
    batch.advance(np.zeros((3, 0)), steps=1000)
    np.testing.assert_allclose(batch.position[:, 2], heights + 0.1, atol=1e-3)


def test_each_moves_as_in_a_world_of_its_own(world: World) -> None:
    rng = np.random.default_rng(4)
    drawn = [world.random_poses(rng) for _ in range(2)]
    poses = {name: np.array([each[name] for each in drawn]) for name in drawn[0]}
    batch = world.batch(2, poses=poses, step=5e-4)
    batch.advance(np.zeros((2, 0)), steps=200)
    for k in range(2):
        own = [f"[{', '.join(map(repr, poses[n][k].tolist()))}]" for n in ("table", "ball")]
        alone = world_of(text(
            f"table: {{shape: box, size: [1, 1, 0.1], moves: fixed, pose: {own[0]}}}",
            f"ball: {{shape: sphere, size: [0.05], mass: 1.0, pose: {own[1]}}}",
        ))  # fmt: skip
        plant = alone.plant(step=5e-4)
        plant.advance([], steps=200)
        np.testing.assert_allclose(batch.position[k], plant.position, atol=1e-12)


def test_a_reset_moves_fixed_bodies(world: World) -> None:
    batch = world.batch(2)
    table = np.array([[2.0, 0, 0.9, 0, 0, 0]])
    ball = world.positions({"ball": [[2.0, 0, 1.0, 0, 0, 0]]}, 1)
    batch.reset(ball, plants=[1], poses={"table": table})
    batch.advance(np.zeros((2, 0)), steps=500)
    np.testing.assert_allclose(batch.position[:, 2], (0.6, 1.0), atol=1e-3)
    ball = world.positions({"ball": [[2.0, 0, 0.9, 0, 0, 0]]}, 1)
    with pytest.raises(OverlapError):
        batch.reset(ball, plants=[1])


def test_only_watched_pairs_count() -> None:
    world = world_of(text(TABLE, BALL, "ground: {shape: plane}"))
    for pairs, is_touched in (([("ball", "table")], True), ([("ball", "ground")], False)):
        batch = world.batch(1)
        batch = type(batch)(
            world.model, world.position, count=1, contacts=world.contacts.watching(pairs)
        )
        batch.advance(np.zeros((1, 0)), steps=300)
        watched = batch.watched
        assert (watched.force[0] > 0.0) == is_touched
        if is_touched:
            names = {world.contacts.shapes[int(k[0])].link for k in watched[1:]}
            assert names == {"ball", "table"}


def test_poses_of_moving_links_and_unknown_ones_are_refused(world: World) -> None:
    batch = world.batch(1)
    with pytest.raises(InputError, match="expected a link that is fixed"):
        batch.reset(world.position, poses={"ball": np.zeros((1, 6))})
    with pytest.raises(InputError, match="nobody"):
        batch.reset(world.position, poses={"nobody": np.zeros((1, 6))})
    with pytest.raises(InputError, match="shape"):
        batch.reset(world.position, poses={"table": np.zeros((2, 6))})


@pytest.mark.parametrize(
    ("entities", "said"),
    [
        (("a: {shape: plane}", "b: {shape: plane, on: c}"), "'c' is no fixed entity above"),
        ((BALL, TABLE), "'table' is no fixed entity above"),
        (("a: {shape: plane, spread: [0, 0, -1, 0, 0, 0]}",), "spread"),
        (("a: {shape: plane, spread: [0, 0]}",), "spread"),
    ],
)
def test_wrong_placements_are_refused(entities: tuple[str, ...], said: str) -> None:
    with pytest.raises(ModelFileError, match=said):
        world_of(text(*entities))
