# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Legend of the colours: its entries, and a column next to the robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.visual.shapes.colors import (
    FRICTION_COLORS,
    INK,
    MASS,
    MOMENT_POINT,
    REACTION,
    SUPPORT,
    load_color,
)
from charmie_dynamics.visual.shapes.part import Part, size_of
from charmie_dynamics.visual.shapes.shape import Color, Kind, Shape, text_scale

from .clearance import legend_clearance
from .labels import COLUMN

# Ends of the scale of loads.
POSITIVE_END = "pushing, turning forwards"
NEGATIVE_END = "pulling, turning backwards"
SCALE_STEPS = 11
SWATCH = 0.04
LINE = 0.12  # from entry to entry
LETTER = 0.034
APART = 0.5 * (SWATCH + LETTER) + 0.01  # from the middle of a swatch to that of its text


def entries(*, polygon: bool = True, reactions: bool = False) -> list[tuple[str, Color]]:
    """Return the single colours and their meaning, without the scale of loads."""
    result = [("centre of mass", MASS), ("zero-moment point", MOMENT_POINT)]
    if polygon:
        result.append(("support polygon, margin", SUPPORT))
    if reactions:
        result.append(("reaction force", REACTION))
    return result


def contact_entries(*, cones: bool) -> list[tuple[str, Color]]:
    """Return the colours of contacts and their meaning."""
    result = [("force of a contact", MOMENT_POINT)]
    if cones:
        stops = FRICTION_COLORS
        names = ("friction cone, far from slipping", "near", "slipping")
        result += [(n, (*color, 1.0)) for n, (_, color) in zip(names, stops, strict=True)]
    return result


class Legend(Part):
    """A column of swatches and texts to the right of the robot, with its height.

    All entries are on one vertical line, which is legible from every side. Labels are between it
    and the robot.
    """

    def __init__(self, model: Model, *, polygon: bool, reactions: bool, labels: bool) -> None:
        size = size_of(model)
        frame = model.mechanisms.base_body or model.tree.root
        beside = legend_clearance(model.tree, frame, size) + (COLUMN * size if labels else 0.0)
        step = SWATCH * size
        shapes: list[Shape] = []

        def add(kind: Kind, height: float, color: Color, text: str = "") -> None:
            at = (beside, 0.0, height)
            scale = text_scale(LETTER * size) if text else (step, step, step)
            number = len(shapes)
            shapes.append(
                Shape("legend", number, kind, frame, at, scale=scale, color=color, text=text)
            )

        z = 0.1 * size
        for text, color in reversed(entries(polygon=polygon, reactions=reactions)):
            add("sphere", z, color)
            add("text", z + APART * size, INK, text)
            z += LINE * size
        z += 0.3 * LINE * size
        add("text", z, INK, f"{NEGATIVE_END}: 100 % of rated")
        z += APART * size
        for share in np.linspace(-1.0, 1.0, SCALE_STEPS):
            add("cylinder", z, load_color(float(share)))
            z += step
        add("text", z + (APART - SWATCH) * size, INK, f"{POSITIVE_END}: 100 % of rated")
        self.shapes: Sequence[Shape] = shapes
