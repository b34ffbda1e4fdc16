# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of a node, declared with descriptions, ranges and choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node

from charmie_dynamics.errors import choices

from .parameters import ParameterError, require_known_overrides


class ParameterSpec(NamedTuple):
    """A parameter of a node.

    Attributes
    ----------
    name : str
    default : bool, int, float or str
    text : str
        Description.
    bounds : tuple of float, optional
        Least and largest valid value.
    valid : sequence of str
        Valid values; empty: any.
    read_only : bool
        Whether it can be set at the start alone.
    """

    name: str
    default: Any
    text: str
    bounds: tuple[float, float] | None = None
    valid: Sequence[str] = ()
    read_only: bool = True


def declare_all(node: Node, specs: Sequence[ParameterSpec]) -> dict[str, Any]:
    """Declare parameters on a node and return their values by name.

    Raises
    ------
    ParameterError
        For a value out of range, of the wrong type or not among the choices, or for a parameter
        that does not exist.
    """
    require_known_overrides(node, [spec.name for spec in specs])
    values = {}
    for spec in specs:
        try:
            parameter = node.declare_parameter(spec.name, spec.default, _descriptor(spec))
        except (InvalidParameterValueException, InvalidParameterTypeException) as error:
            raise ParameterError(f"parameter '{spec.name}': {error}") from None
        value = values[spec.name] = parameter.value
        if spec.valid and value not in spec.valid:
            raise ParameterError(
                f"parameter '{spec.name}': '{value}' is no choice{choices(value, spec.valid)}"
            )
    return values


def _descriptor(spec: ParameterSpec) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(
        name=spec.name, description=spec.text, read_only=spec.read_only
    )
    if spec.bounds is not None and isinstance(spec.default, float):
        low, high = spec.bounds
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=low, to_value=high, step=0.0)
        ]
    elif spec.bounds is not None:
        low, high = map(int, spec.bounds)
        descriptor.integer_range = [IntegerRange(from_value=low, to_value=high, step=1)]
    if spec.valid:
        descriptor.additional_constraints = "one of: " + ", ".join(spec.valid)
    return descriptor
