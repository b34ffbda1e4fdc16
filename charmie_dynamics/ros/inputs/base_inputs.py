# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inputs about the base of the robot: inertial measurements and odometry."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from rclpy.node import Node

from charmie_dynamics.live import topics
from charmie_dynamics.live.monitors import InputMonitor
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.topics import Topic
from charmie_dynamics.live.wire.base_messages import read_imu, read_odometry
from charmie_dynamics.live.wire.cdr import HEADER_SIZE, stamp_at
from charmie_dynamics.live.wire.samples import RefusedSampleError
from charmie_dynamics.ros.outputs.profiles import make_subscription
from charmie_dynamics.ros.process.log import Log


class BaseInputs:
    """Subscriptions to `imu` and `odom`; their messages start no cycle.

    Parameters
    ----------
    node : Node
    pipeline : callable
        Returns the pipeline in use.
    prefix : callable
        Returns the prefix of frames.
    log : Log
    subscribed : tuple of Topic, optional
        Both if omitted.

    Attributes
    ----------
    monitors : dict of str to InputMonitor
        By the names of the topics.
    """

    def __init__(
        self,
        node: Node,
        pipeline: Callable[[], Pipeline],
        prefix: Callable[[], str],
        log: Log,
        subscribed: tuple[Topic, ...] = (topics.IMU, topics.ODOM),
    ) -> None:
        self._node, self._pipeline, self._prefix, self._log = node, pipeline, prefix, log
        self.monitors = {topic.name: InputMonitor() for topic in subscribed}
        for topic in subscribed:
            make_subscription(node, topic, partial(self._on_message, topic), raw=True)

    def _on_message(self, of: Topic, data: bytes) -> None:
        topic, base, now = of.name, self._pipeline().base, time.monotonic()
        monitor = self.monitors[topic]
        monitor.received += 1
        is_big = data[1] == 0
        if not base.needs(topic, stamp_at(data, HEADER_SIZE, is_big)):
            monitor.last_arrival = now
            return
        others = now, self._node.get_clock().now().nanoseconds, self._prefix()
        try:
            if of == topics.IMU:
                base.take_imu(read_imu(data), *others)
            else:
                base.take_odometry(read_odometry(data), *others)
        except RefusedSampleError as error:
            monitor.reject(error.cause)
            self._log.warn(f"{topic} {error.cause}", f"{topic}: message refused: {error}")
            return
        monitor.last_arrival = now
