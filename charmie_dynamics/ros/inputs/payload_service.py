# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Service that sets payloads, or returns the reason for a refusal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.node import Node

from charmie_dynamics.errors import CharmieError, InputError, choices
from charmie_dynamics.model.loads import Payload, payload_from_numbers

from .load_inputs import LoadInputs

NAME = "set_payloads"  # relative, so that clients need not know the name of the node
TYPE = "rcl_interfaces/srv/SetParametersAtomically"
CONTENT = (
    "sets payloads: either all of a request or, with the reason, none; names as in "
    "`payload_links` of the mechanisms file, values as in the parameters"
)
# the types of values that hold numbers
NUMBERS: dict[int, Callable[[ParameterValue], Sequence[float]]] = {
    ParameterType.PARAMETER_DOUBLE_ARRAY: lambda value: value.double_array_value,
    ParameterType.PARAMETER_DOUBLE: lambda value: [value.double_value],
    ParameterType.PARAMETER_INTEGER_ARRAY: lambda value: value.integer_array_value,
    ParameterType.PARAMETER_INTEGER: lambda value: [value.integer_value],
}


class PayloadService:
    """Takes payloads by their names, all of a request or none.

    The type is a standard one with names, numbers and a reason in the response, because a package
    in Python cannot define its own. Unlike a parameter, the service also accepts a payload that
    equals the value of its parameter.

    Parameters
    ----------
    node : Node
    loads : LoadInputs
    """

    def __init__(self, node: Node, loads: LoadInputs) -> None:
        self._loads = loads
        node.create_service(SetParametersAtomically, NAME, self._answer)

    def _answer(
        self,
        request: SetParametersAtomically.Request,
        response: SetParametersAtomically.Response,
    ) -> SetParametersAtomically.Response:
        try:
            self._loads.set_payloads(
                {p.name: _payload(p.name, p.value) for p in request.parameters}
            )
        except CharmieError as error:
            response.result.reason = str(error)
        else:
            response.result.successful = True
        return response


def _payload(name: str, value: ParameterValue) -> Payload | None:
    """Return the payload of a value: one number is a mass, several are as in the parameters."""
    if value.type not in NUMBERS:
        raise InputError(
            f"payload '{name}': expected a number, or 1, 4 or 10 in an array, got a value of type "
            f"{value.type}{choices(str(value.type), map(str, NUMBERS))}"
        )
    try:
        return payload_from_numbers(NUMBERS[value.type](value))
    except InputError as error:
        raise InputError(f"'{name}': {error}") from None
