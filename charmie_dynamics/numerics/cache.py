# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The folder of the compiled code, and the validity of its content.

There is one folder for each state of the kernels' sources and each version of numba. So all
installations of one version share it, and two versions do not overwrite each other's code. It is in
``NUMBA_CACHE_DIR`` if that is set, else in the user's cache (``XDG_CACHE_HOME``, ``~/.cache``),
else next to the sources. If none of these can be written, each process compiles its kernels.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from .announcing import log

PACKAGE = Path(__file__).parents[1]
# folders with sources of compiled code: numba itself checks only the file of the function, and
# would reuse old code of functions that it calls in other files
KERNELS = ("numerics", "core", "live", "visual")

# called with the name of each function that is compiled because it is not in the cache; without a
# listener, the compilation is logged
listeners: list[Callable[[str], None]] = []


@cache
def kernels_digest() -> str:
    """Return a digest of the kernels' sources."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in KERNELS for path in (PACKAGE / folder).rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def cache_folder() -> Path | None:
    """Return the folder of this version's code, created if needed; None if none can be written."""
    # numba itself does not distinguish code with and without checks of array bounds
    bounds = "-bounds" if numba.config.BOUNDSCHECK else ""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        roots = [Path(given)]
    else:
        xdg = os.environ.get("XDG_CACHE_HOME")
        home = Path(xdg) if xdg else Path(os.path.expanduser("~")) / ".cache"
        roots = [home / "charmie_dynamics", PACKAGE / "__pycache__"]
    for root in roots:
        folder = root / f"kernels-{kernels_digest()[:16]}-numba-{numba.__version__}{bounds}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    warnings.warn(
        "compiled code cannot be kept, each start compiles the kernels again: no write access to "
        f"{', '.join(map(str, roots))}; set NUMBA_CACHE_DIR to a writable directory",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


class _Locator(_CacheLocator):
    """A folder for each module in the folder of this version."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._line = function.__code__.co_firstlineno
        self._path = folder / function.__module__
        self._py_file = function.__code__.co_filename  # for numba's warning of unserialisable code

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Locator | None:
        """Return the locator of a function; None where no folder can be written."""
        folder = cache_folder()
        return None if folder is None else cls(function, folder)

    def get_cache_path(self) -> str:
        """Return the folder of the function's module."""
        return str(self._path)

    def get_source_stamp(self) -> str:
        """Return the stamp of the sources: code with another stamp is invalid."""
        return kernels_digest()

    def get_disambiguator(self) -> str:
        """Return the line of the function, which distinguishes equal names in one module."""
        return str(self._line)


class _Implementation(CompileResultCacheImpl):
    _locator_classes: ClassVar[list[Any]] = [_Locator]


class KernelCache(FunctionCache):
    """The stored code of one function; an unreadable file counts as missing."""

    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for some types of arguments; None if it is not stored."""
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # any error of unpickling: a truncated file, or types that were removed
            found = None
        if found is None:
            for listener in listeners or [log]:
                listener(self._py_func.__name__)
        return found
