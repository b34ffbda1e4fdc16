# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Domain randomisation."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.vector import AutoresetMode

import charmie_dynamics.learning
from charmie_dynamics import CharmieError, InputError, UnknownNameError
from charmie_dynamics.learning import (
    BatchEnvironment,
    LearningTask,
    Randomisation,
    evaluate,
    load_policy,
    make_task,
)
from charmie_dynamics.learning.commands import evaluate_options, train_options
from charmie_dynamics.learning.gymnasium_environments import TaskEnvironment, TaskVectorEnvironment
from charmie_dynamics.learning.randomisation import Disturbances
from charmie_dynamics.learning.registry import NAMESPACE, TASKS

ALL = Randomisation(0.1, 0.1, 0.02, 0.2, 0.03, 0.002, 0.02, 0.005)


@cache
def task_of(name: str) -> LearningTask:
    return make_task(name)


def batch_of(name: str, count: int, **options: Any) -> BatchEnvironment:
    return BatchEnvironment(task_of(name), count, **options)


def started(name: str, count: int, **options: Any) -> BatchEnvironment:
    batch = batch_of(name, count, **options)
    batch.seed(range(count))
    batch.reset(range(count))
    return batch


def observations(batch: BatchEnvironment, periods: int) -> np.ndarray:
    """Return the observations of periods with random actions, equal for all numbers of worlds."""
    batch.seed(range(batch.count))
    found = [batch.reset(range(batch.count)).observation]
    rng = np.random.default_rng(7)
    for _ in range(periods):
        action = rng.uniform(-1.0, 1.0, (16, batch.control.size))[: batch.count]
        found.append(batch.step(action).observation)
    return np.array(found)


@pytest.mark.parametrize("name", TASKS)
def test_without_any_randomisation_nothing_changes(name: str) -> None:
    without = observations(batch_of(name, 2), 5)
    for given in (None, {}, Randomisation(), {"masses": 0.0, "delay": 0.0, "pose_noise": 0}):
        batch = batch_of(name, 2, randomisation=given)
        np.testing.assert_array_equal(observations(batch, 5), without)


@pytest.mark.parametrize("name", TASKS)
def test_random_episodes_do_not_depend_on_the_number_of_worlds_and_threads(name: str) -> None:
    few = observations(batch_of(name, 1, workers=1, randomisation=ALL), 8)
    many = observations(batch_of(name, 5, workers=2, randomisation=ALL), 8)
    np.testing.assert_array_equal(few[:, 0], many[:, 0])
    assert (few != observations(batch_of(name, 1), 8)).any()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_next_episode_is_the_same_alone_and_in_each_autoreset_mode(mode: AutoresetMode) -> None:
    task, still = task_of("Reach-v0"), np.zeros((2, 6), np.float32)
    alone = TaskEnvironment(task, randomisation=ALL)
    many = TaskVectorEnvironment(task, 2, autoreset_mode=mode, randomisation=ALL)
    alone.reset(seed=3)
    many.reset(seed=3)
    down = np.array([0.0, 1.0, -0.5, 0.0, 0.0, 0.0], np.float32)
    ends = False
    while not ends:
        _, _, ends, *_ = alone.step(down)
        after, *_ = many.step(np.stack([down, still[1]]))
    own, _ = alone.reset()
    if mode == AutoresetMode.NEXT_STEP:
        after, *_ = many.step(still)
    elif mode == AutoresetMode.DISABLED:
        after, _ = many.reset(options={"reset_mask": np.array([True, False])})
    np.testing.assert_array_equal(own["observation"], after["observation"][0])


def test_masses_differ_in_the_plant_alone() -> None:
    batch = started("Reach-v0", 4, randomisation={"masses": 0.2})
    nominal = batch.task.world.model
    mass = {name: link.inertial.mass for name, link in nominal.tree.links.items() if link.inertial}
    factors = np.array(
        [
            [model.tree.links[name].inertial.mass / own for name, own in mass.items() if own]
            for model in batch.situation.models
        ]
    )
    assert factors.min() < 0.85 and factors.max() > 1.15  # of many links
    assert (factors >= 0.8).all() and (factors <= 1.2).all()
    assert (factors[0] != factors[1]).any()
    assert batch.task.world.model is nominal and batch.control.limits.shape == (2, 21)


def test_the_arm_sinks_where_the_masses_differ() -> None:
    """Without feedback, efforts of the files' masses hold only the robot of the files."""
    drift = []
    for masses in (0.0, 0.2):
        batch = started("Reach-v0", 8, control="efforts", randomisation={"masses": masses})
        start = batch.situation.position
        rest = np.stack([batch.control.rest(row) for row in start])
        batch.step(rest)
        drift.append(np.abs(batch.situation.position - start).max())
    assert drift[0] < 1e-4 and drift[1] > 10.0 * drift[0]


