"""Statics of the balance mechanisms (multibody paper, eq. 39 to 41)."""

from __future__ import annotations

from charmie_dynamics.core.arrays import BalanceMechanisms, Dynamics, Kinematics
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import add, cross, scale, store, subtract


@compiled
def balance_loads(
    balance: BalanceMechanisms, first_spring: int, kinematics: Kinematics, out: Dynamics
) -> None:
    """Write the forces inside each mechanism and add its loads to the two bodies it joins.

    Bar, upright and spring are massless, and the upright slides without friction along x, so
    that only a vertical force passes between the bar's tip and the carried body. The balance of
    forces and of the torque about the pivot (eq. 40) then has one solution.

    Parameters
    ----------
    balance : BalanceMechanisms
    first_spring : int
        Index of the first mechanism's spring in `spring_length` and `spring_tension`.
    kinematics : Kinematics
        After step 5.
    out : Dynamics
        `spring_tension` is read; `balance_force` and `balance_pivot_force` are written;
        `load_force` and `load_torque` are added to.
    """
    for k in range(balance.frame_body.shape[0]):
        spring = first_spring + k
        pivot = balance.p_frame_pivot[k]
        anchor = balance.p_frame_anchor[k]
        tip = kinematics.balance_tip[k]
        point = kinematics.balance_spring_point[k]
        # eq. 39: the spring pulls the bar's inner point towards the anchor
        pull = out.spring_tension[spring] / kinematics.spring_length[spring]
        f_spring = scale(pull, subtract(anchor, point))
        # eq. 40 and 41: torque about y through the pivot
        a5 = cross(subtract(point, pivot), f_spring)[1]
        lift = -a5 / (tip[0] - pivot[0])
        f_pivot = (-f_spring[0], -f_spring[1], lift - f_spring[2])
        out.balance_force[k] = lift
        store(out.balance_pivot_force[k], f_pivot)

        frame_body = balance.frame_body[k]
        on_frame_pivot = scale(-1.0, f_pivot)
        on_frame_anchor = scale(-1.0, f_spring)
        store(
            out.load_force[frame_body],
            add(out.load_force[frame_body], add(on_frame_pivot, on_frame_anchor)),
        )
        moment = add(cross(pivot, on_frame_pivot), cross(anchor, on_frame_anchor))
        store(out.load_torque[frame_body], add(out.load_torque[frame_body], moment))

        carried = balance.carried_body[k]
        on_carried = (0.0, 0.0, lift)
        p_carried_tip = subtract(tip, kinematics.p_parent_frame[carried])
        store(out.load_force[carried], add(out.load_force[carried], on_carried))
        store(
            out.load_torque[carried],
            add(out.load_torque[carried], cross(p_carried_tip, on_carried)),
        )
