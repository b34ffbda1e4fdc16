# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""`charmie_view`: a live view in the browser, from the markers, TF and efforts of a robot.

Without connected browsers, frequent topics are not subscribed to.
"""

from __future__ import annotations

if __name__ == "__main__":  # before the imports, which take half a second
    from charmie_dynamics.ros.process.interrupts import end_at_once

    end_at_once()

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import String

from charmie_dynamics.live import topics
from charmie_dynamics.ros.outputs.profiles import make_subscription
from charmie_dynamics.ros.process.entry import without_ros_arguments
from charmie_dynamics.ros.process.running import run_node
from charmie_dynamics.ros.process.throttle import Throttle

from .history import EffortHistory
from .layer import Layer
from .messages import EffortsReader, TransformsReader
from .options import make_parser
from .poses import Frames
from .robot import Joints, doubtful_parts

NODE_NAME = "charmie_view"
PERIOD = 0.2  # s, of the panel
LOG_PERIOD = 10.0  # s between two lines of one cause
QUIET_AFTER = 1.0  # s without markers until the panel reports it


class ViewNode(Node):
    """Serves and updates the view.

    Parameters
    ----------
    host, port
        As for `Page`.

    Raises
    ------
    CharmieError
        If the address cannot be used.
    """

    def __init__(self, host: str, port: int, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        from .page import Page

        self._page = Page(host, port, self._on_pick)
        self._frames = Frames()
        self._throttle = Throttle(LOG_PERIOD)
        self._history = EffortHistory()
        self._joints = Joints()
        self._transforms, self._efforts = TransformsReader(), EffortsReader()
        stage, frames = self._page.stage, self._frames
        self._layers = {
            topics.MARKERS: Layer(stage, frames, topics.MARKERS.name, is_robot=True),
            topics.CONTACT_MARKERS: Layer(stage, frames, topics.CONTACT_MARKERS.name),
            topics.ENTITY_MARKERS: Layer(
                stage, frames, topics.ENTITY_MARKERS.name, moves_with_frames=True
            ),
        }
        self._picked: str | None = None
        self._subscriptions_for_viewers: list[Any] = []
        self._topic = self.resolve_topic_name(topics.MARKERS.name)
        self._subscribe(topics.TF_STATIC, self._on_transforms)
        make_subscription(self, topics.ROBOT_DESCRIPTION, self._on_description)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(PERIOD, self._refresh, clock=steady)
        self.get_logger().info(f"serving on http://{host}:{port}")

    def destroy_node(self) -> None:
        """Stop the server and leave the graph."""
        self._page.stop()
        super().destroy_node()

    def _refresh(self) -> None:
        """Update subscriptions and panel, and hide markers after their lifetime."""
        if self._page.has_viewers() != bool(self._subscriptions_for_viewers):
            self._follow_viewers()
        now = time.monotonic()
        for layer in self._layers.values():
            layer.refresh(now)
        if self._subscriptions_for_viewers:
            self._refresh_panel(now)

    def _follow_viewers(self) -> None:
        """Subscribe to frequent topics while browsers are connected."""
        if self._subscriptions_for_viewers:
            for subscription in self._subscriptions_for_viewers:
                self.destroy_subscription(subscription)
            self._subscriptions_for_viewers = []
            for layer in self._layers.values():
                layer.forget_waiting()
            return
        subscribed: dict[topics.Topic, Callable[[bytes], None]] = {
            topics.TF: self._on_transforms,
            **{topic: partial(self._on_markers, layer) for topic, layer in self._layers.items()},
            topics.ACTUATOR_EFFORTS: self._on_efforts,
        }
        for topic, receive in subscribed.items():
            self._subscriptions_for_viewers.append(self._subscribe(topic, receive))

    def _subscribe(self, topic: topics.Topic, receive: Callable[[bytes], None]) -> Any:
        """Subscribe to serialised messages; unreadable ones are logged and skipped."""

        def take(data: bytes) -> None:
            try:
                receive(data)
            except Exception as error:  # each middleware raises its own errors
                if self._throttle.allows(topic.name, time.monotonic()):
                    self.get_logger().warning(
                        f"{topic.name}: message of {len(data)} bytes omitted: {error}"
                    )

        return make_subscription(self, topic, take, raw=True)

    def _refresh_panel(self, now: float) -> None:
        panel, history = self._page.panel, self._history
        panel.set_groups(self._page.stage.groups)
        # contacts and entities come from a simulator, also if the robot's joint states are missing
        arrival = self._layers[topics.MARKERS].arrival
        if arrival is None:
            panel.set_status(f"waiting for markers on {self._topic}", live=False)
        elif now - arrival > QUIET_AFTER:
            panel.set_status(f"no markers for {now - arrival:.0f} s", live=False)
        else:
            panel.set_status("live", live=True)
        panel.set_actuators(history.names, history.strongest())
        if self._picked is not None:
            frame, self._picked = self._picked, None
            actuator = self._joints.actuator_of(frame, history.names, self._frames.parent)
            if actuator is not None:
                panel.choose(actuator)
        panel.plot(*history.of(panel.actuator), self._joints.unit(panel.actuator))

    def _on_pick(self, frame: str) -> None:
        """Store a click; called by another thread."""
        self._picked = frame

    def _on_description(self, message: String) -> None:
        self._joints = Joints(message.data)
        for line in doubtful_parts(message.data):
            self.get_logger().warning(line)

    def _on_efforts(self, data: bytes) -> None:
        self._history.add(*self._efforts.read(data))

    def _on_transforms(self, data: bytes) -> None:
        parents, children, rows = self._transforms.read(data)
        self._frames.set(parents, children, rows)
        now = time.monotonic()
        for layer in self._layers.values():
            layer.follow_frames(now)

    def _on_markers(self, layer: Layer, data: bytes) -> None:
        layer.take(data, time.monotonic())


def _import_page() -> None:
    """Import the modules of the page, the longest part of the start."""
    from . import page  # noqa: F401


def main(args: list[str] | None = None) -> int:
    """Run the view; return the exit status."""
    arguments = sys.argv if args is None else ["charmie_view", *args]
    options = make_parser().parse_args(without_ros_arguments(arguments[1:]))
    make_node = partial(ViewNode, options.host, options.port)
    return run_node(make_node, NODE_NAME, arguments, prepare=_import_page)


if __name__ == "__main__":
    sys.exit(main())
