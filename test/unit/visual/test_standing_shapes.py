# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Centre of mass, support polygon and margin; labels, legend and skeleton."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scenes import POSES, in_world, pose, shapes_of

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.stability import Support, centre_of_mass, stability_of
from charmie_dynamics.visual.scene import Scene, Shape, visible_shapes
from charmie_dynamics.visual.scene.labels import NUMBER, number
from charmie_dynamics.visual.shapes.colors import MASS, MOMENT_POINT, PUSHING, SUPPORT
from charmie_dynamics.visual.shapes.shape import DIGIT, WORD_SPACE

ORIGIN = np.zeros(3)
MASSLESS = """
<robot name="massless">
  <link name="base"/>
  <link name="tip"/>
  <joint name="hinge" type="revolute">
    <parent link="base"/>
    <child link="tip"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"""


def standing(model: Model, *motion: np.ndarray) -> list[Shape]:
    scene = Scene(model)
    shapes = visible_shapes(scene.shapes, scene.update(model.compute(*motion)))
    return [shape for shape in shapes if shape.namespace == "stability"]


def away(model: Model, lift: float, torso: float) -> np.ndarray:
    position = pose(model, lift, torso)
    position[:3] = 2.0, -1.0, 0.7
    return position


@pytest.mark.parametrize(("lift", "torso"), POSES)
def test_ball_is_at_the_centre_of_mass_and_its_projection_below(
    charmie: Model, lift: float, torso: float
) -> None:
    position = away(charmie, lift, torso)
    ball, plumb_line, projection, *_ = standing(charmie, position)
    com = centre_of_mass(charmie.compute(position))
    assert (ball.kind, ball.color, projection.color) == ("sphere", MASS, MASS)
    below = [com[0], com[1], 0.0]
    np.testing.assert_allclose(in_world(charmie, position, ball, ORIGIN), com, atol=1e-12)
    np.testing.assert_allclose(in_world(charmie, position, projection, ORIGIN), below, atol=0.005)
    ends = [in_world(charmie, position, plumb_line, point) for point in plumb_line.points]
    np.testing.assert_allclose(ends, [com, below], atol=1e-12)


def test_polygon_runs_through_the_wheel_contacts(charmie: Model) -> None:
    position = away(charmie, 0.0, 0.0)
    edge = standing(charmie, position)[-1]
    p, R = charmie.compute(position).frame("base")
    contacts = [p + R @ point for point in charmie.mechanisms.wheel_contacts]
    corners = [in_world(charmie, position, edge, point) for point in edge.points]
    np.testing.assert_allclose(corners[0], corners[-1])
    for contact in contacts:
        assert min(np.linalg.norm(corner - contact) for corner in corners) < 0.005


def test_margin_is_the_line_from_the_point_to_the_edge(charmie: Model) -> None:
    position = pose(charmie, 0.1, -0.9)
    expected = stability_of(charmie, Support.of(charmie), charmie.compute(position))
    *_, point, margin, _ = standing(charmie, position)
    assert point.color == MOMENT_POINT
    np.testing.assert_allclose(point.position[:2], expected.zero_moment_point[:2])
    start, end = margin.points[:, :2]
    np.testing.assert_allclose(start, expected.zero_moment_point[:2])
    assert np.linalg.norm(end - start) == pytest.approx(expected.margin)
    assert margin.color == SUPPORT


def test_margin_outside_the_polygon_has_the_colour_of_alarm(charmie: Model) -> None:
    position = pose(charmie, 0.0, 0.0)
    acceleration = np.zeros(len(position))
    acceleration[1] = -6.0
    *_, margin, _ = standing(charmie, position, np.zeros(len(position)), acceleration)
    assert margin.color == PUSHING


def test_robot_without_contacts_shows_no_polygon(crane: Model) -> None:
    scene = Scene(crane)
    kinds = [shape.kind for shape in scene.shapes if shape.namespace == "stability"]
    assert kinds == ["sphere", "line_strip", "cylinder", "cylinder"]


def test_labels_name_each_actuator_and_spring_with_its_load(charmie: Model) -> None:
    position = pose(charmie, 0.1, -0.9)
    state = charmie.compute(position)
    texts = [shape.text for shape in shapes_of(charmie, position, "labels", labels=True)]
    effort = state.actuator_effort[charmie.actuator_names.index("torso_actuator")]
    assert f"torso_actuator {effort:8.1f} N" in texts
    assert f"torso_spring {state.spring_tension['torso_spring']:8.1f} N" in texts
    margin = stability_of(charmie, Support.of(charmie), state).margin
    assert f"tip-over margin {margin:8.3f} m" in texts
    assert len(texts) == len(charmie.actuator_names) + len(charmie.spring_names) + 1


def test_labels_of_huge_loads_keep_their_width(charmie: Model) -> None:
    position = pose(charmie, 0.0, 0.0)
    scene = Scene(charmie, labels=True)
    widths = [len(text) for text in scene.update(charmie.compute(position)).texts]
    acceleration = np.full(len(position), 1.0e9)
    state = charmie.compute(position, np.zeros(len(position)), acceleration)
    texts = scene.update(state).texts
    assert any("e+" in text for text in texts)
    assert [len(text) for text in texts] == widths


