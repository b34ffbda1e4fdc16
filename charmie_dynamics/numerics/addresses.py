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
from functools import cache
from typing import Any

import numpy as np

from .jit import HAS_NUMBA, ready
from .vectors import Floats, Ints, Vector

# of a function or a block; without the compiler the identifier of the function, or the array itself
Address = Any

_without_compiler: dict[int, Callable[..., Any]] = {}


def address_of(function: Callable[..., Any]) -> Address:
    """Return the address of a function of `compiled_for` that returns an int.

    A function of `compiled_at_once` is accepted, too; the caller must keep a reference to it. Call
    functions that return floats with `number_at` or `vectors_at` instead of `call_at`.
    """
    if hasattr(function, "argument_types"):
        return _address_of_kernel(function)
    return _address_of_code(function)


@cache  # a kernel is compiled once, and its code is never released
def _address_of_kernel(function: Callable[..., Any]) -> Address:
    return _address_of_code(ready(function))


def _address_of_code(made: Callable[..., Any]) -> Address:
    if HAS_NUMBA:
        return address_of_code(made, cache_folder())
    _without_compiler[id(made)] = made
    return id(made)


def address_of_block(block: Floats | Ints) -> Address:
    """Return the address of the first number of an array, for `numerics.blocks`.

    The caller must keep a reference to the array.
    """
    if HAS_NUMBA:
        address: Address = block.ctypes.data
        return address
    return block


def address_block(addresses: Sequence[Address]) -> Any:
    """Return addresses as an array, which `numerics.blocks.first_numbers` reads by name.

    Its own address is the result of `address_of_block`.
    """
    return address_table([addresses])[0]


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
        Of both. A copy of this object, in this process or another, has its own.
    """

    __slots__ = ("addresses", "floats", "ints")

    def __init__(self, ints: Ints, floats: Floats) -> None:
        self.ints = ints
        self.floats = floats
        self.addresses = address_of_block(ints), address_of_block(floats)

    def __reduce__(self) -> tuple[Any, ...]:
        return Blocks, (self.ints, self.floats)


def call_at(address: Address, *arguments: Any) -> int:
    """Call the function at an address.

    Compiled code passes arrays of records as arrays of numba. It converts no other types.
    """
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

    from .cache import cache_folder
    from .compiled_types.views import ViewType, make_array
    from .compiler import address_of_code, call_code

    def _define(function: Any, result_type: Any) -> None:
        """Define the compiled call of functions that return a value of this type."""

        class CallAt(AbstractTemplate):
            def generic(self, arguments: Any, keywords: Any) -> Any:
                return signature(result_type, *arguments)

        def call(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            kinds, values = list(sig.args), list(arguments)
            for k, kind in enumerate(kinds):
                if isinstance(kind, ViewType):
                    kinds[k], values[k] = make_array(context, builder, kind, values[k])
            return call_code(context, builder, signature(result_type, *kinds), values)

        infer_global(function)(CallAt)
        lower_builtin(function, types.VarArg(types.Any))(call)

    _define(call_at, types.int64)
    _define(number_at, types.float64)
    _vector = types.UniTuple(types.float64, 3)
    _define(vectors_at, types.Tuple((_vector, _vector, types.float64)))
