# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Gaits of robots with legs: from stand to stand, the torso level, the feet on cubic splines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError, UnknownNameError, UnsupportedError, choices
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .legs import LegMotion, Legs
from .splines import PiecewisePolynomial, SampledMotion, joined_points

# The points of a foot in its swing: share of the time, of the way, and of the height. The cubic
# spline that joins them from rest to rest begins and ends without acceleration as well, since the
# points are those of sums of B-splines: forces do not jump when a foot touches or leaves.
SWING_TIME = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
SWING_WAY = np.array([0.0, 1.0 / 12.0, 0.5, 11.0 / 12.0, 1.0])
SWING_HEIGHT = np.array([0.0, 0.25, 1.0, 0.25, 0.0])


class Gait(NamedTuple):
    """How a robot with legs walks: two groups of legs that swing in turn.

    Attributes
    ----------
    groups : tuple of tuple of str
        Names of the legs; the first group swings first.
    period : float
        In which each leg makes a step (s).
    stride : float
        How far the torso gets in a period at full speed (m).
    lift : float
        Height of a foot in the middle of its swing (m).
    cycles : int
        How many periods the motion has.
    ramp : int
        Half periods in which the torso gets to its speed, and those in which it comes to rest.
    swing : float
        Share of half a period in which a group is in the air; in the rest all feet stand.

    Examples
    --------
    >>> from charmie_dynamics.motions.gaits import GAITS
    >>> GAITS["tripod"].groups[0], GAITS["tripod"].period
    (('leg_1', 'leg_3', 'leg_5'), 2.0)
    """

    groups: tuple[tuple[str, ...], tuple[str, ...]]
    period: float
    stride: float
    lift: float
    cycles: int
    ramp: int
    swing: float


GAITS: dict[str, Gait] = {
    # the hexapod's: 2 s a cycle, 6 s, as in 004, section 5.1; the rest is chosen
    "tripod": Gait(
        groups=(("leg_1", "leg_3", "leg_5"), ("leg_2", "leg_4", "leg_6")),
        period=2.0,
        stride=0.2,
        lift=0.04,
        cycles=3,
        ramp=1,
        swing=0.9,
    ),
    # chosen: quick enough that the trunk has no time to tilt about two feet
    "trot": Gait(
        groups=(("front_left", "rear_right"), ("front_right", "rear_left")),
        period=0.5,
        stride=0.2,
        lift=0.06,
        cycles=12,
        ramp=4,
        swing=0.9,
    ),
}


class PathPoint(NamedTuple):
    """Position, velocity and acceleration of one or several points in the world (m, s).

    Attributes
    ----------
    position, velocity, acceleration : (..., 3) array

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions.gaits import LeggedWalk
    >>> LeggedWalk(load_model("athena"), "tripod").torso(3.0).velocity
    array([0.1, 0. , 0. ])
    """

    position: Floats
    velocity: Floats
    acceleration: Floats


