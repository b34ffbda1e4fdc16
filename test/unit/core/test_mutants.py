# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What mutation testing of the kernels found no other test to see; see docs/reliability.md."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from pose_series import inertial_loads, poses, turn
from random_states import random_state
from trees import ROOT, Body, X, Y, Z, empty_record, inverse_dynamics, make_tree, random_rotation

from charmie_dynamics import Model, OutOfReachError
from charmie_dynamics.core.arrays import (
    ACTUATOR_OUT_OF_REACH,
    MECHANISM_OUT_OF_REACH,
    PRISMATIC,
    REACHED,
    REVOLUTE,
    Dynamics,
    Inputs,
    Kinematics,
    LinearActuators,
    Tree,
)
from charmie_dynamics.core.inverse.linear_actuators import (
    hinge_position,
    joints_from_actuators,
    on_branch,
)
from charmie_dynamics.core.mechanisms.balance_mechanisms import (
    BalanceDynamics,
    BalanceKinematics,
    BalanceMechanisms,
    balance_loads,
    place_balance,
)
from charmie_dynamics.model.description.mechanisms.springs import Spring
from charmie_dynamics.numerics.rotations import from_z_to_direction, quaternions_from_matrices


def one_actuator(F, G_zero, along: float = 0.0, branch: float = 1.0) -> LinearActuators:
    base, tip, member, frame = (np.array([i]) for i in (0, 1, 0, 2))
    pins = (base, np.zeros((1, 3)), tip, np.zeros((1, 3)), member, frame)
    whole = (np.array([i]) for i in (1, 0, 1, 0, 0))
    arrays = ([1.0], np.zeros((1, 3)), [F], [G_zero], [along], [0.0], [branch], [0.0], [1.0])
    return LinearActuators(*pins, *whole, *(np.array(x, dtype=float) for x in arrays))


@pytest.mark.parametrize("joint_type", [REVOLUTE, PRISMATIC])
@pytest.mark.parametrize("branch", [1.0, -1.0])
def test_dead_centre_itself_is_on_no_branch(joint_type: int, branch: float) -> None:
    tree = make_tree([ROOT, Body(0, joint_type, X)])
    actuators = one_actuator((1.0, 0.0), (2.0, 0.0), along=0.0, branch=branch)
    assert not on_branch(tree, actuators, 0, 0.0)


def test_lever_that_is_lost_in_round_off_is_out_of_reach() -> None:
    # the pins are 1e-9 m apart along a slide that has moved by 1e9 m: q + 1e9 is zero
    tree = make_tree([ROOT, Body(0, PRISMATIC, X)])
    given = Inputs(*np.array([[1e-9], [0.1], [0.1]]), np.zeros(0))
    out = empty_record(Kinematics, q=1, a=1)
    status = joints_from_actuators(tree, one_actuator((0, 0), (0, 0), along=1e9), given, out)
    assert status == (ACTUATOR_OUT_OF_REACH, 0)


@pytest.mark.parametrize("length", [1.0, 7.0])
def test_hinge_at_its_dead_centre_without_round_off_has_no_position(length: float) -> None:
    # arms of 3 and 4 m
    assert math.isnan(hinge_position(length, np.array([3.0, 0.0]), np.array([4.0, 0.0]), 0.0, 1.0))


@pytest.mark.parametrize("z", [1.0, 1.0 - 2.0**-53, 1.0 - 2.0**-50, 1.0 + 2.0**-52])
def test_direction_along_z_is_no_turn_whatever_its_last_digit(z: float) -> None:
    R = np.empty((3, 3))
    from_z_to_direction(np.array([0.0, 0.0, z]), R)
    np.testing.assert_allclose(R, np.eye(3), atol=1e-14)


def turned_root(rng: np.random.Generator) -> Tree:
    inertia = np.diag([0.3, 0.4, 0.5])
    body = {"mass": 1.3, "com": (0.2, -0.1, 0.4), "inertia": inertia}
    return make_tree(
        [
            Body(-1, R_parent_joint=random_rotation(rng), origin=(1.0, 2.0, 3.0), **body),
            Body(0, REVOLUTE, Y, origin=(0.1, 0.2, 0.3), **body),
            Body(0, PRISMATIC, Z, R_parent_joint=random_rotation(rng), **body),
            Body(1, REVOLUTE, X, origin=(0.3, 0.0, 0.1), **body),
        ],
        gravity=(1.0, -2.0, -9.0),
    )


@pytest.mark.parametrize("seed", range(3))
def test_root_that_stands_askew_hands_its_axes_on(seed: int) -> None:
    tree = turned_root(np.random.default_rng(seed))
    state = np.random.default_rng(50 + seed).uniform(-1.0, 1.0, size=(3, 3))
    solution = inverse_dynamics(tree, *state)
    force, torque = inertial_loads(tree, poses(tree, *state))
    for i in (3, 2, 1):
        force[tree.parent[i]] += force[i]
        torque[tree.parent[i]] += torque[i]
    for i in range(4):
        R, p = solution.R_world_body[i], solution.p_world_body[i]
        f = R @ solution.force[i]
        np.testing.assert_allclose(f, force[i], atol=1e-12)
        np.testing.assert_allclose(R @ solution.torque[i] + np.cross(p, f), torque[i], atol=1e-11)


