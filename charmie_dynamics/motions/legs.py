# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Legs with three hinges: inverse kinematics in closed form, for all legs and times at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import OutOfReachError, UnsupportedError
from charmie_dynamics.model.description.robot import Joint, RobotTree
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .motion import MotionPoint

HINGES = 3
FOOT = "_foot"  # suffix of the name of a foot's link
PARALLEL = 1e-9  # largest sine or cosine of an angle that counts as zero or a right one
ROUNDING = 1e-12  # by which the cosine of the knee of a fully extended leg may exceed one
SINGULAR = 1e-9  # sine of the knee, distance (m) from the first hinge


class _Leg(NamedTuple):
    """Dimensions of a leg from the URDF with all hinges at zero; an array of each for all legs.

    The frame of a leg is at the first hinge: z along its axis, y along that of the other two.
    """

    R_base_leg: Floats
    p_base_leg: Floats
    second: Floats  # position of the second hinge in that frame; y is that of the foot
    lengths: Floats  # of the two links, in the plane of x and z
    zero: Floats  # their directions, from z towards x (rad)
    bend: Floats  # sign of the rotation from the first to the second


class Legs:
    """The legs of a robot, each with three hinges, the first at right angles to the others.

    A leg ends in a link named ``LEG_foot`` on a fixed joint and begins at the base body. The second
    and third hinge are parallel, so that the leg is a chain of two links in a plane that the first
    hinge rotates.

    Parameters
    ----------
    model : Model

    Attributes
    ----------
    names : tuple of str, length l
    joint_names : tuple of tuple of str
        The three hinges of each leg.
    foot_names : tuple of str
        The links of the feet.

    Raises
    ------
    UnsupportedError
        If the robot has no such legs, or legs of another kind.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions import Legs
    >>> legs = Legs(load_model("athena"))
    >>> legs.names[:3], legs.joint_names[0][:2]
    (('leg_1', 'leg_2', 'leg_3'), ('leg_1_coxa_joint', 'leg_1_femur_joint'))
    """

    def __init__(self, model: Model) -> None:
        tree = model.tree
        feet = [name for name in tree.links if name.endswith(FOOT)]
        if not feet:
            raise UnsupportedError(
                f"legs: expected a robot with links named 'LEG{FOOT}', got '{model.name}' without"
            )
        base = model.mechanisms.base_body or tree.root
        rest = model.mechanisms.rest_pose
        chains = [_chain(tree, foot, base) for foot in feet]
        self.names = tuple(foot[: -len(FOOT)] for foot in feet)
        self.foot_names = tuple(feet)
        self.joint_names = tuple(tuple(j.name for j in chain[:HINGES]) for chain in chains)
        legs = [
            _measured(chain, name, np.array([rest.get(j.name, 0.0) for j in chain[:HINGES]]))
            for name, chain in zip(self.names, chains, strict=True)
        ]
        self._geometry = _Leg(*(np.array(parts) for parts in zip(*legs, strict=True)))
        self._R_leg_base = np.ascontiguousarray(self._geometry.R_base_leg.transpose(0, 2, 1))

    def foot_positions(self, joints: Floats) -> Floats:
        """Return the positions of the feet in the base body (..., l, 3), m.

        Parameters
        ----------
        joints : (..., l, 3) array
            Of the hinges (rad).

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions import Legs
        >>> legs = Legs(load_model("quadruped"))
        >>> legs.foot_positions(np.zeros((4, 3)))[0]
        array([ 0.28 ,  0.165, -0.64 ])
        """
        g = self._geometry
        c, s = np.cos(joints[..., 0]), np.sin(joints[..., 0])
        first = joints[..., 1] + g.zero[:, 0]
        second = first + joints[..., 2] + (g.zero[:, 1] - g.zero[:, 0])
        upper, lower = g.lengths[:, 0], g.lengths[:, 1]
        radius = g.second[:, 0] + upper * np.sin(first) + lower * np.sin(second)
        along = g.second[:, 2] + upper * np.cos(first) + lower * np.cos(second)
        beside = g.second[:, 1]
        p = np.stack((radius * c - beside * s, radius * s + beside * c, along), axis=-1)
        return np.asarray((g.R_base_leg @ p[..., None])[..., 0] + g.p_base_leg)

    def joint_positions(self, feet: Floats) -> Floats:
        """Return the hinge positions (..., l, 3) for given positions of the feet, rad.

        Of the solutions it is the one with the bend of the rest pose, and with the foot on the
        outer side of the first hinge.

        Parameters
        ----------
        feet : (..., l, 3) array
            In the base body (m).

        Raises
        ------
        OutOfReachError
            If a leg is too short, or the point is too near to its first hinge.
        """
        return self._hinges(self._solved(feet))

    def follow(self, feet: Floats, velocity: Floats, acceleration: Floats) -> MotionPoint:
        """Return the motion of the hinges (..., l, 3), in rad, for a motion of the feet.

        Parameters
        ----------
        feet, velocity, acceleration : (..., l, 3) array
            In the base body, relative to it (m, m/s, m/s^2).

        Raises
        ------
        OutOfReachError
            As for `joint_positions`, and for a fully extended leg, whose velocities are undefined.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions import Legs
        >>> legs = Legs(load_model("quadruped"))
        >>> feet = legs.foot_positions(np.tile([0.0, 0.8, -1.6], (4, 1)))
        >>> forward = np.tile([0.1, 0.0, 0.0], (4, 1))
        >>> motion = legs.follow(feet, forward, np.zeros((4, 3)))
        >>> print(f"{motion.velocity[0, 1]:.3f} rad/s")
        -0.224 rad/s
        """
        g = self._geometry
        beside, upper, lower = g.second[:, 1], g.lengths[:, 0], g.lengths[:, 1]
        turn, radius, first, second = solved = self._solved(feet)
        sine = np.sin(second - first)
        self._require(np.minimum(np.abs(sine), radius) - SINGULAR, feet, "lets it not move freely")
        c, s = np.cos(turn), np.sin(turn)
        s_1, c_1, s_2, c_2 = np.sin(first), np.cos(first), np.sin(second), np.cos(second)

        def in_plane(vector: Floats) -> tuple[Floats, Floats, Floats]:
            x, y, z = self._in_legs(vector)
            return x * c + y * s, y * c - x * s, z

        def of_links(x: Floats, z: Floats) -> tuple[Floats, Floats]:
            return (s_2 * x + c_2 * z) / (upper * sine), -(s_1 * x + c_1 * z) / (lower * sine)

        # in the rotating plane: u = r' - b t', n = r t', and again with the rates of both
        u, n, z = in_plane(velocity)
        turn_rate = n / radius
        radius_rate = u + beside * turn_rate
        rate_1, rate_2 = of_links(radius_rate, z)
        u, n, z = in_plane(acceleration)
        turn_change = (n - 2.0 * radius_rate * turn_rate + beside * turn_rate**2) / radius
        u = u + beside * turn_change + radius * turn_rate**2
        inward_1, inward_2 = upper * rate_1**2, lower * rate_2**2
        change_1, change_2 = of_links(
            u + s_1 * inward_1 + s_2 * inward_2, z + c_1 * inward_1 + c_2 * inward_2
        )
        return MotionPoint(
            self._hinges(solved),
            np.stack((turn_rate, rate_1, rate_2 - rate_1), axis=-1),
            np.stack((turn_change, change_1, change_2 - change_1), axis=-1),
        )

    def angular_velocities(self, motion: MotionPoint) -> Floats:
        """Return the angular velocities of the feet in the base body (..., l, 3), rad/s.

        Parameters
        ----------
        motion : MotionPoint
            Of the hinges.
        """
        turn, rates = motion.position[..., 0], motion.velocity
        in_plane = rates[..., 1] + rates[..., 2]  # about the axis of the second and third hinge
        about = (-np.sin(turn) * in_plane, np.cos(turn) * in_plane, rates[..., 0])
        w = np.stack(about, axis=-1)
        return np.asarray((self._geometry.R_base_leg @ w[..., None])[..., 0])

    def _solved(self, feet: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return angle and radius of the foot about the first hinge; directions of the links."""
        g = self._geometry
        outward, across, along = self._in_legs(feet - g.p_base_leg)
        beside, upper, lower = g.second[:, 1], g.lengths[:, 0], g.lengths[:, 1]
        squared = outward**2 + across**2 - beside**2
        self._require(squared, feet, "is too near to the axis of its first hinge")
        radius = np.sqrt(squared)
        turn = np.arctan2(across, outward) - np.arctan2(beside, radius)
        x, z = radius - g.second[:, 0], along - g.second[:, 2]
        cosine = (x**2 + z**2 - upper**2 - lower**2) / (2.0 * upper * lower)
        self._require(1.0 + ROUNDING - np.abs(cosine), feet, "is out of reach of its two links")
        bend = g.bend * np.arccos(np.clip(cosine, -1.0, 1.0))
        inner = np.arctan2(lower * np.sin(bend), upper + lower * np.cos(bend))
        first = np.arctan2(x, z) - inner
        return turn, radius, first, first + bend

    def _hinges(self, solved: tuple[Floats, Floats, Floats, Floats]) -> Floats:
        """Return the positions of the hinges, from -pi to pi."""
        turn, _, first, second = solved
        zero_1, zero_2 = self._geometry.zero.T
        joints = np.stack((turn, first - zero_1, second - first - (zero_2 - zero_1)), axis=-1)
        return np.asarray((joints + np.pi) % (2.0 * np.pi) - np.pi)

    def _in_legs(self, vector: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the components of vectors (..., l, 3) in the frames of the legs."""
        turned = (self._R_leg_base @ vector[..., None])[..., 0]
        return turned[..., 0], turned[..., 1], turned[..., 2]

    def _require(self, clearance: Floats, feet: Floats, reason: str) -> None:
        """Refuse points that a leg cannot reach."""
        if (clearance >= 0.0).all():
            return
        where = tuple(np.argwhere(~(clearance >= 0.0))[0])
        name, point = self.names[where[-1]], feet[where]
        raise OutOfReachError(
            name, f"leg '{name}': the foot's point {point.round(6).tolist()} m {reason}"
        )


def _chain(tree: RobotTree, foot: str, base: str) -> list[Joint]:
    """Return the joints from the base body to a foot: three hinges and a fixed one."""
    joints: list[Joint] = []
    link = foot
    while link != base:
        joint = tree.joint_of(link)
        if joint is None:
            raise UnsupportedError(f"legs: link '{foot}' does not hang on the base body '{base}'")
        joints.insert(0, joint)
        link = joint.parent
    kinds = [joint.type for joint in joints]
    if kinds != ["revolute"] * HINGES + ["fixed"]:
        raise UnsupportedError(
            f"legs: '{foot}': expected three revolute joints and a fixed one from '{base}', got "
            f"{', '.join(f'{joint.name} ({joint.type})' for joint in joints)}"
        )
    return joints


def _measured(chain: list[Joint], name: str, rest: Floats) -> _Leg:
    """Return the dimensions of a leg from its joints."""
    R = np.eye(3)
    p = np.zeros(3)
    places, axes = [], []
    for joint in chain:
        p = p + R @ joint.p_parent_joint
        R = R @ joint.R_parent_joint
        places.append(p)
        axes.append(R @ joint.axis)
    along, across = axes[0], axes[1]
    outward = np.cross(across, along)
    skew = np.linalg.norm(np.cross(across, axes[2]))
    if abs(along @ across) > PARALLEL or skew > PARALLEL or across @ axes[2] < 0.0:
        raise UnsupportedError(
            f"legs: '{name}': expected a first hinge at right angles to the others, and those "
            f"parallel, got the axes {', '.join(str(axis.round(6).tolist()) for axis in axes[:3])}"
        )
    frame = np.stack((outward, across, along))
    hip = places[0]
    second, third, foot = (frame @ (place - hip) for place in places[1:])
    second[1] = foot[1]  # components of the links along the hinges only displace the plane
    upper, lower = third - second, foot - third
    zero = np.array([np.arctan2(upper[0], upper[2]), np.arctan2(lower[0], lower[2])])
    lengths = np.array([np.hypot(upper[0], upper[2]), np.hypot(lower[0], lower[2])])
    bend = np.sin(zero[1] - zero[0] + rest[2])
    sign = np.array(1.0 if bend >= 0.0 else -1.0)
    return _Leg(frame.T, hip, second, lengths, zero, sign)
