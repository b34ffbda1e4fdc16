# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Targets of position drives that move at constant velocity until the next command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.live.wire.samples import DistinctNames
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.integrators.joint_laws import (
    DRIVE_FREQUENCY,
    MOST_A_STEP,
    coupling_of,
    drive_gains,
    suspensions,
)

from .simulated_system import SimulatedRobot, SimulatedSystem


class DriveTarget(NamedTuple):
    """Gains and targets (a,) of drives at one time, see `JointDrives`."""

    stiffness: Floats
    damping: Floats
    position: Floats
    velocity: Floats


class JointTargets(NamedTuple):
    """Commanded targets (a,) of a robot, NaN where a part is not commanded.

    Attributes
    ----------
    start : int
        When the positions apply (ns).
    position, velocity, effort : (a,) array
        Without a position, a velocity is a target of the damping alone.
    is_held : (a,) array of bool
        Actuators that hold their position, since no part is commanded.
    """

    start: int
    position: Floats
    velocity: Floats
    effort: Floats
    is_held: Any

    def at(self, now: int, model: Model, gains: tuple[Floats, Floats]) -> DriveTarget:
        """Return the targets at a time (ns), within the ranges of the actuators."""
        limits = model.actuator_limits()
        lower, upper = np.array([(limit.lower, limit.upper) for limit in limits]).T
        rate = np.nan_to_num(self.velocity)
        moved = self.position + (now - self.start) / NANOSECONDS * rate
        position = np.clip(moved, lower, upper)
        has_position, has_velocity = ~np.isnan(position), ~np.isnan(self.velocity)
        return DriveTarget(
            gains[0] * has_position,
            gains[1] * (has_position | has_velocity),
            np.where(has_position, position, 0.0),
            np.where(has_position & (position != moved), 0.0, rate),
        )


def robot_gains(
    system: SimulatedSystem, robot: SimulatedRobot, step: float
) -> tuple[Floats, Floats]:
    """Return stiffness and damping (a,) of the drives of a robot, as `JointDrives` by default.

    Parameters
    ----------
    system : SimulatedSystem
    robot : SimulatedRobot
        One of its robots.
    step : float
        Of the session (s).
    """
    model, position = system.model, system.position
    step /= system.parts_of_step(step)[0]
    frequency = min(DRIVE_FREQUENCY, MOST_A_STEP / (coupling_of(model, position) * step))
    free = suspensions(robot.model)
    driven = np.array([name not in free for name in robot.model.actuator_names])
    stiffness, damping = drive_gains(model, position, frequency)
    return driven * stiffness[robot.columns.effort], driven * damping[robot.columns.effort]


def joint_targets(
    model: Model,
    names: Sequence[str],
    parts: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
    now: int,
    held: Floats,
) -> JointTargets:
    """Return checked targets; actuators without any value hold a position.

    Parameters
    ----------
    model : Model
        The robot alone.
    names : sequence of str
        Of k actuators.
    parts : tuple of (k,) or (0,) array_like
        Position, velocity and effort; NaN: not commanded.
    now : int
        ns.
    held : (a,) array
        Position of actuators that are not commanded.

    Raises
    ------
    InputError
        If there is no name, a name repeats, or values are infinite or their number is wrong.
    UnknownNameError
        If the robot has no actuator of a name.
    """
    known = model.actuator_names
    if not names:
        raise InputError("joint_commands: expected at least one actuator, got no name")
    columns = []
    for name in DistinctNames(names):
        if name not in known:
            raise UnknownNameError(f"joint_commands: actuator '{name}' is unknown"
                                   f"{choices(name, known)}")  # fmt: skip
        columns.append(known.index(name))
    values = np.full((3, len(known)), np.nan)
    for row, kind, given in zip(values, ("position", "velocity", "effort"), parts, strict=True):
        numbers = np.asarray(given, dtype=np.float64)
        if numbers.shape not in ((0,), (len(names),)):
            raise InputError(
                f"joint_commands: expected {len(names)} values of {kind} or none, got "
                f"{numbers.size}"
            )
        if np.isinf(numbers).any():
            raise InputError(
                f"joint_commands: expected a finite {kind} or NaN, got {numbers.tolist()}"
            )
        row[columns] = numbers if len(numbers) else np.nan
    position, velocity, effort = values
    is_held = np.isnan(values).all(axis=0)
    position[is_held] = held[is_held]
    return JointTargets(now, position, velocity, np.nan_to_num(effort), is_held)
