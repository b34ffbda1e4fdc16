# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motion player by itself: its parameters."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph import Checker, stamp_of
from node_process import start_node
from robot_inputs import BASE_JOINTS

INPUTS = ("joint_states", "actuator_lengths")


@pytest.mark.parametrize("rate", [20.0, 50.0])
def test_rate_sets_the_step_of_the_stamps(folder: Path, rate: float) -> None:
    with Checker(INPUTS) as checker, start_node("motion_player", folder, {"rate": rate}):
        checker.wait_for(lambda: len(checker.received["joint_states"]) > 20, "twenty samples")
        stamps = [stamp_of(message) for message in checker.received["joint_states"]]
    steps = np.diff(stamps)
    assert int(np.median(steps)) == round(1e9 / rate)


def test_without_velocities_only_positions_are_sent(folder: Path) -> None:
    with Checker(INPUTS) as checker, start_node("motion_player", folder, {"velocities": False}):
        checker.wait_for(lambda: all(checker.received[t] for t in INPUTS), "both topics")
        messages = [checker.received[topic][0] for topic in INPUTS]
    assert [len(message.velocity) for message in messages] == [0, 0]


def test_noise_disturbs_the_positions_by_its_standard_deviation(folder: Path) -> None:
    """Against a constant velocity: the second differences of noise have six times its variance."""
    parameters = {"motion": "paper_20s", "noise": 0.01}
    with Checker(INPUTS) as checker, start_node("motion_player", folder, parameters):
        checker.wait_for(lambda: len(checker.received["joint_states"]) > 100, "samples")
        messages = checker.received["joint_states"]
    stamps = [stamp_of(message) for message in messages]
    steps = np.diff(stamps)
    even = np.flatnonzero((steps[1:] == 10_000_000) & (steps[:-1] == 10_000_000))
    second = np.diff([message.position for message in messages], n=2, axis=0)[even]
    assert len(even) > 20
    assert second.std() / math.sqrt(6.0) == pytest.approx(0.01, rel=0.15)


def test_dropout_leaves_out_its_share_of_messages(folder: Path) -> None:
    with Checker(INPUTS) as checker, start_node("motion_player", folder, {"dropout": 0.5}):
        checker.wait_for(lambda: len(checker.received["joint_states"]) > 150, "samples")
        stamps = [stamp_of(message) for message in checker.received["joint_states"]]
    on_grid = round((stamps[-1] - stamps[0]) / 1e7)
    assert 0.3 < len(stamps) / on_grid < 0.7


def test_without_loop_the_motion_ends_at_rest(folder: Path) -> None:
    parameters = {"motion": "paper_5s", "loop": False, "rate": 50.0}
    with Checker(INPUTS) as checker, start_node("motion_player", folder, parameters):
        checker.wait_for(lambda: checker.received["joint_states"], "the first sample")
        start = stamp_of(checker.received["joint_states"][0])
        message = checker.wait_for(
            lambda: next(
                (m for m in checker.received["joint_states"] if stamp_of(m) > start + 6 * 10**9),
                None,
            ),
            "a sample after the end",
            timeout=40.0,
        )
    positions = dict(zip(message.name, message.position, strict=True))
    assert list(message.velocity) == [0.0] * len(message.name)
    # -2 * 1/2 * pi/9 * 2.5^2 rad and the same of 30 mm/s^2
    for name, value in positions.items():
        slide = name in BASE_JOINTS[:2]
        assert value == pytest.approx(-6.25 * (0.03 if slide else math.pi / 9.0), abs=1e-9), name


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"motion": "moonwalk"}, ("moonwalk", "paper_5s", "paper_20s", "wave")),
        ({"rate": 0.0}, ("rate",)),
        ({"dropout": 2.0}, ("dropout",)),
        ({"noise": "much"}, ("noise",)),
    ],
)
def test_a_parameter_that_cannot_be_used_ends_the_player_with_a_message(
    folder: Path, parameters: dict[str, Any], words: tuple[str, ...]
) -> None:
    with start_node("motion_player", folder, parameters) as player:
        assert player.wait() == 1
        assert [word for word in words if word not in player.output()] == []
        assert "Traceback" not in player.output()
