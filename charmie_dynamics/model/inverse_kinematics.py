# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inverse kinematics: positions of the actuators that bring a frame to a pose.

Levenberg-Marquardt steps on the errors e of the pose: the vector from a point to its target, and
the rotation vector from the frame to its target, or the smallest one from an axis to its direction.
The damping is proportional to the error (Fan and Yuan, 2005), so that the search converges
quadratically at redundant and singular positions:

    (J^T J + mu |e| I) d = J^T e,   lower <= u + d <= upper

Actuators that the step would move beyond a limit are held there, and the step of the others is
solved again (active set). Columns are scaled by those at the start, so that lengths of linear
actuators and angles count by the motion that they cause. A search that stalls is repeated from
random positions within the limits. Rows of arrays are independent of each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    LoopError,
    OutOfReachError,
    UnknownNameError,
    choices,
)
from charmie_dynamics.numerics.vectors import Floats, Ints

from .assembly import assemble
from .equations.constraints import loop_constraints, reduction
from .equations.jacobians import AXES, ORIGIN, Point, checked_point, jacobian
from .flat.actuators import actuator_limits, limits_within_reach
from .flat.checks import in_rows, require_finite, unit_vector
from .flat.positions import rest_position
from .flat.prepared_robot import PreparedRobot
from .inverse_dynamics import kinematics

MOST_STEPS = 100  # of one search
PATIENCE = 6  # steps in which the error must halve, else the search ends
LONGEST_STEP = 1.0  # motion of the frame by one actuator in a step (m or rad)
DAMPING = 0.1  # at the start of a search
LEAST_DAMPING = 1e-6
RISE = 4.0  # of the squared error in one of the first steps, to pass ridges
RISING_STEPS = 10
PASSES = 4  # solutions of a step with more and more actuators at their limits
ROUND_OFF = 1e-12  # damping relative to J^T J, so that redundant robots have a solution
ORTHONORMAL = 1e-6  # largest error of a target rotation
MOVES_NOTHING = 1e-9  # m or rad: an actuator with less effect on the frame
WINDOW = math.pi  # random positions of wider ranges are at most this far from the start (rad or m)
JUMP = 0.2  # of a coordinate between two assemblies (m or rad): loops may change their branch
HALF_TURN = 1e-8  # sine of an angle near pi whose axis is not known; any leads away from it
YZX, ZXY = [1, 2, 0], [2, 0, 1]
SHORTEST_PART = 2.0**-5  # of a motion between two assemblies


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """Positions with which a frame is at its targets.

    Attributes
    ----------
    position : (..., p) array
        Not a number where the target was not reached.
    reached : (...) array of bool
        Whether both errors are within the tolerance.
    position_error, rotation_error : (...) array
        Distance (m) and angle (rad) from the target; of the best search where it was not reached.
    iterations : (...) array of int
        Steps of all searches.
    """

    position: Floats
    reached: npt.NDArray[np.bool_]
    position_error: Floats
    rotation_error: Floats
    iterations: Ints


