# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A motion of the papers, played once to two nodes, against the model at the stamps of the cycles.

`validation.live_motions` plays both motions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from charmie_dynamics import Model
from validation.live_motions import FEWEST, SOURCES, Comparison, compare, play

MOTION = "paper_5s"


@pytest.fixture(scope="module")
def comparison(model: Model, folder: Path) -> Comparison:
    return compare(model, MOTION, play(MOTION, folder))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "quantity", ["positions of the joints", "position of left_tool in TF", "actuator efforts"]
)
def test_the_node_agrees_with_the_model(comparison: Comparison, quantity: str, source: str) -> None:
    assert comparison.cycles[source] >= FEWEST
    difference, limit = comparison.differences[f"{quantity}, {source} accelerations"]
    assert difference <= limit
