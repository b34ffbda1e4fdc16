# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A four-bar of random geometry in a random plane: a loop that nobody has tuned anything for.

All links stand along the axes of the plane at zero positions, where the loop is closed. What
carries the plane is turned against the world, so that gravity has a part in it and one across.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

from .problem import Problem
from .robot_text import BASE, joint, link, mechanisms, revolute_loop, robot

GRAVITY = 9.81
BODIES = ("crank", "coupler", "follower")


class Geometry(NamedTuple):
    """Hinges P0 P1 P2 P3 in the plane (m), bodies, the plane in the world (roll pitch yaw)."""

    hinges: Floats
    masses: Floats
    centres: Floats  # (3, 3) m, from the hinge that carries the body
    inertias: Floats  # (3,) kg m^2
    plane: Floats
    speed: float  # rad/s, of the crank
    torque: float  # N m


def geometry(seed: int) -> Geometry:
    """Return what the seed gives."""
    random = np.random.default_rng(seed)
    corners = np.array([(0.0, 0.0), (0.1, 0.4), (0.9, 0.6), (0.8, 0.0)])
    return Geometry(
        corners + random.uniform(-0.08, 0.08, (4, 2)),
        random.uniform(0.5, 2.0, 3),
        random.uniform(-0.1, 0.3, (3, 3)),
        random.uniform(0.02, 0.1, 3),
        random.uniform(-1.0, 1.0, 3),
        float(random.uniform(-1.0, 1.0)),
        float(random.uniform(-2.0, 2.0)),
    )


def problem(seed: int = 1, duration: float = 1.0, kind: str = "revolute") -> Problem:
    """Return the four-bar; its loop is closed by a joint of `kind`, revolute or spherical."""
    g = geometry(seed)
    p = np.column_stack((g.hinges, np.zeros(4)))
    parts = [
        joint("mount", "fixed", BASE, "ground", turned=g.plane),
        '<link name="ground"/>',
        joint("crank_joint", "continuous", "ground", "crank", p[0]),
        joint("coupler_joint", "continuous", "crank", "coupler", p[1] - p[0]),
        joint("follower_joint", "continuous", "ground", "follower", p[3]),
    ]
    parts += [
        link(name, float(mass), centre, 3 * (float(inertia),))
        for name, mass, centre, inertia in zip(BODIES, g.masses, g.centres, g.inertias, strict=True)
    ]
    loop = revolute_loop("coupler", p[2] - p[1], "follower", p[2] - p[3])
    if kind == "spherical":
        loop = {key: value for key, value in loop.items() if key != "axis"} | {"type": kind}
    name = f"four_bar_{seed}"
    return Problem(
        f"{name}_{kind}" if kind != "revolute" else name,
        f"four-bar of random geometry, seed {seed}, {kind}",
        robot(name, *parts),
        mechanisms(
            name,
            (0.0, 0.0, -GRAVITY),
            loop_joints={"pin": loop},
            passive_joints=["coupler_joint", "follower_joint"],
        ),
        {},
        dict(zip(("crank_joint", "coupler_joint", "follower_joint"), _rates(g), strict=True)),
        duration,
        "own minimal coordinates",
        effort={"crank_joint": g.torque},
    )


def _rates(g: Geometry) -> tuple[float, float, float]:
    """Return the rates of the three joints such that the loop stays closed."""
    crank, coupler, follower = (
        g.hinges[1] - g.hinges[0],
        g.hinges[2] - g.hinges[1],
        (g.hinges[2] - g.hinges[3]),
    )
    matrix = np.column_stack((coupler, -follower))  # turned by 90 degrees on both sides
    absolute, rate = np.linalg.solve(matrix, -g.speed * crank)
    return g.speed, float(absolute - g.speed), float(rate)
