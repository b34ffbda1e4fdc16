# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Functions and blocks of memory by their addresses.

The code of a function becomes part of each compiled function that calls it by name, and is
optimised there again. A large function with several callers is compiled once if the callers receive
its address. From Python, the address of a block that does not move is a cheaper argument than the
array, which numba unpacks at each call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .jit import HAS_NUMBA, pointer_to, ready
from .vectors import Floats, Ints, Vector

# of a function or a block; without the compiler the identifier of the function, or the array itself
Address = Any

_without_compiler: dict[int, Callable[..., Any]] = {}


def address_of(function: Callable[..., Any]) -> Address:
    """Return the address of a function of `compiled_for` that returns an int.

    A function of `compiled_at_once` is accepted, too; the caller must keep a reference to it. Call
    functions that return floats with `number_at` or `vectors_at` instead of `call_at`.
    """
    made = ready(function) if hasattr(function, "argument_types") else function
    if HAS_NUMBA:
        return pointer_to(made)
    _without_compiler[id(made)] = made
    return id(made)


def address_of_block(block: Floats | Ints) -> Address:
    """Return the address of the first number of an array, for `numerics.blocks.lay_out`.

    The caller must keep a reference to the array.
    """
    if HAS_NUMBA:
        address: Address = block.ctypes.data
        return address
    return block


def address_table(rows: Sequence[Sequence[Address]]) -> Any:
    """Return addresses as an array with two axes, for "addresses2" of `compiled_for`."""
    found = np.empty((len(rows), len(rows[0])), dtype=np.int64 if HAS_NUMBA else object)
    for n, row in enumerate(rows):
        for k, address in enumerate(row):
            found[n, k] = address
    return found


class Blocks:
    """The two blocks of a record, which do not move in memory, and their addresses.

    Parameters
    ----------
    ints : (i,) array of int
    floats : (k,) array

    Attributes
    ----------
    addresses : tuple of Address
        Of both.
    prepared : dict
        Further objects that contain the addresses of these blocks. A copy of this object, in this
        process or another, has its own addresses and starts with an empty dictionary.
    """

    __slots__ = ("addresses", "floats", "ints", "prepared")

    def __init__(self, ints: Ints, floats: Floats) -> None:
        self.ints = ints
        self.floats = floats
        self.addresses = address_of_block(ints), address_of_block(floats)
        self.prepared: dict[Any, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Blocks, (self.ints, self.floats)


def call_at(address: Address, *arguments: Any) -> int:
    """Call the function at an address; compiled code does not convert the arguments' types."""
    result: int = _without_compiler[address](*arguments)
    return result


def number_at(address: Address, *arguments: Any) -> float:
    """Call a function that returns a float, as `call_at` does one that returns an int."""
    result: float = _without_compiler[address](*arguments)
    return result


def vectors_at(address: Address, *arguments: Any) -> tuple[Vector, Vector, float]:
    """Call a function that returns two vectors and a float, as `call_at` does for an int."""
    result: tuple[Vector, Vector, float] = _without_compiler[address](*arguments)
    return result


if HAS_NUMBA:
    from numba import types
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature
    from numba.extending import lower_builtin

    def _define(function: Any, result_type: Any) -> None:
        """Define the compiled call of functions that return a value of this type."""

        class CallAt(AbstractTemplate):
            def generic(self, arguments: Any, keywords: Any) -> Any:
                return signature(result_type, *arguments)

        def call(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            conventions = context.call_conv
            kinds = sig.args[1:]
            kind = conventions.get_function_type(result_type, kinds).as_pointer()
            code = builder.inttoptr(arguments[0], kind)
            status, result = conventions.call_function(
                builder, code, result_type, kinds, arguments[1:]
            )
            # as for an index out of bounds
            with builder.if_then(status.is_error, likely=False):
                conventions.return_status_propagate(builder, status)
            return result

        infer_global(function)(CallAt)
        lower_builtin(function, types.VarArg(types.Any))(call)

    _define(call_at, types.int64)
    _define(number_at, types.float64)
    _vector = types.UniTuple(types.float64, 3)
    _define(vectors_at, types.Tuple((_vector, _vector, types.float64)))
