# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated time that follows real time, or runs as fast as possible, between other callbacks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.ros.process.interrupts import noted
from charmie_dynamics.simulation.session.pacing import Pacing
from charmie_dynamics.simulation.session.sensors import SimulatedSample
from charmie_dynamics.simulation.session.session import PlayState, Session

# s of real time: shortest period of the timer, and the longest for which callbacks wait
SHORTEST_PERIOD, LONGEST_PERIOD = 0.001, 0.02
LONGEST_TURN = 0.01
# calls of `Stepping.note` in a turn, each of which may publish feedback: a client of an action
# keeps ten messages of feedback by default
MOST_NOTES = 5


class Stepping(Protocol):
    """Steps that are computed in turns, with a record of their progress."""

    steps: int  # in all
    at_once: int  # how many at a time
    completed: int  # 0 at first, then written by `note`

    def note(self, completed: int) -> bool:
        """Write `completed`, which ends the turns at `steps`; return whether to continue."""

    def end(self, cause: str) -> None:
        """Record the end; `cause` is the reason for omitted steps."""


class Player:
    """Advances a session while it plays.

    Parameters
    ----------
    node : Node
    session : Session
    speed : float
        Times real time; 0: as fast as possible.
    publish : callable
        Called with each sample to publish.
    fail : callable
        Called with the error when the robot cannot be advanced, which has paused the session.
    follow : callable
        Called after the state may have changed without a sample.
    """

    def __init__(
        self,
        node: Node,
        session: Session,
        speed: float,
        publish: Callable[[SimulatedSample], None],
        fail: Callable[[CharmieError], None],
        follow: Callable[[], None],
    ) -> None:
        self._node, self._session, self._follow = node, session, follow
        self._publish, self._fail = publish, fail
        self._pacing = Pacing(session.settings.step, speed)
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._speed = speed
        self._timer = self._make_timer()
        self._timer.cancel()
        self._stepping: Stepping | None = None

    def set_speed(self, speed: float) -> None:
        """Go on with another speed (times real time)."""
        self._speed = speed
        self._pacing.set_speed(speed, self._session.steps, time.monotonic())
        # `follow_state` would end the steps in turns; they continue with the new timer
        going, self._stepping = self._stepping, None
        self._node.destroy_timer(self._timer)
        self._timer = self._make_timer()
        self.follow_state()
        if going is not None:
            self.step_in_turns(going)

    @property
    def is_stepping(self) -> bool:
        """Whether steps are being made in turns."""
        return self._stepping is not None

    def follow_state(self) -> None:
        """Follow a command to play, pause or stop, or a reset."""
        self.interrupt(f"interrupted: {self._session.state.value}")
        if self._session.state is PlayState.PLAYING:
            self._pacing.begin(self._session.steps, time.monotonic())
            self._timer.reset()
        else:
            self._timer.cancel()
        self._follow()

    def step(self, steps: int) -> None:
        """Advance by some steps at once, however long it takes.

        Raises
        ------
        CharmieError
            If the robot cannot be advanced, or the node ends meanwhile.
        """
        session, end = self._session, self._session.steps + steps
        while session.steps < end:
            if noted():
                raise CharmieError(f"the node is ending; {end - session.steps} steps were omitted")
            self._publish(session.advance(end - session.steps))

    def step_in_turns(self, stepping: Stepping) -> None:
        """Advance by some steps, other callbacks in between."""
        self._stepping = stepping
        self._timer.reset()

    def interrupt(self, cause: str) -> None:
        """End steps that are being made."""
        if self._stepping is not None:
            self._end_stepping(cause)

    def _make_timer(self) -> Timer:
        return self._node.create_timer(self._period(), self._tick, clock=self._steady)

    def _period(self) -> float:
        settings = self._session.settings
        if not self._speed:
            return SHORTEST_PERIOD
        sample = settings.steps_per_sample * settings.step / self._speed
        return min(max(sample, SHORTEST_PERIOD), LONGEST_PERIOD)

    def _tick(self) -> None:
        session = self._session
        if self._stepping is not None:
            self._take_turn(self._stepping)
            return
        if session.state is not PlayState.PLAYING:
            return
        now = time.monotonic()
        end = now + LONGEST_TURN
        due = self._pacing.due(session.steps, now)
        try:
            while due > 0:
                before = session.steps
                self._publish(session.advance(int(min(due, session.settings.steps_per_sample))))
                due -= session.steps - before
                if time.monotonic() > end:
                    return
        except CharmieError as error:
            self.follow_state()
            self._fail(error)

    def _take_turn(self, stepping: Stepping) -> None:
        session, end = self._session, time.monotonic() + LONGEST_TURN
        notes = 0
        try:
            while stepping.completed < stepping.steps:
                if notes == MOST_NOTES or time.monotonic() > end:
                    return
                notes += 1
                before, most = session.steps, stepping.steps - stepping.completed
                self._publish(session.advance(min(most, stepping.at_once)))
                if not stepping.note(stepping.completed + session.steps - before):
                    self._end_stepping("cancelled")
                    return
        except CharmieError as error:
            self._end_stepping(str(error))
            self._fail(error)
            return
        self._end_stepping("")

    def _end_stepping(self, cause: str) -> None:
        stepping, self._stepping = self._stepping, None
        if self._session.state is not PlayState.PLAYING:
            self._timer.cancel()
        if stepping is not None:
            stepping.end(cause)
