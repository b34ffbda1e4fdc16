# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loops that loop joints close: against closed forms, differences and virtual work."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from loop_robots import (
    COUPLER,
    CRANK,
    GROUND,
    ROCKER,
    four_bar,
    looped_charmie,
    slider_crank,
    stewart,
    welded_four_bar,
)

from charmie_dynamics import Model, load_model
from charmie_dynamics.simulation import simulate

ROBOTS: dict[str, Callable[[Path], Model]] = {
    "four_bar": four_bar,
    "four_bar_spherical": lambda folder: four_bar(folder, "spherical"),
    "welded_four_bar": welded_four_bar,
    "slider_crank": slider_crank,
    "stewart": stewart,
    "rods": lambda folder: stewart(folder, "distance"),
}


@pytest.fixture(scope="module", params=ROBOTS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    return ROBOTS[request.param](tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def bars(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return four_bar(tmp_path_factory.mktemp("bars"))


def motions(model: Model, count: int = 3):
    """Yield motions with closed loops, the same each time."""
    rng = np.random.default_rng(20)
    v, driven = len(model.velocity_names), model.actuator_index
    for _ in range(count):
        position, velocity, acceleration = np.zeros((3, v))
        if v < 5:
            position[0] = 0.3 + rng.uniform(0.0, 0.5)
            position[1:] = (1.0, 0.3, 0.6)[: v - 1]
        else:
            position[driven] = rng.uniform(-0.1, 0.1, len(driven))
        velocity[driven] = rng.normal(size=len(driven))
        acceleration[driven] = rng.normal(size=len(driven))
        yield model.assemble(position, velocity, acceleration)


def along(model: Model, motion, time: float):
    """Return the closed position after a time, driven with the accelerations of a motion."""
    position = motion.position.copy()
    driven = model.actuator_index
    position[driven] += (time * motion.velocity + time**2 / 2 * motion.acceleration)[driven]
    return model.assemble(position).position


def test_a_four_bar_closes_where_geometry_says(bars: Model) -> None:
    for crank in np.linspace(-1.0, 1.0, 7):
        position = bars.assemble([crank, 1.2 - crank, 0.4]).position
        # angles from z towards x: of two circles about crank tip and ground pivot the upper point
        tip = CRANK * np.array([math.sin(crank), math.cos(crank)])
        d = np.array([GROUND, 0.0]) - tip
        distance = np.linalg.norm(d)
        along_d = (COUPLER**2 - ROCKER**2 + distance**2) / (2 * distance)
        across = math.sqrt(COUPLER**2 - along_d**2)
        unit = d / distance
        pin = tip + along_d * unit + across * np.array([-unit[1], unit[0]])
        coupler = math.atan2(*(pin - tip)) - crank
        rocker = math.atan2(pin[0] - GROUND, pin[1])
        np.testing.assert_allclose(position, [crank, coupler, rocker], rtol=0, atol=1e-13)


def test_assembled_velocities_and_accelerations_are_those_of_closed_positions(model: Model) -> None:
    h = 1e-4
    for motion in motions(model):
        after, here, before = (along(model, motion, t) for t in (h, 0.0, -h))
        np.testing.assert_allclose((after - before) / (2 * h), motion.velocity, atol=1e-5)
        second = (after - 2 * here + before) / h**2
        np.testing.assert_allclose(second, motion.acceleration, atol=1e-5)


def test_a_weld_behind_a_hinge_is_a_hinge(tmp_path: Path, bars: Model) -> None:
    welded = welded_four_bar(tmp_path)
    for motion in motions(bars):
        given = (np.append(array, 0.5) for array in motion)
        found = welded.compute(*welded.assemble(*given))
        expected = bars.compute(*motion)
        np.testing.assert_allclose(found.joint_position[:3], motion.position, atol=1e-13)
        np.testing.assert_allclose(found.actuator_effort, expected.actuator_effort, atol=1e-11)
        weld, pin = found.loop_force("pin"), expected.loop_force("pin")
        np.testing.assert_allclose(weld[[0, 2]], pin[[0, 2]], atol=1e-11)
        # no torque goes through the hinge behind it
        assert weld[4] == pytest.approx(0.0, abs=1e-11)


def test_a_slider_keeps_its_height_and_its_axes(tmp_path: Path) -> None:
    model = slider_crank(tmp_path)
    for motion in motions(model):
        state = model.compute(*motion)
        p_frame, R_frame = state.frame("frame")
        p, R = state.frame("slider")
        place = R_frame.T @ (p - p_frame)
        crank = motion.position[0]
        height = 0.05 - CRANK * math.cos(crank)
        expected = CRANK * math.sin(crank) + math.sqrt(COUPLER**2 - height**2)
        np.testing.assert_allclose(place, [expected, 0.0, 0.05], atol=1e-13)
        np.testing.assert_allclose(R, R_frame, atol=1e-13)


def test_loop_forces_hold_each_body_in_balance(bars: Model) -> None:
    """The rocker alone, by hand: what pin and ground apply, its weight and its inertia."""
    motion = next(motions(bars))
    state = bars.compute(*motion)
    rocker = state.motion("rocker", bars.tree.links["rocker"].inertial.p_link_com)
    mass = bars.tree.links["rocker"].inertial.mass
    force = state.loop_force("pin")[:3]
    i = bars.frame_names.index("rocker")
    R = state.frame("rocker")[1]
    by_ground = R @ state.dynamics.joint_force[i]
    weight = mass * np.array([0.0, 0.0, -9.81])
    np.testing.assert_allclose(force + by_ground + weight, mass * rocker.acceleration, atol=1e-11)
    # torque about the ground pivot, which transmits none about its axis
    pin = R @ np.array([0.0, 0.0, ROCKER])
    inertial = bars.tree.links["rocker"].inertial
    com = R @ inertial.p_link_com
    J = R @ inertial.inertia @ R.T
    w, dw = rocker.angular_velocity, rocker.angular_acceleration
    change = J @ dw + np.cross(w, J @ w) + np.cross(com, mass * rocker.acceleration)
    torque = np.cross(pin, force) + np.cross(com, weight) + state.loop_force("pin")[3:]
    assert (change - torque)[1] == pytest.approx(0.0, abs=1e-11)


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_charmie_by_loop_joints_is_charmie_by_linear_actuators(
    kind: str, tmp_path: Path, charmie: Model
) -> None:
    looped = looped_charmie(tmp_path, kind)
    names = looped.velocity_names
    own = {"lift_actuator": "lift_rod", "torso_actuator": "torso_rod"}
    places = [names.index(own.get(name, name)) for name in charmie.actuator_names]
    order = [looped.actuator_names.index(own.get(name, name)) for name in charmie.actuator_names]
    rng = np.random.default_rng(5)
    for _ in range(4):
        given = rng.uniform(-0.5, 0.5, (3, 21))
        given[0, 3:5] = rng.uniform(0.40, 0.57), rng.uniform(0.35, 0.45)
        motion = np.zeros((3, len(names)))
        motion[:, places] = given
        motion[0, names.index("lift_joint")] = 0.1  # below its zero, where the actuator stands
        closed = looped.assemble(*motion)
        state, expected = looped.compute(*closed), charmie.compute(*given)
        np.testing.assert_allclose(
            state.actuator_effort[order], expected.actuator_effort, rtol=0, atol=1e-9
        )
        for found, wrench in zip(state.base_wrench, expected.base_wrench, strict=True):
            np.testing.assert_allclose(found, wrench, rtol=0, atol=1e-9)
        forward = looped.forward(closed.position, closed.velocity, state.actuator_effort)
        np.testing.assert_allclose(forward.acceleration, closed.acceleration, atol=1e-9)
        terms, other = looped.equations(*closed[:2]), charmie.equations(*given[:2])
        M = terms.mass_matrix[np.ix_(order, order)]
        np.testing.assert_allclose(M, other.mass_matrix, rtol=0, atol=1e-9)
        C = terms.coriolis_matrix[np.ix_(order, order)]
        np.testing.assert_allclose(C, other.coriolis_matrix, rtol=0, atol=1e-9)


def test_loops_stand_beside_linear_actuators(tmp_path: Path, charmie: Model) -> None:
    """A rod of constant length between two slides of a driven robot, whose torso is driven by a
    linear actuator: the equations hold in the coordinates of the actuators."""
    import yaml

    from charmie_dynamics.model.description.package_robots import model_files

    urdf, config = model_files("", "")
    document = yaml.safe_load(Path(config).read_text())
    document["loop_joints"] = {
        "rod": {"type": "distance", "first_body": "base", "first_point": [0.3, 0.4, 0.2],
                "second_body": "upper_body", "second_point": [0.0, 0.1, 0.2]},
    }  # fmt: skip
    document["passive_joints"] = []
    file = tmp_path / "rod.yaml"
    file.write_text(yaml.safe_dump(document))
    model = load_model(urdf, file)
    position, velocity = model.project(model.zero_position() + 0.01, np.full(21, 0.1))
    state = model.forward(position, velocity, np.linspace(-1.0, 1.0, 21))
    constraints = model.constraints(position, velocity)
    assert constraints.rank == 1 and constraints.mobility == 20
    rest = constraints.jacobian @ state.acceleration + constraints.jacobian_rate @ velocity
    np.testing.assert_allclose(rest, 0.0, atol=1e-10)
    terms = charmie.equations(position, velocity)
    effort = terms.mass_matrix @ state.acceleration + terms.coriolis_matrix @ velocity
    effort += terms.gravity_effort + terms.spring_effort - np.linspace(-1.0, 1.0, 21)
    force = np.linalg.norm(state.loop_force("rod")[:3])
    expected = constraints.jacobian[0] * force
    assert np.allclose(effort, expected, atol=1e-8) or np.allclose(effort, -expected, atol=1e-8)


def test_a_robot_at_rest_may_move_by_round_off() -> None:
    model, rng = load_model("four_bar"), np.random.default_rng(0)
    for _ in range(20):
        guess = [0.0, *rng.uniform(-1.0, 1.0, 2)]
        x, v, _ = model.assemble([rng.uniform(-0.8, 0.8), 0.0, 0.0], guess)
        assert abs(v).max() < 1e-14
        model.forward(x, v, [1.0])
        model.equations(x, v)
        simulate(model, x, v, 0.01)


def test_a_rest_pose_says_where_the_search_for_passive_joints_begins(tmp_path: Path) -> None:
    """On either assembly of a four-bar."""
    bars = four_bar(tmp_path)
    for guess in (1.0, -1.5):
        closed = bars.assemble([0.3, guess, -guess]).position
        pose = dict(zip(bars.position_names, closed.tolist(), strict=True))
        rested = Model(bars.tree, replace(bars.mechanisms, rest_pose=pose))
        np.testing.assert_allclose(rested.rest_position(), closed)
        found = rested.assemble(rested.rest_position()).position
        np.testing.assert_allclose(found, closed, atol=1e-9)