class LeggedWalk:
    """A robot that walks along x, from its rest pose to its rest pose.

    The torso stays level, at its height; its path is a cubic spline with continuous acceleration.
    Feet in stance stand still in the world, on the floor z = 0; those in swing follow the cubic
    spline through the points of this module. Each foot lands as far before its place below the
    torso as it will be behind it when it leaves. At constant speed the feet follow cubic splines in
    the axes of the torso as well, and the motion repeats itself with each period.

    Parameters
    ----------
    model : Model
        A robot with legs, see `Legs`, and a `rest_pose` in which all feet are at one height.
    gait : Gait or str
        Or its name.

    Attributes
    ----------
    gait : Gait
    legs : Legs
    duration : float
        Seconds.
    height : float
        Of the base body above the floor (m).
    steady : tuple of float
        From when to when the motion repeats itself with each period (s).

    Raises
    ------
    UnknownNameError
        For an unknown name of a gait.
    UnsupportedError
        If the robot has no such legs.
    InputError
        For numbers of a gait that make none.
    OutOfReachError
        From the constructor, if a leg is too short for the gait.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions.gaits import LeggedWalk
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
        _check(gait)
        self._model = model
        self.gait = gait
        self.legs = Legs(model)
        self._group = _group_of_legs(self.legs, gait, model.name)
        self.duration = gait.cycles * gait.period
        # a foot that swings at full speed has landed at full speed before
        begin = 0.5 * (gait.ramp + 1) * gait.period
        self.steady = (begin, self.duration - begin)
        self._columns = _columns(model, self.legs)
        rest = model.mechanisms.rest_pose
        self._rest = np.array([rest.get(name, 0.0) for name in model.actuator_names])
        self._stand = self.legs.foot_positions(self._rest[self._columns])
        self._radius = _foot_radius(model, self.legs)
        self.height = float(self._radius - self._stand[:, 2].mean())
        self._torso = _torso_path(gait)
        self._feet = [_foot_path(gait, self._torso, group) for group in range(2)]
        for time in np.linspace(0.0, self.duration, 8 * gait.cycles + 1):
            self._follow(float(time))  # refuses what a leg does not reach

    def torso(self, time: float) -> PathPoint:
        """Return where the origin of the base body is to be in the world; it does not turn.

        Parameters
        ----------
        time : float
            Seconds; before the start and after the end it rests.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions.gaits import LeggedWalk
        >>> LeggedWalk(load_model("quadruped"), "trot").torso(10.0).position.round(3)
        array([2.   , 0.   , 0.498])
        """
        points = np.zeros((3, 3))  # derivative, axis
        points[:, 0] = np.concatenate(self._torso.at(time))
        points[0, 2] = self.height
        return PathPoint(*points)

    def feet(self, time: float) -> PathPoint:
        """Return where the middles of the feet are to be in the world, in the order of the legs.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions.gaits import LeggedWalk
        >>> walk = LeggedWalk(load_model("athena"), "tripod")
        >>> print(walk.feet(0.5).position[:, 2].round(3))  # legs 1, 3 and 5 are in the air
        [0.058 0.018 0.058 0.018 0.058 0.018]
        """
        moved = np.zeros((3, 2, 3))  # derivative, group, axis
        for group, path in enumerate(self._feet):
            moved[:, group, 0::2] = path.at(time)
        points = moved[:, self._group]
        points[0] += self._stand
        points[0, :, 2] += self.height
        return PathPoint(*points)

    def in_stance(self, time: float) -> tuple[bool, ...]:
        """Return which feet are to stand on the floor.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions.gaits import LeggedWalk
        >>> LeggedWalk(load_model("quadruped"), "trot").in_stance(3.1)
        (False, True, True, False)
        """
        half, within = divmod(min(max(time, 0.0), self.duration), 0.5 * self.gait.period)
        margin = 0.25 * self.gait.period * (1.0 - self.gait.swing)
        swings = margin < within < 0.5 * self.gait.period - margin
        return tuple(not swings or group != half % 2 for group in self._group.tolist())

    def at(self, time: float) -> tuple[Floats, Floats, Floats]:
        """Return position, velocity and acceleration (a,) of the actuators at a time (s).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions.gaits import LeggedWalk
        >>> model = load_model("athena")
        >>> position, velocity, acceleration = LeggedWalk(model, "tripod").at(0.0)
        >>> position[:3], float(abs(velocity).max())
        (array([ 0. , -0.5,  1.8]), 0.0)
        """
        parts = self._rest.copy(), np.zeros_like(self._rest), np.zeros_like(self._rest)
        for part, of_legs in zip(parts, self._follow(time), strict=True):
            part[self._columns] = of_legs
        return parts

    def whole(self, time: float) -> tuple[Floats, Floats, Floats]:
        """Return position (p,), velocity and acceleration (v,) of the robot with its floating base.

        Raises
        ------
        UnsupportedError
            If the base body does not hang on a floating joint.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions.gaits import LeggedWalk
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
        # after the base there is nothing but actuators, one number each
        position[[model.position_names.index(name) for name in model.actuator_names]] = own
        rates[:, model.actuator_index] = changes
        return position, rates[0], rates[1]

    def sampled(self, time: Floats) -> SampledMotion:
        """Return the motion of the actuators at given times (k,), s.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions.gaits import LeggedWalk
        >>> walk = LeggedWalk(load_model("athena"), "tripod")
        >>> walk.sampled(np.linspace(0.0, 6.0, 61)).position.shape
        (61, 18)
        """
        feet = [self._seen_from_torso(float(t)) for t in time]
        moved = self.legs.follow(*(np.array(part) for part in zip(*feet, strict=True)))
        parts = np.zeros((3, len(time), len(self._rest)))
        parts[0] = self._rest
        parts[:, :, self._columns] = np.array(moved)
        return SampledMotion(np.asarray(time), *parts)

    def _follow(self, time: float) -> LegMotion:
        return self.legs.follow(*self._seen_from_torso(time))

    def _seen_from_torso(self, time: float) -> tuple[Floats, ...]:
        """Return positions, velocities and accelerations (l, 3) of the feet in the base body."""
        pairs = zip(self.feet(time), self.torso(time), strict=True)
        return tuple(foot - torso for foot, torso in pairs)


