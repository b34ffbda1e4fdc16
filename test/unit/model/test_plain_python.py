# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The same source in plain Python and compiled gives the same numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from random_states import random_state

from charmie_dynamics import Model

FILES = [Path(__file__).parent / "data" / name for name in ("crane.urdf", "crane.yaml")]
# an import of None makes numba look as if it were not installed
SCRIPT = """
import sys
sys.modules["numba"] = None
import numpy as np
from charmie_dynamics import load_model
from charmie_dynamics.numerics.jit import HAS_NUMBA
if HAS_NUMBA:
    raise SystemExit("the kernels are compiled")
model = load_model(*sys.argv[3:])
given = np.load(sys.argv[1])
batch = model.compute(*given.swapaxes(0, 1))
results = []
for n, state in enumerate(given):
    one = model.compute(*state)
    arrays = [*one.kinematics, *one.dynamics]
    for single, many in zip(arrays, [*batch.kinematics, *batch.dynamics]):
        np.testing.assert_array_equal(single, many[n])
    results.append(np.concatenate([array.ravel() for array in arrays]))
np.save(sys.argv[2], np.array(results))
"""


def test_without_numba_results_agree_to_round_off(crane: Model, tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    states = np.array([random_state(crane, rng) for _ in range(6)])
    np.save(tmp_path / "states.npy", states)
    paths = [str(tmp_path / "states.npy"), str(tmp_path / "results.npy")]
    command = [sys.executable, "-c", SCRIPT, *paths, *map(str, FILES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for row, state in zip(np.load(tmp_path / "results.npy"), states, strict=True):
        result = crane.compute(*state)
        compiled = np.concatenate(
            [array.ravel() for array in (*result.kinematics, *result.dynamics)]
        )
        np.testing.assert_allclose(row, compiled, rtol=1e-12, atol=1e-11)
