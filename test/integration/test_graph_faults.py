# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Other nodes that do not fit, publish this node's frames, or come and go, beside the real node."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import rclpy
from counts import full_or
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from graph import EACH_CYCLE, TYPES, Checker
from node_process import Process, start_dynamics_node
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.duration import Duration, Infinite
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import (
    QoSCompatibility,
    QoSDurabilityPolicy,
    QoSLivelinessPolicy,
    QoSProfile,
    QoSReliabilityPolicy,
    qos_check_compatible,
)
from rclpy.serialization import serialize_message
from robot_inputs import Inputs, joint_state, pose
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from charmie_dynamics.live import topics
from charmie_dynamics.live.wire.cdr import CdrError
from charmie_dynamics.live.wire.transform_layout import TransformLayout, first_stamp
from charmie_dynamics.ros.outputs.profiles import make_subscription
from charmie_dynamics.ros.process.executors import WaitSetExecutor, make_executor
from charmie_dynamics.ros.watch.own_transforms import OwnStamps
from charmie_dynamics.ros.watch.qos_watch import QosWatch, incompatible_policies

WITHIN = 1.0  # s, from the fault to its report
TRIES = 3  # the machine may be busy
RATE = 100.0  # Hz
OUTPUTS = (*EACH_CYCLE, "markers", "/tf_static", "robot_description", "/diagnostics")
DEADLINE = Duration(seconds=0.05)
UNFIT: dict[str, dict[str, Any]] = {
    "DURABILITY": {"durability": QoSDurabilityPolicy.TRANSIENT_LOCAL},
    "DEADLINE": {"deadline": DEADLINE},
    "LIVELINESS": {"liveliness": QoSLivelinessPolicy.MANUAL_BY_TOPIC},
    "LIVELINESS_LEASE_DURATION": {"liveliness_lease_duration": Duration(seconds=3.0)},
}


@pytest.fixture(scope="module")
def node(folder: Path) -> Iterator[Process]:
    with start_dynamics_node(folder) as process:
        yield process


@pytest.fixture(scope="module")
def checker(node: Process) -> Iterator[Checker]:
    with Checker(("/diagnostics", "actuator_efforts")) as checker:
        yield checker


@pytest.fixture(scope="module")
def inputs(checker: Checker) -> Inputs:
    inputs = Inputs(checker)
    inputs.connect(pose(), ("actuator_efforts",))
    return inputs


def graph_status(
    checker: Checker,
    condition: Callable[[DiagnosticStatus], Any],
    what: str,
    node: str = "/charmie_dynamics",
    **options: Any,
) -> DiagnosticStatus:
    return checker.wait_for_status(
        f"{node}: graph", lambda status, _: condition(status), what, **options
    )


def is_ok(status: DiagnosticStatus) -> bool:
    return status.level == DiagnosticStatus.OK


def graph_statuses(checker: Checker) -> list[DiagnosticStatus]:
    """Return all statuses about the graph since the diagnostics were last cleared."""
    statuses = [s for array in checker.received["/diagnostics"] for s in array.status]
    return [status for status in statuses if status.name.endswith(": graph")]


def quickest(attempt: Callable[[], float]) -> float:
    """Return the least time of a few attempts, the first of which is usually quick enough."""
    times: list[float] = []
    while not times or (min(times) > WITHIN and len(times) < TRIES):
        times.append(attempt())
    return min(times)


@contextmanager
def subscription(checker: Checker, topic: str, **policies: Any) -> Iterator[None]:
    qos = QoSProfile(depth=5, **policies)
    made = checker.node.create_subscription(TYPES[topic], topic, lambda _: None, qos)
    try:
        yield
    finally:
        checker.node.destroy_subscription(made)


