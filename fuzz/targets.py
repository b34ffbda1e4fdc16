# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is fuzzed, and what must hold: an input is taken or refused, and nothing is not a number."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.pipeline import Arrived, Pipeline
from charmie_dynamics.live.wire.joint_states import JointStateReader
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from charmie_dynamics.model.description.mechanisms import MechanismSet, parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.description.world import parse_world
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import load_model
from charmie_dynamics.model.state import State
from charmie_dynamics.simulation import World
from charmie_dynamics.studies import parse_study
from charmie_dynamics.studies.design import study_motion
from charmie_dynamics.studies.robot_parameters.robot_files import rewritten_mechanisms
from charmie_dynamics.studies.sizing.drive_table import parse_drive_table

HEAD = struct.Struct("<BHH")  # of a message: topic, milliseconds since the last one, length
LONGEST_MESSAGE_OF_ERROR = 8000

CHARMIE = load_model()
study_motion.MOST_SAMPLES = 200  # long motions take more time than an input may


class BrokenRuleError(Exception):
    """Something was neither right nor refused."""


def require(holds: object, what: str) -> None:
    """Raise unless something holds."""
    if not holds:
        raise BrokenRuleError(what)


def require_finite(state: State) -> None:
    """Raise if a result is not finite."""
    dynamics = state.dynamics
    require(dynamics is not None, "no dynamics")
    for array in (*state.kinematics, *(dynamics or ())):
        require(np.isfinite(array).all(), "a result is not finite")


def text_of(data: bytes) -> str:
    """Return bytes as text; what is no UTF-8 stays as surrogates, which no file can hold."""
    return data.decode("utf-8", "surrogateescape")


def refused(error: CharmieError, source: str) -> None:
    """Check what a refusal says."""
    message = str(error)
    require(source in message, f"no file in: {message}")
    require(len(message) < LONGEST_MESSAGE_OF_ERROR, f"message of {len(message)} characters")


def compute(model: Model) -> None:
    """Compute a model at the position that it calls zero, at rest and in motion."""
    try:
        position = model.zero_position()
        ones = np.ones(len(position))
        require_finite(model.compute(position))
        require_finite(model.compute(position, ones, ones))
    except CharmieError:
        pass


def urdf(data: bytes) -> None:
    """Read bytes as a URDF."""
    try:
        model = Model(parse_urdf(text_of(data), "robot.urdf"), MechanismSet())
    except CharmieError as error:
        refused(error, "robot.urdf")
    else:
        compute(model)


def mechanisms(data: bytes) -> None:
    """Read bytes as a mechanisms file for CHARMIE."""
    try:
        read = parse_mechanisms(text_of(data), "loops.yaml")
        model = Model(CHARMIE.tree, read, "loops.yaml")
    except CharmieError as error:
        refused(error, "loops.yaml")
    else:
        compute(model)


def messages(data: bytes) -> None:
    """Read bytes as a series of joint states and actuator lengths, and compute what they allow."""
    reader, pipeline = JointStateReader(), Pipeline(CHARMIE)
    now, offset = 0.0, 0
    while offset + HEAD.size <= len(data):
        topic, milliseconds, length = HEAD.unpack_from(data, offset)
        offset += HEAD.size
        message = data[offset : offset + length]
        offset += length
        now += milliseconds / 1000
        try:
            sample = reader.read(message, lambda: round(now * 1e9))  # noqa: B023
        except CharmieError:
            continue
        _require_same(message, sample.values())
        given = Arrived(ACTUATOR_LENGTHS if topic % 2 else JOINT_STATES, sample, now)
        ready = pipeline.order.overdue(now) + pipeline.order.add(*given, given)
        _take_in(pipeline, ready, now)
    _take_in(pipeline, pipeline.order.rest(), now)


def _take_in(pipeline: Pipeline, samples: list[Arrived], now: float) -> None:
    for arrived in samples:
        try:
            cycle = pipeline.take(*arrived, now)
        except CharmieError:
            continue
        if cycle is not None:
            require_finite(cycle.state)


def _require_same(message: bytes, sample: JointSample) -> None:
    """Compare a sample with what the middleware decodes."""
    # without its options, of which the reader needs none and by which Fast CDR drops padding
    plain = message[:2] + bytes(2) + message[4:]
    decoded = deserialize_message(plain, JointState)
    require(tuple(decoded.name) == tuple(sample.names), "other names than the middleware's")
    positions = np.array(decoded.position)
    require(positions.tobytes() == sample.position.tobytes(), "other positions")
    if sample.velocity is not None:
        velocities = np.array(decoded.velocity)
        require(velocities.tobytes() == sample.velocity.tobytes(), "other velocities")


def world(data: bytes) -> None:
    """Read bytes as a world file, and build the world."""
    try:
        World(parse_world(text_of(data), "world.yaml"), "world.yaml")
    except CharmieError as error:
        refused(error, "")


def study(data: bytes) -> None:
    """Read bytes as a study file of CHARMIE, and evaluate the described robot and the start."""
    try:
        read = parse_study(text_of(data), "study.yaml")
        described = read.evaluator.evaluate_described()
        found = read.evaluator.evaluate(read.start)
        if read.mechanisms_text and not found.reason:
            rewritten_mechanisms(read.mechanisms_text, read.evaluator.numbers(read.start))
    except CharmieError as error:
        refused(error, "")
    else:
        for each in (described, found):
            require(each.reason or len(each.values) == len(read.names), "other quantities")


def drives(data: bytes) -> None:
    """Read bytes as a table of motors and gears."""
    try:
        table = parse_drive_table(text_of(data), "drives.yaml")
    except CharmieError as error:
        refused(error, "drives.yaml")
    else:
        for gear in table.gears:
            require(np.isfinite(gear.ratio) and gear.ratio > 0.0, "a ratio that no gear has")


TARGETS: dict[str, Callable[[bytes], None]] = {
    "urdf": urdf,
    "mechanisms": mechanisms,
    "messages": messages,
    "world": world,
    "study": study,
    "drives": drives,
}
