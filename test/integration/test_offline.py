# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What `charmie_analyze` computes from recorded inputs is what the node computed live."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from graph import EACH_CYCLE, Checker, stamp_of
from node_process import start_dynamics_node
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from recorded_inputs import (
    INPUTS,
    KIND,
    PERIOD,
    START,
    Outputs,
    Recorded,
    inputs,
    require_equal,
)
from sensor_msgs.msg import JointState

from charmie_dynamics import Model

SAMPLES = 120


def play(checker: Checker, publishers: dict[str, Any], model: Model, k: int) -> list[bytes]:
    """Publish a moment; return what was published, lengths first."""
    sent = []
    for topic, message in inputs(model, k):
        publishers[topic].publish(message)
        sent.append(serialize_message(message))
        checker.spin(0.3 * PERIOD)  # so that no topic overtakes the other
    return sent


@pytest.fixture(scope="module")
def live(folder: Path, model: Model) -> tuple[Outputs, list[list[bytes]]]:
    """The outputs by topic and stamp, and the inputs of each moment."""
    with Checker(EACH_CYCLE) as checker, start_dynamics_node(folder):
        publishers = {
            topic: checker.node.create_publisher(JointState, topic, QoSProfile(depth=10))
            for topic in INPUTS
        }
        earlier = iter(range(-100_000, 0))
        checker.wait_for(
            lambda: all(checker.received[topic] for topic in EACH_CYCLE),
            "outputs",
            timeout=60.0,
            doing=lambda: play(checker, publishers, model, next(earlier)),
            rate=20.0,
        )
        # longer than inputs stay fresh: the estimators start anew
        checker.spin(1.0)
        for topic in EACH_CYCLE:
            checker.received[topic].clear()
        sent = []
        for k in range(SAMPLES):
            due = time.monotonic() + PERIOD
            sent.append(play(checker, publishers, model, k))
            checker.spin(max(0.0, due - time.monotonic()))
        checker.wait_for(
            lambda: all(len(checker.received[topic]) >= SAMPLES for topic in EACH_CYCLE),
            "all outputs of all samples",
        )
        return {t: {stamp_of(m): m for m in checker.received[t]} for t in EACH_CYCLE}, sent


def test_every_output_is_the_live_one_bit_for_bit(
    live: tuple[Outputs, list[list[bytes]]], tmp_path: Path
) -> None:
    outputs, sent = live
    entries = [
        Recorded(topic, KIND, START + round(k * PERIOD * 1e9) + place, pair[place])
        for k, pair in enumerate(sent)
        for place, topic in enumerate(INPUTS)
    ]
    require_equal(outputs, tmp_path, entries, SAMPLES)
