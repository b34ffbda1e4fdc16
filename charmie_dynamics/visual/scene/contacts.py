# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces of contacts as arrows, for pictures of robots that touch something."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.visual.shapes.colors import MOMENT_POINT
from charmie_dynamics.visual.shapes.shape import Color, Floats, Shape

SHAFT, HEAD_DIAMETER, HEAD_LENGTH = 0.1, 0.22, 0.3  # of the length of a force of that size
LEAST_SHARE = 0.02  # of such a force: less is not drawn


def force_arrows(
    points: Floats,
    forces: Floats,
    *,
    frame: str,
    size: float,
    length: float,
    color: Color = MOMENT_POINT,
) -> list[Shape]:
    """Return arrows from points (k, 3) along forces (k, 3), for pictures of one state.

    Parameters
    ----------
    points, forces : (k, 3) array
        In the axes of the frame (m, N).
    frame : str
        Of the robot that is drawn, such as its world.
    size : float
        Of a force (N) whose arrow has the length; others are longer or shorter in proportion.
    length : float
        In m.
    color : (float, float, float, float)

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.visual.scene import force_arrows
    >>> force = np.array([[0.0, 0.0, 20.0], [0.0, 0.0, 0.1]])
    >>> arrows = force_arrows(np.zeros((2, 3)), force, frame="world", size=20.0, length=0.1)
    >>> len(arrows), arrows[0].points[1]
    (1, array([0. , 0. , 0.1]))
    """
    arrows = []
    for k, (point, force) in enumerate(zip(points, forces, strict=True)):
        share = float(np.linalg.norm(force)) / size
        if share < LEAST_SHARE:
            continue
        tip = point + (length / size) * force
        head = length * min(HEAD_LENGTH, 0.5 * share)
        scale = SHAFT * length, head * HEAD_DIAMETER / HEAD_LENGTH, head
        arrows.append(
            Shape(
                namespace="contacts",
                id=k,
                kind="arrow",
                frame=frame,
                scale=scale,
                color=color,
                points=np.array([point, tip]),
            )
        )
    return arrows
