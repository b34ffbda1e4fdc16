# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compilation of kernels, where numba is installed.

With numba kernels are compiled on first use and the machine code is stored on disk, see `cache`.
Without numba the same source runs in plain Python, slowly. Its results are the same except for
round-off, see `fused`. ``fastmath`` stays off: it lets the compiler assume that NaN does not exist.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])
NUMBERS = ("int", "float", "bool", "vector")

try:
    from numba import config as _config
    from numba import njit as _njit
    from numba.core.event import install_timer

    HAS_NUMBA = not _config.DISABLE_JIT
except ImportError:
    HAS_NUMBA = False
if HAS_NUMBA:
    from .cache import cache_folder
    from .compiler import dispatchers, listeners, make_dispatcher


_ready: list[Callable[..., Any]] = []
_readying = threading.RLock()


def compiled(function: Function) -> Function:
    """Compile `function` with numba if it is installed, else return `function` unchanged.

    Compiled callers of it contain its code, see `parts`.
    """
    return cast(Function, _compile(function)) if HAS_NUMBA else function


def compiled_apart(function: Function) -> Function:
    """Compile `function` as `compiled` does, but keep it a separate function in each kernel.

    It is optimised once in each kernel, however often the kernel calls it. Use it for large
    functions and for nested loops. Functions of a few instructions are faster and smaller inlined.
    """
    return cast(Function, _compile(function, written_out=False)) if HAS_NUMBA else function


def plain(function: Function) -> Function:
    """Return a function of `compiled` as plain Python.

    For calls at the start, where plain Python takes less time than the compilation.
    """
    return cast(Function, getattr(function, "py_func", function))


def compiled_for(*types: str, nogil: bool = False) -> Callable[[Function], Function]:
    """Compile a function for arguments of exactly these types; others raise a TypeError.

    Otherwise numba would compile the function again, for many seconds, for each new type of an
    argument. Call the function that `ready` returns.

    Parameters
    ----------
    types : str
        "ints", "floats": a contiguous array that may be written to; "ints2", "floats2": with two
        axes; "addresses2": of `addresses.Address`, with two axes;
        "inputs": as "floats", or read-only; "int", "float", "bool": a number; "vector": three
        floats.
    nogil : bool
        Release the global interpreter lock during the call.
    """

    def decorate(function: Function) -> Function:
        result: Any = _compile(function, nogil=nogil) if HAS_NUMBA else function
        result.argument_types = types
        return cast(Function, result)

    return decorate


def ready(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `compiled_for`, compiled or loaded from the cache.

    It accepts exactly the types of `compiled_for`. Other threads cannot interrupt a call, except
    with ``nogil``.
    """
    dispatcher: Any = function
    types: tuple[str, ...] = dispatcher.argument_types
    if not HAS_NUMBA:
        return _strict(function, types)
    if function not in _ready:
        with _readying:  # of two threads that call at once, the second waits
            if function not in _ready:
                dispatcher.compile(tuple(_numba_type(name) for name in types))
                dispatcher.disable_compile()
                _ready.append(function)
    return function


def compiled_at_once(function: Function, *types: str) -> Function:
    """Compile a function that was created at run time, for arguments of exactly these types.

    The code is not stored on disk. The names of the types are those of `compiled_for`. Arguments of
    other types raise a TypeError if numba is installed.
    """
    if not HAS_NUMBA:
        return function
    dispatcher = _njit(error_model="numpy")(function)
    dispatcher.compile(tuple(_numba_type(name) for name in types))
    dispatcher.disable_compile()
    return cast(Function, dispatcher)


def on_compilation(listener: Callable[[str], None]) -> Callable[[], None]:
    """Call `listener` with the name of each function before its compilation.

    Returns
    -------
    callable
        Removes the listener.
    """
    if not HAS_NUMBA:
        return lambda: None
    listeners.append(listener)
    return lambda: listeners.remove(listener)


@contextmanager
def timed_compilation() -> Iterator[list[float]]:
    """Yield a list; the end of the context appends the time spent on compilation (s).

    The list stays empty if nothing is compiled.
    """
    seconds: list[float] = []
    if not HAS_NUMBA:
        yield seconds
        return
    with install_timer("numba:compile", seconds.append):
        yield seconds


def count_compilations() -> tuple[int, int]:
    """Return the numbers of kernels that this process has compiled, and loaded.

    A kernel that was compiled for two types of arguments counts twice. Functions that are only
    parts of loaded kernels do not count.
    """
    if not HAS_NUMBA:
        return 0, 0
    statistics = [dispatcher.stats for dispatcher in dispatchers]
    compiled_here = sum(sum(s.cache_misses.values()) for s in statistics)
    loaded = sum(sum(s.cache_hits.values()) for s in statistics)
    return compiled_here, loaded


# lock of kernels that hold the global interpreter lock when compiled
_running = threading.RLock()


def _strict(function: Callable[..., Any], types: tuple[str, ...]) -> Callable[..., Any]:
    """Return a plain Python function that rejects the arguments that compiled code rejects."""

    def call(*arguments: Any) -> Any:
        for name, value in zip(types, arguments, strict=True):
            if name not in NUMBERS and not _fits(value, name):
                raise TypeError(f"expected a contiguous array of {name}, writable unless an input")
        with _running:
            return function(*arguments)

    return call


def _fits(array: Any, name: str) -> bool:
    return (
        isinstance(array, np.ndarray)
        and array.dtype == _dtype(name)
        and array.ndim == (2 if name.endswith("2") else 1)
        and array.flags.c_contiguous
        and (array.flags.writeable or name == "inputs")
    )


def _dtype(name: str) -> type:
    """Return the dtype of an array without the compiler, where an address may be an array."""
    if name.startswith("addresses"):
        return object
    return np.int64 if name.startswith("ints") else np.float64


def _numba_type(name: str) -> Any:
    from numba import types

    if name in NUMBERS:
        vector = types.UniTuple(types.float64, 3)
        numbers = types.int64, types.float64, types.boolean, vector
        return dict(zip(NUMBERS, numbers, strict=True))[name]
    if name == "inputs":  # numba passes what may be written to for what may not, not vice versa
        return types.Array(types.float64, 1, "C", readonly=True)
    dtype = types.float64 if name.startswith("floats") else types.int64
    return types.Array(dtype, 2 if name.endswith("2") else 1, "C")


def _compile(function: Callable[..., Any], nogil: bool = False, written_out: bool = True) -> Any:
    options = {"error_model": "numpy", "forceinline": written_out, "nogil": nogil}
    return make_dispatcher(function, options, cache_folder())
