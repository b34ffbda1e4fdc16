# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Check of a trajectory before it runs: its efforts, compared with the limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from charmie_dynamics.collision.clearance import ShapeDistances
from charmie_dynamics.collision.paths import PathCollision, first_collision
from charmie_dynamics.core.arrays import Kinematics
from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import require_actuators_alone
from charmie_dynamics.model.stability import Support, stability_of
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats

from .motion import SampledMotion
from .splines import converted_points, joined_points, through_points

STEPS = 10  # checked parts between two points, since the largest values may be between them
MOST_POINTS = 10_001  # 10,000 after the present state
Quantity = Literal["position", "velocity", "effort"]


@dataclass(frozen=True)
class Trajectory:
    """A trajectory of some of the joints or actuators.

    Parameters
    ----------
    names : sequence of str, length m
        Joints, or linear actuators instead of the joints that they move.
    time : (k,) array
        From the start (s), increasing.
    position : (k, m) array
    velocity, acceleration : (k, m) array, optional
        Accelerations are used only together with velocities.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.motions import Trajectory
    >>> time, position = np.array([0.0, 1.0, 2.0]), np.array([[0.0], [0.4], [0.5]])
    >>> Trajectory(["left_arm_joint_2"], time, position).names
    ['left_arm_joint_2']
    """

    names: Sequence[str]
    time: Floats
    position: Floats
    velocity: Floats | None = None
    acceleration: Floats | None = None


@dataclass(frozen=True)
class LimitViolation:
    """The largest violation of a limit of an actuator.

    Attributes
    ----------
    actuator : str
    quantity : {"position", "velocity", "effort"}
    time : float
        When (s).
    value : float
        rad or m, rad/s or m/s, N m or N.
    limit : float
        The exceeded limit.
    """

    actuator: str
    quantity: Quantity
    time: float
    value: float
    limit: float

    def __str__(self) -> str:
        return (
            f"{self.actuator}: {self.quantity} {self.value:.4g} at {self.time:.3g} s exceeds "
            f"{self.limit:.4g}"
        )


@dataclass(frozen=True)
class TipOver:
    """The zero-moment point farthest outside the wheel contacts.

    Attributes
    ----------
    time : float
        When (s).
    margin : float
        Tip-over margin (m), negative, see `model.stability`.
    """

    time: float
    margin: float

    def __str__(self) -> str:
        return (
            f"tips over: the zero-moment point is {-self.margin:.3g} m outside the wheel contacts "
            f"at {self.time:.3g} s"
        )


@dataclass(frozen=True)
class Verdict:
    """Result of the check of a trajectory.

    Attributes
    ----------
    motion : SampledMotion
        Of all actuators at the points (k of them).
    effort : (k, q) array
        At the points (N m or N).
    share : (q,) array
        Largest relative effort at or between the points; 0 without a rated effort.
    excesses : tuple of LimitViolation
        Empty if the robot can follow the trajectory.
    collision : PathCollision or None
        The first one, of the checked pairs of shapes.
    tip_over : TipOver or None
        None also if the wheel contacts are unknown, or the floor would have to pull.
    """

    motion: SampledMotion
    effort: Floats
    share: Floats
    excesses: tuple[LimitViolation, ...]
    collision: PathCollision | None = None
    tip_over: TipOver | None = None

    @property
    def faults(self) -> list[str]:
        """All faults as text; empty if the robot can follow the trajectory."""
        others = (self.collision, self.tip_over)
        return [*map(str, self.excesses), *(str(fault) for fault in others if fault is not None)]


def judge(
    model: Model, trajectory: Trajectory, held: Floats, distances: ShapeDistances | None = None
) -> Verdict:
    """Compute the efforts along a trajectory and check all limits and distances.

    Parameters
    ----------
    model : Model
        With its loads, see `Model.with_loads`.
    trajectory : Trajectory
    held : (q,) array
        Positions of the actuators that the trajectory does not name; they are constant.
    distances : ShapeDistances, optional
        Pairs of shapes that are checked for collisions, see `collision.paths`.

    Raises
    ------
    InputError
        If times do not increase, values are not finite or shapes disagree.
    UnknownNameError
        For an unknown joint or actuator.
    OutOfReachError
        If a linear actuator's loop cannot be closed at a position.
    UnsupportedError
        If a joint has no actuator.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions import Trajectory, judge
    >>> model = load_model()
    >>> time, position = np.array([0.0, 0.4, 0.8]), np.array([[0.42], [0.39], [0.36]])
    >>> trajectory = Trajectory(["torso_actuator"], time, position)
    >>> verdict = judge(model, trajectory, held=model.zero_position())
    >>> for excess in verdict.excesses:
    ...     print(excess.actuator, excess.quantity)
    torso_actuator velocity
    """
    require_actuators_alone(model, "trajectory")
    columns = columns_of(model, trajectory.names)
    motion = _of_actuators(model, trajectory, columns, held)
    # one by one: a batch would be faster, but its compilation at the first use takes longer than a
    # node may block
    rows = zip(*motion[1:], strict=True)
    states = [model.compute(*row) for row in rows]
    effort = np.array([state.actuator_effort for state in states])
    limits = model.actuator_limits()
    low, high, rated, fast = (
        np.array([getattr(limit, name) for limit in limits])
        for name in ("lower", "upper", "effort", "velocity")
    )
    moved = np.isin(np.arange(len(low)), columns)
    excesses: list[LimitViolation] = []

    def find(quantity: Quantity, values: Floats, most: Floats, sign: float) -> None:
        beyond = sign * (values - most)
        for k in np.flatnonzero((beyond > 0.0).any(axis=0)):
            row = int(beyond[:, k].argmax())
            value, limit = float(values[row, k]), float(most[k])
            name = model.actuator_names[k]
            excesses.append(LimitViolation(name, quantity, float(motion.time[row]), value, limit))

    # positions of the other actuators do not belong to the trajectory
    find("position", motion.position, np.where(moved, high, np.inf), 1.0)
    find("position", motion.position, np.where(moved, low, -np.inf), -1.0)
    # 0 denotes an undefined limit
    find("velocity", np.abs(motion.velocity), np.where(fast > 0.0, fast, np.inf), 1.0)
    find("effort", np.abs(effort), np.where(rated > 0.0, rated, np.inf), 1.0)
    share = np.abs(effort).max(axis=0) / np.where(rated > 0.0, rated, np.inf)
    points = slice(None, None, STEPS)
    collision = None
    if distances is not None:
        path = _path(model, trajectory, columns, held)
        bounds = _joint_bounds(motion.time, [state.kinematics for state in states])
        collision = first_collision(distances, path, motion.time[points], *bounds)
    return Verdict(
        SampledMotion(*(part[points] for part in motion)),
        effort[points], share, tuple(excesses), collision, _tip_over(model, motion.time, states),
    )  # fmt: skip


