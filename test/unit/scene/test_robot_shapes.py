from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from pose_series import turn

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.robot import MechanismSet
from charmie_dynamics.model.urdf import parse_urdf
from charmie_dynamics.scene import Shape
from charmie_dynamics.scene.colors import NEUTRAL, PULLING, PUSHING, load_color
from charmie_dynamics.scene.robot import (
    body_shapes,
    centre_of_mass,
    moving_shapes,
    robot_shapes,
    zero_moment_point,
)


def pose(model: Model, lift: float, torso: float) -> np.ndarray:
    position = model.zero_position()
    for joint, value in (("lift_joint", lift), ("torso_joint", torso)):
        position[model.joint_names.index(joint)] = model.actuator_from_joint(joint, value)[0]
    return position


def shapes_of(model: Model, position: np.ndarray, namespace: str) -> list[Shape]:
    shapes = moving_shapes(model, model.compute(position))
    return [shape for shape in shapes if shape.namespace == namespace]


def in_world(model: Model, position: np.ndarray, shape: Shape, point: np.ndarray) -> np.ndarray:
    p, R = model.compute(position).frame(shape.frame)
    return p + R @ (np.asarray(shape.position) + shape.rotation @ point)


def windings(coil: np.ndarray) -> float:
    """Turns of a curve about the z axis."""
    angle = np.unwrap(np.arctan2(coil[2:-2, 1], coil[2:-2, 0]))
    return float((angle[-1] - angle[0]) / (2.0 * math.pi))


POSES = [(0.0, 0.0), (0.15, -0.9), (0.2, 0.2)]


def test_turns_of_a_spring_do_not_change_with_its_length(charmie: Model) -> None:
    counts = []
    for lift, torso in POSES:
        shapes = shapes_of(charmie, pose(charmie, lift, torso), "springs")
        assert [shape.frame for shape in shapes] == [
            "torso_spring_base",
            "lift_balance_left_spring_base",
            "lift_balance_right_spring_base",
        ]
        counts.append([windings(shape.points) for shape in shapes])
        assert len({shape.points.shape for shape in shapes}) == 1
    assert np.ptp(counts) < 1e-9
    assert counts[0][0] > 5.0


@pytest.mark.parametrize(("lift", "torso"), POSES)
def test_ends_of_a_spring_are_on_its_pins(charmie: Model, lift: float, torso: float) -> None:
    position = pose(charmie, lift, torso)
    state = charmie.compute(position)
    spring = charmie.mechanisms.springs[0]
    shape = shapes_of(charmie, position, "springs")[0]
    for end, body, point in (
        (0, spring.base_body, spring.base_point),
        (-1, spring.tip_body, spring.tip_point),
    ):
        p, R = state.frame(body)
        got = in_world(charmie, position, shape, shape.points[end])
        np.testing.assert_allclose(got, p + R @ point, atol=1e-12)


def test_spring_of_a_balance_reaches_from_its_anchor_to_the_bar(charmie: Model) -> None:
    position = pose(charmie, 0.1, 0.0)
    p_base, R_base = charmie.compute(position).frame("base")
    bar, _ = charmie.compute(position).frame("lift_balance_left_spring_tip")
    shape = shapes_of(charmie, position, "springs")[1]
    anchor = p_base + R_base @ charmie.mechanisms.balance_mechanisms[0].spring_anchor
    np.testing.assert_allclose(
        in_world(charmie, position, shape, shape.points[0]), anchor, atol=1e-12
    )
    np.testing.assert_allclose(
        in_world(charmie, position, shape, shape.points[-1]), bar, atol=1e-12
    )


@pytest.mark.parametrize(("lift", "torso"), POSES)
def test_bar_and_upright_of_a_balance_are_as_long_as_they_are(
    charmie: Model, lift: float, torso: float
) -> None:
    position = pose(charmie, lift, torso)
    state = charmie.compute(position)
    bar, upright, slider = shapes_of(charmie, position, "balance")[3:]
    part = charmie.mechanisms.balance_mechanisms[1]
    assert (bar.frame, bar.scale[2]) == ("lift_balance_right_bar", part.bar_length)
    assert (upright.frame, upright.scale[2]) == ("lift_balance_right_upright", part.link_height)
    end = np.array([0.0, 0.0, 0.5])
    foot, _ = state.frame("lift_balance_right_upright")
    tip = in_world(charmie, position, bar, end * part.bar_length)
    np.testing.assert_allclose(tip, foot, atol=1e-12)
    np.testing.assert_allclose(
        in_world(charmie, position, upright, -end * part.link_height), foot, atol=1e-12
    )
    # the slider is on top of it, in the slot of the carried body
    p, _ = state.frame(part.carried_body)
    slot = p[2] + part.carried_point_z
    assert in_world(charmie, position, slider, np.zeros(3))[2] == pytest.approx(slot, abs=1e-12)


