# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes that a mesh is held against, and that do not exist, are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics.errors import InputError
from charmie_dynamics.simulation.contact.meshes import mesh_distance


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (("spher", [0.1]), "shape 'spher' is unknown; did you mean 'sphere'"),
        (("box", [0.1, 0.2]), "size of a box: expected 3 positive numbers"),
        (("sphere", [-0.1]), "size of a sphere: expected 1 positive numbers"),
    ],
)
def test_shape_that_does_not_exist_is_refused(shape: Any, message: str) -> None:
    pose = np.eye(3), np.zeros(3)
    with pytest.raises(InputError, match=message):
        mesh_distance(shape, pose, ("box", [1.0, 1.0, 1.0]), pose)
