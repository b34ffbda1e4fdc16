# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Live efforts of mobile robots, compared with those that the simulator applied."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from base_messages import NANOSECONDS, imu_of, odometry_of

from charmie_dynamics import Model, load_model
from charmie_dynamics.control import LegDrive, WheelDrive
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.base_messages import OdometryMessage
from charmie_dynamics.live.wire.samples import JOINT_STATES, JointSample
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.description.world.robot_contacts import (
    RobotContacts,
    contacts_of_world,
    read_robot_contacts,
)
from charmie_dynamics.model.description.world.world_file import parse_world
from charmie_dynamics.model.state import State
from charmie_dynamics.motions import LeggedWalk
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import EntityEfforts, World, load_world
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem
from charmie_dynamics.simulation.worlds.world import world_of

BASES = {"athena": "base_link", "quadruped": "base_link", "charmie_wheeled": "base"}
FOOTPRINT = "base_footprint"
RAMP = 0.1  # rad
CUTOFF = 50.0  # Hz, of accelerations: sensors are exact


class Truth(NamedTuple):
    """A simulated robot at n times (ns): its motion and the efforts of its actuators."""

    stamps: list[int]
    position: Floats
    velocity: Floats
    acceleration: Floats
    effort: Floats


class Compared(NamedTuple):
    """Cycles, and efforts (n, a) without internal forces of feet: live, and simulated."""

    cycles: list[Cycle]
    live: Floats
    true: Floats

    def error(self, last: int) -> float:
        """Return the error of the last cycles relative to all efforts (root mean squares)."""
        error = np.mean((self.live - self.true)[-last:] ** 2)
        return float(np.sqrt(error / np.mean(self.true**2)))


def compared(
    model: Model, truth: Truth, contacts: RobotContacts, *, is_planar: bool = False
) -> Compared:
    """Return the cycles of a simulated robot; with true odometry, or that of its wheels."""
    pipeline = Pipeline(model, contacts=contacts, acceleration_cutoff=CUTOFF)
    frame, rows = BASES[model.name], model.actuator_index
    places = [model.position_names.index(name) for name in model.actuator_names]
    cycles, live, true = [], [], []
    for k, stamp in enumerate(truth.stamps):
        state = model.compute(truth.position[k], truth.velocity[k], truth.acceleration[k])
        now = stamp / NANOSECONDS
        pipeline.base.take_imu(imu_of(state, frame, stamp), now, stamp)
        odometry = odometry_of(state, frame, stamp)
        if is_planar:
            odometry = planar(state, FOOTPRINT, stamp)
        pipeline.base.take_odometry(odometry, now, stamp)
        sample = JointSample(
            model.actuator_names, truth.position[k, places], truth.velocity[k, rows], stamp
        )
        cycle = pipeline.take(JOINT_STATES, sample, now)
        assert cycle is not None and cycle.contacts is not None
        cycles.append(cycle)
        project = determined(model, cycle, contacts)
        live.append(project @ cycle.state.actuator_effort)
        true.append(project @ truth.effort[k])
    return Compared(cycles, np.array(live), np.array(true))


def planar(state: State, frame: str, stamp: int) -> OdometryMessage:
    """Return the odometry of wheels, which knows no height, roll and pitch."""
    (x, y, _), R = state.frame(frame)
    yaw = np.arctan2(R[1, 0], R[0, 0])
    motion, turn = state.motion(frame), np.array([np.cos(yaw), np.sin(yaw)])
    vx, vy, _ = motion.velocity
    velocity = np.array([turn @ (vx, vy), turn @ (vy, -vx), 0.0])
    angular = np.array([0.0, 0.0, motion.angular_velocity[2]])
    orientation = np.array([0.0, 0.0, np.sin(0.5 * yaw), np.cos(0.5 * yaw)])
    return OdometryMessage(stamp, frame, np.array([x, y, 0.0]), orientation, velocity, angular)


def determined(model: Model, cycle: Cycle, contacts: RobotContacts) -> Floats:
    """Return the projection (a, a) that removes efforts of forces that add up to nothing.

    Feet that stick can push against each other; the motion does not show with which forces. Wheels
    on a suspension have no such forces.
    """
    loads, a = cycle.contacts, len(model.actuator_names)
    assert loads is not None
    if contacts.passive:
        return np.eye(a)
    jacobians = []
    for k in np.flatnonzero(loads.normal_force > 0.0):
        link = contacts.contacts[k].link
        p_world_link, R_world_link = cycle.state.frame(link)
        point = R_world_link.T @ (loads.point[k] - p_world_link)
        jacobians.append(model.jacobian(cycle.state.position, link, point)[:3])
    jacobian = np.concatenate(jacobians)
    of_base, own = jacobian[:, :6].T, jacobian[:, model.actuator_index].T
    _, sizes, rows = np.linalg.svd(of_base)
    internal = own @ rows[np.sum(sizes > 1e-9 * sizes[0]) :].T
    basis, sizes, _ = np.linalg.svd(internal, full_matrices=False)
    basis = basis[:, sizes > 1e-9 * sizes.max(initial=1.0)]
    return np.asarray(np.eye(a) - basis @ basis.T)


