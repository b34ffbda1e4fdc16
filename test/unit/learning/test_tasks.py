# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tasks: their starts, goals and demonstrations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from charmie_dynamics.learning import BatchEnvironment, LearningTask, evaluate, make_task
from charmie_dynamics.learning.registry import TASKS

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