@dataclass(frozen=True, eq=False)
class Targets:
    """N targets of a frame, and the actuators that may move it.

    Attributes
    ----------
    robot : PreparedRobot
    frame : str
    point : (3,) array
    axes : (3, m) array
        Unit vectors in the frame: three for rotations, one for directions, or none.
    entries, coordinates : (k,) array of int
        Of the actuators among positions and among velocities.
    limits : (2, k) array
    workers : int or None
    position : (N, 3) array
    directions : (N, 3, m) array
        Targets of the axes.
    scale : (N, k) array
        Motion of the frame by each actuator at the start.
    """

    robot: PreparedRobot
    frame: str
    point: Floats
    axes: Floats
    entries: Ints
    coordinates: Ints
    limits: Floats
    workers: int | None
    position: Floats
    directions: Floats
    scale: Floats

    def of(self, rows: Ints) -> Targets:
        """Return some of the targets."""
        names = "position", "directions", "scale"
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def poses(self, positions: Floats) -> tuple[Floats, Floats]:
        """Return poses (N, 3), (N, 3, 3) of the frame, not numbers where the robot has none."""
        layout = self.robot.layout
        row = layout.row_of_frame(self.frame)
        places = (layout.index(name)[row].ravel() for name in ("p_world_frame", "R_world_frame"))
        # one state is much faster than an array of one, and equal bit for bit
        given = positions[0] if len(positions) == 1 else positions
        try:
            state = kinematics(self.robot, (given, None, None), self.workers)
        except CharmieError:
            if len(positions) == 1:
                return np.full((1, 3), np.nan), np.full((1, 3, 3), np.nan)
            p, R = zip(*(self.poses(position[None]) for position in positions), strict=True)
            return np.concatenate(p), np.concatenate(R)
        found = state.columns(np.concatenate(list(places))).reshape(-1, 12)
        return found[:, :3], found[:, 3:].reshape(-1, 3, 3)

    def errors(self, p: Floats, R: Floats) -> Floats:
        """Return the errors (N, 6): vectors from the point to its target, and rotation vectors."""
        axes, goals = np.matmul(R, self.axes), self.directions
        is_rotation = axes.shape[2] == 3
        part = 0.5 if is_rotation else 1.0
        sine = part * (axes[:, YZX] * goals[:, ZXY] - axes[:, ZXY] * goals[:, YZX]).sum(axis=2)
        cosine = part * ((axes * goals).sum(axis=(1, 2)) - is_rotation)
        length = np.sqrt(_squares(sine))
        angle = np.arctan2(length, cosine)
        turns = (angle / np.where(length > 0.0, length, 1.0))[:, None] * sine
        turns[(length < HALF_TURN) & (cosine < 0.0)] = math.pi, 0.0, 0.0
        apart = self.position - p - np.matmul(R, self.point[:, None])[..., 0]
        return np.concatenate((apart, turns), axis=1)

    def bound(self, J: Floats, R: Floats) -> Floats:
        """Return Jacobians (N, 6, k) without the rotations that the targets leave free."""
        axes = np.matmul(R, self.axes)
        count = axes.shape[2]
        seen = count * np.eye(3) - np.matmul(axes, axes.swapaxes(1, 2).copy())
        turns = np.matmul(0.5 * seen if count == 3 else seen, J[:, 3:])
        return np.concatenate((J[:, :3], turns), axis=1)

    def jacobians(self, positions: Floats) -> Floats:
        """Return the Jacobians (N, 6, k) of the point by the actuators, with closed loops."""
        given = positions[0] if len(positions) == 1 else positions
        J = jacobian(self.robot, given, self.frame, tuple(self.point.tolist()), self.workers)
        J = J.reshape(-1, *J.shape[-2:])
        if self.robot.flat.sizes.r:
            rows = zip(positions, J, strict=True)
            J = np.array([self._with_loops(*row) for row in rows]).reshape(J.shape)
        return J[:, :, self.coordinates]

    def _with_loops(self, position: Floats, J: Floats) -> Floats:
        rest = np.zeros(J.shape[1])
        motion = position, rest, rest
        by_independent = np.zeros_like(J)
        try:
            found = reduction(self.robot.flat, motion, loop_constraints(self.robot, motion))
        except LoopError:
            return by_independent  # the search ends at a singular position of the loops
        by_independent[:, found.index] = J @ found.ratio
        return by_independent

    def moved(self, positions: Floats, actuators: Floats) -> Floats:
        """Return positions (N, p) with others (N, k) of the actuators.

        Loops follow on their branch, as far as they can be closed.
        """
        moved = positions.copy()
        moved[:, self.entries] = actuators
        if self.robot.flat.sizes.r:
            rows = zip(positions, moved, strict=True)
            moved = np.array([_followed(self.robot, *row) for row in rows]).reshape(moved.shape)
        return moved


