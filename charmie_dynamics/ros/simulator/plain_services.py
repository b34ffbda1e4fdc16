# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pause and reset by services of std_srvs, where simulation_interfaces is not installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from charmie_dynamics.simulation.session.session import Session

from .player import Player

PAUSE, RESET = "pause", "reset"


class PlainServices:
    """Services `pause` (true: pause, false: play) and `reset`, which keeps the play state.

    Parameters
    ----------
    node : Node
    session : Session
    player : Player
    """

    def __init__(self, node: Node, session: Session, player: Player) -> None:
        self._session, self._player = session, player
        node.create_service(SetBool, PAUSE, self._pause)
        node.create_service(Trigger, RESET, self._reset)

    def _pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        change = self._session.pause if request.data else self._session.play
        return self._changed(change, response)

    def _reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._changed(self._session.reset, response)

    def _changed(self, change: Callable[[], None], response: Any) -> Any:
        response.success = self._session.is_active
        if response.success:
            change()
            self._player.follow_state()
        response.message = self._session.state.value
        return response
