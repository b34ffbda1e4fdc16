# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Drawings of all types of mechanisms, by the name of their section."""

from __future__ import annotations

from importlib import import_module

from charmie_dynamics.core.mechanisms.registry import TYPES
from charmie_dynamics.model.model import Model
from charmie_dynamics.visual.shapes.part import Part

from .drawing import MechanismDrawing
from .linear_actuators import DRAWING

DRAWINGS: dict[str, MechanismDrawing] = {
    "linear_actuators": DRAWING,
    **{name: import_module(f"{__package__}.{name}").DRAWING for name in TYPES},
}


def mechanism_parts(model: Model, moves: bool) -> list[Part]:
    """Return the parts of a scene with moving mechanisms, or those with static ones."""
    return [
        drawing.part(model)
        for drawing in DRAWINGS.values()
        if drawing.part is not None and drawing.moves == moves
    ]
