# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 2: the arrays that the kernels read and write.

Bodies are numbered so that a parent comes before its children; body 0 is the root. Frames are the
bodies followed by the auxiliary bodies: two for each linear actuator (tube, rod), then those of the
other mechanisms, type by type in the order of `mechanisms.registry`.

The shape of each array is part of its type: `n` bodies, `q` coordinates of velocity (one for each
independent revolute or prismatic joint, three for a planar and six for a floating one), `w`
floating joints, `d` degrees of freedom (the coordinates, and those of joints that mimic one), `s`
coordinates that move joints at several places, `a` linear actuators with a coordinate, `b` all of
them, `m` members (two-point bodies: the linear actuators, then the springs between two bodies), `t`
extension springs in all, `f` frames, `r` constraints of loop joints, `e` laws of friction. The
arrays of one type of mechanism are defined in the file of that type; their length has the type's
name. `inverse.records` combines them, and `numerics.blocks` arranges them in one block.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeVar

from charmie_dynamics.numerics.vectors import Floats, Ints

Record = TypeVar("Record", bound=tuple[Any, ...])

FIXED = 0
REVOLUTE = 1
PRISMATIC = 2
PLANAR = 3  # x and y in a plane of the parent, then the angle about its normal
FLOATING = 4  # linear, then angular velocity in the axes of the body

REACHED = 0
ACTUATOR_OUT_OF_REACH = 1
MECHANISM_OUT_OF_REACH = 2
ACTUATOR_COLLAPSED = 3
MECHANISM_COLLAPSED = 4
NOT_FINITE = 5
WRONG_SHAPE = 6
OVERFLOW = 7
NOT_OF_LENGTH_ONE = 8
LOOP_OPEN = 9
LOOP_OPENS = 10
LOOP_OPENS_FASTER = 11
PASSIVE_IS_FREE = 12
PASSIVE_IS_UNBALANCED = 13
MASS_IS_SINGULAR = 14
CONTACTS_TOO_MANY = 15
# of one kind with it, plus multiples of `STATUSES`
PAIRS_TOO_MANY = 31
PASSES_UNSEEN = 47


class Tree(NamedTuple):
    """Bodies and the joints which connect each one to its parent."""

    parent: Annotated[Ints, "n"]  # -1 for the root
    joint_type: Annotated[Ints, "n"]  # FIXED, REVOLUTE, PRISMATIC, PLANAR or FLOATING
    axis: Annotated[Floats, "n", 3]  # unit vector in body coordinates
    R_parent_joint: Annotated[Floats, "n", 3, 3]  # orientation at joint position zero
    p_parent_joint: Annotated[Floats, "n", 3]
    coordinate: Annotated[Ints, "n"]  # of the joint, the first of several; -1: fixed
    multiplier: Annotated[Floats, "n"]  # joint position = multiplier * coordinate + offset (mimic)
    offset: Annotated[Floats, "n"]
    mass: Annotated[Floats, "n"]
    p_body_com: Annotated[Floats, "n", 3]
    inertia: Annotated[Floats, "n", 3, 3]  # about the centre of mass, along the body axes
    gravity: Annotated[Floats, 3]  # in the world
    R_sine: Annotated[Floats, "n", 3, 3]  # R_parent_joint [axis]x, see `joint_terms`
    R_versine: Annotated[Floats, "n", 3, 3]  # R_parent_joint [axis]x [axis]x
    u_parent_axis: Annotated[Floats, "n", 3]  # R_parent_joint axis
    u_parent_plane: Annotated[Floats, "n", 2, 3]  # x and y of a planar joint, parent axes
    scalar: Annotated[Ints, "n"]  # index among the floating joints, -1 for others
    external_force: Annotated[Floats, "n", 3]  # from outside on the body, body axes
    external_torque: Annotated[Floats, "n", 3]  # at the body origin


