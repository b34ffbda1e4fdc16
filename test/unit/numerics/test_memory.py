# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of other types in memory: where numpy's views have them, compiled and in plain Python."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import pytest

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.memory import double_at, put_float32, put_int32
from charmie_dynamics.numerics.vectors import Floats


@compiled
def put_ints(memory: Floats, place: int, value: int) -> None:
    put_int32(memory, place, value)


@compiled
def put_floats(memory: Floats, place: int, value: float) -> None:
    put_float32(memory, place, value)


@compiled
def read_double(data: bytes, start: int, is_big: bool) -> float:
    return double_at(data, start, is_big)


@pytest.mark.parametrize("put", [put_int32, put_ints])
@pytest.mark.parametrize("value", [0, 1, -1, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("place", [0, 3, 5])
def test_int32_is_written_where_a_view_has_it(put: Callable, value: int, place: int) -> None:
    memory, expected = np.full(3, 0.1), np.full(3, 0.1)
    expected.view(np.int32)[place] = value
    put(memory, place, value)
    assert memory.tobytes() == expected.tobytes()


@pytest.mark.parametrize("put", [put_float32, put_floats])
@pytest.mark.parametrize("value", [0.1, -0.0, 1e-40, 3.0e38, np.inf, 1.0 + 2.0**-24])
@pytest.mark.parametrize("place", [0, 3, 5])
def test_float32_is_rounded_and_written_where_a_view_has_it(
    put: Callable, value: float, place: int
) -> None:
    memory, expected = np.full(3, 0.1), np.full(3, 0.1)
    expected.view(np.float32)[place] = value
    put(memory, place, value)
    assert memory.tobytes() == expected.tobytes()


@pytest.mark.parametrize("read", [double_at, read_double])
@pytest.mark.parametrize("is_big", [False, True])
@pytest.mark.parametrize("start", [0, 1, 3, 8])
def test_double_is_read_from_any_byte_in_either_order(
    read: Callable, is_big: bool, start: int
) -> None:
    value = -1.2345678901234567e-89
    data = b"\xff" * start + struct.pack(">d" if is_big else "<d", value) + b"\xff" * 3
    assert read(data, start, is_big) == value
    assert read(data, start, not is_big) != value
