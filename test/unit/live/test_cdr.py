# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Serialised messages read and written field by field; rosbags says what the bytes mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from charmie_dynamics.live.wire.cdr import (
    CdrError,
    Reader,
    TextError,
    read_doubles,
    stamp_at,
)
from charmie_dynamics.live.wire.messages import Status, diagnostics
from charmie_dynamics.live.wire.templates import Template, Writer, join

typesys = pytest.importorskip("rosbags.typesys", reason="rosbags is missing, the oracle of bytes")

STORE = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
JOINT_STATE = "sensor_msgs/msg/JointState"
FIELDS = ("position", "velocity", "effort")
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9)
NAMES = st.lists(TEXTS, max_size=5)
NUMBERS = st.lists(st.floats(), max_size=5)
SECONDS = st.integers(-(2**31), 2**31 - 1)
STAMP = 1_700_000_000_987_654_321


def joint_state(
    names: list[str], *numbers: list[float], frame: str = "", seconds: int = 0, big: bool = False
) -> bytes:
    """The bytes of a joint state as rosbags writes them."""
    types = STORE.types
    time = types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=5)
    header = types["std_msgs/msg/Header"](stamp=time, frame_id=frame)
    fields = [np.array(values, dtype=np.float64) for values in numbers]
    message = types[JOINT_STATE](header, names, *fields)
    return bytes(STORE.serialize_cdr(message, JOINT_STATE, little_endian=not big))


def written(frame: str, names: list[str], counts: list[int]) -> Template:
    message = Writer()
    message.header(frame)
    message.strings(names)
    for field, count in zip(FIELDS, counts, strict=True):
        message.float64s(field, count)
    return message.template()


@given(TEXTS, NAMES, st.lists(NUMBERS, min_size=3, max_size=3))
def test_a_template_that_is_filled_says_what_rosbags_reads(
    frame: str, names: list[str], numbers: list[list[float]]
) -> None:
    template = written(frame, names, [len(values) for values in numbers])
    for field, values in zip(FIELDS, numbers, strict=True):
        template.float64[template.places(field).ravel()] = values
    template.int32[template.places("stamp").ravel()] = [-3, 7]
    found = STORE.deserialize_cdr(bytes(template), JOINT_STATE)
    assert (found.header.stamp.sec, found.header.stamp.nanosec) == (-3, 7)
    assert (found.header.frame_id, found.name) == (frame, names)
    for field, values in zip(FIELDS, numbers, strict=True):
        np.testing.assert_array_equal(getattr(found, field), values)


STATUSES = st.builds(
    Status, st.sampled_from([b"\0", b"\1", b"\2", b"\3"]), TEXTS, TEXTS, TEXTS,
    st.dictionaries(TEXTS, TEXTS, max_size=3),
)  # fmt: skip


@given(TEXTS, st.lists(STATUSES, max_size=3))
def test_diagnostics_are_the_bytes_that_rosbags_writes(frame: str, statuses: list[Status]) -> None:
    types = STORE.types
    time = types["builtin_interfaces/msg/Time"](*divmod(STAMP, 1_000_000_000))
    message = types["diagnostic_msgs/msg/DiagnosticArray"](
        types["std_msgs/msg/Header"](time, frame),
        [
            types["diagnostic_msgs/msg/DiagnosticStatus"](
                status.level[0],
                status.name,
                status.message,
                status.hardware_id,
                [types["diagnostic_msgs/msg/KeyValue"](*item) for item in status.values.items()],
            )
            for status in statuses
        ],
    )
    expected = bytes(STORE.serialize_cdr(message, "diagnostic_msgs/msg/DiagnosticArray"))
    assert diagnostics(STAMP, frame, statuses) == expected


@given(st.booleans(), SECONDS, TEXTS, NAMES, st.lists(NUMBERS, min_size=3, max_size=3))
def test_a_reader_finds_what_rosbags_has_written(
    big: bool, seconds: int, frame: str, names: list[str], numbers: list[list[float]]
) -> None:
    data = joint_state(names, *numbers, frame=frame, seconds=seconds, big=big)
    reader = Reader(data)
    assert reader.is_big == big
    assert reader.stamp() == seconds * 1_000_000_000 + 5
    assert reader.string() == frame
    assert reader.strings() == names
    for values in numbers:
        np.testing.assert_array_equal(reader.float64s(), values)
    assert reader.end == len(data)


def mixed() -> Template:
    """Fields of all sizes behind one another, so that there are gaps."""
    message = Writer()
    for letter in ("x", "yz"):
        message.uint8(7)
        message.int32(-5, "number")
        message.string(letter, "text")
        message.uint32(9)
        message.float32("color", 4)
        message.float64("point", 3)
        message.uint8(1, "flag")
    return message.template()


