# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Libraries: optional ones, and the versions of the code with the content of its files."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from charmie_dynamics.errors import CharmieError

PACKAGE = "charmie_dynamics"
LIBRARIES = (PACKAGE, "numpy", "numba", "scipy", "SALib", "dask")
COMPUTING = (PACKAGE, "numpy", "numba", "scipy")  # on which the results depend


def imported(module: str, need: str) -> Any:
    """Return a module of the extra `studies`.

    Parameters
    ----------
    module : str
    need : str
        The beginning of the message of the `CharmieError` without it: who needs what.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise CharmieError(
            f"{need}, which cannot be imported ({error}); install the extra 'studies'"
        ) from None


def versions() -> dict[str, str]:
    """Return the versions of the code that computes, by name.

    Examples
    --------
    >>> from charmie_dynamics.tasks.versions import versions
    >>> "numpy" in versions()
    True
    """
    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


@cache
def code_in_words() -> str:
    """Return a description of the code that computes; equal for equal results.

    It includes the content of the files of this package, which may be installed from changed
    sources.
    """
    digest = hashlib.sha256()
    folder = Path(__file__).resolve().parents[1]
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    known = versions()
    lines = [f"{name} {known.get(name, 'as source')}" for name in COMPUTING]
    lines[0] += f" (files {digest.hexdigest()[:10]})"
    return ", ".join(lines)
