# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The benchmark of the first start: what it runs, and its table."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import first_start, report
from benchmarks.first_start import FirstStart


def test_each_start_is_measured_twice_with_one_folder_of_its_own() -> None:
    code = """
import os
folder = os.environ["NUMBA_CACHE_DIR"]
names = os.listdir(folder)
print(names)
assert names in ([], ["first"]), names
open(os.path.join(folder, "second" if names else "first"), "w").close()
"""
    starts = first_start.measure({"one": code, "other": code}, rounds=1)
    assert list(starts) == ["one", "other"]
    for start in starts.values():
        assert start.first > 0.0 and start.second > 0.0 and start.ratio > 0.0


def test_start_that_fails_is_shown_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no kernel"):
        first_start.cpu_time("raise SystemExit('no kernel')", tmp_path)


def test_start_is_not_told_how_numba_is_to_compile_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    code = "import os; print(sorted(k for k in os.environ if k.startswith('NUMBA_')))"
    assert first_start.run(code, tmp_path) == "['NUMBA_CACHE_DIR']\n"


def test_first_starts_are_held_against_the_budget() -> None:
    starts = {
        "node": FirstStart(5.5, 1.0, 4.25),
        "compute": FirstStart(3.0, 0.9, 2.0),
        "everything": FirstStart(20.5, 1.5, 15.0),
    }
    table = report.first_start_table(starts)
    assert "| node | 5.50 (at most 6: met) | 4.2 | 1.00 |" in table
    assert "| compute | 3.00 | 2.0 | 0.90 |" in table
    assert "| everything | 20.50 (at most 20: **not met**) | 15.0 | 1.50 |" in table
