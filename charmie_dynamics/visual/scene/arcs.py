# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arcs and arrows that show efforts, compiled."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints

ARC_POINTS = 25
FULL_ARC = 1.5 * math.pi  # of an arc at the rated effort
HEAD_DIAMETER = 0.035
HEAD_LENGTH = 0.04
LEAST_SHARE = 0.05  # smaller efforts would leave an arrow head alone, apart from the joint


@compiled
def show_efforts(
    efforts: tuple[Floats, Floats],
    turning_joints: tuple[Ints, Floats, Floats, Floats, Floats],
    sliding_joints: tuple[Ints, Floats, Floats],
    longest_head: float,
    exponent: float,
    rows: tuple[npt.NDArray[np.bool_], Floats, Floats],
    points: tuple[Floats, Floats, Floats],
) -> None:
    """Write the appearance of the efforts of m revolute and n prismatic joints.

    Parameters
    ----------
    efforts : tuple of array
        Of all coordinates: relative to the rated ones (q,), and their colours (q, 4).
    turning_joints : tuple of array
        Coordinates (m,) of the revolute joints; radius (m,), above zero, centre, first and second
        axis (m, 3) of their arcs; the axes are as long as the radius and at right angles to each
        other (m).
    sliding_joints : tuple of array
        Coordinates (n,) of the prismatic joints; tails (n, 3), and from the tails to the tips, of
        arrows of length one (m).
    longest_head : float
        m
    exponent : float
        Exponent of the displayed relative effort.
    rows : tuple of array
        Output: visible, scale, color of m arcs, m heads of arcs, n arrows.
    points : tuple of array
        Output: of the arcs (m, `ARC_POINTS`, 3), of their heads (m, 2, 3) and of the arrows
        (n, 2, 3): tails and tips (m).
    """
    share, effort_color = efforts
    turning, radius, centre, first, second = turning_joints
    sliding, tail, longest = sliding_joints
    visible, scale, color = rows
    arcs, heads, arrows = points
    m = turning.shape[0]
    for k in range(m):
        i = turning[k]
        is_shown, shown = shown_share(share[i], exponent)
        circle = (radius[k], centre[k], first[k], second[k])
        head = bend_arc(FULL_ARC * shown, circle, longest_head, arcs[k], heads[k])
        for row in range(k, 2 * m, m):
            show(row, is_shown, effort_color[i], visible, color)
        size_head(m + k, head, scale)
    for k in range(sliding.shape[0]):
        i = sliding[k]
        is_shown, shown = shown_share(share[i], exponent)
        head = stretch_arrow(shown, tail[k], longest[k], longest_head, arrows[k])
        show(2 * m + k, is_shown, effort_color[i], visible, color)
        size_head(2 * m + k, head, scale)


@compiled
def shown_share(share: float, exponent: float) -> tuple[bool, float]:
    """Return whether a relative effort is displayed, and its displayed value."""
    return abs(share) >= LEAST_SHARE, math.copysign(min(abs(share), 1.0) ** exponent, share)


@compiled
def show(
    row: int,
    is_shown: bool,
    effort_color: Floats,
    visible: npt.NDArray[np.bool_],
    color: Floats,
) -> None:
    """Write whether a row is visible, and its colour."""
    visible[row] = is_shown
    for x in range(4):
        color[row, x] = effort_color[x]


@compiled
def size_head(row: int, head: float, scale: Floats) -> None:
    """Write the size of a head of a length (m)."""
    scale[row, 1] = head * (HEAD_DIAMETER / HEAD_LENGTH)
    scale[row, 2] = head


@compiled
def bend_arc(
    angle: float,
    circle: tuple[float, Floats, Floats, Floats],
    longest_head: float,
    arc: Floats,
    head: Floats,
) -> float:
    """Write an arc that begins on the first of two axes and bends towards the second.

    Its last part is a straight head, half of the arc at most.

    Parameters
    ----------
    angle : float
        Angle of arc and head together (rad); its sign is the direction.
    circle : tuple
        Radius, centre, first and second axis of `show_efforts`.
    longest_head : float
        m
    arc : (p, 3) array
        Output: points, at least two (m).
    head : (2, 3) array
        Output: tail and tip (m).

    Returns
    -------
    float
        Length of the head (m).
    """
    radius, centre, first, second = circle
    last = arc.shape[0] - 1
    length = min(longest_head, 0.5 * abs(angle) * radius)
    turn = math.copysign(length / radius, angle)
    step = (angle - turn) / last
    step_cosine = math.cos(step)
    step_sine = math.sin(step)
    c = 1.0
    s = 0.0
    for j in range(last + 1):
        for x in range(3):
            arc[j, x] = centre[x] + c * first[x] + s * second[x]
        if j < last:
            # the next point is this one, rotated by a step
            c, s = c * step_cosine - s * step_sine, s * step_cosine + c * step_sine
    for x in range(3):
        head[0, x] = arc[last, x]
        head[1, x] = arc[last, x] + turn * (c * second[x] - s * first[x])
    return length


@compiled
def stretch_arrow(
    shown: float, tail: Floats, longest: Floats, longest_head: float, arrow: Floats
) -> float:
    """Write an arrow along an axis or against it, on the side to which it points.

    Its last part is its head, half of the arrow at most.

    Parameters
    ----------
    shown : float
        Length relative to the longest; the sign is the direction.
    tail, longest : (3,) array
        Tail, and from the tail to the tip, of an arrow of length one (m).
    longest_head : float
        m
    arrow : (2, 3) array
        Output: tail and tip (m).

    Returns
    -------
    float
        Length of the head (m).
    """
    side = math.copysign(1.0, shown)
    square = 0.0
    for x in range(3):
        along = shown * longest[x]
        arrow[0, x] = side * tail[x]
        arrow[1, x] = side * tail[x] + along
        square += along * along
    return min(longest_head, 0.5 * math.sqrt(square))
