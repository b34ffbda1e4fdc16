# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters changed at random while the node runs: what is refused changes nothing at all."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from counts import full_or
from graph import OUTPUTS, POINTS, TOPICS, Checker, nanoseconds
from node_process import Process
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterType, ParameterValue, SetParametersResult
from rcl_interfaces.srv import GetParameters, SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter, parameter_value_to_python
from robot_inputs import Inputs, pose
from small_robots import write_slide
from test_parameters_at_run_time import DEFAULTS as OWN
from visualization_msgs.msg import Marker

from charmie_dynamics import Model, load_model

NODE = "/charmie_dynamics"
DEFAULTS = {**OWN, "use_sim_time": False}  # the last one is rclpy's
SEED = 13
NAN, INFINITY = float("nan"), float("inf")
NOTHING = ParameterValue(type=ParameterType.PARAMETER_NOT_SET)
NODE_MAY_RAISE = True  # rclpy itself, of a request that it cannot read
OUTLIVE = 1.0  # s, how long markers outlive the inputs
LINES = {Marker.LINE_LIST, Marker.LINE_STRIP, Marker.SPHERE_LIST}


class Robot(NamedTuple):
    """What the outputs show of a model."""

    actuators: tuple[str, ...]
    root: str
    frames: tuple[str, ...]
    pose: Mapping[str, float]


def robot_of(model: Model, values: Mapping[str, float]) -> Robot:
    return Robot(model.actuator_names, model.tree.root, model.frame_names, values)


class Clients:
    """Clients of the node's parameter services, which live as long as the test."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._clients = {
            service: checker.node.create_client(service, f"{NODE}/{name}")
            for service, name in (
                (GetParameters, "get_parameters"),
                (SetParameters, "set_parameters"),
                (SetParametersAtomically, "set_parameters_atomically"),
            )
        }
        for client in self._clients.values():
            checker.wait_for(client.service_is_ready, f"service {client.srv_name}")
        self.seconds: list[float] = []

    def _call(self, service: Any, request: Any) -> Any:
        future = self._clients[service].call_async(request)
        self._checker.wait_for(future.done, "the response")
        return future.result()

    def get(self) -> dict[str, Any]:
        """Return the values of all parameters."""
        response = self._call(GetParameters, GetParameters.Request(names=list(DEFAULTS)))
        return dict(zip(DEFAULTS, map(parameter_value_to_python, response.values), strict=True))

    def set(self, changes: Mapping[str, Any], *, atomically: bool) -> list[SetParametersResult]:
        """Set parameters and note how long it took."""
        parameters = [
            ParameterMessage(
                name=name,
                value=value
                if isinstance(value, ParameterValue)
                else Parameter(name, value=value).get_parameter_value(),
            )
            for name, value in changes.items()
        ]
        start = time.monotonic()
        if atomically:
            request = SetParametersAtomically.Request(parameters=parameters)
            results = [self._call(SetParametersAtomically, request).result]
        else:
            request = SetParameters.Request(parameters=parameters)
            results = list(self._call(SetParameters, request).results)
        self.seconds.append(time.monotonic() - start)
        return results


@pytest.fixture(scope="module")
def checker(node: Process) -> Iterator[Checker]:
    inputs = ("joint_states", "actuator_lengths")
    with Checker(topic for topic in TOPICS if topic not in inputs) as checker:
        yield checker


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Paths: of a good small robot, of its mechanisms, of two robots that cannot be used."""
    folder = tmp_path_factory.mktemp("robots")
    urdf, mechanisms = write_slide(folder)
    broken, cyclic = folder / "broken.urdf", folder / "cyclic.urdf"
    broken.write_text("<robot name='broken'><link name='a'/>")
    cyclic.write_text(Path(urdf).read_text().replace('link="ground"', 'link="tip"'))
    return {"slide": urdf, "slide mechanisms": mechanisms, "broken": str(broken),
            "cyclic": str(cyclic)}  # fmt: skip


HELD = ([0.0], [2.0], [1.0, 0.0, 0.0, 0.1])
PAYLOADS = (*HELD, [-1.0], [1.0, 2.0], [NAN], [0.0, 1.0, 0.0, 0.0], 1.0)


TRACKED = ([""], ["none"], ["tip:left_tool:0,0,0.1"], ["tip:no_such_frame"])


