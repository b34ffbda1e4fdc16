# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The queue of the inputs: lengths before their joints, and one cycle for a burst."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import QoSProfile
from robot_inputs import ACTUATORS, pose
from sensor_msgs.msg import JointState

from charmie_dynamics import Model
from charmie_dynamics.live.monitors import CycleMonitor
from charmie_dynamics.live.pipeline import Arrived, Pipeline
from charmie_dynamics.ros.inputs.input_queue import InputQueue
from charmie_dynamics.ros.process.executors import make_executor
from charmie_dynamics.ros.process.faults import Faults
from charmie_dynamics.ros.process.log import Log

PATIENCE = 60.0  # s: a machine may be busy
PERIOD = 1_000_000  # ns, between two stamps
BURST, BURSTS = 200, 5
DRIVEN = ("lift_actuator", "torso_actuator")


class Done(Exception):  # noqa: N818  (no error)
    """Ends spinning from inside a callback."""


class Stream:
    """A queue with what it needs, and publishers of both inputs."""

    def __init__(self, model: Model) -> None:
        self.context = Context()
        rclpy.init(args=[], context=self.context)
        self.node = Node("queue", context=self.context)
        self.executor = make_executor(context=self.context)
        self.executor.add_node(self.node)
        self.pipeline = Pipeline(model)
        self.pipeline.warm_up()
        self.stamps: list[int] = []
        self.torso: list[float] = []  # lengths that the cycles were computed with
        self.seconds = 0.0  # that a cycle takes longer
        log = Log(self.node)
        self.queue = InputQueue(
            self.node,
            lambda: self.pipeline,
            self._compute,
            Faults(CycleMonitor(), log),
            log,
            lambda _: None,
        )
        qos = QoSProfile(depth=500)
        self._publishers = {
            topic: self.node.create_publisher(JointState, topic, qos)
            for topic in ("joint_states", "actuator_lengths")
        }
        self._stamp = time.time_ns()
        self.spin_until(
            lambda: all(p.get_subscription_count() for p in self._publishers.values()),
        )

    def _compute(self, arrived: Arrived, now: float) -> None:
        start = time.monotonic()
        cycle = self.pipeline.take(*arrived, now)
        if cycle is not None:
            self.stamps.append(cycle.stamp)
            self.torso.append(float(cycle.state.position[ACTUATORS.index("torso_actuator")]))
            time.sleep(self.seconds)
            self.queue.slack.note_cycle(time.monotonic() - start)

    def tick(self) -> int:
        self._stamp += PERIOD
        return self._stamp

    def send(self, topic: str, values: dict[str, float], stamp: int) -> None:
        message = JointState(name=list(values), position=list(values.values()))
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
        self._publishers[topic].publish(message)

    def spin_until(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE

        def look() -> None:
            if condition() or time.monotonic() > deadline:
                raise Done

        timer = self.node.create_timer(0.001, look)
        while not condition() and time.monotonic() < deadline:
            with pytest.raises(Done):  # also of an earlier timer, called once more
                self.executor.spin()
        self.node.destroy_timer(timer)
        assert condition(), "it did not come to pass"

    def close(self) -> None:
        self.node.destroy_node()
        self.executor.shutdown()
        self.context.try_shutdown()


@pytest.fixture
def stream(model: Model) -> Iterator[Stream]:
    found = Stream(model)
    yield found
    found.close()


def joints(model: Model) -> dict[str, float]:
    """Values of all joints: those that linear actuators move are at zero."""
    values = pose()
    return {
        joint: 0.0 if actuator in DRIVEN else values[actuator]
        for joint, actuator in zip(model.joint_names, model.actuator_names, strict=True)
    }


def test_of_a_burst_in_a_busy_node_most_are_passed_over_and_the_newest_gets_its_cycle(
    stream: Stream, model: Model
) -> None:
    """A busy machine may deliver a burst so slowly that the node keeps up with it."""
    values = joints(model)
    stream.send("joint_states", values, stream.tick())
    stream.spin_until(lambda: len(stream.stamps) == 1)
    stream.seconds = 0.005
    for _ in range(BURSTS):
        before = stream.pipeline.statistics.passed_over
        for _ in range(BURST):
            last = stream.tick()
            stream.send("joint_states", values, last)
        stream.spin_until(lambda last=last: stream.stamps[-1] == last)
        if stream.pipeline.statistics.passed_over - before > BURST // 2:
            return
    pytest.fail("most of each burst got cycles")


def test_lengths_that_begin_beside_a_stream_of_joints_are_used_at_once(
    stream: Stream, model: Model
) -> None:
    values = joints(model)
    for count in (1, 2, 3):
        stream.send("joint_states", values, stream.tick())
        stream.spin_until(lambda count=count: len(stream.stamps) == count)
    rest = dict(zip(ACTUATORS, model.zero_position().tolist(), strict=True))
    lengths = {name: rest[name] + 0.001 for name in DRIVEN}
    stamp = stream.tick()
    stream.send("actuator_lengths", lengths, stamp)
    time.sleep(0.01)  # it has come before its joints do
    stream.send("joint_states", values, stamp)
    stream.spin_until(lambda: stream.stamps[-1] == stamp)
    assert stream.torso[-1] == pytest.approx(lengths["torso_actuator"], abs=1e-12)
