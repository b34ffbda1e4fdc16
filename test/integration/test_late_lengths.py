# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints wait for the lengths of their moment, if those come a little later."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from graph import Checker
from node_process import start_dynamics_node
from robot_inputs import LENGTHS, Inputs, pose

PERIOD = 0.01  # s
WAITED = "samples that waited for lengths"


@pytest.fixture(scope="module")
def checker(folder: Path) -> Iterator[Checker]:
    with ExitStack() as stack:
        stack.enter_context(start_dynamics_node(folder, {"input_timeout": 10.0}))
        yield stack.enter_context(Checker(("actuator_efforts", "/diagnostics")))


def waited(checker: Checker) -> int:
    """Return how many samples had to wait so far, as the node reports."""
    status = checker.wait_for_status(": cycle", lambda _, __: True, "a report")
    return next(int(item.value) for item in status.values if item.key == WAITED)


def send(inputs: Inputs, values: dict[str, float], late: float | None) -> int:
    """Send joints, then the lengths of their moment, if any; return their stamp."""
    joints = {name: value for name, value in values.items() if name not in LENGTHS}
    stamp = inputs.send(joints)
    if late is not None:
        time.sleep(late)
        inputs.send({name: values[name] for name in LENGTHS}, stamp)
    return stamp


def test_lengths_that_stop_hold_up_one_sample_only(checker: Checker, inputs: Inputs) -> None:
    before = waited(checker)
    inputs.cycle(pose(), topics=("actuator_efforts",))
    counts = []
    for _ in range(2):
        for _ in range(20):
            last = send(inputs, pose(), None)
            checker.spin(PERIOD)
        checker.wait_for(lambda k=last: k in checker.by_stamp("actuator_efforts"), "the last cycle")
        counts.append(waited(checker) - before)
    # those that came while the first was waiting wait with it, later ones do not wait
    assert 0 < counts[0] == counts[1]