def candidates(files: Mapping[str, str]) -> dict[str, tuple[Any, ...]]:
    """Return values for each parameter, some of which can never be used."""
    switch = (True, False, True, False, 1, "yes")
    paths = ("", "", files["slide"], files["broken"], files["cyclic"], "/no/such/file", 3)
    return {
        "model": paths,
        "mechanisms": ("", "", files["slide mechanisms"], files["slide"], "/no/such/file", NAN),
        "world_frame": (
            *("odom", "map", "w\u00f6rld", "x" * 255, "x" * 10_000, "ground", "base", "", 1.0),
        ),
        "frame_prefix": ("", "left/", "r2_", "/left/", "y" * 10_000, False),
        **{name: switch for name, value in DEFAULTS.items() if isinstance(value, bool)},
        "marker_rate": (0.0, 1000.0, 0.001, -1.0, 1000.1, NAN, INFINITY, 30, "fast"),
        "marker_style": ("solid", "skeleton", "wire", "", 0),
        "input_timeout": (0.5, 0.001, 3600.0, 0.0, -1.0, NAN, -INFINITY, 1),
        "acceleration_source": ("estimated", "zero", "guess", "", 0.0),
        "acceleration_cutoff": (10.0, 0.01, 1000.0, 0.0, 1e300, NAN, 10),
        "observer_cutoff": (15.0, 0.01, 1000.0, 0.0, -1.0, NAN, 15),
        "tracked_points": (*TRACKED, ["tip"], ["a b:left_tool"], ["t:left_tool:0,nan,0"], "none"),
        **{name: PAYLOADS for name in DEFAULTS if name.startswith("payload_")},
    }


def is_usable(name: str, value: Any) -> bool:
    """Tell whether a value has the right type and is within its range, whatever the others are."""
    if type(value) is not type(DEFAULTS[name]):
        return False
    if name.startswith("payload_"):
        return value in HELD
    if name == "tracked_points":
        return value in TRACKED
    bounds = {
        "marker_rate": (0.0, 1000.0),
        "input_timeout": (0.001, 3600.0),
        "acceleration_cutoff": (0.01, 1000.0),
        "observer_cutoff": (0.01, 1000.0),
    }
    if name in bounds:
        low, high = bounds[name]
        return low <= value <= high
    valid = {"marker_style": ("solid", "skeleton"), "acceleration_source": ("estimated", "zero")}
    return value in valid.get(name, (value,)) and (name != "world_frame" or value != "")


def has_usable_frames(values: Mapping[str, Any], robot: Robot) -> bool:
    """Tell whether all frame ids are short enough, and begin with what tf2 looks up."""
    frames = [values["frame_prefix"] + name for name in (values["world_frame"], *robot.frames)]
    return max(map(len, frames)) <= 255 and not frames[0].startswith("/")


class Expected:
    """What the parameters of the node must be."""

    def __init__(self, robots: Mapping[tuple[str, str], Robot]) -> None:
        self.values = dict(DEFAULTS)
        self._robots = robots

    @property
    def robot(self) -> Robot:
        return self._robots[self.values["model"], self.values["mechanisms"]]

    def accept(self, changes: Mapping[str, Any]) -> bool:
        """Take changes over if all can be used together; tell whether they can."""
        if not all(is_usable(name, value) for name, value in changes.items()):
            return False
        values = {**self.values, **changes}
        robot = self._robots.get((values["model"], values["mechanisms"]))
        if robot is None:
            return False
        held = [values[name] for name in values if name.startswith("payload_")]
        if len(robot.actuators) == 1 and any(payload != [0.0] for payload in held):
            return False  # the small robot has no link for it
        if not has_usable_frames(values, robot):
            return False
        frames = [text.split(":")[1] for text in values["tracked_points"] if ":" in text]
        if not set(frames) <= set(robot.frames):
            return False
        if values["world_frame"] in robot.frames and values["world_frame"] != robot.root:
            return False
        self.values = values
        return True

    def topics(self) -> list[str]:
        """Return the topics of which each cycle must come."""
        values = self.values
        absent = set()
        if not values["publish_tf"]:
            absent.add("/tf")
        if not values["compute_dynamics"]:
            absent |= {"actuator_efforts", "base_wrench", "stability"}
        if len(self.robot.actuators) == 1:
            absent.add("stability")  # nobody knows the small robot's wheels
        if len(self.robot.actuators) == 1 or values["tracked_points"] != [""]:
            absent |= set(POINTS)
        if not values["publish_markers"] or 0.0 < values["marker_rate"] < 100.0:
            absent.add("markers")  # not in each cycle, of which there is one in 10 ms
        return [topic for topic in OUTPUTS if topic not in absent]

    def silent(self) -> list[str]:
        """Return the topics of which no cycle may come."""
        maybe = self.topics()
        if self.values["publish_markers"]:
            maybe.append("markers")
        return [topic for topic in OUTPUTS if topic not in maybe]


