# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of the arguments of the launch files, from what these declare. Needs ROS 2."""

from __future__ import annotations

from launch import LaunchContext
from launch.launch_description_sources import get_launch_description_from_python_launch_file
from launch.utilities import perform_substitutions

from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.ros.controller.parameters import SPECS as CONTROLLER_SPECS
from charmie_dynamics.ros.nodes.launching import NODE_ARGUMENTS
from charmie_dynamics.ros.simulator.parameters import SPECS

from .cells import code, sentence, table_of

HEADINGS = ("argument", "default", "meaning")


def declared(file: str) -> dict[str, tuple[str, str]]:
    """Return default and description of each argument of a launch file, by name."""
    description = get_launch_description_from_python_launch_file(str(share_file("launch", file)))
    context = LaunchContext()
    return {
        argument.name: (
            perform_substitutions(context, argument.default_value or []),
            argument.description,
        )
        for argument in description.get_launch_arguments()
    }


def of_charmie() -> str:
    """Return the table of charmie.launch.py without the parameters of the node."""
    node = {name for name, *_ in NODE_ARGUMENTS}
    return _table({n: a for n, a in declared("charmie.launch.py").items() if n not in node})


def of_simulation() -> str:
    """Return the table of what simulation.launch.py adds beside the simulator's parameters."""
    of_simulator = {spec.name for spec in SPECS}
    every = declared("charmie.launch.py")
    return _table(
        {
            name: argument
            for name, argument in declared("simulation.launch.py").items()
            if name not in of_simulator and every.get(name, ("", ""))[0] != argument[0]
        }
    )


def of_controller() -> str:
    """Return the table of what control.launch.py adds beside the controller's parameters."""
    own = {spec.name for spec in CONTROLLER_SPECS}
    every = {n: a for n, a in declared("control.launch.py").items() if n not in own or n == "rate"}
    return _table(_further(every, "simulation.launch.py"))


def of_stack(file: str) -> str:
    """Return the table of what a file adds to simulation.launch.py or has other defaults for."""
    found = _further(declared(file), "simulation.launch.py")
    if "params_file" in found:  # a path of this machine
        found["params_file"] = "config/nav2.yaml", found["params_file"][1]
    return _table(found)


def beyond(file: str) -> str:
    """Return the table of what a file adds to charmie.launch.py or has other defaults for."""
    return _table(_further(declared(file), "charmie.launch.py"))


def _further(arguments: dict[str, tuple[str, str]], file: str) -> dict[str, tuple[str, str]]:
    """Return the arguments that another launch file lacks or has another default for."""
    every = declared(file)
    return {n: a for n, a in arguments.items() if every.get(n, ("", ""))[0] != a[0]}


def _table(arguments: dict[str, tuple[str, str]]) -> str:
    rows = [
        (code(name), code(default or '""'), sentence(text))
        for name, (default, text) in arguments.items()
    ]
    return table_of(HEADINGS, rows)
