# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Flat contacts have several points, which move steadily and keep their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from shape_pairs import Meeting, Posed, about, meet

from charmie_dynamics.core.contact.detection.records import BOX, CAPSULE, CYLINDER, PLANE

FLOOR = Posed(PLANE, ())
TABLE = Posed(BOX, (1.0, 1.0, 0.5), (0.0, 0.0, -0.5))  # its top is at z = 0
STOOL = Posed(CYLINDER, (1.0, 0.5), (0.0, 0.0, -0.5))
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
LYING = about(Y, np.pi / 2)


def load(found: Meeting) -> np.ndarray:
    """Return force and torque of springs of 1 N/m at the points that are pressed in."""
    depths = found.shares * np.maximum(-found.distances, 0.0)
    forces = depths[:, None] * found.point_normal
    return np.concatenate([forces.sum(axis=0), np.cross(found.positions, forces).sum(axis=0)])


@pytest.mark.parametrize("below", [FLOOR, TABLE, STOOL])
@pytest.mark.parametrize(
    "shape",
    [Posed(BOX, (0.1, 0.2, 0.3), (0.1, 0.2, 0.29)), Posed(CYLINDER, (0.2, 0.3), (0.1, 0.2, 0.29))],
)
def test_what_stands_on_a_face_is_carried_by_four_shares_about_its_middle(
    below: Posed, shape: Posed
) -> None:
    found = meet(below, shape)
    pressed = found.distances < 0.0
    assert found.distances[pressed] == pytest.approx(-0.01)
    assert found.shares[pressed].sum() == pytest.approx(4.0)
    middle = found.shares[pressed] @ found.positions[pressed] / 4.0
    assert middle == pytest.approx((0.1, 0.2, -0.005))


@pytest.mark.parametrize("below", [FLOOR, TABLE, STOOL])
@pytest.mark.parametrize("kind", [CAPSULE, CYLINDER])
def test_what_lies_on_a_face_is_carried_at_both_ends(below: Posed, kind: int) -> None:
    found = meet(below, Posed(kind, (0.1, 0.3), (0.1, 0.2, 0.09), LYING))
    pressed = found.distances < 0.0
    assert found.shares[pressed] == pytest.approx([1.0, 1.0])
    assert sorted(found.positions[pressed, 0]) == pytest.approx([-0.2, 0.4])
    assert found.distances[pressed] == pytest.approx(-0.01)


@pytest.mark.parametrize("kinds", [(CAPSULE, CAPSULE), (CAPSULE, CYLINDER), (CYLINDER, CYLINDER)])
def test_parallel_round_shapes_touch_at_both_ends_of_what_they_share(
    kinds: tuple[int, int],
) -> None:
    found = meet(
        Posed(kinds[0], (0.1, 0.5), R=LYING), Posed(kinds[1], (0.2, 0.5), (0.3, 0.0, 0.29), LYING)
    )
    assert found.shares == pytest.approx([1.0, 1.0])
    assert found.distances == pytest.approx(-0.01)
    assert sorted(found.positions[:, 0]) == pytest.approx([-0.2, 0.5])


def test_crossed_capsules_touch_at_one_point() -> None:
    found = meet(
        Posed(CAPSULE, (0.1, 0.5), R=LYING), Posed(CAPSULE, (0.2, 0.5), (0, 0, 0.29), about(X, 1.5))
    )
    assert found.shares == pytest.approx([1.0])


def test_points_lie_between_both_surfaces() -> None:
    found = meet(TABLE, Posed(BOX, (0.3, 0.3, 0.3), (0.9, 0.2, 0.299), about(X, 0.002)))
    assert found.point_normal == pytest.approx((0.0, 0.0, 1.0))
    on_table = found.positions - 0.5 * found.distances[:, None] * found.point_normal
    assert on_table[:, 2] == pytest.approx(0.0, abs=1e-15)
    assert np.all(on_table[:, 0] <= 1.0 + 1e-12)


# paths: shape below, and the shape above at a parameter from 0 to 1
PATHS: dict[str, tuple[Posed, Callable[[float], Posed]]] = {
    "box over the edge of a box": (
        TABLE,
        lambda s: Posed(BOX, (0.2, 0.2, 0.2), (0.7 + 0.45 * s, 0.1, 0.19), about((0, 0, 1), 0.3)),
    ),
    "box turns on a box": (
        TABLE,
        lambda s: Posed(BOX, (0.4, 0.2, 0.2), (0.85, 0.1, 0.19), about((0, 0, 1), 3.0 * s)),
    ),
    "box over the edge of a cylinder": (
        STOOL,
        lambda s: Posed(BOX, (0.2, 0.2, 0.2), (0.6 + 0.3 * s, 0.1, 0.19)),
    ),
    "standing cylinder over the edge": (
        TABLE,
        lambda s: Posed(CYLINDER, (0.2, 0.2), (0.7 + 0.45 * s, 0.1, 0.19)),
    ),
    "lying cylinder over the edge": (
        TABLE,
        lambda s: Posed(CYLINDER, (0.2, 0.3), (0.6 + 0.35 * s, 0.1, 0.19), LYING),
    ),
    "cylinder tilts on a floor": (
        FLOOR,
        lambda s: Posed(CYLINDER, (0.2, 0.3), (0.0, 0.0, 0.299), about(X, 0.02 * (s - 0.5))),
    ),
    "cylinder tilts on a box": (
        TABLE,
        lambda s: Posed(CYLINDER, (0.2, 0.3), (0.0, 0.0, 0.299), about(X, 0.02 * (s - 0.5))),
    ),
    "cylinder rolls on a floor": (
        FLOOR,
        lambda s: Posed(CYLINDER, (0.2, 0.3), (0.2 * s, 0, 0.19), LYING @ about((0, 0, 1), 3 * s)),
    ),
    "capsules turn out of parallel": (
        Posed(CAPSULE, (0.1, 0.5), R=LYING),
        lambda s: Posed(
            CAPSULE, (0.1, 0.5), (0.1, 0, 0.199), about((0, 0, 1), 0.01 * (s - 0.4)) @ LYING
        ),
    ),
}


def along(path: str, steps: int) -> Iterator[Meeting]:
    below, above = PATHS[path]
    for s in np.linspace(0.0, 1.0, steps + 1):
        yield meet(below, above(float(s)))


@pytest.mark.parametrize("path", PATHS)
def test_loads_change_steadily_as_shapes_move(path: str) -> None:
    def largest_jump(steps: int) -> float:
        loads = np.array([load(found) for found in along(path, steps)])
        return float(np.abs(np.diff(loads, axis=0)).max())

    # what jumps does so however short the steps are
    assert largest_jump(800) < 0.5 * largest_jump(200) + 1e-12


@pytest.mark.parametrize("path", PATHS)
def test_points_of_one_name_move_little_at_a_time(path: str) -> None:
    before: dict[int, np.ndarray] = {}
    for found in along(path, 800):
        assert len(set(found.features)) == len(found.features)
        now = dict(zip(found.features, found.positions, strict=True))
        pressed = {f for f, d in zip(found.features, found.distances, strict=True) if d < 0.0}
        for name in pressed & set(before):
            assert np.linalg.norm(now[name] - before[name]) < 0.02, name
        before = {name: now[name] for name in pressed}


def test_standing_cylinder_that_rocks_is_pressed_back() -> None:
    for tilt in (1e-5, 1e-4, 1e-3, 5e-3):
        found = meet(FLOOR, Posed(CYLINDER, (0.2, 0.3), (0.0, 0.0, 0.2999), about(X, tilt)))
        assert load(found)[3] < 0.0
