# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Unit solids are closed, face outwards and have their size."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from charmie_dynamics.view.solids import SIDES, SOLIDS

# of a prism with as many sides; the sphere's is that of its bands
SECTION = 0.125 * SIDES * np.sin(2.0 * np.pi / SIDES)
VOLUMES = {"box": 1.0, "cylinder": SECTION, "cone": SECTION / 3.0}


def corners(form: str) -> np.ndarray:
    solid = SOLIDS[form]()
    return solid.vertices[solid.faces]


def volume(form: str) -> float:
    a, b, c = corners(form).transpose(1, 0, 2)
    return float((np.cross(a, b) * c).sum() / 6.0)


@pytest.mark.parametrize("form", VOLUMES)
def test_the_volume_is_that_of_the_form(form: str) -> None:
    assert volume(form) == pytest.approx(VOLUMES[form], rel=1e-9)


def test_the_volume_of_the_sphere_is_nearly_that_of_a_ball() -> None:
    assert volume("sphere") == pytest.approx(np.pi / 6.0, rel=0.02)


@pytest.mark.parametrize("form", SOLIDS)
def test_each_edge_is_passed_once_in_each_direction(form: str) -> None:
    edges: Counter[tuple] = Counter()
    for face in corners(form).round(9) + 0.0:
        points = [tuple(point) for point in face]
        edges.update((points[k], points[(k + 1) % 3]) for k in range(3))
    assert all(edges[b, a] == count == 1 for (a, b), count in edges.items())


@pytest.mark.parametrize("form", SOLIDS)
def test_no_face_is_empty(form: str) -> None:
    a, b, c = corners(form).transpose(1, 0, 2)
    assert (np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-6).all()
