# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The journal, and the command that is interrupted and goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from study_texts import TORSO, study_of, text_of

from charmie_dynamics import CharmieError
from charmie_dynamics.studies.commands.study_options import main
from charmie_dynamics.studies.engine.study_job import StudyJob, evaluation_task
from charmie_dynamics.studies.results.table import read_table
from charmie_dynamics.tasks.engine import SerialEngine
from charmie_dynamics.tasks.journal import Journal
from charmie_dynamics.tasks.task import JobTask

METHODS = "[{sobol: 1400}, {local: 2}]"


class CountingEngine(SerialEngine):
    """Notes which tasks it computes."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)
        self.computed: list[int] = []

    def _compute(self, tasks: list[tuple[int, JobTask]]) -> Iterator:
        for k, task in tasks:
            self.computed.append(k)
            yield k, self.job.execute(task)


def some_tasks() -> list[JobTask]:
    return [evaluation_task("grid", k, np.array([[1000.0 + k]])) for k in range(4)]


def test_what_is_in_the_journal_is_not_computed_again(tmp_path: Path) -> None:
    study = study_of()
    first, second = (CountingEngine(StudyJob(study), Journal(tmp_path, "s")) for _ in range(2))
    found = first.run(some_tasks()[:3])
    again = second.run(some_tasks())
    assert (first.computed, second.computed) == ([0, 1, 2], [3])
    for one, other in zip(found, again, strict=False):
        np.testing.assert_array_equal(one["values"], other["values"])
        assert set(one) == set(other)


@pytest.mark.parametrize("kept", [0, 10, 200, -30])
def test_a_file_that_was_not_written_to_its_end_is_computed_again(
    tmp_path: Path, kept: int
) -> None:
    study = study_of()
    CountingEngine(StudyJob(study), Journal(tmp_path, "s")).run(some_tasks())
    torn = tmp_path / "grid-000002.npz"
    torn.write_bytes(torn.read_bytes()[:kept])
    engine = CountingEngine(StudyJob(study), Journal(tmp_path, "s"))
    found = engine.run(some_tasks())
    assert engine.computed == [2]
    assert found[2]["candidates"][0, 0] == 1002.0


def test_a_file_with_a_wrong_bit_is_computed_again(tmp_path: Path) -> None:
    task, journal = some_tasks()[0], Journal(tmp_path, "s")
    values = np.array([1.5, 2.5])
    journal.write(task, {"values": values})
    file = tmp_path / "grid-000000.npz"
    content = file.read_bytes()
    directory = content.index(b"PK\x01\x02")  # checksums protect what is above
    for bit in range(8 * directory, 8 * len(content)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        result = journal.read(task)
        # some bytes, such as those of dates, have no meaning
        assert result is None or (list(result) == ["values"] and (result["values"] == values).all())


def test_results_of_earlier_versions_are_read(tmp_path: Path) -> None:
    task = some_tasks()[0]
    np.savez_compressed(tmp_path / "grid-000000.npz", key=np.array(task.key), values=np.ones(2))
    result = Journal(tmp_path, "s").read(task)
    assert result is not None and list(result) == ["values"]


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("", encoding="utf-8")
    with pytest.raises(CharmieError, match=r"journal': expected a folder, got File exists"):
        Journal(tmp_path / "journal", "s")


def test_a_file_of_another_task_is_computed_again(tmp_path: Path) -> None:
    study = study_of()
    CountingEngine(StudyJob(study), Journal(tmp_path, "s")).run(some_tasks())
    engine = CountingEngine(StudyJob(study), Journal(tmp_path, "s"))
    engine.run([evaluation_task("grid", k, np.array([[2000.0 + k]])) for k in range(2)])
    assert engine.computed == [0, 1]


def test_results_of_other_work_are_not_mixed(tmp_path: Path) -> None:
    Journal(tmp_path, "one")
    with pytest.raises(CharmieError, match=r"results of other work.*choose another, or remove"):
        Journal(tmp_path, "other")
    (tmp_path / "job.json").write_text("", encoding="utf-8")
    with pytest.raises(CharmieError, match="results of other work"):
        Journal(tmp_path, "one")


def test_whatever_a_study_depends_on_is_in_its_digest(repository: Path, tmp_path: Path) -> None:
    one = StudyJob(study_of()).digest
    assert StudyJob(study_of()).digest == one
    assert StudyJob(study_of("seed: 3")).digest != one
    changed = tmp_path / "mechanisms.yaml"
    text = (repository / "config/charmie_mechanisms.yaml").read_text(encoding="utf-8")
    changed.write_text(text.replace("effort_limit: ", "effort_limit: 1"), encoding="utf-8")
    assert StudyJob(study_of(f"mechanisms: {changed}")).digest != one


def arguments(folder: Path, *more: str) -> list[str]:
    return [str(folder / "study.yaml"), "--out", str(folder / "out"), "--no-pictures", *more]


def write_study(folder: Path, **parts: str) -> None:
    folder.mkdir(exist_ok=True)
    # named alike, so that the tables are equal as a whole
    (folder / "study.yaml").write_text(text_of(**parts), encoding="utf-8")


def table(folder: Path) -> dict[str, np.ndarray]:
    dataset = read_table(folder / "out" / "results.parquet")
    return {name: dataset[name].values for name in dataset}


def assert_equal_tables(one: Path, other: Path) -> None:
    a, b = table(one), table(other)
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def journal(folder: Path) -> dict[str, int]:
    """Return when each task was written (ns), by the names of their files."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "out/journal").glob("*.npz")}


