# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The processes around the measured node: a publisher, receivers, and a bare echo.

Each is run as ``python -m benchmarks.graph ROLE``. They hold serialized messages alone, because
on a machine with few cores what they cost comes out of the time that the node has.
"""

from __future__ import annotations

import argparse
import gc
import signal
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

from charmie_dynamics import Model, load_model
from charmie_dynamics.live import topics
from charmie_dynamics.live.outputs import output_topics
from charmie_dynamics.live.wire.messages import joint_state, numbers
from charmie_dynamics.motions import make_motion
from charmie_dynamics.ros.outputs.profiles import make_publisher, make_subscription, message_class
from charmie_dynamics.ros.outputs.sender import Sender
from charmie_dynamics.ros.process.executors import make_executor
from charmie_dynamics.simulation.session.topics import EFFORT_COMMANDS

WARM_UP = 1.0  # s
STAMP = struct.Struct("<iI")
AFTER_ENCAPSULATION = 4
MOTION = "wave"


def doubles_of(buffer: bytearray) -> Any:
    """Return a serialized message's body as the doubles that may stand in it."""
    count = (len(buffer) - AFTER_ENCAPSULATION) // 8
    return np.frombuffer(buffer, "<f8", count, AFTER_ENCAPSULATION)


class JointStates:
    """Publishes joint states whose stamp and values are written in place.

    Parameters
    ----------
    node : Node
    topic : str
    names : list of str
    """

    def __init__(self, node: Node, topic: str, names: list[str]) -> None:
        self._template = template = joint_state(names, "", ("position", "velocity"))
        self.position, self.velocity = (
            template.float64[template.places(field)[0, 0] :][: len(names)]
            for field in ("position", "velocity")
        )
        self.publisher = node.create_publisher(JointState, topic, QoSProfile(depth=100))
        self._sender = Sender(self.publisher)

    def publish(self, stamp: int) -> None:
        """Publish the values with a stamp (ns)."""
        self._template.set_stamp(stamp)
        self._sender.send(self._template)

    def close(self) -> None:
        """Let the publisher go."""
        self._sender.close()


def joint_motion(model: Model, rate: float) -> dict[str, Any]:
    """Return positions and velocities of actuators and joints over one period, each (k, n)."""
    motion = make_motion(MOTION, model)
    times = np.arange(0.0, motion.duration, 1.0 / rate)
    _, position, velocity, _ = motion.sampled(times)
    states = [model.kinematics(p, v) for p, v in zip(position, velocity, strict=True)]
    return {
        "actuator_position": position,
        "actuator_velocity": velocity,
        "joint_position": np.array([state.joint_position for state in states]),
        "joint_velocity": np.array([state.joint_velocity for state in states]),
    }


class Source:
    """Publishes a motion at a fixed rate, as the robot does or with all joints in one message.

    Parameters
    ----------
    node : Node
    rate : float
        Samples a second (Hz).
    lengths : bool
        True: in each period the lengths of the linear actuators and, with the same stamp, the
        other joints; False: all joints in one message.
    """

    def __init__(self, node: Node, rate: float, lengths: bool) -> None:
        model = load_model()
        motion = joint_motion(model, rate)
        driven = {a.name for a in model.mechanisms.linear_actuators} if lengths else set()
        columns = [i for i, name in enumerate(model.actuator_names) if name in driven]
        rest = [i for i in range(len(model.joint_names)) if i not in columns]
        self._rate, self._row = rate, 0
        self._joints = JointStates(node, "joint_states", [model.joint_names[i] for i in rest])
        self._streams = [
            (self._joints, motion["joint_position"][:, rest], motion["joint_velocity"][:, rest])
        ]
        if lengths:
            names = [model.actuator_names[i] for i in columns]
            values = (motion[f"actuator_{kind}"][:, columns] for kind in ("position", "velocity"))
            # first, so that the joints complete a sample
            self._streams.insert(0, (JointStates(node, "actuator_lengths", names), *values))

    def wait_for_listeners(self, count: int) -> None:
        """Wait until that many subscribe to each topic."""
        for stream, _, _ in self._streams:
            while stream.publisher.get_subscription_count() < count:
                time.sleep(0.01)

    def publish(self, seconds: float) -> None:
        """Publish for some seconds after a warm-up.

        Prints ``begin`` and ``end``, with the stamps of the first and the last sample between
        them and their number. The stamps are those of the monotonic clock, taken just before a
        sample is sent.
        """
        period = 1.0 / self._rate
        warm, count = round(WARM_UP * self._rate), round(seconds * self._rate)
        first = last = 0
        due = time.monotonic()
        for k in range(warm + count):
            due += period
            self._fill()
            time.sleep(max(0.0, due - time.monotonic()))
            last = time.monotonic_ns()
            for stream, _, _ in self._streams:
                stream.publish(last)
            if k == warm:
                first = last
                print("begin", flush=True)
        print(f"end {first} {last} {count}", flush=True)

    def close(self) -> None:
        """Let the publishers go."""
        for stream, _, _ in self._streams:
            stream.close()

    def _fill(self) -> None:
        for stream, position, velocity in self._streams:
            row = self._row % len(position)
            stream.position[:] = position[row]
            stream.velocity[:] = velocity[row]
        self._row += 1


