# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""CHARMIE on Swedish wheels, without its loops and springs, agrees with Pinocchio."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest

from charmie_dynamics import Model, load_model

TOLERANCE = 1e-11  # of the largest number


class Case(NamedTuple):
    """A state of both, and what Pinocchio computes with."""

    model: Model
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    witness: pin.Model
    arrays: tuple[np.ndarray, np.ndarray, np.ndarray]
    fold: np.ndarray  # (v, nv), from the witness's efforts


@pytest.fixture(params=range(4))
def case(request: pytest.FixtureRequest) -> Case:
    model = load_model("charmie_wheeled").open_tree()
    witness = pin.buildModelFromXML(model.tree.urdf)
    rng = np.random.default_rng(request.param)
    position = model.normalised_position(rng.normal(size=len(model.position_names)))
    v, a = rng.normal(size=(2, len(model.velocity_names)))
    q = pin.neutral(witness)
    fold = np.zeros((len(v), witness.nv))
    for joint in model.tree.joints:
        if joint.type == "fixed":
            continue
        k = witness.getJointId(joint.name)
        at, rate_at = witness.idx_qs[k], witness.idx_vs[k]
        if joint.type == "floating":
            q[at : at + 7] = position[:7]
            fold[:6, rate_at : rate_at + 6] = np.eye(6)
            continue
        mimic = joint.mimic
        leader = joint.name if mimic is None else mimic.joint
        multiplier, offset = (1.0, 0.0) if mimic is None else (mimic.multiplier, mimic.offset)
        angle = multiplier * position[model.position_names.index(leader)] + offset
        is_circle = witness.nqs[k] == 2
        values = (np.cos(angle), np.sin(angle)) if is_circle else (angle,)
        q[at : at + len(values)] = values
        fold[model.velocity_names.index(leader), rate_at] = multiplier
    return Case(model, position, v, a, witness, (q, fold.T @ v, fold.T @ a), fold)


def assert_equal(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=TOLERANCE * np.abs(theirs).max())


def test_inverse_dynamics_and_poses(case: Case) -> None:
    data = case.witness.createData()
    effort = pin.rnea(case.witness, data, *case.arrays)
    pin.framesForwardKinematics(case.witness, data, case.arrays[0])
    state = case.model.compute(case.position, case.velocity, case.acceleration)
    assert_equal(state.generalized_force, case.fold @ effort)
    for name in case.model.tree.links:
        pose = data.oMf[case.witness.getFrameId(name, pin.FrameType.BODY)]
        assert_equal(state.frame(name)[0], pose.translation)
        assert_equal(state.frame(name)[1], pose.rotation)


def test_mass_matrix(case: Case) -> None:
    half = pin.crba(case.witness, case.witness.createData(), case.arrays[0])
    whole = np.triu(half) + np.triu(half, 1).T
    found = case.model.equations(case.position, case.velocity).mass_matrix
    assert_equal(found, case.fold @ whole @ case.fold.T)


def test_accelerations_without_efforts(case: Case) -> None:
    data = case.witness.createData()
    mass = pin.crba(case.witness, data, case.arrays[0])
    mass = case.fold @ (np.triu(mass) + np.triu(mass, 1).T) @ case.fold.T
    still = case.fold.T @ np.zeros(len(case.velocity))
    load = case.fold @ pin.rnea(case.witness, data, *case.arrays[:2], still)
    theirs = np.linalg.solve(mass, -load)
    ours = case.model.forward(case.position, case.velocity).acceleration
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-8 * np.abs(theirs).max())
