"""With payloads and pushes, too, the offline efforts are those of the live node."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import InertiaStamped, WrenchStamped
from graph import EACH_CYCLE, Checker, stamp_of
from node_process import start_dynamics_node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from recorded_inputs import INPUTS, KIND, PERIOD, Outputs, Recorded, analysed, inputs, require_equal
from sensor_msgs.msg import JointState

from charmie_dynamics import Model

SAMPLES = 110
TIMEOUT = 1.0  # s
PAUSE = 1.4  # s, in which wrenches become stale
MASS = 1.5
INERTIA_KIND, WRENCH_KIND = "geometry_msgs/msg/InertiaStamped", "geometry_msgs/msg/WrenchStamped"
SIDES = ("left", "right")
Moment = list[Recorded]


class Run:
    """A live run that is recorded: each moment's inputs, and in between what is told of loads."""

    def __init__(self, checker: Checker, model: Model) -> None:
        self.checker = checker
        self.moments: list[Moment] = []
        self.assumed: list[Recorded] = []
        self._model = model
        node = checker.node
        kinds = {**dict.fromkeys(INPUTS, JointState), "payload/left": InertiaStamped,
                 "external_wrench": WrenchStamped}  # fmt: skip
        self._publishers = {
            topic: node.create_publisher(kind, topic, 10) for topic, kind in kinds.items()
        }
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        for side in SIDES:
            topic = f"assumed_payload/{side}"
            hear = partial(self._note_assumed, topic)
            node.create_subscription(InertiaStamped, topic, hear, latched)

    def wait_for_node(self) -> None:
        checker = self.checker
        checker.wait_for(lambda: len(self.assumed) >= len(SIDES), "what is assumed", timeout=60.0)
        for publisher in self._publishers.values():
            checker.wait_for(publisher.get_subscription_count, publisher.topic)
        earlier = iter(range(-100_000, 0))
        checker.wait_for(
            lambda: all(checker.received[topic] for topic in EACH_CYCLE),
            "outputs",
            doing=lambda: self.play(next(earlier), -10.0),
            rate=20.0,
        )
        checker.spin(1.5 * TIMEOUT)  # the estimators start anew
        self.moments.clear()
        for topic in EACH_CYCLE:
            checker.received[topic].clear()

    def play(self, k: int, pause: float) -> None:
        moment = []
        for topic, message in inputs(self._model, k, pause):
            moment.append(self._publish(topic, KIND, message))
            self.checker.spin(0.3 * PERIOD)  # so that no topic overtakes the other
        self.moments.append(moment)

    def hold(self, mass: float) -> None:
        """Tell of a payload, and wait until it is assumed."""
        message = InertiaStamped()
        message.inertia.m = mass
        message.inertia.com.z = 0.1 if mass else 0.0
        count = len(self.assumed)
        self.moments.append([self._publish("payload/left", INERTIA_KIND, message)])
        self.checker.wait_for(lambda: len(self.assumed) >= count + len(SIDES), "what is assumed")

    def push(self, link: str, force: float) -> None:
        message = WrenchStamped()
        message.header.frame_id = link
        message.wrench.force.x = force
        self.moments.append([self._publish("external_wrench", WRENCH_KIND, message)])
        self.checker.spin(0.1)  # nobody says that it has come

    def _publish(self, topic: str, kind: str, message: Any) -> Recorded:
        arrival = time.time_ns()
        self._publishers[topic].publish(message)
        return Recorded(topic, kind, arrival, serialize_message(message))

    def _note_assumed(self, topic: str, message: InertiaStamped) -> None:
        data = serialize_message(message)
        self.assumed.append(Recorded(topic, INERTIA_KIND, time.time_ns(), data))


@pytest.fixture(scope="module")
def live(folder: Path, model: Model) -> tuple[Outputs, Run]:
    parameters = {"payload_right": [0.8, 0.0, 0.0, 0.05], "input_timeout": TIMEOUT}
    with Checker(EACH_CYCLE) as checker, start_dynamics_node(folder, parameters):
        run = Run(checker, model)
        run.wait_for_node()
        told: dict[int, Callable[[], None]] = {
            30: lambda: run.hold(MASS),
            50: lambda: run.push("left_tool", 7.0),
            55: lambda: run.push("right_tool", -3.0),
            60: lambda: run.push("left_tool", 4.0),
            70: lambda: checker.spin(PAUSE),
            90: lambda: run.hold(0.0),
        }
        for k in range(SAMPLES):
            due = time.monotonic() + PERIOD
            told.get(k, lambda: None)()
            run.play(k, PAUSE if k >= 70 else 0.0)
            checker.spin(max(0.0, due - time.monotonic()))
        checker.spin(0.5)
        return {t: {stamp_of(m): m for m in checker.received[t]} for t in EACH_CYCLE}, run


def bag(run: Run) -> list[Recorded]:
    """Return all messages; of what is assumed from the start on, a recorder hears late."""
    entries = [entry for moment in run.moments for entry in moment]
    late = entries[20].arrival
    return entries + [e._replace(arrival=max(e.arrival, late)) for e in run.assumed]


def efforts(outputs: Outputs) -> list[list[float]]:
    return [m.effort.tolist() for _, m in sorted(outputs["actuator_efforts"].items())]


def test_every_output_is_the_live_one_bit_for_bit(
    live: tuple[Outputs, Run], tmp_path: Path
) -> None:
    outputs, run = live
    require_equal(outputs, tmp_path, bag(run), SAMPLES, "--timeout", str(TIMEOUT))


def test_the_payload_of_a_parameter_may_be_an_option(
    live: tuple[Outputs, Run], tmp_path: Path
) -> None:
    _, run = live
    topics = ("payload/left", "external_wrench")
    entries = [e for e in bag(run) if e.topic in (*INPUTS, *topics)]
    options = ("--timeout", str(TIMEOUT), "--payload", "right=0.8,0,0,0.05")
    found = analysed(tmp_path / "option", entries, *options)
    assert efforts(found) == efforts(analysed(tmp_path / "all", bag(run), *options[:2]))


@pytest.mark.parametrize(
    ("left_out", "moment"),
    [("payload/left", 40), ("external_wrench", 65), ("assumed_payload/right", 5)],
)
def test_each_topic_with_loads_matters(
    live: tuple[Outputs, Run], tmp_path: Path, left_out: str, moment: int
) -> None:
    outputs, run = live
    entries = [e for e in bag(run) if e.topic not in (left_out, "assumed_payload/left")]
    found = analysed(tmp_path / "without", entries, "--timeout", str(TIMEOUT))
    assert efforts(found)[moment] != efforts(outputs)[moment]
