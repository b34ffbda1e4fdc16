# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Gaits: timing of the swings of legs, and the path of the torso."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError

from .splines import PiecewisePolynomial, joined_points

# The points of a foot in its swing: fractions of the time, the stride and the height. The cubic
# spline through these from rest to rest begins and ends without acceleration as well, since the
# points are those of sums of B-splines. The rolling of the feet is added (``rolling``).
SWING_TIME = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
SWING_WAY = np.array([0.0, 1.0 / 12.0, 0.5, 11.0 / 12.0, 1.0])
SWING_HEIGHT = np.array([0.0, 0.25, 1.0, 0.25, 0.0])


class Gait(NamedTuple):
    """A gait of a robot with legs: two groups of legs that swing in turn.

    Attributes
    ----------
    groups : tuple of tuple of str
        Names of the legs; the first group swings first.
    period : float
        Time of a step of each leg (s).
    stride : float
        Distance of the torso in a period at full speed (m).
    lift : float
        Height of a foot in the middle of its swing (m).
    cycles : int
        Number of periods of the motion.
    ramp : int
        Number of half periods in which the torso accelerates, and in which it decelerates to rest.
    swing : float
        Fraction of half a period in which a group is in the air; otherwise all feet are in stance.

    Examples
    --------
    >>> from charmie_dynamics.motions import GAITS
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


class Stance(NamedTuple):
    """A stance of the feet of a group.

    Attributes
    ----------
    begin, end : float
        Seconds.
    place : float
        Position of the torso along x above the feet of the standing pose (m).
    """

    begin: float
    end: float
    place: float


GAITS: dict[str, Gait] = {
    # the hexapod's: 2 s per cycle, 6 s, as in the contact paper, section 5.1; other values: chosen
    "tripod": Gait(
        groups=(("leg_1", "leg_3", "leg_5"), ("leg_2", "leg_4", "leg_6")),
        period=2.0,
        stride=0.2,
        lift=0.04,
        cycles=3,
        ramp=1,
        swing=0.9,
    ),
    # chosen: too fast for the trunk to tilt about two feet
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


def check_gait(gait: Gait) -> None:
    """Refuse numbers that are no valid gait; `InputError` names them."""
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


def torso_path(gait: Gait) -> PiecewisePolynomial:
    """Return the position of the torso along x: its acceleration is piecewise linear in a ramp."""
    end, speed = gait.cycles * gait.period, gait.stride / gait.period
    ramp = 0.5 * gait.ramp * gait.period
    time = np.array([0.0, 0.5 * ramp, ramp, end - ramp, end - 0.5 * ramp, end])
    way = speed * (end - ramp)
    first = speed * ramp * np.array([0.0, 1.0 / 12.0, 0.5])
    position = np.concatenate((first, way - first[::-1]))
    velocity = speed * np.array([0.0, 0.5, 1.0, 1.0, 0.5, 0.0])
    return joined_points(time, position[:, None], velocity[:, None])


def stances_of(gait: Gait, torso: PiecewisePolynomial, group: int) -> list[Stance]:
    """Return the stances of the feet of a group; between two stances they swing."""
    half = 0.5 * gait.period
    halves = 2 * gait.cycles
    margin = 0.5 * half * (1.0 - gait.swing)
    begins, ends, places = [0.0], [], [0.0]
    for k in range(group, halves, 2):
        ends.append(k * half + margin)
        begins.append(k * half + margin + half * gait.swing)
        # below the torso in the middle of the following stance, or at the end
        middle = (k + 1.5) * half if k + 2 < halves else halves * half
        places.append(float(torso.at(middle)[0][0]))
    ends.append(halves * half)
    return [Stance(*parts) for parts in zip(begins, ends, places, strict=True)]


def reach_of(stances: list[Stance], torso: PiecewisePolynomial) -> float:
    """Return the largest distance of the torso from the places of the stances (m)."""
    return max(
        abs(float(torso.at(time)[0][0]) - stance.place)
        for stance in stances
        for time in (stance.begin, stance.end)
    )
