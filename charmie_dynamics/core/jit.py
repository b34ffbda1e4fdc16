"""The one place that decides whether the kernels of this folder are compiled.

With numba installed they are compiled on first use and the machine code is cached on disk;
without it the same source runs in plain Python, slowly, and gives the same numbers.
``fastmath`` stays off: it lets the compiler assume that NaN does not exist.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    from numba import njit as _njit

    HAS_NUMBA = True
except ImportError:
    HAS_NUMBA = False


def compiled(function: Function) -> Function:
    """Compile `function` with numba where numba exists, else return it unchanged."""
    if HAS_NUMBA:
        return cast(Function, _njit(cache=True)(function))
    return function
