# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Overlaps and boxes of convex bodies, compared with known distances."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics.collision.contact_shape import ContactShape
from charmie_dynamics.collision.convex_bodies import ConvexBody, box_about
from charmie_dynamics.model.description.urdf import rotation_from_rpy
from charmie_dynamics.model.description.world import BoundingVolume

GAP = 1e-6  # m
P, R = np.array([0.3, -0.2, 0.5]), rotation_from_rpy((0.4, -0.7, 1.1))
# size, and a point of the surface with its outward normal, in the frame of the shape
SHAPES = {
    "sphere": ((0.3,), (0.0, 0.3, 0.0), (0.0, 1.0, 0.0)),
    "box": ((0.2, 0.4, 0.6), (0.1, 0.15, -0.2), (1.0, 0.0, 0.0)),
    "cylinder": ((0.2, 0.5), (0.12, 0.16, 0.1), (0.6, 0.8, 0.0)),
    "capsule": ((0.1, 0.5), (0.0, 0.06, 0.33), (0.0, 0.6, 0.8)),
}


def body_of(kind: str) -> ConvexBody:
    shape = ContactShape("it", "it", kind, SHAPES[kind][0], np.zeros(3), np.eye(3))
    return ConvexBody.of_shape(shape, P, R)


@pytest.mark.parametrize("gap", [-GAP, GAP])
@pytest.mark.parametrize("kind", SHAPES)
def test_bodies_overlap_where_their_distance_is_negative(kind: str, gap: float) -> None:
    _, point, normal = SHAPES[kind]
    near = P + R @ (np.array(point) + (0.25 + gap) * np.array(normal))
    ball = BoundingVolume("sphere", np.array([near, [0.25, 0.0, 0.0]]))
    across = np.linalg.svd(np.array([R @ np.array(normal)]))[2][1:]
    touching = near - 0.25 * (R @ np.array(normal))
    plate = touching + np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) @ across
    for volume in (ball, BoundingVolume("hull", plate)):
        assert body_of(kind).overlaps(ConvexBody.of_volume(volume)) == (gap < 0.0)
        assert ConvexBody.of_volume(volume).overlaps(body_of(kind)) == (gap < 0.0)


def test_a_box_contains_another_one() -> None:
    outer, inner = (BoundingVolume("box", np.array([[a] * 3, [-a] * 3])) for a in (1.0, 0.1))
    assert ConvexBody.of_volume(outer).overlaps(ConvexBody.of_volume(inner))


def test_the_box_about_shapes_is_in_the_axes_of_a_frame() -> None:
    boxes = [box_about([body_of(kind)], P, R) for kind in SHAPES]
    halves = [(0.3, 0.3, 0.3), (0.1, 0.2, 0.3), (0.2, 0.2, 0.25), (0.1, 0.1, 0.35)]
    for (upper, lower), half in zip(boxes, halves, strict=True):
        np.testing.assert_allclose([upper, -lower], [half, half], atol=1e-12)
    upper, lower = box_about(map(body_of, SHAPES), P, R)
    np.testing.assert_allclose([upper, -lower], [np.max(halves, axis=0)] * 2, atol=1e-12)
