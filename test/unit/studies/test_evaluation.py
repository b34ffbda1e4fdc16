# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Candidates: the robot that they are, the same motion of its joints, why some cannot be judged."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from study_texts import study_of

from charmie_dynamics import InputError, Model
from charmie_dynamics.studies import make_study_motion, random_motion
from charmie_dynamics.studies.engine.methods import run_method
from charmie_dynamics.studies.engine.study_job import StudyJob
from charmie_dynamics.tasks.engine import SerialEngine
from charmie_dynamics.tasks.journal import Journal

PIN = "linear_actuators.torso_actuator.base_point[0]"


def test_the_robot_as_it_is_has_the_efforts_of_the_model(charmie: Model) -> None:
    study = study_of()
    motion = study.evaluator.motions[0]
    batch = charmie.compute(motion.position, motion.velocity, motion.acceleration)
    k = charmie.actuator_names.index("torso_actuator")
    found = study.evaluator.evaluate(study.start)
    assert found.values[0] == np.abs(batch.actuator_effort[:, k]).max()
    assert found.reason == ""


def test_a_robot_that_came_by_wire_computes_the_same() -> None:
    study = study_of()
    other = pickle.loads(pickle.dumps(study, protocol=4))
    candidate = [1234.5]
    assert other.evaluator.evaluate(candidate) == study.evaluator.evaluate(candidate)
    assert StudyJob(other).digest == StudyJob(study).digest


def test_pins_elsewhere_leave_the_motion_of_the_joints_as_it_is() -> None:
    study = study_of(variables=f"pin: {{path: '{PIN}', bounds: [-0.2, 0.2]}}")
    evaluator = study.evaluator
    moved = study.start + 0.01
    before, after = evaluator.outcome(study.start), evaluator.outcome(moved)
    assert abs(after.position("torso_actuator") - before.position("torso_actuator")).max() > 1e-4
    for name in ("joint_position", "joint_velocity", "joint_acceleration"):
        one, other = (getattr(outcome.states[0], name) for outcome in (before, after))
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_candidate_out_of_reach_says_which_limit_and_how_often() -> None:
    bar = "balance_mechanisms.lift_balance_left.bar_length"
    study = study_of(variables=f"bar: {{path: {bar}, bounds: [0.05, 0.5]}}")
    found = study.evaluator.evaluate([0.1])
    assert np.isnan(found.values).all()
    assert "lift" in found.reason


def test_pins_that_cannot_make_the_motion_name_the_actuator() -> None:
    # so near the axis that the torso would have to go through a dead centre
    tip = "linear_actuators.torso_actuator.tip_point"
    study = study_of(
        variables=f"x: {{path: '{tip}[0]', bounds: [-2, 2]}}",
        motions="wave: {named: wave, rate: 10}",
    )
    reasons = {study.evaluator.evaluate([x]).reason for x in (-2.0, -0.1, 0.0, 0.1, 2.0)}
    told = [reason for reason in reasons if reason]
    assert told
    assert all("torso_actuator" in reason for reason in told)


def test_a_study_of_which_nothing_can_be_judged_says_why(tmp_path) -> None:
    bar = "balance_mechanisms.lift_balance_left.bar_length"
    study = study_of(variables=f"bar: {{path: {bar}, bounds: [0.02, 0.05]}}")
    with SerialEngine(StudyJob(study), Journal(tmp_path, "x")) as engine:
        with pytest.raises(InputError, match=r"none of 4 candidates can be judged; .*\(4 times\)"):
            run_method(engine, "sobol", {"samples": 4}, "sobol")


def test_a_random_motion_stays_within_limits_and_is_that_of_its_seed(charmie: Model) -> None:
    one, same, other = (random_motion(charmie, "any", seed, duration=3.0) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.position, same.position)
    assert (one.position != other.position).any()
    for k, limit in enumerate(charmie.actuator_limits()):
        assert limit.lower <= one.position[:, k].min() <= one.position[:, k].max() <= limit.upper
    # the velocity is that of the position
    slope = np.gradient(one.position, one.time, axis=0)[1:-1]
    np.testing.assert_allclose(slope, one.velocity[1:-1], atol=0.02 * abs(one.velocity).max())


def test_a_motion_that_ends_begins_anew(charmie: Model) -> None:
    once, twice = (make_study_motion("wave", charmie, duration=d, rate=5.0) for d in (20.0, 40.0))
    np.testing.assert_allclose(twice.position[100:], once.position, atol=1e-12)


def test_loops_of_another_robot_are_closed_for_each_candidate(repository: Path) -> None:
    robots = repository / "robots"
    study = study_of(
        f"urdf: {robots / 'four_bar.urdf'}\nmechanisms: {robots / 'four_bar.yaml'}",
        variables="x: {path: 'loop_joints.pin.first_point[0]', bounds: [0.4, 0.5]}",
        motions="wave: {named: wave, duration: 2, rate: 5}",
        objectives="o: {rms: crank_joint}",
    )
    model = study.evaluator.base
    assert study.evaluator.motions[0].position.shape[1] == len(model.position_names) == 3
    before, after = (study.evaluator.outcome(x) for x in (study.start, study.start + 0.02))
    moved = after.motions[0].position - before.motions[0].position
    crank = model.position_names.index("crank_joint")
    assert abs(moved[:, crank]).max() == 0.0
    assert abs(moved).max() > 1e-3
    at = study.evaluator.at(study.start)
    (quantity,) = study.evaluator.quantities
    slope = at.slopes(quantity, np.arange(10))[:, 0]
    high, low = (study.evaluator.outcome(study.start + d) for d in (1e-6, -1e-6))
    expected = (high.effort("crank_joint") - low.effort("crank_joint")) / 2e-6
    np.testing.assert_allclose(slope, expected, atol=1e-4 * abs(expected).max())


def test_slopes_of_a_robot_with_loops_are_exact(repository: Path) -> None:
    robots = repository / "robots"
    study = study_of(
        f"urdf: {robots / 'four_bar.urdf'}\nmechanisms: {robots / 'four_bar.yaml'}",
        variables="x: {path: inertials.coupler.mass, bounds: [1.0, 2.0]}",
        motions="wave: {named: wave, duration: 2, rate: 5}",
        objectives="o: {rms: crank_joint}",
    )
    (quantity,) = study.evaluator.quantities
    slope = study.evaluator.at(study.start).slopes(quantity, np.arange(10))[:, 0]
    high, low = (study.evaluator.outcome(study.start + d) for d in (0.5, -0.5))
    # efforts are linear in a mass
    expected = high.effort("crank_joint") - low.effort("crank_joint")
    np.testing.assert_allclose(slope, expected, atol=1e-11)