def assert_shown(cycle: Mapping[str, Any], expected: Expected) -> None:
    """Assert that the messages of one cycle show the parameters in use."""
    values, robot = expected.values, expected.robot
    prefix, world = values["frame_prefix"], values["frame_prefix"] + values["world_frame"]
    joints = cycle["resolved_joint_states"]
    assert joints.header.frame_id == world
    if "actuator_efforts" in cycle:
        assert tuple(cycle["actuator_efforts"].name) == robot.actuators
        assert cycle["base_wrench"].header.frame_id.startswith(prefix)
    assert len(joints.effort) == (len(joints.name) if values["compute_dynamics"] else 0)
    if "/tf" in cycle:
        frames = {prefix + frame for frame in robot.frames}
        assert {t.child_frame_id for t in cycle["/tf"].transforms} <= frames
        assert {t.header.frame_id for t in cycle["/tf"].transforms} <= frames | {world}
    if "markers" not in cycle or len(robot.actuators) == 1:
        return
    markers = [marker for marker in cycle["markers"].markers if marker.action == Marker.ADD]
    namespaces = {marker.ns for marker in markers}
    for name in ("reactions", "labels", "legend"):
        wanted = values[f"marker_{name}"]
        if name == "legend" or values["compute_dynamics"]:  # the others show loads
            assert (name in namespaces) == wanted, name
    kinds = {marker.type for marker in markers if marker.ns == "bodies"}
    assert (kinds & LINES != set()) == (values["marker_style"] == "skeleton")
    lifetime = 1e-9 * nanoseconds(markers[0].lifetime)
    assert lifetime == pytest.approx(values["input_timeout"] + OUTLIVE, abs=1e-6)
    assert all(marker.header.frame_id.startswith(prefix) for marker in markers)


def test_every_parameter_changes_at_random(
    checker: Checker, node: Process, files: dict[str, str]
) -> None:
    """Some alone, some one after the other, some together with one that cannot be used.

    After each change the values are read back, and the very next cycle must show them.
    """
    robots = {
        paths: robot_of(load_model(*(path or None for path in paths)), values)
        for paths, values in (
            (("", ""), pose()),
            ((files["slide"], ""), {"slide_joint": 0.3}),
            ((files["slide"], files["slide mechanisms"]), {"slide_joint": 0.3}),
        )
    }
    expected = Expected(robots)
    inputs, clients = Inputs(checker), Clients(checker)
    chance = random.Random(SEED)
    values = candidates(files)
    silent: dict[int, list[str]] = {}
    accepted = refused = 0
    inputs.connect(pose(), OUTPUTS)
    for _ in range(full_or(60, 1000)):
        size = chance.choice((1, 1, 1, 2, 4))
        changes = {name: chance.choice(values[name]) for name in chance.sample(list(values), size)}
        if "model" in changes and chance.random() < 0.5:
            model_path = chance.choice(("", files["slide"]))
            mechanisms = files["slide mechanisms"] if model_path else ""
            changes |= {"model": model_path, "mechanisms": mechanisms}
        if chance.random() < 0.05:
            changes[next(iter(changes))] = NOTHING
        atomically = chance.random() < 0.5
        results = clients.set(changes, atomically=atomically)
        parts = [changes] if atomically else [{n: v} for n, v in changes.items()]
        for result, part in zip(results, parts, strict=True):
            before = dict(expected.values)
            assert result.successful == expected.accept(part), (part, before, result.reason)
            assert result.successful or result.reason
            accepted += result.successful
            refused += not result.successful
        assert clients.get() == expected.values, changes
        checker.forget()
        stamp = inputs.next_stamp()
        cycle = inputs.cycle(expected.robot.pose, stamp, topics=expected.topics())
        assert_shown(cycle, expected)
        silent[stamp] = expected.silent()
        late = {stamp for stamp in silent for topic in silent[stamp] if came(checker, topic, stamp)}
        assert not late, changes
    times = clients.seconds
    print(
        f"{accepted} changes accepted, {refused} refused; response in the median after "
        f"{1e3 * statistics.median(times):.0f} ms, longest {1e3 * max(times):.0f} ms"
    )
    assert "Traceback" not in node.output()
    assert accepted > 0 and refused > 0


def came(checker: Checker, topic: str, stamp: int) -> bool:
    """Tell whether a cycle has come on a topic; deleted markers are none."""
    messages = checker.received[topic]
    if topic == "markers":
        parts = [m for message in messages for m in message.markers if m.action == Marker.ADD]
        return any(nanoseconds(marker.header.stamp) == stamp for marker in parts)
    if topic == "/tf":
        return any(
            nanoseconds(t.header.stamp) == stamp for message in messages for t in message.transforms
        )
    return any(nanoseconds(message.header.stamp) == stamp for message in messages)


def restore(clients: Clients) -> None:
    (result,) = clients.set(DEFAULTS, atomically=True)
    assert result.successful, result.reason


@pytest.mark.parametrize("atomically", [False, True])
def test_a_request_that_rclpy_itself_cannot_read_does_not_end_the_node(
    checker: Checker, node: Process, atomically: bool
) -> None:
    """A type of value that does not exist: rclpy raises, and nobody gets an answer."""
    clients = Clients(checker)
    restore(clients)
    strange = ParameterMessage(name="marker_rate", value=ParameterValue(type=42))
    service, name = (
        (SetParametersAtomically, "set_parameters_atomically")
        if atomically
        else (SetParameters, "set_parameters")
    )
    client = checker.node.create_client(service, f"{NODE}/{name}")
    checker.wait_for(client.service_is_ready, "the service")
    client.call_async(service.Request(parameters=[strange]))
    checker.spin(0.3)
    checker.node.destroy_client(client)
    assert clients.get() == DEFAULTS
    Inputs(checker).cycle(pose())
    assert "callback failed" in node.output()
