# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tasks: their starts, goals, demonstrations, and the scripted grasp."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from charmie_dynamics.learning import (
    BatchEnvironment,
    LearningTask,
    evaluate,
    make_task,
    run_grasps,
)
from charmie_dynamics.learning.registry import TASKS
from charmie_dynamics.simulation import load_world

WORLDS = 8


@cache
def task_of(name: str) -> LearningTask:
    return make_task(name)


@pytest.mark.parametrize("name", ["Reach-v0", "PickCan-v0"])
def test_demonstrations_succeed_in_random_worlds(name: str) -> None:
    task = task_of(name)
    found = evaluate(
        BatchEnvironment(task, WORLDS), lambda _, now: task.demonstrate(now), WORLDS, 0
    )
    assert found.success.mean() >= 0.98
    assert not any(found.reasons)


def test_true_masses_track_better_than_wrong_ones() -> None:
    task = task_of("TrackTrajectory-v0")
    batch = BatchEnvironment(task, 4)
    rewards = [
        evaluate(batch, lambda _, now, part=part: part * task.demonstrate(now), 4, 0).reward.mean()
        for part in (0.0, 1.0)
    ]
    assert rewards[1] > 0.1 * rewards[0]


def test_the_scripted_grasp_succeeds_in_random_kitchens() -> None:
    world = load_world("kitchen")
    drawn = [world.random_poses(np.random.default_rng(seed)) for seed in range(WORLDS)]
    grasps = run_grasps(
        world, {name: np.array([each[name] for each in drawn]) for name in drawn[0]}
    )
    failed = [grasp for grasp in grasps if not grasp.is_success]
    assert len(failed) <= 0.02 * WORLDS, failed
    assert all(grasp.time > 0.0 for grasp in grasps)


def test_a_grasp_out_of_reach_says_so() -> None:
    world = load_world("kitchen")
    poses = {
        name: pose[None] for name, pose in world.random_poses(np.random.default_rng(0)).items()
    }
    for name in ("can", "table_1"):
        poses[name][0, 1] += 3.0
    (grasp,) = run_grasps(world, poses)
    assert not grasp.is_success
    assert grasp.cause == "move in front of the can: out of reach"


@pytest.mark.parametrize("name", TASKS)
def test_starts_are_random_and_repeatable(name: str) -> None:
    task = task_of(name)
    first, again, other = (task.start(np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.position, again.position)
    values = [np.concatenate([s.position, *map(np.ravel, s.data.values())]) for s in (first, other)]
    assert not np.array_equal(*values)


@pytest.mark.parametrize("name", TASKS)
def test_observations_have_the_documented_numbers(name: str) -> None:
    task = task_of(name)
    batch = BatchEnvironment(task, 2)
    batch.seed([0, 1])
    outcome = batch.reset([0, 1])
    sizes = [np.size(quantity.low) for quantity in task.quantities()]
    parts = [np.reshape(part, (2, -1)).shape[1] for part in task.observe(batch.situation)]
    assert parts == sizes
    assert outcome.observation.shape == (2, sum(sizes))
