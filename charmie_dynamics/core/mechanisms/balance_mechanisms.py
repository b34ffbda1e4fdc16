# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Static balancing of a vertical slide: bar, sliding upright and spring (figures 7 and 10).

Kinematics are those of the multibody paper, eq. 22 to 27, statics eq. 39 to 41 and 43. A mechanism
lies in the xz plane of its frame body.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.core.arrays import (
    MECHANISM_COLLAPSED,
    MECHANISM_OUT_OF_REACH,
    REACHED,
    Dynamics,
    Kinematics,
    Tree,
)
from charmie_dynamics.numerics.branches import all_lanes
from charmie_dynamics.numerics.elementary import sqrt
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.rotations import copy_matrix, from_z_to_direction
from charmie_dynamics.numerics.vectors import (
    Floats,
    Ints,
    add,
    cross,
    norm,
    scale,
    store,
    subtract,
)

from .auxiliary_bodies import place_along, place_in_world, to_world
from .kernels import MechanismKernels


class BalanceMechanisms(NamedTuple):
    """Constants: dimensions, bodies, and the rows of each mechanism."""

    frame_body: Annotated[Ints, "balance_mechanisms"]  # has the bar's pivot and the spring's anchor
    carried_body: Annotated[Ints, "balance_mechanisms"]  # the body that the upright lifts
    p_frame_pivot: Annotated[Floats, "balance_mechanisms", 3]
    p_frame_anchor: Annotated[Floats, "balance_mechanisms", 3]
    side: Annotated[Floats, "balance_mechanisms"]  # +1, -1: the bar points along x or -x
    bar_length: Annotated[Floats, "balance_mechanisms"]
    spring_arm: Annotated[Floats, "balance_mechanisms"]  # from the pivot to the spring on the bar
    link_height: Annotated[Floats, "balance_mechanisms"]  # height of the upright
    carried_point_z: Annotated[Floats, "balance_mechanisms"]  # of the slot, in the lifted body
    torque_share: Annotated[Floats, "balance_mechanisms"]  # of the torque about the slide (eq. 43)
    frame: Annotated[Ints, "balance_mechanisms"]  # row of the bar among the frames, see `place`
    spring: Annotated[Ints, "balance_mechanisms"]  # row among all extension springs


class BalanceKinematics(NamedTuple):
    """Results of step 5."""

    balance_tip: Annotated[Floats, "balance_mechanisms", 3]  # of the bar, frame body (B_4sla)
    balance_spring_point: Annotated[Floats, "balance_mechanisms", 3]  # on the bar, there (B_4slb)


class BalanceDynamics(NamedTuple):
    """Results of step 7."""

    balance_force: Annotated[Floats, "balance_mechanisms"]  # vertical, upright on lifted body
    balance_pivot_force: Annotated[Floats, "balance_mechanisms", 3]  # frame body on bar, its axes
    balance_torque: Annotated[Floats, "balance_mechanisms"]  # about the slide, on lifted body


