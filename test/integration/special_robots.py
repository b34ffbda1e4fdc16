# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots with passive, planar and floating joints, as the parameters of the node name them."""

from __future__ import annotations

import math
from pathlib import Path

INERTIA = '<inertia ixx="0.02" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
LIMIT = '<limit lower="-3" upper="3" effort="50" velocity="20"/>'
CRANK, ROD, APART = 0.3, 0.35, 0.1  # m
TILT = math.asin(APART / ROD)  # rad, of the rods at the zero position


def _link(name: str, mass: float, z: float) -> str:
    return (
        f'<link name="{name}"><inertial><origin xyz="0.01 0 {z}"/><mass value="{mass}"/>'
        f"{INERTIA}</inertial></link>"
    )


def _joint(name: str, kind: str, parent: str, child: str, origin: str) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin {origin}/><axis xyz="0 1 0"/>{LIMIT}</joint>'
    )


FIVE_BAR_URDF = "\n".join(
    [
        '<robot name="five_bar">',
        _link("ground", 3.0, 0.0),
        *(_link(f"{side}_crank", 0.8, 0.15) for side in ("left", "right")),
        *(_link(f"{side}_rod", 1.1, 0.25) for side in ("left", "right")),
        '<link name="tool"/>',
        _joint("left_motor", "revolute", "ground", "left_crank", f'xyz="{-APART} 0 0.2"'),
        _joint(
            *("left_knee", "revolute", "left_crank", "left_rod"),
            f'xyz="0 0 {CRANK}" rpy="0 {TILT!r} 0"',
        ),
        _joint("right_motor", "revolute", "ground", "right_crank", f'xyz="{APART} 0 0.2"'),
        _joint(
            *("right_knee", "revolute", "right_crank", "right_rod"),
            f'xyz="0 0 {CRANK}" rpy="0 {-TILT!r} 0"',
        ),
        _joint("tool_joint", "fixed", "left_rod", "tool", f'xyz="0 0 {ROD}"'),
        "</robot>",
    ]
)
FIVE_BAR_YAML = f"""robot: five_bar
loop_joints:
  tip:
    type: revolute
    first_body: left_rod
    first_point: [0, 0, {ROD}]
    second_body: right_rod
    second_point: [0, 0, {ROD}]
    axis: [0, 1, 0]
passive_joints: [left_knee, right_knee]
"""

ROVER_URDF = "\n".join(
    [
        '<robot name="rover">',
        *('<link name="ground"/>', _link("rover", 5.0, 0.1), _link("arm", 1.0, 0.2)),
        _link("drone", 0.5, 0.0),
        '<joint name="drive" type="planar"><parent link="ground"/><child link="rover"/>'
        '<axis xyz="0 0 1"/></joint>',
        _joint("shoulder", "revolute", "rover", "arm", 'xyz="0.1 0 0.3"'),
        '<joint name="flight" type="floating"><parent link="ground"/><child link="drone"/>'
        '<origin xyz="0 0 2"/></joint>',
        "</robot>",
    ]
)


def write_five_bar(folder: Path) -> tuple[str, str]:
    """Write the parallel robot of two motors; return URDF and mechanisms file."""
    urdf, mechanisms = folder / "five_bar.urdf", folder / "five_bar.yaml"
    urdf.write_text(FIVE_BAR_URDF)
    mechanisms.write_text(FIVE_BAR_YAML)
    return str(urdf), str(mechanisms)


def write_rover(folder: Path) -> str:
    """Write the robot with a planar and a floating joint; return its URDF."""
    urdf = folder / "rover.urdf"
    urdf.write_text(ROVER_URDF)
    return str(urdf)
