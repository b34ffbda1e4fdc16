# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random states and smooth motions of a model within its limits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from charmie_dynamics import Model

Motion = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


def ranges(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return middle and half width (q,) of each actuator's range, at most 1.5 wide."""
    limits = model.actuator_limits()
    low = np.array([limit.lower if math.isfinite(limit.lower) else -1.5 for limit in limits])
    high = np.array([limit.upper if math.isfinite(limit.upper) else 1.5 for limit in limits])
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    return middle, np.minimum(half, 1.5)


def random_state(
    model: Model, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return position, velocity and acceleration (q,) of the actuators."""
    middle, half = ranges(model)
    x, v, a = rng.uniform(-1.0, 1.0, size=(3, len(half)))
    return middle + 0.95 * half * x, half * v, 4.0 * half * a


def random_motion(model: Model, rng: np.random.Generator) -> Motion:
    """Return a sum of two sines for each actuator, as a function of times (n,)."""
    middle, half = ranges(model)
    share = rng.uniform(0.1, 0.9, size=len(half))
    swing = 0.45 * half * np.array([share, 1.0 - share])
    w = rng.uniform(0.5, 3.0, size=(2, len(half)))
    phase = rng.uniform(0.0, 2.0 * math.pi, size=(2, len(half)))
    centre = middle + 0.5 * half * rng.uniform(-1.0, 1.0, size=len(half))

    def at(times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        angle = np.multiply.outer(times, w) + phase
        position = centre + (swing * np.sin(angle)).sum(axis=-2)
        velocity = (swing * w * np.cos(angle)).sum(axis=-2)
        return position, velocity, -(swing * w * w * np.sin(angle)).sum(axis=-2)

    return at
