# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The step of a sample: one for messages and rows, and nothing changes before an unusual end."""

from __future__ import annotations

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from charmie_dynamics import Model, OutOfReachError
from charmie_dynamics.live import step as codes
from charmie_dynamics.live.cycle_messages import CycleMessages
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.live.step import Step
from charmie_dynamics.live.tracked_points import tracked_points
from charmie_dynamics.live.wire.cdr import stamp_at
from charmie_dynamics.live.wire.joint_states import JointStateReader, Message
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample

STORE = get_typestore(Stores.ROS2_HUMBLE)
KIND = "sensor_msgs/msg/JointState"
MS = 1_000_000
LENGTHS = ("lift_actuator", "torso_actuator")


def serialised(sample: JointSample, reader: JointStateReader, *, little_endian: bool) -> Message:
    """Return a sample as the message that a publisher sends."""
    types = STORE.types
    time = types["builtin_interfaces/msg/Time"](*divmod(sample.stamp, 10**9))
    fields = (sample.position, sample.velocity, sample.effort)
    content = types[KIND](
        types["std_msgs/msg/Header"](time, ""),
        list(sample.names),
        *(np.empty(0) if field is None else field for field in fields),
    )
    data = STORE.serialize_cdr(content, KIND, little_endian=little_endian)
    return reader.read(bytes(data), lambda: 0)


def samples(model: Model, count: int) -> list[tuple[str, JointSample]]:
    """Return lengths and joints of a slow motion, with some fields missing now and then."""
    rng = np.random.default_rng(5)
    rest = dict(zip(model.actuator_names, model.zero_position().tolist(), strict=True))
    joints = tuple(name for name in model.actuator_names if name not in LENGTHS)
    found = []
    for k in range(1, count + 1):
        for topic, names in ((ACTUATOR_LENGTHS, LENGTHS), (JOINT_STATES, joints)):
            position = np.array([rest[name] + 1e-3 * np.sin(0.1 * k) for name in names])
            position[rng.random(len(names)) < 0.02] = np.nan
            velocity = rng.normal(size=len(names)) if k % 3 else None
            effort = rng.normal(size=len(names)) if k % 4 else None
            found.append((topic, JointSample(names, position, velocity, 10 * MS * k, effort)))
    return found


@pytest.mark.parametrize("little_endian", [True, False])
def test_a_message_and_a_row_with_its_values_give_the_same_cycle(
    charmie: Model, little_endian: bool
) -> None:
    of_rows, of_messages, reader = Pipeline(charmie), Pipeline(charmie), JointStateReader()
    cycles = 0
    for k, (topic, sample) in enumerate(samples(charmie, 60)):
        message = serialised(sample, reader, little_endian=little_endian)
        row = of_rows.take(topic, sample, 0.005 * k)
        other = of_messages.take(topic, message, 0.005 * k)
        assert (row is None) == (other is None)
        if row is not None and other is not None:
            cycles += 1
            assert row.stamp == other.stamp
            assert row.state.block.tobytes() == other.state.block.tobytes()
            assert (row.effort is None) == (other.effort is None)
    assert cycles > 50
    assert of_rows.estimator.counters == of_messages.estimator.counters


def test_the_messages_of_a_cycle_are_filled_by_the_step(charmie: Model) -> None:
    pipeline, outputs = Pipeline(charmie), CycleMessages(charmie, DEFAULTS)
    pipeline.track(tracked_points(charmie))
    pipeline.set_message_records(outputs.filler.arguments)
    for k, (topic, sample) in enumerate(samples(charmie, 3)):
        cycle = pipeline.take(topic, sample, 0.005 * k)
        if cycle is None:
            continue
        filled = [bytes(message.template) for message in outputs.messages]
        outputs.filler.fill(cycle.stamp, cycle.state.block)
        assert filled == [bytes(message.template) for message in outputs.messages]
        assert stamp_at(filled[0], 4, False) == cycle.stamp


def content(pipeline: Pipeline) -> bytes:
    return b"".join(records.tobytes() for records in pipeline.estimator.records)


def own_step(pipeline: Pipeline, topic: str) -> Step:
    step: Step = pipeline._steps[topic]
    return step


def test_a_late_sample_changes_nothing_before_it_is_decided_what_becomes_of_it(
    charmie: Model,
) -> None:
    pipeline = Pipeline(charmie)
    for topic, sample in samples(charmie, 4):
        pipeline.take(topic, sample, 0.0)
    before = content(pipeline)
    late = JointSample(("neck_pan_joint",), np.array([0.3]), None, 25 * MS)
    outcome = own_step(pipeline, JOINT_STATES).take(late, 0.0, 0.0, run=True)
    assert (outcome.code, outcome.detail) == (codes.LATE, 15 * MS)
    assert content(pipeline) == before


def test_a_joint_beyond_a_dead_centre_changes_nothing(charmie: Model) -> None:
    pipeline = Pipeline(charmie)
    beyond = JointSample(("neck_pan_joint", "torso_joint"), np.array([0.3, 40.0]), None, MS)
    before = content(pipeline)
    outcome = own_step(pipeline, JOINT_STATES).take(beyond, 0.0, 0.0, run=True)
    assert outcome.code == codes.BEYOND_DEAD_CENTRE
    with pytest.raises(OutOfReachError, match="torso_actuator"):
        pipeline.take(JOINT_STATES, beyond, 0.0)
    assert content(pipeline) == before


def test_without_a_run_the_cycle_is_left_to_the_next_sample(charmie: Model) -> None:
    pipeline = Pipeline(charmie)
    (lengths, joints, *_) = samples(charmie, 1)
    pipeline.take(*lengths, 0.0)
    assert pipeline.take(*joints, 0.0, run=False) is None
    later = lengths[1]._replace(stamp=lengths[1].stamp + MS)
    cycle = pipeline.take(ACTUATOR_LENGTHS, later, 0.001)
    assert cycle is not None
    assert cycle.stamp == joints[1].stamp
