# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Runs of robots with loop joints: they stay closed, and keep energy as those without."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import CharmieError, Model, load_model
from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.forward.loop_closure import run_closure
from charmie_dynamics.core.forward.loop_records import ClosureRoom
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.model.flat.loop_cycles import addresses_of
from charmie_dynamics.numerics.blocks import float_count
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.simulation import JointStops, Plant, PlantBatch, simulate

sys.path.append(str(Path(__file__).resolve().parents[1] / "model"))
from loop_robots import COUPLER, four_bar, narrowed


@pytest.fixture
def bars(tmp_path: Path) -> Model:
    return four_bar(tmp_path)


def start_of(bars: Model) -> tuple[np.ndarray, np.ndarray]:
    motion = bars.assemble([0.8, 0.5, 0.8], [2.0, 0.0, 0.0])
    return motion.position, motion.velocity


@pytest.mark.parametrize("integrator", ["adaptive", "rk4", "rosenbrock", "semi_implicit_euler"])
def test_loops_stay_closed_and_energy_is_kept(bars: Model, integrator: str) -> None:
    run = simulate(bars, *start_of(bars), 1.0, [0.4], integrator, rtol=1e-8)
    assert np.ptp(run.position[:, 0]) > 0.5
    assert run.constraint_error.max() < (1e-4 if integrator == "semi_implicit_euler" else 1e-6)
    assert set(run.constraint_rank) == {2}
    scale = np.ptp(run.energy.kinetic)
    assert np.abs(run.energy.error).max() < 1e-3 * scale


def test_a_smaller_rtol_makes_a_swinging_four_bar_as_accurate_as_documented() -> None:
    model = load_model("four_bar")
    start = model.rest_position()
    times = np.linspace(0.0, 10.0, 41)
    exact = simulate(model, start, None, 10.0, rtol=1e-12, atol=1e-13, times=times).position
    for rtol, after_2_s, after_10_s in ((1e-6, 5e-3, 0.1), (1e-9, 1e-6, 1e-4)):
        run = simulate(model, start, None, 10.0, rtol=rtol, times=times)
        error = abs(run.position - exact).max(axis=1)
        assert 0.01 * after_2_s < error[:9].max() < after_2_s
        assert 0.01 * after_10_s < error.max() < after_10_s


def test_loops_are_closed_after_each_coarse_step(bars: Model) -> None:
    start = start_of(bars)
    fine = simulate(bars, *start, 1.0, [0.4], "rk4", 1e-3)
    run = simulate(bars, *start, 1.0, [0.4], "rk4", 4e-3)
    for position, velocity in zip(run.position, run.velocity, strict=True):
        found = bars.constraints(position, velocity)
        assert abs(found.error).max() < 1e-12
        assert abs(found.jacobian @ velocity).max() < 1e-12
    np.testing.assert_allclose(run.position, fine.position[::4], atol=1e-4)


def test_a_run_from_a_state_of_another_one_continues_it_bit_for_bit(bars: Model) -> None:
    step = 2.0**-9
    whole = simulate(bars, *start_of(bars), 64 * step, [0.4], "rk4", step)
    rest = simulate(bars, whole.position[24], whole.velocity[24], 40 * step, [0.4], "rk4", step)
    np.testing.assert_array_equal(rest.position, whole.position[24:])
    np.testing.assert_array_equal(rest.velocity, whole.velocity[24:])
    plant = Plant(bars, *start_of(bars), step=step)
    plant.advance([0.4], 24)
    plant.reset(plant.position, plant.velocity)
    plant.advance([0.4], 40)
    np.testing.assert_array_equal(plant.position, whole.position[-1])
    np.testing.assert_array_equal(plant.velocity, whole.velocity[-1])


@pytest.mark.parametrize("most", [1e-5, np.inf])
def test_loops_that_are_far_open_are_closed_only_on_request(bars: Model, most: float) -> None:
    motion = tuple(x.copy() for x in bars.assemble([0.8, 0.5, 0.8], [2.0, 0.0, 0.0]))
    motion[0][0] += 1e-3
    opened = motion[0].copy()
    sizes = bars.flat.sizes
    status = ready(run_closure)(
        *addresses_of(bars.flat), *motion, np.ones(3), 2, 0, 1e-3, most,
        np.empty(float_count(ClosureRoom, sizes)),
    )  # fmt: skip
    assert (status == REACHED) == (most == np.inf)
    error = abs(bars.constraints(motion[0]).error).max()
    assert error < 1e-12 if most == np.inf else (motion[0] == opened).all()


@pytest.mark.parametrize("integrator", ["adaptive", "LSODA", "Radau"])
def test_loops_are_closed_at_all_times_that_are_asked_for(bars: Model, integrator: str) -> None:
    times = np.linspace(0.0, 1.0, 101)
    run = simulate(bars, *start_of(bars), 1.0, [0.4], integrator, times=times)
    np.testing.assert_array_equal(run.time, times)
    assert run.constraint_error.max() < 1e-12
    steps = simulate(bars, *start_of(bars), 1.0, [0.4], "rk4", 1e-3, times=times)
    np.testing.assert_allclose(run.position, steps.position, atol=2e-4)


