# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The fixed-step methods: their order, what they conserve, and where steps are too large."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Load, cart_pole, joint, link

from charmie_dynamics import Model
from charmie_dynamics.errors import SimulationError, UnknownNameError
from charmie_dynamics.simulation import simulate
from charmie_dynamics.simulation.integrators.methods import INTEGRATORS

LAX = 1.0  # of the balance, where errors are to be seen
SPRING = """
gravity: [0, 0, 0]
springs:
  spring: {base_body: world, base_point: [-1, 0, 0], tip_body: block, tip_point: [0, 0, 0],
           stiffness: STIFFNESS, free_length: 0.5, pretension: 0}
"""


def spring_and_block(load: Load, stiffness: float) -> Model:
    return load(
        joint("slide", "prismatic", "world", "block", axis="1 0 0"),
        link("block", 1.0),
        mechanisms=SPRING.replace("STIFFNESS", str(stiffness)),
    )


@pytest.mark.parametrize("name", INTEGRATORS)
@pytest.mark.parametrize("follows", [False, True], ids=["held", "following"])
def test_the_error_falls_with_the_order_of_the_method(load: Load, name: str, follows: bool) -> None:
    model = load(
        joint("first", "continuous", "world", "upper"),
        link("upper", 1.0, "0 0 -0.5", 0.1),
        joint("second", "continuous", "upper", "lower", axis="0 0.8 0.6"),
        link("lower", 0.5, "0 0.1 -0.4", 0.05),
    )

    def law(time: float, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        return np.array([np.sin(3.0 * time), -0.2]) - 0.1 * velocity - 0.3 * position

    effort = law if follows else [0.3, -0.2]
    start = [0.5, -0.3], [1.0, -2.0]

    def end(step: float) -> np.ndarray:
        run = simulate(model, *start, 0.64, effort, name, step, energy_tolerance=LAX)
        return np.concatenate([run.position[-1], run.velocity[-1], [run.energy.work[-1]]])

    fine = simulate(model, *start, 0.64, effort, "rk4", 1e-3)
    exact = np.concatenate([fine.position[-1], fine.velocity[-1], [fine.energy.work[-1]]])
    errors = [np.abs(end(step) - exact).max() for step in (0.02, 0.01, 0.005)]
    slopes = np.log2(errors[:-1]) - np.log2(errors[1:])
    np.testing.assert_allclose(slopes, INTEGRATORS[name].order, atol=0.25)


def test_times_between_steps_are_of_the_order_of_the_method(pendulum: Model) -> None:
    times = np.linspace(0.0, 1.0, 47)
    exact = simulate(pendulum, [1.0], None, 1.0, None, "rk4", 1e-4, times=times)
    for step, error in ((0.02, 1e-6), (0.01, 1e-7)):
        run = simulate(pendulum, [1.0], None, 1.0, None, "rk4", step, times=times)
        np.testing.assert_array_equal(run.time, times)
        np.testing.assert_allclose(run.position, exact.position, atol=error)
        np.testing.assert_allclose(run.energy.stored, exact.energy.stored, atol=20.0 * error)


def test_a_step_is_shortened_so_that_whole_steps_fit(pendulum: Model) -> None:
    run = simulate(pendulum, [1.0], None, 0.0105, None, "rk4", 1e-3)
    np.testing.assert_allclose(run.time, np.linspace(0.0, 0.0105, 12), rtol=1e-12)


@pytest.mark.parametrize("name", ["rk4", "semi_implicit_euler"])
def test_a_step_too_large_for_a_stiff_spring_is_told(load: Load, name: str) -> None:
    model = spring_and_block(load, 1e8)  # 1e4 rad/s
    with pytest.raises(SimulationError, match="shorter step") as caught:
        simulate(model, [0.01], None, 0.5, None, name, 1e-3)
    assert 0.0 < caught.value.time < 0.1
    assert "'slide'" in str(caught.value)


def test_a_stiff_spring_is_followed_with_a_short_step(load: Load) -> None:
    model = spring_and_block(load, 1e4)
    run = simulate(model, [-0.46], None, 0.1, [300.0], "rk4")  # which stretches it by 0.03 m
    np.testing.assert_allclose(
        run.position[:, 0], -0.47 + 0.01 * np.cos(100.0 * run.time), atol=1e-6
    )
    assert run.energy.elastic[0] == pytest.approx(0.5 * 1e4 * 0.04**2)


def test_rosenbrock_steps_over_a_damper_that_explicit_methods_cannot(load: Load) -> None:
    model = load(
        joint("slide", "prismatic", "world", "block", axis="1 0 0"),
        link("block", 1e-3),
        mechanisms="gravity: [-10, 0, 0]\nfriction: {slide: {viscous: 50.0, coulomb: 0.0}}\n",
    )
    # 50 / 1e-3 per second: the velocity is -m g / viscous at once
    run = simulate(model, [0.0], [-2e-4], 1.0, None, "rosenbrock", 1e-2)
    np.testing.assert_allclose(run.position[:, 0], -2e-4 * run.time, atol=1e-12)
    with pytest.raises(SimulationError):
        simulate(model, [0.0], [0.0], 1.0, None, "rk4", 1e-2)


def test_a_light_cart_is_too_much_for_the_default_step(load: Load) -> None:
    model = cart_pole(load, 1e-9, 1.0)
    for name in INTEGRATORS:
        with pytest.raises(SimulationError, match="balance of the energies"):
            simulate(model, [0.0, np.pi / 2], None, 1.0, None, name)


def test_an_unknown_integrator_is_refused_with_the_valid_ones(pendulum: Model) -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'rk4'.*adaptive.*LSODA"):
        simulate(pendulum, [1.0], None, 1.0, None, "rk5")


@pytest.mark.parametrize("acts", ["tension", "both"])
@pytest.mark.parametrize("name", [*INTEGRATORS, "adaptive"])
def test_what_a_damper_beside_a_spring_takes_is_lost(load: Load, acts: str, name: str) -> None:
    model = load(
        joint("slide", "prismatic", "world", "block", axis="1 0 0"),
        link("block", 1.0),
        mechanisms=SPRING.replace("STIFFNESS", "400.0").replace(
            "pretension: 0", f"pretension: 0, damping: 8.0, acts: {acts}"
        ),
    )
    # a length of 0.7 m, 0.2 m more than the free one; then it pushes, or hangs loose
    run = simulate(model, [-0.3], None, 0.2, None, name)
    assert run.position[:, 0].min() < -0.52
    assert np.diff(run.energy.lost).min() > -1e-12
    assert run.energy.lost[-1] > 1.0
    assert np.abs(run.energy.error).max() < 5e-3 * 8.0
    if acts == "both":
        w, d = np.sqrt(400.0 - 16.0), 4.0
        x = np.exp(-d * run.time) * (np.cos(w * run.time) + d / w * np.sin(w * run.time))
        np.testing.assert_allclose(run.position[:, 0], -0.5 + 0.2 * x, atol=1e-3)
