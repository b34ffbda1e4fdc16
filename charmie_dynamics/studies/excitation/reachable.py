# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Ranges of actuators in which loops close, away from singular positions and passive limits."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError, LoopError, OutOfReachError
from charmie_dynamics.model.flat.loop_following import is_passive
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.studies.robot_parameters.closed_motions import ClosedMotions

LEAST = 0.1  # conditioning of the passive coordinates, relative to the best one
POINTS = 10  # of a path of one actuator from the rest position to its limit
POSES = 60  # random positions in the ranges of all actuators
SMALLER = 0.9
SMALLEST = 0.005  # of the ranges


class PassiveLimits(NamedTuple):
    """Limits of the passive single joints (k,): position, and velocity; inf without one.

    Attributes
    ----------
    entries, coordinates : (k,) array of int
        Among the positions and velocities of the robot.
    lower, upper, fastest : (k,) array
    """

    entries: Ints
    coordinates: Ints
    lower: Floats
    upper: Floats
    fastest: Floats

    @classmethod
    def of(cls, model: Model) -> PassiveLimits:
        """Return the limits of a robot."""
        limits = {
            joint.name: joint.limit
            for joint in model.tree.joints
            if joint.type in ("revolute", "prismatic")
        }
        own = [
            c
            for c in np.flatnonzero(is_passive(model.flat)).tolist()
            if model.joint_names[c] in limits
        ]
        found = [limits[model.joint_names[c]] for c in own]
        return cls(
            model.flat.freedoms.position_entry[own],
            np.array(own, dtype=np.int64),
            np.array([limit.lower for limit in found]),
            np.array([limit.upper for limit in found]),
            np.array([limit.velocity if limit.velocity > 0.0 else math.inf for limit in found]),
        )

    def keep(self, motion: tuple[Floats, Floats, Floats]) -> npt.NDArray[np.bool_]:
        """Return whether each state (n,) of a motion is within the limits."""
        q, v = motion[0][:, self.entries], motion[1][:, self.coordinates]
        within = (q >= self.lower) & (q <= self.upper) & (np.abs(v) <= self.fastest)
        result: npt.NDArray[np.bool_] = within.all(axis=1)
        return result


class ReachableRanges:
    """The ranges of some actuators of a robot with loops.

    Parameters
    ----------
    closing : ClosedMotions
        Its start is the rest position.
    moving : list of int
        Indices of the actuators that move.

    Attributes
    ----------
    least : float
        Smallest allowed conditioning, see `LoopConstraints`.
    """

    def __init__(self, closing: ClosedMotions, moving: list[int]) -> None:
        self._closing, self._moving = closing, moving
        self._limits = PassiveLimits.of(closing.model)
        self.rest = closing.start[closing.entries]
        self.least = 0.0

    def find(self, lower: Floats, upper: Floats, seed: int) -> tuple[Floats, Floats]:
        """Return the ranges within limits (m,), in which all combinations are allowed.

        Raises
        ------
        CharmieError
            If the rest position is too near to a limit of passive joints or a singular position.
        """
        rest = self.rest[self._moving]
        # the rest position may be outside of the used part of the limits
        low, high = np.minimum(lower, rest), np.maximum(upper, rest)
        path = np.linspace(0.0, 1.0, POINTS + 1)[1:]
        for m, ends in ((m, ends) for m in range(len(rest)) for ends in (low, high)):
            width, part = ends[m] - rest[m], 1.0
            while part > SMALLEST:
                at = np.tile(rest, (POINTS, 1))
                at[:, m] += part * path * width
                if self._are_within(at):
                    break
                part *= SMALLER
            ends[m] = rest[m] + part * width
        x = np.random.default_rng(seed).uniform(-1.0, 1.0, (POSES, len(rest)))
        x[: POSES // 2] = np.sign(x[: POSES // 2])  # corners
        share = 0.5 * (x + 1.0)
        found = [self._conditioning(pose[None]) for pose in low + share * (high - low)]
        own = self._conditioning(rest[None])
        self.least = LEAST * max([own, *found])
        if own < self.least:
            raise CharmieError(
                "excitation: the rest position is near a singular position of the loops; expected "
                "another rest_pose in the mechanisms file"
            )
        size = 1.0
        while size > SMALLEST:
            below, above = rest + size * (low - rest), rest + size * (high - rest)
            poses = below + share * (above - below)
            if all(self._conditioning(pose[None]) >= self.least for pose in poses):
                return below, above
            size *= SMALLER
        raise CharmieError(
            f"excitation: passive joints of '{self._closing.model.name}' are at their limits near "
            "the rest position; expected another rest_pose in the mechanisms file"
        )

    def allows(self, motion: tuple[Floats, Floats, Floats]) -> bool:
        """Return whether passive joints keep their limits, and loops are not singular."""
        if not self._limits.keep(motion).all():
            return False
        constraints = self._closing.model.constraints
        return all(constraints(q).conditioning >= self.least for q in motion[0])

    def _closed(self, positions: Floats) -> tuple[Floats, Floats, Floats] | None:
        """Return the states at rest with positions (n, m) in succession; None: out of reach."""
        q = np.tile(self.rest, (len(positions), 1))
        q[:, self._moving] = positions
        try:
            return self._closing.of((q, np.zeros_like(q), np.zeros_like(q)))
        except (LoopError, OutOfReachError):
            return None

    def _are_within(self, positions: Floats) -> bool:
        motion = self._closed(positions)
        return motion is not None and bool(self._limits.keep(motion).all())

    def _conditioning(self, positions: Floats) -> float:
        """Return the conditioning at a pose (1, m); negative if it is out of reach or limits."""
        motion = self._closed(positions)
        if motion is None or not self._limits.keep(motion).all():
            return -1.0
        return self._closing.model.constraints(motion[0][0]).conditioning
