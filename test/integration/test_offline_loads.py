# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""With payloads and pushes, too, the offline efforts are those of the live node."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from graph import EACH_CYCLE, Checker, stamp_of
from node_process import start_dynamics_node
from recorded_inputs import INPUTS, PERIOD, Outputs, analysed, inputs, require_equal
from recorded_run import TIMEOUT, Run

from charmie_dynamics import Model

SAMPLES = 110
PAUSE = 1.4  # s, in which wrenches become stale
MASS = 1.5


@pytest.fixture(scope="module")
def live(folder: Path, model: Model) -> tuple[Outputs, Run]:
    parameters = {"payload_right": [0.8, 0.0, 0.0, 0.05], "input_timeout": TIMEOUT}
    with Checker(EACH_CYCLE) as checker, start_dynamics_node(folder, parameters):
        run = Run(checker, partial(inputs, model))
        run.wait_for_node()
        told: dict[int, Callable[[], None]] = {
            30: lambda: run.hold(MASS),
            50: lambda: run.push("left_tool", 7.0),
            55: lambda: run.push("right_tool", -3.0),
            60: lambda: run.push("left_tool", 4.0),
            70: lambda: checker.spin(PAUSE),
            90: lambda: run.hold(0.0),
        }
        for k in range(SAMPLES):
            due = time.monotonic() + PERIOD
            told.get(k, lambda: None)()
            run.play(k, PAUSE if k >= 70 else 0.0)
            checker.spin(max(0.0, due - time.monotonic()))
        checker.drain()
        return {t: {stamp_of(m): m for m in checker.received[t]} for t in EACH_CYCLE}, run


def efforts(outputs: Outputs) -> list[list[float]]:
    return [m.effort.tolist() for _, m in sorted(outputs["actuator_efforts"].items())]


def test_every_output_is_the_live_one_bit_for_bit(
    live: tuple[Outputs, Run], tmp_path: Path
) -> None:
    outputs, run = live
    require_equal(outputs, tmp_path, run.bag(), SAMPLES, "--timeout", str(TIMEOUT))


def test_the_payload_of_a_parameter_may_be_an_option(
    live: tuple[Outputs, Run], tmp_path: Path
) -> None:
    _, run = live
    topics = ("payload/left", "external_wrench")
    entries = [e for e in run.bag() if e.topic in (*INPUTS, *topics)]
    options = ("--timeout", str(TIMEOUT), "--payload", "right=0.8,0,0,0.05")
    found = analysed(tmp_path / "option", entries, *options)
    assert efforts(found) == efforts(analysed(tmp_path / "all", run.bag(), *options[:2]))


@pytest.mark.parametrize(
    ("left_out", "moment"),
    [("payload/left", 40), ("external_wrench", 65), ("assumed_payload/right", 5)],
)
def test_each_topic_with_loads_matters(
    live: tuple[Outputs, Run], tmp_path: Path, left_out: str, moment: int
) -> None:
    outputs, run = live
    entries = [e for e in run.bag() if e.topic not in (left_out, "assumed_payload/left")]
    found = analysed(tmp_path / "without", entries, "--timeout", str(TIMEOUT))
    assert efforts(found)[moment] != efforts(outputs)[moment]
