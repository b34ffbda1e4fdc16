# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random closed linkages move and react as free bodies with multipliers do."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from validation.random_linkages import Linkage, random_linkage

STEP = 1e-5  # s, of differences of the energy


class Case(NamedTuple):
    """A linkage that moves, as NumPy and as the package have it."""

    linkage: Linkage
    model: Model
    rates: np.ndarray  # of the joints, in the order of the linkage
    position: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


def case_of(seed: int, folder: Path) -> Case | None:
    """Return a linkage with random velocities and efforts; None if the seed gives none."""
    linkage = random_linkage(seed)
    if linkage is None:
        return None
    (folder / "r.urdf").write_text(linkage.urdf())
    (folder / "r.yaml").write_text(linkage.mechanisms())
    model = load_model(folder / "r.urdf", folder / "r.yaml")
    rng = np.random.default_rng(seed)
    _, values, V = np.linalg.svd(linkage.jacobian(linkage.position))
    motions = V[int((values > 1e-8).sum()) :]
    rates = motions.T @ (motions @ rng.normal(size=linkage.size))
    position, velocity = linkage.inputs(model, linkage.position, rates)
    effort = 5.0 * rng.normal(size=len(model.actuator_names))
    return Case(linkage, model, rates, position, velocity, effort)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    found = [case_of(seed, tmp_path_factory.mktemp("linkage")) for seed in range(40)]
    cases = [case for case in found if case is not None]
    assert len(cases) > 20
    return cases


def close_to(found: np.ndarray, expected: np.ndarray, tolerance: float) -> bool:
    largest = max(1.0, np.abs(expected).max(initial=0.0))
    return bool(np.abs(np.asarray(found) - expected).max(initial=0.0) < tolerance * largest)


def test_accelerations_reactions_and_rank(cases: list[Case]) -> None:
    for linkage, model, rates, position, velocity, effort in cases:
        forces = linkage.joint_efforts(model, linkage.position, effort)
        expected = linkage.solve(linkage.position, rates, forces)
        state = model.forward(position, velocity, effort)
        order = linkage.order(model)
        assert close_to(state.joint_acceleration, expected.acceleration[order], 2e-6)
        assert model.constraints(position).rank == expected.rank
        if expected.rank == expected.rows:
            for name, reaction in expected.reaction.items():
                assert close_to(state.loop_force(name), reaction, 1e-5)


def test_computed_efforts_lead_to_the_accelerations(cases: list[Case]) -> None:
    for _, model, _, position, velocity, effort in cases:
        acceleration = model.forward(position, velocity, effort).acceleration
        computed = model.compute(position, velocity, acceleration).actuator_effort
        again = model.forward(position, velocity, computed).acceleration
        assert close_to(again, acceleration, 1e-8)
        motions = model.constraints(position).motions[model.actuator_index]
        if np.linalg.matrix_rank(motions, tol=1e-9) == len(effort):
            assert close_to(computed, effort, 1e-8)


def test_kinetic_energy_and_balance_of_power(cases: list[Case]) -> None:
    for linkage, model, rates, position, velocity, effort in cases:
        M, _ = linkage.terms(linkage.position, rates)
        assert close_to(model.energy(position, velocity).kinetic, 0.5 * rates @ M @ rates, 1e-9)
        forces = linkage.joint_efforts(model, linkage.position, effort)
        acceleration = np.empty(linkage.size)
        found = model.forward(position, velocity, effort).joint_acceleration
        acceleration[linkage.order(model)] = found
        energies = []
        for time in (STEP, -STEP):
            mean = rates + 0.5 * time * acceleration
            moved = linkage.moved(linkage.position, mean, time)
            energy = model.energy(*linkage.inputs(model, moved, rates + time * acceleration))
            energies.append(energy.kinetic + energy.gravitational + energy.elastic)
        power = forces @ rates - linkage.damping_power(linkage.position, rates)
        assert close_to((energies[0] - energies[1]) / (2.0 * STEP), power, 1e-5)


def test_passive_coordinates_are_found_from_positions_nearby(cases: list[Case]) -> None:
    for n, (linkage, model, rates, position, velocity, effort) in enumerate(cases):
        passive = model.flat.mechanisms.by_type.loop_joints.is_passive == 1
        change = np.zeros(linkage.size)
        amount = np.random.default_rng(n).uniform(-0.03, 0.03, int(passive.sum()))
        change[linkage.order(model)[passive]] = amount
        start = linkage.inputs(model, linkage.moved(linkage.position, change, 1.0), rates)[0]
        acceleration = model.forward(position, velocity, effort).acceleration
        motion = model.assemble(start, velocity, acceleration)
        assert linkage.opening(linkage.position) < 1e-12
        if not model.constraints(position).idle:
            assert close_to(motion.position, position, 1e-7)
            assert close_to(motion.velocity, velocity, 1e-6)
            assert close_to(motion.acceleration, acceleration, 1e-5)


def test_many_states_equal_single_ones(cases: list[Case]) -> None:
    for _, model, _, position, velocity, effort in cases[:10]:
        state = model.forward(position, velocity, effort)
        many = model.forward([position] * 2, [velocity] * 2, [effort] * 2)
        np.testing.assert_array_equal(many.acceleration[1], state.acceleration)
        computed = model.compute(position, velocity, state.acceleration)
        rows = model.compute([position] * 2, [velocity] * 2, [state.acceleration] * 2)
        np.testing.assert_array_equal(rows.actuator_effort[1], computed.actuator_effort)
