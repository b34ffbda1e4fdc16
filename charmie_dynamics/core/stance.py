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
def write_stance(
    R_world_frames: Floats,
    p_world_frames: Floats,
    support_force: Floats,
    support_torque: Floats,
    frame: int,
    base: int,
    mass: Floats,
    p_body_com: Floats,
    polygon: Floats,
    height: float,
    stance: Floats,
) -> None:
    """Write centre of mass, zero-moment point and margin of a robot, in one of its frames.

    Parameters
    ----------
    R_world_frames, p_world_frames : (f, 3, 3), (f, 3) array
        Poses of the frames in the world (m). The first n are those of the bodies.
    support_force, support_torque : (3,) array
        Load that the floor side applies on the base body, in its axes, about its origin (N, N m).
    frame, base : int
        Indices of the frame of the results and of the base body, among the frames.
    mass, p_body_com : (n,), (n, 3) array
        Masses (kg), and centres of mass in the frames of the bodies (m).
    polygon : (m, 2) array
        Corners of the support in the frame, see `Support` (m).
    height : float
        z of the floor in the frame (m).
    stance : (9,) array
        Output, NaN where unknown: centre of mass (3), zero-moment point (3), margin, nearest point
        of the edge (2), all in m.
    """
    p_world_frame = p_world_frames[frame]
    R_world_frame = R_world_frames[frame]
    for k in range(stance.shape[0]):
        stance[k] = math.nan
    com = centre_of_mass(mass, p_body_com, R_world_frames, p_world_frames)
    store(stance[0:3], rotate_back(R_world_frame, subtract(com, p_world_frame)))
    force = (support_force[0], support_force[1], support_force[2])
    torque = (support_torque[0], support_torque[1], support_torque[2])
    if frame != base:
        R_world_base = R_world_frames[base]
        force = rotate_back(R_world_frame, rotate(R_world_base, force))
        torque = rotate_back(R_world_frame, rotate(R_world_base, torque))
        p_frame_base = rotate_back(R_world_frame, subtract(p_world_frames[base], p_world_frame))
        torque = add(torque, cross(p_frame_base, force))
    if not force[2] > 0.0:
        return
    x, y = compiled_point_without_tilt(force[0], force[1], force[2], torque[0], torque[1], height)
    store(stance[3:6], (x, y, height))
    if polygon.shape[0] > 0:
        nearest_x, nearest_y, stance[6] = nearest_of_polygon(x, y, polygon)
        stance[7] = nearest_x
        stance[8] = nearest_y
