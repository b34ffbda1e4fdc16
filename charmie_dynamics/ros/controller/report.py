# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Diagnostics of the controller node."""

from __future__ import annotations

from collections import Counter
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
    INTERVENED,
    NOT_HEARD,
)
from charmie_dynamics.live.topics import DIAGNOSTICS
from charmie_dynamics.live.wire.stamps import SECONDS
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
        self._interventions: Counter[str] = Counter()
        self._new = dict[str, str]()
        self._limited = self._failed = 0

    def note_intervention(self, cause: str, reason: str) -> None:
        """Count an intervention, which the next report states.

        Parameters
        ----------
        cause : str
            Its counter.
        reason : str
            For the report.
        """
        self._interventions[cause] += 1
        self._new[cause] = reason

    def publish(self) -> None:
        """Publish the status of now."""
        controller, runs = self._controller, self._runs
        ended = dict(runs.ended)
        failed = sum(ended.values()) - ended.get("SUCCESSFUL", 0) - ended.get("CANCELLED", 0)
        limited, self._limited = controller.limited - self._limited, controller.limited
        is_new, self._failed = failed > self._failed, failed
        missing, interventions = self._missing(), list(self._new.values())
        self._new.clear()
        finding, text = None, controller.mode
        if missing:
            finding, text = CONTROLLER_LOST, ", ".join(missing)
        elif controller.is_stopped:
            finding, text = CONTROLLER_STOPPED, controller.fallback
        elif not self._is_heard():
            finding, text = NOT_HEARD, "effort_commands"
        elif interventions:
            finding, text = INTERVENED, "; ".join(interventions)
        elif is_new:
            finding, text = GOAL_FAILED, runs.last_fault
        elif limited:
            finding, text = EFFORTS_LIMITED, f"{limited} commands"
        values = {
            "mode": controller.mode,
            "goals": ", ".join(runs.clients) or "none",
            "commands with limited efforts": str(controller.limited),
            "goals that wait": ", ".join(_waiting(*each) for each in runs.waiting) or "none",
            **{f"interventions: {cause}": str(n) for cause, n in self._interventions.items()},
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


def _waiting(group: str, start: int | None) -> str:
    return group if start is None else f"{group} until {start * SECONDS:.3f} s"
