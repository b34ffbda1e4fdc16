# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The kernels at the edges of what they are made for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pose_series import turn
from trees import ROOT, Body, X, Y, Z, inverse_dynamics, make_tree, random_tree

from charmie_dynamics.core.arrays import FIXED, PRISMATIC, REVOLUTE, Tree
from charmie_dynamics.core.inverse.linear_actuators import hinge_position, lever, slide_position
from charmie_dynamics.core.inverse.spring_tension import spring_tension

# fixed pin, moving pin at zero, distance along the hinge, branch
HINGES = {
    "torso": ((0.0875, -0.051), (0.1225, 0.380), 0.0, -1.0),
    "not planar": ((-0.3, 0.4), (0.25, 0.1), 0.12, 1.0),
    "unlike arms": ((0.01, 0.0), (0.6, 0.8), 0.0, 1.0),
}
EDGES = pytest.mark.parametrize("edge", ["shortest", "longest"])
LOOPS = pytest.mark.parametrize("loop", HINGES.values(), ids=HINGES)


def at_edge(loop: tuple, edge: str) -> tuple[float, float]:
    """Return the length that stretches or folds the loop, and the step towards out of reach."""
    F, G, along, _ = loop
    e, radius = math.hypot(*F), math.hypot(*G)
    if edge == "shortest":
        return math.hypot(e - radius, along), -1.0
    return math.hypot(e + radius, along), 1.0


def hinge_at(loop: tuple, length: float) -> float:
    F, G, along, branch = loop
    return hinge_position(length, np.array(F), np.array(G), along, branch)


def dead_centre(loop: tuple, edge: str) -> float:
    """Joint position at which hinge and pins are in line."""
    F, G, _, _ = loop
    angle = math.atan2(F[1], F[0]) - math.atan2(G[1], G[0])
    return angle + (math.pi if edge == "longest" else 0.0)


def apart(one: float, other: float) -> float:
    return abs(math.remainder(one - other, 2.0 * math.pi))


@EDGES
@LOOPS
@pytest.mark.parametrize("beyond", [1e-12, 1e-9, 1e-3])
def test_hinge_just_beyond_its_reach_has_no_position(loop: tuple, edge: str, beyond: float) -> None:
    length, outward = at_edge(loop, edge)
    # what counts is the square of the height over the line of the pins, of the larger arm's size
    scale = max(math.hypot(*loop[1]), length)
    assert math.isnan(hinge_at(loop, length + outward * beyond * scale))


@EDGES
@LOOPS
@pytest.mark.parametrize("inside", [1e-12, 1e-9, 1e-6])
def test_hinge_just_inside_its_reach_closes_near_the_dead_centre(
    loop: tuple, edge: str, inside: float
) -> None:
    F, G, along, branch = loop
    length, outward = at_edge(loop, edge)
    q = hinge_at(loop, length - outward * inside)
    # the joint moves with the square root of the length there
    assert 0.0 < apart(q, dead_centre(loop, edge)) < 40.0 * math.sqrt(inside)
    R = np.array([[math.cos(q), -math.sin(q)], [math.sin(q), math.cos(q)]])
    pins = math.hypot(*(R @ G - np.array(F)), along)
    assert pins == pytest.approx(length - outward * inside, abs=1e-14)
    k, _ = lever(q, True, np.array(F), np.array(G), 0.0)
    assert k * branch < 0.0


@EDGES
@LOOPS
@pytest.mark.parametrize("ulps", [-1, 0, 1])
def test_hinge_at_its_reach_to_the_last_digit_has_no_position_or_is_at_the_dead_centre(
    loop: tuple, edge: str, ulps: int
) -> None:
    length, outward = at_edge(loop, edge)
    if ulps:
        length = float(np.nextafter(length, length + ulps * outward))
    q = hinge_at(loop, length)
    assert math.isnan(q) or apart(q, dead_centre(loop, edge)) < 1e-6


@LOOPS
def test_lever_of_a_hinge_vanishes_at_its_dead_centres(loop: tuple) -> None:
    F, G, _, _ = loop
    size = math.hypot(*F) * math.hypot(*G)
    for edge in ("shortest", "longest"):
        k, dk = lever(dead_centre(loop, edge), True, np.array(F), np.array(G), 0.0)
        assert abs(k) < 1e-15 * max(size, 1.0)
        # the length is shortest or longest there
        assert dk == pytest.approx(size if edge == "shortest" else -size, rel=1e-12)


@pytest.mark.parametrize("branch", [1.0, -1.0])
def test_slide_at_its_shortest_length_has_no_position_and_one_digit_more_has_one(
    branch: float,
) -> None:
    across = 0.095
    assert math.isnan(slide_position(across, 0.0, across, branch))
    assert math.isnan(slide_position(float(np.nextafter(across, 0.0)), 0.0, across, branch))
    q = slide_position(float(np.nextafter(across, 1.0)), 0.0, across, branch)
    assert 0.0 < branch * q < 1e-8


@pytest.mark.parametrize("branch", [1.0, -1.0])
def test_slide_in_line_with_its_actuator_moves_as_it_does(branch: float) -> None:
    assert math.isnan(slide_position(0.0, 0.1, 0.0, branch))
    assert slide_position(0.3, 0.1, 0.0, branch) == pytest.approx(branch * 0.3 - 0.1, abs=1e-15)
    assert branch * slide_position(5e-160, 0.0, 0.0, branch) == pytest.approx(5e-160, rel=1e-3)


