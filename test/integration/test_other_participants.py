# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Subscribers that come, go and hang, and another domain: the node goes on beside them."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import rclpy
from counts import full_or
from geometry_msgs.msg import TransformStamped
from graph import Checker
from graph_reports import RATE, TRIES, graph_statuses, is_ok
from node_process import Process
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from robot_inputs import Inputs, joint_state, pose
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

MOST = 0.9  # share of the samples; a node that is held up answers none


@pytest.fixture
def elsewhere() -> Iterator[Node]:
    """A node in another domain, in the same process as the checker."""
    context = Context()
    domain = (int(os.environ.get("ROS_DOMAIN_ID", "0")) + 50) % 100
    rclpy.init(args=[], context=context, domain_id=domain)
    node = Node("elsewhere", context=context)
    yield node
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_another_domain_is_neither_heard_nor_in_the_way(
    checker: Checker, inputs: Inputs, elsewhere: Node
) -> None:
    """Where the same frames and inputs are published, and received, at the same time."""
    frames = elsewhere.create_publisher(TFMessage, "/tf", 10)
    joints = elsewhere.create_publisher(JointState, "joint_states", 10)
    heard: list[Any] = []
    elsewhere.create_subscription(TFMessage, "/tf", heard.append, 10)
    executor = SingleThreadedExecutor(context=elsewhere.context)
    executor.add_node(elsewhere)
    message = TFMessage(transforms=[TransformStamped(child_frame_id="left_tool")])
    stamps: list[int] = []

    def send() -> None:
        inputs.send(pose())
        frames.publish(message)
        stamps.append(inputs.next_stamp())
        joints.publish(joint_state(pose(), stamps[-1]))
        executor.spin_once(timeout_sec=0.0)

    checker.received["/diagnostics"].clear()
    checker.wait_for(lambda: len(heard) >= 75, "messages there", doing=send, rate=50.0)
    graph = graph_statuses(checker)
    assert {status.name for status in graph} == {"/charmie_dynamics: graph"}
    assert all(map(is_ok, graph))
    assert not set(stamps) & set(checker.by_stamp("actuator_efforts"))
    executor.shutdown()


def resources(pid: int) -> Mapping[str, int]:
    """Return the numbers of threads and of open handles of a process."""
    folder = Path(f"/proc/{pid}")
    return {"threads": len(list((folder / "task").iterdir())), "handles": len(handles(folder))}


def handles(folder: Path) -> list[Path]:
    return list((folder / "fd").iterdir())


def share_received(checker: Checker, inputs: Inputs, seconds: float) -> float:
    """Return the share of the samples at 100 Hz whose cycle has come."""
    checker.received["actuator_efforts"].clear()
    sent: set[int] = set()
    end = time.monotonic() + seconds
    checker.wait_for(
        lambda: time.monotonic() > end,
        "time",
        timeout=10.0 * seconds,
        doing=lambda: sent.add(inputs.send(pose())),
        rate=RATE,
    )
    checker.spin(0.2)
    return len(sent & set(checker.by_stamp("actuator_efforts"))) / len(sent)


def best_share(checker: Checker, inputs: Inputs) -> float:
    """Return the largest share of a few tries: on a busy machine the newest sample wins."""
    shares: list[float] = []
    while not shares or (max(shares) <= MOST and len(shares) < TRIES):
        shares.append(share_received(checker, inputs, 1.0))
    return max(shares)


def start_peers(folder: Path, rounds: int) -> Process:
    command = [sys.executable, str(Path(__file__).with_name("peers.py")), str(rounds)]
    return Process(command, folder / f"peers_{rounds}.log")


def rounds_of(peers: Process) -> int:
    return peers.output().count("have received")


def test_twenty_subscribers_that_come_and_go_leave_nothing_behind(
    checker: Checker, inputs: Inputs, node: Process, folder: Path
) -> None:
    """Some rounds, then more: threads and handles as before, no cycle lost."""
    counts = []
    for rounds in (1, full_or(2, 100)):
        with start_peers(folder, rounds) as peers:
            checker.wait_for(
                lambda peers=peers: not peers.is_running(),
                "the end of the rounds",
                timeout=30.0 * rounds,
                doing=lambda: inputs.send(pose()),
                rate=RATE,
            )
            assert "done" in peers.output(), peers.output()
        checker.spin(0.5)
        counts.append(resources(node.pid))
    first, second = counts
    assert all(second[kind] <= first[kind] for kind in first), counts
    assert best_share(checker, inputs) > MOST


@pytest.fixture(scope="module")
def two_peers(checker: Checker, inputs: Inputs, folder: Path) -> Iterator[tuple[Process, Process]]:
    """Two processes that have received, of which the second hangs.

    Both start before one is killed: beside that one, Fast DDS may not find new ones.
    """
    with start_peers(folder, 1000) as first, start_peers(folder, 1001) as second:
        checker.wait_for(
            lambda: rounds_of(first) and rounds_of(second),
            "a round of both",
            doing=lambda: inputs.send(pose()),
            rate=RATE,
        )
        second.send_signal(signal.SIGSTOP)
        yield first, second
        second.send_signal(signal.SIGKILL)


def test_subscribers_that_are_stopped_or_killed_do_not_hold_up_the_node(
    checker: Checker, inputs: Inputs, node: Process, two_peers: tuple[Process, Process]
) -> None:
    first, _ = two_peers
    first.send_signal(signal.SIGSTOP)
    assert best_share(checker, inputs) > MOST
    first.send_signal(signal.SIGKILL)
    assert best_share(checker, inputs) > MOST
    assert "Traceback" not in node.output()


def test_the_node_ends_within_two_seconds_beside_a_subscriber_that_hangs(
    checker: Checker, inputs: Inputs, node: Process, two_peers: tuple[Process, Process]
) -> None:
    """It never confirms what it was sent. To be the last on this node, which it ends."""
    share_received(checker, inputs, 0.5)
    start = time.monotonic()
    node.send_signal(signal.SIGINT)
    assert node.wait() == 0
    assert time.monotonic() - start < 2.0
