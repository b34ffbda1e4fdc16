# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What an action means: efforts, corrections of efforts, velocities, or the motion of the tool.

An action has a number from -1 to 1 for each command, and one for the gripper if the task has one: 1
closes it with its rated effort, -1 opens it. Actuators that are not commanded hold their positions.
The targets of the drives change their velocities linearly within a period, as the profile of a
servo does; the efforts that gravity and springs need at the present position are added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.control.per_actuator import rated_efforts
from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.kitchen.scene import DRIVE_FREQUENCY, GRIPPER_DAMPING
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import JointDrives

from .task import LearningTask, Situation

TOOL_SPEED = 0.5  # m/s, of an action of 1
TOOL_RATE = 1.0  # rad/s
CORRECTION = 0.3  # of the rated efforts
FASTEST = 2.0  # rad/s or m/s, of an actuator without a limit
POSTURE_RATE = 1.0  # 1/s, of the return to the start posture
DAMPING = 0.05  # of the inverse of the Jacobian, in m/s
CONTROLS = ("tool_motion", "joint_velocities", "efforts", "corrections")
OF_EFFORTS = CONTROLS[2:]


class Command(NamedTuple):
    """Efforts, and targets of the drives (n, a), as of `PlantBatch.advance`."""

    effort: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats

    def after(self, time: float) -> tuple[Floats, Floats]:
        """Return position and velocity of the targets after a time (s)."""
        change = time * self.acceleration
        return self.position + time * (self.velocity + 0.5 * change), self.velocity + change