@pytest.mark.parametrize(
    ("topic", "policy"),
    [
        ("actuator_efforts", "DURABILITY"),
        ("/tf", "DURABILITY"),
        ("resolved_joint_states", "DEADLINE"),
        ("robot_description", "DEADLINE"),
        ("markers", "LIVELINESS"),
        ("base_wrench", "LIVELINESS_LEASE_DURATION"),
    ],
)
def test_an_unfit_subscription_is_reported_within_a_second_by_its_policy(
    checker: Checker, inputs: Inputs, topic: str, policy: str
) -> None:
    """Who it is and what does not fit, which the graph knows a little after the middleware's event.

    The event alone has another name for some policies (Cyclone DDS).
    """

    def attempt() -> float:
        graph_status(checker, is_ok, "no fault")
        start = time.monotonic()
        with subscription(checker, topic, **UNFIT[policy]):
            report = f"incompatible QoS on {topic}: {policy} of /checker"
            status = graph_status(checker, lambda s: s.message == report, report)
            seconds = time.monotonic() - start
            subject, value = report.split(": ")
            assert status.level == DiagnosticStatus.WARN
            assert {item.key: item.value for item in status.values} == {subject: value}
        return seconds

    assert quickest(attempt) < WITHIN


def test_unfit_subscriptions_to_all_topics_are_reported_until_they_go(
    checker: Checker, inputs: Inputs, node: Process
) -> None:
    """With the name of the node that has them, once in the log."""
    qos = QoSProfile(depth=5, deadline=DEADLINE)
    made = [
        checker.node.create_subscription(TYPES[topic], topic, lambda _: None, qos)
        for topic in OUTPUTS
    ]
    parts = [f"incompatible QoS on {topic}: DEADLINE of /checker" for topic in OUTPUTS]
    try:
        graph_status(
            checker, lambda status: all(part in status.message for part in parts), "all topics"
        )
    finally:
        for subscribed in made:
            checker.node.destroy_subscription(subscribed)
    graph_status(checker, is_ok, "no fault any more")
    assert node.output().count("incompatible QoS on spring_forces") == 1


@pytest.mark.parametrize(
    "policies",
    [
        {"reliability": QoSReliabilityPolicy.BEST_EFFORT},
        {"durability": QoSDurabilityPolicy.TRANSIENT_LOCAL},
        {"deadline": DEADLINE, "liveliness": QoSLivelinessPolicy.MANUAL_BY_TOPIC},
    ],
)
def test_the_inputs_take_from_publishers_of_any_quality_of_service(
    checker: Checker, inputs: Inputs, policies: dict[str, Any]
) -> None:
    qos = QoSProfile(depth=10, **policies)
    publisher = checker.node.create_publisher(JointState, "joint_states", qos)
    stamp = inputs.next_stamp()
    values = pose()

    def send() -> None:
        for name in ("lift_actuator", "torso_actuator"):
            inputs.lengths.publish(joint_state({name: values[name]}, stamp))
        publisher.publish(
            joint_state({k: v for k, v in values.items() if "actuator" not in k}, stamp)
        )

    try:
        checker.wait_for(
            lambda: stamp in checker.by_stamp("actuator_efforts"), "a cycle", doing=send, rate=20.0
        )
    finally:
        checker.node.destroy_publisher(publisher)
    graph_status(checker, is_ok, "no fault")


def profiles() -> Iterator[QoSProfile]:
    for reliability, durability, deadline, liveliness, lease in itertools.product(
        (QoSReliabilityPolicy.RELIABLE, QoSReliabilityPolicy.BEST_EFFORT),
        (QoSDurabilityPolicy.VOLATILE, QoSDurabilityPolicy.TRANSIENT_LOCAL),
        (Duration(), Duration(seconds=0.1), Duration(seconds=1.0)),
        (QoSLivelinessPolicy.AUTOMATIC, QoSLivelinessPolicy.MANUAL_BY_TOPIC),
        (Duration(), Duration(seconds=0.1)),
    ):
        yield QoSProfile(
            depth=1,
            reliability=reliability,
            durability=durability,
            deadline=deadline,
            liveliness=liveliness,
            liveliness_lease_duration=lease,
        )


def test_policies_are_incompatible_where_the_middleware_says_so() -> None:
    wrong = [
        (offered, requested)
        for offered, requested in itertools.product(profiles(), repeat=2)
        if bool(incompatible_policies(offered, requested))
        != (qos_check_compatible(offered, requested)[0] == QoSCompatibility.ERROR)
    ]
    assert wrong == []


