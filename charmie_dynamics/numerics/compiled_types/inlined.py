# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Functions that the compiler expands at the call.

`numba.extending.overload` would compile a complete separate function for each of them and each type
of argument. The functions defined here take almost no time to compile. For example, with a function
`negated` of the same module::

    def _type(x):
        return types.float64, (types.float64,)

    def _generate(context, builder, sig, arguments):
        return builder.fneg(arguments[0])

    define_inlined(negated, (types.Any,), _type, _generate)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

# called with the type of each argument; returns the type of the result, and the types that the
# arguments are converted to, or None where the function is not defined for these types
Typing = Callable[..., tuple[Any, tuple[Any, ...]] | None]
# called with context, builder, signature and arguments in LLVM; returns the result in LLVM
Generating = Callable[[Any, Any, Any, Any], Any]


def define_inlined(
    function: Callable[..., Any],
    taken: tuple[Any, ...],
    typing: Typing,
    generate: Generating,
    takes_literals: bool = False,
) -> None:
    """Define a function of plain Python in compiled code.

    Parameters
    ----------
    function : function or operator
        A function by its name in a module.
    taken : tuple
        Kind of type that each argument is converted to, ``types.Any`` where there are several.
    typing : callable
        Return type of the function for given types of arguments, see `Typing`.
    generate : callable
        Writes the instructions, see `Generating`.
    takes_literals : bool
        `typing` is called with the literal types of constants, where there are any.
    """

    @infer_global(function)
    class _Template(AbstractTemplate):
        prefer_literal = takes_literals

        def generic(self, arguments: Any, keywords: Any) -> Any:
            found = None if keywords or len(arguments) != len(taken) else typing(*arguments)
            return None if found is None else signature(found[0], *found[1])

    lower_builtin(function, *taken)(generate)
