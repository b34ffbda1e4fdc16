# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rollouts of policies: each as a plant alone moves, on whatever process it is computed."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import load_model
from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.simulation import Plant, load_world
from charmie_dynamics.studies import RolloutJob, roll_out
from charmie_dynamics.studies.rollouts.rollout_job import CHUNK, Rollouts
from charmie_dynamics.tasks.dask_engine import DaskEngine
from charmie_dynamics.tasks.engine import SerialEngine

# of libraries of dask, of what they leave open when workers die
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
    "ignore::DeprecationWarning",
)
GAINS = np.random.default_rng(26).uniform(0.0, 0.01, (3 * CHUNK + 5, 2))
START = [0.3, -0.2, 0.1, 0.0, 0.05]


def spring(parameters, time, position, velocity):
    return -parameters[:, :1] * position - parameters[:, 1:] * velocity


def distance(position, velocity, effort):
    return -np.abs(position).sum(axis=1)


def of_scara(**options: object) -> RolloutJob:
    return RolloutJob(load_model("scara"), spring, 0.1, reward=distance, **options)


def rolled(job: RolloutJob, parameters: object = GAINS, **options: object) -> Rollouts:
    with SerialEngine(job) as engine:
        return roll_out(engine, parameters, **options)


def assert_equal(one: Rollouts, other: Rollouts) -> None:
    for name, a, b in zip(Rollouts._fields, one, other, strict=True):
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), name


def test_a_rollout_is_what_a_plant_does() -> None:
    found = rolled(of_scara(), position=START)
    plant = Plant(load_model("scara"), START)
    total = 0.0
    for k in range(10):
        state = plant.position[None], plant.velocity[None]
        np.testing.assert_array_equal(found.position[7, k], plant.position)
        plant.advance(spring(GAINS[7:8], None, *state)[0], 10)
        total += 0.01 * distance(plant.position[None], None, None)[0]
    np.testing.assert_array_equal(found.velocity[7, 10], plant.velocity)
    assert found.total_reward[7] == pytest.approx(total, rel=1e-12)
    np.testing.assert_allclose(found.time, np.linspace(0.0, 0.1, 11), atol=1e-15)
    assert (found.duration == pytest.approx(0.1)) and not any(found.reasons)


def test_a_policy_of_a_script_reaches_the_workers() -> None:
    job = RolloutJob(load_model("scara"), lambda k, t, p, v: -k * p, 0.02)
    alone = rolled(job, [[1.0], [2.0]], position=START)
    with DaskEngine(job, workers=1) as engine:
        assert_equal(alone, roll_out(engine, [[1.0], [2.0]], position=START))


def test_a_world_is_rolled_out_from_its_start() -> None:
    world = load_world("athena")
    job = RolloutJob(world, lambda k, t, p, v: np.zeros((len(p), 18)), 0.02)
    found = rolled(job, [[0.0]] * 2)
    np.testing.assert_array_equal(found.position[:, 0], [world.position] * 2)
    plant = world.plant(step=0.01 / 11)  # the contacts need a step below 1 ms
    plant.advance(np.zeros(18), 22)
    np.testing.assert_array_equal(found.velocity[:, -1], [plant.velocity] * 2)


def test_motions_that_are_not_kept_change_nothing_else() -> None:
    kept, not_kept = (rolled(of_scara(keep_motion=keep), position=START) for keep in (True, False))
    assert not_kept.position.shape == (len(GAINS), 1, 5) and not_kept.effort.shape[1] == 0
    np.testing.assert_array_equal(kept.total_reward, not_kept.total_reward)


def test_one_that_fails_ends_and_says_why() -> None:
    def policy(parameters, time, position, velocity):
        return np.where(time[:, None] > 0.045, parameters, 0.0) + 0.0 * position

    job = RolloutJob(load_model("scara"), policy, 0.1, reward=lambda p, v, e: 1.0)
    found = rolled(job, [[0.0], [np.finfo(float).max], [0.0]])
    assert [bool(reason) for reason in found.reasons] == [False, True, False]
    assert found.duration[1] == pytest.approx(0.05) and found.total_reward[0] == pytest.approx(0.1)
    assert np.isnan(found.position[1, 6:]).all() and np.isfinite(found.position[[0, 2]]).all()


def test_efforts_that_are_no_numbers_end_a_rollout() -> None:
    job = RolloutJob(load_model("scara"), lambda k, t, p, v: np.where(k > 1.0, np.nan, p), 0.05)
    found = rolled(job, [[0.0], [2.0]])
    assert found.reasons[0] == "" and "at 0 s: the policy's effort is [nan" in found.reasons[1]


def test_equal_jobs_have_equal_digests() -> None:
    one = of_scara().digest
    assert of_scara().digest == one
    assert of_scara(step=5e-4).digest != one
    assert RolloutJob(load_model("scara"), spring, 0.1).digest != one
    assert RolloutJob(load_model(), spring, 0.1, reward=distance).digest != one


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"parameters": [1.0]}, r"parameters: expected shape \(N, k\) with N above 0, got \(1,\)"),
        ({"parameters": [[np.nan]]}, "parameters: expected finite numbers"),
        ({"position": [[0.0] * 5] * 3}, r"position: expected shape \(53, 5\), got \(3, 5\)"),
        ({"velocity": [0.0, np.inf, 0.0, 0.0, 0.0]}, "velocity"),
    ],
)
def test_wrong_input_is_told(given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        rolled(of_scara(), **{"parameters": GAINS, **given})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rate": 333.0}, "expected periods of a whole number of steps of 0.001 s, got 333 Hz"),
        ({"rate": np.inf}, "rate: expected a finite number above 0"),
        ({"step": 0.0}, "step: expected a finite number above 0"),
    ],
)
def test_times_that_do_not_fit_are_told(options: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        of_scara(**options)


def test_a_policy_of_another_shape_is_told() -> None:
    job = RolloutJob(load_model("scara"), lambda k, t, p, v: p[:, :2], 0.05)
    with pytest.raises(CharmieError, match=r"the policy's efforts: expected shape \(1, 5\)"):
        rolled(job, [[0.0]])
