# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The controller node beside the simulator: goals of clients as MoveIt and rclpy send them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory, GripperCommand
from control_msgs.msg import JointTolerance
from diagnostic_msgs.msg import DiagnosticStatus
from graph import TYPES
from node_process import Process, start_node
from rclpy.action import ActionClient
from simulator_client import SAMPLES, SimulatorClient
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from charmie_dynamics import load_model

TYPES["effort_commands"] = Float64MultiArray
HEARD = (*SAMPLES, "effort_commands", "/diagnostics", "/clock")
TIMEOUT = 2.0  # s, of inputs: a busy machine delays them
RATE = 100.0
SPEED = 0.5  # times real time: a busy machine delays the efforts
# small gains, which permit delays, and tolerances for these
GAINS = {"kp": [36.0], "kd": [12.0], "path_tolerance": 2.0, "goal_time_tolerance": 30.0}
SHOULDER, ELBOW = "left_arm_joint_2", "left_arm_joint_3"
MODEL = load_model()
AT_REST = MODEL.kinematics(MODEL.rest_position()).joint_position
REST = dict(zip(MODEL.joint_names, AT_REST.tolist(), strict=True))
Result = FollowJointTrajectory.Result


class Client(SimulatorClient):
    """Sends goals to the controller."""

    def __init__(self, topics: tuple[str, ...] = HEARD, **options: Any) -> None:
        super().__init__(topics, name="client", **options)
        self._actions: dict[str, ActionClient] = {}
        self.arm = self.action(FollowJointTrajectory, "left_arm_controller/follow_joint_trajectory")
        self.topic = self.node.create_publisher(
            JointTrajectory, "left_arm_controller/joint_trajectory", 10
        )

    def action(self, kind: Any, name: str) -> ActionClient:
        if name not in self._actions:
            self._actions[name] = ActionClient(self.node, kind, name)
            self.wait_for(self._actions[name].server_is_ready, f"the action {name}")
        return self._actions[name]

    def send(self, goal: Any, action: ActionClient | None = None, feedback: Any = None) -> Any:
        """Send a goal, and return its handle."""
        future = (action or self.arm).send_goal_async(goal, feedback)
        self.wait_for(future.done, "acceptance")
        return future.result()

    def result(self, handle: Any) -> Any:
        return self.end_of(handle)

    def run(self, goal: Any) -> tuple[int, int, str]:
        """Execute a goal, and return status, code and text."""
        ended = self.result(self.send(goal))
        return ended.status, ended.result.error_code, ended.result.error_string

    def position(self, name: str) -> float:
        message = self.received["joint_states"][-1]
        return float(message.position[message.name.index(name)])

    def status(self, text: str) -> DiagnosticStatus:
        return self.wait_for_status(
            "charmie_controller: controller",
            lambda status, _: text in status.message,
            f"'{text}' on /diagnostics",
        )

    def trigger(self, name: str) -> None:
        assert self.call(Trigger, f"charmie_controller/{name}", Trigger.Request()).success


def trajectory(
    names: list[str], *points: tuple[float, list[float]], stamp: float = 0.0
) -> JointTrajectory:
    """Return a trajectory of times and positions."""
    message = JointTrajectory(joint_names=names)
    message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), round(stamp % 1.0 * 1e9)
    for seconds, position in points:
        point = JointTrajectoryPoint(positions=position)
        point.time_from_start.sec = int(seconds)
        point.time_from_start.nanosec = round(seconds % 1.0 * 1e9)
        message.points.append(point)
    return message


def goal(*arguments: Any, **options: Any) -> FollowJointTrajectory.Goal:
    return FollowJointTrajectory.Goal(trajectory=trajectory(*arguments, **options))


@pytest.fixture(scope="module")
def simulator(folder: Path) -> Iterator[Process]:
    parameters = {"rate": RATE, "input_timeout": TIMEOUT, "speed": SPEED}
    with start_node("simulator_node", folder, parameters) as process:
        process.wait_for_output("' ready: ")
        yield process
        assert process.is_running() and "Traceback" not in process.output()


@pytest.fixture(scope="module")
def controller(folder: Path, simulator: Process) -> Iterator[Process]:
    with start_node("controller_node", folder, {"input_timeout": TIMEOUT, **GAINS}) as process:
        process.wait_for_output("' ready: ")
        yield process
        assert process.is_running() and "Traceback" not in process.output()


@pytest.fixture(scope="module")
def module_client(controller: Process) -> Iterator[Client]:
    with Client() as client:
        client.connect()
        yield client


