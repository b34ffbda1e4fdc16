# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes that meet in known ways."""

from __future__ import annotations

import numpy as np
import pytest
from shape_pairs import UPRIGHT, Posed, about, meet

from charmie_dynamics.core.contact.detection.records import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    FOUND,
    NO_SUCH_PAIR,
    PLANE,
    SPHERE,
    TORUS,
)

FLOOR = Posed(PLANE, ())
CUBE = Posed(BOX, (1.0, 1.0, 1.0))
UP = (0.0, 0.0, 1.0)
S = np.sqrt(0.5)
ON_X = about((0, 1, 0), np.pi / 2)  # z of the shape along x
OFF = 1e-3


@pytest.mark.parametrize(
    ("shape", "height"),
    [
        (Posed(SPHERE, (0.5,)), 0.5),
        (Posed(CAPSULE, (0.1, 0.4)), 0.5),
        (Posed(CAPSULE, (0.1, 0.4), R=ON_X), 0.1),
        (Posed(BOX, (0.1, 0.2, 0.3)), 0.3),
        (Posed(BOX, (0.1, 0.2, 0.3), R=ON_X), 0.1),
        (Posed(CYLINDER, (0.1, 0.4)), 0.4),
        (Posed(CYLINDER, (0.1, 0.4), R=ON_X), 0.1),
        (Posed(CYLINDER, (0.1, 0.4), R=about((1, 0, 0), np.pi / 4)), 0.5 * S),
        (Posed(ELLIPSOID, (0.1, 0.2, 0.3), R=ON_X), 0.1),
        (Posed(TORUS, (0.5, 0.1)), 0.1),
        (Posed(TORUS, (0.5, 0.1), R=ON_X), 0.6),
    ],
)
@pytest.mark.parametrize("gap", [0.2, 0.0, -0.05])
def test_height_above_a_floor_is_that_of_the_lowest_point(
    shape: Posed, height: float, gap: float
) -> None:
    found = meet(FLOOR, shape._replace(p=(3.0, 2.0, height + gap)))
    assert found.status == FOUND
    assert found.distance == pytest.approx(gap, abs=1e-15)
    assert found.normal == pytest.approx(UP, abs=0)
    assert found.second - found.first == pytest.approx((0.0, 0.0, gap), abs=1e-15)
    assert found.distances.min() == pytest.approx(gap, abs=1e-15)


