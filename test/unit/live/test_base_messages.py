# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inertial measurements and odometry are read from their bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from charmie_dynamics.live.wire.base_messages import read_imu, read_odometry
from charmie_dynamics.live.wire.samples import RefusedSampleError

STAMP = 7_000_000_009


def serialised(order: str, texts: list[str], numbers: np.ndarray) -> bytes:
    """Return a header with these texts, then doubles, in XCDR version 1."""
    body = struct.pack(f"{order}iI", 7, 9)
    for text in texts:
        body += bytes(-len(body) % 4)
        body += struct.pack(f"{order}I", len(text) + 1) + text.encode() + b"\0"
    body += bytes(-len(body) % 8) + numbers.astype(f"{order}f8").tobytes()
    return (b"\x00\x01" if order == "<" else b"\x00\x00") + bytes(2) + body


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("frame", ["", "imu", "base_link", "a_frame_of_19_letters"])
def test_inertial_measurements_are_read_in_both_byte_orders(order: str, frame: str) -> None:
    numbers = np.arange(37.0)
    found = read_imu(serialised(order, [frame], numbers))
    assert (found.stamp, found.frame, found.is_oriented) == (STAMP, frame, True)
    np.testing.assert_array_equal(found.orientation, [0.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(found.angular_velocity, [13.0, 14.0, 15.0])
    np.testing.assert_array_equal(found.acceleration, [25.0, 26.0, 27.0])
    numbers[4] = -1.0
    assert not read_imu(serialised(order, [frame], numbers)).is_oriented


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("frame", ["", "base", "base_footprint"])
def test_odometry_is_read_in_both_byte_orders(order: str, frame: str) -> None:
    found = read_odometry(serialised(order, ["odom", frame], np.arange(85.0)))
    assert (found.stamp, found.frame) == (STAMP, frame)
    np.testing.assert_array_equal(found.position, [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(found.orientation, [3.0, 4.0, 5.0, 6.0])
    np.testing.assert_array_equal(found.velocity, [43.0, 44.0, 45.0])
    np.testing.assert_array_equal(found.angular_velocity, [46.0, 47.0, 48.0])


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (read_imu, serialised("<", ["imu"], np.zeros(37))),
        (read_odometry, serialised("<", ["odom", "base"], np.zeros(85))),
    ],
)
def test_bytes_that_are_no_such_message_are_refused(
    read: Callable[[bytes], Any], data: bytes
) -> None:
    for end in range(len(data)):
        with pytest.raises(RefusedSampleError, match="expected a serialised"):
            read(data[:end])
