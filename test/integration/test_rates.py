# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How often the outputs come, counted against stamps, not against time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graph import EACH_CYCLE, TYPES, Checker, stamp_of
from node_process import start_dynamics_node, start_node
from rclpy.serialization import deserialize_message

TOPICS = (*EACH_CYCLE, "markers", "joint_states")
MARKER_RATE = 30.0
RATE = 100.0
LOSS = 0.05


Stamps = dict[str, list[int]]


def decoded(checker: Checker) -> Stamps:
    """Return the stamps of all messages of each topic, in the order of their arrival."""
    return {
        topic: [stamp_of(deserialize_message(data, TYPES[topic])) for data in messages]
        for topic, messages in checker.received.items()
    }


def play(
    folder: Path, topics: tuple[str, ...], node: Any, player: Any, namespace: str, count: int
) -> Stamps:
    """Play a motion until `count` cycles have come; return the stamps on the topics.

    Messages are decoded afterwards, so that the checker keeps up on a busy machine.
    """
    place = {"namespace": namespace}
    with Checker(topics, raw=True, **place) as checker:
        with start_dynamics_node(folder, node, **place):
            with start_node("motion_player", folder, player, **place):
                efforts = checker.received["actuator_efforts"]
                checker.wait_for(lambda: len(efforts) >= count, "cycles", timeout=60.0)
            checker.spin(1.0)  # what is on its way
        return decoded(checker)


@pytest.fixture(scope="module")
def played(folder: Path) -> Stamps:
    """The stamps of five hundred cycles.

    Another program that keeps the machine busy for a while is no fault of the node: there are
    three attempts, and the one counts in which most inputs got their cycle.
    """
    node, player = {"marker_rate": MARKER_RATE}, {"rate": RATE}
    best, least = {}, 1.0
    for number in range(3):
        stamps = play(folder, TOPICS, node, player, f"attempt_{number}", 500)
        inputs = set(within(stamps["joint_states"], span_of(stamps)))
        lost = len(inputs - set(stamps["actuator_efforts"])) / len(inputs)
        if lost < least:
            best, least = stamps, lost
        if lost < 0.5 * LOSS:
            break
    return best


def span_of(stamps: Stamps) -> range:
    """Return the stamps between which all topics are compared: when all had found each other."""
    efforts = stamps["actuator_efforts"]
    return range(efforts[100], efforts[-10])


@pytest.fixture(scope="module")
def span(played: Stamps) -> range:
    return span_of(played)


def within(stamps: list[int], span: range) -> list[int]:
    return [stamp for stamp in stamps if stamp in span]


@pytest.mark.parametrize("topic", EACH_CYCLE)
def test_outputs_come_in_the_order_of_their_stamps(played: Stamps, span: range, topic: str) -> None:
    outputs = within(played[topic], span)
    assert outputs == sorted(outputs)


def test_markers_come_at_their_rate_on_average(played: Stamps, span: range) -> None:
    markers = within(played["markers"], span)
    seconds = (markers[-1] - markers[0]) * 1e-9
    assert (len(markers) - 1) / seconds == pytest.approx(MARKER_RATE, rel=LOSS)


def test_markers_have_the_stamp_of_a_cycle(played: Stamps, span: range) -> None:
    efforts, markers = (within(played[name], span) for name in ("actuator_efforts", "markers"))
    assert len(set(markers) - set(efforts)) <= LOSS * len(efforts)


def test_a_marker_rate_of_zero_publishes_them_every_cycle(folder: Path) -> None:
    topics = ("markers", "actuator_efforts")
    stamps = play(folder, topics, {"marker_rate": 0.0}, {"rate": 20.0}, "every_cycle", 80)
    efforts, markers = (set(stamps[topic]) for topic in topics)
    common = range(max(min(efforts), min(markers)), min(max(efforts), max(markers)) + 1)
    efforts, markers = ({s for s in every if s in common} for every in (efforts, markers))
    assert len(efforts ^ markers) <= LOSS * len(efforts)


def test_input_at_500_hz_is_followed(folder: Path) -> None:
    """Outputs for most of the samples; a busy machine may lose some of the best-effort inputs."""
    topics = ("joint_states", "actuator_efforts")
    stamps = play(folder, topics, {"publish_markers": False}, {"rate": 500.0}, "fast", 500)
    inputs, outputs = (set(stamps[topic]) for topic in topics)
    between = {stamp for stamp in inputs if min(outputs) <= stamp <= max(outputs)}
    assert len(between - outputs) < 0.5 * len(between)
