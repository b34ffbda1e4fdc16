# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Networks: their files, their regression, and learning from demonstrations."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from charmie_dynamics import InputError, ModelFileError
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.learning import BatchEnvironment, Policy, evaluate, load_policy, make_task
from charmie_dynamics.learning.commands import evaluate_options, train_options
from charmie_dynamics.learning.imitation import imitate
from charmie_dynamics.learning.network import require_fit
from charmie_dynamics.learning.pictures import FILM_SIZE, film_episodes
from charmie_dynamics.numerics.regression import Regression


def a_policy() -> Policy:
    rng = np.random.default_rng(0)
    learner = Regression([5, 8, 3], rng)
    mean, scale = np.zeros(5, np.float32), np.ones(5, np.float32)
    return Policy("Reach-v0", "tool_motion", mean, scale, learner.weights, learner.biases, {"n": 1})


def test_a_policy_is_the_same_after_its_file(tmp_path: Path) -> None:
    policy, x = a_policy(), np.random.default_rng(1).normal(size=(4, 5))
    policy.save(tmp_path / "policy.npz")
    read = load_policy(tmp_path / "policy.npz")
    np.testing.assert_array_equal(read(x), policy(x))
    assert (read.task, read.control, read.about) == ("Reach-v0", "tool_motion", {"n": 1})


def test_a_row_does_not_depend_on_the_others() -> None:
    policy, x = a_policy(), np.random.default_rng(1).normal(size=(64, 5))
    rows = np.concatenate([policy(x[k : k + 1]) for k in range(64)])
    np.testing.assert_array_equal(policy(x), rows)


def test_actions_are_within_their_limits() -> None:
    assert np.abs(a_policy()(1e3 * np.ones((1, 5)))).max() <= 1.0


def test_learning_from_demonstrations_reaches_the_can() -> None:
    batch = BatchEnvironment(make_task("Reach-v0"), 16)
    rounds = list(itertools.islice(imitate(batch, 0), 5))
    first, last = rounds[0], rounds[-1]
    assert last.loss < 0.5 * first.loss
    assert last.periods == 5 * 100 * 16
    found = evaluate(batch, lambda x, _: last.policy(x), 32)
    assert found.success.mean() >= 0.8


def test_training_repeats_itself_and_continues_after_a_stop(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    common = ["Reach-v0", "--worlds", "2", "--seed", "4"]
    once, twice = tmp_path / "once", tmp_path / "twice"
    assert train_options.main([*common, "--rounds", "2", "--out", str(once)]) == 0
    assert train_options.main([*common, "--rounds", "1", "--out", str(twice)]) == 0
    assert train_options.main([*common, "--rounds", "2", "--out", str(twice)]) == 0
    assert "continuing after round 1" in capsys.readouterr().out
    first, second = (load_policy(folder / "policy.npz") for folder in (once, twice))
    for a, b in zip(first.weights, second.weights, strict=True):
        np.testing.assert_array_equal(a, b)
    assert (once / "curves.png").stat().st_size > 1000
    assert len((once / "progress.csv").read_text().splitlines()) == 3
    other = [*common[:-1], "5", "--rounds", "1", "--out", str(once)]
    assert train_options.main(other) == 1
    assert "expected a training of" in capsys.readouterr().err
    options = [str(once / "policy.npz"), "Reach-v0", "--episodes", "3", "--worlds", "2"]
    assert evaluate_options.main(options) == 0
    assert "episodes    3" in capsys.readouterr().out


def test_a_damaged_checkpoint_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "checkpoint.npz").write_bytes(b"no zip")
    assert train_options.main(["Reach-v0", "--out", str(tmp_path), "--rounds", "1"]) == 1
    assert "expected a checkpoint" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 torn", None])
def test_files_that_are_no_policies_are_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "policy.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelFileError, match="expected a policy"):
        load_policy(path)


def test_policies_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    policy = a_policy()
    with pytest.raises(InputError, match="expected shape"):
        policy(np.zeros((1, 4)))
    with pytest.raises(InputError, match="expected one for task 'PickCan-v0'"):
        require_fit(policy, "PickCan-v0", "tool_motion", 5, 3)
    broken = Policy("a", "b", policy.mean, policy.scale, policy.weights[:1], policy.biases[1:], {})
    broken.save(tmp_path / "policy.npz")
    with pytest.raises(ModelFileError, match="whose layers fit"):
        load_policy(tmp_path / "policy.npz")


@pytest.mark.parametrize("task", ["Reach-v0", "PickCan-v0"])
def test_the_policies_of_the_package_succeed(task: str) -> None:
    batch = BatchEnvironment(make_task(task), 8)
    policy = load_policy(task)
    require_fit(policy, task, "tool_motion", len(batch.low), batch.control.size)
    assert evaluate(batch, lambda x, _: policy(x), 8).success.mean() >= 0.75


def test_the_network_of_the_package_tracks_better_than_computed_torque(
    capsys: pytest.CaptureFixture[str],
) -> None:
    task = "TrackTrajectory-v0"
    rewards = []
    for policy in (task, "zero"):
        options = [policy, task, "--episodes", "16", "--worlds", "16"]
        assert evaluate_options.main(options) == 0
        rewards.append(float(capsys.readouterr().out.split("reward")[1].split()[0]))
    # the reward is minus the error
    assert rewards[0] > 0.7 * rewards[1]


def test_a_training_that_is_over_takes_no_further_round(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    options = ["Reach-v0", "--worlds", "2", "--rounds", "1", "--out", str(tmp_path)]
    assert train_options.main(options) == 0
    assert train_options.main(options) == 0
    assert capsys.readouterr().out.count("round 1:") == 1
    with pytest.raises(SystemExit):
        train_options.main([*options, "--rounds", "0"])


def test_imitation_needs_demonstrations() -> None:
    with pytest.raises(CharmieError, match="expected one with demonstrations"):
        next(imitate(BatchEnvironment(make_task("Reach-v0"), 1, "efforts"), 0))


def test_a_film_shows_the_episodes_one_after_another(tmp_path: Path) -> None:
    task, file = make_task("Reach-v0"), tmp_path / "reach.gif"
    batch = BatchEnvironment(task, 2)
    count = film_episodes(file, batch, lambda _, now: task.demonstrate(now), period=0.5)
    with Image.open(file) as film:
        assert (film.size, film.n_frames) == (FILM_SIZE, count)
        frames = [(f.convert("RGB"), f.info["duration"]) for f in ImageSequence.Iterator(film)]
    pictures = [np.array(picture, dtype=float) for picture, _ in frames]
    assert count >= 4
    assert not np.array_equal(pictures[0], pictures[-1])
    durations = [duration for _, duration in frames]  # ms: the ends remain
    assert durations.count(1000) == 2 and set(durations) == {500, 1000}
    assert durations[-1] == 1000
    red, green, blue = np.moveaxis(pictures[0], -1, 0)
    assert ((red > 1.5 * green) & (blue > 1.2 * green)).sum() > 8  # the mark of the goal


def test_a_film_of_a_short_episode_has_more_pictures_a_second(tmp_path: Path) -> None:
    task = make_task("Reach-v0")
    batch = BatchEnvironment(task, 1)
    film_episodes(tmp_path / "reach.gif", batch, lambda _, now: task.demonstrate(now))
    with Image.open(tmp_path / "reach.gif") as film:
        assert film.info["duration"] == 100
