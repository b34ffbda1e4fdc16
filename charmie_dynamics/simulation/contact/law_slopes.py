# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stiffness and damping of contact laws, as slopes of their forces."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.contact.law_types import FrictionLaw, NormalLaw
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import InputError
from charmie_dynamics.model.description.world import ContactRule
from charmie_dynamics.numerics.jit import ready

QUADRATURE = 12  # nodes
SMALL = 1e-6  # of a depth or a displacement, for slopes
LEAST_SPEED = 1e-6  # m/s: slopes over smaller differences do not count
FASTEST = 10.0  # m/s up to which the slope of friction is searched
SPEEDS = 128  # of the search
DEEPEST = 1.0  # m
SHALLOWEST = 1e-13  # m: smaller indentations drown in the round-off of positions
HALVINGS = 60


class Slopes(NamedTuple):
    """Stiffness and damping of a point of contact, along the normal and across it."""

    normal: tuple[float, float]
    tangential: tuple[float, float]


class SlopesOfLaws:
    """The slopes of laws, each computed once for a load."""

    def __init__(self, rules: Sequence[ContactRule]) -> None:
        self._rules = rules
        self._known: dict[tuple[int, float], Slopes] = {}

    def __call__(self, law: int, load: float) -> Slopes:
        """Return the slopes of a law by its number, under a load (N) on one point."""
        key = law, load
        if key not in self._known:
            self._known[key] = _slopes(self._rules[law], load)
        return self._known[key]


def resting_depth(rule: ContactRule, load: float) -> float:
    """Return the indentation (m), at most `DEEPEST`, at which a point bears a load (N)."""
    law: NormalLaw = NORMAL_LAWS[rule.normal]
    numbers, force = law.numbers(rule.normal_values), _called(law.force)
    return _root(lambda x: load - float(force(numbers, x, 0.0, 0.0)), DEEPEST)


def _slopes(rule: ContactRule, load: float) -> Slopes:
    """Return the slopes of the laws of a point of contact under a load (N).

    Raises
    ------
    InputError
        If the indentation under the load is too small for positions in floating point, or a slope
        is not finite.
    """
    load = load or 1.0  # without gravity
    depth = resting_depth(rule, load)
    try:
        slopes = _slopes_at(rule, load, depth)
    except (OverflowError, ZeroDivisionError):
        slopes = Slopes((math.inf, math.inf), (math.inf, math.inf))
    if not depth >= SHALLOWEST or not all(map(math.isfinite, (*slopes.normal, *slopes.tangential))):
        given = {**rule.normal_values, **rule.friction_values}
        raise InputError(
            f"contact law '{rule.normal}' with friction '{rule.friction}', "
            f"{', '.join(f'{key} {value:g}' for key, value in given.items())}: under {load:.3g} N "
            f"the indentation is {depth:.1e} m and the stiffness {slopes.normal[0]:.1e} N/m; "
            f"expected finite slopes and at least {SHALLOWEST:g} m; try a smaller stiffness"
        )
    return slopes


def _slopes_at(rule: ContactRule, load: float, depth: float) -> Slopes:
    """Return the slopes at an indentation (m)."""
    law: NormalLaw = NORMAL_LAWS[rule.normal]
    numbers, force = law.numbers(rule.normal_values), _called(law.force)
    at_rest = force(numbers, depth, 0.0, 0.0)
    stiffness = (force(numbers, depth * (1.0 + SMALL), 0.0, 0.0) - at_rest) / (depth * SMALL)
    damping = (force(numbers, depth, LEAST_SPEED, 0.0) - at_rest) / LEAST_SPEED
    friction: FrictionLaw = FRICTION_LAWS[rule.friction]
    of_friction, drag = friction.numbers(rule.friction_values), _called(friction.force)
    still, displaced = (0.0, 0.0, 0.0), (SMALL * SMALL, 0.0, 0.0)
    elastic = -drag(of_friction, load, still, displaced)[0][0] / displaced[0]
    viscous = _largest_slope(lambda speed: -drag(of_friction, load, (speed, 0.0, 0.0), still)[0][0])
    return Slopes((stiffness, max(0.0, damping)), (max(0.0, elastic), viscous))


def _largest_slope(function: Callable[[float], float]) -> float:
    """Return the largest slope between rest and `FASTEST` (m/s), over at least `LEAST_SPEED`.

    The steepest interval of a grid is bisected: a ramp may be narrow.
    """
    speeds = [0.0, *np.geomspace(LEAST_SPEED, FASTEST, SPEEDS)]
    forces = [function(speed) for speed in speeds]
    rises = np.diff(forces)
    steepest = {int(rises.argmax()), int((rises / np.diff(speeds)).argmax())}
    largest = 0.0
    for k in steepest:
        low, high = speeds[k], speeds[k + 1]
        below, above = forces[k], forces[k + 1]
        largest = max(largest, (above - below) / (high - low))
        while high - low > LEAST_SPEED:
            middle = 0.5 * (low + high)
            between = function(middle)
            if between - below > above - between:
                high, above = middle, between
            else:
                low, below = middle, between
            largest = max(largest, (above - below) / (high - low))
    return float(largest)


def _root(function: Callable[[float], float], high: float) -> float:
    """Return where a function that falls is no longer above zero."""
    low = 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) > 0.0 else (low, middle)
    return high


def _called(law: Callable[..., Any]) -> Callable[..., Any]:
    """Return a law as Python calls it."""
    return ready(law) if hasattr(law, "argument_types") else law


def impact_stiffness(rule: ContactRule, energy: float) -> float:
    """Return the largest mean slope (N/m) of a law in an impact of an energy (J) without losses."""
    law: NormalLaw = NORMAL_LAWS[rule.normal]
    numbers, force = law.numbers(rule.normal_values), _called(law.force)
    nodes, weights = np.polynomial.legendre.leggauss(QUADRATURE)

    def stored(depth: float) -> float:
        at = 0.5 * depth * (nodes + 1.0)
        forces = [float(force(numbers, x, 0.0, 0.0)) for x in at.tolist()]
        return 0.5 * depth * float(np.dot(weights, forces))

    try:
        depth = _root(lambda x: energy - stored(x), DEEPEST)
        slope = float(force(numbers, depth, 0.0, 0.0)) / depth
    except (OverflowError, ZeroDivisionError):
        return math.inf
    return slope
