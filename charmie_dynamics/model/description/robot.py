"""Step 1: what a robot is, as read from its files. Immutable and in the words of URDF."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from charmie_dynamics.numerics.vectors import Floats

JointType = Literal["fixed", "revolute", "continuous", "prismatic"]
Branch = Literal["upright", "inverted"]
Vector3 = tuple[float, float, float]


@dataclass(frozen=True)
class Visual:
    """A shape that shows a link. `size`: box edges; cylinder radius, length; sphere radius."""

    kind: Literal["box", "cylinder", "sphere", "mesh"]
    size: tuple[float, ...]
    p_link_visual: Floats
    R_link_visual: Floats
    rgba: tuple[float, float, float, float]
    mesh: str = ""


@dataclass(frozen=True)
class Inertial:
    """Mass (kg), centre of mass (m) and inertia about it along the link's axes (kg m^2)."""

    mass: float
    p_link_com: Floats
    inertia: Floats


@dataclass(frozen=True)
class Link:
    """A rigid body, or a mere frame where it has neither inertial nor movable joint."""

    name: str
    inertial: Inertial | None
    visuals: tuple[Visual, ...] = ()


@dataclass(frozen=True)
class Limit:
    """Range (rad or m), rated effort (N m or N) and rated velocity of a joint or actuator."""

    lower: float
    upper: float
    effort: float
    velocity: float


@dataclass(frozen=True)
class Mimic:
    """A joint position that follows another: multiplier * position of `joint` + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class Joint:
    """The connection of a link to its parent. The axis is a unit vector in the child's axes."""

    name: str
    type: JointType
    parent: str
    child: str
    p_parent_joint: Floats
    R_parent_joint: Floats
    axis: Floats
    limit: Limit
    mimic: Mimic | None = None


@dataclass(frozen=True)
class Tree:
    """The open tree of a URDF: links and joints in the order of the file."""

    name: str
    root: str
    links: Mapping[str, Link]
    joints: tuple[Joint, ...]
    urdf: str

    @cached_property
    def _carriers(self) -> dict[str, Joint]:
        return {joint.child: joint for joint in self.joints}

    def joint_of(self, link: str) -> Joint | None:
        """Return the joint that carries `link`, None for the root."""
        return self._carriers.get(link)


@dataclass(frozen=True)
class LinearActuator:
    """A linear actuator between two pins that moves a joint indirectly (lengths in m, force N)."""

    name: str
    joint: str
    base_body: str
    base_point: Vector3
    tip_body: str
    tip_point: Vector3
    limit: Limit
    branch: Branch = "upright"
    reaction_share: float = 0.0


@dataclass(frozen=True)
class Spring:
    """An extension spring between two bodies (N/m, m, N)."""

    name: str
    base_body: str
    base_point: Vector3
    tip_body: str
    tip_point: Vector3
    stiffness: float
    free_length: float
    pretension: float


@dataclass(frozen=True)
class BalanceMechanism:
    """Bar, sliding upright and spring that balance a slide; see ``core.inverse.balance``."""

    name: str
    frame_body: str
    carried_body: str
    pivot: Vector3
    side: int
    bar_length: float
    spring_arm: float
    link_height: float
    carried_point_z: float
    spring_anchor: Vector3
    stiffness: float
    free_length: float
    pretension: float
    torque_share: float = 0.0


@dataclass(frozen=True)
class JointFriction:
    """Friction of a joint or linear actuator (N m s or N s/m; N m or N), neither negative."""

    viscous: float
    coulomb: float


@dataclass(frozen=True)
class MechanismSet:
    """What a mechanisms file adds to a tree.

    `base_body` is the body whose load `base_wrench` reports (empty: the root); `base_joints` are
    those which may be held at zero when nobody reports them; `rest_pose` is a natural stance by
    actuator; `wheel_contacts` are the points, in the base body's frame, on which the robot stands
    (m, all at the height of the floor; empty: unknown); `payload_links` are the links that can hold
    a payload, by the payloads' names; `friction` and `contact_thresholds` (N m or N) are by
    actuator, `contact_share` is the threshold of the others as a share of their rated effort;
    `sources` says of each group of values whether it is published or estimated; `lines` are those
    of the entries in the file, by their keys (empty: there is no file).
    """

    gravity: Vector3 = (0.0, 0.0, -9.81)
    base_body: str = ""
    base_joints: tuple[str, ...] = ()
    rest_pose: Mapping[str, float] = field(default_factory=dict)
    wheel_contacts: tuple[Vector3, ...] = ()
    payload_links: Mapping[str, str] = field(default_factory=dict)
    friction: Mapping[str, JointFriction] = field(default_factory=dict)
    contact_thresholds: Mapping[str, float] = field(default_factory=dict)
    contact_share: float = math.inf
    sources: Mapping[str, str] = field(default_factory=dict)
    linear_actuators: tuple[LinearActuator, ...] = ()
    springs: tuple[Spring, ...] = ()
    balance_mechanisms: tuple[BalanceMechanism, ...] = ()
    lines: Mapping[tuple[str | int, ...], int] = field(
        default_factory=dict, repr=False, compare=False
    )

    def where(self, source: str, *path: str | int) -> str:
        """Return how a message names the place of an entry: file, and line where it is known."""
        for length in range(len(path), 0, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return f"{source}, line {line}"
        return source


@dataclass(frozen=True)
class Census:
    """How many rigid bodies and joints a robot has, auxiliary bodies and their joints included."""

    rigid_bodies: int
    revolute: int
    prismatic: int
    fixed: int


def take_census(tree: Tree, mechanisms: MechanismSet) -> Census:
    """Count bodies and joints as the multibody paper does (section 3.1).

    A link without inertial on a fixed joint is a frame, not a body, and the root is the ground
    unless it has mass. A linear actuator or a spring is two bodies with a revolute pin at either
    end and a prismatic joint between them. A balance mechanism is a bar and an upright (bar pivot
    and foot of the upright revolute, the upright's slide prismatic) and a spring.
    """
    main = [
        joint
        for joint in tree.joints
        if joint.type != "fixed" or tree.links[joint.child].inertial is not None
    ]
    two_point = len(mechanisms.linear_actuators) + len(mechanisms.springs)
    balances = len(mechanisms.balance_mechanisms)
    turning = sum(joint.type in ("revolute", "continuous") for joint in main)
    sliding = sum(joint.type == "prismatic" for joint in main)
    ground = 0 if tree.links[tree.root].inertial is None else 1
    return Census(
        rigid_bodies=ground + len(main) + 2 * two_point + 4 * balances,
        revolute=turning + 2 * two_point + 4 * balances,
        prismatic=sliding + two_point + 2 * balances,
        fixed=len(main) - turning - sliding,
    )
