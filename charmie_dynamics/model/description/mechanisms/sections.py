# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The sections of a mechanisms file: the types of mechanisms by section name."""

from __future__ import annotations

from importlib import import_module

from charmie_dynamics.core.mechanisms.registry import TYPES

from .linear_actuators import LinearActuator
from .mechanism import Mechanism

MECHANISM_TYPES: dict[str, type[Mechanism]] = {
    name: import_module(f"{__package__}.{name}").TYPE for name in TYPES
}
SECTIONS: dict[str, type[Mechanism]] = {"linear_actuators": LinearActuator, **MECHANISM_TYPES}