def _followed(robot: PreparedRobot, position: Floats, target: Floats) -> Floats:
    """Return a position nearer to another one, whose unchanged coordinates stay."""
    unchanged = np.flatnonzero(position == target)
    part = 1.0
    while part >= SHORTEST_PART:
        trial = target.copy() if part == 1.0 else position + part * (target - position)
        trial[unchanged] = position[unchanged]
        try:
            closed = assemble(robot, (trial, None, None)).position
        except CharmieError:
            closed = np.full(len(trial), np.inf)
        if abs(closed - position).max() > JUMP:
            part *= 0.5
            continue
        position = closed
        if part == 1.0:
            break
        part = min(1.0, 2.0 * part)
    return position


def inverse_kinematics(
    robot: PreparedRobot,
    frame: str,
    position: npt.ArrayLike,
    rotation: npt.ArrayLike | None = None,
    *,
    direction: npt.ArrayLike | None = None,
    axis: Point = (0.0, 0.0, 1.0),
    point: Point = ORIGIN,
    start: npt.ArrayLike | None = None,
    actuators: Sequence[str] | None = None,
    restarts: int = 100,
    seed: int = 0,
    tolerance: float = 1e-9,
    partial: bool = False,
    workers: int | None = None,
) -> InverseKinematics:
    """Return positions that bring a frame to poses; see `Model.inverse_kinematics`."""
    robot.layout.row_of_frame(frame)
    if not (tolerance > 0.0 and restarts >= 0):
        raise InputError(
            f"inverse kinematics: expected tolerance > 0 and restarts >= 0, got {tolerance} and "
            f"{restarts}"
        )
    if rotation is not None and direction is not None:
        raise InputError("inverse kinematics: expected a rotation or a direction, got both")
    given = position, rotation, direction, rest_position(robot) if start is None else start
    (goal, R, along, starts), leading = _rows(robot, given)
    axes, directions = unit_vector("axis", axis)[:, None], along
    if along is None:
        axes, directions = np.zeros((3, 0)), np.zeros((len(goal), 3, 0))
    if R is not None:
        axes, directions = np.eye(3), R
    movable = _movable(robot, actuators)
    _require_within_limits(robot, starts)
    starts = starts.reshape(*leading, starts.shape[1])
    if robot.flat.sizes.r:
        starts = assemble(robot, (starts, None, None)).position
    kinematics(robot, (starts, None, None))
    starts = starts.reshape(len(goal), starts.shape[-1])
    at = np.array(checked_point(point))
    scale = np.ones((len(goal), len(movable[0])))
    targets = Targets(robot, frame, at, axes, *movable, workers, goal, directions, scale)
    targets = replace(targets, scale=np.sqrt((targets.jacobians(starts) ** 2).sum(axis=1)))
    if not (targets.scale > MOVES_NOTHING).any(axis=1).all():
        names = ", ".join(robot.flat.actuator_names if actuators is None else actuators)
        raise InputError(
            f"actuators: expected some that move frame '{frame}', got {names or 'none'}"
        )
    samples = np.random.default_rng(seed).random((restarts, scale.shape[1]))
    found = _search_all(targets, starts, samples, tolerance)
    failed = np.flatnonzero(~found.reached)
    if failed.size and not partial:
        n = int(failed[0])
        sample = f"sample {n}: " if leading else ""
        raise OutOfReachError(
            frame,
            f"{sample}frame '{frame}': no position within the limits was found for the target at "
            f"({', '.join(f'{x:.6g}' for x in goal[n])}) m; the best of {restarts + 1} searches is "
            f"{found.position_error[n]:.3g} m and {found.rotation_error[n]:.3g} rad away",
        )
    found.position[failed] = np.nan
    arrays = vars(found).items()
    return InverseKinematics(**{k: each.reshape((*leading, *each.shape[1:])) for k, each in arrays})


