# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""CPU and latency of the node with and without each workaround of docs/architecture.md.

Two nodes with the graph of `benchmarks.node` around each take turns: one is unmodified, the other
lacks one workaround. Run in a ROS 2 environment: ``python -m benchmarks.workarounds --seconds 20``.
"""

from __future__ import annotations

import argparse
import sys

from rclpy.executors import SingleThreadedExecutor

from charmie_dynamics.ros.nodes import dynamics_node
from charmie_dynamics.ros.outputs import sender
from charmie_dynamics.ros.process import middleware, running
from charmie_dynamics.ros.watch.memory_watch import MemoryWatch

from .node import RUNS, measure

# the changes that remove each workaround: object, attribute, replacement
REMOVALS: dict[str, tuple[tuple[object, str, object], ...]] = {
    "executors": ((running, "make_executor", SingleThreadedExecutor),),
    "sender": ((sender, "_publish", None),),
    "allocator": (
        (middleware, "keep_little", lambda: None),
        (running, "reserve_for_small_objects", lambda: None),
    ),
    "memory_watch": ((MemoryWatch, "__init__", lambda *_: None),),
}


def main() -> None:
    """Print the ratios of a node without a workaround and one with it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workarounds", description=__doc__)
    parser.add_argument("names", nargs="*", default=list(REMOVALS), metavar="NAME")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each node")
    given = parser.parse_args()
    for name in given.names:
        commands = {
            "node": ["charmie_dynamics.ros.nodes.dynamics_node"],
            "without": ["benchmarks.workarounds", "without", name],
        }
        kept, removed = measure(RUNS["robot"], given.seconds, commands=commands)
        # per answered sample, because a busy machine loses some
        times = [1e6 * m.cpu * m.seconds / (m.sent - m.lost) for m in (kept, removed)]
        print(
            f"| `{name}` | {kept.distro} | {kept.rmw} | {times[0]:.0f} "
            f"| {times[1] / times[0]:.2f} | {removed.latency_median / kept.latency_median:.2f} "
            f"| {(removed.memory - kept.memory) / 2**20:+.1f} | {kept.lost} / {removed.lost} |",
            flush=True,
        )


def run_without(name: str) -> int:
    """Run the node without a workaround."""
    for target, attribute, replacement in REMOVALS[name]:
        setattr(target, attribute, replacement)
    return dynamics_node.main([])


if __name__ == "__main__":
    if sys.argv[1:2] == ["without"]:
        sys.exit(run_without(sys.argv[2]))
    main()
