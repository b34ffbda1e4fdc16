# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where the robot on wheels really tips over: its floor is tilted, or it is pushed, ever more.

Both are slow, so that how the robot stands changes with the load alone. It tips where the two
wheels on the side away from the fall carry nothing any more, which is where the margin of the model
is to be zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from charmie_dynamics import Wrench
from charmie_dynamics.model.stability import Stability, Support, stability_of

from .driven_robot import BASE, DrivenRobot, Sample

G = 9.81  # m/s^2
SETTLES = 1.0  # s
UPDATE = 0.02  # s, between two loads
TILT_RATE = math.radians(5.0)  # rad/s
PUSH_RATE = 20.0  # N/s
PUSH_HEIGHT = 1.0  # m above the floor
HOLDS = 1.5  # s that a load is held for which the robot is to stand, or to fall
FALLEN = math.radians(30.0)  # lean of a robot that is falling
DIRECTIONS = {"right": (1.0, 0.0), "front": (0.0, 1.0), "rear": (0.0, -1.0)}


class TipOver(NamedTuple):
    """How a robot tipped over.

    Attributes
    ----------
    direction : str
        In which it fell.
    load : (k,) list of float
        Tilt (rad) or push (N).
    samples : list of Sample
        At these.
    predicted : float
        Load at which the margin is zero, of the robot as it stands before.
    first_lift, tips : float
        Loads at which the first wheel carries nothing, and both on one side.
    margin : float
        Of the model when the robot tips (m).
    """

    direction: str
    load: list[float]
    samples: list[Sample]
    predicted: float
    first_lift: float
    tips: float
    margin: float


Loading = Callable[[DrivenRobot, str, float], None]


def tilt(driven: DrivenRobot, direction: str, angle: float) -> None:
    """Let gravity act as on a floor that goes down in a direction by an angle (rad)."""
    x, y = DIRECTIONS[direction]
    s, c = math.sin(angle), math.cos(angle)
    driven.load((G * s * x, G * s * y, -G * c))


def push(driven: DrivenRobot, direction: str, force: float) -> None:
    """Push the robot in a direction with a level force (N), `PUSH_HEIGHT` above the floor."""
    state = driven.robot.kinematics(driven.position)
    p, R = state.frame(BASE)
    given = np.array((*DIRECTIONS[direction], 0.0)) * force
    lever = np.array((0.0, 0.0, PUSH_HEIGHT - p[2]))
    driven.load((0.0, 0.0, -G), Wrench(R.T @ given, R.T @ np.cross(lever, given)))


LOADINGS: dict[str, tuple[Loading, float]] = {"tilt": (tilt, TILT_RATE), "push": (push, PUSH_RATE)}


def predicted_load(loading: str, direction: str) -> float:
    """Return the load at which the margin of the robot as it settles becomes zero.

    Found by halving: the model is asked at the pose of the settled robot, which is not simulated.
    """
    driven = DrivenRobot(braked=True)
    driven.follow((0.0, 0.0, 0.0), SETTLES)
    apply = LOADINGS[loading][0]
    low, high = 0.0, {"tilt": 0.5 * math.pi, "push": 1000.0}[loading]
    for _ in range(30):
        middle = 0.5 * (low + high)
        apply(driven, direction, middle)
        low, high = (middle, high) if _at_rest(driven).margin > 0.0 else (low, middle)
    return high


def tip_over(loading: str, direction: str) -> TipOver:
    """Load the robot ever more until it has tipped."""
    apply, rate = LOADINGS[loading]
    predicted = predicted_load(loading, direction)
    driven = DrivenRobot(braked=True)
    driven.follow((0.0, 0.0, 0.0), SETTLES)
    loads, samples = [], []
    tips = first_lift = margin = math.nan
    away = _away(driven, direction)
    while math.isnan(tips):
        load = (driven.time - SETTLES) * rate
        apply(driven, direction, load)
        for sample in driven.follow((0.0, 0.0, 0.0), UPDATE):
            loads.append(load)
            samples.append(sample)
            if math.isnan(first_lift) and (sample.loads[away] <= 0.0).any():
                first_lift = load
            if math.isnan(tips) and not (sample.loads[away] > 0.0).any():
                tips, margin = load, sample.stability.margin
        if load > 2.0 * predicted:
            break
    return TipOver(direction, loads, samples, predicted, first_lift, tips, margin)


def falls_at(loading: str, direction: str, load: float, rise: float = 5.0) -> bool:
    """Tell whether the robot falls under a load that grows within a time (s), and is then held."""
    apply, rate = LOADINGS[loading][0], load / rise
    driven = DrivenRobot(braked=True)
    driven.follow((0.0, 0.0, 0.0), SETTLES)
    while (now := (driven.time - SETTLES) * rate) < load:
        apply(driven, direction, now)
        driven.follow((0.0, 0.0, 0.0), UPDATE)
    apply(driven, direction, load)
    held = driven.follow((0.0, 0.0, 0.0), HOLDS)
    return any(sample.lean > FALLEN for sample in held)


def _at_rest(driven: DrivenRobot) -> Stability:
    state = driven.robot.compute(driven.position)
    return stability_of(driven.robot, Support.of(driven.robot), state)


def _away(driven: DrivenRobot, direction: str) -> list[int]:
    """Return the wheels on the side away from a direction."""
    contacts = np.array(driven.robot.mechanisms.wheel_contacts)[:, :2]
    return np.flatnonzero(contacts @ DIRECTIONS[direction] < 0.0).tolist()
