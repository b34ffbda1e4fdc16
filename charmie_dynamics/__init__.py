# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inverse dynamics of robots with closed loops, springs and balance mechanisms, live on ROS 2."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import (
        CharmieError,
        DerivationWarning,
        InputError,
        Model,
        ModelFileError,
        ModelFileWarning,
        OutOfReachError,
        Payload,
        State,
        UnknownNameError,
        Wrench,
        load_model,
    )

__all__ = [
    "CharmieError",
    "DerivationWarning",
    "InputError",
    "Model",
    "ModelFileError",
    "ModelFileWarning",
    "OutOfReachError",
    "Payload",
    "State",
    "UnknownNameError",
    "Wrench",
    "load_model",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import what the names stand for when it is asked for.

    The entry points of the nodes have to set up what a signal does before NumPy and Numba are
    imported, which takes a while.
    """
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module("charmie_dynamics.model"), name)
    globals()[name] = value
    return value
