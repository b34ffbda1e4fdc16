# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The policy node on a graph: success beside the simulator, stale inputs, services, refusals."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from graph import TYPES, Checker, stamp_of, to_time
from node_process import Process, start_node
from robot_inputs import LENGTHS, joint_state
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

from charmie_dynamics import load_model
from charmie_dynamics.learning import load_policy
from charmie_dynamics.learning.evaluation import UNSEEN
from validation.policy_on_graph import attempts

TYPES.update({"joint_commands": JointState, "charmie_policy/success": Bool})
HEARD = ("joint_commands", "charmie_policy/success", "/diagnostics")
TIMEOUT = 1.0  # s, of inputs: a busy machine delays them
WORLDS = 3
CAN = (-0.2, 0.6, 0.7)


def test_reach_succeeds_in_unseen_worlds_of_the_simulator(folder: Path) -> None:
    logs = folder / "worlds"
    logs.mkdir()
    found = list(attempts("Reach-v0", range(UNSEEN, UNSEEN + WORLDS), logs))
    assert [(each.success, each.collided) for each in found] == [(True, False)] * WORLDS
    assert all(0.2 < each.duration < 5.0 for each in found)


class Robot:
    """Publishes a robot at rest, and the pose of the can."""

    def __init__(self, checker: Checker) -> None:
        model = load_model()
        rest = dict(zip(model.actuator_names, model.rest_position().tolist(), strict=True))
        self.checker, self.stamp = checker, 0
        self.parts = [
            {name: value for name, value in rest.items() if (name in LENGTHS) == lengths}
            for lengths in (True, False)
        ]
        node = checker.node
        self.publishers = [
            node.create_publisher(JointState, topic, 10)
            for topic in ("actuator_lengths", "joint_states")
        ]
        self.frames = node.create_publisher(TFMessage, "/tf", 10)
        every = (*self.publishers, self.frames)
        checker.wait_for_publishers()
        checker.wait_for(lambda: all(x.get_subscription_count() for x in every), "subscriptions")

    def send(self, has_can: bool = True, lengths: float | None = None) -> None:
        self.stamp += 10_000_000
        if has_can:
            transform = TransformStamped(child_frame_id="can")
            transform.header.frame_id = "odom"
            transform.header.stamp = to_time(self.stamp)
            p = transform.transform.translation
            p.x, p.y, p.z = CAN
            self.frames.publish(TFMessage(transforms=[transform]))
        parts = self.parts
        if lengths is not None:
            parts = [dict.fromkeys(LENGTHS, lengths), parts[1]]
        for publisher, values in zip(self.publishers, parts, strict=True):
            publisher.publish(joint_state(values, self.stamp))

    @property
    def commands(self) -> list[Any]:
        return self.checker.received["joint_commands"]

    def move(self, least: float = 0.05) -> None:
        """Send inputs until targets move."""
        self.checker.forget()
        self.checker.wait_for(
            lambda: self.commands and np.abs(self.commands[-1].velocity).max() > least,
            "commands that move",
            doing=self.send,
        )

    def call(self, name: str) -> str:
        response = self.checker.call(Trigger, f"charmie_policy/{name}", Trigger.Request())
        assert response.success
        return str(response.message)

    def status(self, text: str, level: bytes, **options: Any) -> None:
        self.checker.wait_for_status(
            "charmie_policy: policy",
            lambda status, _: status.level == level and text in status.message,
            f"'{text}' on /diagnostics",
            **options,
        )


@pytest.fixture(scope="module")
def policy(folder: Path) -> Iterator[Process]:
    parameters = {"policy": "Reach-v0", "input_timeout": TIMEOUT}
    with start_node("policy_node", folder, parameters) as process:
        process.wait_for_output("' ready: ")
        yield process
        assert process.is_running() and "Traceback" not in process.output()


@pytest.fixture(scope="module")
def robot(policy: Process) -> Iterator[Robot]:
    with Checker(HEARD, name="robot") as checker:
        yield Robot(checker)


@pytest.fixture(autouse=True)
def begin(request: pytest.FixtureRequest) -> None:
    if "robot" in request.fixturenames:
        assert request.getfixturevalue("robot").call("start") == "running"


