# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""`charmie_view`: a live view in the browser, from the markers, TF and efforts of a robot.

While no browser is connected, nothing that comes often is subscribed to.
"""

from __future__ import annotations

if __name__ == "__main__":  # before the imports, which take half a second
    from charmie_dynamics.ros.process.interrupts import end_at_once, finish

    end_at_once()

import argparse
import math
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from std_msgs.msg import String

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live import topics
from charmie_dynamics.ros.outputs.profiles import make_subscription
from charmie_dynamics.ros.process.running import run_node
from charmie_dynamics.ros.process.throttle import Throttle

from .batches import in_world
from .history import EffortHistory
from .messages import EffortsReader, MarkersReader, TransformsReader
from .poses import Frames
from .robot import Joints, doubtful_parts

NODE_NAME = "charmie_view"
HOST, PORT = "localhost", 8080
PERIOD = 0.2  # s, of the panel
FRAME_PERIOD = 0.03  # s, least time between two pictures
LOG_PERIOD = 10.0  # s between two lines of one cause
QUIET_AFTER = 1.0  # s without markers, after which the panel says so


class ViewNode(Node):
    """Serves the view and keeps it up to date.

    Parameters
    ----------
    host, port
        As for `Page`.

    Raises
    ------
    CharmieError
        If the address cannot be used or viser is missing.
    """

    def __init__(self, host: str, port: int, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        self._page = _open_page(host, port, self._on_pick)
        self._frames = Frames()
        self._throttle = Throttle(LOG_PERIOD)
        self._history = EffortHistory()
        self._joints = Joints()
        self._markers, self._transforms = MarkersReader(), TransformsReader()
        self._efforts = EffortsReader()
        self._waiting: bytes | None = None
        self._shown_at = -FRAME_PERIOD
        self._arrivals: dict[int, float] = {}
        self._last_arrival: float | None = None
        self._picked: str | None = None
        self._subscriptions_for_viewers: list[Any] = []
        self._topic = self.resolve_topic_name(topics.MARKERS.name)
        self._subscribe(topics.TF_STATIC, self._on_transforms)
        make_subscription(self, topics.ROBOT_DESCRIPTION, self._on_description)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(PERIOD, self._refresh, clock=steady)
        self.get_logger().info(f"serving on http://{host}:{port}")

    def destroy_node(self) -> None:
        """End the server and leave the graph."""
        self._page.stop()
        super().destroy_node()

    def _refresh(self) -> None:
        """Update subscriptions and panel, and hide markers that have outlived."""
        if self._page.has_viewers() != bool(self._subscriptions_for_viewers):
            self._follow_viewers()
        now = time.monotonic()
        for layout in self._page.stage.layouts():
            arrival = self._arrivals[id(layout)]
            if layout.lifetime and now - arrival > layout.lifetime:
                self._page.stage.hide(layout)
        if not self._subscriptions_for_viewers:
            return
        if self._waiting is not None:
            self._show(self._waiting)
        self._refresh_panel(now)

    def _follow_viewers(self) -> None:
        """Subscribe to what comes often while browsers are connected."""
        if self._subscriptions_for_viewers:
            for subscription in self._subscriptions_for_viewers:
                self.destroy_subscription(subscription)
            self._subscriptions_for_viewers = []
            self._waiting = None
            return
        for topic, receive in (
            (topics.TF, self._on_transforms),
            (topics.MARKERS, self._on_markers),
            (topics.ACTUATOR_EFFORTS, self._on_efforts),
        ):
            self._subscriptions_for_viewers.append(self._subscribe(topic, receive))

    def _subscribe(self, topic: topics.Topic, receive: Callable[[bytes], None]) -> Any:
        """Subscribe to serialised messages; one that cannot be read is logged and left out."""

        def take(data: bytes) -> None:
            try:
                receive(data)
            except Exception as error:  # each middleware raises what it likes
                if self._throttle.allows(topic.name, time.monotonic()):
                    self.get_logger().warning(
                        f"{topic.name}: message of {len(data)} bytes left out: {error}"
                    )

        return make_subscription(self, topic, take, raw=True)

    def _refresh_panel(self, now: float) -> None:
        panel, history = self._page.panel, self._history
        panel.set_groups(self._page.stage.groups)
        if self._last_arrival is None:
            panel.set_status(f"waiting for markers on {self._topic}", live=False)
        elif now - self._last_arrival > QUIET_AFTER:
            panel.set_status(f"no markers for {now - self._last_arrival:.0f} s", live=False)
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
        """Take note of a click; another thread calls this."""
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

    def _on_markers(self, data: bytes) -> None:
        now = self._last_arrival = time.monotonic()
        if now - self._shown_at < FRAME_PERIOD:
            self._waiting = data
            return
        self._shown_at = now
        self._show(data)

    def _show(self, data: bytes) -> None:
        self._waiting = None
        layout, look = self._markers.read(data)
        if not layout.namespaces:
            return
        self._arrivals[id(layout)] = time.monotonic()
        poses = self._frames.poses(layout.frames)
        # the frame nearest to the world that has a shape is that of the base
        base = int(np.argmin([self._frames.depth(frame) for frame in layout.frames]))
        look = in_world(layout, look, poses)
        x, y, _ = poses.position[base].tolist()
        i, j, k, w = poses.quaternion[base].tolist()
        heading = math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))
        self._page.stage.update(layout, look, (x, y), heading)


def _open_page(host: str, port: int, pick: Callable[[str], None]) -> Any:
    """Return the page; viser, which it is made with, is not needed by the rest of the package."""
    try:
        from .page import Page
    except ModuleNotFoundError as error:
        raise CharmieError(
            f"the view needs the Python module '{error.name}', which is not installed: "
            "python3 -m pip install viser"
        ) from None
    return Page(host, port, pick)


def _import_page() -> None:
    """Import what the page is made with, which takes longer than all else at the start."""
    try:
        from . import page  # noqa: F401
    except ModuleNotFoundError:
        pass  # the node says so


def _port(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 1 to 65535, got {value}")
    return value


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="charmie_view",
        description="Serve a live view of the robot for browsers, from its markers and TF.",
        epilog="ROS arguments may follow, such as --ros-args -r __ns:=/charmie",
    )
    parser.add_argument(
        "--host", default=HOST, help="address to listen on; 0.0.0.0: all; default: %(default)s"
    )
    parser.add_argument(
        "--port", type=_port, default=PORT, help="port to listen on; default: %(default)s"
    )
    return parser


def main(args: list[str] | None = None) -> int:
    """Run the view; the exit status is returned."""
    arguments = sys.argv if args is None else ["charmie_view", *args]
    parser = make_parser()
    options = parser.parse_args(remove_ros_args(arguments)[1:])
    make_node = partial(ViewNode, options.host, options.port)
    return run_node(make_node, NODE_NAME, arguments, prepare=_import_page)


if __name__ == "__main__":
    finish(main())
