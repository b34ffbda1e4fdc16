# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A function that is called by its address does what it does when called by its name."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics.numerics.addresses import address_of, call_at
from charmie_dynamics.numerics.jit import HAS_NUMBA, compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats


@compiled_for("floats", "int", "bool")
def put_square(values: Floats, place: int, negative: bool) -> int:
    if place >= values.shape[0]:
        raise IndexError("no such place")
    square = values[place] * values[place]
    values[place] = -square if negative else square
    return place + 1


@compiled
def square_all(address: int, values: Floats, count: int, negative: bool) -> int:
    total = 0
    for k in range(count):
        total += call_at(address, values, k, negative)
    return total


@pytest.mark.parametrize("negative", [False, True])
def test_arguments_arrive_and_the_result_comes_back(negative: bool) -> None:
    values = np.array([1.0, -2.0, 3.0])
    assert square_all(address_of(put_square), values, 3, negative) == 1 + 2 + 3
    assert values.tolist() == ([-1.0, -4.0, -9.0] if negative else [1.0, 4.0, 9.0])


def test_an_error_inside_goes_on_to_the_caller() -> None:
    values = np.array([1.0, -2.0, 3.0])
    with pytest.raises(IndexError, match="no such place"):
        square_all(address_of(put_square), values, 4, False)
    assert values.tolist() == [1.0, 4.0, 9.0]


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
def test_a_function_has_one_address() -> None:
    assert isinstance(address_of(put_square), int)
    assert address_of(put_square) == address_of(put_square)
