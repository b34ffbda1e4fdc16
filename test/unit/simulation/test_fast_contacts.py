# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Fast and turning shapes that must meet are noticed, or their step is refused."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import numpy as np
import pytest
from small_worlds import world

from charmie_dynamics.errors import CharmieError, SimulationError
from charmie_dynamics.simulation import PlantBatch, World

STIFF = "normal: hertz, stiffness: 3.0e8"
FIXED = ["rk4", "semi_implicit_euler"]
VARYING = ["adaptive", "RK45", "DOP853"]
SIZES = {"sphere": "[0.004]", "capsule": "[0.004, 0.2]", "box": "[0.008, 0.008, 0.2]"}
RADIUS = 0.72  # m, at which a post stands in the way of the rod


def spinning_rod(rate: float, rod: str, post: str, angle: float) -> World:
    """Return a rod of 1.6 m about the z axis, and a post on the way of its end."""
    size = {"capsule": "[0.005, 1.6]", "box": "[0.01, 0.01, 1.6]", "cylinder": "[0.005, 1.6]"}[rod]
    x, y = RADIUS * np.cos(angle), RADIUS * np.sin(angle)
    return world(
        STIFF,
        f"post: {{shape: {post}, size: {SIZES[post]}, moves: fixed, pose: [{x}, {y}, 0, 0, 0, 0]}}",
        f"rod: {{shape: {rod}, size: {size}, mass: 1.0, pose: [0, 0, 0, 0, {np.pi / 2}, 0], "
        f"twist: [0, 0, 0, 0, 0, {rate}]}}",
        gravity="[0, 0, 0]",
    )


def thrown(seed: int) -> tuple[World, float]:
    """Return a fast body in front of a thin tilted wall or an edge-on plate, and a duration (s)."""
    rng = np.random.default_rng(seed)
    speed, thickness, away = rng.uniform(3, 60), rng.uniform(5e-4, 8e-3), rng.uniform(0.3, 0.8)
    tilt, spin = rng.uniform(-0.5, 0.5), rng.uniform(-60, 60, 3)
    kind = ["sphere", "capsule", "box", "cylinder"][seed % 4]
    size = {
        "sphere": "[0.005]",
        "capsule": "[0.004, 0.03]",
        "box": "[0.3, 0.002, 0.3]" if seed % 3 else "[0.01, 0.02, 0.004]",
        "cylinder": "[0.01, 0.003]",
    }[kind]
    twist = ", ".join(f"{value:.6g}" for value in (speed, 0.0, 0.0, *spin))
    made = world(
        STIFF,
        f"wall: {{shape: box, size: [{thickness}, 1.5, 1.5], moves: fixed, "
        f"pose: [0, 0, 0, 0, {tilt}, 0]}}",
        f"body: {{shape: {kind}, size: {size}, mass: 0.05, pose: [{-away}, 0.01, 0, 0, 0, 0], "
        f"twist: [{twist}]}}",
        gravity="[0, 0, 0]",
    )
    return made, 2.0 * away / speed


def is_noticed(made: World, duration: float, integrator: str) -> bool:
    """Return whether a run has contacts, or is refused."""
    try:
        run = made.simulate(duration, integrator=integrator, most_evaluations=20_000)
    except SimulationError:
        return True
    return len(run.contacts) > 0


@pytest.mark.parametrize("integrator", [*FIXED, *VARYING])
@pytest.mark.parametrize("rate", [8.0, -35.0, 120.0])
def test_no_turning_rod_passes_a_post_unseen(integrator: str, rate: float) -> None:
    for k, (rod, post) in enumerate(
        (rod, post) for rod in ("capsule", "box", "cylinder") for post in ("sphere", "box")
    ):
        made = spinning_rod(rate, rod, post, 0.5 + 0.37 * k)
        assert is_noticed(made, 3.3 / abs(rate), integrator), (rod, post)


@pytest.mark.parametrize("integrator", [*FIXED, *VARYING])
def test_no_fast_body_passes_a_thin_wall_unseen(integrator: str) -> None:
    for seed in range(6):
        assert is_noticed(*thrown(seed), integrator), seed


def test_a_refused_step_names_the_pair_and_the_step_that_would_do() -> None:
    made = spinning_rod(40.0, "capsule", "sphere", 1.0)
    with pytest.raises(SimulationError, match=r"'post' and 'rod'.*expected a step of at most"):
        made.simulate(0.1, integrator="rk4", step=1e-3)
    # (0.004 + 0.005) m / 4 at 40 rad/s on 0.8 m: noticed, though too long for the stiff impact,
    # which returns 0.5 % of the energy too much
    step = 0.009 / 4 / 32
    run = made.simulate(0.03, integrator="rk4", step=step, energy_tolerance=0.01)
    assert len(run.contacts) > 0


def test_a_rod_that_turns_next_to_a_post_is_not_refused() -> None:
    made = spinning_rod(40.0, "capsule", "sphere", 1.0)
    first = made.columns("rod", "position")[2]
    made.position[first] = 0.05  # above the post
    run = made.simulate(0.1, integrator="rk4", step=1e-3)
    assert len(run.contacts) == 0


