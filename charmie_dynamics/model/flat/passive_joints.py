# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints without actuator: what they need."""

from __future__ import annotations

from charmie_dynamics.core.mechanisms.loop_joints import LoopJoints
from charmie_dynamics.errors import ModelFileError, choices, shown
from charmie_dynamics.model.description.mechanisms import MechanismSet

from .freedoms import CoordinateNames


def require_loops_of_passive(
    mechanisms: MechanismSet, joints: LoopJoints, names: CoordinateNames, source: str
) -> None:
    """Refuse passive joints that no loop determines."""
    for k, name in enumerate(mechanisms.passive_joints):
        place = f"{mechanisms.where(source, 'passive_joints', k)}: passive joint '{shown(name)}'"
        if not joints.is_in_loop[names.first[name]]:
            looped = [joint for joint, c in names.first.items() if joints.is_in_loop[c]]
            raise ModelFileError(
                f"{place}: no loop joint determines how it moves; expected a joint in a loop"
                f"{choices(name, looped)}"
            )
