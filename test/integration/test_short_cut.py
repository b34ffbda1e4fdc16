"""A message that takes the short cut leaves what it would have left on the long way."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from charmie_dynamics import CharmieError, InputError, Model
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.joint_state_reader import JointStateReader
from charmie_dynamics.live.wire.samples import (
    ACTUATOR_LENGTHS,
    JOINT_STATES,
    JointSample,
    RefusedSampleError,
)
from charmie_dynamics.model.loads import Payload
from charmie_dynamics.ros.inputs.short_cut import ShortCut
from charmie_dynamics.ros.outputs.cycle_entries import cycle_entries
from charmie_dynamics.ros.outputs.cycle_messages import CycleMessages
from charmie_dynamics.ros.process.parameters import Settings

MS = 10**6
NOW = 1_700_000_000 * 10**9  # ns, on the node's clock
ROUNDS = 600


class Way:
    """A pipeline with its messages, which are filled on the long way."""

    def __init__(self, model: Model, **options: Any) -> None:
        self.pipeline = Pipeline(model, **options)
        settings = Settings(compute_dynamics=self.pipeline.compute_dynamics)
        entries = [entry for _, entry in cycle_entries(model, settings)]
        self.messages = CycleMessages(entries, model.plan.size, True, pytest.fail)
        self.reader = JointStateReader()
        self.sent: list[bytes] = []

    def receive(self, data: bytes, now: float) -> Cycle | None:
        sample = self.reader.read(data, lambda: NOW)
        cycle = None
        for topic, ready in self.pipeline.order.add(JOINT_STATES, sample, now, ("", sample)):
            cycle = self.pipeline.add(topic or JOINT_STATES, ready, now)
        if cycle is not None:
            filled = self.messages.write(cycle.stamp, cycle.state.block)
            self.sent = [bytes(message) for message in filled]
        return cycle

    def receive_lengths(self, sample: JointSample, now: float) -> None:
        for _ in self.pipeline.order.add(ACTUATOR_LENGTHS, sample, now, None):
            self.pipeline.add(ACTUATOR_LENGTHS, sample, now)


class Short(Way):
    """The same with the short cut."""

    def __init__(self, model: Model, **options: Any) -> None:
        super().__init__(model, **options)
        self.use_model(model)
        self.taken = 0
        self.begun = 0

    def use_model(self, model: Model) -> None:
        self.pipeline.model = model
        filler = self.messages.filler
        assert filler is not None
        self.short_cut = ShortCut(self.pipeline, filler, self._begin)

    def _begin(self) -> None:
        self.begun += 1

    def receive(self, data: bytes, now: float) -> Cycle | None:
        layout = self.reader.newest
        if layout is None:
            return super().receive(data, now)
        is_done, cycle = self.short_cut.take(data, layout, now)
        if not is_done:
            return super().receive(data, now)
        self.taken += 1
        if cycle is not None:
            self.sent = [bytes(message) for message in self.messages.filled()]
        return cycle


def outcome(way: Way, data: bytes, now: float) -> tuple:
    """Return everything that can be seen of one message."""
    try:
        cycle = way.receive(data, now)
    except (CharmieError, RefusedSampleError) as error:
        said: tuple = (type(error), str(error))
    else:
        said = ()
        if cycle is not None:
            effort = None if cycle.effort is None else cycle.effort.tobytes()
            state = cycle.state
            arrays = (*state.kinematics, *(state.dynamics or ()))
            said = (cycle.stamp, tuple(array.tobytes() for array in arrays), effort)
    pipeline = way.pipeline
    counters = vars(pipeline.aligner.counters)
    return (
        *said,
        tuple(way.sent),
        vars(pipeline.statistics),
        {**counters, "unknown_names": list(counters["unknown_names"])},
        pipeline.aligner.velocity_sources(),
        pipeline.missing(now),
        pipeline.order.is_holding,
    )


@dataclass
class Stream:
    """Serialized joint states of which most are usual; with all that can be wrong now and then."""

    model: Model
    seed: int
    now: float = 1.0
    stamp: int = 1000 * MS
    _rng: Any = field(init=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)

    def next(self) -> bytes:
        rng = self._rng
        usual = rng.random() < 0.8
        self.stamp += (10 if usual else int(rng.choice([10, 0, -5, -800, 700]))) * MS
        self.now += 0.01 if usual else float(rng.choice([0.01, 0.8]))
        names = list(self.model.joint_names)
        unusual = rng.random()
        if unusual < 0.05:
            names = names[3:9]
        elif unusual < 0.1:
            names = ["nobody", *names]
        message = JointState(name=names, position=rng.uniform(-0.1, 0.1, len(names)).tolist())
        if self.seed % 2:
            message.velocity = rng.uniform(-1.0, 1.0, len(names)).tolist()
        if self.seed % 3:
            message.effort = rng.uniform(-1.0, 1.0, len(names)).tolist()
        if rng.random() < 0.1:
            values = [np.nan, np.inf, 3.0, 1e200]
            message.position[rng.integers(len(names))] = float(rng.choice(values))
        stamp = 0 if rng.random() < 0.03 else self.stamp
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
        data = bytes(serialize_message(message))
        return data[: len(data) - 20] if rng.random() < 0.02 else data


@pytest.mark.parametrize(
    "options",
    [{}, {"compute_dynamics": False, "estimate_acceleration": False}],
    ids=["default", "kinematics"],
)
@pytest.mark.parametrize("seed", range(4))
def test_random_messages_leave_the_same(model: Model, seed: int, options: dict) -> None:
    long, short = Way(model, **options), Short(model, **options)
    stream = Stream(model, seed)
    for number in range(ROUNDS):
        data = stream.next()
        expected = outcome(long, data, stream.now)
        found = outcome(short, data, stream.now)
        assert found == expected, f"message {number}"
    # else the comparison would say little
    assert ROUNDS / 10 < short.begun <= short.taken < 0.9 * ROUNDS
    assert short.pipeline.statistics.computed > short.begun


def joint_states(model: Model, stamp: int) -> JointState:
    """Return a message with all joints, velocities and efforts."""
    message = JointState(name=list(model.joint_names))
    count = len(message.name)
    message.position = [0.01 * k + 1e-9 * stamp / MS for k in range(count)]
    message.velocity = [0.1 * k for k in range(count)]
    message.effort = [1.0 + k for k in range(count)]
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
    return message


def usual(model: Model, stamp: int, order: str = "<") -> bytes:
    """Return `joint_states`, serialized in a byte order."""
    message = joint_states(model, stamp)
    data = bytes(serialize_message(message))
    if order == "<":
        return data
    return _swapped(data, message)


def _swapped(data: bytes, message: JointState) -> bytes:
    """Return a message in the byte order that is not this machine's, field by field."""
    body = bytearray()

    def put(form: str, *values: Any, align: int = 4) -> None:
        body.extend(bytes(-len(body) % align))
        body.extend(struct.pack(f">{form}", *values))

    put("i", message.header.stamp.sec)
    put("I", message.header.stamp.nanosec)
    for text in (message.header.frame_id,):
        put("I", len(text) + 1)
        body.extend(text.encode() + b"\0")
    put("I", len(message.name))
    for text in message.name:
        put("I", len(text) + 1)
        body.extend(text.encode() + b"\0")
    for values in (message.position, message.velocity, message.effort):
        put("I", len(values))
        for value in values:
            put("d", value, align=8)
    return b"\0\0" + data[2:4] + bytes(body)


