# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A subscription that is made anew while messages come: each of them is given once, in order."""

from __future__ import annotations

import struct
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from node_process import Process
from sensor_msgs.msg import JointState

from charmie_dynamics.live.topics import Qos, Topic
from charmie_dynamics.ros.inputs.raw_subscription import RawSubscription
from charmie_dynamics.ros.process.executors import make_executor, stop

HERE = Path(__file__).resolve().parent
STAMP = struct.Struct("<iI")
AFTER_HEADER = 4  # bytes
SECONDS = 3.0
PERIOD = 0.05  # s between two steps of making it anew
# reliable and deeper than all messages, so that only the change of subscriptions can lose one
TOPIC = Topic("joint_states", "sensor_msgs/msg/JointState", Qos(depth=2000))


class Renewed:
    """Makes its subscription anew all the time and notes the stamps of what it is given."""

    def __init__(self, namespace: str, takes_waiting: bool) -> None:
        self.context = rclpy.Context()
        rclpy.init(args=[], context=self.context)
        self.node = rclpy.create_node("renewed", namespace=namespace, context=self.context)
        self.stamps: list[int] = []
        self.switches = 0
        self._is_prepared = False
        self._takes_waiting = takes_waiting
        self._subscription = RawSubscription(self.node, TOPIC, self._on_message)
        # the player begins when somebody answers
        self._answers = self.node.create_publisher(JointState, "actuator_efforts", 10)
        self.node.create_timer(PERIOD, self._step)
        self._executor = make_executor(context=self.context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._executor.spin)
        self._thread.start()

    def close(self) -> None:
        stop(self._executor)  # a shutdown of the context could meet a subscription being made
        self._thread.join()
        self.node.destroy_node()
        self.context.try_shutdown()

    def _on_message(self, data: bytes) -> None:
        self._answers.publish(JointState())
        self._note(data)
        if self._takes_waiting:
            self._note_waiting()

    def _note_waiting(self) -> None:
        for data in self._subscription.waiting():
            self._note(data)

    def _note(self, data: bytes) -> None:
        seconds, nanoseconds = STAMP.unpack_from(data, AFTER_HEADER)
        self.stamps.append(seconds * 1_000_000_000 + nanoseconds)

    def _step(self) -> None:
        if not self._is_prepared:
            self._subscription.begin_replacement()
            self._is_prepared = True
        elif self._subscription.may_switch():
            self._subscription.switch()
            self._note_waiting()
            self._is_prepared = False
            self.switches += 1


@pytest.fixture(params=[False, True], ids=["callbacks", "callbacks and taken"])
def renewed(request: pytest.FixtureRequest) -> Iterator[Renewed]:
    renewed = Renewed("renewed", request.param)
    yield renewed
    renewed.close()


@pytest.mark.parametrize("rate", [50.0, 500.0])
def test_no_message_is_lost_or_given_twice(renewed: Renewed, rate: float, folder: Path) -> None:
    command = [sys.executable, str(HERE / "rapid_player.py"), str(rate), str(SECONDS), "renewed"]
    with Process(command, folder / f"player_{time.monotonic_ns()}.log") as player:
        player.wait_for_output("sent", 30.0)
        sent, first, last = map(int, player.output().split("sent")[1].split())
        deadline = time.monotonic() + 30.0
        while renewed.stamps[-1] < last and time.monotonic() < deadline:
            time.sleep(0.01)
    assert renewed.switches > 3
    assert renewed.stamps == sorted(set(renewed.stamps))
    assert sum(stamp >= first for stamp in renewed.stamps) == sent
