# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A slider-crank that a constant torque drives; its loop is cut at the pin or at the slide.

The line of the slider is beside the pivot of the crank, and no centre of mass lies on a line
between hinges. All numbers are chosen here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .problem import Problem
from .robot_text import BASE, ORIGIN, X, joint, link, mechanisms, revolute_loop, robot

CRANK, ROD, BESIDE = 0.3, 0.8, 0.1  # m
CRANK_BODY = (1.2, (0.12, 0.03), 0.02)  # kg, m, kg m^2
ROD_BODY = (0.9, (0.37, -0.05), 0.05)
SLIDER_MASS = 2.0
TORQUE = 0.7  # N m
GRAVITY = 9.81
ANGLE, SPEED = 0.4, 1.5  # rad, rad/s, of the crank at the start


def problem(duration: float = 2.0, cut: str = "pin") -> Problem:
    """Return the mechanism; `cut` is ``"pin"`` (revolute) or ``"slide"`` (prismatic)."""
    slider = link("slider", SLIDER_MASS, ORIGIN, 3 * (0.01,))
    parts = [
        joint("crank_joint", "continuous", BASE, "crank"),
        _body("crank", CRANK_BODY),
        joint("rod_joint", "continuous", "crank", "rod", (CRANK, 0.0, 0.0)),
        _body("rod", ROD_BODY),
        slider,
    ]
    if cut == "pin":
        parts.append(joint("slider_joint", "prismatic", BASE, "slider", (0.0, BESIDE, 0.0), X))
        loop: dict[str, Any] = revolute_loop("rod", (ROD, 0.0, 0.0), "slider", ORIGIN)
    else:
        parts.append(joint("slider_joint", "continuous", "rod", "slider", (ROD, 0.0, 0.0)))
        loop = {**revolute_loop(BASE, (0.0, BESIDE, 0.0), "slider", ORIGIN, X), "type": "prismatic"}
    return Problem(
        f"slider_crank_{cut}",
        f"slider-crank, cut at the {cut}",
        robot("slider_crank", *parts),
        mechanisms(
            "slider_crank",
            (0.0, -GRAVITY, 0.0),
            loop_joints={cut: loop},
            passive_joints=["rod_joint", "slider_joint"],
        ),
        *closed(cut, ANGLE, SPEED),
        duration,
        "own minimal coordinates",
        effort={"crank_joint": TORQUE},
    )


def _body(name: str, body: tuple[float, tuple[float, float], float]) -> str:
    mass, centre, inertia = body
    return link(name, mass, (*centre, 0.0), 3 * (inertia,))


def closed(cut: str, angle: float, speed: float) -> tuple[dict[str, float], dict[str, float]]:
    """Return positions and velocities of all joints for those of the crank."""
    rod = np.arcsin((BESIDE - CRANK * np.sin(angle)) / ROD)
    rod_speed = -CRANK * np.cos(angle) * speed / (ROD * np.cos(rod))
    if cut == "pin":
        last = CRANK * np.cos(angle) + ROD * np.cos(rod)
        last_speed = -CRANK * np.sin(angle) * speed - ROD * np.sin(rod) * rod_speed
    else:
        last, last_speed = -rod, -rod_speed
    names = ("crank_joint", "rod_joint", "slider_joint")
    return (
        dict(zip(names, map(float, (angle, rod - angle, last)), strict=True)),
        dict(zip(names, map(float, (speed, rod_speed - speed, last_speed)), strict=True)),
    )
