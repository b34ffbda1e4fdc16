# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sines and cosines of many angles, without a call of the C library for each.

A loop of plain arithmetic without branches is compiled to instructions that compute several angles
at once.
"""

from __future__ import annotations

import math

from .branches import all_lanes, where
from .derivatives import by_chain_rule, value_of
from .elementary import cos, sin
from .jit import compiled
from .vectors import Floats

LIMIT = 1e5  # rad; beyond it the C library reduces the angle more precisely
# pi / 2 in parts of 33, 33 and 53 bits: up to LIMIT, their products with the number of quarter
# turns are exact but for the last
QUARTER_1 = 1.5707963267341256
QUARTER_2 = 6.077100506303966e-11
QUARTER_3 = 2.0222662487959506e-21
# a number of this size has no room for a fraction: adding and subtracting it rounds
ROUND = 1.5 * 2.0**52
# Taylor's series about zero; at pi / 4 the next terms are below 1e-19
S = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(9))
C = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(10))


@compiled
def sines_and_cosines(angle: Floats, sine: Floats, cosine: Floats) -> None:
    """Write the sines and cosines of angles (rad), to the last digit or the one before it.

    Parameters
    ----------
    angle : (n,) array
        Finite.
    sine, cosine : (n,) array
        Output.
    """
    count = angle.shape[0]
    for i in range(count):
        if not all_lanes(abs(value_of(angle[i])) < LIMIT):
            for k in range(count):
                sine[k] = sin(angle[k])
                cosine[k] = cos(angle[k])
            return
    for i in range(count):
        x = value_of(angle[i])
        turns = (x * (2.0 / math.pi) + ROUND) - ROUND  # quarter turns
        r = ((x - turns * QUARTER_1) - turns * QUARTER_2) - turns * QUARTER_3
        z = r * r
        s = S[8]
        c = C[9] * z + C[8]
        s = s * z + S[7]
        c = c * z + C[7]
        s = s * z + S[6]
        c = c * z + C[6]
        s = s * z + S[5]
        c = c * z + C[5]
        s = s * z + S[4]
        c = c * z + C[4]
        s = s * z + S[3]
        c = c * z + C[3]
        s = s * z + S[2]
        c = c * z + C[2]
        s = r + r * z * (s * z + S[1])
        c = 1.0 + z * (c * z + C[1])
        quadrant = turns - 4.0 * ((0.25 * turns + ROUND) - ROUND)  # -2 to 2
        odd = abs(abs(quadrant) - 1.0) < 0.5
        back = abs(quadrant) > 1.5
        y = where(odd, quadrant * c, where(back, -s, s))  # the sine
        x = where(odd, -(quadrant * s), where(back, -c, c))  # the cosine
        sine[i] = by_chain_rule(angle[i], y, x, -y)
        cosine[i] = by_chain_rule(angle[i], x, -y, -x)
