# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A02: N four-bars in a row, through their singular positions.

2 N + 1 rods, ground pivots at (i, 0). The rods that stand on the ground turn together, the others
stay horizontal: the mechanism is a pendulum, and its answer an elliptic one. Where all rods lie
flat, each of the four-bars could go on as an antiparallelogram, and its two constraints count as
one.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from .problem import Problem
from .robot_text import BASE, X, Y, joint, mechanisms, revolute_loop, robot, rod

GRAVITY = 9.81


def problem(count: int = 2, duration: float = 10.0, speed: float = 1.0) -> Problem:
    """Return `count` four-bars; the top of the first rod starts with `speed` along x (m/s)."""
    uprights = [f"upright_{i}" for i in range(count + 1)]
    parts, loops, passive, velocity = [], {}, [], {}
    for i, upright in enumerate(uprights):
        parts += [
            joint(f"pivot_{i}", "continuous", BASE, upright, (float(i), 0.0, 0.0)),
            rod(upright, 1.0, Y),
        ]
        velocity[f"pivot_{i}"] = -speed
        passive += [f"pivot_{i}"] if i else []
    for i in range(count):
        parts += [
            joint(f"corner_{i}", "continuous", uprights[i], f"beam_{i}", Y),
            rod(f"beam_{i}", 1.0, X),
        ]
        velocity[f"corner_{i}"] = speed
        passive.append(f"corner_{i}")
        loops[f"closure_{i}"] = revolute_loop(f"beam_{i}", X, uprights[i + 1], Y)
    name = f"four_bars_{count}"
    return Problem(
        f"A02_{count}",
        f"A02 {count} four-bars",
        robot(name, *parts),
        mechanisms(name, (0.0, -GRAVITY, 0.0), loop_joints=loops, passive_joints=passive),
        {},
        velocity,
        duration,
        "IFToMM A02; equivalent pendulum",
        answer={f"pivot_{i}": answer(count, duration, speed) for i in range(count + 1)},
    )


def answer(count: int, time: float, speed: float = 1.0) -> float:
    """Return the angle of the uprights (rad, 0: upright, negative: towards x).

    (N + 1) / 3 + N times the acceleration is g ((N + 1) / 2 + N) times the sine.
    """
    ratio = GRAVITY * (0.5 * (count + 1) + count) / ((count + 1) / 3.0 + count)
    found = solve_ivp(
        lambda _, y: (y[1], ratio * np.sin(y[0])),
        (0.0, time),
        (0.0, -speed),
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    )
    return float(found.y[0, -1])
