# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Watch on the graph: endpoints that do not fit, frames that two nodes publish."""

from __future__ import annotations

import time
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from charmie_dynamics.live.findings import INCOMPATIBLE_QOS, TWO_PUBLISHERS
from charmie_dynamics.ros.outputs.diagnostics import found, status

from .qos_watch import QosWatch
from .transform_watch import TransformWatch

# s between two checks of the transforms of other nodes
LISTEN_PERIOD = 0.05
# s between two questions about endpoints that do not fit, and about other publishers of transforms
GRAPH_PERIOD = 0.5
# frames that are named
NAMED = 8


class GraphWatch:
    """Watches the graph around a node and reports each change of its faults when it is found.

    The graph is polled twice a second, and twenty times while another node publishes transforms.

    Parameters
    ----------
    node : Node
    report : callable
        Is called when `faults` has changed.
    """

    def __init__(self, node: Node, report: Callable[[], None]) -> None:
        self._node = node
        self._report = report
        self._reported: dict[str, str] = {}
        self.qos = QosWatch(node, self.report_changes)
        self.transforms = TransformWatch(node)
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        # runs while others publish transforms
        self._listen_timer = node.create_timer(LISTEN_PERIOD, self._listen, clock=self._steady)
        self._listen_timer.cancel()

    def start(self) -> None:
        """Poll the graph from now on."""
        self._node.create_timer(GRAPH_PERIOD, self._poll, clock=self._steady)

    def _poll(self) -> None:
        """Check the graph, and process the events since the last call."""
        self.qos.look(time.monotonic())
        self._listen()

    def _listen(self) -> None:
        """Process the transforms of other nodes, repeatedly while there are any."""
        self.transforms.look(time.monotonic())
        timer, is_listening = self._listen_timer, self.transforms.is_listening
        is_running = not timer.is_canceled()
        if is_listening and not is_running:
            timer.reset()
        elif is_running and not is_listening:
            timer.cancel()
        self.report_changes()

    def report_changes(self) -> None:
        """Report if anything has changed."""
        faults = self.faults()
        if faults != self._reported:
            self._reported = faults
            self._report()

    def faults(self) -> dict[str, str]:
        """Return the faults by subject."""
        wrong = {}
        frames = self.transforms.conflicts()
        if frames:
            named = ", ".join(frames[:NAMED])
            more = f" and {len(frames) - NAMED} more" if len(frames) > NAMED else ""
            wrong[TWO_PUBLISHERS.text] = named + more
        for topic, (policies, nodes) in self.qos.incompatible().items():
            of = f" of {', '.join(nodes)}" if nodes else ""
            wrong[f"{INCOMPATIBLE_QOS.text} {topic}"] = ", ".join(policies) + of
        return wrong

    def status(self, name: str) -> DiagnosticStatus:
        """Return the status for /diagnostics.

        An error where frames have two publishers, since tf2 then gives wrong poses; a warning for a
        subscription that does not receive its topic.
        """
        faults = self.faults()
        if not faults:
            return status(name, DiagnosticStatus.OK, "no conflicts", {})
        values = dict(faults)
        finding = INCOMPATIBLE_QOS
        if self.transforms.conflicts():
            finding = TWO_PUBLISHERS
            others = self.transforms.other_publishers()
            values["other publishers of transforms"] = ", ".join(others)
        message = "; ".join(f"{subject}: {text}" for subject, text in faults.items())
        return found(name, finding, message, values)

    def close(self) -> None:
        """Give everything back to the middleware; to be called before the node is destroyed."""
        self.transforms.close()