class Freedoms(NamedTuple):
    """Degrees of freedom one by one, those towards the root first.

    That of a revolute or prismatic joint is its own; a planar joint has two slides and a hinge, a
    floating one three slides and three hinges, which are fixed in the body and turn with it.
    """

    freedom_body: Annotated[Ints, "d"]  # the body behind the joint
    freedom_before: Annotated[Ints, "d"]  # next one towards the root, -1 for none
    freedom_carrier: Annotated[Ints, "d"]  # freedom that moves its axis, see `spatial_motion`
    freedom_coordinate: Annotated[Ints, "d"]
    freedom_turns: Annotated[Ints, "d"]  # 1: about its axis, 0: along it
    freedom_frame: Annotated[Ints, "d"]  # body in whose axes the axis is given
    freedom_axis: Annotated[Floats, "d", 3]
    freedom_multiplier: Annotated[Floats, "d"]
    freedom_beside: Annotated[Ints, "d"]  # next one of its coordinate at the same place, or -1
    last_freedom: Annotated[Ints, "n"]  # of those that move a body, -1 for none
    position_entry: Annotated[Ints, "q"]  # where among the positions given that of a coordinate is
    floating_body: Annotated[Ints, "q"]  # behind the floating joint that it is part of, or -1
    # the first freedom of a coordinate; -1 - k for number k of those that move joints at several
    # places, of which one is before the other or another joint between them
    solved_at: Annotated[Ints, "q"]
    scalar_entry: Annotated[Ints, "w"]  # and the scalar part of a floating joint's quaternion


class LinearActuators(NamedTuple):
    """Linear actuators that move a joint indirectly, reduced to the plane of their loop.

    The first a of them move one coordinate each, the others share the loads of these.
    """

    base_body: Annotated[Ints, "b"]
    p_body_base: Annotated[Floats, "b", 3]  # pin in the base body
    tip_body: Annotated[Ints, "b"]
    p_body_tip: Annotated[Floats, "b", 3]  # pin in the tip body
    member: Annotated[Ints, "b"]  # row among the members
    frame: Annotated[Ints, "b"]  # row of its tube among the frames; the next is that of its rod
    joint_body: Annotated[Ints, "b"]  # the body whose joint is moved
    coordinate: Annotated[Ints, "a"]
    moving_pin_body: Annotated[Ints, "b"]  # that body, or one fixed to it, with the moving pin
    fixed_pin_body: Annotated[Ints, "b"]  # the other pin sits on it
    common_body: Annotated[Ints, "b"]  # nearest common ancestor of both pins
    side: Annotated[Floats, "b"]  # +1: the member's tip moves with the joint; -1: its base does
    p_body_pin: Annotated[Floats, "b", 3]  # moving pin, in the body whose joint is moved
    F: Annotated[Floats, "b", 2]  # fixed pin in the plane across a revolute axis, hinge at zero
    G_zero: Annotated[Floats, "b", 2]  # moving pin in that plane at joint position zero
    along_zero: Annotated[Floats, "b"]  # distance of the pins along the joint axis, there as well
    across: Annotated[Floats, "b"]  # distance of the pins across the axis (prismatic joint)
    branch: Annotated[Floats, "b"]  # +1 or -1, which of the two solutions
    reaction_share: Annotated[Floats, "b"]  # share of the undetermined reactions (eq. 36, 38)
    load_share: Annotated[Floats, "b"]  # of the load of the joint


class Springs(NamedTuple):
    """The law of each extension spring, of all types of mechanisms."""

    stiffness: Annotated[Floats, "t"]
    free_length: Annotated[Floats, "t"]
    pretension: Annotated[Floats, "t"]
    pushes: Annotated[Floats, "t"]  # 1.0 where it also pushes, 0.0 where it only pulls


class Rotors(NamedTuple):
    """Reflected inertia of rotors: their inertia times the square of the gear ratio."""

    joint_rotor: Annotated[Floats, "q"]  # of a coordinate's joints (kg m^2 or kg)
    actuator_rotor: Annotated[Floats, "a"]  # along a linear actuator (kg)


