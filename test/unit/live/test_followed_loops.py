# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots with passive joints in the pipeline: these follow from the driven joints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from loop_robots import four_bar, stewart

from charmie_dynamics import Model, OutOfReachError, load_model
from charmie_dynamics.errors import LoopError
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.samples import JOINT_STATES, JointSample

MS = 1_000_000


class Driver:
    """Sends one joint sample after the other."""

    def __init__(self, model: Model, names: tuple[str, ...]) -> None:
        self.model, self.names = model, names
        self.pipeline = Pipeline(model, estimate_acceleration=False)
        self.count = 0

    def send(self, *position: float, velocity: np.ndarray | None = None) -> Cycle:
        self.count += 1
        sample = JointSample(self.names, np.array(position), velocity, self.count * MS)
        cycle = self.pipeline.take(JOINT_STATES, sample, 1e-3 * self.count)
        assert cycle is not None
        return cycle


def by_rocker(folder: Path) -> Model:
    """Return the four-bar with the rocker driven in place of the crank."""
    model = four_bar(folder)
    file = folder / "four_bar.yaml"
    file.write_text(file.read_text().replace("- rocker_joint", "- crank_joint"))
    assert model.tree.joints
    return load_model(folder / "four_bar.urdf", file)


def require_as_computed(model: Model, cycle: Cycle) -> None:
    """Check a cycle against loops that are closed from where it says the passive joints are."""
    state = cycle.state
    closed = model.assemble(state.position, state.velocity, state.acceleration)
    expected = model.compute(*closed)
    assert abs(closed.position - state.position).max() < 1e-9
    assert abs(closed.velocity - state.velocity).max() < 1e-9
    assert abs(closed.acceleration - state.acceleration).max() < 1e-8
    assert abs(expected.actuator_effort - state.actuator_effort).max() < 1e-9


def test_efforts_of_a_four_bar_are_those_of_the_closed_motion(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    driver = Driver(model, ("crank_joint",))
    for k in range(1, 400):
        cycle = driver.send(0.02 * k, velocity=np.array([3.0]))
        require_as_computed(model, cycle)
    assert abs(cycle.state.acceleration[1:]).max() > 1.0


def test_efforts_of_a_platform_are_those_of_the_closed_motion(tmp_path: Path) -> None:
    model = stewart(tmp_path)
    names = tuple(f"leg{k}" for k in range(6))
    assert names == model.actuator_names
    driver, rng = Driver(model, names), np.random.default_rng(3)
    phase, speed = rng.uniform(0.0, 6.0, 6), 2.0
    for k in range(1, 200):
        angle = phase + speed * 0.01 * k
        length, rate = 0.1 * (np.sin(angle) - np.sin(phase)), 0.1 * speed * np.cos(angle)
        require_as_computed(model, driver.send(*length, velocity=rate))


def test_a_jump_leads_to_the_way_of_assembly_of_small_steps(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    slow, quick = Driver(model, ("crank_joint",)), Driver(model, ("crank_joint",))
    for angle in np.linspace(0.0, 2.7, 400):
        end = slow.send(angle)
    assert abs(quick.send(2.7).state.position - end.state.position).max() < 1e-9
    quick.send(-1.0)
    assert abs(quick.send(2.7).state.position - end.state.position).max() < 1e-9


def test_loops_that_cannot_close_are_refused_by_name_and_the_next_sample_is_computed(
    tmp_path: Path,
) -> None:
    model = by_rocker(tmp_path)
    driver = Driver(model, ("rocker_joint",))
    first = driver.send(0.3).state.position
    with pytest.raises(OutOfReachError, match=r"'pin' cannot be closed: it stays open by 0\.0\d+"):
        driver.send(0.9)
    assert driver.pipeline.statistics.out_of_reach == 1
    assert abs(driver.send(0.3).state.position - first).max() < 1e-9


def test_a_dead_centre_is_not_passed_onto_the_other_way_of_assembly(tmp_path: Path) -> None:
    model = by_rocker(tmp_path)
    driver = Driver(model, ("rocker_joint",))
    first, refused = driver.send(0.3).state.position, 0
    for angle in (*np.arange(0.3, 0.7, 0.01), *np.arange(0.7, 0.3, -0.01)):
        try:
            driver.send(angle)
        except (OutOfReachError, LoopError):
            refused += 1
    assert refused > 10
    assert abs(driver.send(0.3).state.position - first).max() < 1e-9


def test_positions_beyond_what_no_way_leads_to_are_refused(tmp_path: Path) -> None:
    model = by_rocker(tmp_path)
    driver = Driver(model, ("rocker_joint",))
    driver.send(0.3)
    # the same place, but the rocker would have had to turn right round
    with pytest.raises(OutOfReachError, match="no straight path of the driven joints leads there"):
        driver.send(0.3 + 2.0 * np.pi)


def test_values_of_passive_joints_are_ignored_in_silence(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    alone, both = Driver(model, ("crank_joint",)), Driver(model, ("crank_joint", "rocker_joint"))
    assert alone.send(0.4).state.block.tobytes() == both.send(0.4, 1.7).state.block.tobytes()
    assert both.pipeline.estimator.unknown_names == []
    assert both.pipeline.missing(1e-3) == []


def test_driven_joints_alone_are_waited_for(tmp_path: Path) -> None:
    pipeline = Pipeline(four_bar(tmp_path))
    assert pipeline.missing(0.0) == ["crank_joint"]


def test_a_robot_without_loops_is_computed_as_before(charmie: Model) -> None:
    pipeline = Pipeline(charmie)
    assert pipeline.followed is None


@pytest.mark.parametrize("guess", [1.0, -1.5])
def test_a_rest_pose_with_passive_joints_defines_the_assembly(guess: float, tmp_path: Path) -> None:
    bars = four_bar(tmp_path)
    closed = bars.assemble([0.3, guess, -guess]).position
    pose = dict(zip(bars.position_names, closed.tolist(), strict=True))
    model = Model(bars.tree, replace(bars.mechanisms, rest_pose=pose))
    driver = Driver(model, ("crank_joint",))
    for angle in (0.3, 0.35, 0.4):
        found = driver.send(angle).state.position
        closed = model.assemble([angle, *closed[1:]]).position
        np.testing.assert_allclose(found, closed, atol=1e-9)


def test_a_robot_whose_zero_position_is_open_needs_a_rest_pose(tmp_path: Path) -> None:
    by_rocker(tmp_path)
    urdf, file = tmp_path / "four_bar.urdf", tmp_path / "four_bar.yaml"
    text = urdf.read_text()
    urdf.write_text(text.replace('<origin xyz="0.5 0.0 0.0" rpy="0.0 0.0 0.0"/>',
                                 '<origin xyz="0.5 0.0 0.0" rpy="0.0 1.2 0.0"/>'))  # fmt: skip
    assert text != urdf.read_text()
    with pytest.raises(OutOfReachError, match=r"zero position: .*expected a rest_pose"):
        Pipeline(load_model(urdf, file))
    file.write_text(file.read_text() + "rest_pose: {rocker_joint: -0.9}\n")
    driver = Driver(load_model(urdf, file), ("rocker_joint",))
    require_as_computed(driver.model, driver.send(-0.8))
