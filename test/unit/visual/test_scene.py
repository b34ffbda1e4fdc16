# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from pose_series import turn
from scenes import POSES, pose

from charmie_dynamics import InputError, Model
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.visual.scene import Scene, visible_shapes
from charmie_dynamics.visual.shapes.colors import load_color

ALL = {"reactions": True, "labels": True, "legend": True}
OPTIONS = ({}, {"style": "skeleton"}, ALL, {**ALL, "style": "skeleton"})
NAMESPACES = {"bodies", "springs", "actuators", "balance", "efforts", "stability"}


def random_state(model: Model, seed: int):
    rng = np.random.default_rng(seed)
    lift, torso = POSES[seed % len(POSES)]
    position = pose(model, lift, torso)
    position[5:] = rng.uniform(-0.4, 0.4, len(position) - 5)
    return model.compute(position, *rng.normal(size=(2, len(position))))


def test_visuals_are_taken_over_in_the_frames_of_their_links() -> None:
    text = (
        '<robot name="r"><link name="a"><visual><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'
        '<geometry><cylinder radius="0.2" length="0.7"/></geometry>'
        '<material name="m"><color rgba="0.1 0.2 0.3 0.4"/></material></visual>'
        '<visual><geometry><sphere radius="0.3"/></geometry></visual>'
        '<visual><geometry><box size="1 2 3"/></geometry></visual></link></robot>'
    )
    model = Model(parse_urdf(text, "r"), MechanismSet())
    cylinder, sphere, box = Scene(model).shapes[:3]
    assert (cylinder.kind, cylinder.scale, cylinder.frame) == ("cylinder", (0.4, 0.4, 0.7), "a")
    assert (sphere.kind, sphere.scale) == ("sphere", (0.6, 0.6, 0.6))
    assert (box.kind, box.scale) == ("box", (1.0, 2.0, 3.0))
    assert cylinder.color == (0.1, 0.2, 0.3, 0.4)
    assert list(cylinder.position) == [1.0, 2.0, 3.0]
    X, Y, Z = np.eye(3)
    np.testing.assert_allclose(
        cylinder.rotation, turn(Z, 0.3) @ turn(Y, 0.2) @ turn(X, 0.1), atol=1e-15
    )


@pytest.mark.parametrize("options", OPTIONS)
def test_shapes_have_distinct_names_and_known_frames(
    charmie: Model, crane: Model, options: dict
) -> None:
    for model in (charmie, crane):
        shapes = Scene(model, **options).shapes
        assert max(Counter((s.namespace, s.id) for s in shapes).values()) == 1
        assert {shape.frame for shape in shapes} <= set(model.frame_names)


@pytest.mark.parametrize("style", ["solid", "skeleton"])
def test_namespaces_are_those_of_the_interface(charmie: Model, style: str) -> None:
    assert {s.namespace for s in Scene(charmie, style=style).shapes} == NAMESPACES


def test_options_add_their_namespaces(charmie: Model) -> None:
    names = {shape.namespace for shape in Scene(charmie, **ALL).shapes}
    assert names == NAMESPACES | {"reactions", "labels", "legend"}


def test_unknown_style_is_refused_with_the_valid_ones(charmie: Model) -> None:
    with pytest.raises(InputError, match="'solid', 'skeleton', got 'wire'"):
        Scene(charmie, style="wire")  # type: ignore[arg-type]


@pytest.mark.parametrize("options", OPTIONS)
def test_layout_is_the_same_in_every_state(charmie: Model, options: dict) -> None:
    scene = Scene(charmie, **options)
    k, points = len(scene.shapes), int(scene.first_point[-1])
    shapes = ((k,), (k, 3), (k, 4), (k, 3), (k, 4), (points, 3))
    widths = [len(shape.text) for shape in scene.shapes]
    for seed in range(6):
        appearance = scene.update(random_state(charmie, seed))
        assert tuple(array.shape for array in appearance[:6]) == shapes
        assert all(array.dtype == np.float64 for array in appearance[1:6])
        assert [len(text) for text in appearance.texts] == widths
    counts = [0 if s.points is None else len(s.points) for s in scene.shapes]
    np.testing.assert_array_equal(np.diff(scene.first_point), counts)


@pytest.mark.parametrize("options", OPTIONS)
def test_state_leaves_nothing_behind_for_the_next(charmie: Model, options: dict) -> None:
    used, fresh = Scene(charmie, **options), Scene(charmie, **options)
    used.update(random_state(charmie, 1))
    state = random_state(charmie, 2)
    one = visible_shapes(used.shapes, used.update(state))
    other = visible_shapes(fresh.shapes, fresh.update(state))
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        assert (a.namespace, a.id, a.text) == (b.namespace, b.id, b.text)
        for field in ("position", "scale", "color", "points"):
            np.testing.assert_array_equal(getattr(a, field), getattr(b, field))


@pytest.mark.parametrize("options", OPTIONS)
def test_rows_before_the_first_moving_one_never_change(charmie: Model, options: dict) -> None:
    scene = Scene(charmie, **options)
    before = [np.array(array) for array in scene.update(random_state(charmie, 1))[:5]]
    after = scene.update(random_state(charmie, 2))
    n = scene.first_moving
    assert 0 < n < len(scene.shapes)
    for old, new in zip(before, after[:5], strict=True):
        np.testing.assert_array_equal(old[:n], new[:n])


@pytest.mark.parametrize("options", OPTIONS)
def test_everything_visible_is_finite(charmie: Model, crane: Model, options: dict) -> None:
    for model in (charmie, crane):
        scene = Scene(model, **options)
        appearance = scene.update(model.compute(model.zero_position()))
        for array in appearance[1:6]:
            assert np.isfinite(array).all()


def test_state_without_dynamics_shows_no_loads(charmie: Model) -> None:
    scene = Scene(charmie, reactions=True, labels=True)
    scene.update(random_state(charmie, 1))
    state = charmie.kinematics(charmie.zero_position())
    shapes = visible_shapes(scene.shapes, scene.update(state))
    assert {s.namespace for s in shapes} == {"bodies", "springs", "actuators", "balance"}
    assert [s.color for s in shapes if s.frame.endswith("_tube")] == [load_color(0.0)] * 2


def test_visible_shapes_keep_their_values_when_the_scene_moves_on(charmie: Model) -> None:
    scene = Scene(charmie)
    shapes = visible_shapes(scene.shapes, scene.update(random_state(charmie, 1)))
    coil = next(s for s in shapes if s.namespace == "springs")
    before = coil.points.copy()
    scene.update(random_state(charmie, 2))
    np.testing.assert_array_equal(coil.points, before)


def test_shapes_that_are_not_visible_are_left_out(charmie: Model) -> None:
    scene = Scene(charmie)
    appearance = scene.update(charmie.compute(charmie.zero_position()))
    assert not appearance.visible.all()
    assert len(visible_shapes(scene.shapes, appearance)) == appearance.visible.sum()
