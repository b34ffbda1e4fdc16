# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where compiled code is kept, and until when it holds.

There is one folder for each state of the kernels' sources and each version of numba, so that all
installations of one version share it, and two versions do not take turns in overwriting it. It is
in ``NUMBA_CACHE_DIR`` if that is set, else with the user (``XDG_CACHE_HOME``, ``~/.cache``), else
beside the sources. Where none of them can be written the kernels are compiled anew in each process.
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
# folders whose files compiled code may be made of: numba itself looks at the file of a function
# alone, and would go on with the old code of what it calls elsewhere
KERNELS = ("numerics", "core", "live", "visual")

# called with the name of each function that is compiled because the cache lacks it; without any,
# the compilation is logged
listeners: list[Callable[[str], None]] = []


@cache
def kernels_digest() -> str:
    """Return what tells one state of the kernels' sources from another."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in KERNELS for path in (PACKAGE / folder).rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def cache_folder() -> Path | None:
    """Return the folder of this version's code, made if need be; None where none can be written."""
    # numba itself does not tell code that checks the bounds of arrays from code that does not
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
        "compiled code cannot be kept, each start compiles anew: none of "
        f"{', '.join(map(str, roots))} can be written; set NUMBA_CACHE_DIR to a directory that can",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


class _Locator(_CacheLocator):
    """A folder for each module in the folder of this version."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._line = function.__code__.co_firstlineno
        self._path = folder / function.__module__
        self._py_file = function.__code__.co_filename  # in numba's warning of what cannot be kept

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Locator | None:
        """Return the locator of a function; None where nothing can be kept."""
        folder = cache_folder()
        return None if folder is None else cls(function, folder)

    def get_cache_path(self) -> str:
        """Return the folder of the function's module."""
        return str(self._path)

    def get_source_stamp(self) -> str:
        """Return until when code holds: as long as this does not change."""
        return kernels_digest()

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name in one module apart."""
        return str(self._line)


class _Implementation(CompileResultCacheImpl):
    _locator_classes: ClassVar[list[Any]] = [_Locator]


class KernelCache(FunctionCache):
    """The code of one function; what cannot be read counts as not there."""

    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for some types of arguments; None where there is none."""
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # whatever unpickling raises: cut off, or of types that are no more
            found = None
        if found is None:
            for listener in listeners or [log]:
                listener(self._py_func.__name__)
        return found