def test_plants_refuse_such_a_step_and_batches_say_which_of_them() -> None:
    made = spinning_rod(40.0, "box", "sphere", 1.0)
    with pytest.raises(SimulationError, match="'post' and 'rod'"):
        made.plant(step=1e-3).advance([], steps=100)
    still = np.zeros_like(made.velocity)
    batch = PlantBatch(
        made.model, made.position, [made.velocity, still], contacts=made.contacts, step=1e-3
    )
    with pytest.raises(SimulationError, match="plant 0"):
        batch.advance(np.zeros((2, 0)), steps=100)
    assert list(batch.failures) == [0]
    assert batch.time[1] == pytest.approx(0.1)


def test_a_thin_shape_that_lies_aside_costs_nothing() -> None:
    def evaluations(thickness: float) -> int:
        made = world(
            "normal: hunt_crossley, stiffness: 1.0e6, restitution: 0.3, least_speed: 0.1",
            "floor: {shape: plane}",
            f"sheet: {{shape: box, size: [0.2, 0.2, {thickness}], moves: fixed, "
            "pose: [1, 0, 0.1, 0, 0, 0]}",
            "ball: {shape: sphere, size: [0.1], mass: 1, pose: [0, 0, 0.4, 0, 0, 0]}",
        )
        return made.simulate(0.3).evaluations

    assert evaluations(1e-7) <= 1.1 * evaluations(1e-2)


def test_contacts_count_among_the_evaluations() -> None:
    made = world(
        "normal: hertz, stiffness: 1.0e8",
        "sheet: {shape: box, size: [0.2, 0.2, 1.0e-9], moves: fixed}",
        "grain: {shape: sphere, size: [1.0e-9], mass: 1, pose: [0.15, 0, 1.0e-8, 0, 0, 0], "
        "twist: [-1, 0, 0, 0, 0, 0]}",
        gravity="[0, 0, 0]",
    )
    begun = time.perf_counter()
    with pytest.raises(SimulationError, match="evaluations"):
        made.simulate(0.3, most_evaluations=3000)
    assert time.perf_counter() - begun < 20.0


def test_shapes_that_press_through_each_other_are_refused() -> None:
    made = world(
        "normal: hooke, stiffness: 100.0",
        "wall: {shape: box, size: [0.01, 1, 1], moves: fixed}",
        "ball: {shape: sphere, size: [0.01], mass: 1, pose: [-0.03, 0, 0, 0, 0, 0], "
        "twist: [1, 0, 0, 0, 0, 0]}",
        gravity="[0, 0, 0]",
    )
    for integrator in ("adaptive", "rk4"):
        with pytest.raises(SimulationError, match="the indentation is more than"):
            made.simulate(0.1, integrator=integrator)


def arm_and_post(folder: Path) -> World:
    """Return an arm of 0.8 m along x that turns about z, and a post at 0.7 m along y."""
    urdf = folder / "arm.urdf"
    inertial = (
        '<inertial><mass value="1"/><origin xyz="0.4 0 0"/>'
        '<inertia ixx="0.01" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    collision = (
        '<collision><origin xyz="0.4 0 0"/><geometry><box size="0.8 0.006 0.006"/></geometry>'
        "</collision>"
    )
    joint = (
        '<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/>'
        '<axis xyz="0 0 1"/></joint>'
    )
    urdf.write_text(
        f'<robot name="arm"><link name="base"/><link name="arm">{inertial}{collision}</link>'
        f"{joint}</robot>",
        encoding="utf-8",
    )
    return world(
        STIFF,
        f"robot: {{urdf: {urdf}}}",
        "post: {shape: cylinder, size: [0.003, 0.2], moves: fixed, pose: [0, 0.7, 0, 0, 0, 0]}",
    )


def test_a_swinging_link_does_not_pass_a_post_unseen(tmp_path: Path) -> None:
    made = arm_and_post(tmp_path)
    made.velocity[made.columns("robot", "velocity")] = 30.0
    for integrator in (*FIXED, *VARYING):
        assert is_noticed(made, 0.12, integrator), integrator


@pytest.mark.parametrize("integrator", FIXED)
@pytest.mark.parametrize("torque", [1e2, 1e4, 1e6])
def test_a_link_that_a_torque_moves_from_rest_does_not_pass_a_post_unseen(
    integrator: str, torque: float, tmp_path: Path
) -> None:
    made = arm_and_post(tmp_path)
    for angle in (0.02, 0.1, 0.5):  # from the post
        made.position[made.columns("robot", "position")] = 0.5 * np.pi - angle
        plant, touched = made.plant(integrator=integrator, step=1e-3), False
        with contextlib.suppress(SimulationError):
            while not touched and plant.position[0] < 0.5 * np.pi + 0.1:
                plant.advance([torque])
                touched = len(plant.contacts) > 0
            assert touched, angle


def test_a_refused_step_of_a_plant_leaves_its_state(tmp_path: Path) -> None:
    plant = arm_and_post(tmp_path).plant(integrator="rk4", step=1e-3)
    with pytest.raises(SimulationError, match="'robot/arm' and 'post'"):
        plant.advance([1e7])
    assert plant.time == 0.0
    assert not plant.position.any()
    assert not plant.velocity.any()


def test_errors_of_fast_contacts_are_those_of_the_package() -> None:
    with pytest.raises(CharmieError):
        spinning_rod(1e6, "box", "box", 1.0).simulate(1e-3, integrator="rk4")
