# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The papers' motions, played to the node with estimated accelerations, against the papers."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from graph import Checker, stamp_of
from node_process import start_dynamics_node, start_node
from robot_inputs import LENGTHS, REFERENCE

INPUTS = ("joint_states", "actuator_lengths")
TOPICS = (*INPUTS, "actuator_efforts")
RATE = 50.0  # Hz


@contextlib.contextmanager
def playing(
    folder: Path, node: Mapping[str, Any], player: Mapping[str, Any], count: int = 200
) -> Iterator[Checker]:
    """Yield a checker that has received `count` cycles of a motion."""
    with Checker(TOPICS) as checker, start_dynamics_node(folder, node):
        with start_node("motion_player", folder, player):
            checker.wait_for(
                lambda: len(checker.received["actuator_efforts"]) >= count,
                f"{count} cycles",
                timeout=60.0,
            )
            yield checker


def test_paper_20s_has_the_velocities_of_the_paper(folder: Path) -> None:
    """pi/36 rad/s, the neck half of it; 5 mm/s, the torso actuator half of it."""
    half = {"neck_pan_joint", "neck_tilt_joint", "torso_actuator"}
    slides = {"base_x_joint", "base_y_joint", *LENGTHS}
    with playing(folder, {}, {"motion": "paper_20s"}, 5) as checker:
        message = checker.received["actuator_efforts"][-1]
    for name, velocity in zip(message.name, message.velocity, strict=True):
        full = 0.005 if name in slides else math.pi / 36.0
        assert velocity == pytest.approx(full / 2.0 if name in half else full, abs=1e-12), name


def test_paper_5s_gives_the_efforts_of_the_reference(folder: Path) -> None:
    """With estimated accelerations, once the estimator has settled after the start of a loop.

    In the first half the velocity of a joint tells the time in the motion.
    """
    samples = json.loads((REFERENCE / "motion_5s.json").read_text())["samples"]
    by_tenth = {round(10.0 * sample["time"]): sample["expected"] for sample in samples}
    with playing(folder, {}, {"motion": "paper_5s", "rate": RATE}) as checker:
        efforts = checker.received["actuator_efforts"]
        checker.wait_for(
            lambda: stamp_of(efforts[-1]) - stamp_of(efforts[0]) >= 8 * 10**9,
            "a loop and a half, which hold one whole first half",
            timeout=60.0,
        )
        found = checker.by_stamp("actuator_efforts")
    compared = 0
    for stamp, message in found.items():
        values = dict(zip(message.name, message.velocity, strict=True))
        t = -values["neck_pan_joint"] / (math.pi / 9.0)
        tenth = round(10.0 * t)
        earlier = found.get(stamp - round(1e9 / RATE))
        speeds_up = earlier is not None and abs(earlier.velocity[0]) < abs(message.velocity[0])
        # the estimator starts anew after a pause, which a busy machine may have brought about
        recent = sum(stamp - 7 * 10**8 <= other <= stamp for other in found)
        settled = recent >= 0.9 * 0.7 * RATE
        if not (settled and speeds_up and 8 <= tenth <= 24 and abs(t - 0.1 * tenth) < 1e-6):
            continue
        compared += 1
        expected = by_tenth[tenth]["actuator_effort"]
        for name, effort in zip(message.name, message.effort, strict=True):
            assert effort == pytest.approx(expected[name], rel=1e-4, abs=1e-4), (
                f"{name} at {0.1 * tenth:.1f} s"
            )
    assert compared >= 5
