# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The checking side of the graph: collects messages and waits for conditions."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import AccelStamped, PointStamped, TwistStamped, WrenchStamped
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSDurabilityPolicy, QoSProfile
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from charmie_dynamics.ros.process.executors import make_executor

# the contract, written down here once more on purpose
TYPES: dict[str, Any] = {
    "joint_states": JointState,
    "actuator_lengths": JointState,
    "/tf": TFMessage,
    "/tf_static": TFMessage,
    "actuator_efforts": JointState,
    "resolved_joint_states": JointState,
    "markers": MarkerArray,
    "base_wrench": WrenchStamped,
    "stability": PointStamped,
    "effort_residual": JointState,
    "external_efforts": JointState,
    "contacts": JointState,
    "spring_forces": JointState,
    "cylinder_efforts": JointState,
    "estimator_settling": JointState,
    "tracked_points/left_tool/twist": TwistStamped,
    "tracked_points/left_tool/accel": AccelStamped,
    "tracked_points/right_tool/twist": TwistStamped,
    "tracked_points/right_tool/accel": AccelStamped,
    "robot_description": String,
    "clearance": DiagnosticArray,
    "/diagnostics": DiagnosticArray,
}
TOPICS = tuple(TYPES)  # tests of other nodes add theirs to the types
LATCHED = ("/tf_static", "robot_description")
ANY_ROBOT = ("/tf", "actuator_efforts", "resolved_joint_states", "spring_forces", "base_wrench")
# of the default robot
POINTS = tuple(topic for topic in TYPES if topic.startswith("tracked_points/"))
# of a robot whose wheel contacts are known, with these points
EACH_CYCLE = (*ANY_ROBOT, "stability", *POINTS)
OUTPUTS = (*EACH_CYCLE, "markers")

PATIENCE = 60.0  # s: a machine may be busy
DEPTH = 2000


def qos_of(topic: str) -> QoSProfile:
    """Return a profile that keeps everything."""
    qos = QoSProfile(depth=DEPTH)
    if topic in LATCHED:
        qos.durability = QoSDurabilityPolicy.TRANSIENT_LOCAL
    return qos


def nanoseconds(stamp: Any) -> int:
    """Return a message's time in nanoseconds."""
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def stamps_of(message: Any) -> set[int]:
    """Return all distinct stamps in a message."""
    if hasattr(message, "header"):
        return {nanoseconds(message.header.stamp)}
    parts = message.transforms if hasattr(message, "transforms") else message.markers
    return {nanoseconds(part.header.stamp) for part in parts}


def stamp_of(message: Any) -> int:
    """Return the one stamp of a message."""
    (stamp,) = stamps_of(message)
    return stamp


@contextmanager
def refusing_node(*parameters: Parameter) -> Iterator[Node]:
    """Yield a node in this process with the parameters of a command line, none declared."""
    with Checker():
        node = Node("refusing", parameter_overrides=list(parameters))
        yield node
        node.destroy_node()


