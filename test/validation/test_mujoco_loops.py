# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The loops of the model behave as real closed loops in MuJoCo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from validation.mujoco_compare import Comparison, absolute, cases, compare, mass_effect, relative
from validation.mujoco_loops import SUBSTITUTE_MASS
from validation.mujoco_robot import ClosedLoopRobot
from validation.mujoco_simulation import simulate

CRANE = Path(__file__).resolve().parents[1] / "unit" / "model" / "data"
FORCE, KINEMATICS, CLOSURE, SOLVER = 1e-9, 1e-10, 1e-13, 1e-5


@pytest.fixture(scope="module", params=["charmie", "crane"])
def model(request: pytest.FixtureRequest) -> Model:
    if request.param == "charmie":
        return load_model()
    return load_model(urdf=CRANE / "crane.urdf", mechanisms=CRANE / "crane.yaml")


@pytest.fixture(scope="module")
def robot(model: Model) -> ClosedLoopRobot:
    return ClosedLoopRobot(model, SUBSTITUTE_MASS)


@pytest.fixture(scope="module")
def result(model: Model, robot: ClosedLoopRobot) -> Comparison:
    return compare(model, robot, list(cases(model, grid=4, motions=2, seed=7)))


def test_forces_of_all_actuators_agree(result: Comparison) -> None:
    assert relative(result.effort) < FORCE


def test_constraints_and_actuators_account_for_every_force(result: Comparison) -> None:
    assert result.unbalanced < 1e-9


def test_redundant_constraints_leave_the_actuators_no_choice(result: Comparison) -> None:
    assert result.undetermined == 0


def test_spring_tensions_agree(result: Comparison) -> None:
    assert absolute(result.tension) < 1e-9


def test_spring_lengths_agree(result: Comparison) -> None:
    assert absolute(result.spring_length) < CLOSURE


def test_loops_are_closed_where_the_model_puts_the_bodies(result: Comparison) -> None:
    assert result.gap.max() < CLOSURE


def test_joints_follow_from_actuator_lengths(result: Comparison) -> None:
    assert absolute(result.joints) < KINEMATICS


def test_actuator_lengths_follow_from_joints(result: Comparison) -> None:
    assert absolute(result.lengths) < KINEMATICS


def test_auxiliary_bodies_stand_where_the_model_puts_them(result: Comparison) -> None:
    assert absolute(result.origins) < 1e-12


def test_forces_produce_the_accelerations_they_were_computed_for(result: Comparison) -> None:
    assert relative(result.acceleration) < SOLVER


def test_masses_of_massless_bodies_change_the_forces_along_a_line(model: Model) -> None:
    extrapolated, _ = mass_effect(model, list(cases(model, grid=2, motions=1, seed=8)))
    assert extrapolated < 1e-10


def test_robot_follows_its_plan_under_the_forces_alone() -> None:
    model = load_model()
    run = simulate(ClosedLoopRobot(model, SUBSTITUTE_MASS), duration=1.0, step=2e-3)
    lift = model.actuator_names.index("lift_actuator")
    assert np.abs(run.position - run.planned)[:, [lift, lift + 1]].max() < 5e-3


def test_loops_stay_closed_in_a_simulation() -> None:
    run = simulate(ClosedLoopRobot(load_model(), SUBSTITUTE_MASS), duration=0.2, step=1e-3)
    assert run.gap.max() < 1e-6


@pytest.mark.parametrize("part", ["springs", "balance_mechanisms"])
def test_a_slightly_stiffer_spring_is_noticed(part: str) -> None:
    model = load_model()
    first, *others = getattr(model.mechanisms, part)
    stiffer = replace(first, stiffness=first.stiffness * (1.0 + 1e-6))
    changed = Model(model.tree, replace(model.mechanisms, **{part: (stiffer, *others)}))
    motions = list(cases(model, grid=2, motions=0, seed=9))
    other = compare(changed, ClosedLoopRobot(model, SUBSTITUTE_MASS), motions)
    assert relative(other.effort) > FORCE
