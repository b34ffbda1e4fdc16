# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The dynamics node: two input topics in; TF, efforts, loads, stability and markers out."""

from __future__ import annotations

import sys

if __name__ == "__main__":  # before the imports, which take half a second
    from charmie_dynamics.ros.process.interrupts import end_at_once

    end_at_once()

import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter

from charmie_dynamics.collision.clearance import ShapeDistances
from charmie_dynamics.errors import CharmieError, InputError, OutOfReachError
from charmie_dynamics.live import findings, topics
from charmie_dynamics.live.estimation.following import (
    assembly_lines,
    floating_joints,
    idle_lines,
    is_followed,
)
from charmie_dynamics.live.frame_ids import require_frame_ids
from charmie_dynamics.live.measured import Comparison, MeasuredEfforts
from charmie_dynamics.live.monitors import CycleMonitor
from charmie_dynamics.live.pipeline import Arrived, Pipeline
from charmie_dynamics.live.tracked_points import tracked_points
from charmie_dynamics.model.description.description_warnings import warning_lines
from charmie_dynamics.model.description.world.robot_contacts import read_robot_contacts
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.ros.inputs.base_inputs import BaseInputs
from charmie_dynamics.ros.inputs.input_queue import InputQueue
from charmie_dynamics.ros.inputs.load_inputs import LoadInputs
from charmie_dynamics.ros.inputs.payload_service import PayloadService
from charmie_dynamics.ros.inputs.trajectory_check import TrajectoryCheck
from charmie_dynamics.ros.outputs.clearance import ClearanceOutput
from charmie_dynamics.ros.outputs.floor_contacts import FloorContactsOutput
from charmie_dynamics.ros.outputs.publishers import Outputs
from charmie_dynamics.ros.process.faults import Faults
from charmie_dynamics.ros.process.interrupts import noted
from charmie_dynamics.ros.process.log import Log
from charmie_dynamics.ros.process.parameters import (
    Settings,
    change,
    declare_parameters,
    declare_payloads,
    require_payload_links,
    require_world_outside,
)
from charmie_dynamics.ros.process.running import run_node
from charmie_dynamics.ros.watch.graph_watch import GraphWatch
from charmie_dynamics.ros.watch.memory_watch import MemoryWatch
from charmie_dynamics.ros.watch.own_transforms import OwnFrames
from charmie_dynamics.ros.watch.report import Report

from . import warm_up

NODE_NAME = "charmie_dynamics"
DIAGNOSTICS_PERIOD = 1.0  # s