def _search_all(
    targets: Targets, starts: Floats, samples: Floats, tolerance: float
) -> InverseKinematics:
    """Search from the starts, and where that fails from random positions."""
    best, iterations = starts.copy(), np.zeros(len(starts), dtype=np.int64)
    errors = np.full((len(starts), 6), np.inf)
    for attempt in range(len(samples) + 1):
        rows = np.flatnonzero(_largest(errors) > tolerance)
        if not rows.size:
            break
        own, first = targets.of(rows), starts[rows]
        if attempt:
            u, (lower, upper) = first[:, own.entries], own.limits
            low = np.maximum(lower, np.minimum(u - WINDOW, upper - 2.0 * WINDOW))
            high = np.minimum(upper, low + 2.0 * WINDOW)
            drawn = low + (high - low) * samples[attempt - 1]
            first = own.moved(first, np.where(own.scale > MOVES_NOTHING, drawn, u))
        position, found, steps = _search(own, first, tolerance)
        iterations[rows] += steps
        better = _squares(found) < _squares(errors[rows])
        best[rows[better]], errors[rows[better]] = position[better], found[better]
    apart, angle = np.sqrt(_squares(errors[:, :3])), np.sqrt(_squares(errors[:, 3:]))
    return InverseKinematics(best, _largest(errors) <= tolerance, apart, angle, iterations)


def _search(targets: Targets, position: Floats, tolerance: float) -> tuple[Floats, Floats, Ints]:
    """Return positions (N, p) near the first ones, their errors, and numbers of steps."""
    position = position.copy()
    p, R = targets.poses(position)
    R, errors = R.copy(), targets.errors(p, R)
    cost = _squares(errors)
    damping, steps = np.full(len(cost), DAMPING), np.zeros(len(cost), dtype=np.int64)
    earlier = cost.copy()
    best = position.copy(), errors.copy(), cost.copy()
    active = _largest(errors) > tolerance  # not if the position has no pose
    for step in range(1, MOST_STEPS + 1):
        rows = np.flatnonzero(active)
        if not rows.size:
            break
        own, x = targets.of(rows), position[rows]
        trial = own.moved(x, _step(own, x, R[rows], errors[rows], damping[rows]))
        p, trial_R = own.poses(trial)
        trial_errors = own.errors(p, trial_R)
        trial_cost = _squares(trial_errors)
        rise = RISE if step <= RISING_STEPS else 1.0
        better = trial_cost < rise * cost[rows]  # not if the trial has no pose
        to = rows[better]
        position[to], R[to], errors[to] = trial[better], trial_R[better], trial_errors[better]
        cost[to] = trial_cost[better]
        lowest = to[cost[to] < best[2][to]]
        for kept, found in zip(best, (position, errors, cost), strict=True):
            kept[lowest] = found[lowest]
        damping[rows] = np.maximum(damping[rows] * np.where(better, 0.25, 4.0), LEAST_DAMPING)
        steps[rows] += 1
        active[rows] = _largest(errors[rows]) > tolerance
        if step % PATIENCE == 0:
            active &= cost < 0.25 * earlier
            earlier = cost.copy()
    return best[0], best[1], steps


def _step(targets: Targets, x: Floats, R: Floats, errors: Floats, damping: Floats) -> Floats:
    """Return the positions of the actuators (N, k) after a step."""
    u, J = x[:, targets.entries], targets.jacobians(x)
    scale = np.where(targets.scale > MOVES_NOTHING, targets.scale, np.inf)
    J = targets.bound(J, R) / scale[:, None]
    size = np.maximum((J * J).sum(axis=(1, 2)), 1.0)
    added = damping * np.sqrt(_squares(errors)) + ROUND_OFF * size
    added = added[:, None, None] * np.eye(u.shape[1])
    low, high = (np.where(scale < np.inf, scale, 1.0) * (end - u) for end in targets.limits)
    d, free = np.zeros(u.shape), np.ones(u.shape, dtype=bool)
    for _ in range(PASSES):
        rest = errors[:, :, None] - np.matmul(J, np.where(free, 0.0, d)[:, :, None])
        transposed = np.where(free[:, None], J, 0.0).swapaxes(1, 2).copy()
        H = np.matmul(transposed, transposed.swapaxes(1, 2).copy()) + added
        d = np.where(free, np.linalg.solve(H, np.matmul(transposed, rest))[..., 0], d)
        outside = free & ((d < low) | (d > high))
        if not outside.any():
            break
        d = np.clip(d, low, high)
        free &= ~outside
    longest = np.maximum(abs(d).max(axis=1), LONGEST_STEP)
    d *= (LONGEST_STEP / longest)[:, None]
    clipped: Floats = np.clip(u + d / scale, *targets.limits)
    return clipped