@pytest.mark.parametrize("order", ["<", ">"])
def test_messages_of_either_byte_order_take_the_short_cut(model: Model, order: str) -> None:
    long, short = Way(model), Short(model)
    for k in range(1, 6):
        data, now = usual(model, k * MS, order), 0.001 * k
        expected = outcome(long, data, now)
        assert outcome(short, data, now) == expected
    assert short.taken == short.begun == 4


def test_joints_that_wait_for_lengths_go_the_long_way(model: Model) -> None:
    short = Short(model)
    rest = model.zero_position()[3:5]
    for k in range(1, 4):
        short.receive(usual(model, k * MS), 0.001 * k)
    before = short.taken
    lengths = JointSample(("lift_actuator", "torso_actuator"), rest, None, 4 * MS)
    short.receive_lengths(lengths, 0.004)
    for k in range(5, 8):
        short.receive(usual(model, k * MS), 0.001 * k)
    assert (before, short.taken) == (2, 2)


def test_a_load_that_is_new_acts_on_the_next_message(model: Model) -> None:
    long, short = Way(model), Short(model)
    for way in (long, short):
        for k in range(1, 4):
            way.receive(usual(model, k * MS), 0.001 * k)
    light = Way(model)
    for k in range(1, 5):
        light.receive(usual(model, k * MS), 0.001 * k)
    heavy = model.loaded({"left_tool": Payload(1.5)})
    long.pipeline.model = heavy
    short.use_model(heavy)
    for way in (long, short):
        way.receive(usual(model, 4 * MS), 0.004)
    assert short.taken == 3
    assert short.sent == long.sent
    assert short.sent != light.sent


def test_a_cycle_that_fails_says_why_and_the_next_is_as_usual(model: Model) -> None:
    long, short = Way(model), Short(model)
    for k in range(1, 8):
        message = joint_states(model, k * MS)
        if k == 4:
            message.velocity[5] = 1e200
        data, now = bytes(serialize_message(message)), 0.001 * k
        expected = outcome(long, data, now)
        assert outcome(short, data, now) == expected
        assert (expected[0] is InputError) == (k == 4)
    assert (short.taken, short.begun) == (5, 5)


def test_no_cycle_is_run_while_others_are_missing(model: Model) -> None:
    long, short = Way(model), Short(model)
    for k in range(1, 6):
        message = joint_states(model, k * MS)
        for values in (message.name, message.position, message.velocity, message.effort):
            del values[6]
        data, now = bytes(serialize_message(message)), 0.001 * k
        assert outcome(short, data, now) == outcome(long, data, now)
    assert short.pipeline.statistics.computed == 0
    assert (short.taken, short.begun) == (0, 0)
