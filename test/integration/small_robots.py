# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Two small robots with known forces, for the parameters `model` and `mechanisms`."""

from __future__ import annotations

from pathlib import Path

MASS = 2.0  # kg
GRAVITY = 9.81
STIFFNESS, FREE_LENGTH, PRETENSION = 100.0, 0.1, 5.0

SLIDE_URDF = f"""<robot name="slide">
  <link name="ground"/>
  <link name="carriage">
    <inertial>
      <mass value="{MASS}"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="tip"/>
  <joint name="slide_joint" type="prismatic">
    <parent link="ground"/>
    <child link="carriage"/>
    <axis xyz="0 0 1"/>
    <limit lower="0.0" upper="1.0" effort="100.0" velocity="1.0"/>
  </joint>
  <joint name="tip_joint" type="prismatic">
    <parent link="carriage"/>
    <child link="tip"/>
    <axis xyz="1 0 0"/>
    <limit lower="0.0" upper="1.0" effort="100.0" velocity="1.0"/>
    <mimic joint="slide_joint" multiplier="2.0" offset="0.25"/>
  </joint>
</robot>
"""
SPRING_YAML = f"""robot: slide
springs:
  return_spring:
    base_body: ground
    base_point: [0.0, 0.0, 0.0]
    tip_body: carriage
    tip_point: [0.0, 0.0, 0.0]
    stiffness: {STIFFNESS}
    free_length: {FREE_LENGTH}
    pretension: {PRETENSION}
"""


# moments of inertia that no body has
HOLLOW_URDF = SLIDE_URDF.replace('izz="0.01"', 'izz="0.03"')
HOLLOW_LINK = "carriage"


def write_hollow_slide(folder: Path) -> str:
    """Write the slide with a carriage that no body can be; return its path."""
    urdf = folder / "hollow.urdf"
    urdf.write_text(HOLLOW_URDF)
    return str(urdf)


def write_slide(folder: Path) -> tuple[str, str]:
    """Write a vertical slide and a spring that pulls it down; return the paths."""
    urdf, mechanisms = folder / "slide.urdf", folder / "slide.yaml"
    urdf.write_text(SLIDE_URDF)
    mechanisms.write_text(SPRING_YAML)
    return str(urdf), str(mechanisms)


def tension(length: float) -> float:
    """Return the tension of the slide's spring (N)."""
    return STIFFNESS * (length - FREE_LENGTH) + PRETENSION
