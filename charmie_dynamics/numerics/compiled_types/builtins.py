# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Functions that the compiler writes out where they are called.

`numba.extending.overload` would compile a function apart for each of them and each type of
argument, with all that belongs to one; these cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

# from the types of the arguments to the type of the result, and to what the arguments are turned
# into first; None: not for these types
Typing = Callable[..., "tuple[Any, tuple[Any, ...]] | None"]
# from context, builder, signature and arguments in the machine to the result there
Generating = Callable[[Any, Any, Any, Any], Any]


def define(
    function: Callable[..., Any], taken: tuple[Any, ...], typing: Typing, generate: Generating
) -> None:
    """Tell the compiler what a function of plain Python is in compiled code.

    Parameters
    ----------
    function : function or operator
    taken : tuple
        What kind of type each argument is turned into, ``types.Any`` where there are several.
    typing : callable
        What the function returns for arguments of some types, see `Typing`.
    generate : callable
        Writes the instructions, see `Generating`.
    """

    @infer_global(function)
    class _Template(AbstractTemplate):
        def generic(self, arguments: Any, keywords: Any) -> Any:
            found = None if keywords or len(arguments) != len(taken) else typing(*arguments)
            return None if found is None else signature(found[0], *found[1])

    lower_builtin(function, *taken)(generate)
