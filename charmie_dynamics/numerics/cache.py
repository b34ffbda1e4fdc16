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
from functools import cache
from pathlib import Path

import numba

from .compiler import private

PACKAGE = Path(__file__).parents[1]
# folders with sources of compiled code: numba itself checks only the file of the function, and
# would reuse old code of functions that it calls in other files
KERNELS = ("numerics", "core", "live", "visual")


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
    variant = "-bounds" if numba.config.BOUNDSCHECK else ""
    variant += "-public" if private is None else ""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        roots = [Path(given)]
    else:
        xdg = os.environ.get("XDG_CACHE_HOME")
        home = Path(xdg) if xdg else Path(os.path.expanduser("~")) / ".cache"
        roots = [home / "charmie_dynamics", PACKAGE / "__pycache__"]
    for root in roots:
        folder = root / f"kernels-{kernels_digest()[:16]}-numba-{numba.__version__}{variant}"
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
