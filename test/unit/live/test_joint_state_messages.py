# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Serialised joint states, decoded by rosbags for comparison; see also the integration tests."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from charmie_dynamics.live.wire.joint_states import JointStateReader
from charmie_dynamics.live.wire.samples import JointSample, RefusedSampleError

STORE = get_typestore(Stores.ROS2_HUMBLE)
KIND = "sensor_msgs/msg/JointState"
STAMP = 1_700_000_000_987_654_321
NAMES = ("a", "bcd", "einstweilen")


def fields(pattern: str) -> list[Any]:
    """Position, velocity, effort; a dot stands for an empty one."""
    random = np.random.default_rng(2)
    return [random.normal(size=3) if sign != "." else np.empty(0) for sign in pattern]


def message(names: tuple[str, ...], pattern: str, *, little_endian: bool = True) -> bytes:
    types = STORE.types
    time = types["builtin_interfaces/msg/Time"](*divmod(STAMP, 10**9))
    header = types["std_msgs/msg/Header"](time, "base")
    content = types[KIND](header, list(names), *fields(pattern))
    return bytes(STORE.serialize_cdr(content, KIND, little_endian=little_endian))


def read(reader: JointStateReader, data: bytes) -> JointSample:
    return reader.read(data, lambda: 1).values()


@pytest.mark.parametrize("pattern", ["pve", "pv.", "p..", "p.e"])
@pytest.mark.parametrize("behind", [b"", b"\x00\x00\x00\x00", b"\x1a\x7f\x00\x00\x40\x23\xb1\x11"])
@pytest.mark.parametrize("little_endian", [True, False])
def test_all_fields_come_back_whatever_stands_behind_them(
    pattern: str, behind: bytes, little_endian: bool
) -> None:
    reader = JointStateReader()
    for names in (NAMES, NAMES[::-1], NAMES):
        found = read(reader, message(names, pattern, little_endian=little_endian) + behind)
        assert (found.stamp, tuple(found.names)) == (STAMP, names)
        values = (found.position, found.velocity, found.effort)
        for part, expected in zip(values, fields(pattern), strict=True):
            assert (part is None) == (len(expected) == 0)
            if part is not None:
                np.testing.assert_array_equal(part, expected)
                assert part.dtype == np.float64 and part.dtype.isnative


@pytest.mark.parametrize("pattern", ["...", ".v."])
def test_a_message_without_positions_is_refused(pattern: str) -> None:
    with pytest.raises(RefusedSampleError, match="3 names but 0 positions"):
        read(JointStateReader(), message(NAMES, pattern))


def test_every_message_that_is_cut_off_is_refused() -> None:
    data = message(NAMES, "pve")
    for length in range(len(data)):
        with pytest.raises(RefusedSampleError):
            read(JointStateReader(), data[:length])


def test_damaged_messages_are_refused_or_hold_other_numbers() -> None:
    random = np.random.default_rng(3)
    reader = JointStateReader()
    data = np.frombuffer(message(NAMES, "pv."), dtype=np.uint8)
    for _ in range(3000):
        damaged = data.copy()
        damaged[random.integers(0, len(data), 3)] = random.integers(0, 256, 3)
        with contextlib.suppress(RefusedSampleError):
            read(reader, damaged.tobytes())
    np.testing.assert_array_equal(read(reader, data.tobytes()).position, fields("pv.")[0])


def test_a_message_without_a_stamp_gets_that_of_the_clock() -> None:
    data = bytearray(message(NAMES, "p.."))
    data[4:12] = bytes(8)
    assert JointStateReader().read(bytes(data), lambda: 77).stamp == 77
    with pytest.raises(RefusedSampleError, match="the clock has no time yet"):
        JointStateReader().read(bytes(data), lambda: 0)
