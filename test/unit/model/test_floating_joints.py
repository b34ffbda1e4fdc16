# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Floating and planar joints in every computation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from differences import first_derivative, second_derivative
from floating_robots import KINDS, random_urdf

from charmie_dynamics import InputError, Model, ModelFileError, load_model

POINT = (0.3, -0.2, 0.5)
ROOT_TWICE = ("floating", "floating", "planar")


class Case(NamedTuple):
    model: Model
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray

    def at(self, time: float) -> np.ndarray:
        """Position of a motion that passes through the state at time zero, to second order."""
        model, p, v, a = self
        rate = model.position_rate(p, v)
        h = 1e-4
        later, earlier = (model.position_rate(p + s * rate, v + s * a) for s in (h, -h))
        change = (later - earlier) / (2.0 * h)
        return model.normalised_position(p + time * rate + 0.5 * time * time * change)


def tangents(case: Case) -> Iterator[np.ndarray]:
    for direction in np.eye(len(case.velocity)):
        yield case.model.position_rate(case.position, direction)


@pytest.fixture(scope="module", params=[KINDS, ROOT_TWICE], ids=["tree", "roots"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    rng = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("robot") / "random.urdf"
    path.write_text(random_urdf(rng, request.param), encoding="utf-8")
    model = load_model(path)
    v = len(model.velocity_names)
    position = model.normalised_position(rng.normal(size=len(model.position_names)))
    return Case(model, position, rng.normal(size=v), rng.normal(size=v))


def test_names_tell_the_numbers_of_each_joint(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(random_urdf(np.random.default_rng(0), ("floating", "revolute", "planar")))
    model = load_model(path)
    assert model.position_names == (
        *(f"joint_1/{n}" for n in ("x", "y", "z", "qx", "qy", "qz", "qw")),
        "joint_2",
        *(f"joint_3/{n}" for n in ("x", "y", "angle")),
    )
    assert model.velocity_names == (
        *(f"joint_1/{n}" for n in ("vx", "vy", "vz", "wx", "wy", "wz")),
        "joint_2",
        *(f"joint_3/{n}" for n in ("x", "y", "angle")),
    )
    assert model.actuator_names == ("joint_2",)
    assert model.actuator_index.tolist() == [6]
    assert model.zero_position().tolist() == [0.0] * 6 + [1.0] + [0.0] * 4


def test_efforts_are_those_of_actuators_alone(case: Case) -> None:
    state = case.model.compute(*case[1:])
    expected = state.generalized_force[case.model.actuator_index]
    assert (state.actuator_effort == expected).all()
    assert len(state.actuator_effort) == len(case.model.actuator_names) < len(case.velocity)


def test_terms_of_the_equations_make_the_generalised_force(case: Case) -> None:
    terms = case.model.equations(case.position, case.velocity)
    effort = terms.mass_matrix @ case.acceleration + terms.coriolis_matrix @ case.velocity
    effort += terms.gravity_effort
    found = case.model.compute(*case[1:]).generalized_force
    assert found == pytest.approx(effort, rel=1e-12, abs=1e-12)


def test_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(case: Case) -> None:
    model, p, v, _ = case
    rate = model.position_rate(p, v)

    def mass_matrix(t: float) -> np.ndarray:
        return model.equations(model.normalised_position(p + t * rate)).mass_matrix

    skew = first_derivative(mass_matrix, 0.0, 1e-3) - 2.0 * model.equations(p, v).coriolis_matrix
    assert np.abs(skew + skew.T).max() < 1e-8 * np.abs(skew).max()


def test_derivatives_by_positions_are_along_the_axes_of_the_body(case: Case) -> None:
    model, p, v, a = case
    found = model.derivatives(p, v, a).effort_by_position
    for k, rate in enumerate(tangents(case)):

        def effort(t: float, rate: np.ndarray = rate) -> np.ndarray:
            return model.compute(model.normalised_position(p + t * rate), v, a).generalized_force

        expected = first_derivative(effort, 0.0, 1e-3)
        assert found[:, k] == pytest.approx(expected, rel=1e-7, abs=1e-7 * np.abs(found).max())


def test_derivatives_by_velocities_and_accelerations(case: Case) -> None:
    model, p, v, a = case
    found = model.derivatives(p, v, a)
    for k, unit in enumerate(np.eye(len(v))):

        def effort(t: float, unit: np.ndarray = unit) -> np.ndarray:
            return model.compute(p, v + t * unit, a).generalized_force

        expected = first_derivative(effort, 0.0, 1e-2)
        assert found.effort_by_velocity[:, k] == pytest.approx(expected, rel=1e-8, abs=1e-8)
    mass_matrix = model.equations(p).mass_matrix
    assert found.effort_by_acceleration == pytest.approx(mass_matrix, rel=1e-12, abs=1e-12)


def test_jacobian_is_what_moves_a_point(case: Case) -> None:
    model, p, v, a = case
    state = model.compute(p, v, a)
    for name in model.frame_names:
        motion = state.motion(name, POINT)
        moved = model.jacobian(p, name, POINT) @ v
        expected = np.concatenate((motion.velocity, motion.angular_velocity))
        assert moved == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_motion_of_a_point_is_that_of_its_positions(case: Case) -> None:
    model, p, v, a = case
    name = model.frame_names[-1]
    motion = model.compute(p, v, a).motion(name, POINT)

    def place(t: float) -> np.ndarray:
        origin, R = model.compute(case.at(t)).frame(name)
        return origin + R @ np.array(POINT)

    assert motion.velocity == pytest.approx(first_derivative(place, 0.0, 1e-3), rel=1e-8, abs=1e-8)
    expected = second_derivative(place, 0.0, 1e-3)
    assert motion.acceleration == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_regressor_makes_the_generalised_force(case: Case) -> None:
    model = case.model
    effort = model.regressor(*case[1:]) @ model.inertial_parameters
    expected = model.compute(*case[1:]).generalized_force
    assert effort == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_batch_is_the_states_one_by_one(case: Case) -> None:
    model = case.model
    rows = [np.array([x] * 11) for x in case[1:]]
    batch = model.compute(*rows)
    state = model.compute(*case[1:])
    assert (batch.generalized_force == state.generalized_force).all()
    assert (batch.position == case.position).all()
    assert (batch.joint_position == state.joint_position).all()
    assert (state.position == case.position).all()
    terms = model.equations(*rows[:2]).coriolis_matrix
    assert (terms == model.equations(*case[1:3]).coriolis_matrix).all()


def test_quaternion_of_another_length_is_refused(case: Case) -> None:
    position = case.position.copy()
    position[3:7] *= 1.001
    for call in (case.model.compute, case.model.equations):
        with pytest.raises(InputError, match=r"'joint_1'.*length one.*1\.001"):
            call(position)
    with pytest.raises(InputError, match="length one"):
        case.model.jacobian(position, case.model.frame_names[-1])
    with pytest.raises(InputError, match=r"sample 1: .*length one"):
        case.model.compute(np.array([case.position, position]))


def test_quaternion_of_zeros_cannot_be_normalised(case: Case) -> None:
    position = case.position.copy()
    position[3:7] = 0.0
    with pytest.raises(InputError, match=r"'joint_1'.*zeros"):
        case.model.normalised_position(position)


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_mimic_of_such_a_joint_is_refused(kind: str, tmp_path: Path) -> None:
    urdf = random_urdf(np.random.default_rng(0), (kind, "revolute"))
    head, tail = urdf.split('name="joint_2" type="revolute">')
    path = tmp_path / "r.urdf"
    path.write_text(f'{head}name="joint_2" type="revolute"><mimic joint="joint_1"/>{tail}')
    with pytest.raises(ModelFileError, match=f"which is {kind}; expected a revolute"):
        load_model(path)
