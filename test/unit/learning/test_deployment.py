# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A policy on a robot: the environment's observations, stops, limits, refusals."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from charmie_dynamics.errors import InputError, UnknownNameError, UnsupportedError
from charmie_dynamics.learning import BatchEnvironment, Policy, load_policy, make_task
from charmie_dynamics.learning.deployment import Deployment, DriveCommand
from charmie_dynamics.simulation import load_world, world_of

PERIOD = 50_000_000  # ns
NAMES = ("Reach-v0", "PickCan-v0")
GRIPPER = "left_gripper_joint"


@cache
def deployment_of(name: str) -> Deployment:
    return Deployment(load_policy(name), load_world("kitchen"))


@pytest.fixture(params=NAMES)
def deployment(request: pytest.FixtureRequest) -> Deployment:
    deployment_of(request.param).begin()
    return deployment_of(request.param)


def measured(deployment: Deployment, batch: BatchEnvironment) -> tuple[Any, Any, dict[str, Any]]:
    """Return what a robot in the first world measures: position, velocity and poses."""
    now, columns = batch.situation, deployment._columns
    poses = {name: pose[0] for name, pose in now.poses.items()}
    free = [name for name in deployment.free if name not in poses]
    for name in free:
        p, R = now.state.frame(name)
        yaw = np.arctan2(R[0, 1, 0], R[0, 0, 0])
        pitch = np.arcsin(-R[0, 2, 0])
        roll = np.arctan2(R[0, 2, 1], R[0, 2, 2])
        poses[name] = np.array([*p[0], roll, pitch, yaw])
    return now.position[0, columns.position], now.velocity[0, columns.velocity], poses


def test_observations_and_targets_are_those_of_the_environment(deployment: Deployment) -> None:
    policy, task = load_policy(deployment.task.name), make_task(deployment.task.name)
    batch = BatchEnvironment(task, 1, workers=1)
    batch.seed([3])
    outcome = batch.reset([0])
    for k in range(20):
        position, velocity, poses = measured(deployment, batch)
        situation = deployment.situation(k / task.rate, position, velocity, poses)
        observation = task.observation(situation, task.observation_limits)
        np.testing.assert_allclose(observation, outcome.observation, atol=1e-9)
        is_over = deployment.update(k * PERIOD, position, velocity, poses)
        if outcome.info["is_success"][0]:
            assert is_over is True
            break
        assert is_over is None
        outcome = batch.step(policy(outcome.observation))
        command = deployment.command((k + 1) * PERIOD)
        assert command is not None
        columns = deployment._columns.effort
        driven = np.isfinite(command.position)
        np.testing.assert_allclose(
            command.position[driven], batch._target[0, columns][driven], atol=1e-5
        )
        np.testing.assert_allclose(
            command.velocity[driven], batch._rate[0, columns][driven], atol=1e-4
        )


def run(deployment: Deployment, periods: int = 8) -> DriveCommand:
    """Return the command after some periods from the rest pose."""
    rest = deployment.robot.rest_position()
    for k in range(periods):
        deployment.update(k * PERIOD, rest, np.zeros_like(rest), {})
    command = deployment.command(periods * PERIOD)
    assert command is not None
    return command