def spring(name: str, base: str, tip: str, base_point, tip_point) -> Spring:
    return Spring(name, base, tuple(base_point), tip, tuple(tip_point), 500.0, 0.05, 20.0)


SPRINGS = (
    spring("first", "lower_body", "upper_body", (0.1, -0.1, 0.1), (0.05, 0.1, 0.2)),
    spring("second", "lower_body", "upper_body", (-0.1, 0.05, 0.2), (0.1, 0.02, 0.3)),
    spring("third", "base", "upper_body", (0.0, -0.2, 0.1), (0.0, 0.1, -0.1)),
    spring("fourth", "upper_body", "lower_body", (0.1, 0.1, 0.3), (0.0, -0.1, 0.1)),
)


@pytest.mark.parametrize("seed", range(3))
def test_springs_on_one_body_add_up(charmie: Model, seed: int) -> None:
    state = random_state(charmie, np.random.default_rng(seed))

    def loads(*springs: Spring) -> tuple[np.ndarray, np.ndarray]:
        mechanisms = replace(charmie.mechanisms, springs=springs, balance_mechanisms=())
        dynamics = Model(charmie.tree, mechanisms).compute(*state).dynamics
        return dynamics.load_force, dynamics.load_torque

    together = loads(*SPRINGS)
    apart = [sum(parts) for parts in zip(*(loads(one) for one in SPRINGS), strict=True)]
    for one, other in zip(together, apart, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11)
    for one in SPRINGS:
        assert np.abs(loads(one)[1]).max() > 1.0


@pytest.mark.parametrize("seed", range(3))
def test_frames_of_every_member_and_balance_mechanism_are_its_own(
    charmie: Model, seed: int
) -> None:
    model = Model(charmie.tree, replace(charmie.mechanisms, springs=SPRINGS))
    state = model.compute(random_state(charmie, np.random.default_rng(seed))[0])
    ends = ("tube", "rod"), ("base", "tip")
    members = [(a, *ends[0]) for a in model.mechanisms.linear_actuators]
    members += [(s, *ends[1]) for s in SPRINGS]
    for part, near, far in members:
        pins = []
        for body, point in ((part.base_body, part.base_point), (part.tip_body, part.tip_point)):
            p, R = state.frame(body)
            pins.append(p + R @ point)
        for end, pin in zip((near, far), pins, strict=True):
            p, R = state.frame(f"{part.name}_{end}")
            np.testing.assert_allclose(p, pin, atol=1e-14)
            along = (pins[1] - pins[0]) / np.linalg.norm(pins[1] - pins[0])
            np.testing.assert_allclose(R[:, 2], along, atol=1e-13)
    for part in model.mechanisms.balance_mechanisms:
        p, R = state.frame(part.frame_body)
        for end, point in (("bar", part.pivot), ("spring_base", part.spring_anchor)):
            np.testing.assert_allclose(
                state.frame(f"{part.name}_{end}")[0], p + R @ point, atol=1e-14
            )


def balance_between(pivot: np.ndarray, anchor: np.ndarray, *numbers: float) -> BalanceMechanisms:
    """One mechanism between bodies 0 and 1; its frames follow them."""
    columns = np.array(numbers)[:, None]
    rows = np.array([2]), np.array([0])
    return BalanceMechanisms(np.array([0]), np.array([1]), pivot, anchor, *columns, *rows)


def stand_upright(state: Kinematics, height: float) -> None:
    """Put body 1 above body 0, which is at the origin."""
    state.R_world_frame[:2] = state.R_parent_frame[:2] = np.eye(3)
    state.p_world_frame[:2] = state.p_parent_frame[:2] = (0.0, 0.0, 0.0), (0.0, 0.0, height)


ONE = {"n": 2, "f": 6, "t": 1, "balance_mechanisms": 1}  # mechanism between two bodies


