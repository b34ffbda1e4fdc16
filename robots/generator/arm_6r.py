# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A serial arm with six revolute joints and the joint axes of a KUKA KR 500-3."""

from __future__ import annotations

import math
from collections.abc import Iterable

from .solids import ALONG_X, ALONG_Y, CASTING, HOUSING, STEEL, Solid
from .writing import Joint, Limits, Link, urdf

COMMENT = """
  A serial arm with six revolute joints whose axes lie as those of a KUKA KR 500-3, after figure
  3 (b) of the forward kinematics paper, see docs/robots.md.

  Written by `python -m robots.generator`; change it there.

  Units: m, kg, rad, s, N, N m. At zero the arm is stretched forward, along x, z up. tool0 is the
  flange, with z out of it.

  Where the values come from:
    published   places and axes of the joints
    estimated   all else: shapes, ranges, rated torques and velocities, masses and inertias. Links
                are the solids that are drawn, of the densities that stand beside their inertials.
"""
MATERIALS = {
    "arm": "0.89 0.90 0.91 1",
    "hub": "0.00 0.55 0.60 1",
    "base": "0.24 0.26 0.29 1",
    "motor": "0.17 0.18 0.20 1",
    "steel": "0.66 0.68 0.71 1",
}
PUBLISHED = "published"
# place in the parent (m), axis, range (rad), rated torque (N m) and velocity (rad/s)
JOINTS = (
    ((0.0, 0.0, 1.045), (0, 0, -1), Limits(-3.2, 3.2, 25_000.0, 1.4)),
    ((0.5, 0.0, 0.0), (0, 1, 0), Limits(-2.2, 0.35, 40_000.0, 1.3)),
    ((1.3, 0.0, 0.0), (0, 1, 0), Limits(-1.7, 2.5, 22_000.0, 1.2)),
    ((0.0, 0.0, -0.055), (-1, 0, 0), Limits(-6.1, 6.1, 5_000.0, 1.3)),
    ((1.025, 0.0, 0.0), (0, 1, 0), Limits(-2.1, 2.1, 5_000.0, 1.3)),
    ((0.290, 0.0, 0.0), (-1, 0, 0), Limits(-6.1, 6.1, 3_000.0, 2.1)),
)


def text() -> str:
    """Return the URDF."""
    return urdf("arm_6r", COMMENT, MATERIALS, _parts())


def _parts() -> Iterable[Link | Joint]:
    bodies = (_base(), _carousel(), _lower_arm(), _elbow(), _upper_arm(), _wrist(), _flange())
    yield bodies[0]
    for k, (xyz, axis, limits) in enumerate(JOINTS, 1):
        parent, child = bodies[k - 1].name, bodies[k].name
        yield Joint(
            f"joint_{k}", "revolute", parent, child, xyz, axis=axis, limits=limits, source=PUBLISHED
        )
        yield bodies[k]
    turn = (0.0, math.pi / 2.0, 0.0)
    yield Joint("tool0_joint", "fixed", "link_6", "tool0", rpy=turn, source="by convention")
    yield Link("tool0")


def _base() -> Link:
    solids = (
        Solid("cylinder", (0.55, 0.08), CASTING, "base", (0.0, 0.0, 0.04)),
        Solid("cylinder", (0.40, 0.38), CASTING, "base", (0.0, 0.0, 0.27)),
    )
    return Link("base_link", solids, [("cylinder", (0.55, 0.46), (0.0, 0.0, 0.23))])


def _carousel() -> Link:
    return Link(
        "link_1",
        (
            Solid("cylinder", (0.45, 0.22), CASTING, "arm", (0.0, 0.0, -0.470)),
            Solid("box", (0.62, 0.46, 0.34), CASTING, "arm", (0.16, 0.0, -0.19)),
            Solid("box", (0.36, 0.14, 0.48), CASTING, "arm", (0.46, 0.26, -0.06)),
            Solid("box", (0.36, 0.14, 0.48), CASTING, "arm", (0.46, -0.26, -0.06)),
            Solid("cylinder", (0.15, 0.24), CASTING, "motor", (0.5, -0.45, 0.0), ALONG_Y),
            Solid("cylinder", (0.13, 0.42), CASTING, "motor", (-0.22, 0.0, -0.15)),
        ),
    )


def _lower_arm() -> Link:
    return Link(
        "link_2",
        (
            Solid("cylinder", (0.24, 0.36), CASTING, "hub", (0.0, 0.0, 0.0), ALONG_Y),
            Solid("box", (0.98, 0.26, 0.32), CASTING / 2.0, "arm", (0.65, 0.0, 0.0)),
            Solid("cylinder", (0.21, 0.30), CASTING, "hub", (1.3, 0.0, 0.0), ALONG_Y),
        ),
    )


def _elbow() -> Link:
    return Link(
        "link_3",
        (
            Solid("box", (0.42, 0.12, 0.44), CASTING, "arm", (0.0, 0.21, -0.02)),
            Solid("box", (0.42, 0.12, 0.44), CASTING, "arm", (0.0, -0.21, -0.02)),
            Solid("box", (0.20, 0.54, 0.44), CASTING, "arm", (-0.30, 0.0, -0.02)),
            Solid("cylinder", (0.20, 0.14), CASTING, "hub", (0.28, 0.0, -0.055), ALONG_X),
            *(
                Solid("cylinder", (0.075, 0.34), CASTING, "motor", (-0.56, y, z), ALONG_X)
                for y, z in ((0.17, 0.06), (-0.17, 0.06), (0.0, -0.13))
            ),
        ),
    )


def _upper_arm() -> Link:
    return Link(
        "link_4",
        (
            Solid("cylinder", (0.165, 0.46), CASTING, "arm", (0.58, 0.0, 0.0), ALONG_X),
            Solid("box", (0.32, 0.07, 0.24), CASTING, "arm", (0.95, 0.135, 0.0)),
            Solid("box", (0.32, 0.07, 0.24), CASTING, "arm", (0.95, -0.135, 0.0)),
        ),
    )


def _wrist() -> Link:
    return Link(
        "link_5",
        (
            Solid("cylinder", (0.12, 0.19), CASTING, "hub", (0.0, 0.0, 0.0), ALONG_Y),
            Solid("cylinder", (0.105, 0.16), CASTING, "arm", (0.155, 0.0, 0.0), ALONG_X),
        ),
    )


def _flange() -> Link:
    return Link(
        "link_6",
        (
            Solid("cylinder", (0.10, 0.055), STEEL, "steel", (-0.0275, 0.0, 0.0), ALONG_X),
            Solid("box", (0.004, 0.03, 0.03), HOUSING, "motor", (0.002, 0.0, 0.07)),
        ),
    )
