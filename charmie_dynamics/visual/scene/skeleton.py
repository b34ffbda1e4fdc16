# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Skeleton of a robot: key points joined by lines, as in kinematic diagrams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.visual.shapes.appearance import Rows
from charmie_dynamics.visual.shapes.colors import BONE, KEY_POINT
from charmie_dynamics.visual.shapes.part import RelativeLoads, size_of
from charmie_dynamics.visual.shapes.shape import Floats, Shape, line_strip

from .mechanisms.drawings import DRAWINGS

BONE_WIDTH = 0.012
PIN_WIDTH = 0.006
KEY_POINT_DIAMETER = 0.024


class Skeleton:
    """A key point at the origin of each body, and a line to that of each child body.

    Thinner lines lead to the pins of actuators and mechanisms, to the slides of balance mechanisms
    and to the wheel contacts. Links without mass and visuals that have a child body, such as the
    base joints of a robot, are omitted.
    """

    def __init__(self, model: Model) -> None:
        links = model.tree.links
        size = size_of(model)
        real = {name for name, link in links.items() if link.inertial is not None or link.visuals}
        flat = model.flat
        parents = flat.frame_parents[: len(flat.body_names)]
        fixed = flat.tree.coordinate < 0
        apart = np.linalg.norm(flat.tree.p_parent_joint, axis=1) > 1e-9
        lines = [
            i for i, parent in enumerate(parents) if parent in real and (apart[i] or not fixed[i])
        ]
        ends = {flat.body_names[i] for i in lines} | real
        self._lines = np.array(lines, dtype=np.intp)
        width, diameter = BONE_WIDTH * size, KEY_POINT_DIAMETER * size
        number = count()
        scale = (diameter, diameter, diameter)
        self.shapes: Sequence[Shape] = [
            *(
                line_strip("bodies", next(number), parents[i], width, BONE, np.zeros((2, 3)))
                for i in lines
            ),
            *(
                Shape("bodies", next(number), "sphere", name, scale=scale, color=KEY_POINT)
                for name in flat.body_names
                if name in ends
            ),
            *(
                line_strip("bodies", next(number), frame, PIN_WIDTH * size, BONE, points)
                for frame, points in _pins(model)
                if (points[0] != points[1]).any()
            ),
        ]

    def attach(self, rows: Rows) -> None:
        """Set the rows: the lines between bodies, the key points, the lines to pins."""
        self._ends = rows.points[: 2 * len(self._lines)].reshape(-1, 2, 3)[:, 1]
        self._visible = rows.visible[: len(self._lines)]

    def update(self, state: State, loads: RelativeLoads) -> None:
        """Update the ends of lines at slides, which change their length."""
        self._ends[:] = state.kinematics.p_parent_frame[self._lines]
        np.any(self._ends != 0.0, axis=1, out=self._visible)


def _pins(model: Model) -> Iterator[tuple[str, Floats]]:
    """Yield body and line (2, 3) of each pin, contact and slide, in the frame of the body."""
    mechanisms = model.mechanisms
    for section, part in mechanisms.parts():
        yield from DRAWINGS[section].lines_to_pins(part, model)
    for contact in mechanisms.wheel_contacts:
        yield mechanisms.base_body or model.tree.root, np.array([(0.0, 0.0, 0.0), contact])
