# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A policy on a robot: measured positions and poses in, commands for the actuators out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from charmie_dynamics.control.per_actuator import rated_efforts
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import World
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

from .controls import Command, Control
from .network import Policy, require_fit
from .registry import task_class
from .task import Situation

NANOSECONDS = 1_000_000_000


class DriveCommand(NamedTuple):
    """Targets and efforts (a,) of a robot's actuators; NaN: that part is not commanded."""

    position: Floats
    velocity: Floats
    effort: Floats


class Deployment:
    """Runs a policy in the periods of its task.

    It reads no clock: all times are stamps (ns). A motion that is stopped slows down within a
    period and then holds its pose.

    Parameters
    ----------
    policy : Policy
    world : World
        With the robot of the task; a task may fix its free entities.

    Attributes
    ----------
    task : LearningTask
    robot : Model
        The robot alone.
    entities : frozenset of str
        Entities whose poses are used.
    free : frozenset of str
        Those that move freely, so that the world file does not know their poses.

    Raises
    ------
    CharmieError
        From the constructor, for a policy or a world that does not fit the task, and for a task
        whose episodes contain more than robot and world.

    Examples
    --------
    >>> from charmie_dynamics.learning.deployment import Deployment
    >>> from charmie_dynamics.learning import load_policy
    >>> from charmie_dynamics.simulation import load_world
    >>> deployment = Deployment(load_policy("Reach-v0"), load_world("kitchen"))
    >>> deployment.task.rate, sorted(deployment.free)
    (20.0, ['can'])
    """

    def __init__(self, policy: Policy, world: World) -> None:
        task = self.task = task_class(policy.task)(world)
        data = task.start(np.random.default_rng(0)).data
        if data:
            raise UnsupportedError(
                f"policy for '{task.name}': expected a task that depends on robot and world alone; "
                f"its episodes also contain {', '.join(data)}"
            )
        self._policy, self._limits = policy, task.observation_limits
        self._control = Control(task, policy.control)
        sizes = len(self._limits[0]), self._control.size
        require_fit(policy, task.name, policy.control, *sizes)
        robot = SimulatedSystem.of_world(task.world, task.robot).robot
        assert robot is not None
        self.robot, self._columns = robot.model, robot.columns
        self.free = frozenset(n for n, e in world.entities.items() if e.moves == "free")
        self.entities = self.free | task.fixed.keys()
        self._rated = rated_efforts(task.world.model)
        self._period = round(NANOSECONDS * self._control.period)
        self.begin()

    def begin(self) -> None:
        """Begin from scratch with the next sample."""
        self._command: Command | None = None
        self._count = self._first = self._begun = 0

    def situation(
        self, time: float, position: Floats, velocity: Floats, poses: Mapping[str, Floats]
    ) -> Situation:
        """Return the situation of a robot in the world.

        Parameters
        ----------
        time : float
            Since the beginning (s).
        position, velocity : (a,) array
            Of its actuators.
        poses : mapping of str to (6,) array
            Of entities, see `EntityPose.of`; those of fixed ones replace those of the world file.
        """
        world, columns = self.task.world, self._columns
        free = {n: pose[None] for n, pose in poses.items() if world.require(n).moves == "free"}
        p, v = world.positions(free, 1), np.zeros((1, len(world.model.velocity_names)))
        p[0, columns.position], v[0, columns.velocity] = position, velocity
        state = world.model.kinematics(p, v)
        fixed = {name: poses.get(name, pose)[None] for name, pose in self.task.fixed.items()}
        return Situation(np.array([time]), p, v, state, fixed, np.zeros(1), {}, (world.model,))

    def update(
        self, now: int, position: Floats, velocity: Floats, poses: Mapping[str, Floats]
    ) -> bool | None:
        """Take a sample, and begin a period with it if one is due.

        Parameters
        ----------
        now : int
            Stamp of the sample (ns); one before the last sample begins from scratch.
        position, velocity, poses
            As of `situation`.

        Returns
        -------
        bool or None
            Whether the task is fulfilled, or, after its duration, not; None before.
        """
        if self._command is not None and now < self._begun:
            self.begin()
        if self._command is None:
            self._first = self._begun = now
        elif now < self._first + self._count * self._period:
            return None
        task, time = self.task, (now - self._first) / NANOSECONDS
        situation = self.situation(time, position, velocity, poses)
        if self._count:
            goals = task.achieved_goal(situation), task.desired_goal(situation)
            measures = {"collision": situation.collision, **task.measures(situation)}
            if task.judge(*goals, measures).is_success[0]:
                return True
            if time >= task.duration:
                return False
        target = self._targets(now) or self._control.begin(situation.position)
        action = self._policy(task.observation(situation, self._limits))
        self._command = self._control.command(situation, np.asarray(action, float), *target)
        self._begun = now
        # periods without a sample are left out
        self._count = (now - self._first) // self._period + 1
        return None

    def stop(self, now: int) -> None:
        """Slow down from a time (ns) on, and hold the pose."""
        target = self._targets(now)
        if self._command is not None and target is not None:
            slowing = -target[1] / self._control.period
            self._command, self._begun = Command(self._command.effort, *target, slowing), now

    def command(self, now: int) -> DriveCommand | None:
        """Return the command at a time (ns), within the limits; None before the first sample."""
        target = self._targets(now)
        if self._command is None or target is None:
            return None
        control, columns = self._control, self._columns.effort
        position = np.where(control.has_target, np.clip(target[0], *control.limits), np.nan)
        velocity = np.clip(target[1], -control.speeds, control.speeds)
        velocity = np.where(control.is_damped, velocity, np.nan)
        effort = np.clip(self._command.effort, -self._rated, self._rated)
        return DriveCommand(position[0, columns], velocity[0, columns], effort[0, columns])

    def is_at_rest(self, now: int) -> bool:
        """Whether no target moves at a time (ns)."""
        target = self._targets(now)
        return target is None or not np.abs(target[1]).max() > 1e-12

    def _targets(self, now: int) -> tuple[Floats, Floats] | None:
        """Return position and velocity (1, a) of the targets, which wait at the end of a period."""
        if self._command is None:
            return None
        elapsed = min(max(now - self._begun, 0), self._period)
        return self._command.after(elapsed / NANOSECONDS)
