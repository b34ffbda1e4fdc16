# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Paths of spherical feet: in stance they roll on the floor while the legs rotate about them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

import numpy as np
from numpy.polynomial import chebyshev

from charmie_dynamics.numerics.vectors import Floats

from .gaits import SWING_HEIGHT, SWING_TIME, SWING_WAY, Gait, Stance
from .legs import Legs
from .motion import MotionPoint
from .splines import PiecewisePolynomial, joined_points

TERMS = 20  # of the series
ROUNDS = 12  # each reduces the error by the ratio of foot radius and leg length, or more


class RollingPaths:
    """Positions of feet in stance below a level torso that moves along x.

    The centre of a ball of radius r that is fixed to a leg and rolls on a floor with normal n moves
    with r (w x n), where w is the angular velocity of the leg's last link. w depends linearly on
    the velocity of the centre in the torso; so the position of the centre is a function of the
    position of the torso, independent of its speed, and the solution of a differential equation::

        dp/du = M(p) dp/du - e_x,  M(p) v = r w(p, v) x n,  p(0) = the foot's position at rest

    with p relative to the torso and the torso's position u. Rotation about the normal causes no
    rolling. The solution is a Chebyshev series, computed by iteration.

    Parameters
    ----------
    legs : Legs
    places : (l, 3) array
        Centres of the feet in the base body at u = 0 (m).
    radius : float
        Of the feet (m).
    reach : float
        Largest absolute value of u (m).

    Raises
    ------
    OutOfReachError
        If a leg is too short.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions import Legs
    >>> from charmie_dynamics.motions.rolling import RollingPaths
    >>> legs = Legs(load_model("quadruped"))
    >>> places = legs.foot_positions(np.tile([0.0, 0.8, -1.6], (4, 1)))
    >>> way = RollingPaths(legs, places, radius=0.03, reach=0.1).at(0.1)[0] - places
    >>> print(f"{1e3 * (way[0, 0] + 0.1):.2f} mm")  # what it rolled while the torso moved 100 mm
    4.22 mm
    """

    def __init__(self, legs: Legs, places: Floats, radius: float, reach: float) -> None:
        self._reach = reach
        nodes = chebyshev.chebpts1(TERMS)
        to_terms = np.linalg.inv(chebyshev.chebvander(nodes, TERMS - 1))
        points = places - reach * nodes[:, None, None] * np.array([1.0, 0.0, 0.0])
        at_nodes = chebyshev.chebvander(nodes, TERMS)
        for _ in range(ROUNDS):
            slope = np.tensordot(to_terms, _slopes(legs, points, radius), 1)
            terms = chebyshev.chebint(slope, scl=reach, lbnd=0.0)
            terms[0] += places
            points = np.tensordot(at_nodes, terms, 1)
        self._terms = np.zeros((TERMS + 1, 3, *places.shape))  # term, derivative, leg, axis
        for order in range(3):
            derivative = chebyshev.chebder(terms, order, scl=1.0 / reach)
            self._terms[: len(derivative), order] = derivative

    def at(self, way: float) -> tuple[Floats, Floats, Floats]:
        """Return the centres (l, 3) in the base body (m), and their derivatives by u.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.motions import Legs
        >>> from charmie_dynamics.motions.rolling import RollingPaths
        >>> legs = Legs(load_model("quadruped"))
        >>> places = legs.foot_positions(np.tile([0.0, 0.8, -1.6], (4, 1)))
        >>> point, slope, _ = RollingPaths(legs, places, radius=0.03, reach=0.1).at(0.0)
        >>> slope[0].round(3)
        array([-0.958,  0.   ,  0.   ])
        """
        angle = np.arccos(min(max(way / self._reach, -1.0), 1.0))
        point, slope, bend = np.tensordot(np.cos(np.arange(TERMS + 1) * angle), self._terms, 1)
        return point, slope, bend


