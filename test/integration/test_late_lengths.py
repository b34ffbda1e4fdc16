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
from robot_inputs import LENGTHS, Inputs, named, pose

LATE = 0.003  # s
PERIOD = 0.01  # s
COUNT = 100
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


def test_each_cycle_has_the_lengths_of_its_moment(checker: Checker, inputs: Inputs) -> None:
    before = waited(checker)
    sent = {}
    for k in range(COUNT):
        values = pose()
        values["lift_actuator"] += 1e-4 * k
        sent[send(inputs, values, LATE)] = values
        checker.spin(PERIOD - LATE)
    last = max(sent)
    checker.wait_for(lambda: last in checker.by_stamp("actuator_efforts"), "the last cycle")
    cycles = checker.by_stamp("actuator_efforts")
    found = {stamp: named(cycles[stamp], "position") for stamp in sent if stamp in cycles}
    # some may be lost, best-effort as they are, and a busy machine may pass over some; after
    # lengths that came too late, the next few joints do not wait
    assert len(found) > 0.5 * COUNT
    wrong = {s: p["lift_actuator"] for s, p in found.items() if p != pytest.approx(sent[s])}
    assert len(wrong) < 0.3 * COUNT
    assert waited(checker) - before > 0.5 * COUNT


def test_lengths_that_stop_hold_up_one_sample_only(checker: Checker, inputs: Inputs) -> None:
    before = waited(checker)
    inputs.cycle(pose(), topics=("actuator_efforts",))
    sent = []
    for _ in range(20):
        sent.append(send(inputs, pose(), None))
        checker.spin(PERIOD)
    checker.wait_for(lambda: sent[-1] in checker.by_stamp("actuator_efforts"), "the last cycle")
    # those that came while the first was waiting wait with it
    assert 0 < waited(checker) - before < 10
