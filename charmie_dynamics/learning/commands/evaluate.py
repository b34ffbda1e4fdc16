# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The program of charmie_evaluate."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

import numpy as np

from charmie_dynamics.learning.batch_environment import BatchEnvironment
from charmie_dynamics.learning.evaluation import evaluate
from charmie_dynamics.learning.network import load_policy, require_fit
from charmie_dynamics.learning.registry import make_task
from charmie_dynamics.learning.task import Situation

DEMONSTRATION, ZERO = "demonstration", "zero"
FILMED = 5  # episodes


def run(options: argparse.Namespace) -> int:
    """Evaluate; return the exit status."""
    task = make_task(options.task)
    policy = None if options.policy in (DEMONSTRATION, ZERO) else load_policy(options.policy)

    def batch_of(count: int) -> BatchEnvironment:
        control = None if policy is None else policy.control
        return BatchEnvironment(task, count, control, randomisation=options.randomise)

    batch = batch_of(options.worlds)
    if policy is not None:
        require_fit(policy, task.name, policy.control, len(batch.low), batch.control.size)

    def act(observation: Any, now: Situation) -> Any:
        if policy is not None:
            return policy(observation)
        if options.policy == DEMONSTRATION:
            return task.demonstrate(now)
        return np.zeros((len(observation), batch.control.size))

    found = evaluate(batch, act, options.episodes)
    print(f"episodes    {options.episodes}")
    print(f"success     {np.mean(found.success):.1%}")
    print(f"collisions  {np.mean(found.collided):.1%}")
    print(f"duration    {np.mean(found.duration):.2f} s")
    print(f"reward      {np.mean(found.reward):.3f}")
    if options.film is not None:
        from charmie_dynamics.learning.pictures import film_episodes

        count = film_episodes(options.film, batch_of(FILMED), act)
        print(f"film        {count} pictures of {FILMED} episodes in {options.film}")
    for reason, count in Counter(filter(None, found.reasons)).most_common(3):
        print(f"truncated   {count}: {reason}")
    return 0
