# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import numpy as np
import pytest
from scenes import shapes_of

from charmie_dynamics import Model
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.visual.scene import Scene, Shape, visible_shapes
from charmie_dynamics.visual.scene.arcs import FULL_ARC
from charmie_dynamics.visual.scene.clearance import arc_clearance, arrow_clearance
from charmie_dynamics.visual.shapes.colors import EXPONENT, NEUTRAL, PULLING, PUSHING, load_color

SLIDE = """
<robot name="slide">
  <link name="floor"/>
  <joint name="x" type="{type}">
    <parent link="floor"/><child link="block"/><origin xyz="0 0 0.5"/><axis xyz="0 0.6 0.8"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/>
  </joint>
  <link name="block">
    <inertial><mass value="4"/>
      <inertia ixx="2" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/></inertial>
    {visual}
  </link>
</robot>
"""
AXIS = np.array([0.0, 0.6, 0.8])
BALL = '<visual><geometry><sphere radius="0.1"/></geometry></visual>'


def make(type: str, visual: str = BALL) -> Model:
    text = SLIDE.format(type=type, visual=visual)
    return Model(parse_urdf(text, "t"), MechanismSet(gravity=(0.0, 0.0, 0.0)))


def efforts(model: Model, share: float) -> list[Shape]:
    """Shapes at a share of the rated effort, which is 10 on an inertia of 2 or a mass of 4."""
    inertia = 4.0 if model.tree.joints[0].type == "prismatic" else 2.0
    scene = Scene(model)
    state = model.compute([0.0], [0.0], [10.0 * share / inertia])
    assert state.actuator_effort[0] == pytest.approx(10.0 * share)
    shapes = visible_shapes(scene.shapes, scene.update(state))
    return [shape for shape in shapes if shape.namespace == "efforts"]


def shown(share: float) -> float:
    return math.copysign(min(abs(share), 1.0) ** EXPONENT, share)


@pytest.mark.parametrize("share", [1.0, 0.3, 0.06, -0.3, -1.0])
def test_arrow_points_where_the_force_does_and_grows_with_its_share(share: float) -> None:
    (full,), (arrow,) = efforts(make("prismatic"), 1.0), efforts(make("prismatic"), share)
    length = np.linalg.norm(full.points[1] - full.points[0])
    np.testing.assert_allclose(
        arrow.points[1] - arrow.points[0], shown(share) * length * AXIS, atol=1e-12
    )
    np.testing.assert_allclose(arrow.color, load_color(share), atol=1e-12)


