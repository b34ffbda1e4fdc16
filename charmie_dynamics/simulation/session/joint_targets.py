# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Targets of position drives that move at constant velocity until the next command."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.live.wire.samples import DistinctNames
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation.integrators.joint_laws import (
    DRIVE_FREQUENCY,
    MOST_A_STEP,
    coupling_of,
    drive_gains,
    suspensions,
)

from .simulated_system import SimulatedRobot, SimulatedSystem

# parts of a target, and names of the command interfaces of ros2_control
KINDS = ("position", "velocity", "effort")
# most of a commanded velocity, times the rated one: with more, numbers of a step overflow
MOST_VELOCITY = 1000.0
# most of a commanded velocity without a rated one, and of a position without a range (SI units)
MOST_WITHOUT_LIMIT = 1e6
# ns: end of a command without an end
FOREVER = 1 << 62


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
    start, end : (a,) array of int
        When the positions apply, and when the targets end (ns).
    position, velocity, effort : (a,) array
        Without a position, a velocity is a target of the damping alone.
    is_held : (a,) array of bool
        Actuators that hold their position, since no part is commanded.
    """

    start: Ints
    end: Ints
    position: Floats
    velocity: Floats
    effort: Floats
    is_held: Any

    @classmethod
    def holding(cls, position: Floats) -> JointTargets:
        """Return targets that hold a position (a,) of all actuators."""
        count = len(position)
        return cls.of_efforts(np.zeros(count), FOREVER)._replace(
            position=position, is_held=np.ones(count, dtype=bool)
        )

    @classmethod
    def of_efforts(cls, effort: Floats, end: int) -> JointTargets:
        """Return efforts (a,) of all actuators until a time (ns)."""
        count = len(effort)
        nothing, start = np.full(count, np.nan), np.zeros(count, dtype=np.int64)
        is_held = np.zeros(count, dtype=bool)
        return cls(start, np.full(count, end), nothing, nothing, effort, is_held)

    @property
    def next_end(self) -> int | None:
        """The first end of a command (ns); None: no actuator is commanded."""
        ends = self.end[~self.is_held]
        return int(ends.min()) if len(ends) else None

    def replaced(self, columns: Any, newer: JointTargets) -> JointTargets:
        """Return these targets, for some actuators (mask or indices) those of another."""
        parts: list[Any] = [part.copy() for part in self]
        for part, values in zip(parts, newer, strict=True):
            part[columns] = values[columns]
        return JointTargets(*parts)

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
    start: int,
    end: int,
    interfaces: Mapping[str, frozenset[str]],
) -> JointTargets:
    """Return checked targets; actuators without any value are held, at no position yet.

    The hardware interfaces of ros2_control send a value for those joints that declare the command
    interface, and also name mimic and passive joints, whose values are ignored: other joints move
    them.

    Parameters
    ----------
    model : Model
        The robot alone.
    names : sequence of str
        Of k actuators; of mimic and passive joints; of other joints without a value.
    parts : tuple of (k,), (0,) or shorter array_like
        Position, velocity and effort; NaN: not commanded. A shorter array has the values of the
        joints that declare its interface, in their order.
    start, end : int
        Of the command (ns).
    interfaces : mapping of str to frozenset of str
        Declared command interfaces, by the names of the joints.

    Raises
    ------
    InputError
        If there is no name, a name repeats, values are infinite or their number is wrong, or a
        velocity exceeds the rated one 1000 times.
    UnknownNameError
        If the robot has no actuator of a name.
    """
    known = model.actuator_names
    if not names:
        raise InputError("joint_commands: expected at least one actuator, got no name")
    distinct = tuple(DistinctNames(names))
    values = np.array(
        [
            _in_order(kind, given, distinct, interfaces)
            for kind, given in zip(KINDS, parts, strict=True)
        ]
    )
    targets = np.full((len(KINDS), len(known)), np.nan)
    joints = {joint.name for joint in model.tree.joints}
    followers = {joint.name for joint in model.tree.joints if joint.mimic is not None}
    followers.update(model.mechanisms.passive_joints)
    for name, column in zip(distinct, values.T, strict=True):
        if name in known:
            targets[:, known.index(name)] = column
        elif name not in followers and (name not in joints or not np.isnan(column).all()):
            raise UnknownNameError(f"joint_commands: actuator '{name}' is unknown"
                                   f"{choices(name, known)}")  # fmt: skip
    position, velocity, effort = targets
    _require_possible(model, position, velocity)
    commanded = JointTargets.of_efforts(np.nan_to_num(effort), end)
    return commanded._replace(
        start=np.full(len(known), start),
        position=position,
        velocity=velocity,
        is_held=np.isnan(targets).all(axis=0),
    )


def _require_possible(model: Model, position: Floats, velocity: Floats) -> None:
    """Refuse values (a,) with which numbers of a step can overflow."""
    limits = model.actuator_limits()
    rated = np.array([limit.velocity for limit in limits])
    bounded = (np.isfinite(rated) & (rated > 0.0)).tolist()
    is_ranged = np.isfinite([(limit.lower, limit.upper) for limit in limits]).all(axis=1)
    most = {
        "velocity": np.where(bounded, MOST_VELOCITY * rated, MOST_WITHOUT_LIMIT),
        "position": np.where(is_ranged, math.inf, MOST_WITHOUT_LIMIT),
    }
    for kind, values in (("position", position), ("velocity", velocity)):
        for k in np.flatnonzero(np.abs(values) > most[kind])[:1]:
            reason = (
                f"{MOST_VELOCITY:g} times the rated one"
                if kind == "velocity" and bounded[k]
                else "as there is no limit in the URDF"
            )
            raise InputError(
                f"joint_commands: expected a {kind} of '{model.actuator_names[k]}' of at most "
                f"{most[kind][k]:g}, {reason}, got {values[k]:g}"
            )


def _in_order(
    kind: str,
    given: npt.ArrayLike,
    names: Sequence[str],
    interfaces: Mapping[str, frozenset[str]],
) -> Floats:
    """Return the values (k,) of all names, NaN without a value."""
    numbers, values = np.asarray(given, dtype=np.float64), np.full(len(names), np.nan)
    declared = [k for k, name in enumerate(names) if kind in interfaces.get(name, ())]
    if np.isinf(numbers).any():
        raise InputError(f"joint_commands: expected a finite {kind} or NaN, got {numbers.tolist()}")
    if numbers.shape == (len(names),):
        return numbers
    if numbers.shape == (len(declared),):
        values[declared] = numbers
    elif numbers.shape != (0,):
        raise InputError(
            f"joint_commands: expected {len(names)} values of {kind} or none, got {numbers.size}; "
            f"the section <ros2_control> of the URDF declares {len(declared)} of these names with "
            "that command interface"
        )
    return values
