# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Calls of the kernels of loop joints with the arguments that belong to a robot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.records import Spatial
from charmie_dynamics.core.forward.closure_steps import MOVES_NOTHING
from charmie_dynamics.core.forward.loop_closure import run_closure
from charmie_dynamics.core.forward.loop_constraints import LoopAddresses, run_loop_constraints
from charmie_dynamics.core.forward.loop_forces import run_closed_cycle, run_closed_rows
from charmie_dynamics.core.forward.loop_records import (
    ClosedCycleRoom,
    ClosureRoom,
    Constraints,
    ConstraintState,
)
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.core.inverse.records import CycleRecord, Robot
from charmie_dynamics.numerics.addresses import Address, Blocks, address_of
from charmie_dynamics.numerics.blocks import float_count, lay_out, places_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats, Ints

from .flat_robot import FlatRobot

# position (p,), velocity (v,) and acceleration (v,) of one state
Motion = tuple[Floats, Floats, Floats]
# positions, velocities, accelerations and multipliers of N samples, see `run_closed_rows`
Samples = tuple[Floats, Floats, Floats, Floats]


def addresses_of(flat: FlatRobot) -> LoopAddresses:
    """Return the first arguments of the kernels of loop joints."""
    return LoopAddresses(*flat.blocks.addresses, *kernel_addresses())


def kernel_addresses() -> tuple[Address, Address]:
    """Return the addresses of the kernels that those of loop joints call."""
    return address_of(run_cycle), address_of(run_loop_constraints)


class ClosedCycle:
    """A cycle of a robot with loop joints, called as `run_cycle` is.

    Parameters
    ----------
    flat : FlatRobot
    """

    def __init__(self, flat: FlatRobot) -> None:
        self._run = ready(run_closed_cycle)
        self._kernels = kernel_addresses()
        self._size = float_count(ClosedCycleRoom, flat.sizes)
        self._unknown_multiplier = np.zeros(0)

    def __call__(
        self,
        ints: Address,
        floats: Address,
        position: Floats,
        velocity: Floats,
        acceleration: Floats,
        block: Floats,
        dynamics: bool,
    ) -> int:
        """Return the status of `run_closed_cycle`."""
        inputs = position, velocity, acceleration
        multiplier = self._unknown_multiplier
        return self.with_multipliers((ints, floats), inputs, multiplier, block, dynamics)

    def with_multipliers(
        self,
        addresses: tuple[Address, Address],
        inputs: Motion,
        multiplier: Floats,
        block: Floats,
        dynamics: bool = True,
    ) -> int:
        """Return the status of `run_closed_cycle` for given multipliers (r,) of the loop joints.

        With an empty array the multipliers are computed.
        """
        workspace = np.empty(self._size)
        arguments = *addresses, *self._kernels, *inputs, multiplier, workspace, block
        status: int = self._run(*arguments, dynamics)
        return status


def cycle_kernel(flat: FlatRobot) -> Callable[..., int]:
    """Return the cycle of a robot: with the forces of loop joints if it has any."""
    return ClosedCycle(flat) if flat.sizes.r else ready(run_cycle)


def make_closed_rows(
    flat: FlatRobot, block_size: int
) -> Callable[[Samples, Ints, Floats, bool], int]:
    """Return a function that runs the cycles of many samples in its own workspace.

    Its arguments are the samples, the columns to keep, the output (N, k) and whether forces are
    computed. It returns the first sample that could not be computed, or -1; see `run_closed_rows`.
    """
    run, kernel = ready(run_closed_rows), address_of(run_closed_cycle)
    addresses = addresses_of(flat)
    workspace, block = np.empty(float_count(ClosedCycleRoom, flat.sizes)), np.empty(block_size)

    def rows(inputs: Samples, columns: Ints, out: Floats, dynamics: bool) -> int:
        first: int = run(kernel, *addresses, *inputs, columns, workspace, block, out, dynamics)
        return first

    return rows


def close(
    flat: FlatRobot,
    motion: Motion,
    movable: Floats,
    orders: int,
    determined: int,
    least: float = MOVES_NOTHING,
) -> int:
    """Close the loops: movable coordinates of `motion` change in place; return the status.

    movable, orders, determined and least are as of `run_closure`.
    """
    workspace = np.empty(float_count(ClosureRoom, flat.sizes))
    wanted = movable, orders, determined, least, math.inf
    status: int = ready(run_closure)(*addresses_of(flat), *motion, *wanted, workspace)
    return status


class ConstraintArrays(NamedTuple):
    """The constraints at a state, and the motion of the joints there.

    Attributes
    ----------
    constraints : Constraints
    spatial : Spatial
    velocity, acceleration : (v,) array
        Of the joints.
    """

    constraints: Constraints
    spatial: Spatial
    velocity: Floats
    acceleration: Floats


def constraints_at(flat: FlatRobot, motion: Motion) -> ConstraintArrays | int:
    """Return the constraints at a state, or the status of `run_cycle` if it fails."""
    ints, floats = flat.blocks.addresses
    block = np.empty(float_count(CycleRecord, flat.sizes))
    status: int = ready(run_cycle)(ints, floats, *motion, block, False)
    if status != REACHED:
        return status
    out = np.empty(float_count(ConstraintState, flat.sizes))
    ready(run_loop_constraints)(ints, floats, block, out)
    kinematics = lay_out(CycleRecord, flat.blocks.ints, block, flat.sizes).kinematics
    state = lay_out(ConstraintState, flat.blocks.ints, out, flat.sizes)
    return ConstraintArrays(
        state.constraints,
        state.spatial,
        kinematics.joint_velocity,
        kinematics.joint_acceleration,
    )


def stabilized(flat: FlatRobot, alpha: float, beta: float) -> FlatRobot:
    """Return a robot whose constraints are stabilized in forward dynamics (Baumgarte).

    Phi'' = -2 alpha Phi' - beta^2 Phi instead of zero, so that errors of integration fade; see
    `core.forward.constrained_motion`.

    Parameters
    ----------
    flat : FlatRobot
        Not modified.
    alpha, beta : float
        1/s, not negative. The largest stable values follow from the step of the integrator.
    """
    floats = flat.blocks.floats.copy()
    places = places_of(Robot, flat.sizes)[1]
    first = places["mechanisms.by_type.loop_joints.stabilization"].first
    floats[first : first + 2] = alpha, beta
    stabilization = floats[first : first + 2].copy()
    stabilization.flags.writeable = False
    joints = flat.mechanisms.by_type.loop_joints._replace(stabilization=stabilization)
    by_type = flat.mechanisms.by_type._replace(loop_joints=joints)
    mechanisms = flat.mechanisms._replace(by_type=by_type)
    return replace(flat, mechanisms=mechanisms, blocks=Blocks(flat.blocks.ints, floats))