@compiled
def place_balance(
    tree: Tree, balance: BalanceMechanisms, out: Kinematics, own: BalanceKinematics
) -> tuple[int, int]:
    """Write the points of each balance mechanism and the frames of its four bodies.

    The frames are those of the bar (at the pivot, z along the bar), the upright (at the bar's
    tip, axes of the frame body) and the two parts of the spring (at the anchor and at the bar,
    z from the anchor to the bar). Their parent is the frame body.

    Parameters
    ----------
    tree, balance, out, own
        Of `MechanismKernels.place`.

    Returns
    -------
    status, index : int
        REACHED, or MECHANISM_OUT_OF_REACH (the bar does not reach the upright at any angle) or
        MECHANISM_COLLAPSED (its spring has no length), and the index of the mechanism.
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
        if not all_lanes(reach2 > 0.0):
            return MECHANISM_OUT_OF_REACH, k
        tip_x = pivot[0] + balance.side[k] * sqrt(reach2)  # eq. 24
        tip = (tip_x, pivot[1], tip_z)
        bar = subtract(tip, pivot)
        # eq. 26 and 27; eq. 25 says that the upright's foot is the bar's tip (printed as an
        # identity), so that tip_x is the x of both
        point = add(pivot, scale(balance.spring_arm[k] / b, bar))
        anchor = balance.p_frame_anchor[k]
        d = subtract(point, anchor)
        length = norm(d)  # eq. 20
        if not all_lanes(length > 0.0):
            return MECHANISM_COLLAPSED, k
        store(own.balance_tip[k], tip)
        store(own.balance_spring_point[k], point)
        out.spring_length[balance.spring[k]] = length

        bar_frame = balance.frame[k]
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
def balance_loads(
    tree: Tree,
    balance: BalanceMechanisms,
    kinematics: Kinematics,
    placed: BalanceKinematics,
    out: Dynamics,
    own: BalanceDynamics,
) -> None:
    """Write the forces inside each mechanism and add its loads to the two bodies it joins.

    Bar, upright and spring are massless, and the upright slides without friction along x, so
    that only a vertical force passes between the bar's tip and the lifted body. The balance of
    forces and of the torque about the pivot (eq. 40) then has one solution.

    Parameters
    ----------
    tree, balance, kinematics, placed, out, own
        Of `MechanismKernels.apply_loads`; ``out.spring_tension`` is read.
    """
    for k in range(balance.frame_body.shape[0]):
        spring = balance.spring[k]
        pivot = balance.p_frame_pivot[k]
        anchor = balance.p_frame_anchor[k]
        tip = placed.balance_tip[k]
        point = placed.balance_spring_point[k]
        # eq. 39: the spring pulls the bar's inner point towards the anchor
        pull = out.spring_tension[spring] / kinematics.spring_length[spring]
        f_spring = scale(pull, subtract(anchor, point))
        # eq. 40 and 41: torque about y through the pivot
        a5 = cross(subtract(point, pivot), f_spring)[1]
        lift = -a5 / (tip[0] - pivot[0])
        f_pivot = (-f_spring[0], -f_spring[1], lift - f_spring[2])
        own.balance_force[k] = lift
        store(own.balance_pivot_force[k], f_pivot)

        frame_body = balance.frame_body[k]
        on_frame_pivot = scale(-1.0, f_pivot)
        on_frame_anchor = scale(-1.0, f_spring)
        store(
            out.load_force[frame_body],
            add(out.load_force[frame_body], add(on_frame_pivot, on_frame_anchor)),
        )
        moment = add(cross(pivot, on_frame_pivot), cross(anchor, on_frame_anchor))
        store(out.load_torque[frame_body], add(out.load_torque[frame_body], moment))

        lifted = balance.carried_body[k]
        on_lifted = (0.0, 0.0, lift)
        p_lifted_tip = subtract(tip, kinematics.p_parent_frame[lifted])
        store(out.load_force[lifted], add(out.load_force[lifted], on_lifted))
        store(
            out.load_torque[lifted],
            add(out.load_torque[lifted], cross(p_lifted_tip, on_lifted)),
        )


@compiled
def share_slide_torque(balance: BalanceMechanisms, out: Dynamics, own: BalanceDynamics) -> None:
    """Move each balance mechanism's share of the torque about the slide off the joint (eq. 43)."""
    for k in range(balance.frame_body.shape[0]):
        about_slide = out.joint_torque[balance.carried_body[k], 2]
        own.balance_torque[k] = balance.torque_share[k] * about_slide
    for k in range(balance.frame_body.shape[0]):
        out.joint_torque[balance.carried_body[k], 2] -= own.balance_torque[k]


KERNELS = MechanismKernels(
    parameters=BalanceMechanisms,
    kinematics=BalanceKinematics,
    dynamics=BalanceDynamics,
    place=place_balance,
    apply_loads=balance_loads,
    share_reactions=share_slide_torque,
)
