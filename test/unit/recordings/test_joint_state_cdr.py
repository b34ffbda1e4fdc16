from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from input_recordings import KIND, message
from recordings import STORES

from charmie_dynamics.live.wire.samples import RefusedSampleError
from charmie_dynamics.recordings.read.joint_state_cdr import JointStateDecoder

STAMP = 1_700_000_000_987_654_321
NAMES = ("a", "bcd", "einstweilen")


def fields(pattern: str, count: int = 3) -> list[Any]:
    """Position, velocity, effort; a dot stands for an empty one."""
    random = np.random.default_rng(2)
    return [random.normal(size=count) if sign != "." else np.empty(0) for sign in pattern]


@pytest.mark.parametrize("pattern", ["pve", "pv.", "p..", "p.e", "...", ".v."])
@pytest.mark.parametrize("behind", [b"", b"\x00\x00\x00\x00", b"\x1a\x7f\x00\x00\x40\x23\xb1\x11"])
@pytest.mark.parametrize("little_endian", [True, False])
def test_all_fields_come_back_whatever_stands_behind_them(
    pattern: str, behind: bytes, little_endian: bool
) -> None:
    decoder = JointStateDecoder()
    for names in (NAMES, NAMES[::-1], NAMES):
        position, velocity, effort = fields(pattern)
        data = message(names, position, velocity, STAMP, effort)
        ordinary = STORES.deserialize_cdr(data, KIND)
        data = bytes(STORES.serialize_cdr(ordinary, KIND, little_endian=little_endian)) + behind
        found = decoder.decode(data)
        assert (found.stamp, tuple(found.names)) == (STAMP, names)
        for values, expected in zip(found[2:], (position, velocity, effort), strict=True):
            np.testing.assert_array_equal(values, expected)
            assert values.dtype == np.float64 and values.dtype.isnative


def test_a_message_without_joints_is_empty() -> None:
    nothing = np.empty(0)
    found = JointStateDecoder().decode(message((), nothing, nothing, STAMP, nothing))
    assert found.names == () and len(found.position) == 0


def test_every_message_that_is_cut_off_is_refused() -> None:
    data = message(NAMES, *fields("pve")[:2], STAMP, fields("pve")[2])
    for length in range(len(data)):
        with pytest.raises(RefusedSampleError):
            JointStateDecoder().decode(data[:length])


def test_damaged_messages_are_refused_or_hold_other_numbers() -> None:
    random = np.random.default_rng(3)
    decoder = JointStateDecoder()
    data = np.frombuffer(message(NAMES, *fields("pv.")[:2], STAMP), dtype=np.uint8)
    for _ in range(3000):
        damaged = data.copy()
        damaged[random.integers(0, len(data), 3)] = random.integers(0, 256, 3)
        with contextlib.suppress(RefusedSampleError):
            decoder.decode(damaged.tobytes())
    np.testing.assert_array_equal(decoder.decode(data.tobytes()).position, fields("pv.")[0])
