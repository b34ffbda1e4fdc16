# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from trees import ROOT, Body, X, empty_record, make_tree

from charmie_dynamics.core.arrays import (
    ACTUATOR_OUT_OF_REACH,
    PRISMATIC,
    REACHED,
    REVOLUTE,
    Inputs,
    Kinematics,
    LinearActuators,
    Tree,
)
from charmie_dynamics.core.inverse.linear_actuators import (
    actuator_from_joint,
    hinge_position,
    joints_from_actuators,
    on_branch,
)


class Loop(NamedTuple):
    """One joint and its linear actuator: pins F and G_zero in the plane, or along and across."""

    revolute: bool
    F: tuple[float, float] = (0.0, 0.0)
    G_zero: tuple[float, float] = (0.0, 0.0)
    along: float = 0.0
    across: float = 0.0
    branch: float = 1.0

    def length(self, q: float) -> float:
        """Distance of the pins, from their places."""
        if self.revolute:
            c, s = math.cos(q), math.sin(q)
            G = (c * self.G_zero[0] - s * self.G_zero[1], s * self.G_zero[0] + c * self.G_zero[1])
            return float(np.linalg.norm([G[0] - self.F[0], G[1] - self.F[1], self.along]))
        return math.hypot(self.along + q, self.across)


def arrays(*loops: Loop) -> tuple[Tree, LinearActuators]:
    n = len(loops)
    bodies = [Body(0, REVOLUTE if loop.revolute else PRISMATIC, X) for loop in loops]
    rows = np.arange(n)
    actuators = LinearActuators(
        *(rows, np.zeros((n, 3)), rows + 1, np.zeros((n, 3)), rows, n + 1 + 2 * rows),
        *(
            np.arange(1, n + 1),
            np.arange(n),
            np.arange(1, n + 1),
            np.zeros(n, dtype=int),
            np.zeros(n, dtype=int),
            np.ones(n),
            np.zeros((n, 3)),
            np.array([loop.F for loop in loops], dtype=float),
            np.array([loop.G_zero for loop in loops], dtype=float),
            np.array([loop.along for loop in loops], dtype=float),
            np.array([loop.across for loop in loops], dtype=float),
            np.array([loop.branch for loop in loops], dtype=float),
            np.zeros(n),
            np.ones(n),
        ),
    )
    return make_tree([ROOT, *bodies]), actuators


def joints(
    loops: list[Loop], length: list, rate: list | None = None, acceleration: list | None = None
) -> tuple[tuple[int, int], np.ndarray]:
    """Return status and index, and joint position, velocity and acceleration (3, q)."""
    zero = [0.0] * len(loops)
    given = [np.array(x, dtype=float) for x in (length, rate or zero, acceleration or zero)]
    return convert(*arrays(*loops), given)[:2]


def convert(
    tree: Tree, actuators: LinearActuators, given: Sequence[np.ndarray]
) -> tuple[tuple[int, int], np.ndarray, np.ndarray]:
    """Return status and index, the joints' position, velocity and acceleration, the levers."""
    out = empty_record(Kinematics, q=len(given[0]), a=len(actuators.coordinate))
    status = joints_from_actuators(tree, actuators, Inputs(*given, np.zeros(0)), out)
    joints = (out.joint_position, out.joint_velocity, out.joint_acceleration)
    return status, np.array(joints), out.actuator_lever


# The torso of CHARMIE in its yz plane, the lift along its axis, and loops unlike them.
TORSO = Loop(True, F=(0.0875, -0.051), G_zero=(0.1225, 0.380), branch=-1.0)
INVERTED_TORSO = TORSO._replace(branch=1.0)
SKEW_HINGE = Loop(True, F=(-0.3, 0.4), G_zero=(0.25, 0.1), along=0.12, branch=1.0)
LIFT = Loop(False, along=-0.5735, across=0.095, branch=-1.0)
PUSHED_SLIDE = Loop(False, along=0.2, across=0.05, branch=1.0)
HINGES = [TORSO, INVERTED_TORSO, SKEW_HINGE]
LOOPS = [*HINGES, LIFT, PUSHED_SLIDE]

SIZES = st.floats(0.05, 1.0)


