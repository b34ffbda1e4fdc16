# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 5, and the statics of the balance mechanisms on its results."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pose_series import turn
from trees import ROOT, Body, X, Y, Z, make_tree, random_rotation

from charmie_dynamics.core.arrays import (
    MECHANISM_COLLAPSED,
    MECHANISM_OUT_OF_REACH,
    PRISMATIC,
    REACHED,
    Dynamics,
    Kinematics,
)
from charmie_dynamics.core.mechanisms.balance_mechanisms import (
    BalanceDynamics,
    BalanceKinematics,
    BalanceMechanisms,
    balance_loads,
    place_balance,
)
from charmie_dynamics.core.mechanisms.kernels import NoResults
from charmie_dynamics.core.mechanisms.springs import SpringsBetweenBodies, place_springs

BASE, TIP = 0, 1
# of one member or balance mechanism: its frames follow the two bodies
FRAME = 2
PIVOT, ANCHOR = np.array([0.04, 0.1, 0.3]), np.array([0.13, 0.1, 0.56])
BAR, ARM, UPRIGHT, SLOT = 0.2, 0.12, 0.15, 0.25


def kinematics(frames: int, members: int = 0, balances: int = 0) -> Kinematics:
    """Room for results, NaN so that what is not written shows."""
    return Kinematics(
        *np.full((7, 0), np.nan),
        np.full((frames, 3, 3), np.nan),
        np.full((frames, 3), np.nan),
        np.full((frames, 3, 3), np.nan),
        np.full((frames, 3), np.nan),
        np.full(members, np.nan),
        np.full((members, 3), np.nan),
        np.full(members + balances, np.nan),
        np.empty(0),
    )


TREE = make_tree([ROOT, Body(0, PRISMATIC, Z)])


def place(base: np.ndarray, tip: np.ndarray, out: Kinematics) -> tuple[int, int]:
    """Place springs from pins on the first body to pins on the second."""
    rows = np.arange(len(base))
    bodies = np.full(len(base), BASE), np.full(len(base), TIP)
    undamped = np.zeros(len(base), dtype=np.int64), np.zeros(len(base))
    pins = (bodies[0], base, bodies[1], tip, rows, FRAME + 2 * rows, rows, *undamped)
    return place_springs(TREE, SpringsBetweenBodies(*pins), out, NoResults())


def placed_member(seed: int) -> tuple[Kinematics, np.ndarray, np.ndarray]:
    """Return the results for a member between two random bodies, and its pins in the world."""
    rng = np.random.default_rng(seed)
    out = kinematics(4, members=1)
    for body in (BASE, TIP):
        out.R_world_frame[body] = random_rotation(rng)
        out.p_world_frame[body] = rng.normal(size=3)
    pins = rng.normal(size=(2, 3))
    assert place(pins[:1].copy(), pins[1:].copy(), out) == (REACHED, 0)
    world = [out.p_world_frame[b] + out.R_world_frame[b] @ pins[b] for b in (BASE, TIP)]
    return out, world[0], world[1]


@pytest.mark.parametrize("seed", range(2))
def test_frames_of_a_member_sit_at_its_pins_and_point_along_it(seed: int) -> None:
    out, base, tip = placed_member(seed)
    np.testing.assert_allclose(out.p_world_frame[FRAME], base, atol=1e-14)
    np.testing.assert_allclose(out.p_world_frame[FRAME + 1], tip, atol=1e-14)
    for frame in (FRAME, FRAME + 1):
        R = out.R_world_frame[frame]
        np.testing.assert_allclose(R[:, 2], (tip - base) / np.linalg.norm(tip - base), atol=1e-12)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
        in_base = out.R_world_frame[BASE] @ out.R_parent_frame[frame]
        np.testing.assert_allclose(in_base, R, atol=1e-14)


def test_angle_of_a_member_is_the_arccos_of_the_law_of_cosines() -> None:
    # Eq. 21, printed without the arccos: the triangle of base pin S_i, tip pin S_j and a point
    # R_i above the base pin. The member swings about the x axis of its base body.
    out = kinematics(4, members=1)
    out.R_world_frame[:2], out.p_world_frame[:2] = np.eye(3), 0.0
    S_i, S_j = np.array([[0.0, 0.1, 0.2]]), np.array([[0.0, -0.3, 0.5]])
    place(S_i, S_j, out)
    b = 0.7
    R_i = S_i[0] + [0.0, 0.0, b]
    length, a = np.linalg.norm(S_j - S_i), np.linalg.norm(R_i - S_j[0])
    angle = math.acos((length**2 + b * b - a * a) / (2.0 * length * b))
    np.testing.assert_allclose(out.R_parent_frame[FRAME], turn(X, angle), atol=1e-14)


def test_member_whose_pins_meet_is_reported() -> None:
    out = kinematics(6, members=2)
    out.R_world_frame[:2], out.p_world_frame[:2] = np.eye(3), 0.0
    base, tip = np.zeros((2, 3)), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert place(base, tip, out) == (MECHANISM_COLLAPSED, 1)


