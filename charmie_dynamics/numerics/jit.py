# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The one place that decides whether kernels are compiled.

With numba installed they are compiled on first use and the machine code is kept on disk, see
`cache`; without it the same source runs in plain Python, slowly, and gives the same numbers but for
round-off, see `fused`.
``fastmath`` stays off: it lets the compiler assume that NaN does not exist.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])
NUMBERS = ("int", "float", "bool")

try:
    from numba import config as _config
    from numba import njit as _njit
    from numba.core.event import install_timer

    HAS_NUMBA = not _config.DISABLE_JIT
except ImportError:
    HAS_NUMBA = False
if HAS_NUMBA:
    from .cache import KernelCache, cache_folder, listeners
    from .parts import Parts


# what was made so far; numba counts in each whether it was compiled or loaded
_dispatchers: list[Any] = []
_ready: list[Callable[..., Any]] = []
_readying = threading.RLock()


def compiled(function: Function) -> Function:
    """Compile `function` with numba where numba exists, else return it unchanged.

    Compiled functions that call it have it as a part of them, see `parts`.
    """
    return cast(Function, _compile(function)) if HAS_NUMBA else function


def compiled_apart(function: Function) -> Function:
    """As `compiled`, for a part that stays a function of its own in the kernels that call it.

    It is optimised once in each, however often they call it. For large parts, and for loops within
    loops; what is but a few instructions is quicker and smaller where it is called.
    """
    return cast(Function, _compile(function, written_out=False)) if HAS_NUMBA else function


def plain(function: Function) -> Function:
    """Return a function of `compiled` as plain Python.

    For calls at the start, which take less time so than to compile the function by itself.
    """
    return cast(Function, getattr(function, "py_func", function))


def compiled_for(*types: str, nogil: bool = False) -> Callable[[Function], Function]:
    """Compile a function for arguments of exactly these types; any other is a TypeError.

    Without it numba would compile anew, for many seconds, for each new type of an argument. The
    function that is to be called is what `ready` returns.

    Parameters
    ----------
    types : str
        "ints", "floats": a contiguous array that may be written to; "ints2", "floats2": with two
        axes; "addresses2": of `addresses.Address`, with two axes;
        "int", "float", "bool": a number; "(floats, floats)": a tuple of such. (Arrays that are
        read only would need a second version, or a conversion each.)
    nogil : bool
        Let other threads of Python run meanwhile.
    """

    def decorate(function: Function) -> Function:
        result: Any = _compile(function, nogil=nogil) if HAS_NUMBA else function
        result.argument_types = types
        return cast(Function, result)

    return decorate


