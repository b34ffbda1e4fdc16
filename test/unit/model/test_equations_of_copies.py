# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of copies: models that were copied, sent elsewhere, loaded, or used by threads.

Kernels are given addresses of memory, which belong to one model in one process.
"""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from all_robots import loaded, robot
from random_states import random_state

from charmie_dynamics import Model, Payload

NAMES = ("charmie", "crane", "loaded crane")
AUXILIARY = {"charmie": "torso_actuator_rod", "crane": "jib_cylinder_rod"}
COPIES: dict[str, Callable[[Model], Model]] = {
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "pickle of a deep copy": lambda model: pickle.loads(pickle.dumps(copy.deepcopy(model))),
    "without loads": lambda model: model.with_loads(*model.loads),
}


def all_of(model: Model, inputs: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return every number that the methods give of a state."""
    p, v, a = inputs
    terms, derivatives = model.equations(p, v), model.derivatives(p, v, a)
    state = model.compute(p, v, a)
    parts = [
        state.block,
        *state.motion(AUXILIARY[model.name], (0.1, -0.2, 0.3)),
        model.jacobian(p, model.frame_names[4]),
        model.jacobian(p, AUXILIARY[model.name]),
        terms.mass_matrix,
        terms.coriolis_matrix,
        terms.gravity_effort,
        terms.spring_effort,
        terms.external_effort,
        np.array(model.energy(p, v)),
        derivatives.effort_by_position,
        derivatives.effort_by_velocity,
        derivatives.effort_by_acceleration,
        model.forward(p, v, a).acceleration,
        *model.forward_derivatives(p, v, a),
    ]
    return np.concatenate([part.ravel() for part in parts])


def state_of(model: Model, seed: int = 1) -> tuple[np.ndarray, ...]:
    return random_state(model, np.random.default_rng(seed))


@pytest.mark.parametrize("is_used", [False, True], ids=["unused", "used"])
@pytest.mark.parametrize("how", COPIES)
def test_copy_computes_the_same_when_its_original_is_gone(how: str, is_used: bool) -> None:
    name = "loaded crane"
    expected = all_of(robot(name), state_of(robot(name)))
    original = copy.deepcopy(robot(name))
    if is_used:  # what was made ready for it has its addresses
        all_of(original, state_of(original))
    copied = COPIES[how](original)
    del original
    gc.collect()
    # memory that was given back has other content now
    junk = [np.full(size, np.nan) for size in (100, 1000, 5000, 20000) for _ in range(50)]
    np.testing.assert_array_equal(all_of(copied, state_of(copied)), expected)
    assert len(junk) == 200


@pytest.mark.parametrize("name", ["charmie", "crane"])
def test_loads_change_a_copy_and_leave_the_original(name: str) -> None:
    model = robot(name)
    state = state_of(model)
    before = all_of(model, state)
    held = loaded(model, model.frame_names[-20 % len(model.flat.body_names)])
    assert not np.array_equal(all_of(held, state), before)
    np.testing.assert_array_equal(all_of(model, state), before)
    np.testing.assert_array_equal(all_of(held.with_loads(), state), before)


def test_loads_one_after_another_are_each_computed() -> None:
    model = robot("charmie")
    position = model.zero_position()
    masses = np.linspace(0.5, 5.0, 40)
    found = [
        model.with_loads({"left_tool": Payload(mass)}).equations(position).mass_matrix[0, 0]
        for mass in masses.tolist()
    ]
    np.testing.assert_allclose(found, model.total_mass + masses, rtol=1e-12)


def test_robots_in_turn_do_not_disturb_each_other() -> None:
    models = [robot(name) for name in NAMES]
    expected = [all_of(model, state_of(model)) for model in models]
    results = [model.equations(*state_of(model)[:2]) for model in models]
    kept = [result.mass_matrix.copy() for result in results]
    for _ in range(3):
        for model, values in zip(models, expected, strict=True):
            np.testing.assert_array_equal(all_of(model, state_of(model)), values)
    for result, values in zip(results, kept, strict=True):
        np.testing.assert_array_equal(result.mass_matrix, values)


@pytest.mark.parametrize("name", NAMES)
def test_threads_that_call_the_same_model_get_what_they_asked_for(name: str) -> None:
    model = copy.deepcopy(robot(name))  # whose first calls come from all threads at once
    states = [state_of(model, seed) for seed in range(8)]
    expected = [all_of(robot(name), state) for state in states]

    def work(k: int) -> bool:
        return all(
            np.array_equal(all_of(model, states[(k + n) % 8]), expected[(k + n) % 8])
            for n in range(12)
        )

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(16)))


SCRIPT = """
import pickle, sys
import numpy as np
sys.path[:0] = sys.argv[3:]
from test_equations_of_copies import all_of, state_of
with open(sys.argv[1], "rb") as file:
    models = pickle.load(file)
np.save(sys.argv[2], np.concatenate([all_of(model, state_of(model)) for model in models]))
"""


def test_another_process_computes_the_same_of_a_pickled_model(tmp_path: Path) -> None:
    models = [robot(name) for name in NAMES]
    (tmp_path / "models").write_bytes(pickle.dumps(models))
    here = Path(__file__).resolve().parent
    files = [str(tmp_path / name) for name in ("models", "results.npy")]
    command = [sys.executable, "-c", SCRIPT, *files, str(here), str(here.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = np.concatenate([all_of(model, state_of(model)) for model in models])
    np.testing.assert_array_equal(np.load(tmp_path / "results.npy"), expected)
