# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Commands of all robots: one is commanded by the user, the others hold their pose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats

from .commands import Actuation, Commands, controller_of
from .joint_targets import FOREVER, DriveTarget, robot_gains
from .settings import SessionSettings
from .simulated_system import SimulatedRobot, SimulatedSystem


class DrivenRobot(NamedTuple):
    """A robot with actuators, and its commands."""

    robot: SimulatedRobot
    commands: Commands


class Drives:
    """The commands of all robots, the robot whose topics are published first.

    Parameters
    ----------
    system : SimulatedSystem
    settings : SessionSettings
    known : mapping of str to Commands, optional
        Robots that keep their commands, by name.
    """

    def __init__(
        self,
        system: SimulatedSystem,
        settings: SessionSettings,
        known: Mapping[str, Commands] | None = None,
    ) -> None:
        self._system = system
        known, still = known or {}, replace(settings, motion="", idle="hold")
        self._driven: list[DrivenRobot] = []
        for robot in system.robots:
            of_robot = settings if robot is system.robot else still
            commands = known.get(robot.name)
            if commands is None:
                controller = controller_of(robot, system, of_robot)
                gains = partial(robot_gains, system, robot, settings.step)
                commands = Commands(robot.model, of_robot, controller, gains)
            self._driven.append(DrivenRobot(robot, commands))

    @property
    def by_name(self) -> dict[str, Commands]:
        """Commands of all robots."""
        return {robot.name: commands for robot, commands in self._driven}

    @property
    def commanded(self) -> DrivenRobot:
        """The robot that receives commands.

        Raises
        ------
        InputError
            Without such a robot.
        """
        if self._system.robot is None:
            raise InputError("no robot with actuators; expected no commands")
        return self._driven[0]

    def start_state(self) -> tuple[Floats, Floats]:
        """Return the start (p,), (v,); with a motion, its initial position and velocity."""
        position, velocity = self._system.position.copy(), self._system.velocity.copy()
        for robot, commands in self._driven:
            of_motion = commands.start_state()
            if of_motion is not None:  # from rest the robot would have to jump to its start
                position[robot.columns.position], velocity[robot.columns.velocity] = of_motion
        return position, velocity

    def begin(self, position: Floats, now: int) -> None:
        """Forget all commands; (p,) is the position at a time (ns)."""
        for robot, commands in self._driven:
            commands.begin(position[robot.columns.position], now)

    def begin_added(self, known: Mapping[str, Commands], position: Floats, now: int) -> None:
        """Begin the commands of added robots, those not in `known`, as in `begin`."""
        for robot, commands in self._driven:
            if known.get(robot.name) is not commands:
                commands.begin(position[robot.columns.position], now)

    def note_displacement(self, before: Floats, after: Floats) -> None:
        """Register that entities were moved at once: positions (p,) before and after."""
        for robot, commands in self._driven:
            own = robot.columns.position
            commands.note_displacement(before[own], after[own])

    def effort(self, now: int, position: Floats, velocity: Floats) -> Actuation:
        """Return efforts and targets (a,) of all robots from a time (ns)."""
        count = len(self._system.model.actuator_names)
        effort, end, target = np.zeros(count), FOREVER, DriveTarget(*np.zeros((4, count)))
        for robot, commands in self._driven:
            columns = robot.columns
            own = commands.effort(now, position[columns.position], velocity[columns.velocity])
            effort[columns.effort], end = own.effort, min(end, own.until)
            if own.target is not None:
                for every, values in zip(target, own.target, strict=True):
                    every[columns.effort] = values
        return Actuation(effort, end, target)
