# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from pose_series import poses

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.loads import Payload
from charmie_dynamics.model.stability import (
    Stability,
    Support,
    centre_of_mass,
    stability_of,
    tip_over_margin,
    zero_moment_point,
)
from charmie_dynamics.numerics.polygon import nearest_on_edge, support_polygon

SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])

# joints of the three poses; all others are at zero
ARMS_DOWN = {"left_arm_joint_2": math.pi / 2, "right_arm_joint_2": math.pi / 2}
ARMS_FORWARD = {
    "left_arm_joint_1": -math.pi / 2,
    "left_arm_joint_2": math.pi / 2,
    "right_arm_joint_1": math.pi / 2,
    "right_arm_joint_2": math.pi / 2,
}
POSES = {
    "upright": ARMS_DOWN,
    "arms stretched forward": ARMS_FORWARD,
    "torso bent forward": {**ARMS_DOWN, "torso_joint": -0.9},
}


def standing(model: Model, joints: dict[str, float]) -> Stability:
    position = model.zero_position()
    for name, value in joints.items():
        i = model.joint_names.index(name)
        position[i] = value
        if model.actuator_names[i] != name:
            position[i] = model.actuator_from_joint(name, value)[0]
    return stability_of(model, Support.of(model), model.compute(position))


def sum_over_masses(model: Model, joints: dict[str, float]) -> np.ndarray:
    """Centre of mass in the world from the independent chain of 4 x 4 matrices."""
    q = np.zeros(len(model.joint_names))
    for name, value in joints.items():
        q[model.joint_names.index(name)] = value
    tree = model.flat.tree
    T = poses(tree, q, 0.0 * q, 0.0 * q).value
    com = [T_i[:3, :3] @ r + T_i[:3, 3] for T_i, r in zip(T, tree.p_body_com, strict=True)]
    return sum(m * p for m, p in zip(tree.mass, com, strict=True)) / tree.mass.sum()


@pytest.mark.parametrize("pose", POSES)
def test_zero_moment_point_at_rest_is_below_the_sum_over_the_masses(
    charmie: Model, pose: str
) -> None:
    expected = sum_over_masses(charmie, POSES[pose])[:2]
    got = standing(charmie, POSES[pose])
    np.testing.assert_allclose(got.zero_moment_point, [*expected, -0.0368], atol=1e-12)


