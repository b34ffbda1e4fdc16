# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compiled kernels take no memory from the heap, however many cycles they run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# the folder benchmarks/ is not installed
REPOSITORY = Path(__file__).resolve().parents[3]
PATHS = os.pathsep.join([str(REPOSITORY), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
DATA = Path(__file__).parents[1] / "model" / "data"
# numba counts its allocations where NUMBA_NRT_STATS is set before it is imported. The arrays that
# go from Python into a compiled loop take some themselves, as many for one cycle as for more.
SCRIPT = """
import json, sys
import numpy as np
from numba import njit
from numba.core.runtime import rtsys
from benchmarks.candidates import kernel
from benchmarks.case import Case, draw_states, make_case
from charmie_dynamics import load_model

def allocations(run, calls):
    before = rtsys.get_allocation_stats().alloc
    run(calls)
    return rtsys.get_allocation_stats().alloc - before

@njit
def allocating(calls):
    total = 0.0
    for k in range(calls):
        total += np.full(3 + k % 2, 1.0).sum()
    return total

crane = load_model(sys.argv[1], sys.argv[2])
states = draw_states(crane, 8)
runs = {
    "charmie": kernel(make_case("CHARMIE", states=8)).run,
    "crane": kernel(Case("crane", None, crane, crane, states, states)).run,
    "allocating": allocating,
}
counted = {}
for name, run in runs.items():
    run(1)
    counted[name] = [allocations(run, calls) for calls in (1, 1001)]
print(json.dumps(counted))
"""


@pytest.fixture(scope="module")
def allocations() -> dict[str, list[int]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(DATA / "crane.urdf"), str(DATA / "crane.yaml")],
        env={**os.environ, "NUMBA_NRT_STATS": "1", "PYTHONPATH": PATHS},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("robot", ["charmie", "crane"])
def test_a_thousand_cycles_allocate_no_more_than_one(
    allocations: dict[str, list[int]], robot: str
) -> None:
    one, many = allocations[robot]
    assert many == one


def test_a_loop_that_allocates_is_seen(allocations: dict[str, list[int]]) -> None:
    one, many = allocations["allocating"]
    assert many >= one + 1000