class Control:
    """Converts actions into commands.

    Parameters
    ----------
    task : LearningTask
    name : str
        One of `CONTROLS`, and of the controls of the task.

    Attributes
    ----------
    size : int
        Numbers of an action.
    drives : JointDrives
        Of the plants.
    has_drives : bool
        Whether any actuator has one.
    limits : (2, a) array
        Lower and upper ends of the ranges of all actuators.
    speeds : (a,) array
        Velocity limits of these; `FASTEST` where none is defined.
    entries : (a,) array of int
        Of these, in positions.
    has_target, is_damped : (a,) array of bool
        Actuators whose drive has a stiffness, and those whose drive has a damping.

    Raises
    ------
    UnknownNameError
        For a control that the task does not have.
    """

    def __init__(self, task: LearningTask, name: str) -> None:
        if name not in task.controls:
            raise UnknownNameError(
                f"control '{name}' is unknown to '{task.name}'{choices(name, task.controls)}"
            )
        self.name, self._task = name, task
        self._model = task.world.model
        names = self._model.actuator_names
        limits = self._model.actuator_limits()
        self.limits = np.array([(limit.lower, limit.upper) for limit in limits]).T
        speeds = np.array([limit.velocity for limit in limits])
        self.speeds = np.where((speeds > 0.0) & np.isfinite(speeds), speeds, FASTEST)
        rated = rated_efforts(self._model)
        self._rated = np.where(np.isfinite(rated), rated, 0.0)
        self._columns = task.columns
        self._gripper = names.index(f"{task.robot}/{task.gripper}") if task.gripper else -1
        commanded = 6 if name == "tool_motion" else len(self._columns)
        self.size = commanded + (1 if task.gripper else 0)
        none = [names[k] for k in self._columns] if name in OF_EFFORTS else []
        damping = dict.fromkeys(none, 0.0)
        if task.gripper:
            none.append(names[self._gripper])
            damping[names[self._gripper]] = GRIPPER_DAMPING
        self.has_drives = len(none) < len(names)
        self.has_target = np.array([name not in none for name in names])
        self.is_damped = np.array([damping.get(name, 1.0) > 0.0 for name in names])
        self.drives = JointDrives(dict.fromkeys(none, 0.0), damping, DRIVE_FREQUENCY)
        self.entries = np.array([self._model.position_names.index(each) for each in names])
        self._posture = task.world.position[self.entries][self._columns]
        self.period = 1.0 / task.rate

    def begin(self, position: Floats) -> tuple[Floats, Floats]:
        """Return position and velocity (n, a) of the targets at the start of plants at (n, p)."""
        target = position[:, self.entries]
        return target, np.zeros_like(target)

    def rest(self, position: Floats) -> Floats:
        """Return the action (size,) that holds a robot at rest."""
        action, columns = np.zeros(self.size), self._columns
        if self.name == "efforts":
            effort = self._model.compute(position).actuator_effort
            action[: len(columns)] = effort[columns] / self._rated[columns]
        return action

    def command(self, now: Situation, action: Floats, target: Floats, rate: Floats) -> Command:
        """Return the command of a period.

        Parameters
        ----------
        now : Situation
        action : (n, size) array
            From -1 to 1.
        target, rate : (n, a) array
            Position and velocity of the drives' targets at the beginning of the period.
        """
        action = np.clip(action, -1.0, 1.0)
        effort = self._model.compute(now.position).actuator_effort.copy()
        velocity = np.zeros_like(target)
        columns = self._columns
        if self.name in OF_EFFORTS:
            share = action[:, : len(columns)]
            if self.name == "corrections":
                share = self._task.baseline(now) + CORRECTION * share
            effort[:, columns] = share * self._rated[columns]
        elif self.name == "joint_velocities":
            velocity[:, columns] = action[:, : len(columns)] * self.speeds[columns]
        else:
            velocity[:, columns] = self._joint_velocities(now, action[:, :6], target)
        if self._gripper >= 0:
            effort[:, self._gripper] += action[:, -1] * self._rated[self._gripper]
        # no target leaves its range in this period, nor while it stops in the next one
        slowest, fastest = ((limit - target) / self.period - 0.5 * rate for limit in self.limits)
        velocity = np.clip(velocity, np.minimum(slowest, 0.0), np.maximum(fastest, 0.0))
        return Command(effort, target, rate, (velocity - rate) / self.period)

    def _joint_velocities(self, now: Situation, action: Floats, target: Floats) -> Floats:
        """Return velocities (n, k) for a twist of the tool in world axes.

        Damped least squares of the velocities as parts of their limits; what the twist leaves free
        returns to the start posture. Actuators that would leave their range stay. All are slowed
        down together where one is faster than its limit.
        """
        twist = action * np.repeat([TOOL_SPEED, TOOL_RATE], 3)
        J = self._model.jacobian(now.position, self._task.tool_frame)[:, :, self._task.freedoms]
        # angular rates count in units of a lever, so that both parts are in m/s
        weight = np.repeat([1.0, TOOL_SPEED / TOOL_RATE], 3)
        columns = self._columns
        speed, own = self.speeds[columns], target[:, columns]
        J = J * weight[:, None] * speed
        wanted = twist * weight
        posture = POSTURE_RATE * (self._posture - own) / speed
        share = _damped(J, wanted, posture)
        reach = speed * self.period
        lower, upper = self.limits[:, columns]
        leaves = (share > 0.0) & (own > upper - reach)
        leaves |= (share < 0.0) & (own < lower + reach)
        J, posture = np.where(leaves[:, None], 0.0, J), np.where(leaves, 0.0, posture)
        share = _damped(J, wanted, posture)
        share /= np.maximum(np.abs(share).max(axis=1, keepdims=True), 1.0)
        return share * speed


def _damped(J: Floats, twist: Floats, near: Floats) -> Floats:
    """Return the solutions (n, k) of J (n, 6, k) x = twist (n, 6) nearest to given ones (n, k)."""
    A = np.einsum("nik,njk->nij", J, J) + DAMPING**2 * np.eye(6)
    missing = twist - np.einsum("nik,nk->ni", J, near)
    change = np.einsum("nik,ni->nk", J, np.linalg.solve(A, missing[..., None])[..., 0])
    solution: Floats = near + change
    return solution
