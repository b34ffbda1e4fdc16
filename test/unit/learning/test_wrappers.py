# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What libraries of reinforcement learning expect of an environment, with Gymnasium alone."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import FlattenObservation, RecordEpisodeStatistics

import charmie_dynamics.learning
from charmie_dynamics import InputError

REACH = "charmie_dynamics/Reach-v0"
DOWN = np.array([[0.0, 1.0, -0.5, 0.0, 0.0, 0.0]] * 2, np.float32)  # into the table
assert charmie_dynamics.learning  # which registers the tasks


def cleanrl_env() -> gymnasium.Env:
    """Return the environment of ppo_continuous_action."""
    env: gymnasium.Env = wrappers.FlattenObservation(gymnasium.make(REACH))
    env = wrappers.ClipAction(wrappers.RecordEpisodeStatistics(env))
    env = wrappers.NormalizeObservation(env)
    env = wrappers.TransformObservation(env, lambda x: np.clip(x, -10, 10), env.observation_space)
    env = wrappers.NormalizeReward(env, gamma=0.99)
    return wrappers.TransformReward(env, lambda reward: np.clip(reward, -10, 10))


def test_the_wrappers_of_cleanrl_apply() -> None:
    envs = SyncVectorEnv([cleanrl_env] * 2)
    first, _ = envs.reset(seed=1)
    assert isinstance(envs.single_action_space, gymnasium.spaces.Box)
    assert first.shape == (2, 42 + 3 + 3)
    for _ in range(101):
        observation, reward, terminated, truncated, infos = envs.step(DOWN)
        assert np.isfinite(observation).all() and np.abs(observation).max() <= 10.0
        if "episode" in infos:
            break
    assert (terminated | truncated).any() and np.isfinite(reward).all()
    assert infos["episode"]["l"].max() > 1


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
def test_lerobot_finds_what_it_calls(mode: str) -> None:
    options = {"autoreset_mode": AutoresetMode.SAME_STEP}
    envs = (
        gymnasium.make_vec(REACH, 2, vectorization_mode=mode, **options)
        if mode == "vector_entry_point"
        else SyncVectorEnv([lambda: gymnasium.make(REACH)] * 2, **options)
    )
    envs.reset(seed=[5, 6])
    assert envs.call("_max_episode_steps") == (100, 100)
    assert envs.call("task_description") == ("Move the tool to a point in front of the can.",) * 2
    assert envs.unwrapped.metadata["render_fps"] == 20
    for _ in range(100):
        *_, terminated, truncated, info = envs.step(DOWN)
        if (terminated | truncated).any():
            break
    success = info["final_info"]["is_success"]
    assert success.dtype == bool and success.shape == (2,)


def test_skrl_can_flatten_and_record_worlds() -> None:
    envs = gymnasium.make_vec(REACH, 2, vectorization_mode="vector_entry_point")
    envs = RecordEpisodeStatistics(FlattenObservation(envs))
    observation, _ = envs.reset(seed=1)
    assert observation.shape == (2, 48)
    for _ in range(101):
        *_, infos = envs.step(DOWN)
        if "episode" in infos:
            break
    assert infos["episode"]["l"].max() > 1


def test_films_have_a_picture_of_each_period() -> None:
    pytest.importorskip("matplotlib")
    env = gymnasium.make(REACH, render_mode="rgb_array")
    assert env.metadata["render_fps"] == 20 and "rgb_array" in env.metadata["render_modes"]
    film = wrappers.RenderCollection(env)
    film.reset(seed=1)
    for _ in range(2):
        film.step(DOWN[0])
    pictures = film.render()
    assert [picture.shape for picture in pictures] == [(480, 640, 3)] * 3
    assert all(picture.dtype == np.uint8 for picture in pictures)
    assert (pictures[0] != pictures[2]).any()
    envs = gymnasium.make_vec(
        REACH, 2, vectorization_mode="vector_entry_point", render_mode="rgb_array"
    )
    envs.reset(seed=1)
    np.testing.assert_array_equal(envs.render()[0], pictures[0])
    np.testing.assert_array_equal(envs.call("render")[1], envs.render()[1])


def test_rewards_without_info_name_the_remedy() -> None:
    env = gymnasium.make(REACH).unwrapped
    with pytest.raises(InputError, match=r"expected 'collision'.*copy_info_dict=True"):
        env.compute_reward(np.zeros((2, 3)), np.zeros((2, 3)), [{}, {}])
