# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tasks as environments of Gymnasium."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import charmie_dynamics.learning
from charmie_dynamics import CharmieError, InputError, UnknownNameError
from charmie_dynamics.learning import (
    BatchEnvironment,
    LearningTask,
    batch_environment,
    make_task,
)
from charmie_dynamics.learning.gymnasium_environments import TaskEnvironment, TaskVectorEnvironment
from charmie_dynamics.learning.registry import NAMESPACE, TASKS

NAMES = tuple(TASKS)


@cache
def task_of(name: str) -> LearningTask:
    return make_task(name)


def vector_of(name: str, count: int, **options: Any) -> TaskVectorEnvironment:
    return TaskVectorEnvironment(task_of(name), count, **options)


def actions_of(env: TaskVectorEnvironment, periods: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shape = periods, 16, env.single_action_space.shape[0]
    return rng.uniform(-1.0, 1.0, shape).astype(np.float32)[:, : env.num_envs]


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_checker_has_no_objection(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(f"{NAMESPACE}/{name}")
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", NAMES)
def test_make_vec_uses_the_batch(name: str) -> None:
    env = gymnasium.make_vec(
        f"{NAMESPACE}/{name}", num_envs=2, vectorization_mode="vector_entry_point"
    )
    observation, _ = env.reset(seed=3)
    assert isinstance(env, TaskVectorEnvironment)
    assert env.observation_space.contains(observation)


@pytest.mark.parametrize("name", NAMES)
def test_spaces_are_finite(name: str) -> None:
    env = vector_of(name, 1)
    for space in env.single_observation_space.values():
        assert np.isfinite(space.low).all() and np.isfinite(space.high).all()
    assert (env.single_action_space.low == -1.0).all() and (env.single_action_space.high == 1).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [2, 7])
def test_an_episode_does_not_depend_on_the_number_of_worlds_and_threads(
    name: str, count: int
) -> None:
    few, many = vector_of(name, 1, workers=1), vector_of(name, count, workers=2)
    first, second = few.reset(seed=5), many.reset(seed=5)
    for action in actions_of(many, 12):
        for key in first[0]:
            np.testing.assert_array_equal(first[0][key], second[0][key][:1])
        first, second = few.step(action[:1]), many.step(action)
        np.testing.assert_array_equal(first[1], second[1][:1])


@pytest.mark.parametrize("name", NAMES)
def test_one_world_alone_is_the_first_of_many(name: str) -> None:
    alone, many = TaskEnvironment(task_of(name)), vector_of(name, 3)
    own, _ = alone.reset(seed=8)
    of_many, _ = many.reset(seed=8)
    for action in actions_of(many, 5):
        for key in own:
            np.testing.assert_array_equal(own[key], of_many[key][0])
        own, reward, *_ = alone.step(action[0])
        of_many, rewards, *_ = many.step(action)
        assert reward == rewards[0]


@pytest.mark.parametrize("name", NAMES)
def test_rewards_follow_from_goals_and_info(name: str) -> None:
    env = vector_of(name, 4)
    env.reset(seed=1)
    single = TaskEnvironment(task_of(name))
    for action in actions_of(env, 5):
        observation, reward, terminated, truncated, info = env.step(action)
        own = [{key: info[key][k] for key in info if not key.startswith("_")} for k in range(4)]
        goals = [observation[key].astype(float) for key in ("achieved_goal", "desired_goal")]
        np.testing.assert_array_equal(single.compute_reward(*goals, own), reward)
        ends = single.compute_terminated(*goals, own)
        np.testing.assert_array_equal(ends, terminated)
        own[0]["failure"] = "a reason"  # which the others have not
        np.testing.assert_array_equal(single.compute_reward(*goals, own), reward)
        assert not single.compute_truncated(*goals, own).any()
        assert not truncated.any()


def test_terms_of_the_reward_are_in_info() -> None:
    env = vector_of("Reach-v0", 2)
    env.reset(seed=0)
    *_, info = env.step(actions_of(env, 1)[0])
    assert {"distance", "success", "collided", "is_success", "collision"} <= set(info)


def until_end(env: TaskVectorEnvironment, most: int = 120) -> tuple[Any, ...]:
    """Move straight down until the first collision."""
    action = np.zeros((env.num_envs, env.single_action_space.shape[0]), np.float32)
    action[0, :3] = 0.0, 1.0, -0.5
    for _ in range(most):
        found = env.step(action)
        if found[2][0] or found[3][0]:
            return found
    raise AssertionError("the episode does not end")


def test_the_next_step_begins_an_episode_in_mode_next_step() -> None:
    env = vector_of("Reach-v0", 2)
    env.reset(seed=0)
    *_, ended, _, info = until_end(env)
    assert ended[0] and info["collision"][0] > 0.0 and "final_obs" not in info
    action = np.ones((2, 6), np.float32)
    observation, reward, ended, over, _ = env.step(action)
    assert reward[0] == 0.0 and not ended[0] and not over[0]
    fresh = vector_of("Reach-v0", 2)
    start, _ = fresh.reset(seed=0)
    assert not np.array_equal(observation["observation"][0], start["observation"][0])
    np.testing.assert_array_equal(observation["observation"][0][8:16], 0.0)  # velocities


def test_the_same_step_begins_an_episode_in_mode_same_step() -> None:
    env = vector_of("Reach-v0", 2, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=0)
    observation, _, ended, _, info = until_end(env)
    assert ended[0] and info["final_info"]["collision"][0] > 0.0
    last = info["final_obs"][0]["observation"]
    assert not np.array_equal(last, observation["observation"][0])
    np.testing.assert_array_equal(observation["observation"][0][8:16], 0.0)
    np.testing.assert_array_equal(info["_final_obs"], [True, False])


def test_worlds_wait_for_a_reset_in_mode_disabled() -> None:
    env = vector_of("Reach-v0", 2, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=0)
    before, *_ = until_end(env)
    with pytest.raises(InputError, match="worlds 0: expected a reset"):
        env.step(np.zeros((2, 6), np.float32))
    after, _ = env.reset(options={"reset_mask": np.array([True, False])})
    np.testing.assert_array_equal(after["observation"][1], before["observation"][1])
    assert not np.array_equal(after["observation"][0], before["observation"][0])
    env.step(np.zeros((2, 6), np.float32))


@pytest.mark.parametrize("control", ["tool_motion", "joint_velocities", "efforts"])
def test_each_control_moves_the_tool(control: str) -> None:
    env = vector_of("Reach-v0", 1, control=control)
    start, _ = env.reset(seed=0)
    action = np.zeros((1, env.single_action_space.shape[0]), np.float32)
    action[0, 1] = 0.5
    observation, *_ = env.step(action)
    moved = observation["achieved_goal"] - start["achieved_goal"]
    assert np.linalg.norm(moved) > 1e-3


def test_a_tool_motion_is_in_world_axes() -> None:
    env = vector_of("Reach-v0", 1)
    start, _ = env.reset(seed=0)
    action = np.zeros((1, 6), np.float32)
    action[0, 1] = 0.2
    for _ in range(6):
        observation, *_ = env.step(action)
    moved = (observation["achieved_goal"] - start["achieved_goal"])[0]
    assert moved[1] == pytest.approx(0.2 * 0.5 * (0.3 - 0.025), rel=0.15)
    assert np.abs(moved[[0, 2]]).max() < 5e-3


def test_episodes_end_after_their_duration() -> None:
    env = vector_of("Reach-v0", 1)
    env.reset(seed=0)
    still = np.zeros((1, 6), np.float32)
    ends = [bool(env.step(still)[3][0]) for _ in range(100)]
    assert ends == [False] * 99 + [True]


def test_pictures_show_the_worlds() -> None:
    pytest.importorskip("matplotlib")
    env = vector_of("Reach-v0", 2, render_mode="rgb_array")
    env.reset(seed=0)
    first, second = env.render()
    assert first.shape == second.shape == (480, 640, 3)
    assert (first != second).any()


def test_a_world_that_loses_its_accuracy_is_truncated_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch_environment, "ENERGY_TOLERANCE", 1e-9)
    env = vector_of("Reach-v0", 1)
    env.reset(seed=0)
    for action in actions_of(env, 20):
        _, _, ended, truncated, info = env.step(action)
        if ended[0] or truncated[0]:
            break
    assert truncated[0] and not ended[0]
    assert "simulation at" in info["failure"][0]


