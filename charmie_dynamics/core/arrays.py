"""Step 2: what the kernels read and write, as arrays.

Bodies are numbered so that a parent comes before its children; body 0 is the root. Frames are the
bodies followed by the auxiliary bodies: two for each member (base part, tip part), then four for
each balance mechanism (bar, upright, spring base, spring tip).

The shape of each array is part of its type: `n` bodies, `q` coordinates (independent joints), `a`
linear actuators, `s` springs between bodies, `b` balance mechanisms, `m = a + s` members,
`t = s + b` springs in all, `f = n + 2 m + 4 b` frames. `memory` lays all of them out in one block.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeVar

from charmie_dynamics.numerics.vectors import Floats, Ints

Record = TypeVar("Record", bound=tuple[Any, ...])

FIXED = 0
REVOLUTE = 1
PRISMATIC = 2

REACHED = 0
ACTUATOR_OUT_OF_REACH = 1
BALANCE_OUT_OF_REACH = 2
MEMBER_COLLAPSED = 3
BALANCE_COLLAPSED = 4
NOT_FINITE = 5
WRONG_SHAPE = 6
OVERFLOW = 7


class Sizes(NamedTuple):
    """How many there are of everything."""

    n: int
    q: int
    a: int
    s: int
    b: int
    m: int
    t: int
    f: int


class Tree(NamedTuple):
    """Bodies and the joints which connect each one to its parent."""

    parent: Annotated[Ints, "n"]  # -1 for the root
    joint_type: Annotated[Ints, "n"]  # FIXED, REVOLUTE or PRISMATIC
    axis: Annotated[Floats, "n", 3]  # unit vector in body coordinates
    R_parent_joint: Annotated[Floats, "n", 3, 3]  # orientation at joint position zero
    p_parent_joint: Annotated[Floats, "n", 3]
    coordinate: Annotated[Ints, "n"]  # which coordinate moves the joint, -1 for a fixed one
    multiplier: Annotated[Floats, "n"]  # joint position = multiplier * coordinate + offset (mimic)
    offset: Annotated[Floats, "n"]
    mass: Annotated[Floats, "n"]
    p_body_com: Annotated[Floats, "n", 3]
    inertia: Annotated[Floats, "n", 3, 3]  # about the centre of mass, along the body axes
    gravity: Annotated[Floats, 3]  # in the world
    R_sine: Annotated[Floats, "n", 3, 3]  # R_parent_joint [axis]x, see `joint_terms`
    R_versine: Annotated[Floats, "n", 3, 3]  # R_parent_joint [axis]x [axis]x
    u_parent_axis: Annotated[Floats, "n", 3]  # R_parent_joint axis
    external_force: Annotated[Floats, "n", 3]  # from outside on the body, body axes
    external_torque: Annotated[Floats, "n", 3]  # at the body origin


class Members(NamedTuple):
    """Two-point bodies of variable length: the linear actuators, then the springs."""

    base_body: Annotated[Ints, "m"]
    p_body_base: Annotated[Floats, "m", 3]  # pin in the base body
    tip_body: Annotated[Ints, "m"]
    p_body_tip: Annotated[Floats, "m", 3]  # pin in the tip body


class LinearActuators(NamedTuple):
    """Linear actuators that move a joint indirectly, reduced to the plane of their loop."""

    joint_body: Annotated[Ints, "a"]  # the body whose joint is moved
    coordinate: Annotated[Ints, "a"]
    moving_pin_body: Annotated[Ints, "a"]  # that body, or one fixed to it, with the moving pin
    fixed_pin_body: Annotated[Ints, "a"]  # the other pin sits on it
    common_body: Annotated[Ints, "a"]  # nearest body that carries both pins
    side: Annotated[Floats, "a"]  # +1: the member's tip moves with the joint; -1: its base does
    p_body_pin: Annotated[Floats, "a", 3]  # moving pin, in the body whose joint is moved
    F: Annotated[Floats, "a", 2]  # fixed pin in the plane across a revolute axis, hinge at zero
    G_zero: Annotated[Floats, "a", 2]  # moving pin in that plane at joint position zero
    along_zero: Annotated[Floats, "a"]  # distance of the pins along the joint axis, there as well
    across: Annotated[Floats, "a"]  # distance of the pins across the axis (prismatic joint)
    branch: Annotated[Floats, "a"]  # +1 or -1, which of the two solutions
    reaction_share: Annotated[Floats, "a"]  # share of the undetermined reactions (eq. 36, 38)


class Springs(NamedTuple):
    """Extension springs: those between two bodies first, then one for each balance mechanism."""

    stiffness: Annotated[Floats, "t"]
    free_length: Annotated[Floats, "t"]
    pretension: Annotated[Floats, "t"]
    loads: Annotated[Ints, "n"]  # 1 for a body that is loaded by one, or carries one that is


class BalanceMechanisms(NamedTuple):
    """Static balancing of a vertical slide: bar, sliding upright and spring (figures 7 and 10)."""

    frame_body: Annotated[Ints, "b"]  # carries the bar's pivot and the spring's anchor
    carried_body: Annotated[Ints, "b"]  # the body that the upright lifts
    p_frame_pivot: Annotated[Floats, "b", 3]
    p_frame_anchor: Annotated[Floats, "b", 3]
    side: Annotated[Floats, "b"]  # +1 or -1: the bar points along +x or -x of the frame body
    bar_length: Annotated[Floats, "b"]
    spring_arm: Annotated[Floats, "b"]  # from the pivot to the spring's point on the bar
    link_height: Annotated[Floats, "b"]  # height of the upright
    carried_point_z: Annotated[Floats, "b"]  # height of the upright's slot in the carried body
    torque_share: Annotated[Floats, "b"]  # share of the torque about the slide axis (eq. 43)


class Mechanisms(NamedTuple):
    """Everything that is attached to the tree."""

    members: Members
    actuators: LinearActuators
    springs: Springs
    balance: BalanceMechanisms


class Robot(NamedTuple):
    """All that does not change from cycle to cycle."""

    sizes: Annotated[Ints, 8]  # those of `Sizes`, so that a block tells what is in it
    tree: Tree
    mechanisms: Mechanisms


class Inputs(NamedTuple):
    """Position of the actuators (a length, or the joint's own) and its time derivatives."""

    position: Annotated[Floats, "q"]
    velocity: Annotated[Floats, "q"]
    acceleration: Annotated[Floats, "q"]


class Kinematics(NamedTuple):
    """Results of steps 3 to 5."""

    joint_position: Annotated[Floats, "q"]
    joint_velocity: Annotated[Floats, "q"]
    joint_acceleration: Annotated[Floats, "q"]
    body_joint: Annotated[Floats, "n"]  # position of each body's joint, that of mimics followed
    sine: Annotated[Floats, "n"]  # of it
    cosine: Annotated[Floats, "n"]
    R_parent_frame: Annotated[Floats, "f", 3, 3]
    p_parent_frame: Annotated[Floats, "f", 3]
    R_world_frame: Annotated[Floats, "f", 3, 3]
    p_world_frame: Annotated[Floats, "f", 3]
    member_length: Annotated[Floats, "m"]
    u_world_member: Annotated[Floats, "m", 3]  # unit vector from base pin to tip pin
    balance_tip: Annotated[Floats, "b", 3]  # tip of the bar in the frame body (point B_4sla)
    balance_spring_point: Annotated[Floats, "b", 3]  # spring on the bar, frame body (B_4slb)
    spring_length: Annotated[Floats, "t"]
    actuator_lever: Annotated[Floats, "a"]  # d(L^2 / 2)/dq, see `linear_actuators`


class Dynamics(NamedTuple):
    """Results of steps 6 and 7. Loads are those on a body, in its axes, torques at its origin."""

    angular_velocity: Annotated[Floats, "n", 3]  # body axes
    angular_acceleration: Annotated[Floats, "n", 3]  # body axes
    linear_acceleration: Annotated[Floats, "n", 3]  # of the body origin, body axes, less gravity
    open_force: Annotated[Floats, "n", 3]  # by the parent, open tree
    open_torque: Annotated[Floats, "n", 3]
    link_force: Annotated[Floats, "n", 3]  # by all bodies before it; springs are known loads
    link_torque: Annotated[Floats, "n", 3]
    joint_force: Annotated[Floats, "n", 3]  # by the joint alone: less linear actuators and shares
    joint_torque: Annotated[Floats, "n", 3]
    generalized_force: Annotated[Floats, "q"]  # open tree
    joint_effort: Annotated[Floats, "q"]  # with springs and balance mechanisms
    actuator_effort: Annotated[Floats, "q"]  # power-conjugate to the actuator's position
    spring_tension: Annotated[Floats, "t"]
    load_force: Annotated[Floats, "n", 3]  # springs' and balances', on it and all it carries
    load_torque: Annotated[Floats, "n", 3]
    actuator_pin_force: Annotated[Floats, "a", 3]  # by the actuator on the moved body, its axes
    actuator_pin_torque: Annotated[Floats, "a", 3]  # at the pin
    balance_force: Annotated[Floats, "b"]  # vertical, by the upright on the carried body
    balance_pivot_force: Annotated[Floats, "b", 3]  # by the frame body on the bar, frame axes
    balance_torque: Annotated[Floats, "b"]  # about the slide, by the upright on the carried body


class Cycle(NamedTuple):
    """All that one cycle reads and writes."""

    inputs: Inputs
    kinematics: Kinematics
    dynamics: Dynamics


def read_only(record: Record) -> Record:
    """Return the arrays after making them read-only."""
    for array in record:
        array.flags.writeable = False
    return record
