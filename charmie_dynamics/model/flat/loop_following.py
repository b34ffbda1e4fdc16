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
    run_followed_cycle,
)
from charmie_dynamics.core.forward.loop_forces import run_closed_cycle
from charmie_dynamics.core.forward.loop_records import ClosedCycleRoom, ClosureRoom
from charmie_dynamics.numerics.addresses import Address, address_of
from charmie_dynamics.numerics.blocks import float_count
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .flatten import FlatRobot
from .loop_cycles import Motion, addresses_of

Flags = npt.NDArray[np.bool_]
# address of the kernel, addresses that it needs, and its arrays
FollowingRecords = tuple[Address, tuple[Address, ...], tuple[Floats, ...]]


def nothing_to_follow() -> FollowingRecords:
    """Return empty records, for a robot whose samples contain all coordinates."""
    none: Any = 0
    empty = np.empty(0)
    return none, (none,) * 5, (empty,) * len(Followed._fields)


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
        self.arrays = Followed(
            role=role,
            start=start.copy(),
            start_joints=start_joints.copy(),
            last=np.zeros(p),
            last_joints=np.zeros(q),
            found=np.array([0.0, 0.0, float(idle)]),
            position=np.zeros(p),
            velocity=np.zeros(q),
            acceleration=np.zeros(q),
            begin=np.zeros(p),
            here=np.zeros(p),
            here_joints=np.zeros(q),
            trial=np.zeros(p),
            moved=np.zeros(p),
            closure_room=np.zeros(float_count(ClosureRoom, sizes)),
            cycle_room=np.zeros(float_count(ClosedCycleRoom, sizes)),
        )

    def forget(self) -> None:
        """Restart from the initial position."""
        self.arrays.found[0] = 0.0

    def begin_at(self, start: Floats, start_joints: Floats) -> None:
        """Restart from another closed position (p,) with its joint positions (v,)."""
        self.arrays.start[:] = start
        self.arrays.start_joints[:] = start_joints
        self.forget()

    @property
    def nearest(self) -> Floats:
        """The newest closed position (p,), or that at the start."""
        arrays = self.arrays
        return (arrays.last if arrays.found[0] else arrays.start).copy()

    @property
    def is_passive(self) -> Flags:
        """Which coordinates (v,) the loops move."""
        passive: Flags = self.arrays.role == PASSIVE
        return passive

    def records(self, flat: FlatRobot) -> FollowingRecords:
        """Return what a kernel needs to call `run_followed_cycle`, for the robot with its loads."""
        addresses = (*addresses_of(flat), address_of(run_closed_cycle))
        return address_of(run_followed_cycle), addresses, tuple(self.arrays)

    def take(self, flat: FlatRobot, given: Motion, block: Floats) -> int:
        """Run a cycle of kinematics, and return its status; see `run_followed_cycle`."""
        _, addresses, arrays = self.records(flat)
        found: int = ready(run_followed_cycle)(addresses, given, arrays, block, False)
        return found
