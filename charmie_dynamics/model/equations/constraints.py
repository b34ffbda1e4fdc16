# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Constraints of the loop joints of a robot at one state, and what they leave free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from charmie_dynamics.core import arrays
from charmie_dynamics.core.forward.closure_steps import MOVES_NOTHING
from charmie_dynamics.core.forward.loop_constraints import BY_ERROR, CLOSED, DEPENDENT, STILL
from charmie_dynamics.core.forward.loop_records import Constraints
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.errors import CharmieError, UnsupportedError
from charmie_dynamics.model.flat.checks import refusal
from charmie_dynamics.model.flat.flat_robot import FlatRobot
from charmie_dynamics.model.flat.loop_cycles import ConstraintArrays, Motion, constraints_at
from charmie_dynamics.model.flat.loop_refusals import refusal_of_loop
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot
from charmie_dynamics.numerics.vectors import Floats, Ints

SECOND_ORDER = 1e-4  # relative accelerations of ends of loop joints: less is round-off
UNDETERMINED = 1e-6  # of a vector of length 1: a force that has no more of it is determined


@dataclass(frozen=True, eq=False)
class LoopConstraints:
    """The constraints of all loop joints at one state, in the coordinates of the actuators.

    A row each: D v is the rate of its error, and D a + D' v that of the rate.

    Attributes
    ----------
    rows : tuple of str
        The loop joint of each row.
    error : (r,) array
        Violation of each constraint: m, or rad (a component of a rotation vector).
    jacobian, jacobian_rate : (r, v) array
        D and its time derivative.
    size : (r,) array
        The largest that an element of D can be in a row, by the levers of the joints.
    rank : int
        How many rows are independent.
    motions : (v, m) array
        An orthonormal basis of the velocities that keep the loops closed; m is the mobility.
    undetermined : tuple of str
        Loop joints whose forces equilibrium leaves open, since rows depend on each other. Of the
        possible forces the smallest in least squares are returned.
    idle : tuple of str
        Passive coordinates that take part in idle motions: internal freedoms that move none of the
        bodies of loop joints along its constraints, as the spin of a rod between two ball joints.
    idle_motions : (v, i) array
        An orthonormal basis of the velocities of idle motions, among ``motions``.
    conditioning : float
        The smallest singular value of the columns of passive coordinates over the largest, idle
        motions apart: 0 in a singular position, where driven coordinates do not determine the
        passive ones; 1 at best, and without passive coordinates. Rows are relative to ``size``.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.description.files import share_file
    >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
    >>> model = load_model(*files)
    >>> constraints = model.constraints(model.zero_position())
    >>> bool(abs(constraints.jacobian @ constraints.motions).max() < 1e-14)
    True
    """

    rows: tuple[str, ...]
    error: Floats
    jacobian: Floats
    jacobian_rate: Floats
    size: Floats
    rank: int
    motions: Floats
    undetermined: tuple[str, ...]
    idle: tuple[str, ...]
    idle_motions: Floats
    conditioning: float

    @property
    def mobility(self) -> int:
        """Number of independent motions that the loops leave."""
        return int(self.motions.shape[1])


def loop_constraints(robot: PreparedRobot, motion: Motion) -> LoopConstraints:
    """Return the constraints at a state; see `Model.constraints`."""
    flat = robot.flat
    found = constraints_at(flat, motion)
    if isinstance(found, int):
        raise refusal(robot, found, motion)
    given = found.constraints
    idle_motions = _idle_motions(flat, motion, found)
    D, rate = given.jacobian.copy(), given.jacobian_rate.copy()
    if flat.sizes.a:
        # q' = g L': of all joints at once, as each has its own actuator
        ones = np.ones(len(motion[1]))
        unit = constraints_at(flat, (motion[0], ones, np.zeros_like(ones)))
        still = constraints_at(flat, (motion[0], motion[1], np.zeros_like(ones)))
        ratio, changing = (unit.velocity, still.acceleration)  # type: ignore[union-attr]
        moving = motion[1] != 0.0
        ratio_rate = np.where(moving, changing / np.where(moving, motion[1], 1.0), 0.0)
        rate = rate * ratio + D * ratio_rate
        D = D * ratio
    size, error = given.size.copy(), given.error.copy()
    scaled = D / size[:, None]
    tolerance = _dependence(error, size)
    U, values, V = np.linalg.svd(scaled)
    rank = int((values > tolerance).sum())
    open_forces = abs(U[:, rank:]).max(axis=1, initial=0.0) > UNDETERMINED
    joints = flat.mechanism_names["loop_joints"]
    moving = np.flatnonzero(abs(idle_motions).max(axis=1, initial=0.0) > UNDETERMINED)
    rows = tuple(joints[k] for k in flat.mechanisms.by_type.loop_joints.row_joint)
    conditioning, _ = conditioning_of(passive_columns(flat, given), idle_motions.shape[1])
    return LoopConstraints(
        rows=rows,
        error=error,
        jacobian=D,
        jacobian_rate=rate,
        size=size,
        rank=rank,
        motions=V[rank:].T.copy(),
        undetermined=tuple(
            dict.fromkeys(row for row, is_open in zip(rows, open_forces, strict=True) if is_open)
        ),
        idle=tuple(flat.velocity_names[c] for c in moving),
        idle_motions=idle_motions,
        conditioning=conditioning,
    )


