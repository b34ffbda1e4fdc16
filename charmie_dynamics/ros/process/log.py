# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Log of a node with one line for each cause and period."""

from __future__ import annotations

import time

from rclpy.node import Node

from .throttle import Throttle

PERIOD = 10.0  # s between two lines of one cause


class Log:
    """Writes one line for each cause and period.

    Parameters
    ----------
    node : Node
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._throttle = Throttle(PERIOD)

    def warn(self, cause: str, text: str) -> None:
        """Warn, unless there was a warning of this cause within the period."""
        if self._throttle.allows(cause, time.monotonic()):
            self._node.get_logger().warning(text)

    def log_once(self, cause: str, text: str) -> None:
        """Log a line at the first occurrence of a cause."""
        if self._throttle.first_time(cause):
            self._node.get_logger().info(text)