@pytest.fixture
def client(module_client: Client) -> Client:
    """Return the client, with the robot at rest and the controller ready for goals."""
    module_client.reset()
    module_client.trigger("start")
    module_client.forget()
    module_client.wait_for(
        lambda: (
            len(module_client.received["effort_commands"]) > 3
            and len(module_client.received["joint_states"]) > 3
        ),
        "commands after a reset",
    )
    return module_client


def test_goal_is_executed_with_feedback(client: Client) -> None:
    target, feedback = REST[SHOULDER] + 0.3, list[Any]()
    handle = client.send(
        goal([SHOULDER], (1.0, [target])), feedback=lambda m: feedback.append(m.feedback)
    )
    ended = client.result(handle)
    assert (ended.status, ended.result.error_code) == (GoalStatus.STATUS_SUCCEEDED, 0)
    assert client.position(SHOULDER) == pytest.approx(target, abs=0.02)
    assert feedback and all(m.joint_names == [SHOULDER] for m in feedback)
    assert all(abs(m.error.positions[0]) < 0.5 for m in feedback)


def test_velocities_accelerations_and_efforts_of_points_are_taken(client: Client) -> None:
    request = goal([SHOULDER, ELBOW], (0.5, [0.0, 0.0]), (1.0, [0.0, 0.0]))
    for k, point in enumerate(request.trajectory.points):
        point.positions = [REST[SHOULDER] + 0.1 * (k + 1), REST[ELBOW] - 0.1]
        point.velocities = [0.2 * (1 - k), 0.0]
        point.accelerations = [0.0, 0.0]
        point.effort = [1.0, 2.0]
    assert client.run(request)[:2] == (GoalStatus.STATUS_SUCCEEDED, Result.SUCCESSFUL)


@pytest.mark.parametrize(
    ("request_", "code", "text"),
    [
        (goal(["left_arm_joint_9"], (1.0, [0.0])), Result.INVALID_JOINTS, "left_arm_joint_"),
        (goal(["neck_pan_joint"], (1.0, [0.0])), Result.INVALID_JOINTS, "of the group"),
        (goal([], (1.0, [])), Result.INVALID_JOINTS, "none"),
        (goal([SHOULDER]), Result.INVALID_GOAL, "point"),
        (goal([SHOULDER], (1.0, [0.1, 0.2])), Result.INVALID_GOAL, "positions"),
        (goal([SHOULDER], (1.0, [float("nan")])), Result.INVALID_GOAL, "finite"),
        (goal([SHOULDER], (1.0, [9.0])), Result.INVALID_GOAL, "position 9"),
        (goal([SHOULDER], (0.02, [1.8])), Result.INVALID_GOAL, "velocity"),
        (goal([SHOULDER], (1.0, [1.4]), stamp=1e-3), Result.OLD_HEADER_TIMESTAMP, "ended"),
    ],
)
def test_goal_that_cannot_be_executed_has_its_code_and_reason(
    client: Client, request_: Any, code: int, text: str
) -> None:
    client.wait_for(lambda: client.received["/clock"][-1].clock.sec >= 2, "two seconds")
    status, found, reason = client.run(request_)
    assert (status, found) == (GoalStatus.STATUS_ABORTED, code) and text in reason


def test_numbers_that_overflow_end_their_goal_alone(client: Client) -> None:
    request = goal([SHOULDER], (1.0, [REST[SHOULDER]]), (2.0, [REST[SHOULDER]]))
    for point, speed in zip(request.trajectory.points, (1e308, 0.0), strict=True):
        point.velocities = [speed]
    for each in (goal([SHOULDER], (1.0, [1e308])), request):
        assert client.run(each)[:2] == (GoalStatus.STATUS_ABORTED, Result.INVALID_GOAL)
    client.topic.publish(trajectory([SHOULDER], (1.0, [1e308])))
    gripper = GripperCommand.Goal()
    gripper.command.position = 1e300
    action = client.action(GripperCommand, "left_gripper_controller/gripper_cmd")
    assert client.result(client.send(gripper, action)).status == GoalStatus.STATUS_ABORTED


def test_single_point_at_time_zero_succeeds_where_the_robot_is(client: Client) -> None:
    assert client.run(goal([SHOULDER], (0.0, [REST[SHOULDER]])))[0] == GoalStatus.STATUS_SUCCEEDED
    status, code, text = client.run(goal([SHOULDER], (0.0, [REST[SHOULDER] + 0.3])))
    assert (status, code) == (GoalStatus.STATUS_ABORTED, Result.INVALID_GOAL) and SHOULDER in text


def test_trajectory_of_many_points_is_executed(client: Client) -> None:
    share = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 1501))
    positions = (REST[SHOULDER] + 0.15 * share).tolist()
    points = [(0.5 + 0.001 * k, [position]) for k, position in enumerate(positions)]
    ended = client.run(goal([SHOULDER], *points))
    assert ended == (GoalStatus.STATUS_SUCCEEDED, Result.SUCCESSFUL, "")