def _tip_over(model: Model, time: Floats, states: Sequence[State]) -> TipOver | None:
    support = Support.of(model)
    if not len(support.polygon):
        return None
    margins = np.array([stability_of(model, support, state).margin for state in states])
    if not (margins < 0.0).any():
        return None
    worst = int(np.nanargmin(margins))
    return TipOver(float(time[worst]), float(margins[worst]))


def _path(
    model: Model, trajectory: Trajectory, columns: Sequence[int], held: Floats
) -> Callable[[float], State]:
    """Return the function from the time (s) to the state."""
    spline = joined_points(*checked_points(trajectory))

    def state_at(time: float) -> State:
        position = np.array(held)
        for name, column, value in zip(
            trajectory.names, columns, spline.at(time).position.tolist(), strict=True
        ):
            if name != model.actuator_names[column]:
                value = model.actuator_from_joint(name, value)[0]
            position[column] = value
        return model.kinematics(position)

    return state_at


def _joint_bounds(time: Floats, samples: Sequence[Kinematics]) -> tuple[Floats, Floats]:
    """Return bounds of the joint rates between the points (k - 1, v), and of the positions (v,).

    A rate is quadratic between two samples, and within the range of its Bernstein coefficients.
    """
    position = np.array([sample.joint_position for sample in samples])
    velocity = np.array([sample.joint_velocity for sample in samples])
    before, after = velocity[:-1], velocity[1:]
    middle = 3.0 * np.diff(position, axis=0) / np.diff(time)[:, None] - before - after
    rates = np.abs([before, middle, after]).max(axis=0)
    return np.maximum.reduceat(rates, range(0, len(rates), STEPS)), np.abs(position).max(axis=0)


def _of_actuators(
    model: Model, trajectory: Trajectory, columns: Sequence[int], held: Floats
) -> SampledMotion:
    """Return the motion of all actuators at and between the points."""
    time, position, velocity, acceleration = checked_points(trajectory)
    motion = through_points(time, position, velocity, acceleration, STEPS)
    count = len(motion.time)
    everything = np.zeros((3, count, len(held)))
    everything[0] = held
    for m, (name, column) in enumerate(zip(trajectory.names, columns, strict=True)):
        values = np.array([part[:, m] for part in motion[1:]])
        if name != model.actuator_names[column]:
            rows = [model.actuator_from_joint(name, *row) for row in values.T.tolist()]
            values = np.array(rows).T
        everything[:, :, column] = values
    return SampledMotion(motion.time, *everything)


def columns_of(model: Model, names: Sequence[str]) -> list[int]:
    """Return the actuators that move joints or actuators of these names.

    Raises
    ------
    UnknownNameError
        For an unknown joint or actuator.
    InputError
        If one occurs twice.
    """
    table = {name: k for k, name in enumerate(model.joint_names)}
    table.update({name: k for k, name in enumerate(model.actuator_names)})
    for name in names:
        if name not in table:
            raise UnknownNameError(
                f"trajectory: '{name}' is no joint or actuator{choices(name, table)}"
            )
    columns = [table[name] for name in names]
    if len(set(columns)) != len(columns):
        raise InputError(
            f"trajectory: expected each joint once, by its own name or by its actuator's, got "
            f"{', '.join(names)}"
        )
    return columns


def checked_points(trajectory: Trajectory) -> tuple[Floats, Floats, Floats | None, Floats | None]:
    """Return times and values of a trajectory as arrays of the right shapes.

    Accelerations without velocities are omitted.

    Raises
    ------
    InputError
        If times do not increase, values are not finite or shapes disagree.
    """
    time, position, velocity, acceleration = converted_points(
        "trajectory",
        trajectory.time,
        trajectory.position,
        trajectory.velocity,
        trajectory.acceleration,
        len(trajectory.names),
        MOST_POINTS,
    )
    return time, position, velocity, None if velocity is None else acceleration
