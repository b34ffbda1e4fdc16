# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Diagnostics of the controller node."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from charmie_dynamics.execution.robot_controller import RobotController
from charmie_dynamics.live.findings import (
    CONTROLLER,
    CONTROLLER_LOST,
    CONTROLLER_STOPPED,
    EFFORTS_LIMITED,
    GOAL_FAILED,
    NOT_HEARD,
)
from charmie_dynamics.live.topics import DIAGNOSTICS
from charmie_dynamics.ros.outputs.diagnostics import found, prefixed, status
from charmie_dynamics.ros.outputs.profiles import make_publisher

from .goal_runs import GoalRuns


class ControllerReport:
    """Publishes the state of the controller, and every intervention since the last report.

    Parameters
    ----------
    node : Node
    controller : RobotController
    runs : GoalRuns
    missing : callable
        Returns the missing inputs.
    is_heard : callable
        Returns whether the efforts have a subscriber.

    Attributes
    ----------
    interruptions : int
        Losses of inputs and jumps of time, since the start.
    """

    def __init__(
        self,
        node: Node,
        controller: RobotController,
        runs: GoalRuns,
        missing: Callable[[], list[str]],
        is_heard: Callable[[], bool],
    ) -> None:
        self._node, self._controller, self._runs = node, controller, runs
        self._missing, self._is_heard = missing, is_heard
        self._publisher = make_publisher(node, DIAGNOSTICS)
        self.interruptions = 0
        self._limited = self._failed = 0

    def publish(self) -> None:
        """Publish the status of now."""
        controller, runs = self._controller, self._runs
        ended = dict(runs.ended)
        failed = sum(ended.values()) - ended.get("SUCCESSFUL", 0) - ended.get("CANCELLED", 0)
        limited, self._limited = controller.limited - self._limited, controller.limited
        is_new, self._failed = failed > self._failed, failed
        missing = self._missing()
        finding, text = None, controller.mode
        if missing:
            finding, text = CONTROLLER_LOST, ", ".join(missing)
        elif controller.is_stopped:
            finding, text = CONTROLLER_STOPPED, controller.fallback
        elif not self._is_heard():
            finding, text = NOT_HEARD, "effort_commands"
        elif is_new:
            finding, text = GOAL_FAILED, runs.last_fault
        elif limited:
            finding, text = EFFORTS_LIMITED, f"{limited} commands"
        values = {
            "mode": controller.mode,
            "goals": ", ".join(runs.clients) or "none",
            "commands with limited efforts": str(controller.limited),
            "interruptions": str(self.interruptions),
            **{f"goals {name}": str(count) for name, count in ended.items()},
            **({"last fault": runs.last_fault} if runs.last_fault else {}),
        }
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        (name,) = prefixed([CONTROLLER], self._node.get_fully_qualified_name())
        message.status.append(
            status(name, DiagnosticStatus.OK, text, values)
            if finding is None
            else found(name, finding, f"{finding.text}: {text}", values)
        )
        self._publisher.publish(message)
