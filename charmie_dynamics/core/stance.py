# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stability of a robot: centre of mass, zero-moment point, distance to the edge of its support."""

from __future__ import annotations

import math

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.polygon import nearest_of_polygon
from charmie_dynamics.numerics.vectors import (
    Floats,
    add,
    cross,
    rotate,
    rotate_back,
    store,
    subtract,
)

from .floor import compiled_point_without_tilt
from .mass import centre_of_mass


@compiled
def stand(
    R_world_frames: Floats,
    p_world_frames: Floats,
    given_force: Floats,
    given_torque: Floats,
    frame: int,
    base: int,
    mass: Floats,
    p_body_com: Floats,
    polygon: Floats,
    height: float,
    found: Floats,
) -> None:
    """Write centre of mass, zero-moment point and margin of a robot, in one of its frames.

    Parameters
    ----------
    R_world_frames, p_world_frames : (f, 3, 3), (f, 3) array
        Of the frames in the world.
    given_force, given_torque : (3,) array
        On the base body, in its axes and at its origin.
    frame, base : int
        The frame of the results, and the base body.
    mass, p_body_com : (n,), (n, 3) array
        Masses and centres of mass of the bodies (kg, m).
    polygon : (m, 2) array
        See `Support` (m).
    height : float
        Of the floor (m).
    found : (9,) array
        Output, NaN where unknown: centre of mass (3), zero-moment point (3), margin, nearest point
        of the edge (2), all in m.
    """
    p_world_frame = p_world_frames[frame]
    R_world_frame = R_world_frames[frame]
    for k in range(found.shape[0]):
        found[k] = math.nan
    com = centre_of_mass(mass, p_body_com, R_world_frames, p_world_frames)
    store(found[0:3], rotate_back(R_world_frame, subtract(com, p_world_frame)))
    force = (given_force[0], given_force[1], given_force[2])
    torque = (given_torque[0], given_torque[1], given_torque[2])
    if frame != base:
        R_world_base = R_world_frames[base]
        force = rotate_back(R_world_frame, rotate(R_world_base, force))
        torque = rotate_back(R_world_frame, rotate(R_world_base, torque))
        p_frame_base = rotate_back(R_world_frame, subtract(p_world_frames[base], p_world_frame))
        torque = add(torque, cross(p_frame_base, force))
    if not force[2] > 0.0:
        return
    x, y = compiled_point_without_tilt(force[0], force[1], force[2], torque[0], torque[1], height)
    store(found[3:6], (x, y, height))
    if polygon.shape[0] > 0:
        nearest_x, nearest_y, found[6] = nearest_of_polygon(x, y, polygon)
        found[7] = nearest_x
        found[8] = nearest_y
