"""Step 5: kinematics of the auxiliary bodies (multibody paper, eq. 20 to 27).

Members (linear actuators and springs) reach from a pin on one body to a pin on another. A balance
mechanism lies in the xz plane of its frame body.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.core.arrays import (
    BALANCE_COLLAPSED,
    BALANCE_OUT_OF_REACH,
    MEMBER_COLLAPSED,
    REACHED,
    BalanceMechanisms,
    Kinematics,
    Members,
)
from charmie_dynamics.numerics.branches import every
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
def place_members(members: Members, first_frame: int, out: Kinematics) -> tuple[int, int]:
    """Write length, direction and the two frames of each member.

    Both frames have z along the member, from base pin to tip pin; the first sits at the base
    pin, the second at the tip pin. Their parent is the base body.

    Parameters
    ----------
    members : Members
    first_frame : int
        Index of the first member's first frame.
    out : Kinematics
        Poses of the bodies are read, results are written.

    Returns
    -------
    status, index : int
        REACHED, or MEMBER_COLLAPSED and which member (pins in one place have no direction).
    """
    for k in range(members.base_body.shape[0]):
        base = members.base_body[k]
        tip = members.tip_body[k]
        R_world_base = out.R_world_frame[base]
        p_base = to_world(base, members.p_body_base[k], out)
        p_tip = to_world(tip, members.p_body_tip[k], out)
        d = subtract(p_tip, p_base)
        length = norm(d)  # eq. 20
        if not every(length > 0.0):
            return MEMBER_COLLAPSED, k
        u = scale(1.0 / length, d)
        out.member_length[k] = length
        store(out.u_world_member[k], u)
        u_base = rotate_back(R_world_base, u)
        frame = first_frame + 2 * k
        from_z_to_direction(u_base, out.R_parent_frame[frame])  # eq. 21
        store(out.p_parent_frame[frame], members.p_body_base[k])
        place_in_world(base, frame, out)
        place_along(frame, add(members.p_body_base[k], scale(length, u_base)), p_tip, out)
    return REACHED, 0


@compiled
def place_balance(
    balance: BalanceMechanisms, first_frame: int, first_spring: int, out: Kinematics
) -> tuple[int, int]:
    """Write the points of each balance mechanism and the frames of its four bodies.

    The frames are those of the bar (at the pivot, z along the bar), the upright (at the bar's
    tip, axes of the frame body) and the two parts of the spring (at the anchor and at the bar,
    z from the anchor to the bar). Their parent is the frame body.

    Parameters
    ----------
    balance : BalanceMechanisms
    first_frame : int
        Index of the first mechanism's bar.
    first_spring : int
        Index in `spring_length` of the first mechanism's spring.
    out : Kinematics
        Poses of the bodies are read, results are written.

    Returns
    -------
    status, index : int
        REACHED, or BALANCE_OUT_OF_REACH (the bar does not reach the upright at any angle) or
        BALANCE_COLLAPSED (no length is left for its spring) and which mechanism.
    """
    for k in range(balance.frame_body.shape[0]):
        frame_body = balance.frame_body[k]
        p_frame_carried = out.p_parent_frame[balance.carried_body[k]]
        pivot = balance.p_frame_pivot[k]
        b = balance.bar_length[k]
        slot_z = p_frame_carried[2] + balance.carried_point_z[k]  # eq. 22
        tip_z = slot_z - balance.link_height[k]  # eq. 23
        rise = tip_z - pivot[2]
        reach2 = b * b - rise * rise
        if not every(reach2 > 0.0):
            return BALANCE_OUT_OF_REACH, k
        tip_x = pivot[0] + balance.side[k] * math.sqrt(reach2)  # eq. 24
        tip = (tip_x, pivot[1], tip_z)
        bar = subtract(tip, pivot)
        # eq. 26 and 27; eq. 25 says that the upright's foot is the bar's tip (printed as an
        # identity), so that tip_x is the x of both
        point = add(pivot, scale(balance.spring_arm[k] / b, bar))
        anchor = balance.p_frame_anchor[k]
        d = subtract(point, anchor)
        length = norm(d)  # eq. 20
        if not every(length > 0.0):
            return BALANCE_COLLAPSED, k
        store(out.balance_tip[k], tip)
        store(out.balance_spring_point[k], point)
        out.spring_length[first_spring + k] = length

        bar_frame = first_frame + 4 * k
        from_z_to_direction(scale(1.0 / b, bar), out.R_parent_frame[bar_frame])
        store(out.p_parent_frame[bar_frame], pivot)
        place_in_world(frame_body, bar_frame, out)
        upright_frame = bar_frame + 1
        from_z_to_direction((0.0, 0.0, 1.0), out.R_parent_frame[upright_frame])
        store(out.p_parent_frame[upright_frame], tip)
        copy_matrix(out.R_world_frame[frame_body], out.R_world_frame[upright_frame])
        store(out.p_world_frame[upright_frame], to_world(frame_body, tip, out))
        spring_frame = bar_frame + 2
        from_z_to_direction(scale(1.0 / length, d), out.R_parent_frame[spring_frame])
        store(out.p_parent_frame[spring_frame], anchor)
        place_in_world(frame_body, spring_frame, out)
        place_along(spring_frame, point, to_world(frame_body, point, out), out)
    return REACHED, 0


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