def test_pivot_holds_what_a_spring_out_of_the_plane_pulls_sideways() -> None:
    # a mechanisms file may not have it, the statics of the bar do
    pivot, anchor = np.array([[0.04, 0.1, 0.3]]), np.array([[0.13, 0.3, 0.56]])
    balance = balance_between(pivot, anchor, 1.0, 0.2, 0.12, 0.15, 0.25, 0.5)
    tree = make_tree([ROOT, Body(0, PRISMATIC, Z)])
    state, placed = empty_record(Kinematics, **ONE), empty_record(BalanceKinematics, **ONE)
    stand_upright(state, 0.3)
    assert place_balance(tree, balance, state, placed) == (REACHED, 0)
    loads, out = empty_record(Dynamics, **ONE), empty_record(BalanceDynamics, **ONE)
    loads.load_force[:] = loads.load_torque[:] = 0.0
    loads.spring_tension[0] = 100.0
    balance_loads(tree, balance, state, placed, loads, out)
    pull = 100.0 * (anchor[0] - placed.balance_spring_point[0]) / state.spring_length[0]
    assert pull[1] > 10.0
    held = out.balance_pivot_force[0] + pull - [0.0, 0.0, out.balance_force[0]]
    np.testing.assert_allclose(held, 0.0, atol=1e-12)
    np.testing.assert_allclose(loads.load_force.sum(axis=0), 0.0, atol=1e-12)


def test_bar_that_stands_straight_up_is_at_the_end_of_its_reach() -> None:
    # numbers without round-off: the tip is 0.5 m above the pivot, exactly the bar's length
    pivot, anchor = np.zeros((1, 3)), np.array([[1.0, 0.0, 1.0]])
    balance = balance_between(pivot, anchor, 1.0, 0.5, 0.25, 0.25, 0.25, 0.0)
    tree = make_tree([ROOT, Body(0, PRISMATIC, Z)])
    state, placed = empty_record(Kinematics, **ONE), empty_record(BalanceKinematics, **ONE)
    stand_upright(state, 0.5)
    assert place_balance(tree, balance, state, placed) == (MECHANISM_OUT_OF_REACH, 0)
    state.p_parent_frame[1, 2] = 0.25
    assert place_balance(tree, balance, state, placed) == (REACHED, 0)


@pytest.mark.parametrize("seed", range(3))
def test_actuator_askew_to_its_hinge_shares_only_what_is_left_open(crane: Model, seed: int) -> None:
    # Its own force has a part along the hinge, which equilibrium determines.
    share = 0.3
    cylinder, spindle = crane.mechanisms.linear_actuators
    actuators = replace(cylinder, reaction_share=share), spindle
    model = Model(crane.tree, replace(crane.mechanisms, linear_actuators=actuators))
    state = model.compute(*random_state(crane, np.random.default_rng(seed)))
    i, dynamics = model.flat.body_names.index("jib"), state.dynamics
    p_lug, R_lug = state.frame("lug")
    p_bracket, R_bracket = state.frame("bracket")
    pins = p_lug + R_lug @ cylinder.base_point, p_bracket + R_bracket @ cylinder.tip_point
    outward = (pins[0] - pins[1]) / np.linalg.norm(pins[0] - pins[1])
    effort = state.actuator_effort[model.actuator_names.index("jib_cylinder")]
    hinge = next(j.axis for j in model.tree.joints if j.name == "luff")
    push = effort * (state.frame("jib")[1].T @ outward)
    assert abs(push @ hinge) > 1.0
    left_open = (dynamics.link_force[i] - push) @ hinge
    expected = push + share * left_open * hinge
    np.testing.assert_allclose(dynamics.actuator_pin_force[0], expected, atol=1e-9)


def with_balance_spring_of_no_length(charmie: Model) -> tuple[Model, np.ndarray]:
    """The right bar level at lift zero, and the spring's anchor where the bar holds the spring."""
    left, right = charmie.mechanisms.balance_mechanisms
    level = 0.29 + right.carried_point_z - right.link_height
    flat = replace(
        right,
        pivot=(0.0, 0.0, level),
        bar_length=0.5,
        spring_arm=0.25,
        spring_anchor=(0.25, 0.0, level),
    )
    mechanisms = replace(charmie.mechanisms, balance_mechanisms=(left, flat))
    model = Model(charmie.tree, mechanisms)
    position = model.zero_position()
    position[4] = 0.4
    return model, position


def test_balance_spring_whose_ends_meet_is_refused_by_its_name(charmie: Model) -> None:
    model, position = with_balance_spring_of_no_length(charmie)
    with pytest.raises(OutOfReachError, match="same place") as caught:
        model.compute(position)
    assert "lift_balance_right" in str(caught.value)


HALF_TURNS = [X, Y, Z, (X + Y), (Y + Z), (X + Z), (X - Y), (Y - Z), (Z - X), (X + Y + Z)]


@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-8, -1e-8, 1e-3])
@pytest.mark.parametrize("axis", HALF_TURNS, ids=str)
def test_quaternion_of_a_half_turn_is_its_axis(axis: np.ndarray, off: float) -> None:
    axis = axis / np.linalg.norm(axis)
    quaternion = np.empty((1, 4))
    quaternions_from_matrices(turn(axis, math.pi + off)[None], quaternion)
    half = 0.5 * (math.pi + off)
    expected = np.array([*(math.sin(half) * axis), math.cos(half)])
    sign = np.sign(quaternion[0] @ expected)
    np.testing.assert_allclose(quaternion[0] * sign, expected, atol=1e-15)
