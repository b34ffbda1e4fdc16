# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots of the package walk over a floor, and what is seen of their feet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.control import LegDrive
from charmie_dynamics.model.description.package_robots import world_file
from charmie_dynamics.motions import LeggedWalk
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import (
    ContactTable,
    EntityEfforts,
    JointDrives,
    Plant,
    Run,
    World,
    load_world,
    world_of,
)

DROP = 5e-3  # m
DROP_DURATION, DROP_SAMPLE = 0.25, 1e-4  # s
DROP_STEP = 1e-5  # s
RIGID = 2000.0  # rad/s, of the drives that hold the joints
LEAST_FORCE = 1.0  # N: a foot that bears less touches or leaves


class Case(NamedTuple):
    """A robot, its gait, the gains of its joints and the step.

    `friction` takes the place of the entries of the world file, if given.
    """

    robot: str
    gait: str
    kp: float  # N m/rad
    kd: float  # N m s/rad
    frequency: float  # rad/s, of the torso
    step: float  # s
    friction: str = ""
    way_frequency: float = 0.0  # rad/s, of the torso's way


ATHENA = Case("athena", "tripod", 10.0, 0.5, 60.0, 2.5e-4)
# eq. 43 and 48, as the paper has them
PAPER = ATHENA._replace(step=2e-5, friction="bengisu_akay")
QUADRUPED = Case("quadruped", "trot", 300.0, 8.0, 40.0, 2.5e-4, way_frequency=5.0)
V0 = 1e-2  # m/s, of eq. 48


class Feet(NamedTuple):
    """Of each foot at the times of a run, in the order of the legs.

    Attributes
    ----------
    normal, friction : (k, l) array
        Amounts (N).
    indentation : (k, l) array
        In m, 0 in the air.
    sliding : (k, l, 2) array
        Velocity of the foot's lowest point along the floor (m/s).
    in_stance : (k, l) array of bool
        Whether it bears more than `LEAST_FORCE`.
    """

    normal: Floats
    friction: Floats
    indentation: Floats
    sliding: Floats
    in_stance: np.ndarray

    @property
    def ratio(self) -> Floats:
        """Friction by normal force, NaN where a foot is not in stance."""
        part = self.friction / np.where(self.in_stance, self.normal, 1.0)
        result: Floats = np.where(self.in_stance, part, np.nan)
        return result

    def slips(self, time: Floats, least: float = LEAST_FORCE) -> Floats:
        """Return how far each foot slides in each of its stances (m), one after the other.

        A stance lasts while the foot bears more than the least force (N).
        """
        found = []
        bears = self.normal > least
        for k in range(bears.shape[1]):
            edges = np.flatnonzero(np.diff(bears[:, k].astype(int)))
            parts = np.split(np.arange(len(time)), edges + 1)
            for rows in parts:
                if bears[rows[0], k] and len(rows) > 1:
                    rate = 0.5 * (self.sliding[rows[1:], k] + self.sliding[rows[:-1], k])
                    way = np.diff(time[rows]) @ rate
                    found.append(float(np.linalg.norm(way)))
        return np.array(found)


class Walked(NamedTuple):
    """A walk as it was simulated, and its plan."""

    case: Case
    walk: LeggedWalk
    world: World
    run: Run
    feet: Feet

    @property
    def tilt(self) -> Floats:
        """Angle (k,) of the torso from the vertical (rad)."""
        _, quaternion = self.run.pose(self.case.robot)
        x, y, _, _ = quaternion.T
        result: Floats = 2.0 * np.arcsin(np.minimum(np.hypot(x, y), 1.0))
        return result


def walk(case: Case, duration: float | None = None, times: Floats | None = None) -> Walked:
    """Return a walk over the floor of the robot's world."""
    model = load_model(case.robot)
    plan = LeggedWalk(model, case.gait)
    world = world_of(world_text(case))
    drive = LegDrive(
        model, plan, case.kp, case.kd, frequency=case.frequency, way_frequency=case.way_frequency
    )
    law = EntityEfforts(world, {case.robot: drive})
    end = plan.duration if duration is None else duration
    at = np.linspace(0.0, end, round(500 * end) + 1) if times is None else times
    run = world.simulate(end, law, integrator="rk4", step=case.step, times=at)
    names = [f"{case.robot}/{name}" for name in plan.legs.foot_names]
    return Walked(case, plan, world, run, feet_of(run, names, plan.foot_radius))


def world_text(case: Case) -> str:
    """Return the world file of the robot's name, with another law of friction if there is one."""
    text = world_file(case.robot).read_text(encoding="utf-8")
    if not case.friction:
        return text
    lines = [line for line in text.splitlines() if "tangential" not in line]
    new = f"    friction: {case.friction}\n    v0: {V0}"
    return "\n".join(new if line.strip().startswith("friction:") else line for line in lines)


def feet_of(run: Run, names: list[str], radius: float) -> Feet:
    """Return what is seen of some feet, whose links are given."""
    shape = len(run.time), len(names)
    normal, friction, indentation = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    sliding = np.zeros((*shape, 2))
    states = run.model.kinematics(run.position, run.velocity)
    lowest = np.array([0.0, 0.0, -radius])
    for k, name in enumerate(names):
        table: ContactTable = run.contacts.of(name)
        rows = np.searchsorted(run.time, table.time)
        np.add.at(normal[:, k], rows, table.normal_force)
        np.add.at(friction[:, k], rows, np.linalg.norm(table.friction_force, axis=1))
        np.add.at(indentation[:, k], rows, table.indentation)
        motion = states.motion(name)
        sliding[:, k] = (motion.velocity + np.cross(motion.angular_velocity, lowest))[:, :2]
    return Feet(normal, friction, indentation, sliding, normal > LEAST_FORCE)


class Impacts(NamedTuple):
    """Normal force (N) and indentation (m) of a foot at times (k,)."""

    time: Floats
    normal: Floats
    indentation: Floats


def drop(step: float, leg: int) -> Impacts:
    """Return the impacts of a foot of the hexapod that falls with rigid joints.

    Drives that are much stiffer than the contacts hold the joints, as the driving constraints of
    the paper do.
    """
    world = load_world(ATHENA.robot)
    model = world.model
    position = world.position.copy()
    position[model.position_names.index(f"{ATHENA.robot}/floating_base_joint/z")] += DROP
    plant = Plant(
        model, position, integrator="rk4", step=step, contacts=world.contacts,
        joint_drives=JointDrives(frequency=RIGID),
    )  # fmt: skip
    effort, steps = np.zeros(len(model.actuator_names)), round(DROP_SAMPLE / step)
    found = np.zeros((3, round(DROP_DURATION / DROP_SAMPLE)))
    for k in range(found.shape[1]):
        plant.advance(effort, steps)
        contacts = plant.contacts.of(f"{ATHENA.robot}/leg_{leg}_foot")
        found[:, k] = plant.time, contacts.normal_force.sum(), contacts.indentation.sum()
    return Impacts(*found)
