# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The point of a floor about which a load has no tilting torque."""

from __future__ import annotations

from typing import Any

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats


def point_without_tilt(
    fx: Any, fy: Any, fz: Any, tx: Any, ty: Any, height: float
) -> tuple[Any, Any]:
    """Return x and y of the point of a floor about which a load has no tilting torque (m).

    Parameters
    ----------
    fx, fy, fz, tx, ty : float or array
        Force (N) and torque about the origin (N m) that the floor side applies.
    height : float
        z of the floor (m).
    """
    # the torque about the point p, t - p x f, is zero along x and y
    return (height * fx - ty) / fz, (height * fy + tx) / fz


compiled_point_without_tilt = compiled(point_without_tilt)


@compiled
def point_under_load(
    block: Floats, force_first: int, torque_first: int, height: float
) -> tuple[bool, float, float]:
    """Return whether a floor can support a load, and `point_without_tilt`, zero where it cannot.

    Parameters
    ----------
    block : (b,) array
        All numbers of a state.
    force_first, torque_first : int
        Indices in `block` at which the force and the torque begin.
    height : float
        z of the floor (m).
    """
    f = force_first
    t = torque_first
    if not block[f + 2] > 0.0:
        return False, 0.0, 0.0
    x, y = compiled_point_without_tilt(
        block[f], block[f + 1], block[f + 2], block[t], block[t + 1], height
    )
    return True, x, y