def test_springs_differ_in_stiffness_and_pretension() -> None:
    batch = started("Reach-v0", 16, randomisation={"springs": 0.3})
    own = batch.task.world.model.mechanisms
    for section in ("springs", "balance_mechanisms"):
        for name in ("stiffness", "pretension"):
            found = np.array(
                [
                    getattr(getattr(model.mechanisms, section)[0], name)
                    / getattr(getattr(own, section)[0], name)
                    for model in batch.situation.models
                ]
            )
            assert (abs(found - 1.0) <= 0.3).all() and np.ptp(found) > 0.2
    held = [m.compute(batch.task.world.position).actuator_effort for m in batch.situation.models]
    assert np.ptp(held, axis=0)[4] > 10.0  # N, of the torso, which the spring balances


def test_joint_friction_brakes() -> None:
    """Equal efforts move actuators with friction less."""
    speed = []
    for friction in (0.0, 0.2):
        batch = started("TrackTrajectory-v0", 8, randomisation={"joint_friction": friction})
        push = np.zeros((8, 8))
        push[:, 0] = 0.5
        for _ in range(4):
            batch.step(push + np.stack([batch.control.rest(x) for x in batch.situation.position]))
        speed.append(batch.situation.velocity[:, batch.task.freedoms[0]])
    assert (speed[0] > 0.0).all() and (speed[1] < speed[0]).all()
    model = batch.situation.models[0]
    for name, limit in zip(model.actuator_names, model.actuator_limits(), strict=True):
        assert 0.0 < model.mechanisms.friction[name].coulomb <= 0.2 * limit.effort


def test_contact_friction_differs_by_world() -> None:
    batch = started("PickCan-v0", 8, randomisation={"contact_friction": 0.5})
    plain = started("PickCan-v0", 8)
    pushed = np.zeros((8, 6))
    pushed[:, 0] = 0.5  # m/s, of the can, sliding on its table
    travelled = []
    for each in (batch, plain):
        position, velocity = each.situation.position, each.situation.velocity
        velocity[:, :6] = pushed
        poses = {name: rows for name, rows in each.situation.poses.items() if "table" in name}
        each._batch.reset(position, velocity, poses=poses)
        for _ in range(3):
            after = each.step(np.zeros((8, 7)))
        assert np.isfinite(after.observation).all()
        travelled.append(each.situation.velocity[:, 0])
    assert np.ptp(travelled[0]) > 5.0 * np.ptp(travelled[1])


def test_the_delay_shifts_the_response() -> None:
    """The area between the responses of a velocity of 0.1 m/s is the distance of the delay."""
    moved = []
    for delay in (0.0, 0.1):
        batch = started("Reach-v0", 16, randomisation={"delay": delay})
        action = np.zeros((16, 6))
        start = batch.task.achieved_goal(batch.situation)
        action[:, 1] = 0.2  # 0.1 m/s
        for _ in range(6):
            batch.step(action)
        moved.append(batch.task.achieved_goal(batch.situation)[:, 1] - start[:, 1])
    late = (moved[0] - moved[1]) / 0.1  # s
    np.testing.assert_allclose(late, batch._random._delay, rtol=0.1, atol=5e-3)
    assert late.min() < 0.02 and late.max() > 0.08


def test_a_delay_mixes_neighbouring_actions_of_long_ago() -> None:
    batch = started("TrackTrajectory-v0", 1, randomisation={"delay": 0.05})  # 5 periods
    own = batch._random
    own._delay[:] = 0.023
    ramp = [own.delayed(np.full((1, 8), 0.01 * k))[0, 0] for k in range(12)]
    np.testing.assert_allclose(ramp[4:], 0.01 * (np.arange(4, 12) - 2.3), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "columns"), [("position_noise", slice(1, 6)), ("velocity_noise", slice(8, 16))]
)
def test_noise_of_joints_has_the_standard_deviation(name: str, columns: slice) -> None:
    errors = difference({name: 0.01}, 300)[:, :, columns]
    assert errors.std() == pytest.approx(0.01, rel=0.05)
    assert abs(errors.mean()) < 5e-4
    assert abs((errors[1:] * errors[:-1]).mean()) < 0.05 * errors.var()  # no memory


def test_noise_of_poses_has_the_standard_deviation() -> None:
    errors = difference({"pose_noise": 0.01}, 300)
    for columns in (slice(25, 28), slice(34, 42)):  # can, tables
        assert errors[:, :, columns].std() == pytest.approx(0.01, rel=0.05)
    np.testing.assert_array_equal(errors[:, :, :25], 0.0)  # joints and tool


