# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Entry points of the nodes, for the scripts that setuptools makes and for the launch files.

Each sets the signal handlers and parses the options before it imports the node, which takes half a
second. An error ends the program with one line of advice.

    python -m charmie_dynamics.ros.process.entry dynamics_node --ros-args ...
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import NoReturn

from charmie_dynamics.command_line import Parser, report

from .interrupts import end_at_once

NODES = "charmie_dynamics.ros.nodes"


def dynamics_node() -> NoReturn:
    """Run the dynamics node; the process ends with it."""
    _run(
        f"{NODES}.dynamics_node",
        _parser(
            "dynamics_node",
            "Compute frames, efforts, loads and markers from joint_states and actuator_lengths.",
            "-p publish_tf:=false",
        ),
    )


def motion_player() -> NoReturn:
    """Run the motion player; the process ends with it."""
    _run(
        f"{NODES}.motion_player",
        _parser(
            "motion_player",
            "Publish a motion as joint_states and actuator_lengths.",
            "-p motion:=wave -p rate:=50.0",
        ),
    )


def recorder() -> NoReturn:
    """Run the recorder; the process ends with it."""
    _run(
        f"{NODES}.recorder",
        _parser(
            "recorder",
            "Record all topics of the dynamics node into a rosbag2.",
            "-p output:=bag -p duration:=10.0",
        ),
    )


def simulator_node() -> NoReturn:
    """Run the simulator; the process ends with it."""
    _run(
        f"{NODES}.simulator_node",
        _parser(
            "simulator_node",
            "Simulate a robot or a world that follows efforts or trajectories.",
            "-p model:=scara -p motion:=wave",
        ),
    )


def policy_node() -> NoReturn:
    """Run the policy node; the process ends with it."""
    _run(
        f"{NODES}.policy_node",
        _parser(
            "policy_node",
            "Run a trained network on joint_states, actuator_lengths and /tf.",
            "-p policy:=Reach-v0",
        ),
    )


def controller_node() -> NoReturn:
    """Run the controller; the process ends with it."""
    _run(
        f"{NODES}.controller_node",
        _parser(
            "controller_node",
            "Move a robot by efforts: holds its pose and executes trajectories.",
            "-p mode:=computed_torque",
        ),
    )


def charmie_bridge() -> NoReturn:
    """Run the bridge; the process ends with it."""
    _run(
        f"{NODES}.bridge_node",
        _parser(
            "charmie_bridge",
            "Publish joint_states and actuator_lengths from the robot's own topics.",
            "-p config:=my_bridge.yaml",
        ),
    )


def charmie_view() -> NoReturn:
    """Run the view; the process ends with it."""
    end_at_once()  # also during the import of its options
    _run("charmie_dynamics.view.node", import_module("charmie_dynamics.view.options").make_parser())


def _parser(name: str, description: str, parameters: str) -> Parser:
    return Parser(
        name,
        f"{description} Parameters and remappings follow --ros-args.",
        f"ros2 run charmie_dynamics {name} --ros-args {parameters}",
    )


def _run(module: str, parser: argparse.ArgumentParser) -> NoReturn:
    end_at_once()
    parser.parse_args(without_ros_arguments(sys.argv[1:]))
    try:
        status = import_module(module).main()
    except Exception as error:
        status = report(parser.prog, error)
    sys.exit(status)


def without_ros_arguments(arguments: list[str]) -> list[str]:
    """Return the arguments outside of ``--ros-args ... --``."""
    kept, is_ours = [], True
    for argument in arguments:
        if is_ours and argument != "--ros-args":
            kept.append(argument)
        is_ours = argument == "--" if not is_ours else argument != "--ros-args"
    return kept


if __name__ == "__main__":
    # the name of a function of this module
    globals()[sys.argv.pop(1)]()
