# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import UnknownNameError, choices
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
        return self.kinetic + self.gravitational + self.elastic

    @property
    def error(self) -> Floats:
        """What is stored less what should be (k,): the start, plus work, less what is lost."""
        stored = self.stored
        return stored - (stored[0] + (self.work - self.work[0]) - (self.lost - self.lost[0]))


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
    event_times: tuple[Floats, ...] = ()
    evaluations: int = 0

    @property
    def constraint_error(self) -> Floats:
        """How far the loop joints are open at most (k,), in m and rad."""
        return np.zeros(len(self.time))

    @property
    def constraint_rank(self) -> Ints:
        """How many of the constraints of the loop joints are independent (k,)."""
        return np.zeros(len(self.time), dtype=np.int64)

    def constraint_force(self, name: str) -> Floats:
        """Return force and torque (k, 6) of a loop joint on its second body, world axes.

        Raises
        ------
        UnknownNameError
            If there is no loop joint of that name.
        """
        raise UnknownNameError(f"loop joint '{name}' is unknown{choices(name, ())}")
