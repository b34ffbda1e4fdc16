# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Cycles of robots of which the driven joints alone are known, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.forward.loop_following import (
    GIVEN,
    HELD,
    PASSIVE,
    Followed,
    FollowedSizes,
    FollowingAddresses,
    run_followed_cycle,
)
from charmie_dynamics.core.forward.loop_forces import run_closed_cycle
from charmie_dynamics.core.forward.loop_records import ClosedCycleRoom, ClosureRoom
from charmie_dynamics.numerics.addresses import address_block, address_of, address_of_block
from charmie_dynamics.numerics.blocks import float_count, lay_out, places_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .flat_robot import FlatRobot
from .loop_cycles import Motion, addresses_of

Flags = npt.NDArray[np.bool_]


def given_coordinates(flat: FlatRobot) -> Flags:
    """Return which coordinates (v,) samples can contain: neither passive nor of floating joints."""
    given: Flags = flat.freedoms.floating_body < 0
    given &= ~is_passive(flat)
    return given


def is_passive(flat: FlatRobot) -> Flags:
    """Return which coordinates (v,) are passive: moved by the loops, without actuator."""
    passive: Flags = flat.mechanisms.by_type.loop_joints.is_passive != 0
    return passive


class FollowedMotion:
    """The motion of a robot whose loops are followed from sample to sample.

    See `core.forward.loop_following`.

    Parameters
    ----------
    flat : FlatRobot
    start : (p,) array
        Closed position with which the search begins; unreported coordinates stay there.
    start_joints : (v,) array
        Joint positions there.
    idle : int
        Number of idle motions of the passive joints (`core.forward.idle_motions`).

    Attributes
    ----------
    arrays : Followed
    """

    def __init__(self, flat: FlatRobot, start: Floats, start_joints: Floats, idle: int = 0) -> None:
        sizes = flat.sizes
        p, q = len(start), sizes.q
        role = np.where(given_coordinates(flat), GIVEN, HELD)
        role[is_passive(flat)] = PASSIVE
        self._sizes = FollowedSizes(
            p, q, float_count(ClosureRoom, sizes), float_count(ClosedCycleRoom, sizes)
        )
        _, _, int_count, size = places_of(Followed, self._sizes)
        self._ints, self._floats = np.zeros(int_count, dtype=np.int64), np.zeros(size)
        self.arrays = lay_out(Followed, self._ints, self._floats, self._sizes)
        self.arrays.sizes[:] = self._sizes
        self.arrays.role[:] = role
        self.arrays.start[:], self.arrays.start_joints[:] = start, start_joints
        self.arrays.idle[0] = idle

    def forget(self) -> None:
        """Restart from the initial position."""
        self.arrays.is_known[0] = 0.0

    def hold(self, rows: list[int], places: list[int], motion: Motion) -> None:
        """Set the motion of coordinates that are held, such as those of a floating joint.

        Parameters
        ----------
        rows, places : list of int
            Their velocities and positions among those of the model.
        motion : tuple of array
            Their positions, velocities and accelerations.
        """
        arrays = self.arrays
        arrays.start[places], arrays.held_velocity[rows], arrays.held_acceleration[rows] = motion

    def begin_at(self, start: Floats, start_joints: Floats) -> None:
        """Restart from another closed position (p,) with its joint positions (v,)."""
        self.arrays.start[:] = start
        self.arrays.start_joints[:] = start_joints
        self.forget()

    @property
    def nearest(self) -> Floats:
        """The newest closed position (p,), or that at the start."""
        arrays = self.arrays
        return (arrays.last if arrays.is_known[0] else arrays.start).copy()

    @property
    def is_passive(self) -> Flags:
        """Which coordinates (v,) the loops move."""
        passive: Flags = self.arrays.role == PASSIVE
        return passive

    def addresses(self, flat: FlatRobot) -> Any:
        """Return the block of `FollowingAddresses`, for the robot with its loads."""
        return address_block(
            FollowingAddresses(
                *addresses_of(flat),
                address_of(run_closed_cycle),
                address_of(run_followed_cycle),
                address_of_block(self._ints),
                address_of_block(self._floats),
            )
        )

    def take(self, flat: FlatRobot, given: Motion, block: Floats) -> int:
        """Run a cycle of kinematics, and return its status; see `run_followed_cycle`."""
        addresses = self.addresses(flat)
        run = ready(run_followed_cycle)
        found: int = run(address_of_block(addresses), *given, block, False)
        return found
