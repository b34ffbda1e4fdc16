# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Samples as messages, built once and filled in place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from charmie_dynamics.live.topics import Topic
from charmie_dynamics.live.wire import messages
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State

from . import topics
from .base_pose import moving_state
from .message_buffers import MessageBuffers, numbers_of, quaternion, stamp_of
from .mounted_sensor_messages import MountedSensorMessages
from .sensors import Measurement, SimulatedSample, TrueSample
from .settings import SessionSettings, period_of
from .simulated_system import SimulatedRobot, SimulatedSystem
from .world_messages import WorldMessages

# fields of the true state of the actuators
TRUE = ("position", "velocity", "acceleration", "effort")


class SampleMessages:
    """Messages of a sample, in the order of publication.

    Parameters
    ----------
    system : SimulatedSystem
    world_frame, frame_prefix : str
        As in the dynamics node.
    settings : SessionSettings

    Attributes
    ----------
    world : WorldMessages or None
        Messages of the world; None for a robot alone.
    """

    def __init__(
        self,
        system: SimulatedSystem,
        world_frame: str,
        frame_prefix: str,
        settings: SessionSettings,
    ) -> None:
        self._model = system.model
        self._clock = messages.clock()
        self._time = stamp_of(self._clock)
        robot, frames = system.robot, (world_frame, frame_prefix)
        self._robot = None if robot is None else RobotMessages(robot, *frames, settings)
        # a child of the odometry has no other parent
        places_root = settings.odom_tf != "root"
        self.world = None if system.is_alone else WorldMessages(system, *frames, places_root)

    def clock(self, now: int) -> MessageBuffers:
        """Return the clock at a time (ns)."""
        self._time[:] = divmod(now, NANOSECONDS)
        return topics.CLOCK_TOPIC, self._clock

    def filled(self, sample: SimulatedSample) -> list[MessageBuffers]:
        """Return the messages of a sample; the next call overwrites them."""
        result: list[MessageBuffers] = []
        if sample.true is not None or sample.measured is not None:
            result.append(self.clock(sample.now))
        state = None
        if sample.true is not None and self.world is not None:
            state = _state_of(self._model, sample.true)
            result += self.world.transforms(sample.true.stamp, state)
        if sample.measured is not None and self._robot is not None:
            result += self._robot.of_measurement(sample.measured)
        if sample.true is not None and self._robot is not None:
            result += self._robot.of_truth(sample.true, self._model, state)
        if sample.true is not None and self.world is not None and sample.contacts is not None:
            result.append(self.world.contact_points(sample.true.stamp, sample.contacts))
        return result


class RobotMessages:
    """Messages of a robot: measured and true state of its actuators, and its base."""

    def __init__(
        self, robot: SimulatedRobot, world_frame: str, frame_prefix: str, settings: SessionSettings
    ) -> None:
        self._columns = robot.columns
        self._base = robot.prefix + robot.base
        self._odometry_period = period_of(settings, topics.ODOMETRY_RATE)
        model = robot.model
        names = model.actuator_names
        world = frame_prefix + world_frame
        driven = {actuator.name for actuator in model.mechanisms.linear_actuators}
        is_driven = np.array([name in driven for name in names], dtype=bool)
        has_velocity = settings.velocities != "none"
        fields = ("position", "velocity", "effort") if has_velocity else ("position", "effort")
        self._measured = [
            _MeasuredMessage(topic, [names[i] for i in rows], world, fields, rows)
            for topic, rows in (
                (topics.MEASURED_LENGTHS, np.flatnonzero(is_driven)),
                (topics.MEASURED_JOINTS, np.flatnonzero(~is_driven)),
            )
            if len(rows)
        ]
        self._odometry = messages.odometry(world, frame_prefix + robot.base)
        self._pose = numbers_of(self._odometry, "position", "orientation", "linear", "angular")
        self._odometry_time = stamp_of(self._odometry)
        self._actuators = messages.trajectory_point(names, world)
        self._actuators_time = stamp_of(self._actuators)
        self._true = numbers_of(self._actuators, *TRUE)
        self._mounted = MountedSensorMessages(robot, frame_prefix, settings)

    def of_measurement(self, measured: Measurement) -> list[MessageBuffers]:
        """Return the messages of a measurement."""
        encoders = [message.filled(measured) for message in self._measured]
        return encoders + self._mounted.filled(measured)

    def of_truth(self, true: TrueSample, model: Model, state: State | None) -> list[MessageBuffers]:
        """Return the messages of a sample.

        Parameters
        ----------
        true : TrueSample
        model : Model
            Of the whole system.
        state : State or None
            Of the sample; None: computed where it is needed.
        """
        self._actuators_time[:] = divmod(true.stamp, NANOSECONDS)
        columns = self._columns
        position, velocity, acceleration, effort = self._true
        position[:] = true.position[columns.position]
        velocity[:] = true.velocity[columns.velocity]
        acceleration[:] = true.acceleration[columns.velocity]
        effort[:] = true.effort[columns.effort]
        result = [(topics.TRUE_ACTUATORS, self._actuators)]
        if true.stamp % self._odometry_period == 0:
            self._fill_odometry(true.stamp, state or _state_of(model, true))
            result.append((topics.TRUE_ODOMETRY, self._odometry))
        return result

    def _fill_odometry(self, stamp: int, state: State) -> None:
        self._odometry_time[:] = divmod(stamp, NANOSECONDS)
        motion = state.motion(self._base)
        position, orientation, linear, angular = self._pose
        position[:] = motion.position
        orientation[:] = quaternion(motion.rotation)
        linear[:] = motion.velocity @ motion.rotation
        angular[:] = motion.angular_velocity @ motion.rotation


class _MeasuredMessage:
    """A joint state of some of the actuators."""

    def __init__(
        self,
        topic: Topic,
        names: Sequence[str],
        frame_id: str,
        fields: tuple[str, ...],
        rows: npt.NDArray[np.intp],
    ) -> None:
        self._topic, self._fields, self._rows = topic, fields, rows
        self._template = messages.joint_state(names, frame_id, fields)
        self._time = stamp_of(self._template)
        self._places = numbers_of(self._template, *fields)

    def filled(self, measured: Measurement) -> MessageBuffers:
        self._time[:] = divmod(measured.stamp, NANOSECONDS)
        for place, name in zip(self._places, self._fields, strict=True):
            place[:] = getattr(measured, name)[self._rows]
        return self._topic, self._template


def _state_of(model: Model, true: TrueSample) -> State:
    return moving_state(model, true.position, true.velocity, true.acceleration)
