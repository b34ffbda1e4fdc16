# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 7: closed and over-constrained loops, actuator efforts (multibody paper, section 5.2).

Equilibrium determines the actuator forces and the sums of the reactions. The distribution of the
remaining reactions between a joint and the pins next to it is an assumption of the paper (eq. 36,
38, 42 and 43). It is confined to `share_reactions` and affects neither efforts nor sums.
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import REVOLUTE, Dynamics, Kinematics, LinearActuators, Tree
from charmie_dynamics.core.mechanisms.all_types import (
    apply_mechanism_loads,
    share_mechanism_reactions,
)
from charmie_dynamics.numerics.fused import multiply_add
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    add,
    cross,
    dot,
    rotate,
    rotate_back,
    scale,
    store,
    subtract,
)

from .friction import AT_ACTUATOR, AT_JOINT, add_friction
from .linear_actuators import actuator_effort
from .newton_euler import project_on_coordinates, subtract_known_loads
from .records import CycleRecord, Robot
from .rotors import add_rotor_efforts
from .spring_damping import add_damping
from .spring_tension import write_tensions


@compiled
def close_loops(robot: Robot, cycle: CycleRecord) -> None:
    """Write the mechanisms' loads, actuator efforts and reactions.

    Parameters
    ----------
    robot : Robot
    cycle : CycleRecord
        Results of steps 3 to 6 are read, those of step 7 are written.
    """
    tree = robot.tree
    mechanisms = robot.mechanisms
    kinematics = cycle.kinematics
    out = cycle.dynamics
    apply_known_loads(robot, cycle)
    subtract_known_loads(tree, mechanisms.is_loaded, kinematics, out)
    # eq. 37: of the sums, the part along each joint's axis
    R_parent_body = kinematics.R_parent_frame
    project_on_coordinates(tree, R_parent_body, out.link_force, out.link_torque, out.joint_effort)
    add_rotor_efforts(mechanisms.rotors, kinematics.joint_acceleration, out.joint_effort)
    add_friction(mechanisms.friction, AT_JOINT, kinematics.joint_velocity, out.joint_effort)
    write_actuator_efforts(robot, cycle)


@compiled
def write_actuator_efforts(robot: Robot, cycle: CycleRecord) -> None:
    """Write actuator efforts and reactions, for known efforts and link loads of the joints."""
    mechanisms, kinematics, inputs = robot.mechanisms, cycle.kinematics, cycle.inputs
    actuators, out = mechanisms.actuators, cycle.dynamics
    for c in range(out.joint_effort.shape[0]):
        out.actuator_effort[c] = out.joint_effort[c]
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        out.actuator_effort[c] = actuator_effort(
            inputs.position[c], kinematics.actuator_lever[k], out.joint_effort[c]
        )
    # the force on the pins includes neither the rotor nor the friction of an actuator
    share_reactions(robot.tree, actuators, kinematics, out)
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        out.actuator_effort[c] = multiply_add(
            mechanisms.rotors.actuator_rotor[k], inputs.acceleration[c], out.actuator_effort[c]
        )
    share_mechanism_reactions(mechanisms.by_type, out, cycle.mechanism_dynamics)
    add_friction(mechanisms.friction, AT_ACTUATOR, cycle.inputs.velocity, out.actuator_effort)


@compiled
def apply_known_loads(robot: Robot, cycle: CycleRecord) -> None:
    """Write every spring's tension and, for each body, the loads of all mechanisms."""
    mechanisms = robot.mechanisms
    out = cycle.dynamics
    write_tensions(mechanisms.springs, cycle.kinematics, out)
    add_damping(robot, cycle)
    for i in range(out.load_force.shape[0]):
        store(out.load_force[i], (0.0, 0.0, 0.0))
        store(out.load_torque[i], (0.0, 0.0, 0.0))
    apply_mechanism_loads(
        robot.tree,
        mechanisms.by_type,
        cycle.kinematics,
        cycle.mechanism_kinematics,
        out,
        cycle.mechanism_dynamics,
    )


@compiled
def share_reactions(
    tree: Tree, actuators: LinearActuators, kinematics: Kinematics, out: Dynamics
) -> None:
    """Write the parts of each link's load that the joint and the actuator's pins transmit.

    At a revolute joint, the actuator's pins transmit `reaction_share` of the force along the
    hinge and of the torques across it (eq. 36 and 38: one half). A prismatic joint transmits all
    forces and torques across the slide (eq. 42). Balance mechanisms take a part of the torque
    about the slide, which the joint cannot resist (eq. 43).
    """
    for i in range(tree.parent.shape[0]):
        store(out.joint_force[i], out.link_force[i])
        store(out.joint_torque[i], out.link_torque[i])
    for k in range(actuators.load_share.shape[0]):
        body = actuators.joint_body[k]
        z = tree.axis[body]
        p_pin = actuators.p_body_pin[k]
        outward = scale(actuators.side[k], kinematics.u_world_member[k])
        u = rotate_back(kinematics.R_world_frame[body], outward)
        load = actuators.load_share[k] * out.joint_effort[tree.coordinate[body]]
        if tree.joint_type[body] == REVOLUTE:
            push = scale(load / dot(z, cross(p_pin, u)), u)
            share = actuators.reaction_share[k]
            along = share * dot(subtract(out.link_force[body], push), z)
            f_pin = add(push, scale(along, z))  # eq. 36
            rest = subtract(out.link_torque[body], cross(p_pin, f_pin))
            across = subtract(rest, scale(dot(rest, z), z))
            t_pin = scale(share, across)  # eq. 38
        else:
            f_pin = scale(load / dot(z, u), u)  # eq. 42
            t_pin = scale(0.0, u)
        store(out.actuator_pin_force[k], f_pin)
        store(out.actuator_pin_torque[k], t_pin)
        relieve_joints(tree, actuators, k, kinematics, out)


@compiled
def relieve_joints(
    tree: Tree, actuators: LinearActuators, k: int, kinematics: Kinematics, out: Dynamics
) -> None:
    """Subtract the load of actuator `k` from the joints that it bypasses, from pin to pin.

    These are the joint that it moves and the fixed joints of the brackets of its pins. The
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