def interrupted(folder: Path, how: signal.Signals, *more: str) -> subprocess.Popen[str]:
    """Start the command, end it once two tasks are done; return the process that was."""
    command = [sys.executable, "-m", "charmie_dynamics.studies.commands.study_options"]
    process = subprocess.Popen(
        [*command, *arguments(folder, *more)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + 300.0
    while process.poll() is None and time.monotonic() < end:
        if len(journal(folder)) >= 2:
            break
        time.sleep(0.005)
    # as a terminal does it: all processes of the group
    if how == signal.SIGINT:
        os.killpg(process.pid, how)
    else:
        process.send_signal(how)
    return process


@pytest.mark.parametrize(("how", "workers"), [(signal.SIGINT, 2), (signal.SIGKILL, 0)])
def test_an_interrupted_study_goes_on_where_it_was(
    tmp_path: Path, how: signal.Signals, workers: int
) -> None:
    more = ("--workers", str(workers)) if workers else ("--quiet",)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder in (whole, parts):
        write_study(folder, variables=TORSO, methods=METHODS)
    assert main(arguments(whole, "--quiet")) == 0
    process = interrupted(parts, how, *more)
    _, told = process.communicate(timeout=120)
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "interrupted; the same command continues from here" in told
        assert "Traceback" not in told
    else:
        assert process.returncode == -signal.SIGKILL
    before = journal(parts)
    assert 2 <= len(before) < len(journal(whole))
    assert main(arguments(parts, "--quiet")) == 0
    after = journal(parts)
    assert {name: after[name] for name in before} == before
    assert after.keys() == journal(whole).keys()
    assert_equal_tables(whole, parts)


def test_faults_end_the_command_with_a_sentence(tmp_path: Path, capsys) -> None:
    write_study(tmp_path, objectives="o: {peak: torso}")
    assert main(arguments(tmp_path)) == 1
    assert "charmie_study: " in capsys.readouterr().err
    write_study(tmp_path)
    assert main([str(tmp_path / "none.yaml")]) == 1
    assert "none.yaml" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(arguments(tmp_path, "--workers", "0"))
    assert "expected a whole number above 0, got '0'" in capsys.readouterr().err
