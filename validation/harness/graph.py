# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A node of ROS 2 in this process beside nodes of the package in processes of their own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import rclpy
from rclpy.context import Context
from rclpy.executors import Executor
from rclpy.node import Node

from charmie_dynamics.demo.run import Processes
from charmie_dynamics.ros.outputs.profiles import listener_profile, message_class
from charmie_dynamics.ros.process.executors import make_executor


class Graph(NamedTuple):
    """A node here, what lets it work, and the other processes, whose logs are in a folder."""

    node: Node
    executor: Executor
    processes: Processes
    folder: Path

    def subscribe(self, topic: Any, name: str, receive: Callable[[Any], None]) -> None:
        """Have messages of a topic handled, as those who listen for its outputs get them."""
        self.node.create_subscription(message_class(topic), name, receive, listener_profile(topic))

    def spin(self, seconds: float) -> None:
        """Handle what comes for some time (s)."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.05)

    def wait(self, condition: Callable[[], Any], seconds: float, what: str) -> None:
        """Handle what comes until a condition holds.

        Raises
        ------
        TimeoutError
            If it does not in time (s).
        """
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited {seconds:g} s in vain for {what}")
            self.executor.spin_once(timeout_sec=0.05)

    def start(
        self, module: str, parameters: Mapping[str, Any], remappings: tuple[str, ...] = ()
    ) -> None:
        """Start a node of the package."""
        values = {k: str(v).lower() if isinstance(v, bool) else v for k, v in parameters.items()}
        arguments = [x for k, v in values.items() for x in ("-p", f"{k}:={v}")]
        arguments += [x for remapping in remappings for x in ("-r", remapping)]
        log = self.folder / f"{module}_{len(list(self.folder.iterdir()))}.log"
        with log.open("w", encoding="utf-8") as out:
            self.processes.start(
                *(sys.executable, "-m", f"charmie_dynamics.ros.nodes.{module}"),
                *("--ros-args", *arguments),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )


@contextmanager
def graph(folder: Path) -> Iterator[Graph]:
    """Yield a graph; all its processes end with it."""
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node("validation", context=context)
    executor = make_executor(context=context)
    executor.add_node(node)
    try:
        with Processes() as processes:
            yield Graph(node, executor, processes, folder)
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown(context=context)
