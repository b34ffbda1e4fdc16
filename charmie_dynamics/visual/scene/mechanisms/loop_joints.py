# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loop joints: lines of the skeleton to their two points."""

from __future__ import annotations

from typing import Any

import numpy as np

from charmie_dynamics.model.model import Model

from .drawing import Lines, MechanismDrawing


def pins_of_loop_joint(part: Any, model: Model) -> Lines:
    """Yield the lines to both points of a loop joint."""
    yield part.first_body, np.array([(0.0, 0.0, 0.0), part.first_point])
    yield part.second_body, np.array([(0.0, 0.0, 0.0), part.second_point])


DRAWING = MechanismDrawing(lines_to_pins=pins_of_loop_joint)
