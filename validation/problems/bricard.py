# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A04: Bricard's mechanism, which moves although it has as many constraints as coordinates.

Five rods between six corners, hinges y z x y z x; the last one is cut. Of its five equations one is
redundant everywhere: rank 4 of 5. Gravity along -y.
"""

from __future__ import annotations

from .problem import Problem
from .robot_text import BASE, X, Y, Z, joint, mechanisms, revolute_loop, robot, rod

CORNERS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))  # m
AXES = (Y, Z, X, Y, Z, X)
GRAVITY = 9.81


def problem(duration: float = 10.0, width: float = 0.1) -> Problem:
    """Return the mechanism, from rest; rods of square section (m), zero: slender ones."""
    parts = []
    for i, axis in enumerate(AXES[:-1]):
        before = CORNERS[i - 1] if i else CORNERS[0]
        parts += [
            joint(
                f"hinge_{i + 1}",
                "continuous",
                f"rod_{i}" if i else BASE,
                f"rod_{i + 1}",
                _difference(CORNERS[i], before),
                axis,
            ),
            rod(f"rod_{i + 1}", 1.0, _difference(CORNERS[i + 1], CORNERS[i]), width),
        ]
    tip = _difference(CORNERS[5], CORNERS[4])
    return Problem(
        "A04",
        "A04 Bricard's mechanism",
        robot("bricard", *parts),
        mechanisms(
            "bricard",
            (0.0, -GRAVITY, 0.0),
            loop_joints={"hinge_6": revolute_loop("rod_5", tip, BASE, CORNERS[5], AXES[5])},
            passive_joints=[f"hinge_{i}" for i in range(2, 6)],
        ),
        {},
        {},
        duration,
        "IFToMM A04; own closed form of the loop",
    )


def _difference(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(float(x - y) for x, y in zip(a, b, strict=True))
