# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults in when messages come, and from whom.

Generators as in `bad_messages`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import rclpy
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

from charmie_dynamics.live.outputs import output_topics
from charmie_dynamics.live.tracked_points import point_names
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.ros.outputs.profiles import message_class, qos_profile
from charmie_dynamics.ros.process.executors import make_executor

from .feed import NANOSECONDS, Feed

REPEATED = 10  # samples
STALE = 1.0  # s without an input, whose timeout is 0.5 s
# s after which a sample that lacks an input must give no output; late arrivals leave some room
SURELY_STALE = 0.9
BURST = 5000.0  # Hz
BURST_COUNT = 1000
HELD = 0.3  # s
FARTHEST_BACK = 2 * 3600 * NANOSECONDS


def missing_joint(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Leave one joint out for longer than the timeout."""
    lost = feed.joints[rng.integers(len(feed.joints))]
    rest = [name for name in feed.joints if name != lost]
    for k in range(round(STALE * feed.rate)):
        feed.step()
        stamp = feed.stamp()
        if k > SURELY_STALE * feed.rate:
            feed.refused.add(stamp)
        feed.publish(ACTUATOR_LENGTHS, feed.message(feed.lengths, stamp))
        feed.publish(JOINT_STATES, feed.message(rest, stamp))
        yield


def stale_lengths(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send joint states alone for longer than the timeout."""
    count = round(STALE * feed.rate)
    for k in range(count):
        feed.step()
        stamp = feed.stamp()
        # the last one rightly gets its output when the lengths come
        if SURELY_STALE * feed.rate < k < count - 1:
            feed.refused.add(stamp)
        feed.publish(JOINT_STATES, feed.message(feed.joints, stamp))
        yield


def stale_joints(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send actuator lengths alone for longer than the timeout."""
    for _ in range(round(STALE * feed.rate)):
        feed.step()
        feed.publish(ACTUATOR_LENGTHS, feed.message(feed.lengths, feed.stamp()))
        yield


def time_back(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Turn stamps back by 0.1 s, 1 s or 1 h for good; after two hours, forward to now."""
    if feed.offset < -FARTHEST_BACK:
        feed.turn_back(feed.offset / NANOSECONDS)
    else:
        feed.turn_back(float(rng.choice((0.1, 1.0, 3600.0))))
    yield from ()


def zero_stamps(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send messages without a stamp."""
    for _ in range(REPEATED):
        feed.step()
        feed.send(feed.message(feed.lengths, 0), feed.message(feed.joints, 0))
        yield


def repeated_stamps(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send samples with the stamp of the one before."""
    stamp = feed.good()
    for _ in range(REPEATED):
        yield
        feed.step()
        feed.send(feed.message(feed.lengths, stamp), feed.message(feed.joints, stamp))


def disorder(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send samples in the wrong order, two and two."""
    for _ in range(REPEATED // 2):
        one, other = feed.pair(), feed.pair()
        feed.send(*other)
        yield
        feed.send(*one)
        yield


def burst(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send a thousand samples at 5 kHz."""
    feed.burst(BURST_COUNT, 1.0 / BURST)
    yield


def full_queues(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send more than its queues hold while the node gets no time to run (SIGSTOP)."""
    feed.hold()
    try:
        feed.burst(BURST_COUNT, 1.0 / BURST)
    finally:
        feed.go_on()
    yield


def held_up(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Give the node no time to run for a while (SIGSTOP), while samples come."""
    feed.hold()
    try:
        for _ in range(round(HELD * feed.rate)):
            feed.good()
            yield
    finally:
        feed.go_on()


def publisher_restart(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """End the publishers and make others, with another order of the names."""
    feed.shuffle(rng)
    for topic in (ACTUATOR_LENGTHS, JOINT_STATES):
        feed.restart(topic)
    yield


def two_publishers(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send half of the joints from one publisher, half from another, lengths one by one."""
    other = feed.node.create_publisher(JointState, JOINT_STATES, QoSProfile(depth=100))
    half = len(feed.joints) // 2
    for _ in range(3 * REPEATED):
        feed.step()
        for name in feed.lengths:
            feed.publish(ACTUATOR_LENGTHS, feed.message([name], feed.stamp()))
        feed.publish(JOINT_STATES, feed.message(feed.joints[:half], feed.stamp()))
        other.publish(feed.message(feed.joints[half:], feed.stamp()))
        yield
    feed.node.destroy_publisher(other)


def subscribers(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Let another participant subscribe to everything and go again."""
    thread = threading.Thread(target=_listen_for_a_while, args=(float(rng.uniform(0.2, 0.6)),))
    thread.start()
    while thread.is_alive():
        feed.good()
        yield


def _listen_for_a_while(seconds: float) -> None:
    context = rclpy.Context()
    rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("passer_by", context=context)
    for topic in output_topics(point_names()):
        qos = QoSProfile(depth=10, durability=qos_profile(topic.qos).durability)
        node.create_subscription(message_class(topic), topic.name, lambda _: None, qos, raw=True)
    executor = make_executor(context=context)
    executor.add_node(node)
    timer = threading.Timer(seconds, context.shutdown)
    timer.start()
    try:
        executor.spin()
    except rclpy.executors.ExternalShutdownException:
        pass
    timer.join()
    node.destroy_node()
    context.destroy()
