"""Points of the arcs and arrows that show efforts, compiled.

As fifty operations of NumPy they took 90 us more, right after one another (on a Xeon at 2.5 GHz).
In a node that shows markers 30 times a second, with other things in the processor's caches in
between, a whole scene took twice as long as that way.
"""

from __future__ import annotations

import math

from ..core.jit import compiled
from ..core.vectors import Floats


@compiled
def bend_arcs(
    angle: Floats,
    radius: Floats,
    centre: Floats,
    first: Floats,
    second: Floats,
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
    radius : (m,) array
        Above zero (m).
    centre, first, second : (m, 3) array
        Of the arcs; the two axes are as long as the radius and at right angles to each other (m).
    longest_head : float
        m
    arcs : (m, p, 3) array
        Output: p points each, at least two (m).
    heads : (m, 2, 3) array
        Output: tails and tips (m).
    head_lengths : (m,) array
        Output (m).
    """
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
