# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of the efforts of robots with loop joints, by their independent coordinates.

With the motion v = G u, a = G u' + G' u of all coordinates by the independent ones (`reduction`)
the efforts of these are G^T tau(q, v, a), where tau is that of the open tree. Along a change dx,

    d(G^T tau) = G^T (dtau/dq dq + dtau/dv dv + M da) + dG^T tau

A change of the independent positions changes all positions by dq = G dx. Velocities and
accelerations of passive coordinates follow from the constraints, D v = 0 and D a + D' v = 0, whose
derivatives are those of duals (`core.forward.constraint_derivatives`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.loop_derivatives import (
    DIRECTIONS,
    JOINT_ACCELERATION,
    JOINT_VELOCITY,
    RATIO,
    WIDTH,
    run_loop_derivatives,
)
from charmie_dynamics.core.equations.records import DerivativeTerms, LoopRoom
from charmie_dynamics.core.forward.constraint_derivatives import run_constraint_derivatives
from charmie_dynamics.core.forward.loop_records import ConstraintState
from charmie_dynamics.errors import InputError
from charmie_dynamics.model.flat.checks import refusal
from charmie_dynamics.model.flat.loop_cycles import Motion
from charmie_dynamics.model.flat.positions import position_rate
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot
from charmie_dynamics.numerics.addresses import address_of_block
from charmie_dynamics.numerics.blocks import float_count, places_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .constraints import Reduction
from .evaluation import duals_of, inputs_of_block
from .reduction import without_idle_effort
from .results import Derivatives

REMAINING = 1e-6  # relative error of loops that count as closed


class ConstraintChanges(NamedTuple):
    """Derivatives of the constraints along k directions, in the coordinates of the actuators.

    Attributes
    ----------
    error : (r, k) array
    rate : (r, k) array
        Of D v.
    acceleration : (r, k) array
        Of D a + D' v.
    jacobian : (k, r, v) array
        Of D.
    """

    error: Floats
    rate: Floats
    acceleration: Floats
    jacobian: Floats


class Directions(NamedTuple):
    """How positions (as velocities), velocities and the robot's numbers change, (., k) each."""

    position: Floats
    velocity: Floats
    numbers: Floats | None = None


def constraint_changes(
    robot: PreparedRobot, motion: Motion, along: Directions
) -> ConstraintChanges:
    """Return how the constraints change at a state.

    Parameters
    ----------
    robot : PreparedRobot
    motion : Motion
    along : Directions
    """
    flat, count = robot.flat, along.position.shape[1]
    sizes = flat.sizes
    q = sizes.q
    _, places, _, size = places_of(ConstraintState, sizes)
    duals = duals_of(flat).reshape(-1, WIDTH)
    workspace = np.zeros((float_count(LoopRoom, sizes), WIDTH))
    own = inputs_of_block(flat, *motion)
    # of the joints, and of the constraints
    joints, state = np.empty((5 * q, WIDTH)), np.empty((size, WIDTH))
    of_joints, found = np.empty((count, 5, q)), np.empty((count, size))
    addresses = flat.blocks.addresses[0], address_of_block(duals)
    for first in range(0, count, DIRECTIONS):
        here = slice(first, min(first + DIRECTIONS, count))
        chosen = slice(1, 1 + here.stop - first)
        workspace[: len(own)] = 0.0
        workspace[: len(own), 0] = own
        for k in range(here.start, here.stop):
            rate = position_rate(robot, motion[0], along.position[:, k])
            seeds = inputs_of_block(flat, rate, along.velocity[:, k], np.zeros(q))
            workspace[: len(own), 1 + k - first] = seeds
        if along.numbers is not None:
            duals[:, chosen] = along.numbers[:, here]
        status = ready(run_loop_derivatives)(*addresses, workspace.ravel(), joints.ravel())
        if status != REACHED:
            raise refusal(robot, status, motion)
        ready(run_constraint_derivatives)(*addresses, workspace.ravel(), state.ravel())
        of_joints[here] = joints[:, chosen].T.reshape(-1, 5, q)
        found[here] = state[:, chosen].T
    values = joints[:, 0].reshape(5, q)

    def part(name: str) -> tuple[Floats, Floats]:
        begin, shape = places[name]
        end = begin + math.prod(shape)
        return state[begin:end, 0].reshape(shape), found[:, begin:end].reshape(count, *shape)

    v, dv = values[JOINT_VELOCITY], of_joints[:, JOINT_VELOCITY]
    a, da = values[JOINT_ACCELERATION], of_joints[:, JOINT_ACCELERATION]
    ratio, d_ratio = values[RATIO], of_joints[:, RATIO]
    _, error = part("constraints.error")
    (D, dD), (R, dR) = part("constraints.jacobian"), part("constraints.jacobian_rate")
    return ConstraintChanges(
        error.T,
        (dD @ v + dv @ D.T).T,
        (dD @ a + da @ D.T + dR @ v + dv @ R.T).T,
        dD * ratio + D * d_ratio[:, None, :],
    )


class LoopDerivatives:
    """Derivatives of the efforts of the independent coordinates at a state.

    Parameters
    ----------
    robot : PreparedRobot
    motion : Motion
        That satisfies the constraints.
    found : Reduction
    tree : Derivatives
        Of the open tree.
    effort : (v,) array
        Of the open tree.
    """

    def __init__(
        self,
        robot: PreparedRobot,
        motion: Motion,
        found: Reduction,
        tree: Derivatives,
        effort: Floats,
    ) -> None:
        self._robot, self._motion, self._found, self._tree = robot, motion, found, tree
        # idle motions keep position and velocity, and accelerate without effort
        self._accelerated = without_idle_effort(found, tree.effort_by_acceleration)
        self._force = found.closing.T @ effort  # that closes the loops

    def by_state(self) -> DerivativeTerms:
        """Return those by the motion of the independent coordinates."""
        G, A, tree = self._found.ratio, self._accelerated, self._tree
        M, still = tree.effort_by_acceleration, np.zeros_like(G)
        faster = constraint_changes(self._robot, self._motion, Directions(still, G)).acceleration
        by_velocity = tree.effort_by_velocity @ G + M @ (self._found.closing @ faster)
        return DerivativeTerms(
            effort_by_acceleration=A.T @ M @ A,
            effort_by_velocity=A.T @ by_velocity,
            effort_by_position=self._along(G, None, still),
        )

    def by_numbers(self, names: Sequence[str], numbers: Floats, effort: Floats) -> Floats:
        """Return those along k directions of the robot's numbers.

        Parameters
        ----------
        names : sequence of str
            Of the directions.
        numbers : (n, k) array
            Of the floats of the block.
        effort : (v, k) array
            Derivatives of the efforts of the open tree at the same motion.

        Raises
        ------
        InputError
            If the loops cannot remain closed along one.
        """
        still = np.zeros((len(self._motion[1]), numbers.shape[1]))
        directions = Directions(still, still, numbers)
        opened = constraint_changes(self._robot, self._motion, directions).error
        position = self._found.closing @ opened
        directions = Directions(position, still, numbers)
        left = abs(constraint_changes(self._robot, self._motion, directions).error)
        for name, before, after in zip(names, abs(opened).T, left.T, strict=True):
            if after.max() > REMAINING * before.max(initial=1.0):
                raise InputError(
                    f"derivatives: expected a parameter that can change by itself, got '{name}': "
                    "no motion of the passive joints keeps the loops closed"
                )
        return self._along(position, numbers, effort)

    def _along(self, position: Floats, numbers: Floats | None, effort: Floats) -> Floats:
        """Return the derivatives along directions whose positions satisfy the constraints."""
        robot, motion, tree = self._robot, self._motion, self._tree
        A, close = self._accelerated, self._found.closing
        moved = constraint_changes(
            robot, motion, Directions(position, np.zeros_like(position), numbers)
        )
        velocity = close @ moved.rate
        slopes = constraint_changes(robot, motion, Directions(position, velocity, numbers))
        acceleration = close @ slopes.acceleration
        change = effort + tree.effort_by_position @ position
        change += tree.effort_by_velocity @ velocity + tree.effort_by_acceleration @ acceleration
        # dA = closing dD A
        by_ratio = np.einsum("r,krv,vj->jk", self._force, moved.jacobian, A)
        result: Floats = A.T @ change + by_ratio
        return result
