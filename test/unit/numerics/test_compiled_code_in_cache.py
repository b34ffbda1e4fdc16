# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compiled code in the cache is not used any more when what it is made of has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from charmie_dynamics.numerics.jit import HAS_NUMBA

PACKAGE = Path(__file__).resolve().parents[3] / "charmie_dynamics"
CALLED = """
from typing import NamedTuple

from ..numerics.jit import compiled

FACTOR = 2.0

class Pair(NamedTuple):
    x: float
    y: float

@compiled
def scaled(x):
    return FACTOR * x
"""
BETWEEN = """
from ..numerics.jit import compiled
from .called import scaled

@compiled
def raised(x):
    return scaled(x) + 1.0
"""
CALLER = """
from ..numerics.jit import compiled
from .between import raised

@compiled
def outcome(x):
    return later(x)

@compiled
def later(x):  # stands behind what calls it
    return raised(x)
"""
SCRIPT = """
from charmie_dynamics.numerics.jit import count_compilations
from charmie_dynamics.core.caller import outcome
print(outcome(1.0), *count_compilations())
"""


def make_install(root: Path) -> Path:
    package = root / "charmie_dynamics"
    numerics, probe = package / "numerics", package / "core"
    for folder in (package, numerics, probe):
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
    for name in ("announcing", "jit", "cache", "compiler", "numba_private"):
        shutil.copy(PACKAGE / "numerics" / f"{name}.py", numerics)
    for name, text in (("called", CALLED), ("between", BETWEEN), ("caller", CALLER)):
        (probe / f"{name}.py").write_text(text)
    return root


@pytest.fixture
def install(tmp_path: Path) -> Path:
    return make_install(tmp_path)


def run(install: Path, script: str = SCRIPT, cache: Path | None = None) -> tuple[float, int, int]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache or install / "cache")}
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, cwd=install, env=environment, capture_output=True, text=True, check=True
    )
    value, compiled, loaded = done.stdout.split()
    return float(value), int(compiled), int(loaded)


OF_A_TYPE = """
from ..numerics.jit import compiled
from .called import Pair

@compiled
def total(pair):
    return pair.x + pair.y

def outcome(x):
    return total(Pair(x, x))
"""


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
def test_code_for_a_type_that_is_no_more_is_compiled_anew(install: Path) -> None:
    probe = install / "charmie_dynamics" / "core"
    (probe / "caller.py").write_text(OF_A_TYPE)
    assert run(install) == (2.0, 1, 0)
    for name, text in (("called", CALLED), ("caller", OF_A_TYPE)):
        (probe / f"{name}.py").write_text(text.replace("Pair", "Couple"))
    assert run(install) == (2.0, 1, 0)


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
def test_code_is_compiled_anew_when_a_file_that_it_calls_into_has_changed(install: Path) -> None:
    value, compiled, loaded = run(install)
    assert (value, loaded) == (3.0, 0)
    assert compiled > 0
    assert run(install) == (3.0, 0, 1)
    called = install / "charmie_dynamics" / "core" / "called.py"
    called.write_text(CALLED.replace("2.0", "50.0"))
    assert run(install)[0] == 51.0


OF_TWO_FILES = """
from ..numerics.jit import compiled
from .called import scaled
from .other import shifted

@compiled
def outcome(x):
    return scaled(x) + shifted(x)
"""
OTHER = """
from ..numerics.jit import compiled

@compiled
def shifted(x):
    return x + 1.0
"""


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
def test_programs_that_import_in_another_order_share_code(install: Path) -> None:
    probe = install / "charmie_dynamics" / "core"
    (probe / "caller.py").write_text(OF_TWO_FILES)
    (probe / "other.py").write_text(OTHER)
    value, compiled, _ = run(install)
    assert value == 4.0
    assert compiled > 0
    assert run(install, "import charmie_dynamics.core.other" + SCRIPT) == (4.0, 0, 1)


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
def test_installations_of_one_version_share_code(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    found = [run(make_install(tmp_path / name), cache=cache) for name in ("here", "there")]
    assert found == [(3.0, 1, 0), (3.0, 0, 1)]


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
def test_installations_of_two_versions_do_not_overwrite_each_others_code(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    old, new = (make_install(tmp_path / name) for name in ("old", "new"))
    called = new / "charmie_dynamics" / "core" / "called.py"
    called.write_text(CALLED.replace("2.0", "50.0"))
    assert [run(each, cache=cache)[0] for each in (old, new)] == [3.0, 51.0]
    assert [run(each, cache=cache) for each in (old, new)] == [(3.0, 0, 1), (51.0, 0, 1)]


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
def test_code_that_was_cut_off_on_disk_is_compiled_anew(install: Path) -> None:
    assert run(install) == (3.0, 1, 0)
    (code,) = (install / "cache").rglob("*.nbc")
    code.write_bytes(code.read_bytes()[:100])
    assert run(install) == (3.0, 1, 0)
    assert run(install) == (3.0, 0, 1)