def difference(randomisation: dict[str, float], periods: int) -> np.ndarray:
    """Return the observations of robots at rest less the true ones, (periods, worlds, k)."""
    batch = started("Reach-v0", 4, randomisation=randomisation)
    task, found = batch.task, []
    for _ in range(periods):
        batch._random.next_noise(range(4))
        outcome = batch._outcome([""] * 4)
        true = [np.reshape(part, (4, -1)) for part in task.observe(batch.situation)]
        found.append(outcome.observation - np.concatenate(true, axis=1))
    return np.array(found)


def test_measurements_are_noisy_in_a_world_without_fixed_entities() -> None:
    batch = started("Reach-v0", 4)
    task: Any = SimpleNamespace(world=batch.task.world, fixed={})
    own = Disturbances(Randomisation(velocity_noise=0.01), task, batch.control, 4)
    own.next_noise(range(4))
    true = batch.situation._replace(poses={})
    measured = own.measured(true)
    assert measured.poses == {}
    assert (measured.velocity != true.velocity).any()


def test_noise_turns_free_entities_by_unit_quaternions() -> None:
    batch = started("PickCan-v0", 64, randomisation={"pose_noise": 0.01})
    measured = batch._measured
    np.testing.assert_allclose(np.linalg.norm(measured.position[:, 3:7], axis=1), 1.0)
    axis = batch.task.can(measured)[1]  # unit vector, upright in truth
    assert axis[:, :2].std() == pytest.approx(0.01, rel=0.2)


@pytest.mark.parametrize("name", TASKS)
def test_goals_and_rewards_are_exact(name: str) -> None:
    batch = started(name, 3, randomisation=ALL)
    outcome = batch.step(np.zeros((3, batch.control.size)))
    true = batch.task.achieved_goal(batch.situation).astype(np.float32)
    np.testing.assert_array_equal(outcome.achieved, true)
    judged = batch.task.judge(outcome.achieved, outcome.desired, outcome.info)
    np.testing.assert_array_equal(outcome.reward, sum(judged.terms.values()))


def test_the_network_of_reach_succeeds_in_random_worlds() -> None:
    policy = load_policy("Reach-v0")
    batch = batch_of("Reach-v0", 32, randomisation=ALL)
    found = evaluate(batch, lambda observation, _: policy(observation), 64)
    assert found.success.mean() >= 0.9
    assert not any(found.reasons)


def test_gymnasium_passes_the_randomisation() -> None:
    name, given = f"{NAMESPACE}/Reach-v0", {"pose_noise": 0.01}
    env = gymnasium.make(name, randomisation=given)
    envs = gymnasium.make_vec(name, 2, vectorization_mode="vector_entry_point", randomisation=given)
    own, many = env.reset(seed=1)[0], envs.reset(seed=1)[0]
    np.testing.assert_array_equal(own["observation"], many["observation"][0])
    exact, _ = gymnasium.make(name).reset(seed=1)
    assert (own["observation"] != exact["observation"]).any()


def test_wrong_values_are_refused() -> None:
    for given in ({"masses": -0.1}, {"masses": 1.0}, {"delay": np.nan}, "delay=soon", "delay"):
        with pytest.raises(InputError, match=r"randomisation: (masses|delay): expected a number"):
            batch_of("Reach-v0", 1, randomisation=given)
    with pytest.raises(UnknownNameError, match="'mass' is unknown; did you mean 'masses'"):
        gymnasium.make(f"{NAMESPACE}/Reach-v0", randomisation={"mass": 0.1})
    with pytest.raises(CharmieError, match="pose_noise: expected a number from 0"):
        Randomisation(pose_noise=-1e-9)
    assert charmie_dynamics.learning.Randomisation is Randomisation


def test_charmie_evaluate_randomises(capfd: pytest.CaptureFixture[str]) -> None:
    command = ["Reach-v0", "Reach-v0", "--episodes", "4", "--worlds", "4", "--randomise"]
    assert evaluate_options.main([*command, "masses=0.1,delay=0.02"]) == 0
    assert "success" in capfd.readouterr().out
    assert evaluate_options.main([*command, "masses=-1"]) != 0
    assert "randomisation: masses" in capfd.readouterr().err


def test_charmie_train_continues_with_the_same_randomisation_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["Reach-v0", "--worlds", "2", "--out", str(tmp_path), "--rounds"]
    assert train_options.main([*command, "1", "--randomise", "delay=0.02"]) == 0
    assert train_options.main([*command, "2"]) != 0
    assert "'randomise': 'delay=0.02'" in capfd.readouterr().err
