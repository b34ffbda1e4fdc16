# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Studies find balances that theory knows: springs whose free length is zero.

J. L. Herder, Energy-free systems (2001): a spring of zero free length between a
point at height a above a hinge and a point at distance b on the arm balances a weight m g at
distance l in every position where k a b = m g l.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics.studies import Study, read_study
from charmie_dynamics.studies.engine.methods import MethodResult, run_method
from charmie_dynamics.studies.engine.study_job import StudyJob
from charmie_dynamics.tasks.engine import SerialEngine
from charmie_dynamics.tasks.journal import Journal

MASS, DISTANCE, GRAVITY = 2.0, 0.3, 9.81
HEIGHT, ARM = 0.25, 0.1
MOMENT = MASS * GRAVITY * DISTANCE  # N m, of the horizontal arm
EXACT = 1e-6  # relative
FEWER = 10

PENDULUM = f"""<robot name="pendulum">
  <link name="stand"/>
  <link name="arm"><inertial>
    <origin xyz="0 0 {DISTANCE}"/><mass value="{MASS}"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="hinge" type="revolute">
    <parent link="stand"/><child link="arm"/><axis xyz="1 0 0"/>
    <limit lower="-1.5" upper="1.5" effort="20" velocity="2"/>
  </joint>
</robot>
"""
# the arm stands above the hinge: what pulls its foot down holds it up
SPRING = f"""springs:
  spring:
    base_body: stand
    base_point: [0, 0.02, {-HEIGHT}]
    tip_body: arm
    tip_point: [0, 0, {-ARM}]
    stiffness: 150.0
    free_length: 0.05
    pretension: 0.0
"""
STUDY = """
urdf: pendulum.urdf
mechanisms: spring.yaml
variables:
  stiffness: {path: springs.spring.stiffness, bounds: [50, 1000]}
  free_length: {path: springs.spring.free_length, bounds: [0, 0.1]}
  y: {path: 'springs.spring.base_point[1]', bounds: [-0.1, 0.1]}
motions: {swing: {random: 1, duration: 20, rate: 5, static: true}}
objectives: {effort: {peak: hinge}}
methods: [local, {global: {generations: 60, population: 10}}]
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("pendulum")
    (folder / "pendulum.urdf").write_text(PENDULUM, encoding="utf-8")
    (folder / "spring.yaml").write_text(SPRING, encoding="utf-8")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    return read_study(folder / "study.yaml")


def run(study: Study, folder: Path, name: str, **options: int) -> MethodResult:
    job = StudyJob(study)
    with SerialEngine(job, Journal(folder / "journal", job.digest)) as engine:
        return run_method(engine, name, options, name)


@pytest.fixture(scope="module")
def found(study: Study, tmp_path_factory: pytest.TempPathFactory) -> dict[str, MethodResult]:
    folder = tmp_path_factory.mktemp("runs")
    return {
        "local": run(study, folder, "local", starts=1, iterations=100),
        "global": run(study, folder, "global", generations=60, population=10),
    }


@pytest.mark.parametrize("method", ["local", "global"])
def test_a_spring_of_zero_free_length_is_found(found: dict[str, MethodResult], method: str) -> None:
    ((stiffness, free_length, y),) = found[method].best
    assert stiffness * HEIGHT * ARM == pytest.approx(MOMENT, rel=EXACT)
    assert free_length == pytest.approx(0.0, abs=EXACT * HEIGHT)
    assert y == pytest.approx(0.0, abs=EXACT * HEIGHT)
    assert found[method].best_values[0, 0] < EXACT * MOMENT


def test_the_local_search_needs_a_tenth_of_the_evaluations(
    found: dict[str, MethodResult],
) -> None:
    local, every = (len(found[method].candidates) for method in ("local", "global"))
    assert FEWER * local < every


def test_an_ordinary_spring_does_not_balance(study: Study) -> None:
    # as theory says, what is left is first order in the free length
    stiffness = MOMENT / (HEIGHT * ARM)
    effort = [
        study.evaluator.evaluate([stiffness, free, 0.0]).values[0] for free in (0.0, 0.01, 0.02)
    ]
    assert effort[0] < 1e-12
    np.testing.assert_allclose(effort[2], 2.0 * effort[1], rtol=1e-9)


@pytest.mark.parametrize("name", ["exact_torso", "exact_lift"])
def test_both_balances_of_charmie_can_be_exact(name: str) -> None:
    # of zero free length is also a spring whose pretension is what it would take to close it
    exact = read_study(name)
    candidate = {"exact_torso": exact_torso, "exact_lift": exact_lift}[name](exact)
    value = exact.evaluator.evaluate(candidate).values[0]
    assert value < 1e-9 * exact.evaluator.evaluate(exact.start).values[0]


def exact_torso(study: Study) -> list[float]:
    """Return the spring on the line through hinge and centre of mass of what leans."""
    model = study.evaluator.base
    state = model.compute(study.evaluator.motions[0].position[0])
    p_hinge, R_world_upper = state.frame("upper_body")
    below = {"lower_body", "base", "base_x_carriage", "base_y_carriage", "world"}
    mass, moment = 0.0, np.zeros(3)
    for name, link in model.tree.links.items():
        if link.inertial is not None and name not in below:
            p_link, R_link = state.frame(name)
            mass += link.inertial.mass
            moment += link.inertial.mass * (p_link + R_link @ link.inertial.p_link_com - p_hinge)
    p_upper_com = R_world_upper.T @ moment / mass
    length = float(np.hypot(*p_upper_com[1:]))
    hinge = 0.434  # above the origin of the lower body
    anchor_z, arm, free_length = 0.15, 0.1, 0.1
    stiffness = mass * GRAVITY * length / ((hinge - anchor_z) * arm)
    y, z = -arm * p_upper_com[1:] / length
    return [stiffness, free_length, stiffness * free_length, 0.0, anchor_z, y, z]


def exact_lift(study: Study) -> list[float]:
    """Return mechanisms whose springs hang straight above the pivots."""
    model = study.evaluator.base
    weight = GRAVITY * sum(
        link.inertial.mass
        for name, link in model.tree.links.items()
        if link.inertial is not None and name != "base"
    )
    mechanism = model.mechanisms.balance_mechanisms[1]
    spring_arm, anchor_z, free_length = 0.12, 0.56, 0.1
    height = anchor_z - mechanism.pivot[2]
    stiffness = 0.5 * weight * mechanism.bar_length / (height * spring_arm)
    x = mechanism.pivot[0]
    return [stiffness, free_length, stiffness * free_length, spring_arm, x, anchor_z]
