"""The recorder: writes the node's topics, serialized as they come, into a rosbag2 (mcap).

For machines without ``ros2 bag``; the bags are ordinary ones. Progress goes to standard output,
one JSON object a line.
"""

from __future__ import annotations

if __name__ == "__main__":  # before the imports, which take half a second
    from charmie_dynamics.ros.process.interrupts import end_at_once

    end_at_once()

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.ros.outputs.topics import ACTUATOR_EFFORTS, RECORDED, listener_qos
from charmie_dynamics.ros.process.running import run_node

NODE_NAME = "recorder"
# version 9 of the metadata is not read by Humble
BAG_VERSION: Literal[8, 9] = 8
REPORT_PERIOD = 0.25  # s
FOREVER = QosTime(9223372036, 854775807)


class Recorder(Node):
    """Subscribes to every topic of `topics.RECORDED` and writes what comes.

    Parameters of the node: `output` (folder of the bag, must not exist) and `duration` (seconds
    since the first efforts after which it ends; 0: never).

    Raises
    ------
    CharmieError
        From the constructor, if the bag cannot be made.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        output = Path(self.declare_parameter("output", "bag").value)
        self._duration = int(float(self.declare_parameter("duration", 0.0).value) * 1e9)
        if output.exists():
            raise CharmieError(f"recorder: '{output}' exists; expected the name of a new folder")
        self._writer = Writer(output, version=BAG_VERSION, storage_plugin=StoragePlugin.MCAP)
        with _file_errors():
            self._writer.open()
        typestore = get_typestore(Stores.ROS2_HUMBLE)  # the types are the same on Jazzy
        self._counts: dict[str, int] = {}
        self._first: int | None = None
        self._finished = False
        for topic in RECORDED.values():
            name = self.resolve_topic_name(topic.name)
            # the message classes know their ROS names only through the module they lie in
            package = topic.type.__module__.split(".")[0]
            connection = self._writer.add_connection(
                name,
                f"{package}/msg/{topic.type.__name__}",
                typestore=typestore,
                offered_qos_profiles=[_bag_qos(topic.qos)],
            )
            self._counts[topic.name] = 0
            receive = self._receiver(topic.name, connection)
            qos = listener_qos(topic)
            self.create_subscription(topic.type, topic.name, receive, qos, raw=True)
        self.create_timer(REPORT_PERIOD, self._report)
        self._report()

    def destroy_node(self) -> None:
        """Finish the bag, which has no index before, and leave the graph.

        Raises
        ------
        CharmieError
            If it cannot be written.
        """
        super().destroy_node()
        with _file_errors():
            self._writer.close()

    def _receiver(self, topic: str, connection: Any) -> Any:
        def receive(data: bytes) -> None:
            if self._finished:
                return
            now = self.get_clock().now().nanoseconds
            if self._first is None and topic == ACTUATOR_EFFORTS.name:
                self._first = now
            with _file_errors():
                self._writer.write(connection, now, data)
            self._counts[topic] += 1

        return receive

    def _report(self) -> None:
        elapsed = 0
        if self._first is not None:
            elapsed = self.get_clock().now().nanoseconds - self._first
        self._finished = self._duration > 0 and elapsed >= self._duration
        progress = {"elapsed": elapsed * 1e-9, "counts": self._counts, "finished": self._finished}
        with _file_errors():
            print(json.dumps(progress), flush=True)
        if self._finished:
            self.context.try_shutdown()


@contextmanager
def _file_errors() -> Iterator[None]:
    """Turn what a full disk or a closed pipe raises into what ends the recorder."""
    try:
        yield
    except OSError as error:
        raise CharmieError(f"recorder: cannot go on writing: {error}") from None


def _bag_qos(qos: QoSProfile) -> Qos:
    reliable = qos.reliability == QoSReliabilityPolicy.RELIABLE
    latched = qos.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL
    return Qos(
        history=QosHistory.KEEP_LAST,
        depth=qos.depth,
        reliability=QosReliability.RELIABLE if reliable else QosReliability.BEST_EFFORT,
        durability=QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE,
        deadline=FOREVER,
        lifespan=FOREVER,
        liveliness=QosLiveliness.AUTOMATIC,
        liveliness_lease_duration=FOREVER,
        avoid_ros_namespace_conventions=False,
    )


def main(args: list[str] | None = None) -> int:
    """Record until the duration is over or an interrupt comes; the exit status is returned."""
    return run_node(Recorder, NODE_NAME, args)


if __name__ == "__main__":
    sys.exit(main())
