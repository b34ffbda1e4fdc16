# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 1: what a robot is, as read from its files. Immutable and in the words of URDF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from charmie_dynamics.numerics.vectors import Floats

from .description_warnings import DescriptionWarning

JointType = Literal["fixed", "revolute", "continuous", "prismatic", "planar", "floating"]
Vector3 = tuple[float, float, float]
SINGLE_JOINTS = ("revolute", "continuous", "prismatic")  # types with one coordinate


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape that shows a link. `size`: box edges; cylinder radius, length; sphere radius."""

    kind: Literal["box", "cylinder", "sphere", "mesh"]
    size: tuple[float, ...]
    p_link_visual: Floats
    R_link_visual: Floats
    rgba: tuple[float, float, float, float]
    mesh: str = ""


@dataclass(frozen=True, eq=False)
class Collision:
    """A shape with which a link touches others.

    `size`: box edges; cylinder and capsule radius, length (of a capsule without its two half
    spheres), along z; sphere radius; factors of a mesh along its axes.
    """

    kind: Literal["box", "cylinder", "capsule", "sphere", "mesh"]
    size: tuple[float, ...]
    p_link_collision: Floats
    R_link_collision: Floats
    mesh: str = ""


@dataclass(frozen=True, eq=False)
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
    collisions: tuple[Collision, ...] = ()


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
class JointFriction:
    """Friction of a joint or linear actuator (N m s or N s/m; N m or N), neither negative."""

    viscous: float
    coulomb: float


@dataclass(frozen=True, eq=False)
class Joint:
    """The connection of a link to its parent.

    The axis is a unit vector in the child's axes, that of a planar joint the normal of its plane.
    """

    name: str
    type: JointType
    parent: str
    child: str
    p_parent_joint: Floats
    R_parent_joint: Floats
    axis: Floats
    limit: Limit
    mimic: Mimic | None = None
    friction: JointFriction | None = None


@dataclass(frozen=True)
class RobotTree:
    """The open tree of a URDF: links and joints in the order of the file.

    `warnings` are of impossible links and joints, and of unsupported elements; `rotors` are those
    of the transmissions, by the joints that they drive.
    """

    name: str
    root: str
    links: Mapping[str, Link]
    joints: tuple[Joint, ...]
    urdf: str
    warnings: tuple[DescriptionWarning, ...] = ()
    rotors: Mapping[str, Rotor] = field(default_factory=dict)

    @cached_property
    def _parent_joints(self) -> dict[str, Joint]:
        return {joint.child: joint for joint in self.joints}

    @cached_property
    def flattened(self) -> dict[Any, Any]:
        """What `model.flat.flatten` has made of the tree alone, so that it is made once."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or another process is given: nothing that can be made again."""
        made = ("_parent_joints", "flattened")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def joint_of(self, link: str) -> Joint | None:
        """Return the parent joint of `link`, None for the root."""
        return self._parent_joints.get(link)

    def path_to_root(self, link: str) -> list[str]:
        """Return a link and its ancestors, the root last."""
        path = [link]
        while (joint := self.joint_of(path[-1])) is not None:
            path.append(joint.parent)
        return path


@dataclass(frozen=True)
class Rotor:
    """The rotor of a motor: its inertia (kg m^2) and what it turns per unit of its coordinate.

    `gear_ratio` is in radians per radian of a revolute joint, else per metre. A coordinate whose
    rotor moves with it, as that of a linear motor, has the ratio 1 and the moved mass (kg).
    """

    inertia: float
    gear_ratio: float = 1.0

    @property
    def reflected(self) -> float:
        """Inertia at the coordinate (kg m^2 or kg)."""
        return self.inertia * self.gear_ratio**2


@dataclass(frozen=True)
class JointRelation:
    """A linear relation of joints: sum of coefficient * position = constant.

    Attributes
    ----------
    coefficients : mapping of str to float
        By joint: revolute, continuous, prismatic, also such as mimic another (rad or m).
    constant : float
    """

    coefficients: Mapping[str, float]
    constant: float = 0.0


class TrackedPoint(NamedTuple):
    """A point of a frame (m) whose motion is published, by its name."""

    name: str
    frame: str
    point: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Roller:
    """The roller with which a Swedish wheel touches the floor.

    `angle` (rad) leads from the axle, which is the axis of the wheel's joint, to the axis of the
    roller, about the upward normal of the floor. There is friction along the roller's axis alone.
    """

    angle: float