class Checker:
    """A node in the test's own process which collects messages by topic.

    Parameters
    ----------
    topics : iterable of str
        Names as in `TYPES`; relative ones follow the namespace.
    namespace : str
    raw : bool
        True: collect the serialized messages.
    """

    def __init__(
        self,
        topics: Iterable[str] = (),
        *,
        namespace: str = "",
        name: str = "checker",
        raw: bool = False,
    ) -> None:
        # one context for all tests; those of launch_testing know no fixtures
        if not rclpy.ok():
            rclpy.init()
        self.node = rclpy.create_node(name, namespace=namespace or None)
        self._executor = make_executor()
        self._executor.add_node(self.node)
        self.received: dict[str, list[Any]] = defaultdict(list)
        self.subscriptions = {
            topic: self.node.create_subscription(
                TYPES[topic], topic, self.received[topic].append, qos_of(topic), raw=raw
            )
            for topic in topics
        }

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()

    def spin(self, seconds: float) -> None:
        """Handle callbacks for some time."""
        end = time.monotonic() + seconds
        while True:
            self._spin_once(max(0.0, end - time.monotonic()))
            if time.monotonic() >= end:
                return

    def wait_for(
        self,
        condition: Callable[[], Any],
        what: str,
        *,
        timeout: float = PATIENCE,
        doing: Callable[[], Any] | None = None,
        rate: float = 50.0,
    ) -> Any:
        """Return the first true result of `condition`, calling `doing` at `rate` until then."""
        deadline = time.monotonic() + timeout
        due = time.monotonic()
        while True:
            result = condition()
            if result:
                return result
            now = time.monotonic()
            if now > deadline:
                counts = {topic: len(messages) for topic, messages in self.received.items()}
                raise AssertionError(f"waited {timeout} s in vain for {what}; received: {counts}")
            if doing is not None and now >= due:
                doing()
                due = now + 1.0 / rate
            self._spin_once(0.005)

    def _spin_once(self, timeout: float) -> None:
        # events of a subscription may be queued when a test destroys it
        with suppress(InvalidHandle):
            self._executor.spin_once(timeout_sec=timeout)

    def wait_for_publishers(self) -> None:
        """Wait until each subscription has found a publisher."""
        self.wait_for(
            lambda: all(self.node.count_publishers(topic) for topic in self.subscriptions),
            f"publishers of {', '.join(self.subscriptions)}",
        )

    def by_stamp(self, topic: str) -> dict[int, Any]:
        """Return the messages of a topic by their stamps."""
        return {stamp_of(message): message for message in self.received[topic]}

    def is_settled(self, stamp: int) -> bool:
        """Return whether estimates were settled at a stamp: the last message tells."""
        messages = self.by_stamp("estimator_settling")
        before = [each for each in messages if each <= stamp]
        return bool(before) and messages[max(before)].position[0] == 0.0

    def forget(self) -> None:
        """Drop what was received so far; messages on their way come later nevertheless."""
        for messages in self.received.values():
            messages.clear()

    def drain(self, quiet: float = 0.2) -> None:
        """Handle callbacks until no message has arrived for `quiet` seconds."""
        count, since = -1, time.monotonic()

        def is_quiet() -> bool:
            nonlocal count, since
            before, count = count, sum(map(len, self.received.values()))
            if count != before:
                since = time.monotonic()
            return time.monotonic() - since >= quiet

        self.wait_for(is_quiet, "an end of the messages")

    def call(self, service: Any, name: str, request: Any) -> Any:
        """Call a service and return its response."""
        client = self.node.create_client(service, name)
        try:
            self.wait_for(client.service_is_ready, f"service {name}")
            self.spin(0.2)  # the service drops its response until it has found the client, too
            future = client.call_async(request)
            self.wait_for(future.done, f"response of {name}")
            return future.result()
        finally:
            self.node.destroy_client(client)

    def last_status(self, name: str) -> DiagnosticStatus | None:
        """Return the newest diagnostic status whose name ends with `name`."""
        for array in reversed(self.received["/diagnostics"]):
            for status in array.status:
                if status.name.endswith(name):
                    return status
        return None

    def wait_for_status(
        self,
        name: str,
        condition: Callable[[DiagnosticStatus, Mapping[str, str]], Any],
        what: str,
        **options: Any,
    ) -> DiagnosticStatus:
        """Wait for a new diagnostic status for which ``condition(status, values)`` holds."""
        self.received["/diagnostics"].clear()

        def find() -> DiagnosticStatus | None:
            status = self.last_status(name)
            if status is None:
                return None
            values = {item.key: item.value for item in status.values}
            return status if condition(status, values) else None

        try:
            found: DiagnosticStatus = self.wait_for(find, what, **options)
        except AssertionError as error:
            raise AssertionError(f"{error}; last status: {self.last_status(name)}") from None
        return found


def to_time(stamp: int) -> Any:
    """Return nanoseconds as a message's time."""
    return Time(nanoseconds=stamp).to_msg()
