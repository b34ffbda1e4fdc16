"""The dynamics node: two input topics in; TF, efforts, loads, stability and markers out."""

from __future__ import annotations

import sys
import time
import traceback
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..core.jit import count_compilations
from ..model.errors import CharmieError, InputError, OutOfReachError
from ..model.model import Model, load_model
from ..signals.align import ACTUATOR_LENGTHS, describe_missing
from ..signals.pipeline import Pipeline
from ..signals.samples import JointSample
from . import topics
from .diagnostics import (
    InputMonitor,
    cycle_status,
    input_status,
    load_status,
    model_status,
    prefixed,
    stability_status,
)
from .joint_state_reader import JointStateReader
from .outputs import Outputs
from .parameters import Settings, change, declare_parameters
from .running import quiet_after_shutdown, run_node
from .throttle import Throttle

NODE_NAME = "charmie_dynamics"
DIAGNOSTICS_PERIOD = 1.0  # s
LOG_PERIOD = 10.0  # s between two lines of one cause


class DynamicsNode(Node):
    """Computes one cycle for each new joint sample and publishes it.

    Raises
    ------
    CharmieError
        From the constructor, for a parameter or a model file that cannot be used.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        self._throttle = Throttle(LOG_PERIOD)
        self._fault = ""
        self._last_state: Any = None
        self._settings = declare_parameters(self)
        self._outputs = Outputs(self)
        self._model = _load(self._settings)
        self._pipeline_options: dict[str, Any] = {}
        self._apply(self._settings, self._model)
        self._warm_up()
        self.add_on_set_parameters_callback(self._on_set_parameters)
        self._monitors: dict[str, InputMonitor] = {}
        # lengths first: when both wait, they are taken before the joints that need them
        for topic in topics.INPUTS:
            monitor = self._monitors[topic.name] = InputMonitor()
            receive = partial(self._on_message, topic.name, monitor, JointStateReader())
            self.create_subscription(topic.type, topic.name, receive, topic.qos, raw=True)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._last_report = time.monotonic()
        self.create_timer(DIAGNOSTICS_PERIOD, self._report, clock=steady)
        threshold = JumpThreshold(
            min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=True
        )
        self._jump_handle = self.get_clock().create_jump_callback(
            threshold, post_callback=lambda _: self._pipeline.reset()
        )
        self.get_logger().info(
            f"'{self._model.name}' ready: {len(self._model.actuator_names)} actuators, "
            f"{len(self._model.frame_names)} frames, {self._model.total_mass:.2f} kg"
        )

    def _apply(self, settings: Settings, model: Model) -> None:
        """Take settings and model into use together.

        Inputs start anew, unless the change is only about how results are shown: efforts must
        not jump because somebody wants to see labels.
        """
        options: dict[str, Any] = {
            "input_timeout": settings.input_timeout,
            "acceleration_cutoff": settings.acceleration_cutoff,
            "estimate_acceleration": settings.acceleration_source == "estimated",
            "require_base_joints": settings.require_base_joints,
            "compute_dynamics": settings.compute_dynamics,
        }
        if model is not self._model or options != self._pipeline_options:
            self._pipeline = Pipeline(model, **options)
            self._pipeline_options = options
            self._fault = ""
            self._last_state = None
        self._outputs.configure(model, settings)
        self._settings = settings
        self._model = model

    def _warm_up(self) -> None:
        """Compile or load the kernels before the first message comes."""
        start = time.monotonic()
        try:
            self._pipeline.warm_up()
        except OutOfReachError as error:
            self.get_logger().warning(f"the zero position is out of reach: {error}")
        seconds = time.monotonic() - start
        compiled, loaded = count_compilations()
        if compiled:
            text = f"{compiled} kernels compiled, {loaded} loaded in {seconds:.2f} s"
        elif loaded:
            text = f"{loaded} kernels loaded in {seconds:.2f} s"
        else:
            text = "kernels run in plain Python, slowly: numba is not installed"
        self.get_logger().info(text)

    def _on_set_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        """Change settings at run time; a refused change leaves everything as it was."""
        try:
            settings = change(self._settings, parameters)
            if settings == self._settings:
                return SetParametersResult(successful=True)
            files = (settings.model, settings.mechanisms)
            same = files == (self._settings.model, self._settings.mechanisms)
            self._apply(settings, self._model if same else _load(settings))
        except CharmieError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_message(
        self, topic: str, monitor: InputMonitor, reader: JointStateReader, data: bytes
    ) -> None:
        arrival = time.monotonic()
        monitor.received += 1
        monitor.last_arrival = arrival
        try:
            sample = reader.read(data, self._now)
        except InputError as error:
            monitor.reject(str(error))
            self._warn(f"{topic} {error}", f"{topic}: message refused: {error}")
            return
        try:
            self._run_cycle(topic, sample, arrival)
        except OutOfReachError as error:
            self._fault = str(error)
            self._warn(f"{error.name} out of reach", str(error))
        except CharmieError as error:
            self._fault = str(error)
            self._warn(type(error).__name__, str(error))
        except Exception as error:
            if not self.context.ok():
                return  # a signal has ended it in the middle of the cycle
            # one bad cycle must not end the node: say everything about it and go on
            self._fault = f"{type(error).__name__}: {error}"
            self._warn(f"cycle {self._fault}", f"cycle failed: {traceback.format_exc()}")

    def _now(self) -> int:
        """Return the time (ns) on the node's clock."""
        return self.get_clock().now().nanoseconds

    def _run_cycle(self, topic: str, sample: JointSample, arrival: float) -> None:
        cycle = self._pipeline.add(topic, sample, arrival)
        if cycle is not None:
            self._outputs.publish_cycle(cycle)
            self._fault = ""
            self._last_state = cycle.state

    @quiet_after_shutdown
    def _report(self) -> None:
        """Publish diagnostics, and log what keeps the outputs from coming."""
        now = time.monotonic()
        for monitor in self._monitors.values():
            monitor.close_interval(now - self._last_report)
        self._last_report = now
        counters = self._pipeline.aligner.counters
        for name in counters.unknown_names:
            self._notice_once(name)
        missing = self._pipeline.missing(now)
        if missing:
            self._warn(
                "missing", f"no output, inputs missing or stale: {describe_missing(missing)}"
            )
            self._last_state = None
        own = ("inputs", "cycle", "loads", "stability", "model")
        names = prefixed(own, self.get_fully_qualified_name())
        array = DiagnosticArray()
        array.header.stamp = self.get_clock().now().to_msg()
        monitors = dict(self._monitors)
        if not self._pipeline.aligner.needs_lengths:
            monitors.pop(ACTUATOR_LENGTHS)
        array.status = [
            input_status(names[0], monitors, counters, missing, now),
            cycle_status(names[1], self._pipeline.statistics, self._fault),
            load_status(names[2], self._model, self._last_state),
            stability_status(names[3], self._model, self._last_state),
            model_status(names[4], self._model),
        ]
        self._outputs.publish(topics.DIAGNOSTICS, array)

    def _warn(self, cause: str, text: str) -> None:
        if self._throttle.allows(cause, time.monotonic()):
            self.get_logger().warning(text)

    def _notice_once(self, name: str) -> None:
        if self._throttle.first_time(f"unknown {name}"):
            self.get_logger().info(f"'{name}' is not a joint or actuator of this model: ignored")


def _load(settings: Settings) -> Model:
    return load_model(settings.model or None, settings.mechanisms or None)


def main(args: list[str] | None = None) -> int:
    """Run the dynamics node; the exit status is returned."""
    return run_node(DynamicsNode, NODE_NAME, args)


if __name__ == "__main__":
    sys.exit(main())
