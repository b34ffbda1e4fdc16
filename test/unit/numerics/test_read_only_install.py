# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compiled code is kept where the user may write, and missed where nobody may."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "charmie_dynamics"
# Runs Python bound by permissions even as root, who may give up the right to ignore them.
# <linux/prctl.h>: PR_CAPBSET_DROP = 24; <linux/capability.h>: CAP_DAC_OVERRIDE = 1
BOUND_BY_PERMISSIONS = """
import ctypes, os, sys
if os.geteuid() == 0:
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])
"""
PYTHON = [sys.executable, "-c", BOUND_BY_PERMISSIONS]
KERNELS = """
from .jit import compiled

@compiled
def twice(x):
    return 2.0 * x

@compiled
def thrice(x):
    return 3.0 * x
"""
SCRIPT = """
from charmie_dynamics.numerics.jit import HAS_NUMBA, count_compilations
from charmie_dynamics.numerics.probe import thrice, twice
print(twice(1.0), thrice(1.0), *count_compilations(), HAS_NUMBA)
"""
TRY_TO_WRITE = "import sys, pathlib; pathlib.Path(sys.argv[1], 'written').touch()"


@dataclass
class Run:
    values: list[float]
    compiled: int
    loaded: int
    warnings: str


def set_writable(folder: Path, writable: bool) -> None:
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755 if writable else 0o555)


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Path]:
    """A copy of the package, with two small kernels more, that cannot be written to."""
    folder = tmp_path / "install"
    package = folder / "charmie_dynamics"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "numerics" / "probe.py").write_text(KERNELS)
    set_writable(folder, False)
    child = [*PYTHON, TRY_TO_WRITE, str(package / "numerics")]
    done = subprocess.run(child, capture_output=True)
    if done.returncode == 0:
        pytest.skip("this user may write everywhere and cannot give that up")
    yield folder
    set_writable(folder, True)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "home"
    folder.mkdir()
    yield folder
    set_writable(folder, True)


def run(install: Path, home: Path) -> Run:
    others = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "PYTHONPATH", "PYTHONWARNINGS")
    environment = {key: value for key, value in os.environ.items() if key not in others}
    # what the parser of URDF is found by stays
    paths = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    paths = [str(install), *(p for p in paths if not Path(p, "charmie_dynamics").exists())]
    environment.update(HOME=str(home), PYTHONPATH=os.pathsep.join(paths))
    done = subprocess.run(
        [*PYTHON, SCRIPT], cwd=install, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    *numbers, has_numba = done.stdout.split()
    if has_numba != "True":
        pytest.skip("numba is not installed")
    values = [float(number) for number in numbers]
    return Run(values[:2], int(values[2]), int(values[3]), done.stderr)


def test_a_read_only_install_keeps_its_compiled_code_with_the_user(
    install: Path, home: Path
) -> None:
    first = run(install, home)
    second = run(install, home)
    assert (first.compiled, first.loaded) == (2, 0)
    assert (second.compiled, second.loaded) == (0, 2)
    assert second.values == [2.0, 3.0]
    assert all(line.startswith("compiling kernel") for line in first.warnings.splitlines())
    assert not second.warnings


def test_where_nothing_can_be_written_each_process_compiles_anew_and_says_so_once(
    install: Path, home: Path
) -> None:
    set_writable(home, False)
    for _ in range(2):
        found = run(install, home)
        assert found.values == [2.0, 3.0]
        assert (found.compiled, found.loaded) == (2, 0)
        assert found.warnings.count("cannot be kept") == 1
        assert "NUMBA_CACHE_DIR" in found.warnings