@st.composite
def hinges(draw: st.DrawFn) -> tuple[Loop, float]:
    """Any hinge, and a joint position between the dead centres of its branch.

    The pins turn from the line hinge - F by an angle between 0 and pi on the one branch, 0 and
    -pi on the other.
    """
    e, radius, heading = draw(SIZES), draw(SIZES), draw(st.floats(-3.0, 3.0))
    side = draw(st.sampled_from([-1.0, 1.0]))
    zero, now = (side * draw(st.floats(0.1, math.pi - 0.1)) for _ in range(2))
    F = (e * math.cos(heading), e * math.sin(heading))
    G = (radius * math.cos(heading + zero), radius * math.sin(heading + zero))
    offset = draw(st.sampled_from([0.0, 0.1, -0.3]))
    return Loop(True, F, G, offset, branch=-side), now - zero


@st.composite
def slides(draw: st.DrawFn) -> tuple[Loop, float]:
    branch = draw(st.sampled_from([-1.0, 1.0]))
    along, now = branch * draw(SIZES), branch * draw(SIZES)
    return Loop(False, along=along, across=draw(st.floats(0.0, 1.0)), branch=branch), now - along


@given(st.one_of(hinges(), slides()), st.floats(-2.0, 2.0), st.floats(-5.0, 5.0))
def test_actuator_from_joint_undoes_joint_from_actuator(
    case: tuple[Loop, float], qd: float, qdd: float
) -> None:
    loop, q = case
    length, rate, acceleration = actuator_from_joint(*arrays(loop), 0, q, qd, qdd)
    assert length == pytest.approx(loop.length(q), rel=1e-13)
    assume(length > 0.02)
    (status, _), result = joints([loop], [length], [rate], [acceleration])
    assert status == REACHED
    # near a dead centre the acceleration loses digits with the third power of the lever
    np.testing.assert_allclose(result[:, 0], [q, qd, qdd], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("loop", HINGES)
@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.8, 0.98])
def test_moving_pin_of_a_hinge_is_at_both_distances(loop: Loop, share: float) -> None:
    # Eq. 13 and 14 as printed, both terms with a plus sign, put it elsewhere.
    e, radius = math.hypot(*loop.F), math.hypot(*loop.G_zero)
    low, high = abs(e - radius), e + radius
    planar = low + share * (high - low)
    length = math.hypot(planar, loop.along)
    q = hinge_position(length, np.array(loop.F), np.array(loop.G_zero), loop.along, loop.branch)
    c, s = math.cos(q), math.sin(q)
    G = np.array([[c, -s], [s, c]]) @ loop.G_zero
    assert np.linalg.norm(G) == pytest.approx(radius, rel=1e-12)
    assert np.linalg.norm(G - loop.F) == pytest.approx(planar, rel=1e-12)
    # the branch: on which side of the line from F to the hinge
    assert np.sign(loop.F[1] * G[0] - loop.F[0] * G[1]) == loop.branch


@pytest.mark.parametrize("loop", LOOPS)
def test_negative_length_is_out_of_reach(loop: Loop) -> None:
    (status, _), _ = joints([loop], [-loop.length(0.1)])
    assert status == ACTUATOR_OUT_OF_REACH


@pytest.mark.parametrize("wrong", [0, 1])
def test_status_tells_which_actuator_is_out_of_reach(wrong: int) -> None:
    length = [LIFT.length(0.1), TORSO.length(0.1)]
    length[wrong] = 0.01
    status, _ = joints([LIFT, TORSO], length)
    assert status == (ACTUATOR_OUT_OF_REACH, wrong)


def test_joint_without_actuator_is_left_as_given() -> None:
    tree = make_tree([ROOT, Body(0, REVOLUTE, X), Body(0, REVOLUTE, X)])
    _, one = arrays(TORSO)
    joint_body, coordinate = (np.array([2]), np.array([1]))
    actuators = one._replace(joint_body=joint_body, coordinate=coordinate)
    given = np.array([[3.0, TORSO.length(0.2)], [0.3, 0.0], [0.7, 0.0]])
    status, result, _ = convert(tree, actuators, given)
    assert status == (REACHED, 0)
    assert result[:, 0].tolist() == [3.0, 0.3, 0.7]
    assert result[0, 1] == pytest.approx(0.2, abs=1e-12)


@given(st.one_of(hinges(), slides()))
def test_position_between_the_dead_centres_is_on_the_branch(case: tuple[Loop, float]) -> None:
    loop, q = case
    assert on_branch(*arrays(loop), 0, q)
    assert not on_branch(*arrays(loop._replace(branch=-loop.branch)), 0, q)
