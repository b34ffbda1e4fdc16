# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Entry points of the nodes, for the scripts that setuptools makes.

Each sets up what a signal does before it imports the node, which takes half a second.
"""

from __future__ import annotations

from importlib import import_module

from .interrupts import end_at_once


def dynamics_node() -> int:
    """Run the dynamics node; the exit status is returned."""
    return _run("charmie_dynamics.ros.nodes.dynamics_node")


def motion_player() -> int:
    """Run the motion player; the exit status is returned."""
    return _run("charmie_dynamics.ros.nodes.motion_player")


def recorder() -> int:
    """Run the recorder; the exit status is returned."""
    return _run("charmie_dynamics.ros.nodes.recorder")


def charmie_bridge() -> int:
    """Run the bridge; the exit status is returned."""
    return _run("charmie_dynamics.ros.nodes.bridge_node")


def charmie_view() -> int:
    """Run the view; the exit status is returned."""
    return _run("charmie_dynamics.view.node")


def _run(module: str) -> int:
    end_at_once()
    status: int = import_module(module).main()
    return status
