# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Diagnostics of the simulator."""

from __future__ import annotations

import time

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from charmie_dynamics.live.findings import (
    COMMANDS_REFUSED,
    SIMULATION_FAILED,
    SIMULATION_SLOW,
    SIMULATOR,
)
from charmie_dynamics.live.topics import DIAGNOSTICS
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.ros.outputs.conversions import time_from_stamp
from charmie_dynamics.ros.outputs.diagnostics import found, prefixed, status
from charmie_dynamics.ros.outputs.profiles import make_publisher
from charmie_dynamics.simulation.session.session import PlayState, Session

from .command_inputs import CommandInputs

PERIOD = 1.0  # s of real time
# share of the speed below which a machine is called too slow
SLOW = 0.9


class SimulatorReport:
    """Publishes the progress of the simulation once a second.

    Parameters
    ----------
    node : Node
    session : Session
    commands : CommandInputs
    """

    def __init__(self, node: Node, session: Session, commands: CommandInputs) -> None:
        self._node, self._session, self._commands = node, session, commands
        self.speed = 0.0  # requested, times real time; 0: as fast as possible
        self._publisher = make_publisher(node, DIAGNOSTICS)
        self._last = time.monotonic(), session.now
        self._was_playing = False
        self._refused = 0
        self._motion_ended = False
        node.create_timer(PERIOD, self.publish, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def publish(self) -> None:
        """Publish the status of now; log the end of a motion once."""
        session, commands = self._session, self._commands
        end = None if session.commands is None else session.commands.end_of_motion
        ended = end is not None and session.now >= end
        if end is not None and ended and not self._motion_ended:
            self._node.get_logger().info(f"motion ended at t = {end / NANOSECONDS:g} s")
        self._motion_ended = ended
        now = time.monotonic(), session.now
        seconds = now[0] - self._last[0]
        factor = (now[1] - self._last[1]) / NANOSECONDS / seconds if seconds > 0.0 else 0.0
        self._last = now
        playing = session.state is PlayState.PLAYING
        went_on, self._was_playing = playing and self._was_playing and factor >= 0.0, playing
        refused = sum(commands.refused.values())
        new, self._refused = refused - self._refused, refused
        mistaken = commands.mistaken_type()
        finding, text = None, session.state.value
        if session.fault:
            finding, text = SIMULATION_FAILED, session.fault
        elif new:
            finding, text = COMMANDS_REFUSED, commands.last_refusal
        elif mistaken:
            finding, text = COMMANDS_REFUSED, mistaken
        elif went_on and factor < SLOW * self.speed:
            finding = SIMULATION_SLOW
            text = f"{factor:.2f} times real time, expected {self.speed:g}"
        values = {
            "state": session.state.value,
            "simulated time (s)": f"{session.now / NANOSECONDS:.6f}",
            "steps": str(session.steps),
            "times real time": f"{max(factor, 0.0):.2f}",
            **_in_force(session),
            **{f"refused on {topic}": str(n) for topic, n in commands.refused.items()},
        }
        message = DiagnosticArray()
        message.header.stamp = time_from_stamp(session.now)
        (name,) = prefixed([SIMULATOR], self._node.get_fully_qualified_name())
        message.status.append(
            status(name, DiagnosticStatus.OK, text, values)
            if finding is None
            else found(name, finding, f"{finding.text}: {text}", values)
        )
        self._publisher.publish(message)


def _in_force(session: Session) -> dict[str, str]:
    commands = session.commands
    return {} if commands is None else {"in force": commands.described()}
