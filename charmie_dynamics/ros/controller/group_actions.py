# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Actions and topics of the groups of a robot."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from control_msgs.action import FollowJointTrajectory, GripperCommand
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from charmie_dynamics.execution.execution import GoalOutcome, GoalProgress
from charmie_dynamics.execution.goals import Code, Defaults, Goal, gripper_goal
from charmie_dynamics.execution.groups import JointGroup
from charmie_dynamics.execution.robot_controller import RobotController
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.ros.outputs.conversions import doubles, time_from_stamp
from charmie_dynamics.ros.outputs.profiles import make_subscription
from charmie_dynamics.ros.process.log import Log

from .goal_runs import GoalRuns
from .requests import goal_of_request, goal_of_trajectory
from .topics import gripper_action, trajectory_action, trajectory_topic


class GroupActions:
    """Servers of the actions, and subscriptions to the trajectories, of all groups.

    Every goal is accepted, so that its result can state the reason if it is not executed: a
    rejected one has no result.

    Parameters
    ----------
    node : Node
    controller : RobotController
    runs : GoalRuns
    defaults : Defaults
        Tolerances.
    now : callable
        Returns the stamp of the last sample (ns).
    log : Log
    """

    def __init__(
        self,
        node: Node,
        controller: RobotController,
        runs: GoalRuns,
        defaults: Defaults,
        now: Callable[[], int],
        log: Log,
    ) -> None:
        self._controller, self._runs, self._defaults = controller, runs, defaults
        self._now, self._log = now, log
        self._servers = []
        for group in controller.execution.groups.values():
            if group.is_gripper:
                kind, name = GripperCommand, gripper_action(group.name)
            else:
                kind, name = FollowJointTrajectory, trajectory_action(group.name)
                take = partial(self._take_trajectory, group)
                make_subscription(node, trajectory_topic(group.name), take)
            self._servers.append(self._serve(node, kind, name, group))

    def _serve(self, node: Node, kind: Any, name: str, group: JointGroup) -> ActionServer:
        return ActionServer(
            node,
            kind,
            name,
            _executed,
            handle_accepted_callback=partial(self._begin, group),
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=ReentrantCallbackGroup(),
        )

    def _begin(self, group: JointGroup, handle: Any) -> None:
        client = ActionClient(handle, self._result_of_gripper if group.is_gripper else _result)
        self._runs.accept(
            group.name, partial(self._goal, group, handle.request), client, self._now()
        )
        handle.execute(partial(_executed, client=client))

    def _goal(self, group: JointGroup, request: Any) -> Goal:
        model = self._controller.model
        if not group.is_gripper:
            return goal_of_request(group, model, request, self._defaults)
        command, present = request.command, self._controller.desired(self._now()).position
        return gripper_goal(
            group,
            model,
            float(command.position),
            float(command.max_effort),
            float(present[group.columns[0]]),
            self._defaults,
        )

    def _take_trajectory(self, group: JointGroup, message: JointTrajectory) -> None:
        if not message.points:
            self._runs.end_waiting("stopped", group.name)
            self._runs.finish(self._controller.stop_group(group.name, self._now()))
            return
        make = partial(goal_of_trajectory, group, self._controller.model, message, self._defaults)
        self._runs.accept(group.name, make, TopicClient(group, self._log), self._now())

    def publish_feedback(self, now: int) -> None:
        """Publish the progress of all goals of actions at a time (ns)."""
        for group, client in self._runs.clients.items():
            progress = self._controller.execution.progress_of(group)
            if progress is not None and isinstance(client, ActionClient):
                if self._controller.execution.groups[group].is_gripper:
                    client.handle.publish_feedback(self._gripper_feedback(group))
                else:
                    client.handle.publish_feedback(_feedback(progress, now))

    def _gripper_feedback(self, group: str) -> GripperCommand.Feedback:
        feedback = GripperCommand.Feedback()
        feedback.position, feedback.effort = self._gripper_state(group)
        return feedback

    def _gripper_state(self, group: str) -> tuple[float, float]:
        (column,) = self._controller.execution.groups[group].columns
        controller = self._controller
        return float(controller.position[column]), float(controller.last_effort[column])

    def _result_of_gripper(self, outcome: GoalOutcome) -> GripperCommand.Result:
        result = GripperCommand.Result(stalled=outcome.is_stalled)
        result.reached_goal = outcome.code == Code.SUCCESSFUL and not outcome.text
        result.position, result.effort = self._gripper_state(outcome.group)
        if outcome.code != Code.SUCCESSFUL:  # the result has no text
            self._log.warn(outcome.text, outcome.text)
        return result

    def close(self) -> None:
        """Destroy the servers; call before the node is destroyed."""
        for server in self._servers:
            server.destroy()


class ActionClient:
    """The client of an action."""

    def __init__(self, handle: Any, result: Callable[[GoalOutcome], Any]) -> None:
        self.handle, self.future = handle, Future()
        self._result = result

    @property
    def is_cancel_requested(self) -> bool:
        """Whether the goal is to end."""
        return bool(self.handle.is_cancel_requested)

    def end(self, outcome: GoalOutcome, is_cancelled: bool) -> None:
        """Send the result."""
        self.future.set_result((self._result(outcome), outcome.code, is_cancelled))


class TopicClient:
    """A trajectory of a topic: faults are logged."""

    is_cancel_requested = False

    def __init__(self, group: JointGroup, log: Log) -> None:
        self._topic, self._log = trajectory_topic(group.name).name, log

    def end(self, outcome: GoalOutcome, is_cancelled: bool) -> None:
        """Log a fault."""
        if outcome.code != Code.SUCCESSFUL:
            self._log.warn(self._topic, f"{self._topic}: {outcome.text}")


async def _executed(handle: Any, *, client: ActionClient) -> Any:
    result, code, is_cancelled = await client.future
    if is_cancelled:
        handle.canceled()
    elif code == Code.SUCCESSFUL:
        handle.succeed()
    else:
        handle.abort()
    return result


def _result(outcome: GoalOutcome) -> FollowJointTrajectory.Result:
    return FollowJointTrajectory.Result(error_code=int(outcome.code), error_string=outcome.text)


def _feedback(progress: GoalProgress, now: int) -> FollowJointTrajectory.Feedback:
    feedback = FollowJointTrajectory.Feedback(joint_names=list(progress.names))
    feedback.header.stamp = time_from_stamp(now)
    seconds, nanoseconds = divmod(round(max(progress.time, 0.0) * NANOSECONDS), NANOSECONDS)
    error = progress.desired - progress.actual
    for name, motion in (
        ("desired", progress.desired),
        ("actual", progress.actual),
        ("error", error),
    ):
        point = JointTrajectoryPoint(positions=doubles(motion[0]), velocities=doubles(motion[1]))
        point.time_from_start.sec, point.time_from_start.nanosec = seconds, nanoseconds
        setattr(feedback, name, point)
    return feedback
