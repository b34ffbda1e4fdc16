# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of a node, declared with descriptions, ranges and choices."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node

from charmie_dynamics.errors import CharmieError, choices

# parameters that every rclpy node has or may be given
OF_RCLPY = ("use_sim_time", "start_type_description_service")


class ParameterError(CharmieError):
    """A parameter that does not exist, or has a value that it must not have."""


class ParameterSpec(NamedTuple):
    """A parameter of a node, and the argument of launch files with its name.

    Attributes
    ----------
    name : str
    default : bool, int, float, str or tuple
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

    def require_valid(self, value: Any) -> None:
        """Check a value against the choices.

        Raises
        ------
        ParameterError
            If the value is not a choice.
        """
        if self.valid and value not in self.valid:
            raise ParameterError(
                f"parameter '{self.name}': '{value}' is no choice{choices(value, self.valid)}"
            )


def overrides(node: Node) -> Mapping[str, Any]:
    """Return the parameters of the command line of a node, which rclpy keeps private."""
    given: Mapping[str, Any] = getattr(node, "_parameter_overrides", {})
    return given


def require_known(names: Iterable[str], known: Sequence[str]) -> None:
    """Refuse parameters that a node was given and does not have; rclpy itself ignores them.

    Raises
    ------
    ParameterError
        If there is one.
    """
    for name in names:
        if name not in (*known, *OF_RCLPY) and not name.startswith("qos_overrides."):
            raise ParameterError(f"parameter '{name}' does not exist{choices(name, known)}")


def declare_all(node: Node, specs: Iterable[ParameterSpec]) -> dict[str, Any]:
    """Declare parameters on a node and return their values by name.

    Raises
    ------
    ParameterError
        For a value out of range, of the wrong type or not among the choices.
    """
    values = {}
    for spec in specs:
        default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
        try:
            parameter = node.declare_parameter(spec.name, default, _descriptor(spec))
        except (InvalidParameterValueException, InvalidParameterTypeException) as error:
            raise ParameterError(f"parameter '{spec.name}': {error}") from None
        value = values[spec.name] = comparable(parameter.value)
        spec.require_valid(value)
    return values


def declare_known(node: Node, specs: Sequence[ParameterSpec]) -> dict[str, Any]:
    """Declare all parameters of a node and return their values by name.

    Raises
    ------
    ParameterError
        As `declare_all`, and for a parameter that does not exist.
    """
    require_known(overrides(node), [spec.name for spec in specs])
    return declare_all(node, specs)


def comparable(value: Any) -> Any:
    """Return the value of a parameter, arrays as tuples."""
    return tuple(value) if isinstance(value, (list, array)) else value


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