def test_wrong_input_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="task 'Fly-v0' is unknown"):
        make_task("Fly-v0")
    with pytest.raises(InputError, match="expected at least 1, got 0"):
        BatchEnvironment(task_of("Reach-v0"), 0)
    with pytest.raises(UnknownNameError, match="control 'thoughts'"):
        vector_of("Reach-v0", 1, control="thoughts")
    with pytest.raises(InputError, match="render_mode"):
        vector_of("Reach-v0", 1, render_mode="holograms")
    env = vector_of("Reach-v0", 2)
    env.reset(seed=0)
    for action in (np.zeros((2, 5)), np.zeros((1, 6)), np.full((2, 6), np.nan)):
        with pytest.raises(CharmieError, match="action"):
            env.step(action)
    with pytest.raises(InputError, match="seed: expected"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(InputError, match="reset_mask"):
        env.reset(options={"reset_mask": np.array([False, False])})


@pytest.mark.parametrize("name", NAMES)
def test_a_step_before_the_first_reset_is_refused(name: str) -> None:
    env, alone = vector_of(name, 2), TaskEnvironment(task_of(name))
    action = actions_of(env, 1)[0]
    with pytest.raises(InputError, match="worlds 0, 1: expected a reset before the first step"):
        env.step(action)
    with pytest.raises(InputError, match="worlds 0: expected a reset before the first step"):
        alone.step(action[0])
    env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(InputError, match="worlds 1: expected a reset before the first step"):
        env.step(action)
    env.reset(seed=0)
    env.step(action)


def test_integers_of_numpy_are_seeds() -> None:
    env = vector_of("Reach-v0", 2)
    expected, _ = env.reset(seed=3)
    seeds: Any
    for seeds in (np.int64(3), np.array([3, 4])):
        found, _ = env.reset(seed=seeds)
        np.testing.assert_array_equal(found["desired_goal"], expected["desired_goal"])


@pytest.mark.parametrize("seed", [-1, 1.5, [-1, 2], [1.5, 2], ["a", 2]])
def test_seeds_that_are_no_integers_from_zero_are_refused(seed: Any) -> None:
    with pytest.raises(InputError, match="seed: expected 1 or 2 integers from 0, got"):
        vector_of("Reach-v0", 2).reset(seed=seed)
    with pytest.raises(InputError, match="seed: expected"):
        TaskEnvironment(task_of("Reach-v0")).reset(seed=seed)


def test_unknown_options_are_refused() -> None:
    for env in (vector_of("Reach-v0", 1), TaskEnvironment(task_of("Reach-v0"))):
        with pytest.raises(InputError, match="expected 'reset_mask' alone, got rest_mask"):
            env.reset(options={"rest_mask": np.array([True])})
    with pytest.raises(InputError, match=r"expected one of \['NextStep', .*\], got 'never'"):
        vector_of("Reach-v0", 1, autoreset_mode="never")
    with pytest.raises(TypeError, match="num_envs"):
        TaskEnvironment(task_of("Reach-v0"), num_envs=2)


def test_worlds_without_a_render_mode_have_no_pictures() -> None:
    assert vector_of("Reach-v0", 2).call("render") == (None, None)
    assert TaskEnvironment(task_of("Reach-v0")).render() is None


@pytest.mark.parametrize("name", NAMES)
def test_no_goals_have_no_rewards(name: str) -> None:
    env = TaskEnvironment(task_of(name))
    nothing = np.zeros((0, *env.observation_space["achieved_goal"].shape))
    for judge in (env.compute_reward, env.compute_terminated, env.compute_truncated):
        assert judge(nothing, nothing, []).shape == (0,)


def test_registration_names_every_task() -> None:
    registered = {key for key in gymnasium.registry if key.startswith(f"{NAMESPACE}/")}
    assert registered == {f"{NAMESPACE}/{name}" for name in NAMES}
    assert charmie_dynamics.learning.__all__
