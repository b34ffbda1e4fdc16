# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import numpy as np
import pytest
from differences import first_derivative
from pose_series import (
    generalized_force,
    inertial_loads,
    kinetic_energy,
    mass_moments,
    poses,
    potential_energy,
)
from trees import (
    ROOT,
    Body,
    Solution,
    X,
    Z,
    empty_record,
    inverse_dynamics,
    make_tree,
    random_tree,
)

from charmie_dynamics.core.arrays import REVOLUTE, Dynamics, Kinematics, Tree
from charmie_dynamics.core.inverse.newton_euler import subtract_known_loads


def test_pendulum_by_hand() -> None:
    # turns about x; its rod of length r hangs along -z at q = 0
    m, r, spin, q, qd, qdd = 1.5, 0.7, 0.02, 0.6, -1.3, 2.1
    inertia = np.diag([spin, 0.03, 0.04])
    tree = make_tree([ROOT, Body(0, REVOLUTE, X, mass=m, com=(0, 0, -r), inertia=inertia)])
    solution = inverse_dynamics(tree, [q], [qd], [qdd])
    torque = (spin + m * r * r) * qdd + m * 9.81 * r * math.sin(q)
    assert solution.generalized_force[0] == pytest.approx(torque, rel=1e-14)
    # along the rod: centripetal force and weight
    rod = m * r * qd * qd + m * 9.81 * math.cos(q)
    assert solution.force[1, 2] == pytest.approx(rod, rel=1e-14)
    assert solution.force[1, 1] == pytest.approx(m * r * qdd + m * 9.81 * math.sin(q), rel=1e-14)


def test_gyroscopic_torque_of_a_wheel_on_a_turntable_by_hand() -> None:
    # A wheel spins about x with its hub on a turntable that turns about z, both steadily. Its
    # angular momentum swings round with the turntable: torque = w_z * h along y. Eq. 30 as
    # printed, with the angular acceleration in its last term, gives half of the axial part away.
    spin, turn_rate, axial, across = 40.0, 1.5, 0.08, 0.05
    wheel = Body(1, REVOLUTE, X, mass=1.0, inertia=np.diag([axial, across, across]))
    tree = make_tree([ROOT, Body(0, REVOLUTE, Z), wheel], gravity=(0, 0, 0))
    solution = inverse_dynamics(tree, [0.0, 0.0], [turn_rate, spin], [0.0, 0.0])
    np.testing.assert_allclose(solution.torque[2], [0.0, axial * turn_rate * spin, 0.0], rtol=1e-14)


def coordinates(tree: Tree, seed: int) -> np.ndarray:
    """Position, velocity and acceleration (3, q)."""
    rng = np.random.default_rng(1000 + seed)
    return rng.uniform(-1.5, 1.5, size=(3, tree.coordinate.max() + 1))


def lagrange_force(tree: Tree, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """d/dt dL/dqd - dL/dq, numerically."""
    J, zero = mass_moments(tree), np.zeros(len(q))

    def lagrangian(x: np.ndarray, v: np.ndarray) -> float:
        motion = poses(tree, x, v, zero)
        energy = potential_energy(J, motion.value, tree.gravity)
        return kinetic_energy(J, motion.rate) - energy

    def momentum(t: float, unit: np.ndarray) -> float:
        x, v = q + t * qd + 0.5 * t * t * qdd, qd + t * qdd
        return first_derivative(lambda s: lagrangian(x, v + s * unit), 0.0, 0.1)

    return np.array(
        [
            first_derivative(lambda t, e=e: momentum(t, e), 0.0, 0.02)
            - first_derivative(lambda s, e=e: lagrangian(q + s * e, qd), 0.0, 0.02)
            for e in np.eye(len(q))
        ]
    )


def test_perpendicular_revolute_joints_obey_lagrange() -> None:
    # the smallest tree on which the misprint of eq. 30 shows in every velocity product
    rod = Body(1, REVOLUTE, X, (0.1, 0.2, 0.0), mass=2.0, com=(0.1, 0.4, -0.2))
    rod = rod._replace(inertia=np.array([[0.5, 0.1, 0.0], [0.1, 0.4, 0.05], [0.0, 0.05, 0.3]]))
    tree = make_tree([ROOT, Body(0, REVOLUTE, Z), rod])
    state = np.array([[0.4, 0.9], [1.3, -0.8], [0.5, 0.2]])
    tau = inverse_dynamics(tree, *state).generalized_force
    np.testing.assert_allclose(tau, lagrange_force(tree, *state), rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_generalized_force_of_any_tree_obeys_lagrange(seed: int) -> None:
    tree = random_tree(np.random.default_rng(seed))
    state = coordinates(tree, seed)
    tau = inverse_dynamics(tree, *state).generalized_force
    np.testing.assert_allclose(tau, lagrange_force(tree, *state), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_generalized_force_of_any_tree_does_the_work_of_its_inertial_loads(seed: int) -> None:
    tree = random_tree(np.random.default_rng(seed), bodies=12)
    state = coordinates(tree, seed)
    tau = inverse_dynamics(tree, *state).generalized_force
    np.testing.assert_allclose(tau, generalized_force(tree, *state), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_load_on_each_body_is_what_all_bodies_after_it_need(seed: int) -> None:
    tree = random_tree(np.random.default_rng(seed), bodies=12)
    state = coordinates(tree, seed)
    solution = inverse_dynamics(tree, *state)
    force, torque = inertial_loads(tree, poses(tree, *state))
    for i in reversed(range(1, len(tree.parent))):
        force[tree.parent[i]] += force[i]
        torque[tree.parent[i]] += torque[i]
    got_force, got_torque = in_world(solution, solution.force, solution.torque)
    np.testing.assert_allclose(got_force, force, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(got_torque, torque, rtol=1e-10, atol=1e-10)


def in_world(
    solution: Solution, force: np.ndarray, torque: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Take loads at the bodies' origins, in their axes, to the world's origin and axes."""
    f = np.einsum("nij,nj->ni", solution.R_world_body, force)
    t = np.einsum("nij,nj->ni", solution.R_world_body, torque)
    return f, t + np.cross(solution.p_world_body, f)


def test_known_load_is_taken_off_every_body_before_it_and_no_other() -> None:
    tree = random_tree(np.random.default_rng(7), bodies=9)
    state = coordinates(tree, 7)
    solution = inverse_dynamics(tree, *state)
    n = len(tree.parent)
    loaded = n - 1
    load_force, load_torque = np.zeros((2, n, 3))
    load_force[loaded], load_torque[loaded] = (1.0, -2.0, 3.0), (0.5, 0.4, -0.3)
    loads = np.zeros(n, dtype=np.int64)
    i = loaded
    while i >= 0:
        loads[i] = 1
        i = tree.parent[i]
    placed = empty_record(Kinematics, n=n, f=n)
    placed.R_parent_frame[:], placed.p_parent_frame[:] = solution[:2]
    out = empty_record(Dynamics, n=n)
    out.open_force[:], out.open_torque[:] = solution.force, solution.torque
    out.load_force[:], out.load_torque[:] = load_force, load_torque
    subtract_known_loads(tree, loads, placed, out)
    force, torque = out.link_force, out.link_torque
    taken_force, taken_torque = in_world(solution, solution.force - force, solution.torque - torque)
    given_force, given_torque = in_world(solution, load_force, load_torque)
    assert 1 < loads.sum() < n
    for i in range(n):
        share = float(loads[i])
        np.testing.assert_allclose(taken_force[i], share * given_force[loaded], atol=1e-12)
        np.testing.assert_allclose(taken_torque[i], share * given_torque[loaded], atol=1e-12)