def pass_mixed(data: bytes) -> Reader:
    reader = Reader(data)
    for letter in ("x", "yz"):
        assert reader.uint8() == 7
        assert reader.int32("number") == -5
        assert reader.string("text") == letter
        assert reader.uint32() == 9
        reader.float32("color", 4)
        reader.float64("point", 3)
        assert reader.uint8("flag") == 1
    return reader


@pytest.mark.parametrize("name", ["number", "color", "point", "flag", "nothing"])
def test_reader_and_writer_agree_where_numbers_stand(name: str) -> None:
    template = mixed()
    reader = pass_mixed(bytes(template))
    np.testing.assert_array_equal(reader.places(name), template.places(name))


def test_bytes_that_no_place_names_and_no_gap_are_the_constants() -> None:
    template = mixed()
    reader = pass_mixed(bytes(template))
    template.data[:] = 255
    body = template.data[4:]
    body[reader.gaps] = 0
    for name, size in (("number", 4), ("color", 4), ("point", 8), ("flag", 1)):
        for row in template.places(name):
            body[size * row[0] : size * (row[-1] + 1)] = 0
    # twice: a number of one byte, the length of a string, its bytes, its zero, a uint32
    assert np.count_nonzero(body) == 2 * (1 + 4 + 1 + 4) + len("xyz")


def test_numbers_of_each_type_are_written_where_they_are_read() -> None:
    template = mixed()
    template.float64[template.places("point")] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    template.float32[template.places("color")[1]] = 0.5
    template.int32[template.places("number").ravel()] = [11, 12]
    reader = Reader(bytes(template))
    found = []
    for _ in range(2):
        reader.uint8()
        found.append(reader.int32())
        reader.string()
        reader.uint32()
        reader.float32("", 4)
        reader.float64("", 3)
        reader.uint8()
    assert found == [11, 12]


def test_fields_of_one_name_that_differ_in_size_have_no_common_places() -> None:
    with pytest.raises(CdrError, match="'text' of a message hold different counts"):
        mixed().places("text")


def test_templates_keep_their_content_when_they_are_joined() -> None:
    first, second = mixed(), written("base", ["a", "b"], [2, 0, 2])
    before = bytes(first), bytes(second)
    memory = join([first, second])
    assert (bytes(first), bytes(second)) == before
    memory[second.first + second.places("effort")[0, 1]] = 1.5
    assert STORE.deserialize_cdr(bytes(second), JOINT_STATE).effort.tolist() == [0.0, 1.5]


DATA = joint_state(["a", "bc"], [1.0, 2.0], [3.0, 4.0], [])


def read_all(data: bytes) -> None:
    reader = Reader(data)
    reader.stamp()
    reader.string()
    reader.strings()
    for _ in FIELDS:
        reader.float64s()


@pytest.mark.parametrize("size", range(len(DATA)))
def test_a_message_that_ends_too_early_is_refused(size: int) -> None:
    with pytest.raises(CdrError):
        read_all(DATA[:size])


def changed(place: int, value: int) -> bytes:
    data = bytearray(DATA)
    data[place] = value
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "error", "text"),
    [
        (changed(1, 2), CdrError, "begin with '0002'; expected plain CDR"),
        (changed(12, 0), CdrError, "string of 0 bytes"),
        (changed(12, 200), CdrError, "string of 200 bytes in a message of"),
        (changed(16, 65), CdrError, "expected one zero in it, at its end"),
        (changed(23, 127), CdrError, "end in the middle"),
        (changed(28, 255), TextError, "expected UTF-8"),
    ],
)
def test_what_is_no_message_is_refused(data: bytes, error: type[CdrError], text: str) -> None:
    with pytest.raises(error, match=text):
        read_all(data)


def test_a_length_for_which_there_is_no_room_is_refused() -> None:
    reader = Reader(b"\0\1\0\0" + b"\x09\0\0\0" + bytes(80))
    assert reader.length(8) == 9
    reader = Reader(b"\0\1\0\0" + b"\x0b\0\0\0" + bytes(80))
    with pytest.raises(CdrError, match="88 bytes"):
        reader.length(8)


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("seconds", [0, -1, 1_700_000_000, 2**31 - 1, -(2**31)])
def test_a_stamp_is_read_in_place(seconds: int, big: bool) -> None:
    data = joint_state(["a"], [1.0], [], [], seconds=seconds, big=big)
    assert stamp_at(data, 4, big) == seconds * 1_000_000_000 + 5


@pytest.mark.parametrize("big", [False, True])
def test_doubles_are_read_in_place(big: bool) -> None:
    values = [1.5, float("nan"), -2.5e-300, float("inf")]
    data = joint_state(["a"], values, [], [], big=big)
    reader = Reader(data)
    reader.stamp()
    reader.string()
    reader.strings()
    reader.float64s()
    found: Any = np.empty(len(values))
    read_doubles(data, reader.end - 8 * len(values), big, found)
    np.testing.assert_array_equal(found, values)
