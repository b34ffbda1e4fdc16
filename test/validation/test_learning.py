# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Success in many random worlds."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics.learning import BatchEnvironment, evaluate, make_task, run_grasps
from charmie_dynamics.learning.evaluation import UNSEEN
from charmie_dynamics.simulation import load_world

WORLDS = 100


def test_the_scripted_grasp_succeeds_in_98_of_100_kitchens() -> None:
    world = load_world("kitchen")
    drawn = [world.random_poses(np.random.default_rng(seed)) for seed in range(WORLDS)]
    poses = {name: np.array([each[name] for each in drawn]) for name in drawn[0]}
    failed = [grasp for grasp in run_grasps(world, poses) if not grasp.is_success]
    assert len(failed) <= 2, failed
    assert all(grasp.cause and grasp.time > 0.0 for grasp in failed)


@pytest.mark.parametrize("name", ["Reach-v0", "PickCan-v0"])
def test_demonstrations_succeed_in_98_of_100_worlds(name: str) -> None:
    task = make_task(name)
    batch = BatchEnvironment(task, 50)
    found = evaluate(batch, lambda _, now: task.demonstrate(now), WORLDS, UNSEEN)
    assert found.success.mean() >= 0.98
    assert not any(found.reasons)


@pytest.mark.parametrize("name", ["Reach-v0", "PickCan-v0"])
def test_episodes_are_equal_for_1_7_and_64_worlds(name: str) -> None:
    task, ends = make_task(name), []
    for count in (1, 7, 64):
        batch = BatchEnvironment(task, count)
        batch.seed(range(count))
        batch.reset(range(count))
        for _ in range(30):
            outcome = batch.step(task.demonstrate(batch.situation))
        ends.append(outcome.observation[0])
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])
