# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A product and a sum in one instruction, where the processor has it, and with one rounding.

Most operations of a cycle are sums of products. Kernels request each fused operation explicitly, so
that the compiler cannot choose differently for single numbers and for lanes: a batch equals single
cycles bit for bit. Plain Python, and a processor without that instruction, round twice.
"""

from __future__ import annotations

from typing import Any

from .jit import HAS_NUMBA


def multiply_add(a: Any, b: Any, c: Any) -> Any:
    """Return a b + c."""
    return a * b + c


if HAS_NUMBA:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    from .compiled_types.inlined import define_inlined
    from .compiled_types.kinds import kind_for

    def _type(a: Any, b: Any, c: Any) -> Any:
        kind = kind_for(a, b, c)
        return kind and (kind, (kind,) * 3)

    def _generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        if sig.return_type is not types.float64:
            return sig.return_type.multiply_add(builder, *arguments)
        number = ir.DoubleType()
        callee = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(number, [number] * 3), "llvm.fmuladd.f64"
        )
        return builder.call(callee, arguments)

    define_inlined(multiply_add, (types.Any,) * 3, _type, _generate)
