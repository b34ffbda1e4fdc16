# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inverse dynamics of robots with closed loops, springs and balance mechanisms, live on ROS 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lazy_names import lazy_names

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
__version__ = "1.0.0"


# the entry points of nodes handle signals before NumPy and Numba are imported
if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__ = lazy_names(__name__, {"model": " ".join(__all__)})