def test_a_stop_ends_the_motion_within_a_period_and_holds_the_pose(deployment: Deployment) -> None:
    moving = run(deployment)
    assert np.nanmax(np.abs(moving.velocity)) > 0.02
    deployment.stop(8 * PERIOD)
    slower, held, later = (deployment.command(t * PERIOD // 2) for t in (17, 18, 100))
    assert slower is not None and held is not None and later is not None
    np.testing.assert_allclose(slower.velocity, 0.5 * moving.velocity, atol=1e-9)
    assert not deployment.is_at_rest(17 * PERIOD // 2) and deployment.is_at_rest(9 * PERIOD)
    assert np.nanmax(np.abs(held.velocity)) < 1e-12
    np.testing.assert_array_equal(later.position, held.position)
    way = np.nan_to_num(held.position - moving.position)
    np.testing.assert_allclose(way, np.nan_to_num(0.025 * moving.velocity), atol=1e-9)


def test_targets_wait_at_the_end_of_a_period_without_a_sample(deployment: Deployment) -> None:
    run(deployment)
    at_end, later = deployment.command(8 * PERIOD), deployment.command(80 * PERIOD)
    assert at_end is not None and later is not None
    np.testing.assert_array_equal(at_end.position, later.position)


def test_commands_stay_within_the_limits() -> None:
    policy = load_policy("PickCan-v0")
    biases = [*policy.biases[:-1], np.full_like(policy.biases[-1], 50.0)]
    deployment = Deployment(replace(policy, biases=biases), load_world("kitchen"))
    limits = deployment.robot.actuator_limits()
    lower, upper, speed, rated = np.array(
        [(x.lower, x.upper, x.velocity or np.inf, x.effort or np.inf) for x in limits]
    ).T
    rest = deployment.robot.rest_position()
    reached = np.zeros(len(rest), dtype=bool)
    for k in range(400):
        assert deployment.update(k * PERIOD, rest, 0.0 * rest, {}) in (None, False)
        command = deployment.command(k * PERIOD + PERIOD // 3)
        assert command is not None
        driven = np.isfinite(command.position)
        assert (command.position >= lower)[driven].all()
        assert (command.position <= upper)[driven].all()
        assert (np.abs(np.nan_to_num(command.velocity)) <= speed).all()
        assert (np.abs(command.effort) <= rated).all()
        reached |= np.abs(command.velocity) > 0.9 * speed
    assert reached.any()  # the actions are large enough to meet a limit


def test_the_gripper_has_an_effort_and_a_damping_alone() -> None:
    command = run(deployment_of("PickCan-v0"))
    column = deployment_of("PickCan-v0").robot.actuator_names.index(GRIPPER)
    assert np.isnan(command.position).nonzero()[0].tolist() == [column]
    assert command.velocity[column] == 0.0 and command.effort[column] != 0.0


def test_success_and_the_end_of_the_time_are_reported() -> None:
    deployment = deployment_of("Reach-v0")
    deployment.begin()
    rest = deployment.robot.rest_position()
    outcomes = [deployment.update(k * PERIOD, rest, 0.0 * rest, {}) for k in range(101)]
    assert outcomes[:100] == [None] * 100 and outcomes[100] is False
    deployment.begin()
    situation = deployment.situation(0.0, rest, 0.0 * rest, {})
    p = deployment.task.achieved_goal(situation)[0]
    # 0.1 m before a can straight ahead of (-0.6, 0)
    direction = (p[:2] - (-0.6, 0.0)) / np.linalg.norm(p[:2] - (-0.6, 0.0))
    can = {"can": np.array([*(p[:2] + 0.1 * direction), p[2], 0.0, 0.0, 0.0])}
    assert deployment.update(0, rest, 0.0 * rest, can) is None
    assert deployment.update(PERIOD, rest, 0.0 * rest, can) is True


def test_time_that_jumps_back_begins_from_scratch(deployment: Deployment) -> None:
    run(deployment)
    rest = deployment.robot.rest_position()
    deployment.update(5, rest, np.zeros_like(rest), {})
    command = deployment.command(5)
    assert command is not None and not np.nan_to_num(command.velocity).any()


def wrong_size(policy: Policy) -> Policy:
    """Return a policy of a robot with fewer joints."""
    weights = [policy.weights[0][:, :-1], *policy.weights[1:]]
    return replace(policy, mean=policy.mean[:-1], scale=policy.scale[:-1], weights=weights)


@pytest.mark.parametrize(
    ("change", "fault", "text"),
    [
        (wrong_size, InputError, "observations and 6 actions, got"),
        (lambda policy: replace(policy, control="feet"), UnknownNameError, "control 'feet'"),
        (lambda policy: replace(policy, task="Dance-v0"), UnknownNameError, "task 'Dance-v0'"),
        (lambda policy: replace(policy, task="PickCan-v0"), InputError, "'PickCan-v0'"),
        (
            lambda policy: replace(policy, task="TrackTrajectory-v0", control="efforts"),
            UnsupportedError,
            "depends on robot and world alone",
        ),
    ],
)
def test_policies_that_do_not_fit_are_refused(change: Any, fault: type, text: str) -> None:
    with pytest.raises(fault, match=text):
        Deployment(change(load_policy("Reach-v0")), load_world("kitchen"))


@pytest.mark.parametrize(
    ("world", "text"),
    [
        ("entities: {charmie: {urdf: charmie, mechanisms: charmie}}", "entity 'can' is unknown"),
        ("entities: {charmie: {urdf: scara}}", "expected the robot of the task"),
    ],
)
def test_worlds_that_do_not_fit_are_refused(world: str, text: str) -> None:
    with pytest.raises(UnknownNameError, match=text):
        Deployment(load_policy("PickCan-v0"), world_of(world))
