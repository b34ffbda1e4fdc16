# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Walking of legged robots from rest to rest, with a level torso and rolling feet."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.errors import UnknownNameError, UnsupportedError, choices
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .gaits import GAITS, Gait, check_gait, reach_of, stances_of, torso_path
from .legs import Legs
from .motion import MotionPoint, SampledMotion
from .rolling import FootPaths, RollingPaths

LEAST_MARGIN = 1e-9  # s, tolerance for a gait without a time with all feet in stance


class LeggedWalk:
    """A walk along x, from the rest pose to the rest pose.

    The torso is level, at constant height; its path is a cubic spline with continuous acceleration.
    Feet are balls, fixed to their legs. In stance they roll on the floor z = 0 without sliding: the
    velocity of the lowest point is zero, while the centre moves by the radius times the angle of
    the leg (see `RollingPaths`). In the middle of a stance, by the position of the torso, the foot
    is at its place below the torso in the rest pose. In swing the centres follow the cubic spline
    through the points of ``gaits``, with the velocities of rolling at both ends. The motion of the
    joints has continuous accelerations, and is periodic at constant speed.

    Parameters
    ----------
    model : Model
        A robot with legs, see `Legs`, and a `rest_pose` in which all feet are at one height.
    gait : Gait or str
        The gait, or its name.

    Attributes
    ----------
    gait : Gait
    legs : Legs
    duration : float
        Seconds.
    height : float
        Of the base body above the floor (m).
    foot_radius : float
        Of the feet, which are spheres about the origins of their links (m).
    steady : tuple of float
        First and last time of the periodic motion (s).

    Raises
    ------
    UnknownNameError
        For an unknown name of a gait.
    UnsupportedError
        If the robot has no such legs.
    InputError
        For numbers that are no valid gait.
    OutOfReachError
        From the constructor, if a leg is too short for the gait.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions import LeggedWalk
    >>> walk = LeggedWalk(load_model("athena"), "tripod")
    >>> position, velocity, _ = walk.torso(3.0)
    >>> position.round(4), velocity.round(4)
    (array([0.25  , 0.    , 0.1435]), array([0.1, 0. , 0. ]))
    """

    def __init__(self, model: Model, gait: Gait | str) -> None:
        if isinstance(gait, str):
            if gait not in GAITS:
                raise UnknownNameError(f"gait '{gait}' is unknown{choices(gait, GAITS)}")
            gait = GAITS[gait]
        check_gait(gait)
        self._model = model
        self.gait = gait
        self.legs = Legs(model)
        self._group = _group_of_legs(self.legs, gait, model.name)
        self.duration = gait.cycles * gait.period
        # a foot that swings at full speed must have landed at full speed
        begin = 0.5 * (gait.ramp + 1) * gait.period
        self.steady = (begin, self.duration - begin)
        self._columns = _columns(model, self.legs)
        rest = model.mechanisms.rest_pose
        self._rest = np.array([rest.get(name, 0.0) for name in model.actuator_names])
        self._stand = self.legs.foot_positions(self._rest[self._columns])
        self.foot_radius = _foot_radius(model, self.legs)
        self.height = float(self.foot_radius - self._stand[:, 2].mean())
        self._torso = torso_path(gait)
        self._members = [np.flatnonzero(self._group == group) for group in range(2)]
        stances = [stances_of(gait, self._torso, group) for group in range(2)]
        reach = reach_of([*stances[0], *stances[1]], self._torso)
        ways = RollingPaths(self.legs, self._stand, self.foot_radius, reach)
        self._feet = [
            FootPaths(gait, self._torso, of_group, ways, members)
            for of_group, members in zip(stances, self._members, strict=True)
        ]
        for time in np.linspace(0.0, self.duration, 8 * gait.cycles + 1):
            self._follow(float(time))  # raises for a point beyond the reach of a leg

    def torso(self, time: float) -> MotionPoint:
        """Return the desired motion of the origin of the base body in the world, without rotation.

        Parameters
        ----------
        time : float
            Seconds; at rest before the start and after the end.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions import LeggedWalk
        >>> LeggedWalk(load_model("quadruped"), "trot").torso(10.0).position.round(3)
        array([2.   , 0.   , 0.498])
        """
        points = np.zeros((3, 3))  # derivative, axis
        points[:, 0] = np.concatenate(self._torso.at(time))
        points[0, 2] = self.height
        return MotionPoint(*points)

    def feet(self, time: float) -> MotionPoint:
        """Return the desired centres of the feet in the world, in the order of the legs.

        Feet in stance roll: the velocities of their lowest points are zero.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions import LeggedWalk
        >>> walk = LeggedWalk(load_model("athena"), "tripod")
        >>> print(walk.feet(0.5).position[:, 2].round(3))  # legs 1, 3 and 5 are in the air
        [0.058 0.018 0.058 0.018 0.058 0.018]
        """
        points = np.zeros((3, *self._stand.shape))  # derivative, leg, axis
        for members, path in zip(self._members, self._feet, strict=True):
            points[:, members] = path.at(time)
        points[0, :, 2] += self.height
        return MotionPoint(*points)

    def in_stance(self, time: float) -> tuple[bool, ...]:
        """Return whether each foot is in stance."""
        half, within = divmod(min(max(time, 0.0), self.duration), 0.5 * self.gait.period)
        margin = 0.25 * self.gait.period * (1.0 - self.gait.swing)
        swings = margin < within < 0.5 * self.gait.period - margin
        return tuple(not swings or group != half % 2 for group in self._group.tolist())

    def stance_shares(self, time: float) -> Floats:
        """Return the load factor of each foot (l,): 0 in the air, up to 1 while the others are.

        Between a landing and the next lift-off, all feet are in stance: the factor changes smoothly
        from 0 to 1 and from 1 to 0.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions import LeggedWalk
        >>> walk = LeggedWalk(load_model("quadruped"), "trot")
        >>> walk.stance_shares(3.0)  # the first group has landed, the second is about to leave
        array([0.5, 0.5, 0.5, 0.5])
        """
        half = 0.5 * self.gait.period
        margin = max(0.5 * half * (1.0 - self.gait.swing), LEAST_MARGIN)
        time = min(max(time, 0.0), self.duration)
        k = min(int(time / half), 2 * self.gait.cycles - 1)  # index of the half period
        is_first, is_last = k == 0, k == 2 * self.gait.cycles - 1
        since, left = time - k * half, (k + 1) * half - time
        # at start and end the other group does not change its load with this one
        gone = _rise(since / margin if is_first else 0.5 * (1.0 + since / margin))
        due = _rise(left / margin if is_last else 0.5 * (1.0 + left / margin))
        swings = max(1.0 - gone, 1.0 - due)
        in_stance = min(1.0 if is_first else gone, 1.0 if is_last else due)
        result: Floats = np.where(self._group == k % 2, swings, in_stance)
        return result

    def at(self, time: float) -> MotionPoint:
        """Return position, velocity and acceleration (a,) of the actuators at a time (s).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions import LeggedWalk
        >>> model = load_model("athena")
        >>> position, velocity, acceleration = LeggedWalk(model, "tripod").at(0.0)
        >>> position[:3], float(abs(velocity).max())
        (array([ 0. , -0.5,  1.8]), 0.0)
        """
        rest = self._rest
        parts = MotionPoint(rest.copy(), np.zeros_like(rest), np.zeros_like(rest))
        for part, of_legs in zip(parts, self._follow(time), strict=True):
            part[self._columns] = of_legs
        return parts

    def whole(self, time: float) -> MotionPoint:
        """Return position (p,), velocity and acceleration (v,) of the robot with its floating base.

        Raises
        ------
        UnsupportedError
            If the base body is not the child of a floating joint.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions import LeggedWalk
        >>> model = load_model("quadruped")
        >>> state = model.compute(*LeggedWalk(model, "trot").whole(3.0))
        >>> state.frame("base_link")[0].round(3)
        array([1.   , 0.   , 0.498])
        """
        model = self._model
        base = model.tree.joint_of(model.mechanisms.base_body or model.tree.root)
        if base is None or base.type != "floating":
            raise UnsupportedError(
                f"walk: expected a base body on a floating joint, got '{model.name}' without"
            )
        position, rates = model.zero_position(), np.zeros((2, len(model.velocity_names)))
        torso = self.torso(time)
        first = model.position_names.index(f"{base.name}/x")
        position[first : first + 3] = torso.position
        first = model.velocity_names.index(f"{base.name}/vx")
        rates[:, first : first + 3] = torso[1:]
        own, *changes = self.at(time)
        # all coordinates after the base belong to actuators, one number each
        position[[model.position_names.index(name) for name in model.actuator_names]] = own
        rates[:, model.actuator_index] = changes
        return MotionPoint(position, rates[0], rates[1])

    def sampled(self, time: Floats) -> SampledMotion:
        """Return the motion of the actuators at given times (k,), s.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions import LeggedWalk
        >>> walk = LeggedWalk(load_model("athena"), "tripod")
        >>> walk.sampled(np.linspace(0.0, 6.0, 61)).position.shape
        (61, 18)
        """
        feet = [self._feet_in_base(float(t)) for t in time]
        moved = self.legs.follow(*(np.array(part) for part in zip(*feet, strict=True)))
        parts = np.zeros((3, len(time), len(self._rest)))
        parts[0] = self._rest
        parts[:, :, self._columns] = np.array(moved)
        return SampledMotion(np.asarray(time), *parts)

    def _follow(self, time: float) -> MotionPoint:
        return self.legs.follow(*self._feet_in_base(time))

    def _feet_in_base(self, time: float) -> tuple[Floats, ...]:
        """Return positions, velocities and accelerations (l, 3) of the feet in the base body."""
        pairs = zip(self.feet(time), self.torso(time), strict=True)
        return tuple(foot - torso for foot, torso in pairs)


