"""One cycle: the steps 3 to 7 in their order, on the arrays of step 2."""

from __future__ import annotations

import math

from charmie_dynamics.core.arrays import (
    NOT_FINITE,
    OVERFLOW,
    REACHED,
    WRONG_SHAPE,
    Cycle,
    Dynamics,
    Inputs,
    Kinematics,
    Mechanisms,
    Robot,
    Sizes,
    Tree,
)
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.branches import every
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Ints

from .auxiliary_bodies import place_balance, place_members
from .forward_kinematics import forward_kinematics
from .linear_actuators import joints_from_actuators
from .loops import close_loops
from .newton_euler import project_on_coordinates, propagate_loads, propagate_motion

STATUSES = 8


@compiled
def run_kinematics(
    tree: Tree,
    mechanisms: Mechanisms,
    inputs: Inputs,
    out: Kinematics,
) -> tuple[int, int]:
    """Run steps 3 to 5: actuators to joints, poses of all bodies and auxiliary bodies.

    Parameters
    ----------
    tree, mechanisms : Tree, Mechanisms
    inputs : Inputs
        State of the actuators.
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
        inputs.position,
        inputs.velocity,
        inputs.acceleration,
        out.joint_position,
        out.joint_velocity,
        out.joint_acceleration,
        out.actuator_lever,
    )
    if status != REACHED:
        return status, index
    forward_kinematics(  # step 4
        tree,
        out.joint_position,
        out.body_joint,
        out.sine,
        out.cosine,
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


@compiled
def sizes_in(ints: Ints) -> Sizes:
    """Return the sizes of a robot, which stand first in its block."""
    return Sizes(ints[0], ints[1], ints[2], ints[3], ints[4], ints[5], ints[6], ints[7])


@compiled
def outside(values: Floats) -> bool:
    """Tell whether any value is infinite or not a number."""
    for k in range(values.shape[0]):
        if not every(abs(values[k]) < math.inf):
            return True
    return False


@compiled_for("ints", "floats", "floats", "floats", "floats", "floats", "bool")
def run_cycle(
    ints: Ints,
    floats: Floats,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    block: Floats,
    dynamics: bool,
) -> int:
    """Run the whole cycle on blocks of memory, see `memory`.

    Parameters
    ----------
    ints, floats : (i,), (k,) array
        Of a `Robot`.
    position, velocity, acceleration : (q,) array
        Of the actuators.
    block : (c,) array
        Output: the floats of a `Cycle`.
    dynamics : bool
        False: steps 3 to 5 only.

    Returns
    -------
    int
        REACHED, or what is wrong (a constant of `arrays`) plus STATUSES times the index of what it
        is wrong with.
    """
    sizes = sizes_in(ints)
    q = sizes.q
    if position.shape[0] != q or velocity.shape[0] != q or acceleration.shape[0] != q:
        return WRONG_SHAPE
    robot = lay_out(Robot, ints, floats, sizes)
    cycle = lay_out(Cycle, ints, block, sizes)
    for c in range(q):
        cycle.inputs.position[c] = position[c]
        cycle.inputs.velocity[c] = velocity[c]
        cycle.inputs.acceleration[c] = acceleration[c]
    return run_inputs(robot, cycle, dynamics)


@compiled
def run_inputs(robot: Robot, cycle: Cycle, dynamics: bool) -> int:
    """Run the cycle on the inputs in `cycle` if they are finite, see `run_cycle`."""
    inputs = cycle.inputs
    if outside(inputs.position) or outside(inputs.velocity) or outside(inputs.acceleration):
        return NOT_FINITE
    return run_steps(robot, cycle, dynamics)


@compiled
def run_steps(robot: Robot, cycle: Cycle, dynamics: bool) -> int:
    """Run the cycle on finite inputs in `cycle`; efforts that overflow are told."""
    tree = robot.tree
    kinematics = cycle.kinematics
    status, index = run_kinematics(tree, robot.mechanisms, cycle.inputs, kinematics)
    if status != REACHED:
        return status + STATUSES * index
    if outside(kinematics.joint_velocity) or outside(kinematics.joint_acceleration):
        return OVERFLOW
    if dynamics:
        loads = cycle.dynamics
        run_dynamics(tree, robot.mechanisms, cycle.inputs.position, kinematics, loads)
        # all loads end in those of the root
        if (
            outside(loads.actuator_effort)
            or outside(loads.link_force[0])
            or outside(loads.link_torque[0])
        ):
            return OVERFLOW
    return REACHED
