# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Samples as messages, built once and filled in place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from charmie_dynamics.live.topics import Topic
from charmie_dynamics.live.wire import messages
from charmie_dynamics.live.wire.templates import Template
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.rotations import quaternion_from_rows
from charmie_dynamics.numerics.vectors import Floats

from . import topics
from .base_pose import base_frame, base_motion
from .sensors import ActuatorColumns, Measurement, TrueSample
from .session import Told

# fields of the actuators as they are
TRUE = ("position", "velocity", "acceleration", "effort")
# what is filled: a topic and its message
Filled = tuple[Topic, Template]


class SampleMessages:
    """Messages of what is told, in the order of publication.

    Parameters
    ----------
    model : Model
    world_frame, frame_prefix : str
        As the dynamics node has them.
    with_velocity : bool
        Whether velocities are told.
    """

    def __init__(
        self, model: Model, world_frame: str, frame_prefix: str, *, with_velocity: bool
    ) -> None:
        self._model = model
        names = model.actuator_names
        world = frame_prefix + world_frame
        driven = {actuator.name for actuator in model.mechanisms.linear_actuators}
        is_driven = np.array([name in driven for name in names], dtype=bool)
        fields = ("position", "velocity", "effort") if with_velocity else ("position", "effort")
        self._columns = ActuatorColumns.of(model)
        self._clock = messages.clock()
        self._measured = [
            _MeasuredMessage(topic, [names[i] for i in rows], world, fields, rows)
            for topic, rows in (
                (topics.MEASURED_LENGTHS, np.flatnonzero(is_driven)),
                (topics.MEASURED_JOINTS, np.flatnonzero(~is_driven)),
            )
            if len(rows)
        ]
        self._odometry = messages.odometry(world, frame_prefix + base_frame(model))
        self._pose = _numbers(self._odometry, "position", "orientation", "linear", "angular")
        self._actuators = messages.trajectory_point(names, world)
        self._true = _numbers(self._actuators, *TRUE)

    def filled(self, told: Told) -> list[Filled]:
        """Return the messages of what is told; they are filled anew the next time."""
        result: list[Filled] = []
        if told.true is not None or told.measured is not None:
            self._clock.set_stamp(told.now)
            result.append((topics.CLOCK_TOPIC, self._clock))
        if told.measured is not None:
            result += self._of_measurement(told.measured)
        if told.true is not None:
            result += self._of_truth(told.true)
        return result

    def _of_measurement(self, measured: Measurement) -> list[Filled]:
        return [message.filled(measured) for message in self._measured]

    def _of_truth(self, true: TrueSample) -> list[Filled]:
        actuators, odometry = self._actuators, self._odometry
        actuators.set_stamp(true.stamp)
        columns = self._columns
        position, velocity, acceleration, effort = self._true
        position[:] = true.position[columns.position]
        velocity[:] = true.velocity[columns.velocity]
        acceleration[:] = true.acceleration[columns.velocity]
        effort[:] = true.effort
        motion = base_motion(self._model, true.position, true.velocity, true.acceleration)
        odometry.set_stamp(true.stamp)
        position, orientation, linear, angular = self._pose
        position[:] = motion.position
        orientation[:] = quaternion(motion.rotation)
        linear[:] = motion.velocity @ motion.rotation
        angular[:] = motion.angular_velocity @ motion.rotation
        return [(topics.TRUE_ODOMETRY, odometry), (topics.TRUE_ACTUATORS, actuators)]


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
        self._places = _numbers(self._template, *fields)

    def filled(self, measured: Measurement) -> Filled:
        self._template.set_stamp(measured.stamp)
        for place, name in zip(self._places, self._fields, strict=True):
            place[:] = getattr(measured, name)[self._rows]
        return self._topic, self._template


def quaternion(R: Floats) -> Floats:
    """Return a rotation as a quaternion (4,): x, y, z, w."""
    return np.array(plain(quaternion_from_rows)(*R))


def _numbers(template: Template, *names: str) -> tuple[Floats, ...]:
    """Return where the numbers of fields lie, as views to write into."""
    return tuple(
        template.float64[place[0] : place[0] + len(place)]
        for place in (template.places(name)[0] for name in names)
    )
