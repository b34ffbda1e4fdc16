# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Choices by value that hold for all kinds of numbers (`compiled_types.kinds`)."""

from __future__ import annotations

from typing import Any

from .jit import HAS_NUMBA

LANES = 1  # without the compiler


def where(condition: Any, yes: Any, no: Any) -> Any:
    """Return `yes` where the condition holds, else `no`."""
    return yes if condition else no


def all_lanes(condition: Any) -> Any:
    """Return whether the condition holds, for lanes whether it holds in every lane."""
    return condition


def as_lanes(numbers: Any) -> Any:
    """Return a (k, LANES) or (k LANES,) array of numbers as a (k,) array of lanes, for kernels."""
    return numbers.reshape(-1, LANES)[:, 0]


if HAS_NUMBA:
    from llvmlite import ir
    from numba import types

    from .compiled_types.inlined import define_inlined
    from .compiled_types.kinds import as_numbers, kind_for
    from .compiled_types.lanes import MaskType, lanes, mask
    from .compiled_types.widths import LANES

    def _type_where(condition: Any, yes: Any, no: Any) -> Any:
        kind = kind_for(yes, no)
        if kind is None or not isinstance(condition, types.Boolean | MaskType):
            return None
        if condition is mask:
            kind = kind_for(kind, lanes)
        return kind and (kind, (condition, kind, kind))

    def _select(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    def _type_all(condition: Any) -> Any:
        if isinstance(condition, types.Boolean | MaskType):
            return types.boolean, (condition,)
        return None

    def _all(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        if sig.args[0] is not mask:
            return arguments[0]
        bits = builder.bitcast(arguments[0], ir.IntType(LANES))
        return builder.icmp_unsigned("==", bits, ir.Constant(ir.IntType(LANES), 2**LANES - 1))

    define_inlined(where, (types.Any,) * 3, _type_where, _select)
    define_inlined(all_lanes, (types.Any,), _type_all, _all)
    define_inlined(as_lanes, (types.Any,), *as_numbers(lanes))
