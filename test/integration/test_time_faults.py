# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stamps that repeat, change places, leap or begin anew: outputs go on a period later."""

from __future__ import annotations

import math

import pytest
from graph import Checker, stamp_of
from robot_inputs import JOINTS, LENGTHS, Inputs, joint_state, named, pose
from sensor_msgs.msg import JointState

MS = 1_000_000
SECOND = 1000 * MS
SPEED = 0.5  # rad/s of the neck
LOOPS = 100
SAMPLES = 5  # of a loop
LOOP_ANGLE = 0.001  # rad by which the tilt of the neck tells the loop


class Player:
    """Sends samples of positions alone, so that the node has to divide by times."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._checker = inputs.checker

    def send(self, stamp: int, pan: float, tilt: float = 0.0, *, gives_output: bool = True) -> None:
        """Send a sample once; wait for its output, so that a busy machine passes none over."""
        values = {**pose(), "neck_pan_joint": pan, "neck_tilt_joint": tilt}
        inputs = self._inputs
        messages = self._checker.received["actuator_efforts"]
        count = len(messages)
        for publisher, names in ((inputs.lengths, LENGTHS), (inputs.joints, JOINTS)):
            publisher.publish(joint_state({name: values[name] for name in names}, stamp, []))
        if not gives_output:
            self._checker.spin(0.002)
            return
        self._checker.wait_for(
            lambda: any(stamp_of(m) == stamp for m in messages[count:]),
            f"the output of the sample at {stamp}",
            timeout=5.0,
        )

    def outputs(self) -> list[JointState]:
        """Return what has come, once nothing more comes."""
        messages = self._checker.received["actuator_efforts"]
        count = -1
        while len(messages) > count:
            count = len(messages)
            self._checker.spin(0.2)
        return messages


NODE_PARAMETERS = {"publish_tf": False, "publish_markers": False}


HEARD = ["actuator_efforts"]


@pytest.fixture
def player(checker: Checker, inputs: Inputs) -> Player:
    """A player to whom the node listens, at stamps after all others."""
    inputs.stamp += 10_000 * SECOND
    inputs.cycle(pose(), topics=["actuator_efforts"])
    checker.forget()
    return Player(inputs)


def all_numbers(message: JointState) -> list[float]:
    return [*message.position, *message.velocity, *message.effort]


def assert_speed_of_the_neck(messages: list[JointState]) -> None:
    """A time of zero or of the wrong sign between two samples would show here."""
    for message in messages:
        assert all(map(math.isfinite, all_numbers(message)))
        speed = named(message, "velocity")
        assert -1e-6 <= speed["neck_pan_joint"] <= 1.01 * SPEED
        assert speed["neck_tilt_joint"] == 0.0


@pytest.mark.parametrize("leap", [-0.1, -1.0, -3600.0, 1.0, 3600.0])
def test_outputs_go_on_one_period_after_a_leap_of_the_stamps(
    player: Player, inputs: Inputs, leap: float
) -> None:
    """As when the system clock of the machine that measures is set."""
    step = 10 * MS
    before = [inputs.stamp + step * k for k in range(1, 21)]
    # between the stamps from before, so that the outputs can be told apart
    after = [before[-1] + round(leap * SECOND) + step * k + 3 * MS for k in range(1, 6)]
    for k, stamp in enumerate([*before, *after]):
        player.send(stamp, SPEED * 0.01 * k, gives_output=stamp != after[0])
    messages = player.outputs()
    assert_speed_of_the_neck(messages)
    inputs.stamp = max(before + after)


@pytest.mark.parametrize("step", [10 * MS, 200 * MS])
def test_a_bag_that_loops_a_hundred_times_is_followed(
    player: Player, inputs: Inputs, step: int
) -> None:
    """Its length is below the timeout or above it; at most a period of each loop is lost."""
    start = inputs.stamp + SECOND
    for loop in range(LOOPS):
        for k in range(SAMPLES):
            pan = SPEED * 1e-9 * step * k
            player.send(start + step * k, pan, LOOP_ANGLE * loop, gives_output=k > 0)
    messages = player.outputs()
    assert_speed_of_the_neck(messages)
    found: list[set[int]] = [set() for _ in range(LOOPS)]
    for message in messages[-(LOOPS * SAMPLES) :]:
        number = (stamp_of(message) - start) // step
        position = named(message, "position")
        assert position["neck_pan_joint"] == pytest.approx(SPEED * 1e-9 * step * number, abs=1e-9)
        found[round(position["neck_tilt_joint"] / LOOP_ANGLE)].add(number)
    for loop, numbers in enumerate(found):
        assert numbers >= set(range(1, SAMPLES)), f"loop {loop}"