class DynamicsNode(Node):
    """Computes one cycle for each new joint sample and publishes it.

    Raises
    ------
    CharmieError
        From the constructor, for a parameter or a model file that cannot be used.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        self._log = Log(self)
        self._cycles = CycleMonitor()
        self._last_state: Any = None
        self._last_comparison: Comparison | None = None
        self._settings = declare_parameters(self)
        # it reports from the executor only, when `_report` exists
        self._graph = GraphWatch(self, self._report_graph)
        self._outputs = Outputs(self, events=self._graph.qos.publisher_events)
        self._clearance = ClearanceOutput(
            partial(self._outputs.publish, topics.CLEARANCE), self.get_logger().warning
        )
        self._contacts = FloorContactsOutput(self._outputs.publish)
        self._loads = LoadInputs(self, self._log, self._use_loads)
        self._model = _load(self._settings)
        self._settings = declare_payloads(self, self._settings, self._model)
        self._pipeline: Pipeline
        self._measured: MeasuredEfforts
        self._pipeline_options: dict[str, Any] = {}
        self._apply(self._settings, self._model)
        self._log_notices(*_notices(self._model))
        self._warm_up()
        self.add_on_set_parameters_callback(self._on_set_parameters)
        faults, events = Faults(self._cycles, self._log), self._graph.qos.subscription_events
        self._queue = InputQueue(
            self,
            lambda: self._pipeline,
            self._compute,
            faults,
            self._log,
            events,
        )
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        publish = partial(self._outputs.publish, topics.DIAGNOSTICS)
        base = BaseInputs(
            self, lambda: self._pipeline, lambda: self._settings.frame_prefix, self._log
        )
        monitors = {name: received.monitor for name, received in self._queue.inputs.items()}
        monitors.update(base.monitors)
        self._report = Report(
            self, self._log, monitors, self._cycles, self._graph, publish, warm_up.describe()
        )
        self.create_timer(DIAGNOSTICS_PERIOD, self._report_everything, clock=steady)
        PayloadService(self, self._loads)
        TrajectoryCheck(self, self._situation)
        MemoryWatch(self, self._queue, faults, self._log)
        self._graph.start()
        self.get_logger().info(
            f"'{self._model.name}' ready: {len(self._model.actuator_names)} actuators, "
            f"{len(self._model.frame_names)} frames, {self._model.total_mass:.2f} kg"
        )

    def _apply(self, settings: Settings, model: Model) -> None:
        """Take settings and model into use together.

        All that can refuse them precedes the changes: after a `CharmieError` nothing has changed.
        Estimates restart unless the change only affects the display of results: efforts must not
        jump because labels are enabled.
        """
        require_frame_ids(settings, model)
        require_world_outside(settings, model)
        require_payload_links(settings, model)
        options: dict[str, Any] = {
            "input_timeout": settings.input_timeout,
            "acceleration_cutoff": settings.acceleration_cutoff,
            "estimate_acceleration": settings.acceleration_source == "estimated",
            "require_base_joints": settings.require_base_joints,
            "compute_dynamics": settings.compute_dynamics,
            "contacts": None,
        }
        if settings.contacts:
            options["contacts"] = read_robot_contacts(settings.contacts, model.tree)
            for task in warm_up.FLOOR:
                warm_up.prepare(NODE_NAME, None, task)
        restarts = model is not self._model or options != self._pipeline_options
        pipeline = Pipeline(model, **options) if restarts else self._pipeline
        measured: MeasuredEfforts | None = None
        if restarts or settings.observer_cutoff != self._settings.observer_cutoff:
            measured = MeasuredEfforts(model, settings.observer_cutoff, settings.input_timeout)
        points = tracked_points(model, settings.tracked_points)
        if settings.world:
            warm_up.prepare(NODE_NAME, None, warm_up.DISTANCES)
        monitor = self._clearance.prepare(model, settings)
        self._outputs.configure(model, settings)
        self._clearance.configure(monitor, model, settings)
        self._contacts.configure(options["contacts"], model, settings)
        self._graph.transforms.configure(OwnFrames.of(model, settings))
        if restarts:
            self._pipeline = pipeline
            self._pipeline_options = options
            self._cycles.forget_fault()
            self._last_state = None
        if measured is not None:
            self._measured = measured
            self._last_comparison = None
        self._pipeline.track(points)
        self._pipeline.set_message_records(self._outputs.filler.arguments)
        self._settings = settings
        self._model = model
        self._loads.configure(model, settings.frame_prefix, settings.payloads)
        self._use_loads()

    def _use_loads(self) -> None:
        """Apply the known loads to the robot from the next cycle on."""
        loaded = self._model.with_loads(self._loads.payloads, self._loads.wrenches)
        self._pipeline.carry(loaded)
        self._measured.carry(self._pipeline.model)

    def _situation(self) -> tuple[Model, Floats, ShapeDistances | None]:
        """Return the robot with its loads, the position of its actuators, and monitored shapes.

        Raises
        ------
        InputError
            If the state is unknown.
        """
        if self._last_state is None:
            raise InputError("the state of the robot is unknown: expected recent joint states")
        return self._pipeline.model, self._last_state.position, self._clearance.distances

    def _log_notices(self, warnings: list[str], remarks: list[str]) -> None:
        for line in warnings:
            self.get_logger().warning(line)
        for line in remarks:
            self.get_logger().info(line)

    def _warm_up(self) -> None:
        """Compile or load the kernels before the first message arrives."""
        warm_up.prepare(NODE_NAME, None)
        try:
            self._pipeline.warm_up()
        except OutOfReachError as error:
            self.get_logger().warning(f"the rest pose is out of reach: {error}")
        self.get_logger().info(warm_up.describe())

    def _on_set_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        """Change settings at run time; a rejected change has no effect."""
        if noted():  # many may be waiting, and each takes its time
            return SetParametersResult(successful=False, reason="the node is ending")
        try:
            settings = change(self._settings, parameters)
            if settings == self._settings:
                return SetParametersResult(successful=True)
            if _files(settings) == _files(self._settings):
                self._apply(settings, self._model)
            else:
                model = _load(settings)
                notices = _notices(model)
                self._apply(settings, model)
                # neither raises nor changes the settings: all payloads with a value were declared
                # at the start, and new ones are empty
                declare_payloads(self, settings, model)
                self._log_notices(*notices)
        except CharmieError as error:
            return SetParametersResult(successful=False, reason=str(error))
        except Exception as error:
            # a change that cannot be made must not end the node either
            fault = type(error).__name__
            self._log.warn(f"change {fault}", f"parameters not changed: {traceback.format_exc()}")
            return SetParametersResult(successful=False, reason=f"{fault}: {error}")
        return SetParametersResult(successful=True)

    def _compute(self, arrived: Arrived, now: float) -> None:
        """Process a sample and publish its cycle."""
        start = time.monotonic()
        if self._loads.expire(now, self._settings.input_timeout):
            self._use_loads()
        cycle = self._pipeline.take(*arrived, now)
        if cycle is None:
            return
        self._outputs.publish_cycle(cycle)
        self._contacts.note(cycle)
        if self._pipeline.base.is_used:  # gravity may have changed
            self._measured.carry(self._pipeline.model)
        self._graph.transforms.note(cycle.stamp)
        self._last_state = cycle.state
        self._last_comparison = self._measured.update(cycle)
        if self._last_comparison is not None:
            self._outputs.publish_comparison(self._last_comparison)
        self._clearance.note(cycle)
        seconds = time.monotonic() - start
        self._queue.slack.note_cycle(seconds)
        self._cycles.note(cycle.stamp, seconds)

    def _report_everything(self) -> None:
        """Publish diagnostics; without recent inputs they contain no state."""
        if self._pipeline.missing(time.monotonic()):
            self._last_state = self._last_comparison = self._clearance.nearest = None
        loads, comparison = self._loads.described(), self._last_comparison
        self._report.everything(
            self._pipeline,
            self._model,
            self._last_state,
            loads,
            comparison,
            self._measured.contradictions(),
            (self._clearance.nearest, self._settings.clearance_margin),
        )
        self._queue.note_busy()

    def _report_graph(self) -> None:
        self._report.graph(self._model)
        self._queue.note_busy()

    def destroy_node(self) -> None:
        """Give everything back to the middleware."""
        self._graph.close()
        self._outputs.close()
        super().destroy_node()


def _files(settings: Settings) -> tuple[str, str, bool]:
    """Return the settings that define the model."""
    return settings.model, settings.mechanisms, settings.strict_inertials


def _notices(model: Model) -> tuple[list[str], list[str]]:
    """Return the warnings of a model, and remarks."""
    warnings = warning_lines(model.warnings)
    held = floating_joints(model)
    if held:
        warnings.append(f"{findings.FLOATING_HELD.text}: {', '.join(held)}")
    warnings += assembly_lines(model)
    return warnings, idle_lines(model)


def _load(settings: Settings) -> Model:
    urdf, mechanisms, strict = _files(settings)
    model = read_model(urdf, mechanisms, strict=strict)
    if is_followed(model):
        warm_up.prepare(NODE_NAME, None, warm_up.LOOPS)
    return model


def main(args: list[str] | None = None, beside: Sequence[Callable[[], Node]] = ()) -> int:
    """Run the dynamics node until an interrupt or a shutdown.

    Parameters
    ----------
    args : list of str, optional
        The command line; that of the process if omitted. Parameters and remappings hold for all
        nodes, unless given with the name of one: ``-p charmie_dynamics:model:=my.urdf``. ROS 2
        knows no such parameters of nodes in a namespace: a file of parameters does it there.
    beside : sequence of callables, optional
        Classes of nodes, or functions that return one: they share the process and the executor,
        which is a single thread. A callback that takes long keeps the efforts waiting; one that
        raises is logged without further effect, except a `CharmieError`, which ends the process.

    Returns
    -------
    int
        Exit status.
    """
    prepare = partial(warm_up.prepare, NODE_NAME, args)
    return run_node(DynamicsNode, NODE_NAME, args, prepare, beside)


if __name__ == "__main__":
    sys.exit(main())
