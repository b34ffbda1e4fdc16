# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random states of a robot, and small measures of its results."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from charmie_dynamics import Model, State

Floats = npt.NDArray[np.float64]
Sample = tuple[Floats, Floats, Floats]


def random_states(model: Model, count: int, seed: int) -> list[Sample]:
    """Return positions, velocities and accelerations (q,) of the actuators within their limits."""
    rng = np.random.default_rng(seed)
    limits = model.actuator_limits()
    low = np.array([max(limit.lower, -1.5) for limit in limits])
    high = np.array([min(limit.upper, 1.5) for limit in limits])
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    states = []
    for _ in range(count):
        x, v, a = rng.uniform(-1.0, 1.0, size=(3, len(half)))
        states.append((middle + 0.9 * half * x, half * v, 4.0 * half * a))
    return states


def relative(difference: npt.ArrayLike, scale: npt.ArrayLike) -> float:
    """Return the largest difference over the largest value of `scale`."""
    return float(np.abs(difference).max() / np.abs(scale).max())


def centre_of_mass(model: Model, state: State, link: str) -> Floats:
    """Return the centre of mass of a link in the world (3,)."""
    inertial = model.tree.links[link].inertial
    p, R = state.frame(link)
    return p if inertial is None else p + R @ inertial.p_link_com
