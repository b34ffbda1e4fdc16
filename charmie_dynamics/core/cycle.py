"""One cycle: the steps 3 to 7 in their order, on the arrays of step 2."""

from __future__ import annotations

from .arrays import REACHED, Dynamics, Kinematics, Mechanisms, Tree
from .auxiliary_bodies import place_balance, place_members
from .forward_kinematics import forward_kinematics
from .jit import compiled
from .linear_actuators import joints_from_actuators
from .loops import close_loops
from .newton_euler import project_on_coordinates, propagate_loads, propagate_motion
from .vectors import Floats


@compiled
def run_kinematics(
    tree: Tree,
    mechanisms: Mechanisms,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    out: Kinematics,
) -> tuple[int, int]:
    """Run steps 3 to 5: actuators to joints, poses of all bodies and auxiliary bodies.

    Parameters
    ----------
    tree, mechanisms : Tree, Mechanisms
    position, velocity, acceleration : (q,) array
        Of the actuators.
    out : Kinematics
        Output.

    Returns
    -------
    status, index : int
        REACHED, or what could not be reached (a constant of `arrays`) and which one it was.
    """
    actuators = mechanisms.actuators
    status, index = joints_from_actuators(  # step 3
        tree,
        actuators,
        position,
        velocity,
        acceleration,
        out.joint_position,
        out.joint_velocity,
        out.joint_acceleration,
    )
    if status != REACHED:
        return status, index
    forward_kinematics(  # step 4
        tree,
        out.joint_position,
        out.R_parent_frame,
        out.p_parent_frame,
        out.R_world_frame,
        out.p_world_frame,
    )
    bodies = tree.parent.shape[0]  # step 5
    members = mechanisms.members.base_body.shape[0]
    status, index = place_members(mechanisms.members, bodies, out)
    if status != REACHED:
        return status, index
    first = actuators.coordinate.shape[0]
    for k in range(first, members):
        out.spring_length[k - first] = out.member_length[k]
    return place_balance(mechanisms.balance, bodies + 2 * members, members - first, out)


@compiled
def run_dynamics(
    tree: Tree, mechanisms: Mechanisms, position: Floats, kinematics: Kinematics, out: Dynamics
) -> None:
    """Run steps 6 and 7: inverse dynamics of the tree, loops, actuator efforts.

    Parameters
    ----------
    tree, mechanisms : Tree, Mechanisms
    position : (q,) array
        Of the actuators, as given to `run_kinematics`.
    kinematics : Kinematics
        Results of `run_kinematics`.
    out : Dynamics
        Output.
    """
    propagate_motion(  # step 6
        tree,
        kinematics.R_parent_frame,
        kinematics.p_parent_frame,
        kinematics.joint_velocity,
        kinematics.joint_acceleration,
        out.angular_velocity,
        out.angular_acceleration,
        out.linear_acceleration,
    )
    propagate_loads(
        tree,
        kinematics.R_parent_frame,
        kinematics.p_parent_frame,
        out.angular_velocity,
        out.angular_acceleration,
        out.linear_acceleration,
        out.open_force,
        out.open_torque,
    )
    project_on_coordinates(tree, out.open_force, out.open_torque, out.generalized_force)
    close_loops(tree, mechanisms, position, kinematics, out)  # step 7
