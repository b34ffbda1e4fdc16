# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Several numbers in place of one behave like each of them alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("numba")

from charmie_dynamics.numerics.branches import all_lanes, where
from charmie_dynamics.numerics.fused import multiply_add
from charmie_dynamics.numerics.jit import HAS_NUMBA, compiled

if HAS_NUMBA:
    from charmie_dynamics.numerics.branches import LANES, as_lanes
else:
    pytest.skip("NUMBA_DISABLE_JIT is set: there are no lanes", allow_module_level=True)

NUMBERS = np.array([-0.0, 0.0, -1.5, 2.25, 1e300, -1e-300, math.pi, 0.7])


def terms(a, b):
    """All that lanes can do, on whatever `a` and `b` are."""
    size = math.sqrt(abs(a)) + 1.0
    total = 2.0 * a - b / size
    total += 1
    total -= -a
    angle = math.atan2(math.sin(b), math.cos(b))
    chosen = where((a > b) & (a != 0.0), total, 3.0)
    fused = multiply_add(a, b, multiply_add(-1.0, a, 0.7)) / multiply_add(2.0, 3.0, b)
    return size, total, angle, chosen, where(a == b, a, where(b < 0.0, 0.0, b)), fused


terms = compiled(terms)


@compiled
def in_lanes(a, b, out):
    values = terms(as_lanes(a)[0], as_lanes(b)[0])
    result = as_lanes(out)
    for k in range(6):
        result[k] = values[k]


@compiled
def all_below(a, limit):
    return all_lanes(as_lanes(a)[0] < limit)


@compiled
def larger_or_zero(a, flag):
    x = as_lanes(a)
    y = 0.0 if flag else 2.0 * x[0]
    x[1] = y
    x[2] = 1.0


def test_operations_are_bit_for_bit_those_of_single_numbers() -> None:
    a, b = NUMBERS, np.roll(NUMBERS, 3)
    out = np.empty((6, LANES))
    in_lanes(a[None].copy(), b[None].copy(), out)
    for k in range(LANES):
        assert [float(x).hex() for x in out[:, k]] == [float(x).hex() for x in terms(a[k], b[k])]


def test_condition_holds_only_if_it_holds_in_every_lane() -> None:
    numbers = np.arange(float(LANES))[None].copy()
    assert all_below(numbers, LANES - 0.5)
    assert not all_below(numbers, LANES - 1.0)
    assert not all_below(np.full((1, LANES), math.nan), 1.0)


@pytest.mark.parametrize("flag", [True, False])
def test_plain_number_fills_all_lanes(flag: bool) -> None:
    a = np.vstack([NUMBERS, np.full((2, LANES), math.nan)])
    larger_or_zero(a, flag)
    np.testing.assert_array_equal(a[1], 0.0 * NUMBERS if flag else 2.0 * NUMBERS)
    assert a[2].tolist() == [1.0] * LANES