def ready(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `compiled_for`, compiled or loaded from the cache, and strict.

    Unless it has ``nogil``, a call is never interrupted by another thread.
    """
    dispatcher: Any = function
    types: tuple[str, ...] = dispatcher.argument_types
    if not HAS_NUMBA:
        return _strict(function, types)
    if function not in _ready:
        with _readying:  # of two threads that ask at once, the second waits
            if function not in _ready:
                dispatcher.compile(tuple(_numba_type(name) for name in types))
                dispatcher.disable_compile()
                _ready.append(function)
    return function


def entry_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `compiled_for` as its machine code alone, without a look at types.

    For calls with long tuples of arrays: in a process that has run for long numba (0.55, 0.68) now
    and then finds no definition for their types, though they are the right ones. Whoever calls it
    makes sure that they are.
    """
    made: Any = ready(function)
    if not HAS_NUMBA:
        return cast("Callable[..., Any]", made)
    (only,) = made.overloads.values()
    return cast("Callable[..., Any]", only.entry_point)


def compiled_at_once(function: Function, *types: str) -> Function:
    """Compile a function that was made at run time, for arguments of these types alone.

    Nothing is kept on disk. The types are those of `compiled_for`; arguments of others are a
    TypeError where numba is installed.
    """
    if not HAS_NUMBA:
        return function
    dispatcher = _njit(error_model="numpy")(function)
    dispatcher.compile(tuple(_numba_type(name) for name in types))
    dispatcher.disable_compile()
    return cast(Function, dispatcher)


def on_compilation(listener: Callable[[str], None]) -> Callable[[], None]:
    """Call `listener` with the name of each function that has to be compiled, before it is.

    Returns
    -------
    callable
        Ends that.
    """
    if not HAS_NUMBA:
        return lambda: None
    listeners.append(listener)
    return lambda: listeners.remove(listener)


@contextmanager
def timed_compilation() -> Iterator[list[float]]:
    """Yield a list, to which the end of the context appends the time spent on compilation (s).

    The list stays empty if nothing is compiled.
    """
    seconds: list[float] = []
    if not HAS_NUMBA:
        yield seconds
        return
    with install_timer("numba:compile", seconds.append):
        yield seconds


def pointer_to(function: Callable[..., Any]) -> int:
    """Return the address of the code of a function that `ready` has returned."""
    dispatcher: Any = function
    (made,) = dispatcher.overloads.values()
    address: int = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    return address


def count_compilations() -> tuple[int, int]:
    """Return how many kernels this process has compiled, and how many it has loaded.

    A kernel that was compiled for two types of arguments counts twice; one that is only a part of
    others that were loaded does not count.
    """
    statistics = [dispatcher.stats for dispatcher in _dispatchers]
    compiled_here = sum(sum(s.cache_misses.values()) for s in statistics)
    loaded = sum(sum(s.cache_hits.values()) for s in statistics)
    return compiled_here, loaded


# of kernels that keep the interpreter to themselves when compiled
_running = threading.RLock()


def _strict(function: Callable[..., Any], types: tuple[str, ...]) -> Callable[..., Any]:
    """Return a function that refuses in plain Python what it would refuse when compiled."""

    def call(*arguments: Any) -> Any:
        for name, value in zip(types, arguments, strict=True):
            parts = _parts_of(name)
            if parts is not None and len(parts) != len(value):
                raise TypeError(f"expected a tuple of {len(parts)}")
            for part, array in zip(parts or (name,), value if parts else (value,), strict=True):
                if part not in NUMBERS and not _fits(array, part):
                    raise TypeError(f"expected a writable, contiguous array of {part}")
        with _running:
            return function(*arguments)

    return call


def _parts_of(name: str) -> tuple[str, ...] | None:
    """Return the names in the parentheses, None where there are none."""
    return tuple(name[1:-1].split(", ")) if name.startswith("(") else None


def _fits(array: Any, name: str) -> bool:
    return (
        isinstance(array, np.ndarray)
        and array.dtype == _dtype(name)
        and array.ndim == (2 if name.endswith("2") else 1)
        and array.flags.c_contiguous
        and array.flags.writeable
    )


def _dtype(name: str) -> type:
    """Return what an array holds without the compiler, where an address may be an array itself."""
    if name.startswith("addresses"):
        return object
    return np.int64 if name.startswith("ints") else np.float64


def _numba_type(name: str) -> Any:
    from numba import types

    parts = _parts_of(name)
    if parts is not None:
        return types.BaseTuple.from_types([_numba_type(part) for part in parts])
    if name in NUMBERS:
        return {"int": types.int64, "float": types.float64, "bool": types.boolean}[name]
    dtype = types.float64 if name.startswith("floats") else types.int64
    return types.Array(dtype, 2 if name.endswith("2") else 1, "C")


def _compile(function: Callable[..., Any], nogil: bool = False, written_out: bool = True) -> Any:
    options: dict[str, Any] = {
        "error_model": "numpy",
        "forceinline": written_out,
        "no_cfunc_wrapper": True,
        "_nrt": False,  # nothing is allocated, so that nothing has to be counted
    }
    dispatcher = _njit(**options, nogil=nogil)(function)
    if cache_folder() is not None:
        dispatcher._cache = KernelCache(function)
    Parts(dispatcher, options)
    _dispatchers.append(dispatcher)
    return dispatcher
