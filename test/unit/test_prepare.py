# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""charmie_prepare compiles all that is compiled, and whoever has to compile says so."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from charmie_dynamics.numerics.jit import HAS_NUMBA
from charmie_dynamics.prepare import processes
from charmie_dynamics.prepare.command import ready_mark
from charmie_dynamics.prepare.tasks import TASKS

pytestmark = pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
# those of the programs below and a few small ones; the others take the compiler most of its time
ONLY = ("node", "batch", "recordings", "pictures")
COMMAND = ["-m", "charmie_dynamics.prepare.command", "--only", *ONLY]
USER = """
from charmie_dynamics.numerics.announcing import announce_compilation
from charmie_dynamics.live.wire.cdr import read_doubles
import numpy as np
announce_compilation()
read_doubles(bytes(8), 0, False, np.zeros(1))
"""
# what users of the model call, on a state as they have it
OF_USERS = """
from charmie_dynamics import load_model
from charmie_dynamics.model.stability import centre_of_mass
from charmie_dynamics.numerics.announcing import announce_compilation
announce_compilation()
model = load_model()
state = model.compute(model.zero_position())
print(centre_of_mass(state), model.compute(state.position[None]).actuator_effort)
"""
# programs that ask for no announcement
PLAIN, PLAIN_OF_USERS = (
    "\n".join(line for line in program.splitlines() if "announce" not in line)
    for program in (USER, OF_USERS)
)
SILENT = f"import logging\nlogging.getLogger('charmie_dynamics').setLevel('ERROR')\n{PLAIN}"
KERNELS = sorted(name for task in ONLY for name in TASKS[task].kernels)


def run(cache: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
    )


def compiled(text: str) -> list[str]:
    """Return the names of the kernels that are told to be compiled."""
    lines = [line for line in text.splitlines() if line.startswith("compiling kernel ")]
    return sorted(line.rpartition(" ")[2] for line in lines)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def first(cache: Path) -> subprocess.CompletedProcess[str]:
    return run(cache, COMMAND)


def test_each_kernel_is_compiled_once(first: subprocess.CompletedProcess[str]) -> None:
    assert compiled(first.stderr) == KERNELS
    assert all(line.startswith("compiling kernel ") for line in first.stderr.splitlines())
    assert first.stdout.startswith(f"{len(KERNELS)} kernels compiled in ")


def test_nothing_is_left_to_compile_afterwards(
    first: subprocess.CompletedProcess[str], cache: Path
) -> None:
    again = run(cache, COMMAND)
    assert compiled(again.stderr) == []
    assert again.stdout.startswith("0 kernels compiled in ")


@pytest.mark.parametrize("program", [USER, OF_USERS, PLAIN, PLAIN_OF_USERS])
def test_a_program_that_has_nothing_to_compile_says_nothing(
    first: subprocess.CompletedProcess[str], cache: Path, program: str
) -> None:
    assert run(cache, ["-c", program]).stderr == ""


@pytest.mark.parametrize("program", [USER, PLAIN])
def test_a_program_that_has_to_compile_says_so(tmp_path: Path, program: str) -> None:
    lines = run(tmp_path, ["-c", program]).stderr.splitlines()
    assert "charmie_prepare" in lines[0]
    assert lines[1:] == ["compiling kernel 1: read_doubles"]


def test_logging_suppresses_the_announcement(tmp_path: Path) -> None:
    assert run(tmp_path, ["-c", SILENT]).stderr == ""
    assert list(tmp_path.rglob("*.nbi")), "nothing was compiled"


class ReportedProgress:
    """Keeps the calls that report progress."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    def begin(self, task: str, kernel: str) -> None:
        self.calls.append(("begin", task, kernel))

    def end(self, task: str, kernels: int) -> None:
        self.calls.append(("end", task, kernels))

    def show(self) -> None: ...


def test_other_output_of_a_task_is_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    work = r"print('hello'); os.write(1, b'\n\n')"
    child = processes.CHILD.replace("TASKS[sys.argv[1]].work()", work)
    monkeypatch.setattr(processes, "CHILD", child)
    progress = ReportedProgress()
    assert processes.compile_in_processes(["pictures"], 1, progress) == []
    assert progress.calls == [("end", "pictures", len(TASKS["pictures"].kernels))]


def test_each_version_of_python_has_its_own_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = ready_mark(tmp_path, "pictures")
    assert mark == ready_mark(tmp_path, "pictures")
    monkeypatch.setattr(sys, "version_info", (3, 99, 0))
    assert mark != ready_mark(tmp_path, "pictures")


def test_clean_removes_the_code_of_other_versions_and_variants_alone(
    first: subprocess.CompletedProcess[str], cache: Path
) -> None:
    (own,) = cache.glob("kernels-*")
    old = cache / "kernels-0123456789abcdef-numba-0.1.0"
    old.mkdir()
    (cache / f"{own.name}-bounds").mkdir()
    (cache / "something_else").mkdir()
    done = run(cache, [*COMMAND, "--clean", "--only", "pictures"])
    assert "removed the code of 2 other versions and variants" in done.stdout
    assert sorted(path.name for path in cache.iterdir()) == [own.name, "something_else"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "file")}
    done = subprocess.run(
        [sys.executable, *COMMAND], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "cannot be kept" in done.stderr
    assert str(tmp_path / "file") in done.stderr