def test_samples_lead_to_commands_with_their_stamps(robot: Robot) -> None:
    robot.move()
    last = robot.commands[-1]
    assert last.name == list(load_model().actuator_names)
    assert stamp_of(last) <= robot.stamp and stamp_of(last) % 10_000_000 == 0
    assert len(last.position) == len(last.velocity) == len(last.effort) == 21


@pytest.mark.parametrize("has_joints", [False, True])
def test_stale_inputs_stop_the_motion_and_hold_the_pose(
    robot: Robot, policy: Process, has_joints: bool
) -> None:
    robot.move()
    doing = (lambda: robot.send(has_can=False)) if has_joints else None
    missing = "pose of 'can'" if has_joints else "left_arm_joint_1"
    robot.status(missing, DiagnosticStatus.WARN, doing=doing)
    assert "stopped, inputs missing or stale" in policy.output()
    robot.checker.spin(0.2)
    way = np.diff([message.position for message in robot.commands], axis=0)
    assert np.abs(way).max() < 0.15  # no jump at the stop: 3 rad/s for a period
    robot.checker.forget()
    robot.checker.wait_for(lambda: len(robot.commands) > 20, "commands that hold", doing=doing)
    held = np.array([message.position for message in robot.commands])
    assert not np.array([message.velocity for message in robot.commands]).round(9).any()
    np.testing.assert_array_equal(held, np.tile(held[0], (len(held), 1)))
    robot.move()
    robot.status("running", DiagnosticStatus.OK, doing=robot.send)


def test_samples_that_cannot_be_used_stop_the_motion(robot: Robot) -> None:
    robot.move()
    out_of_reach = partial(robot.send, lengths=0.01)  # m
    robot.status("usable joint states", DiagnosticStatus.WARN, doing=out_of_reach)
    robot.checker.spin(0.2)
    assert not np.round(robot.commands[-1].velocity, 9).any()
    robot.move()


def test_stop_ends_the_commands_and_start_begins_again(robot: Robot) -> None:
    robot.move()
    assert robot.call("stop") == "stopped"
    robot.checker.drain(quiet=0.5)
    assert not np.round(robot.commands[-1].velocity, 9).any()
    robot.checker.forget()
    end = time.monotonic() + 0.5
    robot.checker.wait_for(lambda: time.monotonic() > end, "half a second", doing=robot.send)
    assert not robot.commands
    assert robot.call("start") == "running"
    robot.move()


def test_time_that_jumps_back_leaves_a_stopped_node_silent(robot: Robot) -> None:
    robot.move()
    assert robot.call("stop") == "stopped"
    robot.stamp = 0
    robot.checker.drain(quiet=0.5)
    robot.checker.forget()
    end = time.monotonic() + 0.5
    robot.checker.wait_for(lambda: time.monotonic() > end, "half a second", doing=robot.send)
    assert not robot.commands
    robot.call("start")
    robot.move()


def test_the_end_of_the_time_is_published(robot: Robot) -> None:
    robot.move()
    robot.stamp += 5_000_000_000  # the duration of an episode

    def results() -> list[Any]:
        return robot.checker.received["charmie_policy/success"]

    robot.checker.wait_for(results, "the result", doing=robot.send)
    assert [message.data for message in results()] == [False]
    robot.status("finished", DiagnosticStatus.OK, doing=robot.send)


def smaller(path: Path) -> str:
    """Write a policy of a robot with fewer joints."""
    policy = load_policy("Reach-v0")
    weights = [policy.weights[0][:, :-1], *policy.weights[1:]]
    changed = replace(
        policy, mean=policy.mean[:-1], scale=policy.scale[:-1], weights=weights, about={}
    )
    changed.save(path / "smaller.npz")
    return str(path / "smaller.npz")


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"policy": "smaller"}, "policy: expected one for task 'Reach-v0'"),
        ({"policy": "/nowhere.npz"}, "/nowhere.npz: expected a policy"),
        ({"world": "athena"}, "expected the robot of the task"),
        ({"world": "kitchn"}, "kitchn"),
        ({"rat": 3.0}, "parameter 'rat' does not exist"),
    ],
)
def test_what_cannot_be_used_is_refused_at_the_start(
    folder: Path, parameters: dict[str, Any], text: str
) -> None:
    if parameters.get("policy") == "smaller":
        parameters = {"policy": smaller(folder)}
    with start_node("policy_node", folder, parameters, namespace="refused") as process:
        assert process.wait(60.0) == 1
        assert text in process.output() and "Traceback" not in process.output()
