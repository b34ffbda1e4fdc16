# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Serialized joint states that are read in place hold what the middleware decodes."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator
from string import ascii_letters
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from charmie_dynamics.errors import InputError
from charmie_dynamics.live.wire.cdr import HEADER_SIZE, Reader
from charmie_dynamics.live.wire.joint_states import LARGEST_MESSAGE, REMEMBERED, JointStateReader
from charmie_dynamics.live.wire.samples import RefusedSampleError, make_sample
from validation.harness.slowness import time_on_a_usual_machine

NOW = 77


def message(
    names: list[str],
    position: list[float],
    velocity: list[float] | None = None,
    effort: list[float] | None = None,
    *,
    frame: str = "",
    stamp: tuple[int, int] = (5, 6),
) -> JointState:
    result = JointState(name=names, position=position)
    result.velocity, result.effort = velocity or [], effort or []
    result.header.frame_id = frame
    result.header.stamp.sec, result.header.stamp.nanosec = stamp
    return result


NAN = math.nan
ABC = ["a", "joint_b", "left_arm_joint_1"]
MESSAGES = {
    "no velocity": message(ABC, [1.0, 2.0, 3.0]),
    "velocity": message(ABC, [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
    "velocity and effort": message(ABC, [1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]),
    "effort only": message(ABC, [1.0, 2.0, 3.0], None, [7.0, 8.0, 9.0]),
    "not finite": message(ABC, [NAN, math.inf, -0.0], [NAN, NAN, -math.inf]),
    "one joint": message(["a"], [1.0]),
    "frame": message(ABC, [1.0, 2.0, 3.0], frame="odom"),
    "without stamp": message(ABC, [1.0, 2.0, 3.0], stamp=(0, 0)),
    "before the epoch": message(ABC, [1.0, 2.0, 3.0], stamp=(-3, 5)),
    "late": message(ABC, [1.0, 2.0, 3.0], stamp=(2**31 - 1, 2**32 - 1)),
    "not ASCII": message(["gelenk_\u00e4", "\u5173\u8282", "\U0001f9be"], [1.0, 2.0, 3.0]),
    "empty name": message(["", "a"], [1.0, 2.0]),
    "nothing": message([], []),
    "no names": message([], [1.0, 2.0]),
    "no positions": message(ABC, []),
    "no positions but velocities": message(ABC, [], [1.0, 2.0, 3.0]),
    "too few positions": message(ABC, [1.0, 2.0]),
    "too many positions": message(ABC, [1.0, 2.0, 3.0, 4.0]),
    "too few velocities": message(ABC, [1.0, 2.0, 3.0], [4.0]),
    "too many efforts": message(ABC, [1.0, 2.0, 3.0], None, [4.0] * 4),
    "repeated name": message(["a", "b", "a"], [1.0, 2.0, 3.0]),
}


def ordinary(data: bytes) -> Any:
    """Return what the middleware makes of the bytes, or the text of the refusal."""
    decoded = deserialize_message(data, JointState)
    seconds, nanoseconds = decoded.header.stamp.sec, decoded.header.stamp.nanosec
    stamp = 1_000_000_000 * seconds + nanoseconds or NOW
    try:
        sample = make_sample(
            decoded.name, decoded.position, decoded.velocity, decoded.effort, stamp
        )
    except InputError as error:
        return str(error)
    before = "stamp before 1970; expected the time of the measurement, or zero for now"
    return before if stamp < 0 else sample


def quick(reader: JointStateReader, data: bytes) -> Any:
    try:
        return reader.read(data, lambda: NOW).values()
    except InputError as error:
        return str(error)


def assert_same(found: Any, expected: Any) -> None:
    if isinstance(expected, str) or isinstance(found, str):
        assert found == expected
        return
    assert (found.names, found.stamp) == (expected.names, expected.stamp)
    for one, other in (
        (found.position, expected.position),
        (found.velocity, expected.velocity),
        (found.effort, expected.effort),
    ):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.tobytes() == other.tobytes()
            assert one.dtype == other.dtype
            assert one.flags.aligned and one.flags.writeable and one.flags.c_contiguous


def serialized(content: JointState) -> bytes:
    data: bytes = serialize_message(content)
    return data


def big_endian(content: JointState) -> bytes:
    """Serialize as a machine of the other byte order does."""
    body = bytearray()

    def number(code: str, value: float) -> None:
        body.extend(bytes(-len(body) % struct.calcsize(code)))
        body.extend(struct.pack(f">{code}", value))

    def text(value: str) -> None:
        number("I", len(value.encode()) + 1)
        body.extend(value.encode() + b"\0")

    number("i", content.header.stamp.sec)
    number("I", content.header.stamp.nanosec)
    text(content.header.frame_id)
    number("I", len(content.name))
    for name in content.name:
        text(name)
    for values in (content.position, content.velocity, content.effort):
        number("I", len(values))
        for value in values:
            number("d", value)
    return b"\0\0\0\0" + bytes(body)


def changed(content: JointState, seed: int) -> JointState:
    """Return a message with the same layout, other stamp and other numbers."""
    rng = random.Random(seed)
    lists = [
        [rng.choice((rng.uniform(-9.0, 9.0), NAN)) for _ in values]
        for values in (content.position, content.velocity, content.effort)
    ]
    stamp = (rng.randrange(1, 2**31), rng.randrange(2**32))
    return message(list(content.name), *lists, frame=content.header.frame_id, stamp=stamp)


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """What the reader has walked through from beginning to end."""
    from charmie_dynamics.live.wire import joint_states

    calls: list[bytes] = []

    class Counted(joint_states.JointStateLayout):
        def __init__(self, data: bytes) -> None:
            calls.append(data)
            super().__init__(data)

    monkeypatch.setattr(joint_states, "JointStateLayout", Counted)
    yield calls


@pytest.mark.parametrize("name", MESSAGES)
def test_first_and_later_messages_are_read_as_the_ordinary_conversion_reads_them(
    name: str,
) -> None:
    reader = JointStateReader()
    for content in (MESSAGES[name], *(changed(MESSAGES[name], seed) for seed in range(5))):
        data = serialized(content)
        assert_same(quick(reader, data), ordinary(data))


def test_messages_of_all_kinds_in_any_order_are_told_apart() -> None:
    reader, rng = JointStateReader(), random.Random(1)
    for seed in range(1000):
        data = serialized(changed(rng.choice(list(MESSAGES.values())), seed))
        assert_same(quick(reader, data), ordinary(data))


def test_names_that_only_move_between_messages_are_told_apart() -> None:
    """All of one size: names in another order, names split elsewhere, velocity against effort."""
    kinds = [
        message(["ab", "cd"], [1.0, 2.0]),
        message(["cd", "ab"], [1.0, 2.0]),
        message(["abc", "d"], [1.0, 2.0]),
        message(["ab", "cd"], [1.0, 2.0], [3.0, 4.0]),
        message(["ab", "cd"], [1.0, 2.0], None, [3.0, 4.0]),
        message(["ab", "cd"], [1.0, 2.0], frame="x"),
    ]
    reader = JointStateReader()
    for seed in range(30):
        data = serialized(changed(kinds[seed % len(kinds)], seed))
        assert_same(quick(reader, data), ordinary(data))


@pytest.mark.parametrize("name", ["velocity", "no velocity", "not ASCII", "effort only", "frame"])
def test_a_layout_is_walked_through_once(name: str, walked: list[bytes]) -> None:
    reader = JointStateReader()
    for seed in range(10):
        quick(reader, serialized(changed(MESSAGES[name], seed)))
    assert len(walked) == 1


def test_the_content_of_gaps_between_names_is_ignored(walked: list[bytes]) -> None:
    # serialisers may leave there what their memory held before
    reader = JointStateReader()
    content = message(["a", "bc", "def", "ghijk"], [1.0, 2.0, 3.0, 4.0])
    for seed in range(8):
        data = bytearray(serialized(changed(content, seed)))
        walk = Reader(bytes(data))
        walk.stamp()
        walk.string()
        walk.strings()
        walk.float64s()
        assert len(walk.gaps) >= 3 + 2 + 1 + 2  # behind the frame id and three of the names
        for gap in walk.gaps:
            data[HEADER_SIZE + gap] = 16 * seed + gap % 16
        assert_same(quick(reader, bytes(data)), ordinary(bytes(data)))
    assert len(walked) == 1


def test_no_more_layouts_than_a_fixed_number_are_remembered(walked: list[bytes]) -> None:
    reader = JointStateReader()
    many = [serialized(message([f"joint_{k}"], [1.0])) for k in range(3 * REMEMBERED)]
    for data in many:
        quick(reader, data)
    del walked[:]
    quick(reader, many[-REMEMBERED])
    assert not walked
    quick(reader, many[0])
    assert len(walked) == 1


@pytest.mark.parametrize("name", MESSAGES)
def test_big_endian_messages_are_read_as_little_endian_ones(name: str) -> None:
    reader = JointStateReader()
    for seed in range(3):
        content = changed(MESSAGES[name], seed)
        assert_same(quick(reader, big_endian(content)), ordinary(serialized(content)))
        assert_same(quick(reader, serialized(content)), ordinary(serialized(content)))


def test_bytes_behind_the_message_change_nothing() -> None:
    reader = JointStateReader()
    for seed in range(4):
        data = serialized(changed(MESSAGES["velocity"], seed))
        assert_same(quick(reader, data + bytes(seed)), ordinary(data))


@pytest.mark.parametrize("known", [False, True])
def test_a_message_that_is_cut_off_anywhere_is_refused(known: bool) -> None:
    # all fields, so that nothing but padding is behind the last number
    data = serialized(MESSAGES["velocity and effort"])
    end = len(big_endian(MESSAGES["velocity and effort"]))
    reader = JointStateReader()
    if known:
        reader.read(data, lambda: NOW)
    for size in range(end):
        with pytest.raises(InputError, match=f"^{size} bytes .*sensor_msgs/msg/JointState"):
            reader.read(data[:size], lambda: NOW)


def test_damaged_bytes_give_a_sample_or_a_refusal_and_never_another_error() -> None:
    rng, reader = random.Random(2), JointStateReader()
    good = serialized(MESSAGES["velocity"])
    reader.read(good, lambda: NOW)
    numbers = [0, 1, 2, 2**31, 2**32 - 1, 2**30, 1000]
    for _ in range(3000):
        data = bytearray(good)
        place = 4 * rng.randrange(len(data) // 4)
        data[place : place + 4] = struct.pack("<I", rng.choice(numbers))
        result = quick(reader, bytes(data))
        if not isinstance(result, str):
            assert len(result.names) == len(result.position)


def test_a_message_without_stamp_is_refused_while_the_clock_has_no_time() -> None:
    data = serialized(MESSAGES["without stamp"])
    with pytest.raises(RefusedSampleError, match="the clock has no time yet"):
        JointStateReader().read(data, lambda: 0)


def test_the_sample_outlives_the_bytes() -> None:
    reader = JointStateReader()
    reader.read(serialized(MESSAGES["velocity"]), lambda: NOW)
    sample = reader.read(serialized(MESSAGES["velocity"]), lambda: NOW).values()
    sample.position[0] = 50.0
    again = reader.read(serialized(MESSAGES["velocity"]), lambda: NOW).values()
    assert np.array_equal(again.position, [1.0, 2.0, 3.0])


def repeated_last(count: int) -> list[str]:
    return [*(f"{k}" for k in range(count - 1)), "0"]


# a name of seven characters and its position take 20 bytes
MOST_NAMES = LARGEST_MESSAGE // 20 - 10
MANY = [f"j{k:06}" for k in range(MOST_NAMES)]
MILLION = 10**6
BAD_LAST = serialized(message([*MANY, "zzzzzzz"], [0.0] * (MOST_NAMES + 1))).replace(
    b"zzzzzzz", b"zz\xff\xfezzz"
)
COSTLY: dict[str, bytes] = {
    "a million names": serialized(message(["a"] * MILLION, [0.0] * MILLION)),
    "a million positions": serialized(message(["a"], [0.0] * MILLION)),
    "a name of ten million bytes": serialized(message(["a" * 10**7], [0.0])),
    "a frame id of ten million bytes": serialized(message(["a"], [0.0], frame="f" * 10**7)),
    "as many names as can be, the last repeated": serialized(
        message(repeated_last(MOST_NAMES), [0.0] * MOST_NAMES)
    ),
    "as many names as can be, the last no UTF-8": BAD_LAST,
    "as many names as can be without positions": serialized(message(["a"] * 8100, [])),
    "as many names as can be, too few velocities": serialized(message(MANY, [0.0] * 3000, [0.0])),
    "a number of names that cannot be": serialized(message(["abc"], [0.0])).replace(
        struct.pack("<I", 1), struct.pack("<I", 2**32 - 1)
    ),
}


@pytest.mark.parametrize("name", COSTLY)
def test_a_message_is_refused_within_5_ms_however_large(name: str) -> None:
    reader = JointStateReader()

    def refuse() -> None:
        with pytest.raises(RefusedSampleError):
            reader.read(COSTLY[name], lambda: NOW)

    assert min(time_on_a_usual_machine(refuse) for _ in range(5)) < 0.005


def test_the_largest_message_is_read_and_a_larger_one_refused_with_the_limit() -> None:
    data = serialized(message(MANY, [0.0] * MOST_NAMES))
    assert len(JointStateReader().read(data, lambda: NOW).names) == MOST_NAMES
    larger = data + bytes(LARGEST_MESSAGE + 1 - len(data))
    with pytest.raises(RefusedSampleError, match=f"^{len(larger)} bytes; .* {LARGEST_MESSAGE}$"):
        JointStateReader().read(larger, lambda: NOW)


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3\x28", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\x80"])
@pytest.mark.parametrize("where", [b"left_arm_joint_1", b"odom_frame"])
@pytest.mark.parametrize("known", [False, True])
def test_text_that_is_no_utf_8_is_refused_and_shown(where: bytes, bad: bytes, known: bool) -> None:
    """The middleware would replace it, and names that differ would become one."""
    good = serialized(message(ABC, [0.0] * 3, frame="odom_frame"))
    reader = JointStateReader()
    if known:
        reader.read(good, lambda: NOW)
    data = good.replace(where, where[: -len(bad)] + bad)
    with pytest.raises(RefusedSampleError, match="name or frame id; expected UTF-8") as refused:
        reader.read(data, lambda: NOW)
    assert refused.value.cause == "text that is not UTF-8"
    assert repr(bad)[2:-1].partition("(")[0] in str(refused.value)


def test_a_zero_byte_within_a_name_is_refused() -> None:
    """The middleware would end the name there."""
    data = serialized(message(ABC, [0.0] * 3)).replace(b"joint_b", b"jo\0nt_b")
    with pytest.raises(RefusedSampleError, match="cannot be decoded"):
        JointStateReader().read(data, lambda: NOW)


@pytest.mark.parametrize("kind", [b"\x00\x02", b"\x00\x03", b"\x00\x06", b"\x00\x07", b"\x01\x00"])
def test_other_encodings_are_refused(kind: bytes) -> None:
    data = kind + serialized(message(ABC, [0.0] * 3))[2:]
    with pytest.raises(RefusedSampleError, match="cannot be decoded"):
        JointStateReader().read(data, lambda: NOW)


def test_causes_are_few_and_hold_no_value() -> None:
    """They throttle the log and are counted: each new text would be a line and an entry."""
    rng, causes = random.Random(4), set()
    for seed in range(1000):
        content = changed(rng.choice(list(MESSAGES.values())), seed)
        content.name = [rng.choice((name, f"joint_{seed}", "a")) for name in content.name]
        extra = [0.0] * rng.randrange(5)
        content.position.extend(extra)
        content.velocity.extend(extra[::2])
        content.effort.extend(extra[1:])
        data = bytearray(serialized(content))
        if rng.random() < 0.5:
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            JointStateReader().read(bytes(data), lambda: NOW)
        except RefusedSampleError as error:
            causes.add(error.cause)
    assert 5 <= len(causes) <= 8
    assert not any(cause.replace("UTF-8", "").strip(ascii_letters + " ") for cause in causes)


def test_a_flood_of_other_layouts_leaves_a_publisher_its_own(walked: list[bytes]) -> None:
    reader = JointStateReader()
    for seed in range(1000):
        quick(reader, serialized(message([f"joint_{seed}"], [1.0])))
        if seed % 10 == 9:
            quick(reader, serialized(changed(MESSAGES["velocity"], seed)))
    good = serialized(MESSAGES["velocity"])
    assert sum(len(data) == len(good) for data in walked) == 1
