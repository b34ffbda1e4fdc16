"""A product and a sum in one instruction, where the processor has it, and with one rounding.

Sums of products are most of what a cycle computes: in the products of matrices and vectors alone
this takes an eighth off the cycle of CHARMIE. It is asked for product by product,
so that the compiler cannot choose differently for single numbers and for lanes: a batch gives the
numbers of single cycles bit for bit. Plain Python, and a processor without that instruction, round
twice.
"""

from __future__ import annotations

from typing import Any

from .jit import HAS_NUMBA


def multiply_add(a: Any, b: Any, c: Any) -> Any:
    """Return a b + c."""
    return a * b + c


if HAS_NUMBA:
    from numba.extending import overload

    from .lanes import fused_lanes, fused_numbers, lanes

    # numba wants the annotations of an implementation to be those of the function it stands for

    @overload(multiply_add)
    def _multiply_add(a: Any, b: Any, c: Any) -> Any:
        def of_numbers(a: Any, b: Any, c: Any) -> Any:
            return fused_numbers(a, b, c)

        def of_lanes(a: Any, b: Any, c: Any) -> Any:
            return fused_lanes(a, b, c)

        return of_lanes if lanes in (a, b, c) else of_numbers
