# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Names that a package exports without importing their modules until they are used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the function ``__getattr__`` of a package.

    Commands and nodes start faster without NumPy, Numba and the libraries of extras, and work
    without the extras that they do not use.

    Parameters
    ----------
    package : str
    modules : mapping of str to str
        Names, separated by spaces, by the module that defines them: one of the package, or after a
        dot one of the parent package.
    """
    places = {name: module for module, names in modules.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(f".{places[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