def mechanism(side: float = 1.0) -> BalanceMechanisms:
    flip = np.array([side, 1.0, 1.0])
    return BalanceMechanisms(
        *(
            np.array([BASE]),
            np.array([TIP]),
            (PIVOT * flip)[None],
            (ANCHOR * flip)[None],
            *np.array([[side], [BAR], [ARM], [UPRIGHT], [SLOT], [0.5]]),
            np.array([FRAME]),
            np.array([0]),
        )
    )


def placed_balance(height: float, side: float = 1.0) -> tuple[Kinematics, BalanceKinematics]:
    """Return the results for a mechanism whose carried body stands at `height` on its slide."""
    own = BalanceKinematics(*np.full((2, 1, 3), np.nan))
    out = kinematics(6, balances=1)
    out.R_world_frame[BASE], out.p_world_frame[BASE] = turn(Y, 0.3) @ turn(Z, 1.0), (1.0, 2.0, 3.0)
    out.R_parent_frame[TIP], out.p_parent_frame[TIP] = np.eye(3), (0.0, 0.0, height)
    assert place_balance(TREE, mechanism(side), out, own) == (REACHED, 0)
    return out, own


HEIGHTS = [0.1, 0.17, 0.2, 0.3, 0.35]
SIDES = pytest.mark.parametrize("side", [1.0, -1.0])


@SIDES
@pytest.mark.parametrize("height", HEIGHTS)
def test_bar_reaches_from_its_pivot_to_the_foot_of_the_upright(height: float, side: float) -> None:
    _, own = placed_balance(height, side)
    tip, pivot = own.balance_tip[0], PIVOT * [side, 1.0, 1.0]
    assert np.linalg.norm(tip - pivot) == pytest.approx(BAR, rel=1e-14)
    assert side * (tip[0] - pivot[0]) > 0.0
    assert tip[1] == pivot[1]
    # eq. 22, 23 and 25: the upright stands on the tip and its top is in the slot
    assert tip[2] + UPRIGHT == pytest.approx(height + SLOT, rel=1e-14)


@SIDES
def test_four_frames_of_a_balance_mechanism_sit_on_bar_upright_and_spring(side: float) -> None:
    out, own = placed_balance(0.3, side)
    pivot, anchor = PIVOT * [side, 1.0, 1.0], ANCHOR * [side, 1.0, 1.0]
    tip, point = own.balance_tip[0], own.balance_spring_point[0]
    np.testing.assert_allclose(out.p_parent_frame[FRAME:], [pivot, tip, anchor, point], atol=1e-15)
    along = [tip - pivot, [0.0, 0.0, 1.0], point - anchor, point - anchor]
    along = [v / np.linalg.norm(v) for v in along]
    np.testing.assert_allclose(out.R_parent_frame[FRAME:, :, 2], along, atol=1e-12)
    for frame in range(FRAME, 6):
        R, p = out.R_world_frame[BASE], out.p_world_frame[BASE]
        np.testing.assert_allclose(
            out.p_world_frame[frame], p + R @ out.p_parent_frame[frame], atol=1e-14
        )
        np.testing.assert_allclose(
            out.R_world_frame[frame], R @ out.R_parent_frame[frame], atol=1e-14
        )


@pytest.mark.parametrize("height", [-0.001, 0.401])
def test_upright_beyond_the_reach_of_the_bar_is_reported(height: float) -> None:
    out = kinematics(6, balances=1)
    out.R_world_frame[BASE], out.p_world_frame[BASE] = np.eye(3), 0.0
    out.R_parent_frame[TIP], out.p_parent_frame[TIP] = np.eye(3), (0.0, 0.0, height)
    own = BalanceKinematics(*np.full((2, 1, 3), np.nan))
    assert place_balance(TREE, mechanism(), out, own) == (MECHANISM_OUT_OF_REACH, 0)


def balance_statics(height: float, side: float, tension: float) -> tuple[Dynamics, BalanceDynamics]:
    fields = {name: np.zeros((1, 3)) for name in Dynamics._fields}
    fields.update(load_force=np.zeros((2, 3)), load_torque=np.zeros((2, 3)))
    numbers = ("generalized_force", "joint_effort", "actuator_effort", "spring_tension")
    fields.update({name: np.zeros(1) for name in numbers})
    out = Dynamics(**fields)
    out.spring_tension[0] = tension
    own = BalanceDynamics(np.zeros(1), np.zeros((1, 3)), np.zeros(1))
    balance_loads(TREE, mechanism(side), *placed_balance(height, side), out, own)
    return out, own


@SIDES
@pytest.mark.parametrize("height", HEIGHTS)
def test_bar_is_in_equilibrium(height: float, side: float) -> None:
    tension = 130.0
    (_, state), (_, out) = placed_balance(height, side), balance_statics(height, side, tension)
    pivot, anchor = PIVOT * [side, 1.0, 1.0], ANCHOR * [side, 1.0, 1.0]
    point, tip = state.balance_spring_point[0], state.balance_tip[0]
    pull = tension * (anchor - point) / np.linalg.norm(anchor - point)
    load = np.array([0.0, 0.0, -out.balance_force[0]])
    np.testing.assert_allclose(pull + load + out.balance_pivot_force[0], 0.0, atol=1e-12)
    moment = np.cross(point - pivot, pull) + np.cross(tip - pivot, load)
    np.testing.assert_allclose(moment, 0.0, atol=1e-12)
