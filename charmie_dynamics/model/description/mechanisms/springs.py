# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Extension springs between two bodies: section ``springs``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.core.mechanisms.springs import SpringsBetweenBodies

from ..robot import Vector3
from .mechanism import (
    EXTENSION_SPRING,
    NAME,
    PRETENSION,
    VECTOR3,
    Mechanism,
    Numbering,
    described,
    entry_schema,
)
from .members import pins_of


@dataclass(frozen=True)
class Spring(Mechanism):
    """An extension spring between two bodies (N/m, m, N).

    It pulls its ends together with ``stiffness * (length - free_length) + pretension`` where it is
    longer than ``free_length``, and not at all elsewhere.
    """

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
            "base_body": described(NAME, "link of one end"),
            "base_point": described(VECTOR3, "this end in its link (m)"),
            "tip_body": described(NAME, "link of the other end"),
            "tip_point": described(VECTOR3, "this end in its link (m)"),
            **EXTENSION_SPRING,
        },
        optional=PRETENSION,
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