def passive_columns(flat: FlatRobot, constraints: Constraints) -> Floats:
    """Return the columns (r, k) of passive coordinates of D, in rows relative to their sizes."""
    own = np.flatnonzero(flat.mechanisms.by_type.loop_joints.is_passive)
    columns: Floats = constraints.jacobian[:, own] / constraints.size[:, None]
    return columns


def conditioning_of(columns: Floats, idle: int) -> tuple[float, int]:
    """Return the conditioning (`LoopConstraints`) and the coordinate that is nearest to be free.

    Parameters
    ----------
    columns : (r, k) array
        As of `passive_columns`.
    idle : int
        Number of idle motions.
    """
    count = columns.shape[1] - idle
    if count <= 0:
        return 1.0, -1
    _, values, V = np.linalg.svd(columns)
    least = float(values[count - 1]) if count <= len(values) else 0.0
    return (least / float(values[0]) if least else 0.0), int(np.argmax(abs(V[count - 1])))


def _dependence(error: Floats, size: Floats) -> float:
    """Return the singular value of the scaled Jacobian below which rows depend on each other.

    Rows of loops that count as closed are dependent only as exactly as these are closed. The rank
    of open loops is the rank at their position.
    """
    largest = float(abs(error / size).max(initial=0.0))
    return max(DEPENDENT, BY_ERROR * largest) if largest <= CLOSED else DEPENDENT


def _idle_motions(flat: FlatRobot, motion: Motion, found: ConstraintArrays) -> Floats:
    """Return a basis (v, i) of what passive joints can do without moving the ends of loop joints.

    See `core.forward.idle_motions`. In singular positions, as dead centres, such velocities exist,
    but they would move the ends by their accelerations: there are no idle motions then.
    """
    own = np.flatnonzero(flat.mechanisms.by_type.loop_joints.is_passive)
    tolerance = max(MOVES_NOTHING, _dependence(found.constraints.error, found.constraints.size))
    values = np.linalg.svd(passive_columns(flat, found.constraints), compute_uv=False)
    if (values > tolerance).sum() == len(own):  # all are determined
        return np.zeros((found.constraints.jacobian.shape[1], 0))
    ends, _ = _motion_of_ends(flat, found)
    U, values, V = np.linalg.svd(ends[:, own])
    basis = np.zeros((ends.shape[1], len(own)))
    basis[own] = V.T
    rank = int((values > tolerance).sum())
    idle: Floats = basis[:, rank:]
    unreached = U[:, rank:]
    for i in range(idle.shape[1]):
        for j in range(i + 1):
            velocity = idle[:, i] + (idle[:, j] if j < i else 0.0)
            moving = constraints_at(flat, (motion[0], velocity, np.zeros_like(velocity)))
            _, rate = _motion_of_ends(flat, cast("ConstraintArrays", moving))
            if abs(unreached.T @ rate @ velocity).max(initial=0.0) > SECOND_ORDER:
                return idle[:, :0]
    return idle


