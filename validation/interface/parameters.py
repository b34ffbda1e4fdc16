# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of the parameters of the nodes, from where they are declared. Needs ROS 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any

from charmie_dynamics.ros.process import parameters
from charmie_dynamics.ros.simulator import parameters as simulator_parameters

from .cells import code, sentence, table_of

HEADINGS = ("parameter", "default", "valid", "meaning")


def dynamics_node() -> str:
    """Return the table of the dynamics node."""
    described = (
        (field.name, field.default, parameters.DESCRIPTIONS[field.name])
        for field in fields(parameters.Settings)
    )
    return _table(described, parameters.RANGES, parameters.CHOICES)


def of_node(module: str) -> str:
    """Return the table of a node whose module lists its parameters."""
    node = import_module(f"charmie_dynamics.ros.nodes.{module}")
    return _table(node.PARAMETERS, getattr(node, "RANGES", {}), {})


def simulator() -> str:
    """Return the table of the simulator."""
    specs = simulator_parameters.SPECS
    return _table(
        simulator_parameters.ARGUMENTS,
        {spec.name: spec.bounds for spec in specs if spec.bounds is not None},
        {spec.name: spec.valid for spec in specs if spec.valid},
    )


def written(value: Any) -> str:
    """Return a value as it stands on a command line."""
    if isinstance(value, tuple):
        return str(list(value))
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value)


def _table(
    described: Iterable[tuple[str, Any, str]],
    ranges: Mapping[str, tuple[float, float]],
    choices: Mapping[str, Sequence[str]],
) -> str:
    rows = []
    for name, default, text in described:
        valid = _type(default)
        if name in ranges:
            low, high = ranges[name]
            valid = f"{low:g} to {high:g}"
        elif name in choices:
            valid = ", ".join(map(code, choices[name]))
        rows.append((code(name), code(written(default)), valid, sentence(text)))
    return table_of(HEADINGS, rows)


def _type(default: Any) -> str:
    if isinstance(default, tuple):
        return "texts" if isinstance(default[0], str) else "numbers"
    kinds = {bool: "true, false", int: "whole number", float: "number"}
    return kinds.get(type(default), "text")
