# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motion player: publishes a named motion as joint states and actuator lengths."""

from __future__ import annotations

import sys

if __name__ == "__main__":  # before the imports, which take half a second
    from charmie_dynamics.ros.process.interrupts import end_at_once

    end_at_once()

from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.motions import MOTION_NAMES, make_motion
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.ros.outputs.conversions import fill_joint_state, time_from_stamp
from charmie_dynamics.ros.process.declaring import ParameterSpec, declare_known
from charmie_dynamics.ros.process.parameters import ROBOT_SPECS
from charmie_dynamics.ros.process.running import run_node

NODE_NAME = "motion_player"
PARAMETERS = (
    ParameterSpec(
        "motion", "wave", f"Motion to play: {', '.join(MOTION_NAMES)}, or a table (.csv)"
    ),
    ParameterSpec("rate", 100.0, "Samples per second (Hz)", (0.1, 10000.0)),
    ParameterSpec("loop", True, "Repeat the motion; false: rest at its end"),
    ParameterSpec("noise", 0.0, "Standard deviation of the positions (rad, m)", (0.0, 1.0)),
    ParameterSpec("dropout", 0.0, "Fraction of messages that are not sent", (0.0, 1.0)),
    ParameterSpec("velocities", True, "Publish velocities as well"),
    ParameterSpec("seed", 1, "Of noise and dropout"),
    *ROBOT_SPECS,
)


class MotionPlayer(Node):
    """Publishes `joint_states` and `actuator_lengths` of a motion at a fixed rate.

    Parameters of the node: `PARAMETERS`.

    Raises
    ------
    CharmieError
        From the constructor, for parameters or files that cannot be used.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        given = declare_known(self, PARAMETERS)
        name, rate = given["motion"], given["rate"]
        self._loop, self._velocities = given["loop"], given["velocities"]
        self._noise, self._dropout = given["noise"], given["dropout"]
        model = read_model(given["model"], given["mechanisms"])
        self._motion = make_motion(name, model)
        self._random = np.random.default_rng(given["seed"])
        driven = {actuator.name for actuator in model.mechanisms.linear_actuators}
        lengths = np.array([actuator in driven for actuator in model.actuator_names])
        self._streams = [  # lengths first: the joints' cycle needs them
            (self.create_publisher(JointState, topic, 10), np.flatnonzero(rows), JointState())
            for topic, rows in ((ACTUATOR_LENGTHS, lengths), (JOINT_STATES, ~lengths))
            if rows.any()
        ]
        for _, rows, message in self._streams:
            message.name = [model.actuator_names[i] for i in rows]
        self._period = round(1e9 / rate)
        self._start: int | None = None
        self._last = -1
        self.create_timer(1.0 / rate, self._tick)
        self.get_logger().info(f"playing '{name}' ({self._motion.duration:g} s) at {rate:g} Hz")

    def _tick(self) -> None:
        """Publish the sample of the present grid time, with that time as its stamp."""
        now = self.get_clock().now().nanoseconds
        if now == 0:
            return  # simulated time has not begun
        if self._start is None or now < self._start:
            self._start, self._last = now, -1
        k = max(round((now - self._start) / self._period), self._last + 1)
        self._last = k
        stamp = self._start + k * self._period
        position, velocity = self._sample(k * self._period * 1e-9)
        if self._noise > 0.0:
            position = position + self._random.normal(0.0, self._noise, position.shape)
        time = time_from_stamp(stamp)
        for publisher, rows, message in self._streams:
            if self._dropout > 0.0 and self._random.random() < self._dropout:
                continue
            speeds = velocity[rows] if self._velocities else None
            fill_joint_state(message, time, position[rows], speeds)
            publisher.publish(message)

    def _sample(self, t: float) -> Any:
        duration = self._motion.duration
        if self._loop:
            position, velocity, _ = self._motion.at(t % duration)
        else:
            position, velocity, _ = self._motion.at(t)
            if t > duration:
                velocity = np.zeros_like(velocity)
        result: tuple[Floats, Floats] = (position, velocity)
        return result


def main(args: list[str] | None = None) -> int:
    """Run the motion player; the exit status is returned."""
    return run_node(MotionPlayer, NODE_NAME, args)


if __name__ == "__main__":
    sys.exit(main())
