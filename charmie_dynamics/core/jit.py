"""The one place that decides whether the kernels of this folder are compiled.

With numba installed they are compiled on first use and the machine code is cached on disk;
without it the same source runs in plain Python, slowly, and gives the same numbers.
``fastmath`` stays off: it lets the compiler assume that NaN does not exist.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    from numba import njit as _njit

    HAS_NUMBA = True
except ImportError:
    HAS_NUMBA = False


def _digest_of_kernels() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_KERNELS = _digest_of_kernels()


def compiled(function: Function) -> Function:
    """Compile `function` with numba where numba exists, else return it unchanged.

    Code in the cache is used as long as no file of this folder has changed. numba itself looks at
    the file of the function alone and would go on with the old code of what it calls elsewhere;
    it offers no public way to tell it more.
    """
    if not HAS_NUMBA:
        return function
    dispatcher = _njit(cache=True)(function)
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None and hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = (cache_file._source_stamp, _KERNELS)
    return cast(Function, dispatcher)