def stands(world: World, model: Model, seconds: float) -> Truth:
    """Return a robot that holds its pose in a session of the simulator."""
    session = Session(SimulatedSystem.of_world(world), SessionSettings(rate=200.0))
    robot = session.system.robot
    assert robot is not None
    (entity,) = (name for name in session.system.entities if name == robot.name)
    columns = [world.columns(entity, what) for what in ("position", "velocity")]
    samples = []
    while session.now < seconds * NANOSECONDS:
        sample = session.advance(10_000)
        if sample.true is not None:
            samples.append(sample.true)
    return Truth(
        [sample.stamp for sample in samples],
        np.array([sample.position[columns[0]] for sample in samples]),
        np.array([sample.velocity[columns[1]] for sample in samples]),
        np.array([sample.acceleration[columns[1]] for sample in samples]),
        np.array([sample.effort[world.columns(entity)] for sample in samples]),
    )


def moves(name: str, entity: str, law: Any, seconds: float, step: float) -> Truth:
    world = load_world(name)
    times = np.arange(0.0, seconds + 1e-9, 5e-3)
    run = world.simulate(
        seconds, EntityEfforts(world, {entity: law}), integrator="rk4", step=step, times=times
    )
    positions, velocities = (world.columns(entity, what) for what in ("position", "velocity"))
    return Truth(
        [NANOSECONDS + round(time * NANOSECONDS) for time in run.time],
        run.position[:, positions],
        run.velocity[:, velocities],
        run.acceleration[:, velocities],
        run.effort[:, world.columns(entity)],
    )


def read(name: str, model: Model) -> RobotContacts:
    return read_robot_contacts(name, model.tree)


@pytest.mark.parametrize("name", BASES)
def test_a_robot_that_stands_applies_the_live_efforts(name: str) -> None:
    model, world = load_model(name), load_world(name)
    found = compared(model, stands(world, model, 1.0), read(name, model))
    assert found.error(40) < 0.02
    state, loads = found.cycles[-1].state, found.cycles[-1].contacts
    assert loads is not None
    weight = model.total_mass * 9.81
    assert loads.normal_force.sum() == pytest.approx(weight, rel=0.02)
    assert state.base_wrench[0][2] == pytest.approx(weight, rel=0.3)


def test_a_robot_that_drives_applies_the_live_efforts() -> None:
    model = load_model("charmie_wheeled")
    truth = moves("charmie_wheeled", "charmie", WheelDrive(model, (0.2, 0.1, 0.2)), 1.0, 1e-3)
    found = compared(model, truth, read("charmie_wheeled", model))
    assert found.error(60) < 0.02


@pytest.mark.parametrize("is_moving", [False, True])
def test_odometry_of_wheels_puts_the_lowest_points_on_the_floor(is_moving: bool) -> None:
    """Its height is that of the robot with its suspension at zero, some mm above the true one."""
    name = "charmie_wheeled"
    model, world = load_model(name), load_world(name)
    law = WheelDrive(model, (0.2, 0.1, 0.2))
    truth = moves(name, "charmie", law, 1.0, 1e-3) if is_moving else stands(world, model, 1.0)
    found = compared(model, truth, read(name, model), is_planar=True)
    assert found.error(40) < 0.02
    loads = found.cycles[-1].contacts
    assert loads is not None
    assert loads.normal_force.sum() == pytest.approx(9.81 * model.total_mass, rel=0.02)


def test_a_robot_that_no_contact_bears_is_reported() -> None:
    model, contacts = load_model("athena"), read("athena", load_model("athena"))
    pipeline, position = Pipeline(model, contacts=contacts), model.zero_position()
    assert pipeline.take_unborne() is None
    reports = []
    for k, height in enumerate((0.0, 0.0, 0.5, 0.0), start=1):
        stamp = k * NANOSECONDS // 10
        position[2] = height
        state = model.compute(position)
        now = stamp / NANOSECONDS
        pipeline.base.take_odometry(odometry_of(state, "base_link", stamp), now, stamp)
        values = np.zeros(len(model.actuator_names))
        assert pipeline.take(
            JOINT_STATES, JointSample(model.actuator_names, values, None, stamp), now
        )
        reports.append(pipeline.take_unborne())
    assert reports[0] is reports[1] is reports[3] is None
    assert reports[2] is not None and "above the floor" in reports[2]
    assert pipeline.take_unborne() is None


def test_a_robot_that_walks_applies_the_live_efforts() -> None:
    model = load_model("athena")
    law = LegDrive(model, LeggedWalk(model, "tripod"), kp=10.0, kd=0.5, frequency=60.0)
    found = compared(model, moves("athena", "athena", law, 0.5, 2.5e-4), read("athena", model))
    assert found.error(60) < 0.02


def test_a_robot_on_a_ramp_applies_the_live_efforts() -> None:
    file = share_file("worlds", "charmie_wheeled.yaml")
    level, tilted = (
        "ground: {shape: plane}",
        f"ground: {{shape: plane, pose: [0, 0, 0, 0, {RAMP}, 0]}}",
    )
    text = file.read_text(encoding="utf-8")
    assert level in text
    quaternion = f"{{base_joint/qy: {np.sin(RAMP / 2)}, base_joint/qw: {np.cos(RAMP / 2)}}}"
    text = text.replace(level, tilted) + f"    position: {quaternion}\n"
    model = load_model("charmie_wheeled")
    contacts = contacts_of_world(parse_world(text, "ramp", file.parent), model.tree)
    found = compared(model, stands(world_of(text), model, 1.0), contacts)
    assert found.error(40) < 0.02
