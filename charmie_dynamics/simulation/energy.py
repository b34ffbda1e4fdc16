# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The energies of a motion."""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .integrated_motion import IntegratedMotion
from .joint_laws import stop_energy


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


def energy_of(model: Model, laws: Floats, motion: IntegratedMotion) -> EnergyBalance:
    """Return the energies of a motion, those of stops included; `laws` are those it was under."""
    stored = model.energy_batch(motion.position, motion.velocity, workers=1)
    stops = stop_energy(laws, model.flat.freedoms.position_entry, motion.position)
    return EnergyBalance(
        stored.kinetic, stored.gravitational, stored.elastic + stops, *motion.energies.T.copy()
    )
