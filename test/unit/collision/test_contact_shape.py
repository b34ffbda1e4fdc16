# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Properties of shapes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from charmie_dynamics.collision.contact_shape import ContactShape


@pytest.mark.parametrize(
    ("kind", "size", "half"),
    [
        ("sphere", (0.1,), 0.1),
        ("box", (0.3, 0.1, 0.2), 0.05),
        ("cylinder", (0.2, 0.1), 0.05),
        ("capsule", (0.2, 0.1), 0.2),
        ("capsule", (0.05, 1.0), 0.05),
        ("plane", (), math.inf),
    ],
)
def test_the_thickness_is_the_smallest_extent(
    kind: str, size: tuple[float, ...], half: float
) -> None:
    shape = ContactShape("body", "body", kind, size, np.zeros(3), np.eye(3))
    assert shape.half_thickness == half