def test_goal_that_waits_is_reported_and_ends_with_a_stop_that_is_counted(client: Client) -> None:
    handle = client.send(goal([SHOULDER], (1.0, [REST[SHOULDER]]), stamp=1e6))
    client.wait_for_status(
        "charmie_controller: controller",
        lambda _, values: "left_arm until 1000000.000 s" in values["goals that wait"],
        "the goal that waits",
    )
    client.trigger("stop")
    client.trigger("start")
    ended = client.result(handle)
    assert ended.status == GoalStatus.STATUS_ABORTED and "stopped" in ended.result.error_string
    client.wait_for_status(
        "charmie_controller: controller",
        lambda status, values: (
            "intervention: " in status.message and "interventions: stops" in values
        ),
        "the stop",
    )


def test_start_in_the_future_is_waited_for(client: Client) -> None:
    stamps = [
        m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec for m in client.received["joint_states"]
    ]
    start = stamps[-1] + 1.0
    handle = client.send(goal([SHOULDER], (0.5, [REST[SHOULDER] + 0.2]), stamp=start))
    client.forget()
    assert client.result(handle).status == GoalStatus.STATUS_SUCCEEDED
    moved = [
        m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec
        for m in client.received["joint_states"]
        if abs(m.position[m.name.index(SHOULDER)] - REST[SHOULDER]) > 1e-3
    ]
    assert moved and min(moved) >= start


def test_cancelled_goal_stops(client: Client) -> None:
    handle = client.send(goal([SHOULDER], (3.0, [REST[SHOULDER] + 0.4])))
    client.wait_for(lambda: client.position(SHOULDER) > REST[SHOULDER] + 0.05, "motion")
    cancelled = handle.cancel_goal_async()
    client.wait_for(cancelled.done, "the cancellation")
    assert client.result(handle).status == GoalStatus.STATUS_CANCELED
    client.forget()
    client.wait_for(lambda: len(client.received["joint_states"]) > 200, "samples")
    assert client.position(SHOULDER) < REST[SHOULDER] + 0.39
    assert abs(client.received["joint_states"][-1].velocity[6 - 2]) < 0.01


def test_newer_goal_replaces_the_present_one(client: Client) -> None:
    first = client.send(goal([SHOULDER], (3.0, [REST[SHOULDER] + 0.4])))
    client.wait_for(lambda: client.position(SHOULDER) > REST[SHOULDER] + 0.05, "motion")
    second = client.send(goal([SHOULDER], (1.0, [REST[SHOULDER]])))
    ended = client.result(first)
    assert ended.status == GoalStatus.STATUS_ABORTED and "replaced" in ended.result.error_string
    assert client.result(second).status == GoalStatus.STATUS_SUCCEEDED


def test_groups_execute_goals_at_the_same_time(client: Client) -> None:
    head = client.action(FollowJointTrajectory, "head_controller/follow_joint_trajectory")
    torso = client.action(FollowJointTrajectory, "torso_controller/follow_joint_trajectory")
    lengths = client.wait_for_samples("actuator_lengths", 1)[-1]
    lift = float(lengths.position[lengths.name.index("lift_actuator")])
    handles = [
        client.send(goal([SHOULDER], (1.0, [REST[SHOULDER] + 0.2]))),
        client.send(goal(["neck_pan_joint"], (1.0, [0.3])), head),
        client.send(goal(["lift_actuator"], (1.0, [lift - 0.01])), torso),
    ]
    assert [client.result(handle).result.error_string for handle in handles] == ["", "", ""]


def test_gripper_closes(client: Client) -> None:
    action = client.action(GripperCommand, "left_gripper_controller/gripper_cmd")
    request = GripperCommand.Goal()
    request.command.position, request.command.max_effort = -0.1, 0.5
    ended = client.result(client.send(request, action))
    assert ended.status == GoalStatus.STATUS_SUCCEEDED and ended.result.reached_goal
    assert ended.result.position == pytest.approx(-0.1, abs=0.03)


def test_tolerance_of_the_path_is_watched(client: Client) -> None:
    request = goal([SHOULDER], (1.0, [REST[SHOULDER] + 0.3]))
    request.path_tolerance = [JointTolerance(name=SHOULDER, position=1e-9)]
    status, code, text = client.run(request)
    assert (status, code) == (GoalStatus.STATUS_ABORTED, Result.PATH_TOLERANCE_VIOLATED)
    assert SHOULDER in text


