# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Springs and dampers on single joints: section ``joint_springs``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.core.mechanisms.joint_springs import JointSprings

from ..robot import SINGLE_JOINTS
from .mechanism import NAME, NOT_NEGATIVE, NUMBER, Mechanism, Numbering, described, entry_schema


@dataclass(frozen=True)
class JointSpring(Mechanism):
    """A spring and a damper on one joint: torsion springs, series elastic elements, joint dampers.

    The effort on the joint is ``-stiffness * (position - rest) - damping * velocity``. The joint is
    revolute, continuous or prismatic; it may mimic another, be passive, or be moved by a linear
    actuator. Position and velocity are those of the joint, not of the joint that it mimics.
    """

    joint: str
    stiffness: float
    rest: float = 0.0
    damping: float = 0.0

    title: ClassVar = "joint spring"
    schema: ClassVar = entry_schema(
        required={
            "joint": described(NAME, "joint that it acts on"),
            "stiffness": described(NOT_NEGATIVE, "effort per displacement (N m/rad or N/m)"),
        },
        optional={
            "rest": described(NUMBER, "joint position without elastic effort (rad or m)"),
            "damping": described(NOT_NEGATIVE, "effort per velocity (N m s/rad or N s/m)"),
        },
    )
    joints: ClassVar = ("joint",)
    takes_mimics: ClassVar = True

    @classmethod
    def flatten(cls, parts: Sequence[JointSpring], numbering: Numbering) -> JointSprings:
        """Check the types of the joints, and return the arrays of all springs."""
        joints = {joint.name: joint for joint in numbering.tree.joints}
        for part in parts:
            kind = joints[part.joint].type
            if kind not in SINGLE_JOINTS:
                raise numbering.fault(
                    part,
                    f"expected a revolute, continuous or prismatic joint, got '{part.joint}', "
                    f"which is {kind}",
                )
        bodies = [numbering.links[joints[part.joint].child] for part in parts]
        columns = [[part.stiffness, part.rest, part.damping] for part in parts]
        stiffness, rest, damping = np.array(columns, dtype=np.float64).reshape(-1, 3).T.copy()
        return read_only(JointSprings(np.array(bodies, dtype=np.int64), stiffness, rest, damping))


TYPE = JointSpring
