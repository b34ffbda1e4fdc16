# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A crane whose boom a cylinder lifts, with or without a slewing joint."""

from __future__ import annotations

from pathlib import Path

from charmie_dynamics import Model, load_model

LINK = """<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>
<inertia ixx="0.4" iyy="0.5" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{place}"/><axis xyz="{axis}"/>
<limit lower="-1.2" upper="1.2" effort="300" velocity="2"/></joint>"""
MECHANISMS = """linear_actuators:
  ram: {joint: boom_joint, base_body: column, base_point: [0.12, 0, 0.3],
        tip_body: boom, tip_point: [0.55, 0, -0.04], length_limits: [0.3, 1.0], effort_limit: 2000}
"""
SHARED = """linear_actuators:
  left_boom: {joint: boom_joint, base_body: column, base_point: [0.12, 0.2, 0.3], share: 0.7,
        tip_body: boom, tip_point: [0.55, 0.2, -0.04], length_limits: [0.3, 1.0], effort_limit: 700}
  right_boom: {joint: boom_joint, base_body: column, base_point: [0.14, -0.2, 0.25],
        tip_body: boom, tip_point: [0.5, -0.2, -0.04], effort_limit: 500}
"""


def crane_urdf(*, slewing: bool) -> str:
    """Return the URDF of a crane."""
    parts = [
        LINK.format(name="column", com="0 0 0.3", mass="12"),
        LINK.format(name="boom", com="0.7 0 0.02", mass="9"),
        JOINT.format(name="boom_joint", parent="column", child="boom", place="0 0 0.8",
                     axis="0 -1 0"),
    ]  # fmt: skip
    if slewing:
        parts += [
            LINK.format(name="foot", com="0 0 0", mass="20"),
            JOINT.format(name="slew_joint", parent="foot", child="column", place="0 0 0.1",
                         axis="0 0 1"),
        ]  # fmt: skip
    return f'<robot name="crane">{"".join(parts)}</robot>'


def crane(folder: Path, *, slewing: bool = False) -> Model:
    """Write the files of a crane, and load it."""
    (folder / "crane.urdf").write_text(crane_urdf(slewing=slewing))
    (folder / "crane.yaml").write_text(MECHANISMS)
    return load_model(folder / "crane.urdf", folder / "crane.yaml")


def shared_crane(folder: Path) -> tuple[str, str]:
    """Write a slewing crane whose boom two cylinders lift; return URDF and mechanisms file."""
    urdf, mechanisms = folder / "shared_crane.urdf", folder / "shared_crane.yaml"
    urdf.write_text(crane_urdf(slewing=True))
    mechanisms.write_text(SHARED)
    return str(urdf), str(mechanisms)
