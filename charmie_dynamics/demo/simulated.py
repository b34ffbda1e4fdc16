# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulated robot of the demo: with friction, and a load that the model does not contain."""

from __future__ import annotations

from pathlib import Path

from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.reading import load_model

TOOL = '<link name="right_tool"/>'
MASS = 0.5  # kg
LOAD = f"""<link name="right_tool">
    <inertial>
      <mass value="{MASS}"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>
    </inertial>
  </link>"""
# of the rated effort, viscous friction at the highest velocity
COULOMB, VISCOUS = 0.05, 0.05
FILES = ("simulated.urdf", "simulated_mechanisms.yaml")


def write_simulated_robot(folder: Path) -> tuple[Path, Path]:
    """Write URDF and mechanisms file of the simulated robot into a folder; return their paths."""
    model = load_model()
    urdf = share_file("urdf", "charmie.urdf").read_text(encoding="utf-8")
    mechanisms = share_file("config", "charmie_mechanisms.yaml").read_text(encoding="utf-8")
    friction = [
        f"  {name}: {{coulomb: {COULOMB * limit.effort:g}, "
        f"viscous: {VISCOUS * limit.effort / limit.velocity:g}}}"
        for name, limit in zip(model.actuator_names, model.actuator_limits(), strict=True)
    ]
    paths = folder / FILES[0], folder / FILES[1]
    paths[0].write_text(urdf.replace(TOOL, LOAD), encoding="utf-8")
    paths[1].write_text("\n".join([mechanisms, "friction:", *friction, ""]), encoding="utf-8")
    return paths