AS_TOLD = {
    "deadline": Infinite,
    "liveliness": QoSLivelinessPolicy.AUTOMATIC,
    "liveliness_lease_duration": Infinite,
}


def test_a_policy_left_open_goes_with_what_the_graph_tells_of_it() -> None:
    own, told = QoSProfile(depth=1), QoSProfile(depth=1, **AS_TOLD)
    assert incompatible_policies(own, told) == incompatible_policies(told, own) == []


@pytest.mark.parametrize("policy", UNFIT)
def test_each_incompatible_policy_is_named_whatever_else_is_left_open(policy: str) -> None:
    offers = (QoSProfile(depth=1), QoSProfile(depth=1, **AS_TOLD))
    for offered in offers:
        requested = QoSProfile(depth=1, **UNFIT[policy])
        assert incompatible_policies(offered, requested) == [policy]
    everything = QoSProfile(depth=1, **{k: v for unfit in UNFIT.values() for k, v in unfit.items()})
    offered = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)
    assert incompatible_policies(offered, everything) == ["RELIABILITY", *UNFIT]


@pytest.mark.parametrize("make", [make_executor, WaitSetExecutor])
def test_an_unfit_publisher_is_known_with_its_policy_until_it_goes(make: Any) -> None:
    """The node's own inputs fit everything, so this subscription is a stricter one."""
    context = Context()
    rclpy.init(args=[], context=context)
    executor = make(context=context)
    listener = Node("strict", context=context)
    talker = Node("unfit", context=context)
    told: list[dict[str, Any]] = []
    topic = topics.Topic("strictly", "std_msgs/msg/String", topics.Qos(depth=1))
    watch = QosWatch(listener, lambda: told.append(watch.incompatible()))
    events = watch.subscription_events(topic)
    make_subscription(listener, topic, lambda _: None, event_callbacks=events)
    executor.add_node(listener)
    qos = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)
    publisher = talker.create_publisher(String, "strictly", qos)
    deadline = time.monotonic() + 20.0

    def look() -> None:
        watch.look(time.monotonic())
        if watch.incompatible() == {"strictly": (["RELIABILITY"], ["/unfit"])}:
            talker.destroy_publisher(publisher)
        if (told and not watch.incompatible()) or time.monotonic() > deadline:
            rclpy.try_shutdown(context=context)

    listener.create_timer(0.05, look)
    try:
        executor.spin()
    except ExternalShutdownException:
        pass
    assert told[0]["strictly"][0] == ["RELIABILITY"]
    assert watch.incompatible() == {}
    talker.destroy_node()
    listener.destroy_node()


class Broadcaster:
    """A node of its own that publishes transforms."""

    def __init__(self, topic: str = "/tf", name: str = "broadcaster") -> None:
        latched = topic == "/tf_static"
        self.node = rclpy.create_node(name)
        durability = (
            QoSDurabilityPolicy.TRANSIENT_LOCAL if latched else QoSDurabilityPolicy.VOLATILE
        )
        self._publisher = self.node.create_publisher(
            TFMessage, topic, QoSProfile(depth=100, durability=durability)
        )

    def send(self, *children: str) -> None:
        message = TFMessage(transforms=[TransformStamped() for _ in children])
        now = self.node.get_clock().now().to_msg()
        for transform, child in zip(message.transforms, children, strict=True):
            transform.header.stamp = now
            transform.header.frame_id = "somewhere"
            transform.child_frame_id = child
            transform.transform.rotation.w = 1.0
        self._publisher.publish(message)

    def __enter__(self) -> Broadcaster:
        return self

    def __exit__(self, *_: object) -> None:
        self.node.destroy_node()


def play(inputs: Inputs, *others: Callable[[], Any]) -> Callable[[], None]:
    """Return what sends one sample, and lets others do something each fifth time."""
    numbers = itertools.count()

    def step() -> None:
        inputs.send(pose())
        if next(numbers) % 5 == 0:
            for other in others:
                other()

    return step