def test_labels_above_one_another_do_not_overlap(charmie: Model) -> None:
    for lift, torso in POSES:
        labels = shapes_of(charmie, pose(charmie, lift, torso), "labels", labels=True)
        for side in (1.0, -1.0):
            heights = sorted(s.position[2] for s in labels if side * s.position[0] > 0.0)
            assert len(heights) >= 8
            assert np.diff(heights).min() > 1.4 * labels[0].scale[2]


def test_robot_without_masses_shows_nothing_that_is_no_number(tmp_path: Path) -> None:
    urdf = tmp_path / "massless.urdf"
    urdf.write_text(MASSLESS)
    model = load_model(urdf)
    scene = Scene(model)
    appearance = scene.update(model.compute([0.1]))
    shown = visible_shapes(scene.shapes, appearance)
    assert not [shape for shape in shown if shape.namespace == "stability"]
    assert np.isfinite(appearance.position).all()
    assert np.isfinite(appearance.points).all()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12.34, "    12.3"),
        (-12.34, "   -12.3"),
        (-0.01, "     0.0"),
        (1.0e9, " 1.0e+09"),
        (-1.0e99, "-1.0e+99"),
        (None, "       -"),
        (float("nan"), "       -"),
    ],
)
def test_numbers_of_labels_have_one_width(value: float | None, text: str) -> None:
    assert number(value) == text
    assert len(text) == NUMBER


def test_legend_shows_both_ends_of_the_scale_and_each_colour_in_use(charmie: Model) -> None:
    scene = Scene(charmie, legend=True)
    legend = [shape for shape in scene.shapes if shape.namespace == "legend"]
    texts = " ".join(shape.text for shape in legend)
    for words in ("pushing", "pulling", "centre of mass", "zero-moment point", "margin"):
        assert words in texts
    colors = {shape.color for shape in legend if shape.kind != "text"}
    assert {MASS, MOMENT_POINT, SUPPORT, PUSHING} <= colors
    assert len({tuple(shape.position[:2]) for shape in legend}) == 1  # on one upright line


def test_texts_say_how_wide_a_space_is(charmie: Model) -> None:
    # else RViz leaves half a metre between two words
    scene = Scene(charmie, labels=True, legend=True)
    spaces = {shape.scale[0] / shape.scale[2] for shape in scene.shapes if shape.kind == "text"}
    assert spaces == {WORD_SPACE, DIGIT}


@pytest.mark.parametrize(("lift", "torso"), POSES)
def test_skeleton_joins_the_origins_of_bodies(charmie: Model, lift: float, torso: float) -> None:
    position = away(charmie, lift, torso)
    state = charmie.compute(position)
    shapes = shapes_of(charmie, position, "bodies", style="skeleton")
    dots = {shape.frame for shape in shapes if shape.kind == "sphere"}
    assert {"base", "lower_body", "upper_body", "left_tool", "head"} <= dots
    ends = [in_world(charmie, position, s, s.points[-1]) for s in shapes if s.points is not None]
    for name in ("lower_body", "upper_body", "left_arm_link_4", "head"):
        assert min(np.linalg.norm(end - state.frame(name)[0]) for end in ends) < 1e-12


def test_skeleton_reaches_every_pin(charmie: Model) -> None:
    position = pose(charmie, 0.1, -0.5)
    state = charmie.compute(position)
    shapes = shapes_of(charmie, position, "bodies", style="skeleton")
    ends = [in_world(charmie, position, s, s.points[-1]) for s in shapes if s.points is not None]
    for part in (*charmie.mechanisms.linear_actuators, *charmie.mechanisms.springs):
        for body, point in ((part.base_body, part.base_point), (part.tip_body, part.tip_point)):
            p, R = state.frame(body)
            assert min(np.linalg.norm(end - (p + R @ point)) for end in ends) < 1e-12


@pytest.mark.parametrize("offset", ["0 0", "0.03 -0.02"])
def test_skeleton_has_the_slots_at_the_tips_of_the_bars(charmie: Model, offset: str) -> None:
    lift = '<joint name="lift_joint" type="prismatic">\n    <parent link="base"/>\n'
    lift += '    <child link="lower_body"/>\n    <origin xyz="'
    assert charmie.tree.urdf.count(f"{lift}0 0 ") == 1
    text = charmie.tree.urdf.replace(f"{lift}0 0 ", f"{lift}{offset} ")
    model = Model(parse_urdf(text, "moved.urdf"), charmie.mechanisms)
    position = pose(model, 0.1, -0.5)
    shapes = shapes_of(model, position, "bodies", style="skeleton")
    for balance in model.mechanisms.balance_mechanisms:
        p, R = model.compute(position).frame(f"{balance.name}_upright")
        top = p + balance.link_height * R[:, 2]
        along = [
            np.array([in_world(model, position, shape, point) for point in shape.points]) - top
            for shape in shapes
            if shape.frame == balance.carried_body and shape.points is not None
        ]
        # the top of the upright is between the ends of its slot, which is along x
        assert any(np.abs(ends[:, 1:]).max() < 1e-12 and ends[:, 0].prod() < 0.0 for ends in along)


def test_skeleton_has_no_line_over_the_floor(charmie: Model) -> None:
    position = away(charmie, 0.0, 0.0)
    shapes = shapes_of(charmie, position, "bodies", style="skeleton")
    lengths = [np.linalg.norm(np.diff(s.points, axis=0)) for s in shapes if s.points is not None]
    assert max(lengths) < 0.7
