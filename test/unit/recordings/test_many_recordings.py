# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""charmie_analyze with several recordings on several processes: as each alone."""

from __future__ import annotations

import argparse
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from input_recordings import write_inputs

from charmie_dynamics.model.model import Model
from charmie_dynamics.recordings.commands import analyze
from charmie_dynamics.recordings.commands.analyze import AnalysisJob
from charmie_dynamics.recordings.commands.options import main, parse_options
from charmie_dynamics.recordings.commands.staging import staged
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.tasks.dask_engine import DaskEngine

# of libraries of dask, of what they leave open when workers die
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
    "ignore::DeprecationWarning",
)
LENGTHS = {"first": 60, "second": 80, "third": 100}  # samples of the recordings


@pytest.fixture(scope="module")
def bags(tmp_path_factory: pytest.TempPathFactory, charmie: Model) -> list[Path]:
    folder = tmp_path_factory.mktemp("bags")
    return [write_inputs(folder / name, charmie, count) for name, count in LENGTHS.items()]


def arguments(bags: list[Path], folder: Path, *more: object) -> list[str]:
    results = ("--out", folder / "{name}", "--json", folder / "{name}.json")
    return [*map(str, (*bags, *results, "--export", folder / "{name}.csv", *more)), "--quiet"]


def content(folder: Path) -> dict[str, object]:
    """Return what has been written, without what times depend on."""
    found: dict[str, object] = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
    for path in folder.glob("*.json"):
        found[path.name] = json.loads(path.read_text())
    for name in LENGTHS:
        if (folder / name).exists():
            with Bag(folder / name) as bag:
                found[name] = [
                    (m.header.stamp, m.effort.tolist()) for m in bag.messages("actuator_efforts")
                ]
    return {name: repr(value) for name, value in found.items()}


@pytest.fixture(scope="module")
def one_by_one(tmp_path_factory: pytest.TempPathFactory, bags: list[Path]) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("alone")
    for bag in bags:
        assert main(arguments([bag], folder)) == 0
    return content(folder)


def test_several_recordings_are_analysed_as_each_alone(
    tmp_path: Path, bags: list[Path], one_by_one, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(bags, tmp_path)) == 0
    assert content(tmp_path) == one_by_one and len(one_by_one) == 9
    out = capsys.readouterr().out
    assert all(f"{bag}\n" in out for bag in bags)
    assert out.endswith("3 of 3 recordings analysed\n")


class KillingEngine(DaskEngine[AnalysisJob]):
    """Kills the process that has begun to write a result."""

    folder: Path
    killed: list[int]

    def run(self, tasks):
        def kill() -> None:
            while not (found := list(self.folder.glob(".third.*.partial"))):
                time.sleep(0.001)
            self.killed.append(int(found[0].name.split(".")[-2]))
            os.kill(self.killed[0], signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        results = super().run(tasks)
        thread.join()
        return results


def test_a_worker_that_is_killed_while_it_writes_leaves_nothing_half(
    tmp_path: Path, bags: list[Path], one_by_one, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []

    def engine_of(options, job, journal, progress):
        engine = KillingEngine(job, journal, progress, workers=options.workers)
        engine.folder, engine.killed = tmp_path, killed
        return engine

    monkeypatch.setattr(analyze, "engine_of", engine_of)
    assert main(arguments(bags, tmp_path, "--workers", 1)) == 0
    assert killed and content(tmp_path) == one_by_one
    assert not list(tmp_path.glob(".*"))


def test_a_new_folder_of_results_is_moved_as_a_whole(tmp_path: Path) -> None:
    options = argparse.Namespace(export=[], json=None, friction=None, plots=None)
    options.out = tmp_path / "bag"
    numbers = []
    for name in ("first", "second"):
        with staged(options) as results:
            results.out.mkdir()
            (results.out / name).touch()
            numbers.append(results.out.stat().st_ino)
    assert options.out.stat().st_ino == numbers[0]
    assert sorted(path.name for path in options.out.iterdir()) == ["first", "second"]


def test_what_is_there_already_is_left_alone(
    tmp_path: Path, bags: list[Path], one_by_one, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(bags[:1], tmp_path)) == 0
    before = (tmp_path / "first.json").stat().st_mtime_ns
    assert main(arguments(bags, tmp_path, "--resume")) == 0
    assert (tmp_path / "first.json").stat().st_mtime_ns == before
    assert content(tmp_path) == one_by_one
    told = "2 of 3 recordings analysed, 1 were there already\n"
    assert capsys.readouterr().out.endswith(told)


def test_one_that_cannot_be_read_does_not_stop_the_others(
    tmp_path: Path, bags: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = tmp_path / "nowhere"
    assert main(arguments([nowhere, *bags[:2]], tmp_path)) == 1
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["first.json", "second.json"]
    out, err = capsys.readouterr()
    assert out.endswith(f"2 of 3 recordings analysed; not, or not wholly: {nowhere}\n")
    assert err.startswith(f"charmie_analyze: {nowhere}: ") and "first" not in err


def test_a_bag_that_is_there_is_not_written_over(
    tmp_path: Path, bags: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(bags[:1], tmp_path)) == 0
    before = content(tmp_path)
    assert main(arguments(bags[:1], tmp_path)) == 1
    assert "exists; expected the name of a new folder" in capsys.readouterr().err
    assert content(tmp_path) == before and not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            lambda bags: [*bags[:2], "--json", "sums/all.json"],
            "expected results with {name} in their paths, such as 'sums/{name}.json', got "
            "'sums/all.json'",
        ),
        (
            lambda bags: [bags[0], bags[0], "--json", "{name}.json"],
            "recordings of one name would have one result: 'first'",
        ),
        (lambda bags: [bags[0], "--resume"], "--resume needs an option that writes"),
        (lambda bags: [bags[0], "--workers", "0"], "expected a whole number above 0, got '0'"),
    ],
)
def test_places_that_cannot_be_are_told(
    bags: list[Path],
    given: Callable[[list[Path]], list[object]],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        parse_options([str(each) for each in given(bags)])
    assert said in " ".join(capsys.readouterr().err.split())


def test_paths_mean_the_same_to_workers_elsewhere(
    bags: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bags[0].parent)
    given = ["first", "--json", "a.json", "--contacts", "athena"]
    options = parse_options([*given, "--scheduler", "tcp://127.0.0.1:1", "--urdf", "athena"])
    assert options.recordings == [bags[0]] and options.json == bags[0].parent / "a.json"
    assert (options.contacts, options.urdf) == (Path("athena"), "athena")


def test_a_scheduler_that_is_not_there_ends_the_analysis(
    bags: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(bags[0]), "--scheduler", "nowhere://x"]) == 1
    assert "expected the address of a running dask scheduler" in capsys.readouterr().err
