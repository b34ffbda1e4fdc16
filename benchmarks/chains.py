# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDF chains of any length, to see how the cost grows with the number of bodies."""

from __future__ import annotations

import math

AXES = ("0 0 1", "0 1 0", "1 0 0", "0 1 0")
LENGTH = 0.1  # m
MASS = 0.5  # kg
TURN = 0.3  # rad, of each joint's frame about x, so that no rotation is trivial


def chain_urdf(bodies: int) -> str:
    """Return the URDF of a root and a chain of links on revolute joints.

    Parameters
    ----------
    bodies : int
        Links apart from the root.
    """
    lines = [f'<robot name="chain_{bodies}">', '<link name="link_0"/>']
    for i in range(1, bodies + 1):
        lines += [
            f'<link name="link_{i}"><inertial>',
            f'<origin xyz="0.01 -0.02 {0.5 * LENGTH}" rpy="0 0 0"/><mass value="{MASS}"/>',
            '<inertia ixx="0.004" ixy="0.0002" ixz="-0.0001"',
            ' iyy="0.005" iyz="0.0003" izz="0.002"/>',
            "</inertial></link>",
            f'<joint name="joint_{i}" type="revolute">',
            f'<parent link="link_{i - 1}"/><child link="link_{i}"/>',
            f'<origin xyz="0 0 {LENGTH}" rpy="{TURN} 0 0"/><axis xyz="{AXES[i % len(AXES)]}"/>',
            f'<limit lower="{-math.pi}" upper="{math.pi}" effort="10" velocity="1"/>',
            "</joint>",
        ]
    return "\n".join([*lines, "</robot>", ""])