def _motion_of_ends(flat: FlatRobot, found: ConstraintArrays) -> tuple[Floats, Floats]:
    """Return the rows (2 r, v) of D and D' of each end of the constraints alone, by their sizes."""
    constraints, spatial = found.constraints, found.spatial
    joints, freedoms = flat.mechanisms.by_type.loop_joints, flat.freedoms
    count, q = constraints.jacobian.shape
    ends, rates = np.zeros((2, count, q)), np.zeros((2, count, q))
    for r, k in enumerate(joints.row_joint):
        common = freedoms.last_freedom[joints.common_body[k]]
        for end, body in enumerate((joints.first_body[k], joints.second_body[k])):
            d = freedoms.last_freedom[body]
            while d != common:
                c, size = freedoms.freedom_coordinate[d], constraints.size[r]
                axis = np.concatenate((spatial.joint_angular[d], spatial.joint_linear[d]))
                turn = np.concatenate((spatial.rate_angular[d], spatial.rate_linear[d]))
                wrench = np.concatenate((constraints.torque[r], constraints.force[r]))
                change = np.concatenate((constraints.torque_rate[r], constraints.force_rate[r]))
                ends[end, r, c] += wrench @ axis / size
                rates[end, r, c] += (change @ axis + wrench @ turn) / size
                d = freedoms.freedom_before[d]
    return ends.reshape(-1, q), rates.reshape(-1, q)


def opening_fault(
    flat: FlatRobot,
    motion: Motion,
    error: Floats,
    rate: Floats,
    size: Floats,
    allowed: tuple[float, float] = (CLOSED, CLOSED),
) -> CharmieError | None:
    """Return the error of loops that are open, or open with their velocities; None: closed.

    Errors and rates up to those in `allowed` count as closed. They are relative to the sizes of the
    constraints, and rates to the fastest coordinate as well, which counts as `STILL` if slower.
    """
    speed = float(abs(motion[1]).max(initial=STILL))
    for kind, errors, largest in (
        (arrays.LOOP_OPEN, error, allowed[0]),
        (arrays.LOOP_OPENS, rate, allowed[1] * speed),
    ):
        opening = abs(errors / size)
        if opening.max(initial=0.0) > largest:
            row = int(np.argmax(opening))
            return refusal_of_loop(flat, kind + STATUSES * row, motion, searched=False)
    return None


@dataclass(frozen=True, eq=False)
class Reduction:
    """How all coordinates move with the independent ones: v = G u, a = G u' + G' u.

    Idle motions are at rest in the sense of least squares.

    Attributes
    ----------
    index : (k,) array of int
        Which of the coordinates are the independent ones: all but the passive joints.
    ratio : (v, k) array
        G.
    drift : (v, v) array
        Its product with velocities v is the part of their accelerations that u' leaves: G' u.
    closing : (v, r) array
        Its product with errors of the constraints is the motion of passive coordinates that removes
        them.
    idle_motions : (v, i) array
        See `LoopConstraints`.
    """

    index: Ints
    ratio: Floats
    drift: Floats
    closing: Floats
    idle_motions: Floats


def reduction(flat: FlatRobot, motion: Motion, constraints: LoopConstraints) -> Reduction:
    """Return the motion of passive joints by that of all others.

    Raises
    ------
    OutOfReachError, InputError
        If the loops are open, or open.
    LoopError
        If the loops leave a passive joint free.
    UnsupportedError
        If there are more actuators than motions.
    """
    D, rate, size = constraints.jacobian, constraints.jacobian_rate, constraints.size
    fault = opening_fault(flat, motion, constraints.error, D @ motion[1], size)
    if fault is not None:
        raise fault
    passive = flat.mechanisms.by_type.loop_joints.is_passive == 1
    index, own = np.flatnonzero(~passive), np.flatnonzero(passive)
    if constraints.mobility < len(index):
        raise UnsupportedError(
            f"equations in the coordinates of the actuators: expected as many motions that the "
            f"loops allow as coordinates that are not passive, got {constraints.mobility} and "
            f"{len(index)}; name joints without actuator in passive_joints. Model.compute and "
            "Model.forward take such robots, Model.constraints has their Jacobian"
        )
    scale = 1.0 / size[:, None]
    by_own = D[:, own] * scale
    _, values, free = np.linalg.svd(by_own)
    tolerance = _dependence(constraints.error, size)
    if (values > tolerance).sum() < len(own) - constraints.idle_motions.shape[1]:
        joint = int(own[np.argmax(abs(free[-1]))])
        status = arrays.PASSIVE_IS_FREE + STATUSES * joint
        raise refusal_of_loop(flat, status, motion, searched=False)
    G = np.zeros((len(passive), len(index)))
    G[index, np.arange(len(index))] = 1.0
    inverse = np.linalg.pinv(by_own, rcond=tolerance / values.max(initial=tolerance))
    closing = np.zeros((len(passive), len(size)))
    closing[own] = -inverse * scale.T
    G[own] = closing[own] @ D[:, index]
    return Reduction(index, G, closing @ rate, closing, constraints.idle_motions)