def listeners(checker: Checker) -> int:
    """Return how many subscriptions to transforms the nodes of this module have.

    Cyclone DDS remembers in this process nodes of earlier modules, which had namespaces, if they
    ended while there was no checker.
    """
    infos = [
        info
        for topic in ("/tf", "/tf_static")
        for info in checker.node.get_subscriptions_info_by_topic(topic)
    ]
    watches = (info for info in infos if "transform_watch" in info.node_name)
    return sum(info.node_namespace == "/" for info in watches)


@pytest.mark.parametrize(
    ("topic", "frame"),
    [
        ("/tf", "left_tool"),
        ("/tf", "base_footprint"),  # which wheel odometry likes to publish
        ("/tf_static", "base_link"),
        ("/tf_static", "left_tool"),
    ],
)
def test_a_frame_that_another_node_publishes_too_is_reported_within_a_second(
    checker: Checker, inputs: Inputs, topic: str, frame: str
) -> None:
    def attempt() -> float:
        graph_status(checker, is_ok, "no fault", doing=play(inputs), rate=RATE)
        with Broadcaster(topic) as other:
            start = time.monotonic()
            other.send("its_own", frame)
            repeat = (lambda: other.send("its_own", frame)) if topic == "/tf" else lambda: None
            status = graph_status(
                checker,
                lambda s: f"transforms published by another node too: {frame}" == s.message,
                f"a report of {frame}",
                doing=play(inputs, repeat),
                rate=RATE,
            )
            seconds = time.monotonic() - start
        assert status.level == DiagnosticStatus.ERROR
        values = {item.key: item.value for item in status.values}
        assert values["other publishers of transforms"] == "/broadcaster"
        return seconds

    assert quickest(attempt) < WITHIN
    graph_status(checker, is_ok, "no fault any more", doing=play(inputs), rate=RATE)


def test_other_frames_are_no_conflict_and_are_listened_to_only_while_they_come(
    checker: Checker, inputs: Inputs
) -> None:
    checker.wait_for(lambda: listeners(checker) == 0, "no subscription to transforms")
    with Broadcaster("/tf") as odometry, Broadcaster("/tf_static", "laser") as laser:
        laser.send("laser")
        step = play(inputs, lambda: odometry.send("odom", "map"))
        checker.wait_for(lambda: listeners(checker) == 2, "its subscriptions", doing=step)
        checker.received["/diagnostics"].clear()
        checker.wait_for(
            lambda: len(graph_statuses(checker)) >= 2, "two reports", doing=step, rate=RATE
        )
        graph = graph_statuses(checker)
        assert all(map(is_ok, graph))
    checker.wait_for(lambda: listeners(checker) == 0, "no subscription to transforms")


def set_prefix(checker: Checker, node: str, prefix: str) -> None:
    value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=prefix)
    request = SetParameters.Request(parameters=[Parameter(name="frame_prefix", value=value)])
    (result,) = checker.call(SetParameters, f"{node}/set_parameters", request).results
    assert result.successful, result.reason


def test_two_nodes_of_the_same_inputs_conflict_as_long_as_their_frames_are_the_same(
    checker: Checker, inputs: Inputs, folder: Path, model: Any
) -> None:
    """All messages of the two are the same, stamps included."""
    names = ("/charmie_dynamics", "/second")

    def wait(condition: Callable[[DiagnosticStatus], Any], what: str) -> None:
        for name in names:
            graph_status(checker, condition, f"{what} of {name}", name, doing=step, rate=RATE)

    step = play(inputs)
    with start_dynamics_node(folder, {"frame_prefix": "two/"}, name="second"):
        checker.wait_for(lambda: listeners(checker) == 4, "their listeners", doing=step, rate=RATE)
        checker.received["/diagnostics"].clear()
        checker.wait_for(
            lambda: len(graph_statuses(checker)) >= 4, "reports", doing=step, rate=RATE
        )
        graph = graph_statuses(checker)
        assert {s.name.split(":")[0] for s in graph} == set(names)
        assert all(map(is_ok, graph)), [s.message for s in graph]
        set_prefix(checker, "/second", "")
        wait(lambda s: f" and {len(model.frame_names) - 8} more" in s.message, "all frames")
        set_prefix(checker, "/second", "two/")
        wait(is_ok, "no conflict")


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
    while not shares or (max(shares) <= 0.98 and len(shares) < TRIES):
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
    assert best_share(checker, inputs) > 0.98