def test_trajectory_of_the_topic_is_executed_and_an_empty_one_stops(client: Client) -> None:
    client.topic.publish(trajectory([SHOULDER], (2.0, [REST[SHOULDER] + 0.4])))
    client.wait_for(lambda: client.position(SHOULDER) > REST[SHOULDER] + 0.05, "motion")
    client.topic.publish(JointTrajectory())
    client.forget()
    client.wait_for(lambda: len(client.received["joint_states"]) > 200, "samples")
    before = client.position(SHOULDER)
    client.forget()
    client.wait_for(lambda: len(client.received["joint_states"]) > 30, "samples")
    assert client.position(SHOULDER) == pytest.approx(before, abs=1e-3)
    assert before < REST[SHOULDER] + 0.39


def test_stop_ends_goals_and_refuses_others_until_start(client: Client) -> None:
    handle = client.send(goal([SHOULDER], (3.0, [REST[SHOULDER] + 0.4])))
    client.wait_for(lambda: client.position(SHOULDER) > REST[SHOULDER] + 0.05, "motion")
    client.trigger("stop")
    assert client.result(handle).status == GoalStatus.STATUS_ABORTED
    client.status("stopped")
    again = goal([SHOULDER], (1.0, [REST[SHOULDER]]))
    status, code, text = client.run(again)
    assert (status, code) == (GoalStatus.STATUS_ABORTED, Result.INVALID_GOAL)
    assert "~/start" in text
    client.trigger("start")
    assert client.run(again)[0] == GoalStatus.STATUS_SUCCEEDED


def test_reset_of_the_simulation_ends_goals_and_the_new_pose_is_held(client: Client) -> None:
    client.wait_for(lambda: client.received["/clock"][-1].clock.sec >= 1, "a second")
    handle = client.send(goal([SHOULDER], (3.0, [REST[SHOULDER] + 0.4])))
    client.wait_for(lambda: client.position(SHOULDER) > REST[SHOULDER] + 0.05, "motion")
    client.reset()
    ended = client.result(handle)
    assert ended.status == GoalStatus.STATUS_ABORTED and "jumped" in ended.result.error_string
    client.forget()
    client.wait_for(lambda: len(client.received["joint_states"]) > 50, "samples")
    assert client.position(SHOULDER) == pytest.approx(REST[SHOULDER], abs=0.01)


def test_without_inputs_goals_end_and_the_pose_is_held_by_constant_efforts(client: Client) -> None:
    handle = client.send(goal([SHOULDER], (30.0, [REST[SHOULDER] + 0.4])))
    client.wait_for(lambda: client.position(SHOULDER) > REST[SHOULDER] + 1e-4, "motion")
    client.set_state(2)
    ended = client.result(handle)
    assert ended.status == GoalStatus.STATUS_ABORTED and "inputs" in ended.result.error_string
    client.status("no recent inputs")
    client.forget()
    client.wait_for(lambda: len(client.received["effort_commands"]) > 5, "efforts")
    efforts = np.array([m.data for m in client.received["effort_commands"]])
    assert np.isfinite(efforts).all() and (efforts == efforts[0]).all() and efforts.any()
    client.set_state(1)
    client.wait_for(lambda: client.received["joint_states"], "samples")
    assert client.run(goal([SHOULDER], (1.0, [REST[SHOULDER]])))[0] == GoalStatus.STATUS_SUCCEEDED


def test_every_sample_gets_its_efforts(client: Client) -> None:
    client.forget()
    begin = time.monotonic()
    client.wait_for(lambda: len(client.received["joint_states"]) >= 200, "samples")
    assert len(client.received["effort_commands"]) >= 0.9 * len(client.received["joint_states"])
    assert time.monotonic() - begin < 60.0


def test_goal_that_waits_ends_with_the_subscriber(folder: Path) -> None:
    """Before the inputs, which end with the simulator too, are missed."""
    parameters = {"input_timeout": 30.0}
    with (
        start_node("simulator_node", folder, {"rate": RATE}, namespace="alone") as simulator,
        start_node("controller_node", folder, parameters, namespace="alone") as controller,
        Client(("joint_states", "/diagnostics"), namespace="alone") as client,
    ):
        for process in (simulator, controller):
            process.wait_for_output("' ready: ")
        client.wait_for(lambda: client.received["joint_states"], "samples")
        client.wait_for(lambda: client.node.count_subscribers("effort_commands"), "a subscriber")
        handle = client.send(goal([SHOULDER], (1.0, [REST[SHOULDER]]), stamp=1e6))
        simulator.end()
        ended = client.result(handle)
        assert ended.status == GoalStatus.STATUS_ABORTED
        assert "no subscriber" in ended.result.error_string


def test_robot_with_a_free_base_is_refused_with_a_reason(folder: Path) -> None:
    with start_node("controller_node", folder, {"model": "athena"}, namespace="refused") as process:
        assert process.wait() == 1
        assert "base" in process.output() and "Traceback" not in process.output()
