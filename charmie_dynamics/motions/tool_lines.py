# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Straight lines of a tool for many robots at once, and motions from rest to rest along paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

PARTS = 8  # of a line


class ToolLines:
    """Positions of n robots whose tools reach poses and move along lines.

    Points out of reach are not a number, and so are all later ones.

    Parameters
    ----------
    model : Model
    frame : str
        The tool.
    actuators : sequence of str
        Actuators that move it.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions.tool_lines import ToolLines
    >>> model = load_model("arm_6r")
    >>> start = model.rest_position()[None]
    >>> p, R = model.kinematics(start).frame("tool0")
    >>> lines = ToolLines(model, "tool0", model.actuator_names)
    >>> lines.line(p, p - [0.0, 0.0, 0.05], R, start).shape
    (9, 1, 6)
    """

    def __init__(self, model: Model, frame: str, actuators: Sequence[str]) -> None:
        self._model, self._frame, self._actuators = model, frame, actuators

    def pose(self, p: Floats, R: Floats, start: Floats) -> Floats:
        """Return the positions (n, p) at poses of the tool, near a start.

        Parameters
        ----------
        p, R : (n, 3), (n, 3, 3) array
            p_world_tool, R_world_tool.
        start : (n, p) array
            Where the search begins.
        """
        found = np.full_like(start, np.nan)
        known = np.isfinite(start).all(axis=1)
        found[known] = self._model.inverse_kinematics(
            self._frame, p[known], R[known], start=start[known], actuators=self._actuators,
            partial=True,
        ).position  # fmt: skip
        return found

    def line(self, first: Floats, last: Floats, R: Floats, start: Floats) -> Floats:
        """Return the positions (PARTS + 1, n, p) along lines between points (n, 3).

        Parameters
        ----------
        first, last : (n, 3) array
            p_world_tool at both ends.
        R : (n, 3, 3) array
            R_world_tool, constant.
        start : (n, p) array
            Positions at the first point.
        """
        path = [start]
        for k in range(1, PARTS + 1):
            path.append(self.pose(first + (last - first) * k / PARTS, R, path[-1]))
        return np.stack(path)


def from_rest_to_rest(path: Floats, count: int) -> Floats:
    """Return positions (count + 1, n, p) at equal times along a path, by a quintic polynomial.

    Parameters
    ----------
    path : (k + 1, n, p) array
        Positions that are passed at equal parts of the way.
    count : int
        Number of periods.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.motions.tool_lines import from_rest_to_rest
    >>> from_rest_to_rest(np.array([[[0.0]], [[1.0]]]), 4).ravel().round(3)
    array([0.   , 0.104, 0.5  , 0.896, 1.   ])
    """
    t = np.linspace(0.0, 1.0, count + 1)
    way = t**3 * (10.0 - 15.0 * t + 6.0 * t**2) * (len(path) - 1)
    first = np.minimum(way.astype(int), len(path) - 2)
    share = (way - first)[:, None, None]
    positions: Floats = (1.0 - share) * path[first] + share * path[first + 1]
    return positions
