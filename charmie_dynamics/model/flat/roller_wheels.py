# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Swedish wheels: what the links of section ``rollers`` need."""

from __future__ import annotations

from charmie_dynamics.errors import ModelFileError, choices, shown
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.robot import RobotTree

AXLES = ("revolute", "continuous")


def require_axles(robot: RobotTree, mechanisms: MechanismSet, source: str) -> None:
    """Refuse rollers of links that do not exist or do not turn about an axle."""
    wheels = [joint.child for joint in robot.joints if joint.type in AXLES]
    for name in mechanisms.rollers:
        place = f"{mechanisms.where(source, 'rollers', name)}: rollers: '{shown(name)}'"
        if name not in robot.links:
            raise ModelFileError(f"{place} is no link{choices(name, wheels)}")
        if name not in wheels:
            raise ModelFileError(
                f"{place} turns about no axle; expected a link on a revolute or continuous joint"
                f"{choices(name, wheels)}"
            )
