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
from charmie_dynamics.live.wire.templates import Template
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.rotations import quaternion_from_rows
from charmie_dynamics.numerics.vectors import Floats

from . import topics
from .base_pose import base_frame, base_motion
from .sensors import ActuatorColumns, Measurement, TrueSample
from .session import Told
from .settings import SessionSettings

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
    settings : SessionSettings
    """

    def __init__(
        self, model: Model, world_frame: str, frame_prefix: str, settings: SessionSettings
    ) -> None:
        self._model = model
        sample = settings.steps_per_sample * settings.step_nanoseconds
        ratio = NANOSECONDS / (topics.ODOMETRY_RATE * sample)
        # by the stamp alone, so that a run after a reset has the same messages
        self._odometry_period = max(1, round(ratio)) * sample
        names = model.actuator_names
        world = frame_prefix + world_frame
        driven = {actuator.name for actuator in model.mechanisms.linear_actuators}
        is_driven = np.array([name in driven for name in names], dtype=bool)
        has_velocity = settings.velocities != "none"
        fields = ("position", "velocity", "effort") if has_velocity else ("position", "effort")
        self._columns = ActuatorColumns.of(model)
        self._clock = messages.clock()
        self._time = _stamp(self._clock)
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
        self._odometry_time = _stamp(self._odometry)
        self._actuators = messages.trajectory_point(names, world)
        self._actuators_time = _stamp(self._actuators)
        self._true = _numbers(self._actuators, *TRUE)

    def filled(self, told: Told) -> list[Filled]:
        """Return the messages of what is told; they are filled anew the next time."""
        result: list[Filled] = []
        if told.true is not None or told.measured is not None:
            self._time[:] = divmod(told.now, NANOSECONDS)
            result.append((topics.CLOCK_TOPIC, self._clock))
        if told.measured is not None:
            result += self._of_measurement(told.measured)
        if told.true is not None:
            result += self._of_truth(told.true)
        return result

    def _of_measurement(self, measured: Measurement) -> list[Filled]:
        return [message.filled(measured) for message in self._measured]

    def _of_truth(self, true: TrueSample) -> list[Filled]:
        self._actuators_time[:] = divmod(true.stamp, NANOSECONDS)
        columns = self._columns
        position, velocity, acceleration, effort = self._true
        position[:] = true.position[columns.position]
        velocity[:] = true.velocity[columns.velocity]
        acceleration[:] = true.acceleration[columns.velocity]
        effort[:] = true.effort
        filled = [(topics.TRUE_ACTUATORS, self._actuators)]
        if true.stamp % self._odometry_period == 0:
            self._fill_odometry(true)
            filled.append((topics.TRUE_ODOMETRY, self._odometry))
        return filled

    def _fill_odometry(self, true: TrueSample) -> None:
        self._odometry_time[:] = divmod(true.stamp, NANOSECONDS)
        motion = base_motion(self._model, true.position, true.velocity, true.acceleration)
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
        self._time = _stamp(self._template)
        self._places = _numbers(self._template, *fields)

    def filled(self, measured: Measurement) -> Filled:
        self._time[:] = divmod(measured.stamp, NANOSECONDS)
        for place, name in zip(self._places, self._fields, strict=True):
            place[:] = getattr(measured, name)[self._rows]
        return self._topic, self._template


def quaternion(R: Floats) -> Floats:
    """Return a rotation as a quaternion (4,): x, y, z, w."""
    return np.array(plain(quaternion_from_rows)(*R))


def _stamp(template: Template) -> npt.NDArray[np.int32]:
    """Return where the stamp lies, as a view to write its halves into, which fit into an int32."""
    first = int(template.places("stamp")[0, 0])
    return template.int32[first : first + 2]


def _numbers(template: Template, *names: str) -> tuple[Floats, ...]:
    """Return where the numbers of fields lie, as views to write into."""
    return tuple(
        template.float64[place[0] : place[0] + len(place)]
        for place in (template.places(name)[0] for name in names)
    )
