# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Members: linear actuators and springs, which reach from a pin on one body to a pin on another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .mechanism import Numbering


def pins_of(parts: Sequence[Any], numbering: Numbering) -> dict[str, Any]:
    """Return the arrays that `core.mechanisms.auxiliary_bodies.place_members` reads, by name.

    Parameters
    ----------
    parts : sequence of Mechanism
        With fields `base_body`, `base_point`, `tip_body` and `tip_point`.
    numbering : Numbering
    """
    links, frames, members = numbering.links, numbering.frames, numbering.members
    first = [frames[f"{part.name}_{part.bodies[0]}"] for part in parts]
    return {
        "base_body": np.array([links[part.base_body] for part in parts], dtype=np.int64),
        "p_body_base": np.array([part.base_point for part in parts]).reshape(-1, 3),
        "tip_body": np.array([links[part.tip_body] for part in parts], dtype=np.int64),
        "p_body_tip": np.array([part.tip_point for part in parts]).reshape(-1, 3),
        "member": np.array([members[part.name] for part in parts], dtype=np.int64),
        "frame": np.array(first, dtype=np.int64),
    }
