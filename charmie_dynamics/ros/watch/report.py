# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Report of the dynamics node once a second: diagnostics, and lines in the log."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from charmie_dynamics.collision.clearance import Clearance
from charmie_dynamics.live.estimation.entries import REMEMBERED
from charmie_dynamics.live.estimation.estimator import Estimator, describe_missing
from charmie_dynamics.live.findings import INCOMPATIBLE_QOS, STATUSES
from charmie_dynamics.live.measured import Comparison
from charmie_dynamics.live.monitors import START_TIME, CycleMonitor, CycleReport, InputMonitor
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.topics import IMU, ODOM
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, quoted
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.ros.outputs.diagnostics import (
    clearance_status,
    contact_status,
    cycle_status,
    estimator_status,
    input_status,
    load_status,
    model_status,
    prefixed,
    stability_status,
    status,
    unjudged,
)
from charmie_dynamics.ros.process.log import Log

from .graph_watch import GraphWatch


class Report:
    """Reports on inputs, cycles, loads, stability, model and graph.

    Parameters
    ----------
    node : Node
    log : Log
    monitors : mapping of str to InputMonitor
        Of the input topics.
    cycles : CycleMonitor
    graph : GraphWatch
    publish : callable
        Publishes a DiagnosticArray.
    start : str
        Report of the start.
    """

    def __init__(
        self,
        node: Node,
        log: Log,
        monitors: Mapping[str, InputMonitor],
        cycles: CycleMonitor,
        graph: GraphWatch,
        publish: Callable[[Any], None],
        start: str,
    ) -> None:
        self._node = node
        self._log = log
        self._monitors = monitors
        self._cycles = cycles
        self._graph = graph
        self._publish = publish
        self._start = start
        self._begin = self._last = time.monotonic()
        self._cycles_before = 0
        self._has_published = False

    def everything(
        self,
        pipeline: Pipeline,
        model: Model,
        state: State | None,
        loads: Mapping[str, str],
        comparison: Comparison | None,
        efforts: Mapping[str, str],
        clearance: tuple[Clearance | None, float],
    ) -> None:
        """Report on the time since the last call, and log the causes of missing outputs.

        Parameters
        ----------
        pipeline : Pipeline
        model : Model
        state : State or None
            The newest state; None if there is no recent one.
        loads : mapping of str to str
            The assumed loads as readable text.
        comparison : Comparison or None
            Of the newest measured efforts; None without any.
        efforts : mapping of str to str
            How measured efforts contradict the model, by actuator.
        clearance : Clearance or None, and float
            The nearest shapes, None if unknown, and the margin (m).
        """
        now = time.monotonic()
        monitors = dict(self._monitors)
        for monitor in monitors.values():
            monitor.close_interval(now - self._last)
        cycles = self._cycles.close_interval(now - self._last)
        self._last = now
        estimator = pipeline.estimator
        self._tell_of_unknown_names(estimator)
        self._confirm(cycles)
        is_waiting = not self._has_published and now - self._begin < START_TIME
        missing = describe_missing(pipeline.missing(now))
        if missing is not None and not is_waiting:
            self._log.warn("missing", f"no output, inputs missing or stale: {missing}")
        contradictions = pipeline.take_contradictions()
        for actuator, text in {**efforts, **contradictions}.items():
            self._log.warn(f"contradiction {actuator}", f"'{actuator}': {text}")
        self._warn_of_graph()
        names = prefixed(list(STATUSES), self._node.get_fully_qualified_name())
        if not model.mechanisms.linear_actuators:
            monitors.pop(ACTUATOR_LENGTHS)
        for topic in (IMU.name, ODOM.name):
            if not monitors[topic].total:
                monitors.pop(topic)
        settling = estimator.take_settling()
        judged = [
            load_status(names[3], model, state, loads),
            contact_status(names[4], model, comparison, efforts),
            stability_status(names[5], model, state),
        ]
        statuses = [
            input_status(
                *(names[0], monitors, estimator, model, now, contradictions, is_waiting),
                stale=pipeline.base.stale,
                unborne=pipeline.take_unborne(),
            ),
            estimator_status(names[1], settling, estimator.settling_times),
            cycle_status(names[2], cycles, pipeline.statistics, pipeline.order.waited),
            *(map(unjudged, judged) if settling.left and state is not None else judged),
            clearance_status(names[6], *clearance),
            model_status(names[7], model, has_base=pipeline.base.is_known),
            status(names[8], DiagnosticStatus.OK, self._start, {}),
            self._graph.status(names[9]),
        ]
        self._send(model, statuses)

    def graph(self, model: Model) -> None:
        """Report a change of the graph immediately."""
        self._warn_of_graph()
        (name,) = prefixed((INCOMPATIBLE_QOS.status,), self._node.get_fully_qualified_name())
        self._send(model, [self._graph.status(name)])

    def _send(self, model: Model, statuses: list[DiagnosticStatus]) -> None:
        for each in statuses:
            each.hardware_id = model.name or self._node.get_name()
        array = DiagnosticArray(status=statuses)
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publish(array)

    def _confirm(self, cycles: CycleReport) -> None:
        """Log the rate of the first whole interval with cycles."""
        if self._cycles_before and cycles.cycles:
            self._log.log_once("publishing", f"publishing at {cycles.rate:.4g} Hz")
        self._cycles_before = cycles.cycles
        self._has_published |= cycles.cycles > 0

    def _tell_of_unknown_names(self, estimator: Estimator) -> None:
        unknown = estimator.unknown_names
        for name in unknown:
            text = f"{quoted(name)} is not a joint or actuator of this model: ignored"
            self._log.log_once(f"unknown {name}", text)
        if len(unknown) >= REMEMBERED:
            self._log.log_once(
                "unknown names",
                f"{REMEMBERED} names are ignored; further ones are not reported",
            )

    def _warn_of_graph(self) -> None:
        for subject, text in self._graph.faults().items():
            self._log.warn(subject, f"{subject}: {text}")
