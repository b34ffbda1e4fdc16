"""Step 2: what the kernels read and write, as flat arrays.

Bodies are numbered so that a parent comes before its children; body 0 is the root. Frames are the
bodies followed by the auxiliary bodies: two for each member (base part, tip part), then four for
each balance mechanism (bar, upright, spring base, spring tip).

Shapes: n bodies, q coordinates (independent joints), a linear actuators, s springs, b balance
mechanisms, m = a + s members, f = n + 2 m + 4 b frames.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from .vectors import Floats, Ints

Record = TypeVar("Record", bound=tuple[Any, ...])

FIXED = 0
REVOLUTE = 1
PRISMATIC = 2

REACHED = 0
ACTUATOR_OUT_OF_REACH = 1
BALANCE_OUT_OF_REACH = 2
MEMBER_COLLAPSED = 3
BALANCE_COLLAPSED = 4


class Tree(NamedTuple):
    """Bodies and the joints which connect each one to its parent."""

    parent: Ints  # (n,) -1 for the root
    joint_type: Ints  # (n,) FIXED, REVOLUTE or PRISMATIC
    axis: Floats  # (n, 3) unit vector in body coordinates
    R_parent_joint: Floats  # (n, 3, 3) orientation at joint position zero
    p_parent_joint: Floats  # (n, 3)
    coordinate: Ints  # (n,) which coordinate moves the joint, -1 for a fixed one
    multiplier: Floats  # (n,) joint position = multiplier * coordinate + offset (mimic joints)
    offset: Floats  # (n,)
    mass: Floats  # (n,)
    p_body_com: Floats  # (n, 3)
    inertia: Floats  # (n, 3, 3) about the centre of mass, along the body axes
    gravity: Floats  # (3,) in the world


class Members(NamedTuple):
    """Two-point bodies of variable length: the linear actuators, then the springs."""

    base_body: Ints  # (m,)
    p_body_base: Floats  # (m, 3) pin in the base body
    tip_body: Ints  # (m,)
    p_body_tip: Floats  # (m, 3) pin in the tip body


class LinearActuators(NamedTuple):
    """Linear actuators that move a joint indirectly, reduced to the plane of their loop."""

    joint_body: Ints  # (a,) the body whose joint is moved
    coordinate: Ints  # (a,)
    moving_pin_body: Ints  # (a,) that body, or one fixed to it: the moving pin sits on it
    fixed_pin_body: Ints  # (a,) the other pin sits on it
    common_body: Ints  # (a,) nearest body that carries both pins
    side: Floats  # (a,) +1: the pin of the member's tip moves with the joint; -1: that of its base
    p_body_pin: Floats  # (a, 3) moving pin, in the body whose joint is moved
    F: Floats  # (a, 2) fixed pin in the plane across a revolute joint's axis, hinge at the origin
    G_zero: Floats  # (a, 2) moving pin in that plane at joint position zero
    along_zero: Floats  # (a,) distance of the pins along the joint axis, at joint position zero
    across: Floats  # (a,) distance of the pins across the axis (prismatic joint)
    branch: Floats  # (a,) +1 or -1, which of the two solutions
    reaction_share: Floats  # (a,) share of the undetermined reactions (eq. 36, 38)


class Springs(NamedTuple):
    """Extension springs: those between two bodies first, then one for each balance mechanism."""

    stiffness: Floats  # (s + b,)
    free_length: Floats  # (s + b,)
    pretension: Floats  # (s + b,)


class BalanceMechanisms(NamedTuple):
    """Static balancing of a vertical slide: bar, sliding upright and spring (figures 7 and 10)."""

    frame_body: Ints  # (b,) carries the bar's pivot and the spring's anchor
    carried_body: Ints  # (b,) the body that the upright lifts
    p_frame_pivot: Floats  # (b, 3)
    p_frame_anchor: Floats  # (b, 3)
    side: Floats  # (b,) +1 or -1: the bar points along +x or -x of the frame body
    bar_length: Floats  # (b,)
    spring_arm: Floats  # (b,) from the pivot to the spring's point on the bar
    link_height: Floats  # (b,) height of the upright
    carried_point_z: Floats  # (b,) height, in the carried body, of the slot the upright slides in
    torque_share: Floats  # (b,) share of the torque about the slide axis (eq. 43)


class Mechanisms(NamedTuple):
    """Everything that is attached to the tree."""

    members: Members
    actuators: LinearActuators
    springs: Springs
    balance: BalanceMechanisms


class Kinematics(NamedTuple):
    """Results of steps 3 to 5."""

    joint_position: Floats  # (q,)
    joint_velocity: Floats  # (q,)
    joint_acceleration: Floats  # (q,)
    R_parent_frame: Floats  # (f, 3, 3)
    p_parent_frame: Floats  # (f, 3)
    R_world_frame: Floats  # (f, 3, 3)
    p_world_frame: Floats  # (f, 3)
    member_length: Floats  # (m,)
    u_world_member: Floats  # (m, 3) unit vector from base pin to tip pin
    balance_tip: Floats  # (b, 3) tip of the bar in the frame body (point B_4sla)
    balance_spring_point: Floats  # (b, 3) spring's point on the bar, frame body (point B_4slb)
    spring_length: Floats  # (s + b,)


class Dynamics(NamedTuple):
    """Results of steps 6 and 7. Loads are those on a body, in its axes, torques at its origin."""

    angular_velocity: Floats  # (n, 3) body axes
    angular_acceleration: Floats  # (n, 3) body axes
    linear_acceleration: Floats  # (n, 3) of the body origin, body axes, less gravity
    open_force: Floats  # (n, 3) by the parent, open tree
    open_torque: Floats  # (n, 3)
    link_force: Floats  # (n, 3) by all bodies before it, springs and balance as known loads
    link_torque: Floats  # (n, 3)
    joint_force: Floats  # (n, 3) by the joint alone, linear actuators and shares taken off
    joint_torque: Floats  # (n, 3)
    generalized_force: Floats  # (q,) open tree
    joint_effort: Floats  # (q,) with springs and balance mechanisms
    actuator_effort: Floats  # (q,) power-conjugate to the actuator's position
    spring_tension: Floats  # (s + b,)
    load_force: Floats  # (n, 3) springs and balance mechanisms on each body
    load_torque: Floats  # (n, 3)
    actuator_pin_force: Floats  # (a, 3) by the actuator on the moved body, its axes
    actuator_pin_torque: Floats  # (a, 3) at the pin
    balance_force: Floats  # (b,) vertical, by the upright on the carried body
    balance_pivot_force: Floats  # (b, 3) by the frame body on the bar, frame axes
    balance_torque: Floats  # (b,) about the slide axis, by the upright on the carried body


def read_only(record: Record) -> Record:
    """Return the arrays after making them read-only."""
    for array in record:
        array.flags.writeable = False
    return record
