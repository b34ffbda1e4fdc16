# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions of a study that are simulated in a world with contact, anew for each candidate."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import InputError, ModelFileError
from charmie_dynamics.studies import Study, parse_study

# an arm that lies with its end on a block, and would fall without it
ARM = """<robot name="arm">
  <link name="base"/>
  <link name="beam">
    <inertial><origin xyz="0.5 0 0"/><mass value="2"/>
      <inertia ixx="0.01" iyy="0.17" izz="0.17" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="1 0 0"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="beam"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="2"/></joint>
</robot>
"""
SPRING = """springs:
  lifter: {base_body: base, base_point: [0, 0, 1.0], tip_body: beam, tip_point: [0.5, 0, 0],
           stiffness: 20.0, free_length: 0.5}
"""
WORLD = """contacts: {default: {normal: kelvin_voigt, stiffness: 1.0e4, damping: 100.0}}
entities:
  block: {shape: box, size: [0.2, 0.2, 0.25], moves: fixed, pose: [1, 0, 0.125, 0, 0, 0]}
  arm: {urdf: arm.urdf, mechanisms: arm.yaml}
"""
STUDY = """urdf: arm.urdf
mechanisms: arm.yaml
variables: {stiffness: {path: springs.lifter.stiffness, bounds: [0, 60]}}
motions: {lie: {world: world.yaml, duration: 0.5, rate: 50}}
objectives: {hinge: {rms: hinge}}
methods: [local]
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("arm")
    for name, text in (("arm.urdf", ARM), ("arm.yaml", SPRING), ("world.yaml", WORLD)):
        (folder / name).write_text(text, encoding="utf-8")
    return parse_study(STUDY, "study.yaml", folder)


def test_each_candidate_is_simulated_with_its_own_numbers(study: Study) -> None:
    soft, stiff = (study.evaluator.outcome([value]) for value in (10.0, 40.0))
    assert len(soft.weight) == 25
    assert [outcome.motions[0].name for outcome in (soft, stiff)] == ["lie", "lie"]
    tensions = [outcome.spring_tension("lifter")[-1] for outcome in (soft, stiff)]
    assert tensions[1] == pytest.approx(4.0 * tensions[0], rel=0.02)


def waving(tmp_path: Path, world: str, seconds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the hinge, and what its efforts lack of those without contacts."""
    for name, text in (("arm.urdf", ARM), ("arm.yaml", SPRING), ("world.yaml", world)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    motion = f"{{world: world.yaml, motion: wave, duration: {seconds}, rate: 20}}"
    text = STUDY.replace("{world: world.yaml, duration: 0.5, rate: 50}", motion)
    outcome = parse_study(text, "study.yaml", tmp_path).evaluator.outcome([20.0])
    (state,) = outcome.states
    return outcome.position("hinge"), state.actuator_effort[:, 0] - outcome.effort("hinge")


def test_efforts_are_those_of_the_simulation_and_lack_what_contacts_do(tmp_path: Path) -> None:
    position, lacking = waving(tmp_path, WORLD, 14)
    # the hinge turns the beam down onto the block, and up again after ten seconds
    touches = position > 1e-3
    assert 100 < touches.sum() < 250
    assert lacking[touches].max() < -1.0  # N m: the block turns it up
    assert np.abs(lacking[position < -1e-3]).max() < 1e-9


def test_a_candidate_that_moves_beyond_its_own_limits_is_refused(tmp_path: Path) -> None:
    raised = "entities: {arm: {urdf: arm.urdf, mechanisms: arm.yaml, position: {hinge: -0.2}}}"
    for name, text in (("arm.urdf", ARM), ("arm.yaml", SPRING), ("world.yaml", raised)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    text = STUDY.replace(
        "springs.lifter.stiffness, bounds: [0, 60]", "joints.hinge.lower, bounds: [-1, 0]"
    )
    evaluator = parse_study(text, "study.yaml", tmp_path).evaluator
    assert not evaluator.evaluate([-0.3]).reason
    limits = r"motion 'lie': actuator 'hinge' is at -0\.2 .* beyond its limits -0\.1 to 1"
    assert re.search(limits, evaluator.evaluate([-0.1]).reason)
    free = text.replace("rate: 50}", "rate: 50, beyond_limits: true}")
    assert not parse_study(free, "study.yaml", tmp_path).evaluator.evaluate([-0.1]).reason


def test_the_links_of_a_candidate_that_the_world_makes_not_solid_touch_nothing(
    tmp_path: Path,
) -> None:
    solid = WORLD.replace("mechanisms: arm.yaml", "mechanisms: arm.yaml, solid: []")
    _, lacking = waving(tmp_path, solid, 2)
    assert np.abs(lacking).max() < 1e-9


def test_a_motion_ends_at_its_duration_whatever_the_rate_of_its_samples(study: Study) -> None:
    (world_motion,) = study.evaluator.worlds
    motion, _ = replace(world_motion, rate=5000.0, duration=0.01).of(study.evaluator.base)
    assert len(motion) == 10 and motion.time[-1] == pytest.approx(0.01)
    with pytest.raises(InputError, match=r"'lie': expected a duration of .* 0\.5 Hz, got 1 s"):
        replace(world_motion, rate=0.5, duration=1.0)


def test_slopes_are_those_of_differences(study: Study) -> None:
    (quantity,) = study.evaluator.quantities
    slopes = study.evaluator.at([20.0]).slopes(quantity, np.array([24]))
    step = 1e-3
    ends = [study.evaluator.at([20.0 + d]).signals["hinge"][24] for d in (step, -step)]
    assert slopes[0, 0] == pytest.approx((ends[0] - ends[1]) / (2.0 * step), rel=1e-4)


@pytest.mark.parametrize(
    ("motion", "message"),
    [
        ("{world: world.yaml, robot: leg}", r"motions\.lie.*'leg' is no robot of the world.*arm"),
        ("{world: nowhere}", r"nowhere"),
        ("{world: world.yaml, static: true}", r"expected no static beside world"),
        ("{world: world.yaml, random: 3}", r"expected one of named, bag, random and world"),
    ],
)
def test_a_world_that_does_not_fit_is_refused(
    study: Study, tmp_path: Path, motion: str, message: str
) -> None:
    for name, text in (("arm.urdf", ARM), ("arm.yaml", SPRING), ("world.yaml", WORLD)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    text = STUDY.replace("{world: world.yaml, duration: 0.5, rate: 50}", motion)
    with pytest.raises(ModelFileError, match=message):
        parse_study(text, "study.yaml", tmp_path)
