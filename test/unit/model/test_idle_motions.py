# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A rod between two ball joints: its spin moves nothing else, keeps its value and is reported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from loop_robots import rod_between_balls

from charmie_dynamics import Model
from charmie_dynamics.live.estimation.following import idle_lines
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.samples import JOINT_STATES, JointSample

SPIN = ("ring_joint", "fork_joint", "spin_joint")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return rod_between_balls(tmp_path_factory.mktemp("rod"))


def motion_of(model: Model):
    return model.assemble([0.3, 0.0, 0.0, 0.0, 0.0], [1.2, 0, 0, 0, 0], [0.7, 0, 0, 0, 0])


def test_the_spin_is_reported(model: Model) -> None:
    constraints = model.constraints(motion_of(model).position)
    assert constraints.idle == SPIN
    assert constraints.idle_motions.shape == (5, 1)
    assert (
        "ring_joint, fork_joint, spin_joint: an internal degree of freedom" in idle_lines(model)[0]
    )


def test_the_spin_keeps_its_value(model: Model) -> None:
    closed = motion_of(model)
    again = model.assemble(*closed)
    np.testing.assert_allclose(again.position, closed.position, atol=1e-12)
    idle = model.constraints(closed.position).idle_motions[:, 0]
    spinning = model.assemble(closed.position, closed.velocity + 0.5 * idle)
    np.testing.assert_allclose(spinning.velocity, closed.velocity + 0.5 * idle, atol=1e-12)


@pytest.mark.parametrize(("mass", "is_thin"), [(0.0, False), (0.8, True)])
def test_a_spin_without_inertia_is_not_singular(tmp_path: Path, mass: float, is_thin: bool) -> None:
    model = rod_between_balls(tmp_path, mass, is_thin)
    motion = motion_of(model)
    effort = model.compute(*motion).actuator_effort
    found = model.forward(motion.position, motion.velocity, effort).acceleration
    np.testing.assert_allclose(found[:2], motion.acceleration[:2], atol=1e-9)
    assert abs(found).max() < 10.0
    terms = model.equations(motion.position, motion.velocity)
    total = terms.mass_matrix @ motion.acceleration[:1] + terms.gravity_effort
    total += terms.coriolis_matrix @ motion.velocity[:1] + terms.external_effort
    np.testing.assert_allclose(total, effort, atol=1e-9)


def test_the_node_computes_efforts(model: Model) -> None:
    pipeline = Pipeline(model, estimate_acceleration=False)
    sample = JointSample(("crank_joint",), np.array([0.1]), np.array([1.5]), 1_000_000)
    cycle = pipeline.take(JOINT_STATES, sample, 1e-3)
    assert cycle is not None
    state = cycle.state
    found = model.forward(state.position, state.velocity, state.actuator_effort).acceleration
    np.testing.assert_allclose(found, state.acceleration, atol=1e-9)
