# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bricard's mechanism in closed form.

By its threefold symmetry hinges 1, 3 and 5 turn by the same angle, and so do 2, 4 and 6 (Y. Chen,
Z. You, T. Tarnai: Threefold-symmetric Bricard linkages for deployable structures, 2005, for a
twist of 90 degrees). Counted from the corners of the cube it is (1 + sin a) (1 + sin b) = 1.
"""

from __future__ import annotations

import sympy as sp

from validation.problems.bricard import AXES, CORNERS, GRAVITY

from .lagrange import Body, System


def bricard(width: float) -> System:
    """Return the mechanism in the two angles; rods of square section (m)."""
    odd, even = sp.symbols("odd even")
    rotation, place, bodies = sp.eye(3), sp.zeros(3, 1), []
    for i, axis in enumerate(AXES[:-1]):
        rotation = rotation * _turn(axis, even if i % 2 else odd)
        rod = sp.Matrix(CORNERS[i + 1]) - sp.Matrix(CORNERS[i])
        slender, thick = sp.eye(3) - rod * rod.T, sp.eye(3) + rod * rod.T
        bodies.append(
            Body(1.0, place + rotation * rod / 2, rotation, slender / 12 + thick * width**2 / 12)
        )
        place = place + rotation * rod
    closure = (1 + sp.sin(odd)) * (1 + sp.sin(even)) - 1
    return System((odd, even), bodies, (0, -GRAVITY, 0), [closure])


def _turn(axis: tuple[float, ...], angle: sp.Symbol) -> sp.Matrix:
    x, y, z = map(int, axis)
    cross = sp.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return sp.eye(3) + sp.sin(angle) * cross + (1 - sp.cos(angle)) * cross * cross
