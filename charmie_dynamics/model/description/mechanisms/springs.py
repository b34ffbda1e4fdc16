# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Extension springs between two bodies: section ``springs``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.core.mechanisms.springs import SpringsBetweenBodies
from charmie_dynamics.errors import shown

from ..robot import Vector3
from .mechanism import (
    EXTENSION_SPRING,
    NAME,
    NOT_NEGATIVE,
    PRETENSION,
    VECTOR3,
    Mechanism,
    Numbering,
    described,
    entry_schema,
)
from .members import pins_of

ACTS = ("tension", "both")


@dataclass(frozen=True)
class Spring(Mechanism):
    """An extension spring between two bodies (N/m, m, N), with or without a damper (N s/m).

    It pulls its ends together with ``stiffness * (length - free_length) + pretension + damping *
    rate`` where it is longer than ``free_length``, and not at all elsewhere; it never pushes. One
    that ``acts`` on ``both`` sides follows this law at all lengths.
    """

    base_body: str
    base_point: Vector3
    tip_body: str
    tip_point: Vector3
    stiffness: float
    free_length: float
    pretension: float = 0.0
    damping: float = 0.0
    acts: Literal["tension", "both"] = "tension"

    title: ClassVar = "spring"
    schema: ClassVar = entry_schema(
        required={
            "base_body": described(NAME, "link of one end"),
            "base_point": described(VECTOR3, "this end in its link (m)"),
            "tip_body": described(NAME, "link of the other end"),
            "tip_point": described(VECTOR3, "this end in its link (m)"),
            **EXTENSION_SPRING,
        },
        optional={
            **PRETENSION,
            "damping": described(NOT_NEGATIVE, "pull for each m/s at which it gets longer (N s/m)"),
            "acts": described({"enum": list(ACTS)}, "whether it only pulls, or pushes as well"),
        },
    )
    links: ClassVar = ("base_body", "tip_body")
    bodies: ClassVar = ("base", "tip")
    revolute: ClassVar = 2
    prismatic: ClassVar = 1
    is_member: ClassVar = True
    spring_ends: ClassVar = ("base", "tip")
    parts_of_their_own: ClassVar = ("damping",)

    @property
    def pushes(self) -> float:
        """1.0 where it acts on both sides."""
        return float(self.acts == "both")

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield that both ends are on one link."""
        if self.base_body == self.tip_body:
            yield (
                "tip_body",
                f"spring '{shown(self.name)}': expected two links, got "
                f"'{shown(self.base_body)}' twice",
            )

    @classmethod
    def flatten(cls, parts: Sequence[Spring], numbering: Numbering) -> SpringsBetweenBodies:
        """Return the arrays of all springs between bodies."""
        rows = np.array([numbering.springs[part.name] for part in parts], dtype=np.int64)
        damping = np.array([part.damping for part in parts], dtype=np.float64)
        return read_only(
            SpringsBetweenBodies(
                **pins_of(parts, numbering),
                spring=rows,
                is_damped=(damping > 0.0).astype(np.int64),
                damping=damping,
            )
        )


TYPE = Spring
