# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.model.batch import BatchState
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints


class EnergyBalance(NamedTuple):
    """Energies of a robot (J), (k,) each.

    Attributes
    ----------
    kinetic : array
    gravitational : array
        Zero with all mass at the origin of the world.
    elastic : array
        Of the springs, those of balance mechanisms included.
    work : array
        That the actuators have done since the start.
    lost : array
        To friction, since the start.
    """

    kinetic: Floats
    gravitational: Floats
    elastic: Floats
    work: Floats
    lost: Floats

    @property
    def stored(self) -> Floats:
        """Kinetic, gravitational and elastic energy together (k,)."""
        total: Floats = self.kinetic + self.gravitational + self.elastic
        return total

    @property
    def error(self) -> Floats:
        """What is stored less what should be (k,): the start, plus work, less what is lost."""
        stored = self.stored
        supplied = self.work - self.work[0] - (self.lost - self.lost[0])
        error: Floats = stored - stored[0] - supplied
        return error


@dataclass(frozen=True)
class Run:
    """A motion as it was simulated, at k times.

    Attributes
    ----------
    model : Model
        The robot.
    integrator : str
        Name of the method.
    time : (k,) array
        In seconds.
    position : (k, p) array
    velocity, acceleration : (k, v) array
    effort : (k, a) array
        Of the actuators, within their limits (N m or N).
    energy : EnergyBalance
    loops : (k, 4 r + 1) array
        Of r constraints of loop joints: multipliers, errors, rates, sizes, rank; (k, 0) without.
    event_times : tuple of (e,) array
        When each of the events happened.
    evaluations : int
        How often accelerations were computed.
    """

    model: Model
    integrator: str
    time: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats
    effort: Floats
    energy: EnergyBalance
    loops: Floats
    event_times: tuple[Floats, ...] = ()
    evaluations: int = 0

    @property
    def constraint_error(self) -> Floats:
        """How far loop joints are open at most (k,): m, or the sine of an angle."""
        found: Floats = np.abs(self._of_loops(1)).max(axis=1, initial=0.0)
        return found

    @property
    def constraint_rank(self) -> Ints:
        """How many of the constraints of loop joints are independent (k,)."""
        if not self.model.flat.sizes.r:
            return np.zeros(len(self.time), dtype=np.int64)
        return self.loops[:, -1].astype(np.int64)

    def constraint_force(self, name: str) -> Floats:
        """Return force, then torque (k, 6) of a loop joint on its second body, world axes.

        Raises
        ------
        UnknownNameError
            If there is no loop joint of that name.
        """
        names = self.model.flat.mechanism_names["loop_joints"]
        if name not in names:
            raise UnknownNameError(f"loop joint '{name}' is unknown{choices(name, names)}")
        motion = self.position, self.velocity, self.acceleration
        multipliers = np.ascontiguousarray(self._of_loops(0))
        return BatchState(self.model.layout, motion, True, 1, multipliers).loop_force(name)

    def _of_loops(self, part: int) -> Floats:
        """Return a part (k, r) of what is known of the loops, see `IntegratedMotion`."""
        r = self.model.flat.sizes.r
        return self.loops[:, part * r : (part + 1) * r]
