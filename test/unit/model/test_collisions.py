# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Collision elements of a URDF: the shapes with which links touch others."""

from __future__ import annotations

import numpy as np
import pytest
from pose_series import turn
from refusals import refusal

from charmie_dynamics.model.description.robot import Collision
from charmie_dynamics.model.description.urdf import parse_urdf


def collisions(inside: str) -> tuple[Collision, ...]:
    text = f'<robot name="r">\n<link name="a">{inside}</link></robot>'
    return parse_urdf(text, "arm.urdf").links["a"].collisions


def of(geometry: str, origin: str = "") -> str:
    return f"<collision>{origin}<geometry>{geometry}</geometry></collision>"


@pytest.mark.parametrize(
    ("geometry", "kind", "size"),
    [
        ('<box size="1 2 3"/>', "box", (1.0, 2.0, 3.0)),
        ('<cylinder radius="0.2" length="3"/>', "cylinder", (0.2, 3.0)),
        ('<capsule radius="0.2" length="3"/>', "capsule", (0.2, 3.0)),
        ('<sphere radius="0.2"/>', "sphere", (0.2,)),
        ('<mesh filename="package://a/b.stl"/>', "mesh", (1.0, 1.0, 1.0)),
        ('<mesh filename="package://a/b.stl" scale="2 -1 1"/>', "mesh", (2.0, -1.0, 1.0)),
    ],
)
def test_kind_and_size_are_read(geometry: str, kind: str, size: tuple[float, ...]) -> None:
    (shape,) = collisions(of(geometry))
    assert (shape.kind, shape.size) == (kind, size)
    assert shape.mesh == ("package://a/b.stl" if kind == "mesh" else "")
    assert shape.p_link_collision.tolist() == [0.0, 0.0, 0.0]
    assert shape.R_link_collision.tolist() == np.eye(3).tolist()


def test_a_pose_is_read() -> None:
    origin = '<origin xyz="1 2 3" rpy="0.1 -0.2 0.3"/>'
    (shape,) = collisions(of('<sphere radius="1"/>', origin))
    x, y, z = np.eye(3)
    assert shape.p_link_collision.tolist() == [1.0, 2.0, 3.0]
    expected = turn(z, 0.3) @ turn(y, -0.2) @ turn(x, 0.1)
    np.testing.assert_allclose(shape.R_link_collision, expected, atol=1e-15)


def test_a_link_may_have_several_or_none() -> None:
    spheres = [f'<sphere radius="{k}"/>' for k in (1, 2, 3)]
    assert [shape.size for shape in collisions("".join(map(of, spheres)))] == [(1,), (2,), (3,)]
    assert collisions("") == ()


@pytest.mark.parametrize(
    ("geometry", "words"),
    [
        ('<sphere radius="-1"/>', "collision, geometry, sphere: sizes must not be negative"),
        ('<box size="1 2"/>', "box size: not a valid URDF: expected 3 numbers, got '1 2'"),
        ('<capsule radius="1"/>', "capsule: not a valid URDF: attribute 'length' is missing"),
        ("<mesh/>", "mesh: not a valid URDF: attribute 'filename' is missing"),
        ("", "expected one shape, got 0. Valid: box, capsule, cylinder, mesh, sphere"),
        ('<sphere radius="1"/>' * 2, "expected one shape, got 2"),
    ],
)
def test_a_flaw_is_refused_with_its_line(geometry: str, words: str) -> None:
    message = refusal(lambda: collisions(of(geometry)))
    assert message.startswith("arm.urdf, line 2: link 'a', collision")
    assert words in message


def test_a_collision_without_geometry_is_refused() -> None:
    assert "<geometry> is missing" in refusal(lambda: collisions("<collision/>"))


def test_a_capsule_is_no_visual() -> None:
    visual = '<visual><geometry><capsule radius="1" length="1"/></geometry></visual>'
    message = refusal(lambda: collisions(visual))
    assert "expected one shape, got 0. Valid: box, cylinder, mesh, sphere" in message
