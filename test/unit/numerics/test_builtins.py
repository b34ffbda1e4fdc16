# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the compiler writes out in place: types are turned into those it takes, or refused."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("numba")

from charmie_dynamics.numerics.branches import all_lanes, where
from charmie_dynamics.numerics.fused import multiply_add
from charmie_dynamics.numerics.jit import HAS_NUMBA, compiled

if not HAS_NUMBA:
    pytest.skip("NUMBA_DISABLE_JIT is set: nothing is compiled", allow_module_level=True)

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError

from charmie_dynamics.numerics.compiled_types.builtins import define


def thirds(number: float) -> float:
    """Return the number divided by three."""
    return number / 3.0


def _type_thirds(number):
    return (types.float64, (types.float64,)) if isinstance(number, types.Number) else None


def _divide(context, builder, sig, arguments):
    return builder.fdiv(arguments[0], ir.Constant(ir.DoubleType(), 3.0))


define(thirds, (types.Float,), _type_thirds, _divide)


@compiled
def call_thirds(number):
    return thirds(number)


@compiled
def choose(condition, yes, no):
    return where(condition, yes, no)


@compiled
def fuse(a, b, c):
    return multiply_add(a, b, c)


@compiled
def all_of(condition):
    return all_lanes(condition)


@pytest.mark.parametrize("number", [1, 2.0, -7])
def test_arguments_are_turned_into_the_types_that_are_taken(number: float) -> None:
    assert call_thirds(number) == thirds(number)


def test_other_types_and_numbers_of_arguments_are_refused() -> None:
    @compiled
    def call_with_two(number):
        return thirds(number, number)

    for function, argument in ((call_thirds, "text"), (call_with_two, 1.0)):
        with pytest.raises(TypingError):
            function(argument)
    with pytest.raises(TypingError):
        choose(1.0, 2.0, 3.0)  # a number is no condition


def test_choices_and_sums_are_those_of_plain_python() -> None:
    assert [choose(c, 1, 2.5) for c in (True, False)] == [1.0, 2.5]
    assert [all_of(c) for c in (True, False)] == [True, False]
    assert fuse(2, 3.0, 4) == 10.0
    assert math.isnan(fuse(math.nan, 0.0, 1.0))
