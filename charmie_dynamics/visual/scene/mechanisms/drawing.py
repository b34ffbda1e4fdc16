# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the file of a type of mechanism has to say to the scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.visual.shapes.part import Part
from charmie_dynamics.visual.shapes.shape import Floats

Lines = Iterator[tuple[str, Floats]]


def pins_of_member(part: Any) -> Lines:
    """Yield the lines to both pins of a linear actuator or spring."""
    yield part.base_body, np.array([(0.0, 0.0, 0.0), part.base_point])
    yield part.tip_body, np.array([(0.0, 0.0, 0.0), part.tip_point])


def no_pins(part: Any) -> Lines:
    """Yield nothing."""
    yield from ()


@dataclass(frozen=True)
class MechanismDrawing:
    """How the mechanisms of one type are drawn; its module has it as ``DRAWING``.

    Parameters
    ----------
    part : callable, optional
        Makes of a `Model` the `Part` with the shapes of all mechanisms of the type.
    moves : bool, optional
        Whether these shapes change in their frames. If not, they are written once.
    lines_to_pins : callable, optional
        Yields, for one mechanism, a link and the two ends (2, 3) of each line in its frame that a
        skeleton has for it (m).
    """

    part: Callable[[Model], Part] | None = None
    moves: bool = False
    lines_to_pins: Callable[[Any], Lines] = no_pins
