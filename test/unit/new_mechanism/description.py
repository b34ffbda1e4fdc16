# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Torsion springs on joints: section ``torsion_springs``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from charmie_dynamics.core.mechanisms.torsion_springs import TorsionSprings

from charmie_dynamics.core.arrays import read_only

from .mechanism import NAME, NUMBER, POSITIVE, Mechanism, Numbering, described, entry_schema


@dataclass(frozen=True)
class TorsionSpring(Mechanism):
    """A torsion spring on a revolute joint (N m/rad, rad)."""

    joint: str
    stiffness: float
    rest_position: float = 0.0

    title: ClassVar = "torsion spring"
    schema: ClassVar = entry_schema(
        required={
            "joint": described(NAME, "revolute joint that it turns"),
            "stiffness": described(POSITIVE, "torque for each radian (N m/rad)"),
        },
        optional={"rest_position": described(NUMBER, "joint position without torque (rad)")},
    )
    joints: ClassVar = ("joint",)

    @classmethod
    def flatten(cls, parts: Sequence[TorsionSpring], numbering: Numbering) -> TorsionSprings:
        """Check that the joints turn, and return the arrays of all springs."""
        joints = {joint.name: joint for joint in numbering.tree.joints}
        for part in parts:
            kind = joints[part.joint].type
            if kind not in ("revolute", "continuous"):
                raise numbering.fault(
                    part, f"expected a revolute joint, got '{part.joint}', which is {kind}"
                )
        bodies = [numbering.links[joints[part.joint].child] for part in parts]
        result = TorsionSprings(
            body=np.array(bodies, dtype=np.int64),
            stiffness=np.array([part.stiffness for part in parts]),
            rest_position=np.array([part.rest_position for part in parts]),
        )
        return read_only(result)


TYPE = TorsionSpring
