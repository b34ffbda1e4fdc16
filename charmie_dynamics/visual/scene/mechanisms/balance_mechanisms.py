# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Balance mechanisms: bar and upright in the frames of these auxiliary bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.model.description.mechanisms.balance_mechanisms import BalanceMechanism
from charmie_dynamics.model.model import Model
from charmie_dynamics.visual.shapes.colors import STEEL
from charmie_dynamics.visual.shapes.part import Part
from charmie_dynamics.visual.shapes.shape import Kind, Shape

from .drawing import Lines, MechanismDrawing

# m; for the picture only, since the description has no cross-sections
BAR_DIAMETER, UPRIGHT_DIAMETER = 0.02, 0.016
SLIDER_SIZE = (0.05, 0.03, 0.02)


class Balance(Part):
    """Bar, upright and the slider on top of the upright: rigid parts in moving frames."""

    def __init__(self, model: Model) -> None:
        shapes: list[Shape] = []
        for mechanism in model.mechanisms.balance_mechanisms:
            length, height = mechanism.bar_length, mechanism.link_height
            pieces: tuple[tuple[Kind, str, float, tuple[float, float, float]], ...] = (
                ("cylinder", "bar", 0.5 * length, (BAR_DIAMETER, BAR_DIAMETER, length)),
                ("cylinder", "upright", 0.5 * height, (UPRIGHT_DIAMETER, UPRIGHT_DIAMETER, height)),
                ("box", "upright", height, SLIDER_SIZE),
            )
            for kind, piece, z, scale in pieces:
                frame, position = f"{mechanism.name}_{piece}", (0.0, 0.0, z)
                shapes.append(
                    Shape("balance", len(shapes), kind, frame, position, scale=scale, color=STEEL)
                )
        self.shapes: Sequence[Shape] = shapes


def lines_to_pins(balance: BalanceMechanism, model: Model) -> Lines:
    """Yield the lines from the frame body to pivot and anchor, and along the upright's slot."""
    yield balance.frame_body, np.array([(0.0, 0.0, 0.0), balance.pivot])
    yield balance.frame_body, np.array([balance.pivot, balance.spring_anchor])
    # the slot is along x, in the xz plane of the bar; `carried_body` slides without rotation
    body = model.flat.body_names.index(balance.carried_body)
    x, y, _ = np.subtract(balance.pivot, model.flat.tree.p_parent_joint[body])
    reach = x + balance.side * balance.bar_length
    slide = [(0.0, y, balance.carried_point_z), (reach, y, balance.carried_point_z)]
    yield balance.carried_body, np.array(slide)


DRAWING = MechanismDrawing(part=Balance, lines_to_pins=lines_to_pins)
