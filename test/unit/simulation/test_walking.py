# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots with legs walk over a floor by the efforts of `LegDrive`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from charmie_dynamics import load_model
from charmie_dynamics.control import LegDrive
from charmie_dynamics.errors import InputError, ModelFileError, UnknownNameError, UnsupportedError
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import LeggedWalk
from charmie_dynamics.simulation import EntityEfforts, Plant, Run, World, load_world

STEP = 2.5e-4  # s
KINETIC = 0.6
WEIGHT = 63.06  # N


class Walk(NamedTuple):
    world: World
    model: Model
    plan: LeggedWalk
    drive: LegDrive


def hexapod() -> Walk:
    model = load_model("athena")
    plan = LeggedWalk(model, "tripod")
    drive = LegDrive(model, plan, kp=10.0, kd=0.5, frequency=60.0)
    return Walk(load_world("athena"), model, plan, drive)


def simulated(walk: Walk, duration: float) -> Run:
    law = EntityEfforts(walk.world, {"athena": walk.drive})
    times = np.linspace(0.0, duration, round(duration / 5e-3) + 1)
    return walk.world.simulate(duration, law, integrator="rk4", step=STEP, times=times)


@pytest.fixture(scope="module")
def walk() -> Walk:
    return hexapod()


@pytest.fixture(scope="module")
def half_a_period(walk: Walk) -> Run:
    return simulated(walk, 1.0)


def test_the_torso_stays_level_at_its_height(half_a_period: Run) -> None:
    position, quaternion = half_a_period.pose("athena")
    assert np.abs(quaternion[:, :2]).max() < 1e-3  # half the tilt, rad
    assert np.ptp(position[60:, 2]) < 1e-4
    assert np.abs(position[:, 1]).max() < 1e-3


def test_the_torso_gets_as_far_as_planned(walk: Walk, half_a_period: Run) -> None:
    planned = np.array([walk.plan.torso(time).position[0] for time in half_a_period.time])
    assert half_a_period.pose("athena")[0][:, 0] == pytest.approx(planned, abs=5e-4)


def test_the_feet_bear_the_weight(half_a_period: Run) -> None:
    force = half_a_period.contacts.force_on("athena", half_a_period.time)
    assert force[20:, 2].mean() == pytest.approx(WEIGHT, rel=0.01)


def test_feet_in_stance_bear_alike_and_stick(walk: Walk, half_a_period: Run) -> None:
    for k, name in enumerate(walk.plan.legs.foot_names):
        table = half_a_period.contacts.of(f"athena/{name}")
        within = (table.time > 0.1) & (table.time < 0.9)
        normal = table.normal_force[within]
        if k % 2 == 0:  # in the air
            assert normal.max(initial=0.0) < 5.0  # it may touch early
            continue
        friction = np.linalg.norm(table.friction_force[within], axis=1)
        assert np.abs(normal - WEIGHT / 3.0).max() < 6.0
        assert (friction / normal).max() < 0.2 * KINETIC


def test_feet_in_stance_roll_and_do_not_slide(walk: Walk, half_a_period: Run) -> None:
    run, radius = half_a_period, walk.plan.foot_radius
    states = run.model.kinematics(run.position, run.velocity)
    within = (run.time > 0.1) & (run.time < 0.9)
    for name in walk.plan.legs.foot_names[1::2]:
        motion = states.motion(f"athena/{name}")
        lowest = motion.velocity + np.cross(motion.angular_velocity, [0.0, 0.0, -radius])
        way = lowest[within, :2].mean(axis=0) * 0.8
        assert np.linalg.norm(way) < 2e-4
        assert np.linalg.norm(motion.velocity[within, :2], axis=1).max() > 1e-3  # its middle


def test_efforts_that_are_held_for_a_millisecond_do_as_well(walk: Walk) -> None:
    world = walk.world
    plant = Plant(world.model, world.position, step=STEP, contacts=world.contacts)
    law = EntityEfforts(world, {"athena": walk.drive})
    for _ in range(300):
        plant.advance(law(plant.time, plant.position, plant.velocity), steps=4)
    assert np.abs(plant.position[3:5]).max() < 1e-3
    assert plant.position[2] == pytest.approx(walk.plan.height, abs=3e-4)


def test_the_quadruped_trots_over_two_feet() -> None:
    model, world = load_model("quadruped"), load_world("quadruped")
    plan = LeggedWalk(model, "trot")
    drive = LegDrive(model, plan, kp=300.0, kd=8.0, frequency=40.0, way_frequency=5.0)
    law = EntityEfforts(world, {"quadruped": drive})
    times = np.linspace(0.0, 1.0, 101)
    run = world.simulate(1.0, law, integrator="rk4", step=STEP, times=times)
    position, quaternion = run.pose("quadruped")
    assert position[-1, 0] == pytest.approx(plan.torso(1.0).position[0], abs=5e-3)
    assert np.abs(quaternion[:, :2]).max() < 4e-3
    assert np.ptp(position[30:, 2]) < 1e-3


@pytest.mark.parametrize(("robot", "gait"), [("athena", "tripod"), ("quadruped", "trot")])
def test_the_forces_of_the_feet_are_what_the_torso_needs(robot: str, gait: str) -> None:
    model = load_model(robot)
    plan = LeggedWalk(model, gait)
    drive = LegDrive(model, plan, kp=0.0, kd=0.0)
    for time in np.linspace(0.0, plan.duration, 13):
        needed = model.compute(*plan.whole(time)).base_wrench[0]
        force = drive.loads(time).foot_force
        np.testing.assert_allclose(force.sum(axis=0), needed, atol=2e-3 * abs(needed[2]))
        in_air = ~np.array(plan.in_stance(time))
        assert not force[in_air].any()


def test_shares_of_the_stance_are_smooth_and_those_of_feet_in_the_air_zero() -> None:
    plan = LeggedWalk(load_model("quadruped"), "trot")
    times = np.linspace(-0.1, plan.duration + 0.1, 24801)
    share = np.array([plan.stance_shares(t) for t in times])
    assert share.min() >= 0.0 and share.max() <= 1.0
    assert (share[0] == 1.0).all() and (share[-1] == 1.0).all()
    assert np.abs(np.diff(share, axis=0)).max() < 0.05
    in_air = ~np.array([plan.in_stance(t) for t in times])
    assert share[in_air].max() < 1e-9


def test_laws_of_a_world_refuse_an_entity_that_is_none(walk: Walk) -> None:
    with pytest.raises(UnknownNameError, match="entity 'athene' is unknown; did you mean 'athena'"):
        EntityEfforts(walk.world, {"athene": walk.drive})


def test_a_world_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(ModelFileError, match=r"world 'athen' is unknown.*athena"):
        load_world("athen")


def test_a_drive_of_a_robot_without_a_floating_base_is_refused(walk: Walk) -> None:
    with pytest.raises(UnsupportedError, match="expected a base body on a floating joint"):
        LegDrive(load_model("scara"), walk.plan, 1.0, 1.0)


@pytest.mark.parametrize("name", ["frequency", "way_frequency"])
def test_a_frequency_below_zero_is_refused(walk: Walk, name: str) -> None:
    with pytest.raises(InputError, match=f"^{name}: expected a finite number of at least 0"):
        LegDrive(walk.model, walk.plan, 1.0, 1.0, **{name: -1.0})