@pytest.mark.parametrize("integrator", ["adaptive", "BDF"])
def test_an_event_ends_a_run_with_its_loops_closed(bars: Model, integrator: str) -> None:
    def event(time: float, position: np.ndarray, velocity: np.ndarray) -> float:
        assert abs(bars.constraints(position).error).max() < 1e-12
        return float(position[0]) - 1.2

    event.terminal = True
    run = simulate(bars, *start_of(bars), 1.0, [0.4], integrator, events=[event])
    assert run.time[-1] == run.event_times[0][0] < 1.0
    assert run.position[-1, 0] == pytest.approx(1.2, abs=1e-9)
    assert run.constraint_error.max() < 1e-12


def test_a_step_that_leaves_the_loops_ends_the_run(
    bars: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("charmie_dynamics.simulation.integrators.adaptive.FARTHEST", 1e-9)
    text = r"at 0\.\d+ s: .* opened the loops by .*'.*_joint'.*try"
    with pytest.raises(SimulationError, match=text):
        simulate(bars, *start_of(bars), 1.0, [0.4], rtol=1e-3)


@pytest.mark.parametrize("integrator", ["rk4", "rosenbrock", "semi_implicit_euler"])
def test_a_plant_whose_steps_are_too_long_for_its_loops_says_so(
    bars: Model, integrator: str
) -> None:
    start, step = start_of(bars)[0], 5e-3
    plant = Plant(bars, start, integrator=integrator, step=step)
    text = r"at 0\.[0-4]\d* s: loop joint 'pin' is open by .*step is too long"
    with pytest.raises(SimulationError, match=text):
        plant.advance([60.0], steps=100)
    batch = PlantBatch(bars, start, count=2, integrator=integrator, step=step)
    with pytest.raises(SimulationError, match="'pin' is open"):
        batch.advance(np.full((2, 1), 60.0), steps=100)


def test_the_force_of_a_loop_joint_is_that_of_the_model(bars: Model) -> None:
    run = simulate(bars, *start_of(bars), 0.1, [0.4], "rk4", times=[0.0, 0.05, 0.1])
    force = run.constraint_force("pin")
    assert force.shape == (3, 6)
    for n in range(3):
        state = bars.forward(run.position[n], run.velocity[n], [0.4])
        np.testing.assert_allclose(force[n], state.loop_force("pin"), rtol=1e-4, atol=1e-4)


def test_open_loops_and_velocities_that_open_them_are_refused(bars: Model) -> None:
    position, velocity = start_of(bars)
    wrong = np.array([0.0, 1e-2, 0.0])
    for given in ((position + wrong, velocity), (position, velocity + 10.0 * wrong)):
        with pytest.raises(CharmieError, match="pin"):
            simulate(bars, *given, 1.0, None, "rk4")
        with pytest.raises(CharmieError, match="pin"):
            Plant(bars, *given)


@pytest.mark.parametrize("zero", ["with open loops", "out of reach"])
def test_stops_are_made_for_loops_that_do_not_close_at_zero(tmp_path: Path, zero: str) -> None:
    """Their default stiffness is that of the inertia at zero, or at the start out of reach."""
    first = {"with open loops": COUPLER, "out of reach": 0.1}[zero]
    bars = four_bar(tmp_path, first_point=[0.0, 0.0, first])
    plant = Plant(bars, *start_of(bars), joint_stops=True)
    plant.advance([0.4], steps=10)
    assert plant.time == pytest.approx(10 * plant.step)


@pytest.mark.parametrize("stops", [True, JointStops(stiffness=2e3, damping=20.0)])
def test_passive_joints_stop_at_their_limits(bars: Model, stops: JointStops | bool) -> None:
    position, velocity = start_of(bars)
    limited = narrowed(bars, position, np.inf, {"rocker_joint": 0.2})
    joints = tuple(
        replace(each, type="revolute") if each.name == "rocker_joint" else each
        for each in limited.tree.joints
    )
    limited = Model(replace(limited.tree, joints=joints), limited.mechanisms)
    energies, turned = [], []
    plant = Plant(limited, position, velocity, joint_stops=stops)
    for _ in range(1500):
        plant.advance([8.0])
        turned.append(plant.position[2] - position[2])
        energies.append([float(each) for each in plant.energy])
    assert 0.2 < abs(turned[-1]) < 0.21 and np.abs(turned).max() < 0.27
    kinetic, gravitational, elastic, work, lost, _ = np.array(energies).T
    assert elastic.max() > 0.1 and lost[-1] > 0.1
    balance = kinetic + gravitational + elastic - work + lost
    assert np.ptp(balance) < 0.1 * lost[-1]
    run = simulate(limited, position, velocity, 1.5, [8.0], joint_stops=stops, rtol=1e-7)
    np.testing.assert_allclose(run.position[-1], plant.position, atol=2e-2)
