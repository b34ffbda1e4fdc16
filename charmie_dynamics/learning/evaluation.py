# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Success of a policy in many worlds that it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .batch_environment import BatchEnvironment, PeriodOutcome
from .task import Situation

UNSEEN = 10**6  # the first seed of worlds for evaluation; no training uses it
Act = Callable[[Any, Situation], Any]


class EpisodeResults(NamedTuple):
    """Results of episodes.

    Attributes
    ----------
    success, collided : (n,) array of bool
    duration : (n,) array
        Of each episode (s).
    reward : (n,) array
        Sum of its rewards.
    reasons : tuple of str
        Why an episode was truncated before its end; empty without a reason.
    """

    success: Any
    collided: Any
    duration: Any
    reward: Any
    reasons: tuple[str, ...]


def evaluate(
    batch: BatchEnvironment, act: Act, episodes: int, first_seed: int = UNSEEN
) -> EpisodeResults:
    """Return the results of episodes with the seeds from the first on.

    Parameters
    ----------
    batch : BatchEnvironment
    act : callable
        Called with observations (n, k) and the situation, returns actions (n, m).
    episodes : int
    first_seed : int

    Examples
    --------
    >>> from charmie_dynamics.learning import BatchEnvironment, evaluate, make_task
    >>> task = make_task("Reach-v0")
    >>> batch = BatchEnvironment(task, 2)
    >>> found = evaluate(batch, lambda _, situation: task.demonstrate(situation), episodes=2)
    >>> found.success.shape
    (2,)
    """
    parts = []
    for begin in range(first_seed, first_seed + episodes, batch.count):
        # the last worlds may be more than are asked for
        batch.seed(range(begin, begin + batch.count))
        parts.append(_results(batch, act))
    success, collided, duration, reward = (
        np.concatenate([part[k] for part in parts])[:episodes] for k in range(4)
    )
    reasons = tuple(reason for part in parts for reason in part.reasons)[:episodes]
    return EpisodeResults(success, collided, duration, reward, reasons)


def play(batch: BatchEnvironment, act: Act) -> Iterator[tuple[PeriodOutcome, Any]]:
    """Yield the start of an episode in each world, and each period until the last one ends.

    Yields
    ------
    outcome : PeriodOutcome
    goes : (n,) array of bool
        Whether the episode of a world was not over before this period.
    """
    outcome = batch.reset(range(batch.count))
    goes = np.ones(batch.count, dtype=bool)
    while goes.any():
        yield outcome, goes
        goes = goes & ~(outcome.terminated | outcome.truncated)
        if goes.any():
            outcome = batch.step(act(outcome.observation, batch.situation))


def _results(batch: BatchEnvironment, act: Act) -> EpisodeResults:
    n = batch.count
    success, collided = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    duration, reward, reasons = np.zeros(n), np.zeros(n), [""] * n
    for outcome, goes in play(batch, act):
        reward[goes] += outcome.reward[goes]
        over = goes & (outcome.terminated | outcome.truncated)
        success[over] = outcome.info["is_success"][over]
        collided[over] = outcome.info["collision"][over] > 0.0
        duration[over] = batch.situation.time[over]
        for k in np.flatnonzero(over).tolist():
            reasons[k] = outcome.reasons[k]
    return EpisodeResults(success, collided, duration, reward, tuple(reasons))
