# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The recorder: writes the serialized messages of the node's topics into a rosbag2 (mcap).

For machines without ``ros2 bag``; the bags are ordinary ones. Progress is written to standard
output: one line that changes on a terminal, else one JSON object per line for programs.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":  # before the imports, which take half a second
    from charmie_dynamics.ros.process.interrupts import end_at_once

    end_at_once()

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rclpy.node import Node

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.outputs import every_topic
from charmie_dynamics.live.topics import ACTUATOR_EFFORTS, Topic
from charmie_dynamics.recordings.write.bag_writer import BagWriter
from charmie_dynamics.ros.outputs.profiles import listener_profile, message_class
from charmie_dynamics.ros.process.declaring import ParameterSpec, declare_known
from charmie_dynamics.ros.process.parameters import TOPIC_SPECS
from charmie_dynamics.ros.process.running import run_node

NODE_NAME = "recorder"
PARAMETERS = (
    ParameterSpec("output", "bag", "Folder of the bag, which must not exist"),
    *(spec._replace(text=f"As of the node: {spec.text}") for spec in TOPIC_SPECS),
    ParameterSpec(
        "duration", 0.0, "Seconds from the first efforts to the end of the recording; 0: no limit"
    ),
    ParameterSpec(
        "ground_truth", False, "Also record the ground truth of a simulator, such as contacts"
    ),
)
REPORT_PERIOD = 0.25  # s


class Recorder(Node):
    """Subscribes to every topic of the table and writes the messages.

    Parameters of the node: `PARAMETERS`.

    Raises
    ------
    CharmieError
        From the constructor, if the bag cannot be made.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        given = declare_known(self, PARAMETERS)
        output = Path(given["output"])
        self._duration = int(float(given["duration"]) * 1e9)
        self._writer = BagWriter(output)
        with _file_errors():
            self._writer.open()
        self._counts: dict[str, int] = {}
        self._first: int | None = None
        self._finished = False
        recorded = every_topic(given["tracked_points"], given["model"], given["mechanisms"])
        if given["ground_truth"]:
            # the simulation, which no other recording needs
            from charmie_dynamics.simulation.session.topics import ground_truth_topics

            recorded.update(ground_truth_topics())
        for topic in recorded.values():
            self._writer.add(topic, self.resolve_topic_name(topic.name))
            self._counts[topic.name] = 0
            kind, qos = message_class(topic), listener_profile(topic)
            self.create_subscription(kind, topic.name, self._receiver(topic), qos, raw=True)
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
            if sys.stdout.isatty() and not self._finished:
                print(flush=True)  # ends the line of progress
            self._writer.close()

    def _receiver(self, topic: Topic) -> Any:
        def receive(data: bytes) -> None:
            if self._finished:
                return
            now = self.get_clock().now().nanoseconds
            if self._first is None and topic == ACTUATOR_EFFORTS:
                self._first = now
            with _file_errors():
                self._writer.write(topic, now, data)
            self._counts[topic.name] += 1

        return receive

    def _report(self) -> None:
        elapsed = 0
        if self._first is not None:
            elapsed = self.get_clock().now().nanoseconds - self._first
        self._finished = self._duration > 0 and elapsed >= self._duration
        progress = {"elapsed": elapsed * 1e-9, "counts": self._counts, "finished": self._finished}
        with _file_errors():
            if sys.stdout.isatty():
                number = sum(self._counts.values())
                end = "\n" if self._finished else ""
                print(f"\r{elapsed * 1e-9:.1f} s, {number} messages", end=end, flush=True)
            else:
                print(json.dumps(progress), flush=True)
        if self._finished:
            self.context.try_shutdown()


@contextmanager
def _file_errors() -> Iterator[None]:
    """Convert the errors of a full disk or a closed pipe to the error that ends the recorder."""
    try:
        yield
    except OSError as error:
        raise CharmieError(f"recorder: cannot continue writing: {error}") from None


def main(args: list[str] | None = None) -> int:
    """Record until the end of the duration or an interrupt; return the exit status."""
    return run_node(Recorder, NODE_NAME, args)


if __name__ == "__main__":
    sys.exit(main())
