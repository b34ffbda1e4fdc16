# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated time that follows real time, or goes as fast as it can, between other callbacks."""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.simulation.session.pacing import Pacing
from charmie_dynamics.simulation.session.session import PlayState, Session, Told

# s of real time: shortest period of the timer, and the longest for which callbacks wait
SHORTEST_PERIOD, LONGEST_PERIOD = 0.001, 0.02
LONGEST_TURN = 0.01


class Player:
    """Advances a session while it plays.

    Parameters
    ----------
    node : Node
    session : Session
    speed : float
        Times real time; 0: as fast as it goes.
    tell : callable
        Called with all that is to be told.
    fail : callable
        Called with the error when the robot cannot be advanced, which has paused the session.
    """

    def __init__(
        self,
        node: Node,
        session: Session,
        speed: float,
        tell: Callable[[Told], None],
        fail: Callable[[CharmieError], None],
    ) -> None:
        self._node, self._session = node, session
        self._tell, self._fail = tell, fail
        self._pacing = Pacing(session.settings.step, speed)
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._speed = speed
        self._timer = node.create_timer(self._period(), self._tick, clock=self._steady)
        self._timer.cancel()

    def set_speed(self, speed: float) -> None:
        """Go on with another speed (times real time)."""
        self._speed = speed
        self._pacing.set_speed(speed, self._session.steps, time.monotonic())
        self._node.destroy_timer(self._timer)
        self._timer = self._node.create_timer(self._period(), self._tick, clock=self._steady)
        self.follow_state()

    def follow_state(self) -> None:
        """Take note that the session was told to play, pause or stop, or was reset."""
        if self._session.state is PlayState.PLAYING:
            self._pacing.begin(self._session.steps, time.monotonic())
            self._timer.reset()
        else:
            self._timer.cancel()

    def step(self, steps: int) -> int:
        """Advance by some steps at once, and return how many were done.

        Raises
        ------
        CharmieError
            If the robot cannot be advanced further.
        """
        session, begin = self._session, self._session.steps
        while session.steps < begin + steps:
            self._tell(session.advance(begin + steps - session.steps))
        return session.steps - begin

    def _period(self) -> float:
        settings = self._session.settings
        if not self._speed:
            return SHORTEST_PERIOD
        sample = settings.steps_per_sample * settings.step / self._speed
        return min(max(sample, SHORTEST_PERIOD), LONGEST_PERIOD)

    def _tick(self) -> None:
        session = self._session
        if session.state is not PlayState.PLAYING:
            return
        now = time.monotonic()
        end = now + LONGEST_TURN
        due = self._pacing.due(session.steps, now)
        try:
            while due > 0:
                before = session.steps
                self._tell(session.advance(int(min(due, session.settings.steps_per_sample))))
                due -= session.steps - before
                if time.monotonic() > end:
                    return
        except CharmieError as error:
            self.follow_state()
            self._fail(error)
