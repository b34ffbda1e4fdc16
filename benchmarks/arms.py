# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDF arms as they are built: up to six revolute joints, at right angles or parallel."""

from __future__ import annotations

# axis, length of the link (m), mass (kg): yaw, shoulder, elbow, and a wrist of three
JOINTS = (
    ("0 0 1", 0.30, 6.0),
    ("0 1 0", 0.40, 5.0),
    ("0 1 0", 0.35, 3.5),
    ("1 0 0", 0.10, 1.5),
    ("0 1 0", 0.10, 1.0),
    ("1 0 0", 0.06, 0.4),
)
RADIUS = 0.05  # m, of the links, which are solid rods


def arm_urdf(joints: int) -> str:
    """Return the URDF of an arm with the first so many of six joints.

    The first two links stand upright, all others lie along x. Centres of mass are beside the
    axes.
    """
    lines = [f'<robot name="arm_{joints}">', '<link name="link_0"/>']
    origin = "0 0 0"
    for i, (axis, length, mass) in enumerate(JOINTS[:joints], 1):
        along, across = mass * RADIUS**2 / 2, mass * (3 * RADIUS**2 + length**2) / 12
        is_upright = i <= 2
        ixx, izz = (across, along) if is_upright else (along, across)
        com = f"0.01 0.02 {length / 2}" if is_upright else f"{length / 2} 0.02 0.01"
        lines += [
            f'<joint name="joint_{i}" type="continuous">',
            f'<parent link="link_{i - 1}"/><child link="link_{i}"/>',
            f'<origin xyz="{origin}"/><axis xyz="{axis}"/></joint>',
            f'<link name="link_{i}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>',
            f'<inertia ixx="{ixx:.6g}" iyy="{across:.6g}" izz="{izz:.6g}"',
            ' ixy="0" ixz="0" iyz="0"/></inertial></link>',
        ]
        origin = f"0 0 {length}" if is_upright else f"{length} 0 0"
    return "\n".join([*lines, "</robot>", ""])
