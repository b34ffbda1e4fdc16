# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations do not depend on where the robot stands, nor on parts that do not move."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from all_robots import BOOM, DATA, robot
from random_states import random_state

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.flat.actuators import reach_of
from charmie_dynamics.model.model import DEFAULT_URDF
from charmie_dynamics.numerics.vectors import Floats

FAR = 1e5  # m
FILES = {
    "charmie": ("charmie", None),
    "crane": (DATA / "crane.urdf", DATA / "crane.yaml"),
    "boom": (BOOM / "boom.urdf", BOOM / "boom.yaml"),
}


def scaled_error(found: Floats, expected: Floats) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("direction", [(1.0, 0.0), (-0.6, 0.8)])
def test_robot_far_from_the_origin_of_the_world_loses_no_accuracy(
    charmie: Model, direction: tuple[float, float]
) -> None:
    position, velocity, acceleration = random_state(charmie, np.random.default_rng(3))
    near, far = position.copy(), position.copy()
    # so that both are at places with few digits, and differ by nothing else
    near[:2] = 0.25, -0.5
    far[:2] = near[:2] + FAR * np.array(direction)
    # what is left of a place of a body after the subtraction of the others, relative to a metre
    lost = 1e-10
    terms, expected = charmie.equations(far, velocity), charmie.equations(near, velocity)
    for name in ("mass_matrix", "coriolis_matrix", "gravity_effort"):
        assert scaled_error(getattr(terms, name), getattr(expected, name)) < lost
    found = charmie.derivatives(far, velocity, acceleration)
    values = charmie.derivatives(near, velocity, acceleration)
    for name in ("effort_by_position", "effort_by_velocity", "effort_by_acceleration"):
        assert scaled_error(getattr(found, name), getattr(values, name)) < lost
    for frame in ("left_tool", "torso_actuator_rod"):
        jacobian = charmie.jacobian(far, frame)
        assert scaled_error(jacobian, charmie.jacobian(near, frame)) < lost
    energy, at = charmie.energy(far, velocity), charmie.energy(near, velocity)
    assert energy.kinetic == pytest.approx(at.kinetic, rel=lost)
    assert energy.elastic == pytest.approx(at.elastic, rel=lost)
    effort = charmie.compute(near, velocity, acceleration).actuator_effort
    again = charmie.forward(far, velocity, effort).acceleration
    assert scaled_error(again, acceleration) < 1e-7  # times the condition of the mass matrix


@pytest.mark.parametrize("name", FILES)
def test_open_tree_is_the_robot_of_the_urdf_alone(name: str) -> None:
    model = load_model(*FILES[name])
    urdf = share_file(*DEFAULT_URDF) if name == "charmie" else FILES[name][0]
    alone = load_model(urdf)
    tree = model.open_tree()
    assert alone.actuator_names == tree.actuator_names
    # the gravity of the mechanisms file is the robot's, too
    alone = Model(alone.tree, replace(alone.mechanisms, gravity=model.mechanisms.gravity))
    position, velocity, acceleration = random_state(alone, np.random.default_rng(2))
    found, expected = tree.equations(position, velocity), alone.equations(position, velocity)
    for term in ("mass_matrix", "coriolis_matrix", "gravity_effort", "spring_effort"):
        np.testing.assert_array_equal(getattr(found, term), getattr(expected, term))
    np.testing.assert_array_equal(
        tree.derivatives(position, velocity, acceleration).effort_by_position,
        alone.derivatives(position, velocity, acceleration).effort_by_position,
    )
    np.testing.assert_array_equal(
        tree.jacobian(position, tree.frame_names[-1]),
        alone.jacobian(position, alone.frame_names[-1]),
    )
    assert tree.energy(position, velocity) == alone.energy(position, velocity)


@pytest.mark.parametrize("name", ["charmie", "crane", "boom", "loaded crane"])
def test_equations_of_the_loops_are_those_of_the_tree_through_the_ratios(name: str) -> None:
    model = robot(name)
    position, velocity, acceleration = random_state(model, np.random.default_rng(4))
    state = model.compute(position, velocity, acceleration)
    tree = model.open_tree()
    joints = state.joint_position, state.joint_velocity, state.joint_acceleration
    ratio = state.joint_velocity / velocity  # of each joint and its own actuator
    found, expected = model.equations(position, velocity), tree.equations(*joints[:2])
    M = ratio[:, None] * expected.mass_matrix * ratio
    assert scaled_error(found.mass_matrix, M) < 1e-12
    assert scaled_error(found.gravity_effort, ratio * expected.gravity_effort) < 1e-12
    external = ratio * expected.external_effort
    np.testing.assert_allclose(found.external_effort, external, rtol=1e-9, atol=1e-12)
    # d/dt (ratio) enters through the Coriolis terms
    bias = M @ (acceleration - joints[2] / ratio) + found.coriolis_matrix @ velocity
    assert scaled_error(bias, ratio * (expected.coriolis_matrix @ joints[1])) < 1e-10
    of_frame = model.frame_names[len(model.flat.body_names) - 1]
    jacobian = model.jacobian(position, of_frame)
    assert scaled_error(jacobian, tree.jacobian(joints[0], of_frame) * ratio) < 1e-12


@pytest.mark.parametrize("name", ["charmie", "crane", "boom"])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_near_a_dead_centre_results_are_finite_and_effort_and_acceleration_agree(
    name: str, side: float
) -> None:
    model = robot(name)
    actuator = model.mechanisms.linear_actuators[0]  # moves a hinge
    k = model.actuator_names.index(actuator.name)
    low, high = reach(model, k)
    position, velocity, acceleration = random_state(model, np.random.default_rng(5))
    position[k] = low + 1e-9 if side < 0 else high - 1e-9
    velocity[k] *= 1e-6  # the joint turns by far more
    effort = model.compute(position, velocity, acceleration).actuator_effort
    assert np.isfinite(model.equations(position, velocity).coriolis_matrix).all()
    assert np.isfinite(model.derivatives(position, velocity, acceleration).effort_by_position).all()
    found = model.forward(position, velocity, effort).acceleration
    assert scaled_error(found, acceleration) < 1e-4


def reach(model: Model, k: int) -> tuple[float, float]:
    actuators = [actuator.name for actuator in model.mechanisms.linear_actuators]
    name = model.actuator_names[k]
    return reach_of(model.robot, actuators.index(name))


def test_robot_without_joints_has_empty_matrices(tmp_path: Path) -> None:
    path = tmp_path / "rock.urdf"
    path.write_text(
        '<robot name="rock"><link name="rock"><inertial><mass value="3"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>',
        encoding="utf-8",
    )
    model = load_model(urdf=path)
    none = np.zeros(0)
    assert model.equations(none).mass_matrix.shape == (0, 0)
    assert model.derivatives(none).effort_by_position.shape == (0, 0)
    assert model.jacobian(none, "rock").shape == (6, 0)
    assert model.regressor(none).shape == (0, 10)
    assert model.energy(none) == (0.0, 0.0, 0.0)
    assert model.forward(none).acceleration.shape == (0,)
    assert model.forward_derivatives(none).acceleration_by_effort.shape == (0, 0)
    many = np.zeros((4, 0))
    assert model.equations(many).mass_matrix.shape == (4, 0, 0)
    assert model.jacobian(many, "rock").shape == (4, 6, 0)
    assert model.regressor(many).shape == (4, 0, 10)
    assert model.regressor(none[None][:0]).shape == (0, 0, 10)
    assert model.forward(many).acceleration.shape == (4, 0)