@pytest.mark.parametrize(("lift", "torso"), POSES)
def test_tube_and_rod_reach_from_pin_to_pin(charmie: Model, lift: float, torso: float) -> None:
    position = pose(charmie, lift, torso)
    state = charmie.compute(position)
    tubes = shapes_of(charmie, position, "actuators")
    for k, actuator in enumerate(charmie.mechanisms.linear_actuators):
        tube, rod = tubes[2 * k : 2 * k + 2]
        near = in_world(charmie, position, tube, np.array([0.0, 0.0, -0.5 * tube.scale[2]]))
        far = in_world(charmie, position, rod, np.array([0.0, 0.0, 0.5 * rod.scale[2]]))
        for got, body, point in (
            (near, actuator.base_body, actuator.base_point),
            (far, actuator.tip_body, actuator.tip_point),
        ):
            p, R = state.frame(body)
            np.testing.assert_allclose(got, p + R @ point, atol=1e-12)
        length = position[charmie.actuator_names.index(actuator.name)]
        assert tube.scale[2] < length < tube.scale[2] + rod.scale[2]


def test_visuals_are_taken_over_in_the_frames_of_their_links() -> None:
    text = (
        '<robot name="r"><link name="a"><visual><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'
        '<geometry><cylinder radius="0.2" length="0.7"/></geometry>'
        '<material name="m"><color rgba="0.1 0.2 0.3 0.4"/></material></visual>'
        '<visual><geometry><sphere radius="0.3"/></geometry></visual>'
        '<visual><geometry><box size="1 2 3"/></geometry></visual></link></robot>'
    )
    model = Model(parse_urdf(text, "r"), MechanismSet())
    cylinder, sphere, box = body_shapes(model)
    assert (cylinder.kind, cylinder.scale, cylinder.frame) == ("cylinder", (0.4, 0.4, 0.7), "a")
    assert (sphere.kind, sphere.scale) == ("sphere", (0.6, 0.6, 0.6))
    assert (box.kind, box.scale) == ("box", (1.0, 2.0, 3.0))
    assert cylinder.color == (0.1, 0.2, 0.3, 0.4)
    assert list(cylinder.position) == [1.0, 2.0, 3.0]
    X, Y, Z = np.eye(3)
    np.testing.assert_allclose(
        cylinder.rotation, turn(Z, 0.3) @ turn(Y, 0.2) @ turn(X, 0.1), atol=1e-15
    )


def test_shapes_have_distinct_names_and_known_frames(charmie: Model, crane: Model) -> None:
    for model in (charmie, crane):
        shapes = robot_shapes(model, model.compute(model.zero_position()))
        assert max(Counter((s.namespace, s.id) for s in shapes).values()) == 1
        assert {shape.frame for shape in shapes} <= set(model.frame_names)


def test_namespaces_are_those_of_the_interface(charmie: Model) -> None:
    shapes = robot_shapes(charmie, charmie.compute(charmie.zero_position()))
    expected = {"bodies", "springs", "actuators", "balance", "efforts", "stability"}
    assert {shape.namespace for shape in shapes} == expected


def test_state_without_dynamics_shows_no_loads(charmie: Model) -> None:
    state = charmie.compute(charmie.zero_position(), dynamics=False)
    shapes = moving_shapes(charmie, state)
    assert {shape.namespace for shape in shapes} == {"springs", "actuators", "balance"}
    assert [s.color for s in shapes if s.frame.endswith("_tube")] == [load_color(0.0)] * 2


def test_colour_tells_pushing_from_pulling_and_load_from_rest() -> None:
    assert load_color(0.0) == NEUTRAL
    assert load_color(1.0) == load_color(3.0) == PUSHING
    assert load_color(-1.0) == load_color(-3.0) == PULLING
    part = np.array(load_color(0.5))
    assert ((part - NEUTRAL) * (part - PUSHING) <= 0.0).all()


CART = """
<robot name="cart">
  <link name="floor"/>
  <joint name="x" type="prismatic">
    <parent link="floor"/><child link="cart"/><origin xyz="0.5 0.2 0.1" rpy="0 0 {yaw}"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="10" velocity="1"/>
  </joint>
  <link name="cart">
    <inertial><origin xyz="0 0 0.3"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <joint name="mast_joint" type="fixed">
    <parent link="cart"/><child link="mast"/><origin xyz="0 0.4 0"/></joint>
  <link name="mast">
    <inertial><origin xyz="0 0 1.5"/><mass value="1"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
</robot>
"""