def test_subscribers_that_are_stopped_or_killed_do_not_hold_up_the_node(
    checker: Checker, inputs: Inputs, node: Process, folder: Path
) -> None:
    with start_peers(folder, 1000) as peers:
        checker.wait_for(
            lambda: rounds_of(peers), "a round", doing=lambda: inputs.send(pose()), rate=RATE
        )
        peers.send_signal(signal.SIGSTOP)
        assert best_share(checker, inputs) > 0.98
        peers.send_signal(signal.SIGKILL)
        assert best_share(checker, inputs) > 0.98
    assert "Traceback" not in node.output()


def test_a_layout_holds_the_child_frames_and_fits_messages_of_the_same_names() -> None:
    message = TFMessage(transforms=[TransformStamped() for _ in range(3)])
    for number, transform in enumerate(message.transforms):
        transform.header.frame_id = "parent" * number
        transform.child_frame_id = f"child_{number}"
    message.transforms[0].header.stamp.sec, message.transforms[0].header.stamp.nanosec = 7, 9
    data = bytes(serialize_message(message))
    layout = TransformLayout(data)
    assert layout.children == {"child_0", "child_1", "child_2"}
    assert first_stamp(data) == 7_000_000_009
    message.transforms[2].transform.translation.x = 5.0
    message.transforms[1].header.stamp.sec = 3
    assert layout.fits(bytes(serialize_message(message)))
    padded = bytearray(data)
    padded[16 + 4 + 1] ^= 0xFF  # behind the empty parent of the first, what no serialiser clears
    assert layout.fits(bytes(padded))
    assert layout.begins(bytes(padded))
    message.transforms[2].child_frame_id = "child_9"
    other = bytes(serialize_message(message))
    assert not layout.fits(other)
    assert layout.begins(other)
    message.transforms[0].child_frame_id = "child_8"
    assert not layout.begins(bytes(serialize_message(message)))


def test_bytes_that_are_no_transforms_are_refused_at_once() -> None:
    message = TFMessage(transforms=[TransformStamped(child_frame_id="child") for _ in range(3)])
    data = bytes(serialize_message(message))
    cut = [data[:end] for end in range(0, len(data) - 8)]
    huge = data[:4] + b"\xff\xff\xff\x7f" + data[8:]
    long_name = data[:16] + b"\xff\xff\xff\xff" + data[20:]
    for wrong in (*cut, huge, long_name, b"\x00\x00" + data[2:]):
        with pytest.raises(CdrError):
            TransformLayout(wrong)


def test_a_stamp_is_own_as_often_as_it_was_published_and_until_it_is_old() -> None:
    stamps = OwnStamps()
    stamps.add(5)
    stamps.add(5)
    assert [stamps.take(5) for _ in range(3)] == [True, True, False]
    assert not stamps.take(None)
    stamps.add(6)
    stamps.add(7)
    stamps.age()
    assert stamps.take(6)
    stamps.age()
    assert not stamps.take(7)


def test_the_node_ends_within_two_seconds_beside_a_subscriber_that_hangs(
    checker: Checker, inputs: Inputs, node: Process, folder: Path
) -> None:
    """It never confirms what it was sent. To be the last on this node, which it ends."""
    with start_peers(folder, 1000) as peers:
        checker.wait_for(
            lambda: rounds_of(peers), "a round", doing=lambda: inputs.send(pose()), rate=RATE
        )
        peers.send_signal(signal.SIGSTOP)
        share_received(checker, inputs, 0.5)
        start = time.monotonic()
        node.send_signal(signal.SIGINT)
        assert node.wait() == 0
        assert time.monotonic() - start < 2.0
        peers.send_signal(signal.SIGKILL)
