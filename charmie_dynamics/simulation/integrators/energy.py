# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The energies of a motion."""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.model.equations.results import Energy
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

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
        Of the springs, those of balance mechanisms and stops included, and of contacts.
    work : array
        Of actuators and external loads since the start.
    lost : array
        To friction and dampers, since the start.
    error : array
        Stored energy minus its expected value: the energy at the start, plus work, minus losses.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation import simulate
    >>> model = load_model("charmie_lar")
    >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4", times=[0.01])
    >>> bool(run.energy.kinetic[0] > 0.0), bool(abs(run.energy.error[0]) < 1e-9)
    (True, True)
    """

    kinetic: Floats
    gravitational: Floats
    elastic: Floats
    work: Floats
    lost: Floats
    error: Floats

    @property
    def stored(self) -> Floats:
        """Kinetic, gravitational and elastic energy together (k,)."""
        total: Floats = self.kinetic + self.gravitational + self.elastic
        return total


def energy_of(
    model: Model, laws: Floats, motion: IntegratedMotion, start: float | None = None
) -> EnergyBalance:
    """Return the energies of a motion, those of stops included.

    Parameters
    ----------
    model : Model
    laws : (LAW_COUNT, v) array
        Those of the motion.
    motion : IntegratedMotion
    start : float, optional
        Energy at the start (J); if omitted that of the first time.
    """
    stored = model.energy(motion.position, motion.velocity, workers=1)
    return balance_of(stored, laws, model.flat.freedoms.position_entry, motion, start)


def balance_of(
    stored: Energy, laws: Floats, entries: Ints, motion: IntegratedMotion, start: float | None
) -> EnergyBalance:
    """Return the energies of a motion from those of the robot (k,), see `energy_of`.

    Parameters
    ----------
    stored : Energy
    laws : (LAW_COUNT, v) or (LAW_COUNT, k, v) array
    entries : (v,) array of int
        Of the velocities in a position.
    motion : IntegratedMotion
    start : float or None
    """
    stops = stop_energy(laws, entries, motion.position)
    in_contacts = motion.stored[:, 0]
    elastic = stored.elastic + stops + in_contacts
    if start is None:
        start = float(stored.kinetic[0] + stored.gravitational[0] + elastic[0])
    work, lost = motion.energies.T.copy()
    lost -= in_contacts
    error = stored.kinetic + stored.gravitational + elastic - start - (work - lost)
    return EnergyBalance(stored.kinetic, stored.gravitational, elastic, work, lost, error)
