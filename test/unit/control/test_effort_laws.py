# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Controllers as effort laws, of robots with loops too; what they cannot drive is refused."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is missing, with which robots are simulated")

from charmie_dynamics import Model, load_model
from charmie_dynamics.control import ComputedTorque, Controller, GravityCompensation, PDFeedForward
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.motions.splines import through_points
from charmie_dynamics.simulation import EntityEfforts, simulate, world_of

START = np.array([0.3, -0.2, -0.1, 0.4, 0.2])


def controllers(model: Model) -> list[Controller]:
    return [
        ComputedTorque(model, kp=100.0),
        PDFeedForward(model, kp=80.0, kd=8.0),
        GravityCompensation(model, kp=80.0, kd=8.0),
    ]


@pytest.mark.parametrize("k", range(3))
def test_a_controller_holds_the_start_of_each_run(k: int) -> None:
    model = load_model("scara")
    controller = controllers(model)[k]
    for start in (START, START + 0.1):
        run = simulate(model, start, None, 0.2, effort=controller)
        np.testing.assert_allclose(run.position[-1], start, atol=1e-9)


def test_a_controller_follows_a_motion() -> None:
    model = load_model("scara")
    points = np.array([START, START + np.array([0.2, -0.3, -0.05, 0.4, 0.3])])
    motion = through_points(np.array([0.0, 0.5]), points, None, None, steps=500)
    run = simulate(model, START, None, 0.5, effort=ComputedTorque(model, 400.0, motion=motion))
    np.testing.assert_allclose(run.position[-1], points[1], atol=2e-5)


def test_a_controller_drives_one_entity_of_a_world() -> None:
    world = world_of("entities: {free: {urdf: scara}, held: {urdf: scara}}")
    law = EntityEfforts(world, {"held": ComputedTorque(load_model("scara"), kp=100.0)})
    run = world.simulate(0.1, law)
    moved = run.position[-1] - run.position[0]
    assert abs(moved[:5]).max() > 0.04 and abs(moved[5:]).max() < 1e-9


@pytest.mark.parametrize("k", range(3))
def test_loops_are_held_in_the_coordinates_of_the_actuators(k: int) -> None:
    model = load_model("delta")
    start = model.zero_position()
    run = simulate(model, start, None, 0.1, effort=controllers(model)[k])
    np.testing.assert_allclose(run.position[-1], start, atol=1e-8)


def test_errors_of_a_robot_with_loops_decay_as_those_of_double_integrators() -> None:
    model = load_model("delta")
    rate, error = 10.0, 0.02
    actuated = [model.position_names.index(name) for name in model.actuator_names]
    start = model.zero_position()
    target = start[actuated].copy()
    start[actuated] += error
    start = model.assemble(start).position
    points = np.array([target, target])
    motion = through_points(np.array([0.0, 1.0]), points, None, None, steps=10)
    law = ComputedTorque(model, rate**2, motion=motion)
    run = simulate(model, start, None, 0.2, effort=law, times=[0.0, 0.1, 0.2])
    expected = error * (1.0 + rate * run.time) * np.exp(-rate * run.time)
    for column in actuated:
        np.testing.assert_allclose(
            run.position[:, column] - target[actuated.index(column)], expected, rtol=1e-3
        )


@pytest.mark.parametrize("name", ["quadruped", "athena", "charmie_wheeled"])
def test_bases_without_actuators_are_refused_at_construction(name: str) -> None:
    with pytest.raises(UnsupportedError, match=r"no actuator moves '.*base_joint/vx'"):
        ComputedTorque(load_model(name), kp=100.0)
