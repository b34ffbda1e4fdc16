# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contact forces by the motion alone, against those of the simulation that made it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from charmie_dynamics import load_model
from charmie_dynamics.control import LegDrive, WheelDrive
from charmie_dynamics.model.contact_forces import ContactForces, ContactLoads, ContactPoint
from charmie_dynamics.motions import LeggedWalk
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import EntityEfforts, Run, World, load_world

Motion = tuple[Floats, Floats, Floats]


class Told(NamedTuple):
    """What a simulation says of a robot.

    Attributes
    ----------
    motion : three arrays
        Of the robot alone.
    force : (n, k, 3) array
        Of the floor on each contact.
    effort : (n, a) array
    """

    time: Floats
    motion: Motion
    force: Floats
    effort: Floats


def told(world: World, run: Run, entity: str, links: list[str]) -> Told:
    positions, velocities = (world.columns(entity, what) for what in ("position", "velocity"))
    motion = (
        run.position[:, positions],
        run.velocity[:, velocities],
        run.acceleration[:, velocities],
    )
    force = np.zeros((len(run.time), len(links), 3))
    for k, link in enumerate(links):
        table = run.contacts.of(f"{entity}/{link}")
        rows = np.searchsorted(run.time, table.time)
        of_point = table.normal_force[:, None] * table.normal - table.friction_force
        np.add.at(force[:, k], rows, of_point)
    return Told(run.time, motion, force, run.effort[:, world.columns(entity)])


@pytest.fixture(scope="module")
def walked() -> Told:
    model, world = load_model("athena"), load_world("athena")
    plan = LeggedWalk(model, "tripod")
    law = EntityEfforts(world, {"athena": LegDrive(model, plan, kp=10.0, kd=0.5, frequency=60.0)})
    times = np.linspace(0.0, 0.7, 141)
    run = world.simulate(0.7, law, integrator="rk4", step=2.5e-4, times=times)
    return told(world, run, "athena", list(plan.legs.foot_names))


@pytest.fixture(scope="module")
def found(walked: Told) -> ContactLoads:
    model = load_model("athena")
    plan = LeggedWalk(model, "tripod")
    feet = [ContactPoint(name, 0.7, radius=plan.foot_radius) for name in plan.legs.foot_names]
    touches = (walked.force[:, :, 2] > 0.0).astype(float)
    return ContactForces(model, feet).of_batch(*walked.motion, share=touches)


def test_the_forces_of_all_feet_together_are_those_of_the_simulation(
    walked: Told, found: ContactLoads
) -> None:
    of_floor = walked.force.sum(axis=1)
    np.testing.assert_allclose(found.force.sum(axis=1), of_floor, atol=1e-10)
    assert np.abs(found.missing_torque).max() < 1e-10


def test_three_feet_in_stance_bear_what_they_bear_in_the_simulation(
    walked: Told, found: ContactLoads
) -> None:
    three = ((walked.force[:, :, 2] > 0.0).sum(axis=1) == 3) & (walked.time > 0.3)
    assert three.sum() > 50
    # the simulation has its forces at the middle of the indentation, some 0.05 mm higher
    off = found.normal_force[three] - walked.force[three][:, :, 2]
    assert np.abs(off).max() < 2e-3  # N, of 21


def test_friction_that_feet_push_against_each_other_with_is_left_out(
    walked: Told, found: ContactLoads
) -> None:
    assert found.cone_use.max() <= 1.0 + 1e-9
    least, simulated = (np.linalg.norm(force, axis=(1, 2)) for force in (found.force, walked.force))
    assert (least <= simulated + 1e-3).all()


def test_with_the_forces_of_the_simulation_the_efforts_are_those_of_the_actuators(
    walked: Told, found: ContactLoads
) -> None:
    model = load_model("athena")
    position, velocity, acceleration = walked.motion
    n = 100
    assert walked.time[n] == pytest.approx(0.5)
    state = model.compute(position[n], velocity[n], acceleration[n])
    effort = state.actuator_effort.copy()
    for k, force in enumerate(walked.force[n]):
        link = f"leg_{k + 1}_foot"
        lowest = found.point[n, k]
        p_world_link, R_world_link = state.frame(link)
        point = R_world_link.T @ (lowest - p_world_link)
        jacobian = model.jacobian(position[n], link, point)[:3, model.actuator_index]
        effort -= jacobian.T @ force
    np.testing.assert_allclose(effort, walked.effort[n], atol=1e-3)


def test_wheels_on_a_suspension_bear_what_they_bear_in_the_simulation() -> None:
    model, world = load_model("charmie_wheeled"), load_world("charmie_wheeled")
    law = EntityEfforts(world, {"charmie": WheelDrive(model, (0.2, 0.1, 0.2))})
    run = world.simulate(0.8, law, integrator="rk4", times=np.linspace(0.0, 0.8, 17))
    wheels = list(model.mechanisms.rollers)
    truth = told(world, run, "charmie", wheels)
    indentation = float(run.contacts.indentation[-4:].mean())
    points = [ContactPoint(name, 0.7, radius=0.1015 - indentation) for name in wheels]
    passive = [name for name in model.actuator_names if "suspension" in name or "roller" in name]
    loads = ContactForces(model, points, passive=passive).of_batch(*truth.motion)
    last = slice(-2, None)
    np.testing.assert_allclose(loads.force[last], truth.force[last], atol=0.1)  # N, of 140
    assert np.abs(loads.missing_effort[last]).max() < 0.05
