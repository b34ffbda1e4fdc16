# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The linearly implicit method with loop joints: its order, and stiff dampers and drives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from loop_robots import four_bar, rod_between_balls

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.model.description.robot import JointFriction
from charmie_dynamics.simulation import JointDrives, Plant, simulate


@pytest.fixture
def bars(tmp_path: Path) -> Model:
    return four_bar(tmp_path)


def start_of(bars: Model) -> tuple[np.ndarray, np.ndarray]:
    motion = bars.assemble([0.8, 0.5, 0.8], [2.0, 0.0, 0.0])
    return motion.position, motion.velocity


def test_the_order_is_two(bars: Model) -> None:
    exact = simulate(bars, *start_of(bars), 0.3, [0.4], rtol=1e-11).position[-1]
    errors = [
        np.abs(simulate(bars, *start_of(bars), 0.3, [0.4], "rosenbrock", h).position[-1] - exact)
        for h in (5e-4, 1.25e-4)
    ]
    assert errors[0].max() > 0.8 * 4.0**2 * errors[1].max()
    assert errors[1].max() < 1e-5


def test_steps_are_stable_with_a_stiff_damper_at_a_passive_joint(bars: Model) -> None:
    joints = [
        replace(own, friction=JointFriction(2e4, 0.0)) if own.name == "rocker_joint" else own
        for own in bars.tree.joints
    ]
    damped = Model(replace(bars.tree, joints=tuple(joints)), bars.mechanisms)
    position = start_of(bars)[0]
    expected = simulate(damped, position, None, 0.5, [0.4], "Radau", rtol=1e-9)
    loose = 0.1  # losses in the first steps, which begin at rest, are inexact
    run = simulate(damped, position, None, 0.5, [0.4], "rosenbrock", 1e-3, energy_tolerance=loose)
    moved = np.abs(expected.position[-1] - position).max()
    assert 1e-4 < moved
    np.testing.assert_allclose(run.position[-1], expected.position[-1], atol=1e-3 * moved)
    with pytest.raises(CharmieError):
        simulate(damped, position, None, 0.5, [0.4], "rk4", 1e-3, energy_tolerance=loose)


def test_steps_are_stable_with_a_stiff_drive(bars: Model) -> None:
    position = start_of(bars)[0]
    drives = JointDrives(1e6, 1e4)
    plant = Plant(bars, position, integrator="rosenbrock", step=1e-3, joint_drives=drives)
    plant.advance([0.0], 200, position=position[:1], velocity=[0.5])
    expected = bars.assemble([position[0] + 0.1, *position[1:]]).position
    np.testing.assert_allclose(plant.position, expected, atol=1e-4)
    plant = Plant(bars, position, integrator="rk4", step=1e-3, joint_drives=drives)
    with pytest.raises(CharmieError):
        plant.advance([0.0], 200, position=position[:1], velocity=[0.5])


def test_a_drive_that_tears_a_loop_open_is_reported_at_the_next_step(bars: Model) -> None:
    position, drives = start_of(bars)[0], JointDrives(1e6, 1e4)
    plant = Plant(bars, position, integrator="rosenbrock", step=1e-3, joint_drives=drives)
    with pytest.raises(SimulationError, match=r"at 0\.001 s: loop joint 'pin' is open by 5\.6e-03"):
        plant.advance([0.0], 10, position=position[:1] + 0.3, velocity=[0.0])


@pytest.mark.parametrize("is_thin", [False, True])
def test_idle_motions_have_no_effect(tmp_path: Path, is_thin: bool) -> None:
    model = rod_between_balls(tmp_path, is_thin=is_thin)
    position = model.rest_position()
    expected = simulate(model, position, None, 0.1, rtol=1e-10)
    run = simulate(model, position, None, 0.1, None, "rosenbrock", 2e-4)
    np.testing.assert_allclose(run.position[-1], expected.position[-1], atol=1e-6)
