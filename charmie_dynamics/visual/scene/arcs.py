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
LEAST_SHARE = 0.05  # of smaller efforts there would be a lone arrow head, apart from the joint


@compiled
def show_efforts(
    efforts: tuple[Floats, Floats],
    turning_joints: tuple[Ints, Floats, Floats, Floats, Floats],
    sliding_joints: tuple[Ints, Floats, Floats],
    longest_head: float,
    exponent: float,
    rows: tuple[npt.NDArray[np.bool_], Floats, Floats, Floats],
) -> None:
    """Write how the efforts of m revolute and n prismatic joints look.

    Parameters
    ----------
    efforts : tuple of array
        Of all coordinates: as shares of the rated ones (q,), and their colours (q, 4).
    turning_joints : tuple of array
        Coordinates (m,) of the revolute joints; radius, centre, first and second axis of their
        arcs, see `bend_arcs`.
    sliding_joints : tuple of array
        Coordinates (n,) of the prismatic joints; `tail` and `longest` of their arrows, see
        `stretch_arrows`.
    longest_head : float
        m
    exponent : float
        The power of the share that is shown.
    rows : tuple of array
        Output: visible, scale, color, points of m arcs, m heads of arcs, n arrows. There are
        `ARC_POINTS` points of each arc and two of each arrow.
    """
    share, effort_color = efforts
    turning, radius, centre, first, second = turning_joints
    sliding, tail, longest = sliding_joints
    visible, scale, color, points = rows
    m = turning.shape[0]
    n = sliding.shape[0]
    shown = np.empty(m + n)
    head = np.empty(m + n)
    for k in range(m + n):
        i = turning[k] if k < m else sliding[k - m]
        amount = min(abs(share[i]), 1.0) ** exponent
        shown[k] = math.copysign(amount, share[i])
        row = k if k < m else m + k
        visible[row] = abs(share[i]) >= LEAST_SHARE
        color[row] = effort_color[i]
    on_arcs = m * ARC_POINTS
    bend_arcs(
        FULL_ARC * shown[:m],
        (radius, centre, first, second),
        longest_head,
        points[:on_arcs].reshape(m, ARC_POINTS, 3),
        points[on_arcs : on_arcs + 2 * m].reshape(m, 2, 3),
        head[:m],
    )
    stretch_arrows(
        shown[m:], tail, longest, longest_head, points[on_arcs + 2 * m :].reshape(n, 2, 3), head[m:]
    )
    for k in range(m + n):
        row = m + k
        if k < m:
            visible[row] = visible[k]
            color[row] = color[k]
        scale[row, 1] = head[k] * (HEAD_DIAMETER / HEAD_LENGTH)
        scale[row, 2] = head[k]


@compiled
def bend_arcs(
    angle: Floats,
    circles: tuple[Floats, Floats, Floats, Floats],
    longest_head: float,
    arcs: Floats,
    heads: Floats,
    head_lengths: Floats,
) -> None:
    """Write arcs that begin on the first of two axes and turn towards the second.

    The last part of each is a straight head, half of the arc at most.

    Parameters
    ----------
    angle : (m,) array
        Which arc and head take together (rad); its sign is the sense of turning.
    circles : tuple of array
        Radius (m,), above zero; centre, first and second axis (m, 3), which are as long as the
        radius and at right angles to each other (m).
    longest_head : float
        m
    arcs : (m, p, 3) array
        Output: p points each, at least two (m).
    heads : (m, 2, 3) array
        Output: tails and tips (m).
    head_lengths : (m,) array
        Output (m).
    """
    radius, centre, first, second = circles
    last = arcs.shape[1] - 1
    for k in range(angle.shape[0]):
        head = min(longest_head, 0.5 * abs(angle[k]) * radius[k])
        turn = math.copysign(head / radius[k], angle[k])
        step = (angle[k] - turn) / last
        step_cosine = math.cos(step)
        step_sine = math.sin(step)
        c = 1.0
        s = 0.0
        for j in range(last + 1):
            for x in range(3):
                arcs[k, j, x] = centre[k, x] + c * first[k, x] + s * second[k, x]
            if j < last:
                # the next point is this one, turned by a step
                c, s = c * step_cosine - s * step_sine, s * step_cosine + c * step_sine
        for x in range(3):
            heads[k, 0, x] = arcs[k, last, x]
            heads[k, 1, x] = arcs[k, last, x] + turn * (c * second[k, x] - s * first[k, x])
        head_lengths[k] = head


@compiled
def stretch_arrows(
    shown: Floats,
    tail: Floats,
    longest: Floats,
    longest_head: float,
    arrows: Floats,
    head_lengths: Floats,
) -> None:
    """Write arrows along an axis or against it, each on the side that it points to.

    The last part of each is its head, half of the arrow at most.

    Parameters
    ----------
    shown : (n,) array
        Lengths as shares of the longest; the sign is the direction.
    tail, longest : (n, 3) array
        Tails, and from the tails to the tips, of arrows of length one (m).
    longest_head : float
        m
    arrows : (n, 2, 3) array
        Output: tails and tips (m).
    head_lengths : (n,) array
        Output (m).
    """
    for k in range(shown.shape[0]):
        side = math.copysign(1.0, shown[k])
        square = 0.0
        for x in range(3):
            along = shown[k] * longest[k, x]
            arrows[k, 0, x] = side * tail[k, x]
            arrows[k, 1, x] = side * tail[k, x] + along
            square += along * along
        head_lengths[k] = min(longest_head, 0.5 * math.sqrt(square))
