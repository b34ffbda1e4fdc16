# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The interface between the file of a type of mechanism and the scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.visual.shapes.part import Part
from charmie_dynamics.visual.shapes.shape import Floats

Lines = Iterator[tuple[str, Floats]]


def pins_of_member(part: Any, model: Model) -> Lines:
    """Yield the lines to both pins of a linear actuator or spring."""
    yield part.base_body, np.array([(0.0, 0.0, 0.0), part.base_point])
    yield part.tip_body, np.array([(0.0, 0.0, 0.0), part.tip_point])


def no_pins(part: Any, model: Model) -> Lines:
    """Yield nothing."""
    yield from ()


@dataclass(frozen=True)
class MechanismDrawing:
    """Drawing of the mechanisms of one type; its module defines it as ``DRAWING``.

    Parameters
    ----------
    part : callable, optional
        Returns the `Part` with the shapes of all mechanisms of the type in a `Model`.
    moves : bool, optional
        Whether these shapes change in their frames. Otherwise they are written once.
    lines_to_pins : callable, optional
        Yields, for one mechanism of a `Model`, a link and the two ends (2, 3) of each line in its
        frame that a skeleton contains (m).
    """

    part: Callable[[Model], Part] | None = None
    moves: bool = False
    lines_to_pins: Callable[[Any, Model], Lines] = no_pins
