# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Functions that the compiler expands at the call.

`numba.extending.overload` would compile a complete separate function for each of them and each type
of argument. The functions defined here take almost no time to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

# from the types of the arguments to the type of the result, and the types that the arguments are
# converted to; None: not defined for these types
Typing = Callable[..., "tuple[Any, tuple[Any, ...]] | None"]
# from context, builder, signature and arguments in LLVM to the result in LLVM
Generating = Callable[[Any, Any, Any, Any], Any]


def define(
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
