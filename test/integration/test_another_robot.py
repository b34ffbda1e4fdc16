# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot with payload names of its own in node, recorder, demo, plots: the robot is data."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import InertiaStamped
from graph import Checker
from node_process import start_dynamics_node, start_node
from rcl_interfaces.srv import GetParameters, ListParameters, SetParametersAtomically
from rclpy.parameter import Parameter
from robot_inputs import Inputs
from small_robots import GRAVITY, tension, write_slide
from small_robots import MASS as SLIDE_MASS
from test_demo import PNG, RATE, run

from charmie_dynamics.live import topics
from charmie_dynamics.recordings.commands.plot_options import main as plot
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.ros.outputs.profiles import qos_profile

MASS = 1.5
NODE = "charmie_dynamics"
POSE = {"slide_joint": 0.3}


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The slide, whose carriage is a bucket."""
    urdf, mechanisms = write_slide(tmp_path_factory.mktemp("robot"))
    with Path(mechanisms).open("a", encoding="utf-8") as file:
        file.write("payload_links:\n  bucket: carriage\n")
    return {"model": urdf, "mechanisms": mechanisms}


def effort(payload: float) -> float:
    return (SLIDE_MASS + payload) * GRAVITY + tension(POSE["slide_joint"])


def payload_parameters(checker: Checker) -> set[str]:
    request = ListParameters.Request()
    names = checker.call(ListParameters, f"{NODE}/list_parameters", request).result.names
    return {name for name in names if name.startswith("payload_")}


def set_atomically(checker: Checker, **values: object) -> None:
    request = SetParametersAtomically.Request(
        parameters=[Parameter(k, value=v).to_parameter_msg() for k, v in values.items()]
    )
    result = checker.call(SetParametersAtomically, f"{NODE}/set_parameters_atomically", request)
    assert result.result.successful, result.result.reason


@pytest.fixture
def checker() -> Iterator[Checker]:
    with Checker(("actuator_efforts",)) as checker:
        yield checker


def found(checker: Checker) -> float:
    cycle = Inputs(checker).cycle(POSE, topics=("actuator_efforts",))
    (value,) = cycle["actuator_efforts"].effort
    return float(value)


def test_node_and_recorder_have_parameter_and_topics_of_its_payload(
    folder: Path, robot: dict[str, str], checker: Checker
) -> None:
    bag = folder / "bucket"
    assumed: list[InertiaStamped] = []
    topic = topics.assumed_payload("bucket")
    qos = qos_profile(topic.qos)
    checker.node.create_subscription(InertiaStamped, topic.name, assumed.append, qos)
    with (
        start_dynamics_node(folder, {**robot, "payload_bucket": [MASS]}),
        start_node("recorder", folder, {**robot, "output": str(bag)}) as recorder,
    ):
        assert payload_parameters(checker) == {"payload_bucket"}
        assert found(checker) == pytest.approx(effort(MASS))
        publisher = checker.node.create_publisher(InertiaStamped, "payload/bucket", 10)
        checker.wait_for(lambda: publisher.get_subscription_count() == 2, "node and recorder")
        publisher.publish(InertiaStamped())
        checker.wait_for(lambda: assumed and assumed[-1].inertia.m == 0.0, "the empty bucket")
        assert found(checker) == pytest.approx(effort(0.0))
        checker.spin(0.5)
        recorder.send_signal(signal.SIGINT)
        assert recorder.wait() == 0
    assert [message.inertia.m for message in assumed] == [MASS, 0.0]
    with Bag(bag) as recorded:
        assert recorded.count("payload/bucket") == 1
        assert [m.inertia.m for m in recorded.messages("assumed_payload/bucket")][-1] == 0.0


def test_a_payload_of_another_robot_ends_the_node_with_the_names_of_this_one(
    folder: Path, robot: dict[str, str]
) -> None:
    with start_node("dynamics_node", folder, {**robot, "payload_left": [MASS]}) as node:
        assert node.wait(60.0) == 1
        words = ("payload_left", "names no link", "bucket")
        assert [word for word in words if word not in node.output()] == []


def test_a_change_of_the_robot_declares_its_payloads(
    folder: Path, robot: dict[str, str], checker: Checker
) -> None:
    with start_dynamics_node(folder):
        assert payload_parameters(checker) == {"payload_left", "payload_right"}
        set_atomically(checker, **robot)
        assert "payload_bucket" in payload_parameters(checker)
        set_atomically(checker, payload_bucket=[MASS])
        assert found(checker) == pytest.approx(effort(MASS))
        request = GetParameters.Request(names=["payload_bucket"])
        answer = checker.call(GetParameters, f"{NODE}/get_parameters", request)
        assert list(answer.values[0].double_array_value) == [MASS]


@pytest.fixture(scope="module")
def demo(robot: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("demo")
    result = run(
        *("charmie_dynamics.demo.run", "--duration", "6", "--rate", str(RATE)),
        *("--output", str(output)),
        *(word for name, value in robot.items() for word in (f"--{name}", value)),
    )
    assert result.returncode == 0, result.stderr
    assert "slide_joint" in result.stdout
    return output


def test_the_demo_shows_it(demo: Path) -> None:
    for name in ("robot.png", "efforts.png"):
        assert (demo / name).read_bytes().startswith(PNG)
    with Bag(demo / "bag") as recorded:
        assert recorded.count("assumed_payload/bucket") == 1


def test_its_recording_is_plotted(demo: Path, robot: dict[str, str], tmp_path: Path) -> None:
    options = ["--mechanisms", robot["mechanisms"], "--output", str(tmp_path)]
    assert plot([str(demo / "bag"), *options, "--topics", "efforts", "base_load"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"efforts.png", "base_load.png"}
