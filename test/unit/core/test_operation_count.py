# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The kernel's work, counted: floating-point operations of a cycle of generated chains."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COUNTER = Path(__file__).with_name("operation_count.py")
# the folder benchmarks/ is not installed
REPOSITORY = Path(__file__).resolve().parents[3]
PATHS = os.pathsep.join([str(REPOSITORY), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
LENGTHS = (4, 12, 20)
# What the kernel needs for each further body, forward kinematics and loads of all bodies included,
# 26 and 27 of them for a sine and a cosine, 6 additions for loads from outside.
# To be lowered whenever it needs fewer.
ADDITIONS, MULTIPLICATIONS = 200, 229


@pytest.fixture(scope="module")
def counts() -> list[tuple[int, int]]:
    done = subprocess.run(
        [sys.executable, str(COUNTER), *map(str, LENGTHS)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": PATHS},
        capture_output=True,
        text=True,
        check=True,
    )
    counted = json.loads(done.stdout)
    return [tuple(counted[str(length)]) for length in LENGTHS]


def test_operations_grow_linearly_with_the_number_of_bodies(
    counts: list[tuple[int, int]],
) -> None:
    short, middle, long = counts
    step = LENGTHS[1] - LENGTHS[0]
    assert LENGTHS[2] - LENGTHS[1] == step
    assert [long[k] - middle[k] for k in range(2)] == [middle[k] - short[k] for k in range(2)]


def test_a_further_body_costs_no_more_operations_than_it_did(
    counts: list[tuple[int, int]],
) -> None:
    bodies = LENGTHS[2] - LENGTHS[1]
    additions, multiplications = ((counts[2][k] - counts[1][k]) / bodies for k in range(2))
    assert additions <= ADDITIONS and multiplications <= MULTIPLICATIONS
    assert min(additions, multiplications) > 100  # a counter that counts nothing proves nothing
