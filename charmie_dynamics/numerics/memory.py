# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of other types in memory: in that of an array of float64, and in bytes.

A view of an array as another type would do as well, but takes the compiler longer than the rest
of what fills the messages.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .jit import HAS_NUMBA
from .vectors import Floats

HOST_IS_BIG = sys.byteorder == "big"


def put_int32(memory: Floats, place: int, value: int) -> None:
    """Write an int32 at a place of the memory, counted in int32."""
    memory.view(np.int32)[place] = value


def put_float32(memory: Floats, place: int, value: float) -> None:
    """Write a float32 at a place of the memory, counted in float32."""
    memory.view(np.float32)[place] = value


def double_at(data: bytes, start: int, is_big: bool) -> float:
    """Return the double that begins at a byte; `is_big`: with its highest byte."""
    return float(np.frombuffer(data, ">f8" if is_big else "<f8", 1, start)[0])


if HAS_NUMBA:
    from llvmlite import ir
    from numba import types

    from .compiled_types.inlined import define_inlined

    def _define_put(function: Any, number: Any) -> None:
        """Define what writes a number of a type of numba."""

        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            data = context.make_array(sig.args[0])(context, builder, arguments[0]).data
            kind = context.get_data_type(number).as_pointer()
            there = builder.gep(builder.bitcast(data, kind), [arguments[1]])
            builder.store(arguments[2], there, align=4)
            return context.get_dummy_value()

        def typing(memory: Any, place: Any, value: Any) -> Any:
            if memory != types.Array(types.float64, 1, "C"):
                return None
            return types.void, (memory, types.intp, number)

        define_inlined(function, (types.Array, types.Integer, types.Number), typing, generate)

    def _type_double(data: Any, start: Any, is_big: Any) -> Any:
        if not isinstance(data, types.Bytes):
            return None
        return types.float64, (data, types.intp, types.boolean)

    def _read_double(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        first = context.make_array(sig.args[0])(context, builder, arguments[0]).data
        word = ir.IntType(64)
        there = builder.bitcast(builder.gep(first, [arguments[1]]), word.as_pointer())
        given = builder.load(there, align=1)
        is_turned = builder.xor(arguments[2], ir.Constant(ir.IntType(1), HOST_IS_BIG))
        bits = builder.select(is_turned, builder.bswap(given), given)
        return builder.bitcast(bits, ir.DoubleType())

    _define_put(put_int32, types.int32)
    _define_put(put_float32, types.float32)
    define_inlined(
        double_at, (types.Bytes, types.Integer, types.Boolean), _type_double, _read_double
    )
