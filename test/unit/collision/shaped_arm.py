# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""An arm with collision shapes: two hinges, a slide, and a jaw that mimics the slide."""

from __future__ import annotations

from charmie_dynamics import Model
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.description.urdf import parse_urdf

INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>"
)
SHAPES = {
    "base": '<box size="0.2 0.2 0.4"/>',
    "upper": '<cylinder radius="0.03" length="0.4"/>',
    "lower": '<box size="0.05 0.05 0.4"/>',
    "hand": '<sphere radius="0.04"/>',
    "jaw": '<box size="0.02 0.02 0.1"/>',
}
JOINTS = """
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
  <origin xyz="0.16 0 0.4"/><axis xyz="0 1 0"/>
  <limit lower="-3" upper="3" effort="100" velocity="9"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
  <origin xyz="0 0 0.45"/><axis xyz="0 1 0"/>
  <limit lower="-3" upper="3" effort="100" velocity="9"/></joint>
<joint name="slide" type="prismatic"><parent link="lower"/><child link="hand"/>
  <origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>
  <limit lower="0" upper="0.3" effort="100" velocity="9"/></joint>
<joint name="jaw_slide" type="prismatic"><parent link="hand"/><child link="jaw"/>
  <origin xyz="0.1 0 0"/><axis xyz="0 0 1"/><mimic joint="slide" multiplier="-0.5" offset="0.02"/>
  <limit lower="-1" upper="1" effort="0" velocity="9"/></joint>
"""
MIDDLES = {"base": 0.2, "upper": 0.22, "lower": 0.22, "hand": 0.0, "jaw": 0.0}
URDF = f"""<robot name="arm">{
    "".join(
        f'<link name="{link}">{INERTIAL}<collision><origin xyz="0 0 {MIDDLES[link]}"/>'
        f"<geometry>{shape}</geometry></collision></link>"
        for link, shape in SHAPES.items()
    )
}{JOINTS}</robot>"""


def arm() -> Model:
    """Return the arm."""
    return Model(parse_urdf(URDF, "arm.urdf"), parse_mechanisms("{}", "arm.yaml"))
