# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""An impact on a wall and a block on a slope under a law of contact, integrated by SciPy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from charmie_dynamics.core.contact.evaluation import friction_force, normal_energy, normal_force
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.numerics.vectors import Floats

G = 9.81  # m/s^2
BLOCK = 2.0  # kg
# more than the longest impact, as multiples of that with a linear spring
LONGEST = 1e6
SHOWN = 400  # points of an impact that is drawn


class ImpactRun(NamedTuple):
    """What came out of an impact.

    Attributes
    ----------
    restitution, duration : float
        Speed after it by that before it; s.
    indentation, rate, force : (k,) array
        m, m/s, N.
    kinetic, stored, lost : (k,) array
        Energies (J).
    """

    restitution: float
    duration: float
    indentation: Floats
    rate: Floats
    force: Floats
    kinetic: Floats
    stored: Floats
    lost: Floats


def impact(
    law: str, values: Mapping[str, float], *, speed: float, mass: float, evenly: bool = False
) -> ImpactRun:
    """Return the impact of a mass on a wall.

    Parameters
    ----------
    law : str
        Normal law.
    values : mapping of str to float
        Its parameters.
    speed, mass : float
        At touch (m/s); kg.
    evenly : bool
        Whether the points are evenly spaced in time, for a diagram, and not those of the steps.
    """
    found = NORMAL_LAWS[law]
    address, numbers = found.address, found.numbers(values)

    def rates(_: float, state: Floats) -> Floats:
        force, lost = normal_force(address, numbers, state[0], state[1], speed)
        return np.array([state[1], -force / mass, lost])

    def parted(_: float, state: Floats) -> float:
        return float(state[0])

    parted.terminal = True  # type: ignore[attr-defined]
    parted.direction = -1.0  # type: ignore[attr-defined]
    depth = speed * math.sqrt(mass / values["stiffness"])
    run = solve_ivp(
        rates,
        (0.0, LONGEST * depth / speed),
        [0.0, speed, 0.0],
        method="LSODA",
        events=parted,
        rtol=1e-11,
        atol=[1e-13 * depth, 1e-13 * speed, 1e-13 * mass * speed**2],
        dense_output=evenly,
    )
    if run.status != 1:
        raise RuntimeError(f"{law}: {run.message}")
    (time,), (end,) = run.t_events[0], run.y_events[0]
    x, v, lost = run.sol(np.linspace(0.0, time, SHOWN)) if evenly else run.y
    force = [normal_force(address, numbers, a, b, speed)[0] for a, b in zip(x, v, strict=True)]
    stored = [normal_energy(address, numbers, max(0.0, depth)) for depth in x]
    return ImpactRun(
        float(-end[1] / speed),
        float(time),
        x,
        v,
        np.array(force),
        0.5 * mass * v**2,
        np.array(stored),
        lost,
    )


def slide(
    law: str,
    values: Mapping[str, float],
    slope: float,
    times: Floats,
    push: tuple[float, float] = (0.0, 0.0),
) -> Floats:
    """Return the motion of a block that is let go on a slope, in the plane of the slope.

    Parameters
    ----------
    law : str
        Friction law.
    values : mapping of str to float
        Its parameters.
    slope : float
        rad.
    times : (k,) array
        s, from zero.
    push : (float, float)
        Force down the slope and across it, beside the weight (N).

    Returns
    -------
    (k, 6) array
        Position, velocity and internal displacement, each down the slope and across it.
    """
    found = FRICTION_LAWS[law]
    address, numbers = found.address, found.numbers(values)
    normal = BLOCK * G * math.cos(slope)
    pull = np.array([BLOCK * G * math.sin(slope) + push[0], push[1]])

    def rates(_: float, s: Floats) -> Floats:
        velocity, bent = (s[2], s[3], 0.0), (s[4], s[5], 0.0)
        force, rate, _ = friction_force(address, numbers, normal, velocity, bent)
        return np.array([s[2], s[3], *((pull + force[:2]) / BLOCK), rate[0], rate[1]])

    run = solve_ivp(
        rates, (0.0, times[-1]), np.zeros(6), method="LSODA", t_eval=times, rtol=1e-10, atol=1e-13
    )
    if not run.success:
        raise RuntimeError(f"{law}: {run.message}")
    result: Floats = run.y.T
    return result