def _check(gait: Gait) -> None:
    """Refuse numbers that make no gait; `InputError` says which."""
    for name in ("period", "stride", "lift"):
        value = getattr(gait, name)
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"gait: {name}: expected a number above 0, got {value}")
    if not 0.0 < gait.swing <= 1.0:
        raise InputError(f"gait: swing: expected a number above 0 and up to 1, got {gait.swing}")
    if not 1 <= gait.ramp < gait.cycles:
        raise InputError(
            f"gait: ramp: expected 1 to cycles - 1 half periods, got {gait.ramp} of "
            f"{gait.cycles} cycles"
        )


def _group_of_legs(legs: Legs, gait: Gait, robot: str) -> np.ndarray:
    """Return in which of the two groups each leg is, (l,)."""
    groups = {name: k for k, group in enumerate(gait.groups) for name in group}
    if sorted(groups) != sorted(legs.names):
        raise UnsupportedError(
            f"gait: expected a robot with the legs {', '.join(sorted(groups))}, got '{robot}' "
            f"with {', '.join(legs.names)}"
        )
    return np.array([groups[name] for name in legs.names])


def _columns(model: Model, legs: Legs) -> np.ndarray:
    """Return which actuators move the hinges of the legs, (l, 3)."""
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


def _torso_path(gait: Gait) -> PiecewisePolynomial:
    """Return how far the torso is along x: its acceleration rises and falls linearly in a ramp."""
    end, speed = gait.cycles * gait.period, gait.stride / gait.period
    ramp = 0.5 * gait.ramp * gait.period
    time = np.array([0.0, 0.5 * ramp, ramp, end - ramp, end - 0.5 * ramp, end])
    way = speed * (end - ramp)
    first = speed * ramp * np.array([0.0, 1.0 / 12.0, 0.5])
    position = np.concatenate((first, way - first[::-1]))
    velocity = speed * np.array([0.0, 0.5, 1.0, 1.0, 0.5, 0.0])
    return joined_points(time, position[:, None], velocity[:, None])


def _foot_path(gait: Gait, torso: PiecewisePolynomial, group: int) -> PiecewisePolynomial:
    """Return way along x and height of a group's feet, from where they stand at first."""
    half = 0.5 * gait.period
    halves = 2 * gait.cycles
    margin = 0.5 * half * (1.0 - gait.swing)
    times, parts = [0.0], []
    place = 0.0

    def stand(until: float) -> None:
        if until > times[-1]:
            still = np.zeros((6, 1, 2))
            still[0, 0, 0] = place
            parts.append(still)
            times.append(until)

    for k in range(group, halves, 2):
        stand(k * half + margin)
        # below the torso in the middle of the stance that follows, or at the end
        target = float(torso.at((k + 1.5) * half if k + 2 < halves else halves * half)[0][0])
        time = k * half + margin + half * gait.swing * SWING_TIME
        points = np.column_stack((place + (target - place) * SWING_WAY, gait.lift * SWING_HEIGHT))
        parts.append(joined_points(time, points).coefficients)
        times.extend(time[1:].tolist())
        place = target
    stand(halves * half)
    return PiecewisePolynomial(np.array(times), np.concatenate(parts, axis=1))
