# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Train a policy by random search (Mania et al., NeurIPS 2018, algorithm 1) on two processes.

Needs dask: pip install ".[studies]". Run: python examples/train_a_policy.py
"""

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.studies import RolloutJob, roll_out
from charmie_dynamics.tasks.dask_engine import DaskEngine

GOAL = np.array([0.6, -0.4, 0.05, 0.3, 0.0])  # of the SCARA's joints
START = np.log([1.0, 1.0, 20.0, 0.05, 0.05, 0.1, 0.1, 2.0, 0.005, 0.005])


def reach(parameters, time, position, velocity):
    """Return efforts; the parameters are logarithms of stiffness and damping of each joint."""
    stiffness, damping = np.split(np.exp(parameters), 2, axis=1)
    return stiffness * (GOAL - position) - damping * velocity


def reward(position, velocity, effort):
    """Return the reward: small distance from the goal, small efforts."""
    return -((position - GOAL) ** 2).sum(axis=1) - 1e-5 * (effort**2).sum(axis=1)


if __name__ == "__main__":
    job = RolloutJob(load_model("scara"), reach, 0.5, rate=500.0, reward=reward, keep_motion=False)
    rng, gains = np.random.default_rng(0), START
    with DaskEngine(job, workers=2) as engine:
        for k in range(12):
            steps = rng.normal(size=(8, len(gains)))
            tried = np.concatenate((gains + 0.5 * steps, gains - 0.5 * steps, [gains]))
            total = roll_out(engine, tried, stage=f"round-{k}").total_reward
            print(f"round {k:2}: reward {total[-1]:.4f}")
            gains = gains + (total[:8] - total[8:16]) @ steps / total[:16].std() / 8
