# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of the parameters of the nodes, from where they are declared. Needs ROS 2."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from charmie_dynamics.ros.nodes.launching import NODE_ARGUMENTS
from charmie_dynamics.ros.process.declaring import ParameterSpec
from charmie_dynamics.ros.simulator.parameters import SPECS

from .cells import code, sentence, table_of

HEADINGS = ("parameter", "default", "valid", "meaning")


def dynamics_node() -> str:
    """Return the table of the dynamics node."""
    return _table(NODE_ARGUMENTS)


def of_node(module: str) -> str:
    """Return the table of a node whose module lists its parameters."""
    node = import_module(f"charmie_dynamics.ros.nodes.{module}")
    return _table(node.PARAMETERS)


def simulator() -> str:
    """Return the table of the simulator."""
    return _table(SPECS)


def of_controller() -> str:
    """Return the table of the controller."""
    from charmie_dynamics.ros.controller.parameters import SPECS

    return _table(SPECS)


def written(value: Any) -> str:
    """Return a value as it stands on a command line."""
    if isinstance(value, tuple):
        return str(list(value))
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value)


def _table(specs: Iterable[ParameterSpec]) -> str:
    rows = []
    for spec in specs:
        valid = ", ".join(map(code, spec.valid)) or _type(spec.default)
        if spec.bounds is not None:
            valid = "{:g} to {:g}".format(*spec.bounds)
        rows.append((code(spec.name), code(written(spec.default)), valid, sentence(spec.text)))
    return table_of(HEADINGS, rows)


def _type(default: Any) -> str:
    if isinstance(default, tuple):
        return "texts" if isinstance(default[0], str) else "numbers"
    kinds = {bool: "true, false", int: "whole number", float: "number"}
    return kinds.get(type(default), "text")