def _rise(share: float) -> float:
    """Return a smooth function that rises from 0 to 1."""
    s = min(max(share, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


def _group_of_legs(legs: Legs, gait: Gait, robot: str) -> np.ndarray:
    """Return the index of the group of each leg, (l,)."""
    groups = {name: k for k, group in enumerate(gait.groups) for name in group}
    if sorted(groups) != sorted(legs.names):
        raise UnsupportedError(
            f"gait: expected a robot with the legs {', '.join(sorted(groups))}, got '{robot}' "
            f"with {', '.join(legs.names)}"
        )
    return np.array([groups[name] for name in legs.names])


def _columns(model: Model, legs: Legs) -> np.ndarray:
    """Return the indices of the actuators that move the hinges of the legs, (l, 3)."""
    index = {name: k for k, name in enumerate(model.actuator_names)}
    missing = [name for names in legs.joint_names for name in names if name not in index]
    if missing:
        raise UnsupportedError(
            f"gait: expected an actuator for each hinge of the legs, got '{model.name}' without "
            f"one for {', '.join(missing)}"
        )
    return np.array([[index[name] for name in names] for names in legs.joint_names])


def _foot_radius(model: Model, legs: Legs) -> float:
    """Return the radius of the feet, which are spheres about the origins of their links (m)."""
    radii = set()
    for name in legs.foot_names:
        collisions = model.tree.links[name].collisions
        if [shape.kind for shape in collisions] != ["sphere"]:
            raise UnsupportedError(
                f"gait: link '{name}': expected one sphere as its collision, got "
                f"{', '.join(shape.kind for shape in collisions) or 'none'}"
            )
        radii.add(collisions[0].size[0])
    return max(radii)
