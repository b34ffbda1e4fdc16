# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The same source in plain Python and compiled gives the same numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_states import random_state

from charmie_dynamics import Model

DATA = Path(__file__).parent / "data"
# without numba, which an import of None makes look as if it were not installed
SCRIPT = """
import sys
if sys.argv[1] == "without numba":
    sys.modules["numba"] = None
import numpy as np
from charmie_dynamics import load_model
from charmie_dynamics.numerics.jit import HAS_NUMBA
if HAS_NUMBA:
    raise SystemExit("the kernels are compiled")
model = load_model(*sys.argv[4:])
given = np.load(sys.argv[2])
batch = model.compute(*given.swapaxes(0, 1))
results = []
for n, state in enumerate(given):
    one = model.compute(*state)
    arrays = [*one.kinematics, *one.dynamics]
    for single, many in zip(arrays, [*batch.kinematics, *batch.dynamics]):
        np.testing.assert_array_equal(single, many[n])
    results.append(np.concatenate([array.ravel() for array in arrays]))
np.save(sys.argv[3], np.array(results))
"""


@pytest.mark.parametrize("how", ["without numba", "with NUMBA_DISABLE_JIT"])
@pytest.mark.parametrize(
    ("name", "files"), [("charmie", ()), ("crane", ("crane.urdf", "crane.yaml"))]
)
def test_plain_python_agrees_with_compiled_code_to_round_off(
    request: pytest.FixtureRequest, tmp_path: Path, how: str, name: str, files: tuple[str, ...]
) -> None:
    model: Model = request.getfixturevalue(name)
    rng = np.random.default_rng(11)
    states = np.array([random_state(model, rng) for _ in range(6)])
    np.save(tmp_path / "states.npy", states)
    paths = [str(tmp_path / "states.npy"), str(tmp_path / "results.npy")]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"} if "JIT" in how else dict(os.environ)
    command = [sys.executable, "-c", SCRIPT, how, *paths, *(str(DATA / file) for file in files)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    plain = np.load(tmp_path / "results.npy")
    for row, state in zip(plain, states, strict=True):
        result = model.compute(*state)
        arrays = [*result.kinematics, *result.dynamics]
        compiled = np.concatenate([array.ravel() for array in arrays])
        np.testing.assert_allclose(row, compiled, rtol=1e-12, atol=1e-11)
