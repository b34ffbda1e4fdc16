# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Learning from demonstrations: DAgger (Ross, Gordon and Bagnell, 2011).

In each round the worlds move by the network or, less and less often, by demonstrations. The
demonstrated action is recorded in all situations that occur, and the network learns all records.
Then the network alone moves the worlds for an episode, which is not recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.regression import Regression

from .batch_environment import BatchEnvironment
from .evaluation import evaluate
from .network import Policy, normalisation

HIDDEN = (128, 128)
PERIODS = 100  # of a round, in each world
EPOCHS, BATCH = 6, 512
SHARE_OF_EXPERT = 0.7  # in each round so many times that of the last, from 1 on
FIRST_SEED = 2**31  # of worlds from which it learns; evaluations use smaller ones
LAST_SEED = 2**32  # from here on: of worlds in which each round is evaluated
NOISE = 0.1  # of the actions that move the worlds


class Round(NamedTuple):
    """What a round achieved.

    Attributes
    ----------
    number, periods : int
        Of this round; of all records since the start.
    success, collisions : float
        Parts of the episodes of the network alone, one in each world.
    reward : float
        Mean of these episodes.
    loss : float
        Mean squared error of the actions.
    policy : Policy
    state : mapping of str to array
        With which `imitate` continues after this round.
    """

    number: int
    periods: int
    success: float
    collisions: float
    reward: float
    loss: float
    policy: Policy
    state: Mapping[str, Any]


def imitate(
    batch: BatchEnvironment, seed: int, state: Mapping[str, Any] | None = None
) -> Iterator[Round]:
    """Yield rounds without an end.

    Parameters
    ----------
    batch : BatchEnvironment
        Of a task with demonstrations.
    seed : int
        Of worlds, network and batches; equal seeds give equal networks.
    state : mapping, optional
        Of the round after which the training continues.

    Raises
    ------
    InputError
        For a task without demonstrations, or another control than they are for.

    Examples
    --------
    >>> from charmie_dynamics.learning import BatchEnvironment, imitate, make_task
    >>> batch = BatchEnvironment(make_task("Reach-v0"), 2)
    >>> found = next(imitate(batch, seed=0))  # of the first round
    >>> found.periods
    200
    """
    task, count = batch.task, batch.count
    if batch.control.name != task.controls[0]:
        raise InputError(
            f"control: expected one with demonstrations, '{task.controls[0]}', got "
            f"'{batch.control.name}'"
        )
    rng = np.random.default_rng(seed)
    learner = Regression([len(batch.low), *HIDDEN, batch.control.size], rng)
    x, y = (np.zeros((0, n), np.float32) for n in (len(batch.low), batch.control.size))
    mean, scale = np.zeros(len(batch.low), np.float32), np.ones(len(batch.low), np.float32)
    number, periods = 0, 0
    if state is not None:
        number, periods = int(state["round"]), int(state["periods"])
        x, y, mean, scale = (state[name] for name in ("x", "y", "mean", "scale"))
        rng.bit_generator.state = json.loads(str(state["rng"]))
        learner.restore(state)
    about = {"algorithm": "dagger", "seed": seed}

    def copied() -> Policy:
        weights, biases = (
            [each.copy() for each in part] for part in (learner.weights, learner.biases)
        )
        return Policy(task.name, batch.control.name, mean, scale, weights, biases, about)

    policy = copied()
    while True:
        # new episodes, so that a round depends on the state alone
        batch.seed(rng.integers(FIRST_SEED, LAST_SEED, count).tolist())
        outcome = batch.reset(range(count))
        share = SHARE_OF_EXPERT**number
        seen, wanted = [x], [y]
        for _ in range(PERIODS):
            label = np.clip(task.demonstrate(batch.situation), -1.0, 1.0).astype(np.float32)
            seen.append(outcome.observation.astype(np.float32))
            wanted.append(label)
            by_expert = rng.random(count) < share
            action = np.where(by_expert[:, None], label, policy(seen[-1]))
            outcome = batch.step(action + NOISE * rng.normal(size=action.shape))
            over = np.flatnonzero(outcome.terminated | outcome.truncated).tolist()
            if over:
                outcome = outcome.replaced(batch.reset(over), over)
        x, y = np.concatenate(seen), np.concatenate(wanted)
        if number == 0:
            mean, scale = normalisation(x.astype(np.float64))
        loss = _learn(learner, (x - mean) / scale, y, rng)
        number, periods = number + 1, periods + PERIODS * count
        policy = copied()
        kept = {
            "round": np.array(number), "periods": np.array(periods), "x": x, "y": y, "mean": mean,
            "scale": scale, "rng": np.array(json.dumps(rng.bit_generator.state)), **learner.state,
        }  # fmt: skip
        success, collisions, reward = _scores(batch, policy)
        yield Round(number, periods, success, collisions, reward, loss, policy, kept)


def _scores(batch: BatchEnvironment, policy: Policy) -> list[float]:
    """Return success, collisions and mean reward of a network alone, in the same worlds always."""
    found = evaluate(batch, lambda observation, _: policy(observation), batch.count, LAST_SEED)
    return [float(np.mean(each)) for each in (found.success, found.collided, found.reward)]


def _learn(learner: Regression, x: Any, y: Any, rng: np.random.Generator) -> float:
    """Return the mean loss of the last epoch."""
    losses: list[float] = []
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        losses = [
            learner.step(x[rows], y[rows]) for rows in np.split(order, range(BATCH, len(x), BATCH))
        ]
    return float(np.mean(losses))
