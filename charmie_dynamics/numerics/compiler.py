# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""numba for kernels: with `numba_private`, or by its public interface alone.

The public interface is the fallback for versions of numba that were not tested, and where a private
interface is missing. A warning reports it. The first start then takes several times as long;
results are the same. An error in a function that is called by its address is printed and not
raised. The environment variable in `FORCE_PUBLIC` selects the fallback.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba.core import event

from .announcing import log

NEWEST_TESTED = (0, 68)
FORCE_PUBLIC = "CHARMIE_PUBLIC_NUMBA"


def _load_private() -> Any:
    """Return the module `numba_private`, or None after a warning."""
    if os.environ.get(FORCE_PUBLIC):
        return None
    newest = ".".join(map(str, NEWEST_TESTED))
    if tuple(map(int, numba.__version__.split(".")[:2])) > NEWEST_TESTED:
        reason = f"is newer than {newest}, the newest tested version"
    else:
        try:
            from . import numba_private
        except (AttributeError, ImportError) as error:
            reason = f"has not the expected interfaces ({error})"
        else:
            return numba_private
    warnings.warn(
        f"numba {numba.__version__} {reason}: kernels are compiled without its private interfaces, "
        "which takes longer, with the same results; update charmie_dynamics or install numba "
        f"{newest}",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


private = _load_private()
_functions: list[Any] = []  # of C, which must live as long as their addresses
dispatchers: list[Any] = []  # numba counts in each whether it was compiled or loaded
# called with the name of each function that is compiled because it is not in the cache; without a
# listener, the compilation is logged
listeners: list[Callable[[str], None]] = []


class _Announcer(event.Listener):
    """Calls the listeners, except for functions that are compiled as parts of others."""

    _depth = 0

    def on_start(self, started: Any) -> None:
        if (started.data or {}).get("dispatcher") in dispatchers:
            if self._depth == 0:
                for listener in listeners or [log]:
                    listener(started.data["dispatcher"].py_func.__name__)
            self._depth += 1

    def on_end(self, ended: Any) -> None:
        if (ended.data or {}).get("dispatcher") in dispatchers:
            self._depth -= 1


event.register("numba:compile", _Announcer())


def make_dispatcher(
    function: Callable[..., Any], options: dict[str, Any], folder: Path | None
) -> Any:
    """Return the compiled function, whose code is stored in a folder unless it is None."""
    if private is not None:
        dispatcher = private.make_dispatcher(function, options, folder)
    else:
        dispatcher = _stored(folder, function, numba.njit, **options)
    dispatchers.append(dispatcher)
    return dispatcher


def address_of_code(dispatcher: Any, folder: Path | None) -> int:
    """Return the address of a function that is compiled for one combination of types."""
    if private is not None:
        return private.address_of_code(dispatcher)  # type: ignore[no-any-return]
    (signature,) = dispatcher.nopython_signatures
    made = _stored(folder, dispatcher.py_func, numba.cfunc, signature, error_model="numpy")
    _functions.append(made)
    return made.address  # type: ignore[no-any-return]


def call_code(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    """Generate a call of the function at the address that is the first argument."""
    if private is not None:
        return private.call_code(context, builder, sig, arguments)
    result, *kinds = (context.get_value_type(kind) for kind in (sig.return_type, *sig.args[1:]))
    code = builder.inttoptr(arguments[0], ir.FunctionType(result, kinds).as_pointer())
    return builder.call(code, arguments[1:])


def _stored(
    folder: Path | None, function: Callable[..., Any], decorator: Any, *types: Any, **options: Any
) -> Any:
    """Return a function compiled by numba's public interface.

    Functions that were created in others are stored as parts of their callers only, since the key
    of their code would differ in each process.
    """
    given = numba.config.CACHE_DIR
    has_file = function.__closure__ is None and Path(function.__code__.co_filename).is_file()
    is_stored = folder is not None and has_file
    try:
        if is_stored:
            numba.config.CACHE_DIR = str(folder)
        return decorator(*types, **options, cache=is_stored)(function)
    finally:
        numba.config.CACHE_DIR = given
