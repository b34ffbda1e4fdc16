"""Extension springs between two bodies: section ``springs``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.core.mechanisms.springs import SpringsBetweenBodies

from ..robot import Vector3
from .mechanism import NAME, NOT_NEGATIVE, VECTOR3, Mechanism, Numbering, entry_schema
from .members import pins_of


@dataclass(frozen=True)
class Spring(Mechanism):
    """An extension spring between two bodies (N/m, m, N)."""

    base_body: str
    base_point: Vector3
    tip_body: str
    tip_point: Vector3
    stiffness: float
    free_length: float
    pretension: float = 0.0

    title: ClassVar = "spring"
    schema: ClassVar = entry_schema(
        required={
            "base_body": NAME,
            "base_point": VECTOR3,
            "tip_body": NAME,
            "tip_point": VECTOR3,
            "stiffness": NOT_NEGATIVE,
            "free_length": NOT_NEGATIVE,
        },
        optional={"pretension": NOT_NEGATIVE},
    )
    links: ClassVar = ("base_body", "tip_body")
    bodies: ClassVar = ("base", "tip")
    revolute: ClassVar = 2
    prismatic: ClassVar = 1
    is_member: ClassVar = True
    spring_ends: ClassVar = ("base", "tip")

    @classmethod
    def flatten(cls, parts: Sequence[Spring], numbering: Numbering) -> SpringsBetweenBodies:
        """Return the arrays of all springs between bodies."""
        rows = np.array([numbering.springs[part.name] for part in parts], dtype=np.int64)
        return read_only(SpringsBetweenBodies(**pins_of(parts, numbering), spring=rows))


TYPE = Spring