def test_stability_is_told_in_the_frame_of_the_base(charmie: Model) -> None:
    here = standing(charmie, POSES["torso bent forward"])
    away = {"base_x_joint": 3.0, "base_y_joint": -2.0, "base_yaw_joint": 2.1}
    there = standing(charmie, {**POSES["torso bent forward"], **away})
    for one, other in zip(here, there, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


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
    return make_cart(tmp_path, 0.0)


def make_cart(folder: Path, yaw: float, **mechanisms: object) -> Model:
    path = folder / "cart.urdf"
    path.write_text(CART.format(yaw=yaw), encoding="utf-8")
    return Model(load_model(urdf=path).tree, MechanismSet(base_body="cart", **mechanisms))  # type: ignore[arg-type]


def test_centre_of_mass_by_hand(cart: Model) -> None:
    # 2 kg at (0, 0, 0.3) and 1 kg at (0, 0.4, 1.5) on the cart, which stands at x = 0.5 + 0.3
    com = centre_of_mass(cart.compute([0.3]))
    np.testing.assert_allclose(com, [0.8, 0.2 + 0.4 / 3.0, 0.1 + 2.1 / 3.0], atol=1e-15)


def test_zero_moment_point_lags_when_the_robot_accelerates(cart: Model) -> None:
    # all masses accelerate alike: the point lags by height a / g
    a, height = 1.7, 0.1 + 2.1 / 3.0
    got = stability_of(cart, Support.of(cart), cart.compute([0.3], [0.0], [a]))
    expected = [0.8 - height * a / 9.81, 0.2 + 0.4 / 3.0, 0.0]
    np.testing.assert_allclose(got.zero_moment_point, expected, atol=1e-14)


def test_zero_moment_point_does_not_depend_on_the_axes_of_the_base(tmp_path: Path) -> None:
    model = make_cart(tmp_path, math.pi / 2)
    got = stability_of(model, Support.of(model), model.compute([0.3], [0.0], [1.7]))
    expected = [0.5 - 0.4 / 3.0, 0.2 + 0.3 - (0.1 + 0.7) * 1.7 / 9.81, 0.0]
    np.testing.assert_allclose(got.zero_moment_point, expected, atol=1e-14)


def test_without_contacts_there_is_no_margin(cart: Model) -> None:
    got = stability_of(cart, Support.of(cart), cart.compute([0.0]))
    assert math.isnan(got.margin)
    assert np.isfinite(got.zero_moment_point).all()


def test_no_point_and_no_margin_where_the_floor_would_have_to_pull(tmp_path: Path) -> None:
    contacts = ((0.1, 0.0, -0.1), (0.0, 0.1, -0.1), (-0.1, -0.1, -0.1))
    model = make_cart(tmp_path, 0.0, gravity=(0.0, 0.0, 9.81), wheel_contacts=contacts)
    got = stability_of(model, Support.of(model), model.compute([0.0]))
    assert np.isnan(got.zero_moment_point).all()
    assert math.isnan(got.margin)


def test_what_the_robot_carries_belongs_to_its_centre_of_mass(charmie: Model) -> None:
    # asked with the model as it was loaded, as by a scene that is made once
    support, mass = Support.of(charmie), 7.0
    state = charmie.with_loads({"left_tool": Payload(mass)}).compute(charmie.zero_position())
    p_world_tool, _ = state.frame("left_tool")
    p_world_base, R_world_base = state.frame(support.frame)
    empty = charmie.total_mass * standing(charmie, {}).centre_of_mass
    expected = empty + mass * (p_world_tool - p_world_base) @ R_world_base
    got = stability_of(charmie, support, state).centre_of_mass
    np.testing.assert_allclose(got, expected / (charmie.total_mass + mass), atol=1e-13)


def test_cart_that_brakes_hard_tips_over(tmp_path: Path) -> None:
    contacts = tuple((x, y, -0.1) for x in (-0.3, 0.3) for y in (-0.3, 0.3))
    model = make_cart(tmp_path, 0.0, wheel_contacts=contacts)
    # the point reaches the edge where 0.8 a / g = 0.3
    limit = 0.3 * 9.81 / 0.8
    for a, sign in ((0.99 * limit, 1.0), (1.01 * limit, -1.0)):
        got = stability_of(model, Support.of(model), model.compute([0.0], [0.0], [-a]))
        assert got.margin == pytest.approx(sign * 0.01 * 0.3, abs=1e-12)


def test_zero_moment_points_of_many_loads_are_those_of_each() -> None:
    rng = np.random.default_rng(11)
    force, torque = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    force[:, 2] += 5.0
    force[3, 2] = -1.0
    many = zero_moment_point(force, torque, -0.2)
    for one, f, t in zip(many, force, torque, strict=True):
        np.testing.assert_array_equal(one, zero_moment_point(f, t, -0.2))
    assert np.isnan(many[3]).all()
    assert np.isfinite(many[[0, 1, 2, 4]]).all()


def test_load_has_no_tilting_torque_about_the_zero_moment_point() -> None:
    force, torque = np.array([3.0, -2.0, 40.0]), np.array([5.0, 7.0, 1.0])
    point = zero_moment_point(force, torque, -0.3)
    assert point[2] == -0.3
    np.testing.assert_allclose((torque - np.cross(point, force))[:2], 0.0, atol=1e-14)


@pytest.mark.parametrize(
    ("point", "margin"),
    [
        ((0.0, 0.0), 1.0),
        ((0.7, 0.2), 0.3),
        ((-0.2, -0.9), 0.1),
        ((1.0, 0.3), 0.0),
        ((1.5, 0.0), -0.5),
        ((4.0, 5.0), -5.0),  # the nearest point is a corner
    ],
)
def test_margin_in_a_square_by_hand(point: tuple[float, float], margin: float) -> None:
    assert tip_over_margin(np.array(point), SQUARE) == pytest.approx(margin, abs=1e-15)


def test_nearest_point_of_the_edge_by_hand() -> None:
    for point, nearest in (((0.7, 0.2), (1.0, 0.2)), ((4.0, 5.0), (1.0, 1.0))):
        np.testing.assert_allclose(nearest_on_edge(np.array(point), SQUARE)[0], nearest)


def test_margins_of_many_points_keep_their_order_and_their_gaps() -> None:
    points = np.array([[[0.0, 0.0, 9.0], [np.nan] * 3], [[1.5, 0.0, 9.0], [0.5, 0.0, 9.0]]])
    np.testing.assert_allclose(tip_over_margin(points, SQUARE), [[1.0, np.nan], [-0.5, 0.5]])


def test_margins_in_an_unknown_polygon_are_unknown() -> None:
    assert np.isnan(tip_over_margin(np.zeros((3, 2)), np.zeros((0, 2)))).all()


def test_polygon_runs_counterclockwise_round_the_outer_points_only() -> None:
    inside_or_on_an_edge = [[0.0, 0.0], [0.0, -1.0], [1.0, 0.5]]
    points = np.array([[1.0, 1.0], [-1.0, -1.0], *inside_or_on_an_edge, [-1.0, 1.0], [1.0, -1.0]])
    np.testing.assert_array_equal(support_polygon(points), SQUARE)


@pytest.mark.parametrize("points", [[[0.0, 0.0]] * 3, [[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]]])
def test_points_in_a_line_have_less_than_three_corners(points: list[list[float]]) -> None:
    assert len(support_polygon(np.array(points))) < 3
