"""Step 7: closed and over-constrained loops, actuator efforts (multibody paper, section 5.2).

Equilibrium determines the actuator forces and the sums of the reactions. How the rest of the
reactions is shared between a joint and the pins beside it is an assumption of the paper (eq. 36,
38, 42 and 43); it is kept in `share_reactions` and touches neither efforts nor sums.
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import (
    REVOLUTE,
    Dynamics,
    Kinematics,
    LinearActuators,
    Mechanisms,
    Tree,
)
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Floats,
    add,
    cross,
    dot,
    rotate,
    rotate_back,
    scale,
    store,
    subtract,
)

from .balance import balance_loads
from .linear_actuators import actuator_effort
from .newton_euler import project_on_coordinates, subtract_known_loads
from .springs import spring_tension


@compiled
def close_loops(
    tree: Tree,
    mechanisms: Mechanisms,
    actuator_position: Floats,
    kinematics: Kinematics,
    out: Dynamics,
) -> None:
    """Write springs' and balance mechanisms' loads, actuator efforts and reactions.

    Parameters
    ----------
    tree, mechanisms : Tree, Mechanisms
    actuator_position : (q,) array
        Lengths and joint positions as given to step 3.
    kinematics : Kinematics
        After steps 3 to 5.
    out : Dynamics
        Open-tree loads of step 6 are read, the results of step 7 are written.
    """
    apply_springs(mechanisms, kinematics, out)
    subtract_known_loads(
        tree,
        mechanisms.springs.loads,
        kinematics.R_parent_frame,
        kinematics.p_parent_frame,
        out.open_force,
        out.open_torque,
        out.load_force,
        out.load_torque,
        out.link_force,
        out.link_torque,
    )
    # eq. 37: of the sums, the part along each joint's axis
    project_on_coordinates(tree, out.link_force, out.link_torque, out.joint_effort)
    for c in range(out.joint_effort.shape[0]):
        out.actuator_effort[c] = out.joint_effort[c]
    actuators = mechanisms.actuators
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        out.actuator_effort[c] = actuator_effort(
            actuator_position[c], kinematics.actuator_lever[k], out.joint_effort[c]
        )
    share_reactions(tree, mechanisms, kinematics, out)


@compiled
def apply_springs(mechanisms: Mechanisms, kinematics: Kinematics, out: Dynamics) -> None:
    """Write every spring's tension and, for each body, the loads of springs and balances."""
    members = mechanisms.members
    springs = mechanisms.springs
    first = mechanisms.actuators.coordinate.shape[0]
    between_bodies = members.base_body.shape[0] - first
    for s in range(springs.stiffness.shape[0]):
        out.spring_tension[s] = spring_tension(
            kinematics.spring_length[s],
            springs.stiffness[s],
            springs.free_length[s],
            springs.pretension[s],
        )
    for i in range(out.load_force.shape[0]):
        store(out.load_force[i], (0.0, 0.0, 0.0))
        store(out.load_torque[i], (0.0, 0.0, 0.0))
    for s in range(between_bodies):
        k = first + s
        pull = scale(out.spring_tension[s], kinematics.u_world_member[k])
        base = members.base_body[k]
        f_base = rotate_back(kinematics.R_world_frame[base], pull)
        store(out.load_force[base], add(out.load_force[base], f_base))
        t_base = cross(members.p_body_base[k], f_base)
        store(out.load_torque[base], add(out.load_torque[base], t_base))
        tip = members.tip_body[k]
        f_tip = rotate_back(kinematics.R_world_frame[tip], scale(-1.0, pull))
        store(out.load_force[tip], add(out.load_force[tip], f_tip))
        t_tip = cross(members.p_body_tip[k], f_tip)
        store(out.load_torque[tip], add(out.load_torque[tip], t_tip))
    balance_loads(mechanisms.balance, between_bodies, kinematics, out)


@compiled
def share_reactions(
    tree: Tree, mechanisms: Mechanisms, kinematics: Kinematics, out: Dynamics
) -> None:
    """Write which part of each link's load the joint, the actuator's pins and the balance carry.

    Beside a revolute joint, the actuator's pins carry `reaction_share` of the force along the
    hinge and of the torques across it (eq. 36 and 38: one half). Beside a prismatic joint, the
    joint carries all forces and torques across the slide (eq. 42), and each balance mechanism
    `torque_share` of the torque about it, which the joint cannot resist (eq. 43: one half).
    """
    actuators = mechanisms.actuators
    for i in range(tree.parent.shape[0]):
        store(out.joint_force[i], out.link_force[i])
        store(out.joint_torque[i], out.link_torque[i])
    for k in range(actuators.coordinate.shape[0]):
        body = actuators.joint_body[k]
        z = tree.axis[body]
        p_pin = actuators.p_body_pin[k]
        outward = scale(actuators.side[k], kinematics.u_world_member[k])
        u = rotate_back(kinematics.R_world_frame[body], outward)
        push = scale(out.actuator_effort[actuators.coordinate[k]], u)
        if tree.joint_type[body] == REVOLUTE:
            share = actuators.reaction_share[k]
            along = share * dot(subtract(out.link_force[body], push), z)
            f_pin = add(push, scale(along, z))  # eq. 36
            rest = subtract(out.link_torque[body], cross(p_pin, f_pin))
            across = subtract(rest, scale(dot(rest, z), z))
            t_pin = scale(share, across)  # eq. 38
        else:
            f_pin = push  # eq. 42
            t_pin = scale(0.0, push)
        store(out.actuator_pin_force[k], f_pin)
        store(out.actuator_pin_torque[k], t_pin)
        relieve_joints(tree, actuators, k, kinematics, out)
    share_slide_torque(mechanisms, out)


@compiled
def relieve_joints(
    tree: Tree, actuators: LinearActuators, k: int, kinematics: Kinematics, out: Dynamics
) -> None:
    """Take the load of actuator `k` off the joints that it bypasses, from pin to pin.

    Those are the joint it moves and the fixed joints of brackets that its pins sit on. The
    actuator is massless: its two ends apply opposite loads.
    """
    body = actuators.joint_body[k]
    R_world_body = kinematics.R_world_frame[body]
    f = rotate(R_world_body, out.actuator_pin_force[k])
    t = rotate(R_world_body, out.actuator_pin_torque[k])
    p_pin = add(kinematics.p_world_frame[body], rotate(R_world_body, actuators.p_body_pin[k]))
    for end in range(2):
        i = actuators.moving_pin_body[k] if end == 0 else actuators.fixed_pin_body[k]
        sign = -1.0 if end == 0 else 1.0
        while i != actuators.common_body[k]:
            R_world_i = kinematics.R_world_frame[i]
            lever = subtract(p_pin, kinematics.p_world_frame[i])
            f_i = rotate_back(R_world_i, scale(sign, f))
            t_i = rotate_back(R_world_i, scale(sign, add(t, cross(lever, f))))
            store(out.joint_force[i], add(out.joint_force[i], f_i))
            store(out.joint_torque[i], add(out.joint_torque[i], t_i))
            i = tree.parent[i]


@compiled
def share_slide_torque(mechanisms: Mechanisms, out: Dynamics) -> None:
    """Move each balance mechanism's share of the torque about the slide off the joint (eq. 43)."""
    balance = mechanisms.balance
    for k in range(balance.frame_body.shape[0]):
        about_slide = out.joint_torque[balance.carried_body[k], 2]
        out.balance_torque[k] = balance.torque_share[k] * about_slide
    for k in range(balance.frame_body.shape[0]):
        out.joint_torque[balance.carried_body[k], 2] -= out.balance_torque[k]
