# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Swedish wheels: rollers around the rim turn freely, so that friction acts along their axes only.

At the floor the axis of the roller is the axle of the wheel, turned about the upward normal by the
mounting angle of the rollers. Motion across this axis turns the roller, and is not sliding.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.numerics.elementary import sqrt
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Vector, add, cross, dot, rotate, scale, subtract

from .records import ShapeLaws


@compiled
def roller_axis(scene: ShapeLaws, shape: int, R_world_shape: Any, upward: Vector) -> Vector:
    """Return the axis of the roller of a wheel that is at the floor, in the world.

    Parameters
    ----------
    scene : ShapeLaws
    shape : int
        The wheel.
    R_world_shape : (3, 3) array
    upward : (3,) vector
        Normal of the floor, towards the wheel.

    Returns
    -------
    tuple
        Of length one; zero for a wheel that lies on its side.
    """
    axle = rotate(R_world_shape, scene.u_shape_axle[shape])
    flat = subtract(axle, scale(dot(axle, upward), upward))
    size = sqrt(dot(flat, flat))
    if not size > 0.0:
        return scale(0.0, upward)
    turn = scene.roller_turn[shape]
    along = scale(turn[0] / size, flat)
    return add(along, scale(turn[1] / size, cross(upward, flat)))


@compiled
def along(axis: Vector, vector: Vector) -> Vector:
    """Return the part of a vector along an axis of length one."""
    return scale(dot(axis, vector), axis)
