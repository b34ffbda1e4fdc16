# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The bridge: a robot's own topics in, joint states and actuator lengths out."""

from __future__ import annotations

import sys

if __name__ == "__main__":  # before the imports, which take half a second
    from charmie_dynamics.ros.process.interrupts import end_at_once

    end_at_once()

import math
import time
import traceback
from array import array
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState

from charmie_dynamics.live.bridge.configuration import ROBOT_FILE, parse_bridge
from charmie_dynamics.live.bridge.translator import Values
from charmie_dynamics.live.topics import DIAGNOSTICS
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.model.description.files import read_text, share_file
from charmie_dynamics.model.description.package_robots import BUILT
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.ros.inputs.bridge_source import BridgeSource
from charmie_dynamics.ros.outputs.conversions import time_from_stamp
from charmie_dynamics.ros.outputs.diagnostics import prefixed
from charmie_dynamics.ros.outputs.profiles import make_publisher
from charmie_dynamics.ros.process.declaring import ParameterError, ParameterSpec, declare_known
from charmie_dynamics.ros.process.running import run_node
from charmie_dynamics.ros.process.throttle import Throttle

NODE_NAME = "charmie_bridge"
RETRY_PERIOD = 1.0  # s between two tries to load types that were not there
REPORT_PERIOD = 1.0  # s
LOG_PERIOD = 10.0  # s between two lines of one cause
PARAMETERS = (
    ParameterSpec("config", "", "Path of a bridge file (YAML); empty: the file of the built robot"),
    ParameterSpec(
        "model", BUILT, "Model with the joints of the values: a URDF or a robot's short name"
    ),
    ParameterSpec("mechanisms", "", "Path of a mechanisms file; empty: the model's own"),
)


class BridgeNode(Node):
    """Publishes `joint_states` and `actuator_lengths` from the robot's own topics.

    Each received message results in at most one message on either topic, with the time of the
    measurement. A joint that a linear actuator moves is published as joint on `joint_states`, and
    the length that belongs to it on `actuator_lengths`.

    Raises
    ------
    CharmieError
        From the constructor, for a parameter or a file that cannot be used.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        settings = declare_known(self, PARAMETERS)
        self._throttle = Throttle(LOG_PERIOD)
        model = read_model(settings["model"], settings["mechanisms"])
        path = Path(settings["config"]) if settings["config"] else share_file(*ROBOT_FILE)
        sources = parse_bridge(read_text(path), str(path), model)
        # deep enough for a burst after a pause, all of which the estimators use
        self._joints = self.create_publisher(JointState, JOINT_STATES, 100)
        self._lengths = self.create_publisher(JointState, ACTUATOR_LENGTHS, 100)
        self._diagnostics = make_publisher(self, DIAGNOSTICS)
        self._require_no_circle({source.topic for source in sources})
        self._sources = [BridgeSource(self, each, model, self._on_message) for each in sources]
        self._last_report = time.monotonic()
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(RETRY_PERIOD, self._subscribe, clock=steady)
        self.create_timer(REPORT_PERIOD, self._report, clock=steady)
        self._subscribe()
        for each in self._sources:
            for name, delay in each.delays():
                self.get_logger().info(
                    f"'{name}' is smoothed: its velocity and acceleration are delayed by "
                    f"{delay:.2f} s"
                )
        self.get_logger().info(
            f"'{model.name}' bridged: {', '.join(source.topic for source in sources)}"
        )

    def _require_no_circle(self, inputs: set[str]) -> None:
        """Refuse inputs that this node publishes."""
        own = {publisher.topic_name for publisher in (self._joints, self._lengths)}
        for topic in sorted(inputs):
            if self.resolve_topic_name(topic) in own:
                raise ParameterError(
                    f"topic '{topic}' is a source of the bridge and would be published by it; "
                    "expected another name: run the bridge in a namespace, such as "
                    "--ros-args -r __ns:=/dynamics"
                )

    def _subscribe(self) -> None:
        """Subscribe to the available sources, and log the faults of the others."""
        for source in self._sources:
            name = f"source '{source.source.name}' ({source.source.topic})"
            was_waiting = bool(source.fault)
            if not source.try_to_subscribe():
                self._warn(
                    source.fault, f"{name}: {source.fault}; retrying every {RETRY_PERIOD:g} s"
                )
            elif was_waiting:
                self.get_logger().info(f"{name}: listening for {source.source.type}")

    def _on_message(self, source: BridgeSource, data: bytes) -> None:
        """Publish the values of a message; exceptions are logged."""
        try:
            read = source.read(data, self.get_clock().now().nanoseconds)
            if read is None:
                return
            stamp, result = read
            if stamp <= 0:
                return  # simulated time has not begun
            for joint, text in result.beyond.items():
                self._warn(f"{joint} out of reach", text)
            # lengths first: the node takes them before the joints whose cycle needs them
            for publisher, values in (
                (self._lengths, result.lengths),
                (self._joints, result.joints),
            ):
                if values.names:
                    publisher.publish(to_message(values, stamp))
        except Exception as error:
            if not self.context.ok():
                return
            # one bad message must not end the bridge: log all its details and continue
            topic = source.source.topic
            source.monitor.reject(type(error).__name__)
            self._warn(f"{topic} {error}", f"{topic}: message failed: {traceback.format_exc()}")

    def _report(self) -> None:
        """Publish diagnostics: one status for each source."""
        now = time.monotonic()
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        names = prefixed(
            [source.source.name for source in self._sources], self.get_fully_qualified_name()
        )
        for name, source in zip(names, self._sources, strict=True):
            source.monitor.close_interval(now - self._last_report)
            message.status.append(source.status(name, now))
        self._last_report = now
        self._diagnostics.publish(message)

    def _warn(self, cause: str, text: str) -> None:
        if self._throttle.allows(cause, time.monotonic()):
            self.get_logger().warning(text)


def to_message(values: Values, stamp: int) -> JointState:
    """Return values as a message; unknown fields are empty.

    Parameters
    ----------
    values : Values
    stamp : int
        Time of the measurement (ns).
    """
    message = JointState(name=values.names, position=array("d", values.position))
    message.header.stamp = time_from_stamp(stamp)
    for field in ("velocity", "effort"):
        given = getattr(values, field)
        if any(map(math.isfinite, given)):
            setattr(message, field, array("d", given))
    return message


def main(args: list[str] | None = None) -> int:
    """Run the bridge; the exit status is returned."""
    return run_node(BridgeNode, NODE_NAME, args)


if __name__ == "__main__":
    sys.exit(main())