class FootPaths:
    """Paths of the feet of a group of legs in the world, with the torso at height 0.

    In stance they roll; see `RollingPaths`. In their swing they follow the cubic spline through the
    points of ``gaits``, plus a polynomial of the fifth degree that matches the velocities and
    accelerations of the rolling at both ends.

    Parameters
    ----------
    gait : Gait
    torso : PiecewisePolynomial
        Position along x.
    stances : list of Stance
    ways : RollingPaths
        Of all legs.
    members : (g,) array of int
        Indices of the legs of the group.
    """

    def __init__(
        self,
        gait: Gait,
        torso: PiecewisePolynomial,
        stances: list[Stance],
        ways: RollingPaths,
        members: np.ndarray,
    ) -> None:
        self._torso, self._ways, self._members = torso, ways, members
        self._stances = stances
        self._begins = [stance.begin for stance in stances]
        self._swings = [self._swing(gait, *pair) for pair in pairwise(stances)]

    def at(self, time: float) -> MotionPoint:
        """Return the motion of the centres (g, 3) at a time (s)."""
        k = max(bisect_right(self._begins, time) - 1, 0)
        if time <= self._stances[k].end or k == len(self._swings):
            return self._rolling(self._stances[k], time)
        return MotionPoint(*(part.reshape(-1, 3) for part in self._swings[k].at(time)))

    def _rolling(self, stance: Stance, time: float) -> MotionPoint:
        """Return the motion (g, 3) in a stance, from that of the torso by the chain rule."""
        along = np.array([1.0, 0.0, 0.0])
        way, speed, change = (float(part[0]) for part in self._torso.at(time))
        parts = self._ways.at(way - stance.place)
        point, slope, bend = (part[self._members] for part in parts)
        slope = slope + along  # relative to the world
        return MotionPoint(point + way * along, slope * speed, bend * speed**2 + slope * change)

    def _swing(self, gait: Gait, before: Stance, after: Stance) -> PiecewisePolynomial:
        """Return the motion (3 g,) from one stance to the next."""
        begin, end = self._rolling(before, before.end), self._rolling(after, after.begin)
        first, last = begin[0], end[0]
        points = first + (last - first) * SWING_WAY[:, None, None]
        points[:, :, 2] += gait.lift * SWING_HEIGHT[:, None]
        time = before.end + (after.begin - before.end) * SWING_TIME
        spline = joined_points(time, points.reshape(len(time), -1))
        rates, changes = (
            np.array([a.ravel(), b.ravel()]) for a, b in zip(begin[1:], end[1:], strict=True)
        )
        rolling = joined_points(time[[0, -1]], np.zeros_like(rates), rates, changes)
        # both are at most of the fifth degree between the points, and so is their sum
        knots = [
            [a + b for a, b in zip(spline.at(t), rolling.at(t), strict=True)] for t in time.tolist()
        ]
        position, velocity, acceleration = (np.array(p) for p in zip(*knots, strict=True))
        return joined_points(time, position, velocity, acceleration)


def _slopes(legs: Legs, points: Floats, radius: float) -> Floats:
    """Return the derivatives of centres (n, l, 3) in the base body by the torso's position."""
    units = np.broadcast_to(np.eye(3)[:, None, None], (3, *points.shape))
    motion = legs.follow(points, units, np.zeros_like(units))
    turning = legs.angular_velocities(motion)
    rolled = np.zeros((*points.shape, 3))  # for each unit velocity, the last index
    # w x n with the normal along z
    rolled[..., 0, :] = radius * np.moveaxis(turning[..., 1], 0, -1)
    rolled[..., 1, :] = -radius * np.moveaxis(turning[..., 0], 0, -1)
    asked = np.broadcast_to(np.array([[-1.0], [0.0], [0.0]]), (*points.shape, 1))
    result: Floats = np.linalg.solve(np.eye(3) - rolled, asked)[..., 0]
    return result
