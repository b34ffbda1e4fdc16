# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A chain of n equal rods that falls from the horizontal: what grows with n, and how."""

from __future__ import annotations

from .problem import Problem
from .robot_text import BASE, ORIGIN, X, joint, mechanisms, robot, rod

GRAVITY = 9.81


def problem(count: int = 10, duration: float = 1.0) -> Problem:
    """Return `count` slender rods of 1 m and 1 kg in a row."""
    parts = []
    for i in range(count):
        before, at = (f"rod_{i - 1}", X) if i else (BASE, ORIGIN)
        parts += [joint(f"hinge_{i}", "continuous", before, f"rod_{i}", at)]
        parts += [rod(f"rod_{i}", 1.0, X)]
    name = f"chain_{count}"
    return Problem(
        name,
        f"chain of {count} rods",
        robot(name, *parts),
        mechanisms(name, (0.0, -GRAVITY, 0.0)),
        {},
        {},
        duration,
        "own equations in absolute angles",
    )
