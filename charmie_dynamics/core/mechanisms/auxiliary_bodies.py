# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 5: kinematics of the auxiliary bodies (multibody paper, eq. 20 and 21).

Members (linear actuators and springs) reach from a pin on one body to a pin on another. The files
in `mechanisms` place the frames of other auxiliary bodies, with functions of this module.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import Kinematics
from charmie_dynamics.numerics.branches import all_lanes
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.rotations import compose, copy_matrix, from_z_to_direction
from charmie_dynamics.numerics.vectors import (
    Vector,
    add,
    norm,
    rotate,
    rotate_back,
    scale,
    store,
    subtract,
)


@compiled
def place_members(pins: Any, out: Kinematics) -> int:
    """Write length, direction and the two frames of each member.

    Both frames have z along the member, from base pin to tip pin; the first sits at the base
    pin, the second at the tip pin. Their parent is the base body.

    Parameters
    ----------
    pins : LinearActuators, or another record with its first six arrays
        Attachment points of the members, and their rows.
    out : Kinematics
        Poses of the bodies are read, results are written.

    Returns
    -------
    int
        The first member whose pins coincide, so that its direction is undefined, or -1.
    """
    for k in range(pins.base_body.shape[0]):
        base = pins.base_body[k]
        tip = pins.tip_body[k]
        R_world_base = out.R_world_frame[base]
        p_base = to_world(base, pins.p_body_base[k], out)
        p_tip = to_world(tip, pins.p_body_tip[k], out)
        d = subtract(p_tip, p_base)
        length = norm(d)  # eq. 20
        if not all_lanes(length > 0.0):
            return k
        u = scale(1.0 / length, d)
        member = pins.member[k]
        out.member_length[member] = length
        store(out.u_world_member[member], u)
        u_base = rotate_back(R_world_base, u)
        frame = pins.frame[k]
        from_z_to_direction(u_base, out.R_parent_frame[frame])  # eq. 21
        store(out.p_parent_frame[frame], pins.p_body_base[k])
        place_in_world(base, frame, out)
        place_along(frame, add(pins.p_body_base[k], scale(length, u_base)), p_tip, out)
    return -1


@compiled
def place_along(frame: int, p_parent_next: Any, p_world_next: Any, out: Kinematics) -> None:
    """Write the pose of the frame after `frame`: the same axes, another origin."""
    copy_matrix(out.R_parent_frame[frame], out.R_parent_frame[frame + 1])
    copy_matrix(out.R_world_frame[frame], out.R_world_frame[frame + 1])
    store(out.p_parent_frame[frame + 1], p_parent_next)
    store(out.p_world_frame[frame + 1], p_world_next)


@compiled
def place_in_world(parent: int, frame: int, out: Kinematics) -> None:
    """Write the world pose of `frame` from its pose in body `parent`."""
    compose(out.R_world_frame[parent], out.R_parent_frame[frame], out.R_world_frame[frame])
    store(out.p_world_frame[frame], to_world(parent, out.p_parent_frame[frame], out))


@compiled
def to_world(body: int, p_body_point: Any, out: Kinematics) -> Vector:
    """Return the world position of a point of a body."""
    return add(out.p_world_frame[body], rotate(out.R_world_frame[body], p_body_point))
