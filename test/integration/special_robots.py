# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots with passive, planar and floating joints, as the parameters of the node name them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

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


def _turned(a: float, radius: float) -> np.ndarray:
    return np.array([radius * math.cos(a), radius * math.sin(a), 0.0])


def _hexapod() -> tuple[str, str]:
    """Return a Stewart platform: six legs with a universal joint below, a slide, a ball above.

    The first leg carries the platform, by three passive joints; the others end in loop joints.
    """
    height = np.array([0.0, 0.0, 0.55])
    third = 2.0 * math.pi / 3.0
    below = [_turned(third * (k // 2) + (0.2, -0.2)[k % 2], 0.4) for k in range(6)]
    above = [_turned(third * (k // 2) + (0.85, -0.85)[k % 2], 0.2) for k in range(6)]
    links = [_link("base", 8.0, 0.02), _link("platform", 2.0, 0.03), '<link name="tool"/>']
    joints = [_joint("tool_joint", "fixed", "platform", "tool", 'xyz="0 0 0.1"')]
    loops, passive = [], []

    def passive_joint(name: str, parent: str, child: str, axis: str, origin: str = "") -> None:
        passive.append(name)
        joints.append(
            f'<joint name="{name}" type="continuous"><parent link="{parent}"/>'
            f'<child link="{child}"/>{origin}<axis xyz="{axis}"/></joint>'
        )

    for k, (foot, head) in enumerate(zip(below, above, strict=True), start=1):
        leg = head + height - foot
        length = float(np.linalg.norm(leg))
        roll, pitch = -math.asin(leg[1] / length), math.atan2(leg[0], leg[2])
        x, y, z = foot.tolist()
        foot_place = f'<origin xyz="{x!r} {y!r} {z!r}" rpy="0 {pitch!r} 0"/>'
        passive_joint(f"swing_{k}", "base", f"cross_{k}", "0 1 0", foot_place)
        tilt = f'<origin rpy="{roll!r} 0 0"/>'
        passive_joint(f"lean_{k}", f"cross_{k}", f"tube_{k}", "1 0 0", tilt)
        links += [f'<link name="cross_{k}"/>', _link(f"tube_{k}", 0.6, 0.1)]
        links.append(_link(f"rod_{k}", 0.3, -0.1))
        joints.append(
            f'<joint name="leg_{k}" type="prismatic"><parent link="tube_{k}"/>'
            f'<child link="rod_{k}"/><origin xyz="0 0 {length!r}"/><axis xyz="0 0 1"/>'
            '<limit lower="-0.15" upper="0.25" effort="400" velocity="1"/></joint>'
        )
        if k > 1:
            loops.append(
                f"  ball_{k}: {{type: spherical, first_body: rod_{k}, first_point: [0, 0, 0], "
                f"second_body: platform, second_point: {head.tolist()}}}"
            )
            continue
        # back to the axes of the base, turned against lean and swing
        parent = f"rod_{k}"
        for name, axis, rpy in (
            ("ball_x", "1 0 0", f"{-roll!r} 0 0"),
            ("ball_y", "0 1 0", f"0 {-pitch!r} 0"),
        ):
            passive_joint(name, parent, f"{name}_cross", axis, f'<origin rpy="{rpy}"/>')
            links.append(f'<link name="{name}_cross"/>')
            parent = f"{name}_cross"
        passive_joint("ball_z", parent, "ball_z_cross", "0 0 1")
        links.append('<link name="ball_z_cross"/>')
        x, y, z = (-head).tolist()
        joints.append(
            '<joint name="seat" type="fixed"><parent link="ball_z_cross"/><child link="platform"/>'
            f'<origin xyz="{x!r} {y!r} {z!r}"/></joint>'
        )
    urdf = "\n".join(['<robot name="hexapod">', *links, *joints, "</robot>"])
    yaml = ["robot: hexapod", "loop_joints:", *loops, f"passive_joints: [{', '.join(passive)}]"]
    return urdf, "\n".join(yaml)


def write_hexapod(folder: Path) -> tuple[str, str]:
    """Write the Stewart platform; return URDF and mechanisms file."""
    urdf, mechanisms = folder / "hexapod.urdf", folder / "hexapod.yaml"
    for path, text in zip((urdf, mechanisms), _hexapod(), strict=True):
        path.write_text(text, encoding="utf-8")
    return str(urdf), str(mechanisms)


SHARED_CRANE_URDF = "\n".join(
    [
        '<robot name="shared_crane">',
        *('<link name="foot"/>', _link("column", 12.0, 0.3), _link("boom", 9.0, 0.1)),
        _joint("slew", "revolute", "foot", "column", 'rpy="1.5708 0 0"'),
        _joint("hinge", "revolute", "column", "boom", 'xyz="0 0 0.8"'),
        "</robot>",
    ]
)
SHARED_CRANE_YAML = """linear_actuators:
  left_boom: {joint: hinge, base_body: column, base_point: [0.12, 0.2, 0.3], share: 0.7,
              tip_body: boom, tip_point: [0.55, 0.2, 0]}
  right_boom: {joint: hinge, base_body: column, base_point: [0.14, -0.2, 0.25],
               tip_body: boom, tip_point: [0.5, -0.2, 0]}
"""


def write_shared_crane(folder: Path) -> tuple[str, str]:
    """Write a crane with two cylinders on one joint; return URDF and mechanisms file."""
    urdf, mechanisms = folder / "shared_crane.urdf", folder / "shared_crane.yaml"
    urdf.write_text(SHARED_CRANE_URDF)
    mechanisms.write_text(SHARED_CRANE_YAML)
    return str(urdf), str(mechanisms)
