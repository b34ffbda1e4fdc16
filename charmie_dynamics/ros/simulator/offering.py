# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Services of simulation_interfaces, as far as the installed version defines their types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node
from simulation_interfaces import srv
from simulation_interfaces.msg import Result

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.simulation.session.session import PlayState, Session

Answer = Callable[[Any, Any], Any]


def type_of(service: str) -> Any:
    """Return the type of a service, such as GetEntities of get_entities; None: not installed."""
    return getattr(srv, service.title().replace("_", ""), None)


def offer(node: Node, session: Session, answers: Mapping[str, Answer]) -> None:
    """Offer services that the installed version has.

    Errors are reported in the result, with their attribute `code` if they have one. While a world
    is loaded, the result is INCORRECT_STATE.

    Parameters
    ----------
    node : Node
    session : Session
    answers : mapping of str to callable
        By the name of the service.
    """

    def guarded(answer: Answer) -> Answer:
        def answered(request: Any, response: Any) -> Any:
            try:
                if session.state is PlayState.LOADING_WORLD:
                    response.result = failure(Result.RESULT_INCORRECT_STATE, "a world is loading")
                    return response
                return answer(request, response)
            except CharmieError as error:
                code = getattr(error, "code", Result.RESULT_OPERATION_FAILED)
                response.result = failure(code, str(error))
                return response

        return answered

    for name, answer in answers.items():
        kind = type_of(name)
        if kind is not None:
            node.create_service(kind, name, guarded(answer))


def failure(code: int, message: str) -> Result:
    """Return the result of a request without success."""
    return Result(result=int(code), error_message=message)


def resource_field(message: Any) -> Any:
    """Return the part of a message that has the field `uri`.

    simulation_interfaces 2 moved it into `entity_resource` and `world_resource`; version 2.0 called
    the latter `level_resource`.
    """
    names = ("entity_resource", "world_resource", "level_resource")
    return next((getattr(message, name) for name in names if hasattr(message, name)), message)


def passes(wanted: Any, tags: Any) -> bool:
    """Return whether tags pass a `TagsFilter`."""
    found = [tag in tags for tag in wanted.tags]
    return (all if wanted.filter_mode == wanted.FILTER_MODE_ALL else any)(found) or not found
