# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The scripted grasp."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.learning import run_grasps
from charmie_dynamics.simulation import load_world

WORLDS = 8


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
