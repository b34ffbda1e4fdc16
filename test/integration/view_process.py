# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The view as a process of its own."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from node_process import Process, ros_arguments

MODULE = "charmie_dynamics.view.node"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_view(
    folder: Path,
    *options: str,
    parameters: Mapping[str, Any] | None = None,
    namespace: str = "",
    wait: bool = True,
) -> Process:
    """Start the view; unless told otherwise, wait until it serves."""
    number = sum(1 for _ in folder.glob("*.log"))
    ros = ros_arguments(parameters, namespace)
    command = [sys.executable, "-m", MODULE, *options, *ros]
    process = Process(command, folder / f"view_{number}.log")
    if wait:
        try:
            process.wait_for_output("serving on")
        except BaseException:
            process.end()
            raise
    return process
