# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A01: a point mass on a massless bar, from rest, horizontal.

The angle counts from the horizontal; with k = sin(pi / 4) of the amplitude of 90 degrees it is
known by the elliptic function cd (see `answer`).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ellipj, ellipk

from .problem import Problem
from .robot_text import BASE, X, joint, link, mechanisms, robot

GRAVITY = 9.81


def problem(duration: float = 10.0) -> Problem:
    """Return the pendulum of 1 kg and 1 m."""
    return Problem(
        "A01",
        "A01 simple pendulum",
        robot(
            "pendulum",
            joint("hinge", "continuous", BASE, "bar"),
            link("bar", 1.0, X, (0.0, 0.0, 0.0)),
        ),
        mechanisms("pendulum", (0.0, -GRAVITY, 0.0)),
        {},
        {},
        duration,
        "IFToMM A01; elliptic function",
        answer={"hinge": answer(duration)},
    )


def answer(time: float) -> float:
    """Return the angle (rad): sin(swing / 2) = k cd(w t), swing counted from hanging down."""
    k = np.sin(0.25 * np.pi)
    sn, *_ = ellipj(np.sqrt(GRAVITY) * time + ellipk(k**2), k**2)
    return float(2.0 * np.arcsin(k * sn) - 0.5 * np.pi)
