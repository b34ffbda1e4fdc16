# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The sections of a mechanisms file: each type of mechanism by the name of its own."""

from __future__ import annotations

from importlib import import_module

from charmie_dynamics.core.mechanisms.registry import TYPES

from .linear_actuators import LinearActuator
from .mechanism import Mechanism

MECHANISM_TYPES: dict[str, type[Mechanism]] = {
    name: import_module(f"{__package__}.{name}").TYPE for name in TYPES
}
SECTIONS: dict[str, type[Mechanism]] = {"linear_actuators": LinearActuator, **MECHANISM_TYPES}
