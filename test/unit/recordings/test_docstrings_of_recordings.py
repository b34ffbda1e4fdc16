# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Examples of the public classes and functions that read recordings print what they show.

The recordings of the examples are folders where they are run: `bag`, and `walk` of a hexapod.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from input_recordings import wave, write_inputs
from public_names import Documented, documented, run_examples
from walking_recordings import write_walk

from charmie_dynamics import Model, load_model
from charmie_dynamics.motions import LeggedWalk

SAMPLES = 200


@pytest.fixture(scope="module")
def folder(charmie: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recording of `wave`, with measured efforts."""
    folder = tmp_path_factory.mktemp("docstrings")
    motion = wave(charmie, SAMPLES)
    effort = charmie.compute(*motion).actuator_effort + 2.0 * motion[1]
    write_inputs(folder / "bag", charmie, SAMPLES, effort=effort)
    hexapod = load_model("athena")
    plan = LeggedWalk(hexapod, "tripod")
    position, velocity, _ = (np.array([part] * 20) for part in plan.whole(0.0))
    write_walk(folder / "walk", hexapod, (position, velocity))
    return folder


@pytest.mark.parametrize("item", documented(of_recordings=True), ids=lambda item: item.name)
def test_the_examples_of_a_docstring_hold(
    item: Documented, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    run_examples(item)