def _squares(vectors: Floats) -> Floats:
    squares: Floats = (vectors * vectors).sum(axis=1)
    return squares


def _largest(errors: Floats) -> Floats:
    """Return the larger of the errors of position and rotation (N,)."""
    largest: Floats = np.sqrt(np.maximum(_squares(errors[:, :3]), _squares(errors[:, 3:])))
    return largest


def _rows(
    robot: PreparedRobot, given: Sequence[npt.ArrayLike | None]
) -> tuple[list[Any], tuple[int, ...]]:
    """Return positions, rotations, directions and starts in N rows, and their leading axes."""
    position, rotation, direction, start = given
    if rotation is not None:
        rotation = np.asarray(rotation, dtype=np.float64)
        if rotation.shape[-2:] != (3, 3):
            raise InputError(f"rotation: expected shape (..., 3, 3), got {rotation.shape}")
        rotation = rotation.reshape(*rotation.shape[:-2], 9)
    subjects = "position", "rotation", "direction", "start"
    names = AXES, [a + b for a in AXES for b in AXES], AXES, robot.flat.position_names
    rows: list[Any]
    rows, leading = in_rows(subjects, (position, rotation, direction, start), names)
    for subject, array, own in zip(subjects, rows, names, strict=True):
        if array is not None:
            require_finite(subject, array if leading else array[0], own)
    if rows[1] is not None:
        R = rows[1].reshape(-1, 3, 3)
        off = abs(np.matmul(R, R.swapaxes(1, 2)) - np.eye(3)).max(axis=(1, 2))
        wrong = np.flatnonzero((off > ORTHONORMAL) | (np.linalg.det(R) < 0.0))
        if wrong.size:
            raise InputError(f"rotation: expected rotation matrices, got {R[wrong[0]].tolist()}")
        U, _, V = np.linalg.svd(R)
        rows[1] = np.matmul(U, V)
    if rows[2] is not None:
        units = [unit_vector("direction", each) for each in rows[2]]
        rows[2] = np.reshape(units, (-1, 3, 1))
    return rows, leading


def _movable(robot: PreparedRobot, actuators: Sequence[str] | None) -> tuple[Ints, Ints, Floats]:
    """Return entries (k,), coordinates (k,) and limits (2, k) of some actuators, or of all."""
    flat = robot.flat
    names = flat.actuator_names
    for name in actuators or ():
        if name not in names:
            raise UnknownNameError(f"actuator '{name}' is unknown{choices(name, names)}")
    ends = limits_within_reach(robot)
    chosen = [k for k, name in enumerate(names) if actuators is None or name in actuators]
    coordinates = flat.actuator_index[chosen]
    return flat.freedoms.position_entry[coordinates], coordinates, ends[chosen].T


def _require_within_limits(robot: PreparedRobot, starts: Floats) -> None:
    entries = robot.flat.freedoms.position_entry[robot.flat.actuator_index]
    named = zip(robot.flat.actuator_names, entries, actuator_limits(robot), strict=True)
    for name, entry, limit in named:
        values = starts[:, entry]
        outside = values[(values < limit.lower) | (values > limit.upper)]
        if outside.size:
            raise InputError(
                f"start: expected '{name}' within {limit.lower:.6g} to {limit.upper:.6g}, got "
                f"{outside[0]:.6g}"
            )
