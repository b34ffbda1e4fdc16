# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The hexapod, the quadruped and the arm of the package against Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.motions import LeggedWalk
from validation.pinocchio_equations import TOLERANCE, compare_equations, compare_forward
from validation.pinocchio_reference import TOLERANCE as INVERSE_TOLERANCE
from validation.pinocchio_reference import Reference, compare

GAITS = {"athena": "tripod", "quadruped": "trot"}
STATES = 5


class Robots(NamedTuple):
    """A robot and the same as Pinocchio reads it: its floating joint is a free flyer there."""

    model: Model
    pinocchio: pin.Model
    data: pin.Data


@pytest.fixture(scope="module", params=GAITS)
def robots(request: pytest.FixtureRequest) -> Robots:
    model = load_model(request.param)
    theirs = pin.buildModelFromXML(model.tree.urdf)
    return Robots(model, theirs, theirs.createData())


def places(robots: Robots) -> tuple[list[int], list[int]]:
    """Return where this package's numbers of position and velocity stand in Pinocchio's arrays."""
    model, theirs, _ = robots
    q, v = [], []
    for joint in dict.fromkeys(name.split("/")[0] for name in model.velocity_names):
        k = theirs.getJointId(joint)
        q += range(theirs.idx_qs[k], theirs.idx_qs[k] + theirs.nqs[k])
        v += range(theirs.idx_vs[k], theirs.idx_vs[k] + theirs.nvs[k])
    return q, v


def states(model: Model) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(8)
    for _ in range(STATES):
        position = model.normalised_position(rng.uniform(-2.0, 2.0, len(model.position_names)))
        yield position, *rng.uniform(-4.0, 4.0, (2, len(model.velocity_names)))


def without_friction(model: Model) -> Model:
    """Return the robot as Pinocchio knows it: efforts are all that acts in its joints."""
    return Model(model.tree, replace(model.mechanisms, friction={}))


def close(ours: np.ndarray, theirs: np.ndarray, digits: float = TOLERANCE) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=digits * np.abs(theirs).max())


def arranged(robots: Robots, *given: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return position and further arrays of velocities in Pinocchio's order."""
    q, v = places(robots)
    found = [np.zeros(robots.pinocchio.nq)]
    found[0][q] = given[0]
    for values in given[1:]:
        found.append(np.zeros(robots.pinocchio.nv))
        found[-1][v] = values
    return tuple(found)


def test_total_mass_agrees(robots: Robots) -> None:
    assert robots.model.total_mass == pytest.approx(pin.computeTotalMass(robots.pinocchio))


def test_frames_agree(robots: Robots) -> None:
    model, theirs, data = robots
    for state in states(model):
        pin.framesForwardKinematics(theirs, data, arranged(robots, state[0])[0])
        ours = model.compute(*state)
        for name in model.frame_names:
            frame = data.oMf[theirs.getFrameId(name, pin.FrameType.BODY)]
            p, R = ours.frame(name)
            np.testing.assert_allclose(p, frame.translation, atol=1e-12)
            np.testing.assert_allclose(R, frame.rotation, atol=1e-12)


def test_inverse_dynamics_agrees(robots: Robots) -> None:
    model, theirs, data = robots
    _, v = places(robots)
    for state in states(model):
        expected = pin.rnea(theirs, data, *arranged(robots, *state))[v]
        close(model.compute(*state).generalized_force, expected)


def test_terms_of_the_equations_of_motion_agree(robots: Robots) -> None:
    model, theirs, data = robots
    _, v = places(robots)
    for position, velocity, _ in states(model):
        q, rate = arranged(robots, position, velocity)
        terms = model.equations(position, velocity)
        upper = np.triu(pin.crba(theirs, data, q))
        close(terms.mass_matrix, (upper + np.triu(upper, 1).T)[np.ix_(v, v)])
        bias = pin.nonLinearEffects(theirs, data, q, rate)[v]
        close(terms.coriolis_matrix @ velocity + terms.gravity_effort, bias)
        close(terms.gravity_effort, pin.computeGeneralizedGravity(theirs, data, q)[v])


def test_forward_dynamics_agrees(robots: Robots) -> None:
    _, theirs, data = robots
    model = without_friction(robots.model)
    _, v = places(robots)
    rng = np.random.default_rng(9)
    for position, velocity, _ in states(model):
        effort = rng.uniform(-5.0, 5.0, len(model.actuator_names))
        all_efforts = np.zeros(len(velocity))
        all_efforts[model.actuator_index] = effort
        expected = pin.aba(theirs, data, *arranged(robots, position, velocity, all_efforts))[v]
        close(model.forward(position, velocity, effort).acceleration, expected)


def test_efforts_of_a_gait_agree(robots: Robots) -> None:
    model, theirs, data = robots
    _, v = places(robots)
    walk = LeggedWalk(model, GAITS[model.name])
    for time in np.linspace(0.0, walk.duration, 31):
        state = walk.whole(float(time))
        expected = pin.rnea(theirs, data, *arranged(robots, *state))[v]
        close(model.compute(*state).generalized_force, expected)


def test_the_arm_agrees_in_all_computations() -> None:
    model = load_model("arm_6r")
    reference = Reference(model.tree.urdf)
    assert not compare(model, reference).beyond(INVERSE_TOLERANCE)
    assert not compare_equations(model, reference).beyond(TOLERANCE)
    assert not compare_forward(without_friction(model), reference).beyond(TOLERANCE)
