# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot's own topics, from a bridge file read backwards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.timer import Timer

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.bridge.configuration import ROBOT_FILE, Source, parse_bridge
from charmie_dynamics.live.bridge.field_path import FieldPath
from charmie_dynamics.live.bridge.reverse import JointValues, ReverseTranslator
from charmie_dynamics.live.rate_limiter import RateLimiter
from charmie_dynamics.model.description.files import read_text, share_file
from charmie_dynamics.model.model import Model
from charmie_dynamics.ros.inputs.message_types import (
    field_types,
    load_type,
    make_message,
    require_fields,
    short_name,
    stamp_path,
)
from charmie_dynamics.ros.outputs.conversions import time_from_stamp
from charmie_dynamics.ros.process.declaring import ParameterError
from charmie_dynamics.ros.process.log import Log
from charmie_dynamics.simulation.session.sensors import Measurement
from charmie_dynamics.simulation.session.topics import OF_MOUNTED_SENSORS, PUBLISHED

ROBOT = "robot"  # denotes the bridge file of the built robot
RETRY_PERIOD = 1.0  # s of real time between two tries to load types that were not there


class RobotTopics:
    """Publishes the simulated measurements as the robot's own messages.

    If a message type cannot be imported, a warning is logged and the import is retried every
    second. Other topics are not affected.

    Parameters
    ----------
    node : Node
    model : Model
    file : str
        Path of a bridge file; `ROBOT`: the file of the built robot; empty: none.
    log : Log

    Attributes
    ----------
    names : frozenset of str
        Resolved names of the topics.

    Raises
    ------
    CharmieError
        For a file that cannot be used, or a topic that the simulator publishes anyway.
    """

    def __init__(self, node: Node, model: Model, file: str, log: Log) -> None:
        self._node, self._model, self._log = node, model, log
        self._timer: Timer | None = None
        self._last = -1
        path = share_file(*ROBOT_FILE) if file == ROBOT else Path(file)
        sources = parse_bridge(read_text(path), str(path), model) if file else ()
        _require_others(node, sources)
        self.names = frozenset(node.resolve_topic_name(source.topic) for source in sources)
        self._topics = [_RobotTopic(node, source) for source in sources]
        self._names = dict.fromkeys(e.name for source in sources for e in source.entries)
        if not sources:
            return
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(RETRY_PERIOD, self._load, clock=steady)
        self._load()
        topics = ", ".join(source.topic for source in sources)
        node.get_logger().info(f"'{model.name}' publishes its own topics: {topics}")

    def close(self) -> None:
        """Destroy the publishers."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
        for topic in self._topics:
            topic.close()

    def publish(self, measured: Measurement) -> None:
        """Publish the messages that are due with a measurement."""
        if measured.stamp <= self._last:  # a reset: the same run has the same messages
            for topic in self._topics:
                topic.begin()
        self._last = measured.stamp
        due = [topic for topic in self._topics if topic.is_due(measured.stamp)]
        if due:
            values = self._values(measured)
            for topic in due:
                topic.publish(measured.stamp, values)

    def _load(self) -> None:
        for topic in self._topics:
            fault = topic.load()
            if fault:
                name = f"{topic.source.name} ({topic.source.topic})"
                self._log.warn(
                    fault,
                    f"'{name}' is not published: {fault}; retrying every {RETRY_PERIOD:g} s",
                )

    def _values(self, measured: Measurement) -> dict[str, JointValues]:
        """Return the measured values of joints and actuators by their names."""
        model = self._model
        has_velocity = measured.velocity is not None
        state = model.kinematics(measured.position, measured.velocity)
        unknown = [math.nan] * len(model.joint_names)
        joints = zip(
            model.joint_names,
            state.joint_position.tolist(),
            state.joint_velocity.tolist() if has_velocity else unknown,
            strict=True,
        )
        values = {name: JointValues(q, v, math.nan) for name, q, v in joints}
        actuators = zip(
            model.actuator_names,
            measured.position.tolist(),
            measured.velocity.tolist() if measured.velocity is not None else unknown,
            measured.effort.tolist(),
            strict=True,
        )
        values.update({name: JointValues(q, v, effort) for name, q, v, effort in actuators})
        return values


class _RobotTopic:
    """One topic whose type may not be there yet."""

    def __init__(self, node: Node, source: Source) -> None:
        self.source = source
        self._node = node
        self.begin()
        self._publisher: Publisher | None = None
        self._translator: ReverseTranslator
        self._stamp: FieldPath | None = None
        self._type = short_name(source.type)

    def begin(self) -> None:
        """Restart the rate limit: the next message is due immediately."""
        self._limiter = RateLimiter(self.source.rate)

    def load(self) -> str:
        """Publish unless that is done; return why not."""
        if self._publisher is not None:
            return ""
        source = self.source
        try:
            kind = load_type(source.type)
            require_fields(source)
            self._stamp = stamp_path(source)
        except CharmieError as error:
            return str(error)
        self._translator = ReverseTranslator(source, self._type, field_types, make_message)
        self._publisher = self._node.create_publisher(kind, source.topic, 10)
        return ""

    def close(self) -> None:
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)

    def is_due(self, stamp: int) -> bool:
        return self._publisher is not None and self._limiter.passes(stamp)

    def publish(self, stamp: int, values: dict[str, JointValues]) -> None:
        message: Any = self._translator.message(values)
        if self._stamp is not None:
            types = self._type, field_types, make_message
            self._stamp.put_in(message, time_from_stamp(stamp), types)
        if self._publisher is not None:
            self._publisher.publish(message)


def _require_others(node: Node, sources: Sequence[Source]) -> None:
    """Refuse a topic that the simulator publishes under the names of the model."""
    replaced = OF_MOUNTED_SENSORS.values()
    own = {node.resolve_topic_name(topic.name) for topic in PUBLISHED if topic not in replaced}
    for source in sources:
        if node.resolve_topic_name(source.topic) in own:
            raise ParameterError(
                f"topic '{source.topic}' of the bridge file is one of the simulator's own; "
                "expected another name: run the simulator in a namespace, such as --ros-args -r "
                "__ns:=/simulated"
            )