class FrictionLaws(NamedTuple):
    """Friction of joints and actuators, a law each; see `inverse.friction`."""

    friction_place: Annotated[Ints, "e"]  # AT_JOINT or AT_ACTUATOR
    friction_coordinate: Annotated[Ints, "e"]
    friction_rate: Annotated[Floats, "e"]  # joint per coordinate velocity (mimic), else 1
    viscous: Annotated[Floats, "e"]  # N m s or N s/m
    coulomb: Annotated[Floats, "e"]  # N m or N
    transition: Annotated[Floats, "e"]  # rad/s or m/s, positive


class Inputs(NamedTuple):
    """Position of the actuators (a length, or the joint's own) and its time derivatives.

    Of a floating joint the position is x, y, z and the vector part of its quaternion.
    """

    position: Annotated[Floats, "q"]
    velocity: Annotated[Floats, "q"]
    acceleration: Annotated[Floats, "q"]
    scalar: Annotated[Floats, "w"]  # w of the quaternion of each floating joint


class Kinematics(NamedTuple):
    """Results of steps 3 to 5."""

    joint_position: Annotated[Floats, "q"]
    joint_velocity: Annotated[Floats, "q"]
    joint_acceleration: Annotated[Floats, "q"]
    joint_scalar: Annotated[Floats, "w"]
    body_joint: Annotated[Floats, "n"]  # position of each body's joint, mimic joints included
    sine: Annotated[Floats, "n"]  # of `body_joint`
    cosine: Annotated[Floats, "n"]
    R_parent_frame: Annotated[Floats, "f", 3, 3]
    p_parent_frame: Annotated[Floats, "f", 3]
    R_world_frame: Annotated[Floats, "f", 3, 3]
    p_world_frame: Annotated[Floats, "f", 3]
    member_length: Annotated[Floats, "m"]
    u_world_member: Annotated[Floats, "m", 3]  # unit vector from base pin to tip pin
    spring_length: Annotated[Floats, "t"]
    actuator_lever: Annotated[Floats, "a"]  # d(L^2 / 2)/dq, see `linear_actuators`


class Dynamics(NamedTuple):
    """Results of steps 6 and 7. Loads are those on a body, in its axes, torques at its origin."""

    angular_velocity: Annotated[Floats, "n", 3]  # body axes
    angular_acceleration: Annotated[Floats, "n", 3]  # body axes
    linear_acceleration: Annotated[Floats, "n", 3]  # of the body origin, body axes, less gravity
    open_force: Annotated[Floats, "n", 3]  # by the parent, open tree
    open_torque: Annotated[Floats, "n", 3]
    link_force: Annotated[Floats, "n", 3]  # by all bodies before it, less known loads
    link_torque: Annotated[Floats, "n", 3]
    joint_force: Annotated[Floats, "n", 3]  # by the joint alone: less linear actuators and shares
    joint_torque: Annotated[Floats, "n", 3]
    generalized_force: Annotated[Floats, "q"]  # open tree
    joint_effort: Annotated[Floats, "q"]  # with the loads of mechanisms and the friction of joints
    actuator_effort: Annotated[
        Floats, "q"
    ]  # power-conjugate to the actuator's position; all friction included
    spring_tension: Annotated[Floats, "t"]
    load_force: Annotated[Floats, "n", 3]  # by mechanisms, on it and all its descendants
    load_torque: Annotated[Floats, "n", 3]
    actuator_pin_force: Annotated[Floats, "b", 3]  # by the actuator on the moved body, its axes
    actuator_pin_torque: Annotated[Floats, "b", 3]  # at the pin


def read_only(record: Record) -> Record:
    """Return the arrays after making them read-only."""
    for array in record:
        array.flags.writeable = False
    return record
