# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Static balancing of a vertical slide: section ``balance_mechanisms``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.core.mechanisms.balance_mechanisms import BalanceMechanisms
from charmie_dynamics.errors import shown

from ..robot import Joint, Vector3
from .mechanism import (
    EXTENSION_SPRING,
    NAME,
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    PRETENSION,
    SHARE,
    VECTOR3,
    Mechanism,
    Numbering,
    described,
    entry_schema,
)

ALONG_Z = (0.0, 0.0, 1.0)
ALIGNED = 1e-9  # of each number of an axis or a rotation matrix


@dataclass(frozen=True)
class BalanceMechanism(Mechanism):
    """Bar, sliding upright and spring that balance a vertical slide (m, N/m, N).

    The bar turns about its pivot in the xz plane of ``frame_body``. The upright rests on its tip
    and slides along x on ``carried_body``, so that only a vertical force passes between them. The
    spring pulls a point of the bar towards its anchor. Bar and upright have no mass.
    """

    frame_body: str
    carried_body: str
    pivot: Vector3
    side: float
    bar_length: float
    spring_arm: float
    link_height: float
    carried_point_z: float
    spring_anchor: Vector3
    stiffness: float
    free_length: float
    pretension: float = 0.0
    torque_share: float = 0.0

    title: ClassVar = "balance mechanism"
    schema: ClassVar = entry_schema(
        required={
            "frame_body": described(NAME, "link with the pivot and the anchor of the spring"),
            "carried_body": described(NAME, "link on which the upright slides"),
            "pivot": described(VECTOR3, "pivot of the bar, in frame_body (m)"),
            "side": described({"enum": [-1, 1]}, "direction of the bar along x"),
            "bar_length": described(POSITIVE, "distance from the pivot to the tip of the bar (m)"),
            "spring_arm": described(
                POSITIVE, "distance from the pivot to the spring's point on the bar (m)"
            ),
            "link_height": described(NOT_NEGATIVE, "height of the upright (m)"),
            "carried_point_z": described(
                NUMBER, "height of the upright's slide in carried_body (m)"
            ),
            "spring_anchor": described(VECTOR3, "anchor of the spring, in frame_body (m)"),
            **EXTENSION_SPRING,
        },
        optional={
            **PRETENSION,
            "torque_share": described(
                SHARE,
                "part of the statically indeterminate torque about z on this mechanism; "
                "does not affect actuator efforts",
            ),
        },
    )
    links: ClassVar = ("frame_body", "carried_body")
    bodies: ClassVar = ("bar", "upright", "spring_base", "spring_tip")
    revolute: ClassVar = 4  # bar's pivot, foot of the upright, both ends of the spring
    prismatic: ClassVar = 2  # the upright's slide, the spring
    spring_ends: ClassVar = ("spring_base", "spring_tip")

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield that the spring's point lies beyond the bar."""
        if self.spring_arm > self.bar_length:
            yield (
                "spring_arm",
                f"spring_arm of '{shown(self.name)}' must not exceed bar_length "
                f"{self.bar_length}, got {self.spring_arm}",
            )

    @classmethod
    def flatten(cls, parts: Sequence[BalanceMechanism], numbering: Numbering) -> BalanceMechanisms:
        """Check that each mechanism spans a vertical slide, and return the arrays of all."""
        shares: dict[str, float] = {}
        for part in parts:
            joint = numbering.tree.joint_of(part.carried_body)
            if joint is None or not part.spans(joint):
                raise numbering.fault(
                    part,
                    f"expected carried_body '{part.carried_body}' on a prismatic joint along z of "
                    f"frame_body '{part.frame_body}', without rotation between the two",
                )
            if part.spring_anchor[1] != part.pivot[1]:
                raise numbering.fault(
                    part,
                    "spring_anchor must lie in the plane of the bar, at the pivot's y of "
                    f"{part.pivot[1]}, got {part.spring_anchor[1]}",
                )
            shares[part.carried_body] = shares.get(part.carried_body, 0.0) + part.torque_share
            if shares[part.carried_body] > 1.0 + 1e-12:
                raise numbering.fault(
                    part,
                    f"the torque shares on '{part.carried_body}' must not exceed 1 in sum, got "
                    f"{shares[part.carried_body]}",
                )
        links, frames = numbering.links, numbering.frames
        bars = [frames[f"{part.name}_bar"] for part in parts]
        springs = [numbering.springs[part.name] for part in parts]
        result = BalanceMechanisms(
            frame_body=np.array([links[part.frame_body] for part in parts], dtype=np.int64),
            carried_body=np.array([links[part.carried_body] for part in parts], dtype=np.int64),
            p_frame_pivot=np.array([part.pivot for part in parts]).reshape(-1, 3),
            p_frame_anchor=np.array([part.spring_anchor for part in parts]).reshape(-1, 3),
            side=np.array([float(part.side) for part in parts]),
            bar_length=np.array([part.bar_length for part in parts]),
            spring_arm=np.array([part.spring_arm for part in parts]),
            link_height=np.array([part.link_height for part in parts]),
            carried_point_z=np.array([part.carried_point_z for part in parts]),
            torque_share=np.array([part.torque_share for part in parts]),
            frame=np.array(bars, dtype=np.int64),
            spring=np.array(springs, dtype=np.int64),
        )
        return read_only(result)

    def spans(self, joint: Joint) -> bool:
        """Return whether a joint is the vertical slide between its two bodies."""
        return (
            joint.type == "prismatic"
            and joint.parent == self.frame_body
            and joint.child == self.carried_body
            and float(np.abs(np.abs(joint.axis) - ALONG_Z).max()) <= ALIGNED
            and float(np.abs(joint.R_parent_joint - np.eye(3)).max()) <= ALIGNED
        )

    def joint_range(self, joint: Joint) -> tuple[float, float]:
        """Return how far down and up the bar reaches."""
        if not self.spans(joint):
            return -math.inf, math.inf
        level = joint.p_parent_joint[2] + self.carried_point_z - self.link_height
        rise = np.array([-1.0, 1.0]) * self.bar_length + self.pivot[2] - level
        low, high = np.sort(rise * joint.axis[2]).tolist()
        return low, high

    def out_of_reach(self) -> tuple[str, str, str]:
        """Return the fault of a bar that does not reach the carried body."""
        return (
            self.carried_body,
            f"the bar of '{self.name}' reaches no further",
            f"{self.bar_length:.6g} m from its pivot",
        )


TYPE = BalanceMechanism
