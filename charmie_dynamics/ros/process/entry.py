# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Entry points of the nodes, for the scripts that setuptools makes and for the launch files.

Each sets up what a signal does before it imports the node, which takes half a second. A module that
is not installed ends the program with one line of advice.

    python -m charmie_dynamics.ros.process.entry dynamics_node --ros-args ...
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NoReturn

from charmie_dynamics.missing import advice

from .interrupts import end_at_once, finish


def dynamics_node() -> NoReturn:
    """Run the dynamics node; the process ends with it."""
    _run("charmie_dynamics.ros.nodes.dynamics_node")


def motion_player() -> NoReturn:
    """Run the motion player; the process ends with it."""
    _run("charmie_dynamics.ros.nodes.motion_player")


def recorder() -> NoReturn:
    """Run the recorder; the process ends with it."""
    _run("charmie_dynamics.ros.nodes.recorder")


def simulator_node() -> NoReturn:
    """Run the simulator; the process ends with it."""
    _run("charmie_dynamics.ros.nodes.simulator_node")


def charmie_bridge() -> NoReturn:
    """Run the bridge; the process ends with it."""
    _run("charmie_dynamics.ros.nodes.bridge_node")


def charmie_view() -> NoReturn:
    """Run the view; the process ends with it."""
    _run("charmie_dynamics.view.node")


def _run(module: str) -> NoReturn:
    end_at_once()
    try:
        main = import_module(module).main
    except ModuleNotFoundError as error:
        print(f"{module.split('.')[-1]}: {advice(error)}", file=sys.stderr)
        finish(2)
    finish(main())


if __name__ == "__main__":
    _run(f"charmie_dynamics.ros.nodes.{sys.argv.pop(1)}")