def publish(rate: float, lengths: bool, listeners: int) -> None:
    """Publish for each number of seconds that comes on standard input, until that ends."""
    node = Node("benchmark_publisher")
    source = Source(node, rate, lengths)
    source.wait_for_listeners(listeners)
    print("ready: publisher", flush=True)
    # what is still on its way at the end of a turn must not die with the publisher
    for line in sys.stdin:
        source.publish(float(line))
    source.close()
    node.destroy_node()


def receive(names: list[str], output: Path) -> None:
    """Note stamp and arrival (ns) of each message until a signal comes, then write them."""
    node = Node(f"benchmark_receiver_{output.stem}")
    table = {topic.name: topic for topic in output_topics()}
    notes: dict[str, list[tuple[int, int]]] = {name: [] for name in names}

    def receiver(name: str) -> Callable[[bytes], None]:
        note = notes[name].append
        # a sequence of stamped parts has its length before the first stamp
        parts = name in (topics.TF.name, topics.MARKERS.name)
        place = AFTER_ENCAPSULATION + (4 if parts else 0)

        def on_message(data: bytes) -> None:
            arrival = time.monotonic_ns()
            seconds, nanoseconds = STAMP.unpack_from(data, place)
            note((seconds * 10**9 + nanoseconds, arrival))

        return on_message

    for name in names:
        node.create_subscription(
            message_class(table[name]), name, receiver(name), QoSProfile(depth=2000), raw=True
        )
    print("ready: receiver", flush=True)
    spin(node, make_executor())
    arrays: Any = {name: np.array(note).reshape(-1, 2) for name, note in notes.items()}
    np.savez(output, **arrays)


def echo(lengths: bool) -> None:
    """Send each message of the joints on as actuator efforts, and compute nothing.

    With lengths their topic is received too, at its full rate, and nothing is sent for it: the
    node, too, answers a sample once, when its joints come. What the node publishes beside the
    efforts (frames, springs, resolved joints, base wrench, markers) has no part in the echo. It
    publishes in rclpy's way, on the middleware as it comes.
    """
    node = Node("charmie_dynamics")
    publisher = make_publisher(node, topics.ACTUATOR_EFFORTS)

    def on_joints(data: bytes) -> None:
        buffer = bytearray(data)
        doubles_of(buffer)[-1] = 0.0
        publisher.publish(bytes(buffer))

    def on_lengths(data: bytes) -> None:
        pass

    joints, actuator_lengths = topics.INPUTS
    if lengths:
        make_subscription(node, actuator_lengths, on_lengths, raw=True)
    make_subscription(node, joints, on_joints, raw=True)
    print("ready: echo", flush=True)
    spin(node, make_executor())


def answer(name: str) -> None:
    """Send an effort of zero for each actuator of CHARMIE, for each message of the joints."""
    node = Node("benchmark_answer")
    publisher = make_publisher(node, replace(EFFORT_COMMANDS, name=name))
    efforts = numbers(len(load_model().actuator_names))
    sender = Sender(publisher)
    make_subscription(node, topics.INPUTS[0], lambda _: sender.send(efforts), raw=True)
    print("ready: answer", flush=True)
    spin(node, make_executor())


def observe(name: str, output: Path) -> None:
    """Note arrivals (ns) of joint states and efforts until a signal comes, then write them."""
    node = Node("benchmark_observer")
    notes: dict[str, list[int]] = {"states": [], "answers": []}
    heard = topics.INPUTS[0], replace(EFFORT_COMMANDS, name=name)
    for key, topic in zip(notes, heard, strict=True):
        receive = partial(_note_arrival, notes[key])
        node.create_subscription(
            message_class(topic), topic.name, receive, QoSProfile(depth=2000), raw=True
        )
    print("ready: observer", flush=True)
    spin(node, make_executor())
    arrays: Any = {key: np.array(note) for key, note in notes.items()}
    np.savez(output, **arrays)


def _note_arrival(notes: list[int], _: bytes) -> None:
    notes.append(time.monotonic_ns())


def spin(node: Node, executor: Executor) -> None:
    """Spin a node until a signal ends the context."""
    # as the node does: to go through all objects in search of cycles takes 30 ms, for which a
    # receiver would blame the messages that come meanwhile
    gc.collect()
    gc.freeze()
    executor.add_node(node)
    try:
        executor.spin()
    except ExternalShutdownException:
        pass
    node.destroy_node()


def main() -> None:
    """Run one role."""
    parser = argparse.ArgumentParser(description=__doc__)
    roles = parser.add_subparsers(dest="role", required=True)
    publisher = roles.add_parser("publish")
    publisher.add_argument("rate", type=float)
    publisher.add_argument("listeners", type=int)
    publisher.add_argument("--lengths", action="store_true")
    receiver = roles.add_parser("receive")
    receiver.add_argument("output", type=Path)
    receiver.add_argument("topics", nargs="+")
    observer = roles.add_parser("observe")
    observer.add_argument("output", type=Path)
    observer.add_argument("topic")
    roles.add_parser("answer").add_argument("topic")
    echoing = roles.add_parser("echo")
    echoing.add_argument("--lengths", action="store_true")
    given = parser.parse_args()
    signal.signal(signal.SIGINT, lambda *_: None)
    rclpy.init(args=[])
    try:
        if given.role == "publish":
            publish(given.rate, given.lengths, given.listeners)
        elif given.role == "receive":
            receive(given.topics, given.output)
        elif given.role == "observe":
            observe(given.topic, given.output)
        elif given.role == "answer":
            answer(given.topic)
        else:
            echo(given.lengths)
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