def test_spring_parts_its_coils_above_its_free_length_only() -> None:
    free = 0.18
    assert spring_tension(free, 4200.0, free, 180.0) == 0.0
    assert spring_tension(float(np.nextafter(free, 0.0)), 4200.0, free, 180.0) == 0.0
    above = float(np.nextafter(free, 1.0))
    assert spring_tension(above, 4200.0, free, 180.0) == pytest.approx(180.0, rel=1e-12)
    assert spring_tension(above, 4200.0, free, 0.0) == pytest.approx(0.0, abs=1e-12)


def test_longer_spring_pulls_harder() -> None:
    # eq. 35 with the elongation positive: 1000 N/m over 20 mm, on top of 50 N
    assert spring_tension(0.22, 1000.0, 0.2, 50.0) == pytest.approx(70.0, rel=1e-12)
    assert spring_tension(0.1, 1000.0, 0.2, 50.0) == 0.0


def test_spring_of_no_stiffness_pulls_with_its_pretension() -> None:
    assert spring_tension(5.0, 0.0, 0.1, 30.0) == 30.0
    assert spring_tension(0.1, 0.0, 0.1, 30.0) == 0.0


def scaled(tree: Tree, factor: float) -> Tree:
    """The same tree, every mass and inertia `factor` times as large."""
    mass, inertia = tree.mass * factor, tree.inertia * factor
    for array in (mass, inertia):
        array.flags.writeable = False
    return tree._replace(mass=mass, inertia=inertia)


@pytest.mark.parametrize("factor", [0.0, 2.0**-1000, 2.0**500])
def test_loads_are_proportional_to_the_masses_however_small_or_large(factor: float) -> None:
    tree = random_tree(np.random.default_rng(1), bodies=9)
    state = np.random.default_rng(2).uniform(-1.0, 1.0, size=(3, tree.coordinate.max() + 1))
    usual, other = inverse_dynamics(tree, *state), inverse_dynamics(scaled(tree, factor), *state)
    # a power of two is exact
    np.testing.assert_array_equal(other.force, factor * usual.force)
    np.testing.assert_array_equal(other.torque, factor * usual.torque)
    np.testing.assert_array_equal(other.generalized_force, factor * usual.generalized_force)


def test_denormal_mass_and_motion_are_no_more_than_small() -> None:
    tiny = 5e-324
    tree = make_tree([ROOT, Body(0, REVOLUTE, Y, mass=1.0, com=(tiny, 0.0, 1.0))])
    solution = inverse_dynamics(tree, [tiny], [tiny], [tiny])
    assert np.isfinite(solution.torque).all()
    assert solution.force[1, 2] == pytest.approx(9.81, rel=1e-15)
    light = make_tree([ROOT, Body(0, REVOLUTE, Y, mass=tiny, com=(1.0, 0.0, 0.0))])
    assert np.abs(inverse_dynamics(light, [0.0], [0.0], [0.0]).force).max() <= 10 * tiny


@pytest.mark.parametrize("angle", [1e9, -1e9, 2.0**52, 1e300])
@pytest.mark.parametrize("axis", [X, Y, Z])
def test_huge_angle_turns_as_its_sine_and_cosine_say(axis: np.ndarray, angle: float) -> None:
    solution = inverse_dynamics(make_tree([ROOT, Body(0, REVOLUTE, axis)]), [angle], [0.0], [0.0])
    np.testing.assert_allclose(solution.R_world_body[1], turn(axis, angle), atol=1e-15)


def test_far_away_slide_carries_the_same_weight() -> None:
    tree = make_tree([ROOT, Body(0, PRISMATIC, X), Body(1, PRISMATIC, Z, mass=3.0)])
    solution = inverse_dynamics(tree, [1e9, -1e9], [0.0, 0.0], [0.0, 0.0])
    assert solution.p_world_body[2].tolist() == [1e9, 0.0, -1e9]
    np.testing.assert_allclose(solution.generalized_force, [0.0, 3.0 * 9.81], rtol=1e-15)


def chain(links: int, mass: float, length: float) -> Tree:
    """Equal links along x, each hinged to the one before about -y, mass in their middle."""
    body = {"mass": mass, "com": (0.5 * length, 0.0, 0.0)}
    parts = [ROOT, Body(0, REVOLUTE, -Y, **body)]
    parts += [Body(i, REVOLUTE, -Y, origin=(length, 0.0, 0.0), **body) for i in range(1, links)]
    return make_tree(parts)


def test_chain_of_ten_thousand_links_holds_up_its_weight() -> None:
    links, mass, length = 10_000, 0.3, 0.02
    rest = np.zeros(links)
    solution = inverse_dynamics(chain(links, mass, length), rest, rest, rest)
    after = links - np.arange(links)
    # the weight of what follows, half way out
    expected = 9.81 * mass * after * 0.5 * length * after
    np.testing.assert_allclose(solution.generalized_force, expected, rtol=1e-11)
    assert solution.force[0, 2] == pytest.approx(links * mass * 9.81, rel=1e-11)
    np.testing.assert_allclose(solution.p_world_body[-1], [(links - 1) * length, 0, 0], rtol=1e-11)


def test_tree_without_movable_joints_has_no_forces_to_apply() -> None:
    tree = make_tree([Body(-1, mass=2.0, com=(0.1, 0.0, 0.0)), Body(0, FIXED, mass=1.0)])
    solution = inverse_dynamics(tree, [], [], [])
    assert solution.generalized_force.shape == (0,)
    np.testing.assert_allclose(solution.force[0], [0.0, 0.0, 3.0 * 9.81], rtol=1e-15)
    np.testing.assert_allclose(solution.torque[0], [0.0, -0.1 * 2.0 * 9.81, 0.0], rtol=1e-15)
