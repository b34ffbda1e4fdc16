# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""CHARMIE on Swedish wheels in its world: what the floor says, and what the robot's model says.

The world knows the contacts. The model of the robot alone knows positions, velocities and
accelerations, and from them the load on its base, the zero-moment point and the tip-over margin, as
the node does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics import Model, Wrench, load_model
from charmie_dynamics.control import SwedishWheels, WheelDrive
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.stability import Stability, Support, stability_of
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import EntityEfforts, Plant, load_world

NAME, ROBOT = "charmie", "charmie_wheeled"  # in the world file, and as a model
BASE = "base"
STEP = 1e-3  # s, of the integration and of the controller
BRAKE = 200.0  # N m/rad
LOG_PERIOD = 0.01  # s

Velocity = npt.ArrayLike | Callable[[float], npt.ArrayLike]


class Pose(NamedTuple):
    """Where a base is on the floor: m, rad."""

    x: float
    y: float
    yaw: float


class Sample(NamedTuple):
    """What there is to see at one time.

    Attributes
    ----------
    time : float
        In seconds.
    true, odometry : Pose
        Of the base; the second from the rates of the wheels alone.
    velocity, by_wheels : (3,) array
        Of the base along its axes x and y (m/s) and about z (rad/s).
    loads : (4,) array
        Of the wheels, normal to the floor (N).
    by_model : (4,) array
        The same by the model, as on equal springs; NaN where the floor would have to pull.
    indentation : float
        Of the wheel that is pressed on most (m).
    pressure : (2,) array
        Where the sum of these acts, in the axes of the base (m); NaN in the air.
    stability : Stability
        By the inverse dynamics of the motion.
    lean : float
        Between the base's upward axis and that of the floor (rad).
    position : (p,) array
        Of the robot.
    """

    time: float
    true: Pose
    odometry: Pose
    velocity: Floats
    by_wheels: Floats
    loads: Floats
    by_model: Floats
    indentation: float
    pressure: Floats
    stability: Stability
    lean: float
    position: Floats


class DrivenRobot:
    """The robot in its world, driven by the efforts of its wheels.

    Parameters
    ----------
    braked : bool
        Each wheel is held where it stands, by a spring and a damper, beside what drives it.

    Attributes
    ----------
    robot : Model
        The robot alone, under the gravity and the push that act.
    time : float
        In seconds.
    odometry : Pose
        Begins at the origin.
    """

    def __init__(self, braked: bool = False) -> None:
        self.world = load_world(share_file("worlds", f"{ROBOT}.yaml"))
        self._brake = BRAKE if braked else 0.0
        self._plain = self.robot = load_model(ROBOT)
        self.wheels = SwedishWheels(self.robot)
        self._support = Support.of(self.robot)
        self._p, self._v = (self.world.columns(NAME, what) for what in ("position", "velocity"))
        names = self.robot.velocity_names
        self._rates = [names.index(name) for name in self.wheels.joint_names]
        wheels = self.wheels.joint_names
        self._driven = [self.robot.actuator_names.index(name) for name in wheels]
        self._angles = [self.robot.position_names.index(name) for name in wheels]
        self._links = [f"{NAME}/{wheel}" for wheel in self.wheels.wheel_names]
        self._pose = self.world.position[self._p]
        self._plant = Plant(
            self.world.model, self.world.position, step=STEP, contacts=self.world.contacts
        )
        self.odometry = Pose(0.0, 0.0, 0.0)

    @property
    def time(self) -> float:
        """In seconds."""
        return self._plant.time

    @property
    def position(self) -> Floats:
        """Of the robot (p,)."""
        return self._plant.position[self._p]

    @property
    def velocity(self) -> Floats:
        """Of the robot (v,)."""
        return self._plant.velocity[self._v]

    def follow(self, base_velocity: Velocity, duration: float) -> list[Sample]:
        """Drive on for a time (s); a velocity that is called gets the time since now."""
        begin, now = self.time, base_velocity

        def asked(time: float) -> npt.ArrayLike:
            return now(time - begin) if callable(now) else now

        drive = WheelDrive(self._plain, asked, pose=self._pose)

        def braked(time: float, position: Floats, velocity: Floats) -> Floats:
            effort = drive(time, position, velocity)
            effort[self._driven] -= self._brake * position[self._angles]
            return effort

        law = EntityEfforts(self.world, {NAME: braked})
        plant, samples = self._plant, []
        every = round(LOG_PERIOD / STEP)
        for k in range(round(duration / STEP)):
            plant.advance(law(plant.time, plant.position, plant.velocity))
            self._count_wheels()
            if (k + 1) % every == 0:
                samples.append(self.look())
        return samples

    def look(self) -> Sample:
        """Return what there is to see now."""
        position, velocity = self.position, self.velocity
        state = self.robot.compute(position, velocity, self._plant.acceleration[self._v])
        p, R = state.frame(BASE)
        yaw = math.atan2(R[1, 0], R[0, 0])
        contacts = self._plant.contacts
        loads = np.array([contacts.of(link).normal_force.sum() for link in self._links])
        force, at = contacts.normal_force, (contacts.point - p) @ R
        pressure = force @ at[:, :2] / force.sum() if len(force) else np.full(2, np.nan)
        twist = state.motion(BASE)
        stability = stability_of(self.robot, self._support, state)
        moved = np.array((*(R.T @ twist.velocity)[:2], (R.T @ twist.angular_velocity)[2]))
        return Sample(
            self.time, Pose(p[0], p[1], yaw), self.odometry, moved,
            self.wheels.base_velocity(velocity[self._rates]), loads,
            self._shared(float(state.base_wrench[0][2]), stability),
            float(contacts.indentation.max(initial=0.0)), pressure, stability,
            math.acos(min(1.0, R[2, 2])), position,
        )  # fmt: skip

    def load(self, gravity: npt.ArrayLike, wrench: Wrench | None = None) -> None:
        """Go on under another gravity (m/s^2) and a push on the base."""
        world = with_gravity(self.world.model, gravity)
        self.robot = with_gravity(self._plain, gravity)
        if wrench is not None:
            world = world.with_loads(wrenches={f"{NAME}/{BASE}": wrench})
            self.robot = self.robot.with_loads(wrenches={BASE: wrench})
        self._plant.carry(world)

    def _shared(self, load: float, stability: Stability) -> Floats:
        """Return how wheels on equal springs share a load (N) that acts at the zero-moment point.

        Four wheels are one more than equilibrium can tell: on a flat floor the springs, which are
        alike, let the base move as a plane, so that the loads lie in a plane as well.
        """
        at = np.array(self.robot.mechanisms.wheel_contacts)[:, :2]
        shares = stability.zero_moment_point[:2] / (at**2).sum(axis=0)
        loads: Floats = load * (1.0 / len(at) + at @ shares)
        return loads

    def _count_wheels(self) -> None:
        """Integrate odometry over a step, about the middle of its turn."""
        x, y, turn = self.wheels.base_velocity(self.velocity[self._rates])
        yaw = self.odometry.yaw + 0.5 * turn * STEP
        c, s = math.cos(yaw), math.sin(yaw)
        self.odometry = Pose(
            self.odometry.x + (c * x - s * y) * STEP,
            self.odometry.y + (s * x + c * y) * STEP,
            self.odometry.yaw + turn * STEP,
        )


def with_gravity(model: Model, gravity: npt.ArrayLike) -> Model:
    """Return a robot or world under another gravity (m/s^2)."""
    x, y, z = np.asarray(gravity, dtype=np.float64).tolist()
    return Model(model.tree, replace(model.mechanisms, gravity=(x, y, z)))
