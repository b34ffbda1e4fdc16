"""The dynamics node on a slow machine: each cycle takes so many milliseconds more.

Usage: ``slow_node.py MILLISECONDS --ros-args ...``.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from charmie_dynamics.ros.dynamics_node import NODE_NAME, DynamicsNode
from charmie_dynamics.ros.running import run_node


class SlowNode(DynamicsNode):
    """Busy for a while before it publishes."""

    def __init__(self, seconds: float, **options: Any) -> None:
        super().__init__(**options)
        publish = self._outputs.publish_cycle

        def publish_late(cycle: Any) -> None:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                pass
            publish(cycle)

        self._outputs.publish_cycle = publish_late


if __name__ == "__main__":
    delay = 1e-3 * float(sys.argv[1])
    sys.exit(run_node(lambda: SlowNode(delay), NODE_NAME, sys.argv))