def test_arrow_beyond_the_rated_effort_does_not_grow() -> None:
    (full,), (beyond,) = efforts(make("prismatic"), 1.0), efforts(make("prismatic"), 40.0)
    np.testing.assert_allclose(beyond.points, full.points, atol=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_arrow_starts_outside_the_body_on_the_side_it_points_to(sign: float) -> None:
    (arrow,) = efforts(make("prismatic"), 0.5 * sign)
    assert 0.1 < sign * arrow.points[0] @ AXIS < 0.2


@pytest.mark.parametrize("share", [1.0, 0.3, 0.06, -0.3, -1.0])
def test_arc_and_head_together_turn_by_their_share(share: float) -> None:
    arc, head = efforts(make("revolute"), share)
    a, b = arc.points[0], arc.points[-1]
    centre = (a @ AXIS) * AXIS
    radius = np.linalg.norm(a - centre)
    turns = np.cross(arc.points[:-1] - centre, arc.points[1:] - centre) @ AXIS
    assert (np.sign(turns) == np.sign(share)).all()
    length = np.linalg.norm(np.diff(arc.points, axis=0), axis=1).sum()
    length += np.linalg.norm(head.points[1] - head.points[0])
    assert length / radius == pytest.approx(FULL_ARC * abs(shown(share)), rel=0.01)
    np.testing.assert_array_equal(head.points[0], b)
    assert np.sign(np.cross(b - centre, head.points[1] - b) @ AXIS) == np.sign(share)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_head_takes_at_most_half_of_a_short_one(kind: str) -> None:
    for share in (0.051, 0.1, 0.5):
        *_, shape = efforts(make(kind), share)
        head = shape.scale[2]
        length = np.linalg.norm(shape.points[1] - shape.points[0])
        assert 0.0 < head <= length * (1.0 + 1e-9)
        assert shape.scale[1] / head == pytest.approx(0.035 / 0.04)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_efforts_too_small_to_see_are_not_shown(kind: str) -> None:
    assert efforts(make(kind), 0.049) == []
    assert efforts(make(kind), -0.051) != []


def test_efforts_without_a_rated_one_are_not_shown() -> None:
    text = SLIDE.format(type="continuous", visual=BALL)
    text = text.replace('<limit lower="-1" upper="1" effort="10" velocity="1"/>', "")
    model = Model(parse_urdf(text, "t"), MechanismSet())
    scene = Scene(model)
    shapes = visible_shapes(scene.shapes, scene.update(model.compute([0.0], [0.0], [9.0])))
    assert not [shape for shape in shapes if shape.namespace == "efforts"]


def test_linear_actuators_and_their_joints_have_no_arcs(charmie: Model) -> None:
    frames = {s.frame for s in Scene(charmie).shapes if s.namespace == "efforts"}
    moved = {
        charmie.tree.joints[i].child
        for i, j in enumerate(charmie.tree.joints)
        if j.name in ("lift_joint", "torso_joint")
    }
    assert not frames & moved
    assert len(frames) == len(charmie.actuator_names) - 2


def test_arc_goes_round_a_body_that_leaves_no_room_nearer() -> None:
    wide = '<visual><geometry><box size="0.4 0.4 0.9"/></geometry></visual>'
    model = make("revolute", wide)
    _, radius = arc_clearance(model.tree, model.tree.joints[0], 1.0)
    assert radius > 0.2
    _, free = arc_clearance(make("revolute").tree, make("revolute").tree.joints[0], 1.0)
    assert free == pytest.approx(0.07, abs=0.04)


def test_arcs_of_charmie_are_clear_of_the_bodies_of_their_joints(charmie: Model) -> None:
    # outside of the base, which has the widest; close to the slim arms
    joints = {joint.name: joint for joint in charmie.tree.joints}
    offset, radius = arc_clearance(charmie.tree, joints["base_yaw_joint"], 1.0)
    assert radius > 0.25
    assert 0.0368 + offset > 0.0  # not in the floor
    assert arc_clearance(charmie.tree, joints["left_arm_joint_3"], 1.0) == (0.0, 0.07)
    assert arrow_clearance(charmie.tree, joints["base_x_joint"], 1.0) > 0.28


def test_reactions_carry_the_weight_above_them(charmie: Model) -> None:
    position = charmie.zero_position()
    arrows = {s.frame: s for s in shapes_of(charmie, position, "reactions", reactions=True)}
    base = arrows["base"].points[1] - arrows["base"].points[0]
    np.testing.assert_allclose(base, [0.0, 0.0, 0.5], atol=1e-3)  # of the whole weight
    # the length grows with the square root of the force
    force = charmie.compute(position).dynamics.joint_force
    names = list(charmie.flat.body_names)
    for name in ("left_arm_link_2", "head"):
        share = np.linalg.norm(force[names.index(name)]) / (charmie.total_mass * 9.81)
        length = np.linalg.norm(arrows[name].points[1])
        assert length == pytest.approx(np.linalg.norm(base) * math.sqrt(share), rel=1e-6)


def test_colour_tells_pushing_from_pulling_and_load_from_rest() -> None:
    assert load_color(0.0) == NEUTRAL
    assert load_color(1.0) == load_color(3.0) == PUSHING
    assert load_color(-1.0) == load_color(-3.0) == PULLING
    part = np.array(load_color(0.5))
    assert ((part - NEUTRAL) * (part - PUSHING) <= 0.0).all()