# the first stands at the origin; direction of the normal
CASES = [
    (Posed(SPHERE, (0.5,)), Posed(SPHERE, (0.25,), (0.75, 0.0, 0.0)), (1, 0, 0)),
    (Posed(SPHERE, (0.5,)), Posed(CAPSULE, (0.25, 1.0), (0.75, 0.0, 0.3)), (1, 0, 0)),
    (Posed(SPHERE, (0.5,)), Posed(BOX, (1.0, 1.0, 1.0), (0.3, -1.5, 0.2)), (0, -1, 0)),
    (Posed(SPHERE, (0.5,)), Posed(CYLINDER, (0.4, 1.0), (0.0, 0.9, 0.9)), (0, 1, 0)),
    (Posed(SPHERE, (0.5,)), Posed(CYLINDER, (0.4, 1.0), (0.2, 0.0, -1.5)), (0, 0, -1)),
    (Posed(SPHERE, (0.5,)), Posed(TORUS, (1.0, 0.2), (0.3, 0.0, 0.0)), (-1, 0, 0)),
    (Posed(SPHERE, (0.5,)), Posed(ELLIPSOID, (0.2, 0.3, 0.6), (0.0, 0.0, 1.1)), (0, 0, 1)),
    (Posed(CAPSULE, (0.1, 1.0)), Posed(CAPSULE, (0.2, 1.0), (0.0, 0.3, 0.0), ON_X), (0, 1, 0)),
    (Posed(CAPSULE, (0.1, 1.0)), Posed(BOX, (0.5, 0.5, 0.5), (0.0, 0.0, 1.6)), (0, 0, 1)),
    (Posed(CAPSULE, (0.1, 1.0)), Posed(CYLINDER, (0.5, 0.7), (-0.6, 0.0, 0.2)), (-1, 0, 0)),
    (CUBE, Posed(BOX, (0.5, 0.5, 0.5), (0.2, 0.1, 1.5)), (0, 0, 1)),
    # a corner on a face, an edge on a face, two edges
    (
        CUBE,
        Posed(BOX, (1, 1, 1), (0, 0, 1 + np.sqrt(3)), about((1, -1, 0), np.arctan(np.sqrt(2)))),
        (0, 0, 1),
    ),
    (CUBE, Posed(BOX, (1, 1, 1), (0, 0.2, 1 + np.sqrt(2)), about((1, 0, 0), np.pi / 4)), (0, 0, 1)),
    (
        Posed(BOX, (1, 1, 1), R=about((1, 0, 0), np.pi / 4)),
        Posed(BOX, (1, 1, 1), (0, 0, np.sqrt(8)), about((0, 1, 0), np.pi / 4)),
        (0, 0, 1),
    ),
    (CUBE, Posed(CYLINDER, (0.5, 0.3), (0.1, 0.2, -1.3)), (0, 0, -1)),
    (CUBE, Posed(CYLINDER, (0.5, 0.3), (0.1, 0.2, -1.5), ON_X), (0, 0, -1)),
    (Posed(CYLINDER, (0.5, 1)), Posed(CYLINDER, (0.3, 1), (0.1, 0.8, 0), ON_X), (0, 1, 0)),
    (Posed(CYLINDER, (0.5, 1)), Posed(CYLINDER, (0.3, 1), (0.1, 0.2, 2.0)), (0, 0, 1)),
    # two rims that cross, both turned by 45 degrees
    (
        Posed(CYLINDER, (1, 1), R=about((1, 0, 0), np.pi / 4)),
        Posed(CYLINDER, (1, 1), (0, 0, np.sqrt(8)), about((0, 1, 0), np.pi / 4)),
        (0, 0, 1),
    ),
    (
        Posed(ELLIPSOID, (0.2, 0.3, 0.6)),
        Posed(ELLIPSOID, (0.5, 0.4, 0.1), (0, 0.7, 0), about((1, 0, 0), 0.0)),
        (0, 1, 0),
    ),
    (Posed(ELLIPSOID, (0.2, 0.3, 0.6)), Posed(TORUS, (1.0, 0.1), (1.3, 0, 0)), (1, 0, 0)),
    (Posed(TORUS, (1.0, 0.1)), Posed(TORUS, (0.5, 0.2), (0, 1.8, 0)), (0, 1, 0)),
]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("gap", [OFF, 0.0, -OFF])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].kind}-{case[1].kind}")
def test_pair_that_touches_has_its_normal_on_both_sides_of_touch_and_at_it(
    case: tuple[Posed, Posed, tuple[int, ...]], gap: float, turned: bool
) -> None:
    first, second, direction = case
    second = second._replace(p=np.asarray(second.p) + gap * np.array(direction))
    found = meet(second, first) if turned else meet(first, second)
    sign = -1.0 if turned else 1.0
    assert found.status == FOUND
    assert found.distance == pytest.approx(gap, abs=1e-13)
    assert found.normal == pytest.approx(sign * np.array(direction), abs=1e-9)
    assert found.second - found.first == pytest.approx(gap * found.normal, abs=1e-13)
    assert found.distances.min() == pytest.approx(gap, abs=1e-13)


def test_two_planes_have_no_method() -> None:
    assert meet(FLOOR, FLOOR).status == NO_SUCH_PAIR


def test_capsules_whose_axes_cross_part_at_right_angles_to_both() -> None:
    found = meet(Posed(CAPSULE, (0.1, 1.0)), Posed(CAPSULE, (0.2, 1.0), R=ON_X))
    assert found.distance == pytest.approx(-0.3)
    assert np.abs(found.normal) == pytest.approx((0.0, 1.0, 0.0))


def test_shapes_about_the_same_centre_have_the_least_depth_of_all_directions() -> None:
    found = meet(Posed(BOX, (1.0, 2.0, 3.0)), Posed(CYLINDER, (0.5, 0.7), R=UPRIGHT))
    assert found.distance == pytest.approx(-1.5)
    assert np.abs(found.normal) == pytest.approx((1.0, 0.0, 0.0))
