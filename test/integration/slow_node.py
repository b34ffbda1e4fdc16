# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The dynamics node on a slow machine: each cycle takes so many milliseconds more.

Usage: ``slow_node.py MILLISECONDS --ros-args ...``.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from charmie_dynamics.ros.nodes.dynamics_node import NODE_NAME, DynamicsNode
from charmie_dynamics.ros.outputs.publishers import Outputs
from charmie_dynamics.ros.process.running import run_node


def slow_down(seconds: float) -> None:
    """Be busy for a while before each cycle's first message."""
    publish = Outputs.publish_cycle

    def publish_late(self: Outputs, cycle: Any) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pass
        publish(self, cycle)

    Outputs.publish_cycle = publish_late  # type: ignore[method-assign]


if __name__ == "__main__":
    slow_down(1e-3 * float(sys.argv[1]))
    sys.exit(run_node(DynamicsNode, NODE_NAME, sys.argv))
