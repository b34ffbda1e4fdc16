# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Diagnostics of a node that is not there yet, because its kernels are being compiled."""

from __future__ import annotations

import gc
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from charmie_dynamics.live import findings, topics
from charmie_dynamics.ros.outputs.diagnostics import found, prefixed
from charmie_dynamics.ros.outputs.profiles import make_publisher


class CompilationReport:
    """Reports in /diagnostics the kernel that is being compiled.

    Parameters
    ----------
    name : str
        Of the node.
    args : list of str or None
        The command line; None: that of the process.
    """

    def __init__(self, name: str, args: list[str] | None) -> None:
        self._name = name
        self._args = args
        self._count = 0
        self._node: Node | None = None
        self._publisher: Any = None
        self._context: Context | None = Context()

    def publish(self, kernel: str) -> None:
        """Report that a kernel is being compiled and the previous ones are complete."""
        self._count += 1
        try:
            if self._node is None:
                self._make_node()
            self._publish(kernel)
        except Exception:  # the node itself will fail for the same cause and report it
            return

    def _make_node(self) -> None:
        rclpy.init(
            args=self._args,
            context=self._context,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        self._node = Node(
            self._name,
            context=self._context,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._publisher = make_publisher(self._node, topics.DIAGNOSTICS)

    def _publish(self, kernel: str) -> None:
        node: Any = self._node
        finding = findings.COMPILING
        (name,) = prefixed((finding.status,), node.get_fully_qualified_name())
        text = f"{finding.text} kernel {self._count}: {kernel}"
        report = found(name, finding, text, {"kernels so far": str(self._count)})
        report.hardware_id = self._name
        array = DiagnosticArray(status=[report])
        array.header.stamp = node.get_clock().now().to_msg()
        self._publisher.publish(array)

    def close(self) -> None:
        """Make room for the node itself.

        Nothing of this may stay: with its context a second participant of the middleware would,
        which takes a good part of a core at 1 kHz.
        """
        if self._node is not None:
            self._node.destroy_node()
        if self._context is not None and self._context.ok():
            self._context.shutdown()
        self._node = self._publisher = self._context = None
        gc.collect()