@pytest.fixture
def cart(tmp_path: Path) -> Model:
    path = tmp_path / "cart.urdf"
    path.write_text(CART.format(yaw=0.0), encoding="utf-8")
    return Model(load_model(urdf=path).tree, MechanismSet(base_body="cart"))


def test_centre_of_mass_by_hand(cart: Model) -> None:
    # 2 kg at (0, 0, 0.3) and 1 kg at (0, 0.4, 1.5) on the cart, which stands at x = 0.5 + 0.3
    com = centre_of_mass(cart, cart.compute([0.3]))
    np.testing.assert_allclose(com, [0.8, 0.2 + 0.4 / 3.0, 0.1 + 2.1 / 3.0], atol=1e-15)


def test_zero_moment_point_at_rest_is_below_the_centre_of_mass(cart: Model, charmie: Model) -> None:
    for model in (cart, charmie):
        state = model.compute(model.zero_position())
        com = centre_of_mass(model, state)
        np.testing.assert_allclose(zero_moment_point(model, state), [*com[:2], 0.0], atol=1e-12)


def test_zero_moment_point_moves_back_when_the_robot_accelerates(cart: Model) -> None:
    # all masses accelerate alike: the point lags by height a / g
    a, height = 1.7, 0.1 + 2.1 / 3.0
    state = cart.compute([0.3], [0.0], [a])
    expected = [0.8 - height * a / 9.81, 0.2 + 0.4 / 3.0, 0.0]
    np.testing.assert_allclose(zero_moment_point(cart, state), expected, atol=1e-14)


def test_zero_moment_point_does_not_depend_on_the_axes_of_the_base(tmp_path: Path) -> None:
    path = tmp_path / "cart.urdf"
    path.write_text(CART.format(yaw=math.pi / 2), encoding="utf-8")
    model = Model(load_model(urdf=path).tree, MechanismSet(base_body="cart"))
    state = model.compute([0.3], [0.0], [1.7])
    expected = [0.5 - 0.4 / 3.0, 0.2 + 0.3 - (0.1 + 0.7) * 1.7 / 9.81, 0.0]
    np.testing.assert_allclose(zero_moment_point(model, state), expected, atol=1e-14)


def test_no_zero_moment_point_where_the_floor_would_have_to_pull(cart: Model) -> None:
    upside_down = Model(cart.tree, MechanismSet(gravity=(0.0, 0.0, 9.81), base_body="cart"))
    state = upside_down.compute([0.0])
    assert np.isnan(zero_moment_point(upside_down, state)).all()
    names = Counter(shape.namespace for shape in moving_shapes(upside_down, state))
    assert names["stability"] == 2


def effort_arrow(model: Model, acceleration: float) -> Shape:
    state = model.compute([0.0], [0.0], [acceleration])
    (arrow,) = [s for s in moving_shapes(model, state) if s.namespace == "efforts"]
    return arrow


def test_arrow_of_a_slide_points_where_its_force_does_and_grows_with_it(cart: Model) -> None:
    # rated at 10 N, on 3 kg
    full, half, back = (effort_arrow(cart, 10.0 / 3.0 * x) for x in (1.0, 0.5, -1.0))
    assert full.kind == "arrow"
    assert full.points[0].tolist() == [0.0, 0.0, 0.0]
    assert full.points[1][0] > 0.1
    np.testing.assert_allclose(half.points, 0.5 * full.points, atol=1e-12)
    np.testing.assert_allclose(back.points, -full.points, atol=1e-12)
    assert (full.color, back.color) == (load_color(1.0), load_color(-1.0))
    beyond = effort_arrow(cart, 100.0)
    np.testing.assert_allclose(beyond.points, full.points, atol=1e-12)


def test_arc_of_a_revolute_joint_turns_the_way_of_its_torque(charmie: Model) -> None:
    position = charmie.zero_position()
    state = charmie.compute(position)
    arcs = [s for s in moving_shapes(charmie, state) if s.namespace == "efforts"]
    name = "left_arm_joint_2"
    joint = next(j for j in charmie.tree.joints if j.name == name)
    effort = state.actuator_effort[charmie.actuator_names.index(name)]
    arc = next(s for s in arcs if s.frame == joint.child and s.kind == "line_strip")
    turned = np.cross(arc.points[:-1], arc.points[1:]) @ joint.axis
    assert (np.sign(turned) == np.sign(effort)).all()
    np.testing.assert_allclose(arc.points @ joint.axis, 0.0, atol=1e-12)
