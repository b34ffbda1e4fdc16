# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Detection of a loss of accuracy by the balance of energies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from charmie_dynamics.core.forward.loop_closure import MOST_OPEN
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from .energy import EnergyBalance, energy_of
from .integrated_motion import IntegratedMotion
from .refusals import refusal_of_opening

ROUND_OFF = 1e-12  # of all energy that there is
# of the same, with fixed steps: a motion with so little energy, such as that of bodies that settle
# on each other, needs no balance
SETTLING_ENERGY = 1e-8
# Energy that contacts may return in an impact beyond the stored energy, as a multiple of the
# tolerance of fixed steps: these steps lose their order when a contact begins and ends. At the step
# of `contact_need`, 0.2 of a radian, a mass on a spring gains up to 4.4e-3 of its energy by rk4
GAIN = 5.0
LOST_BALANCE = "the balance of the energies is off"
EVERY = 8  # of the times, one in so many is checked
LARGEST = 1e100  # of positions and velocities: squares of larger ones may be infinite


def bounded(motion: IntegratedMotion) -> IntegratedMotion:
    """Return the part of the motion before its numbers exceed the computable range."""
    with np.errstate(invalid="ignore"):
        fit = (np.abs(motion.position) < LARGEST).all(axis=1)
        fit &= (np.abs(motion.velocity) < LARGEST).all(axis=1)
    return motion if fit.all() else motion.part(slice(int(fit.argmin())))


def require_closed(model: Model, motion: IntegratedMotion) -> None:
    """Check that loop joints are closed.

    Raises
    ------
    SimulationError
        If one is open by more than `MOST_OPEN`; names it.
    """
    r = model.flat.sizes.r
    if not r:
        return
    error, size = motion.loops[:, r : 2 * r], motion.loops[:, 3 * r : 4 * r]
    opening = np.abs(error) / size
    wrong = np.flatnonzero(~(opening.max(axis=1) <= MOST_OPEN))
    if not len(wrong):
        return
    k = int(wrong[0])
    row = int(np.nan_to_num(opening[k], nan=np.inf).argmax())
    raise SimulationError(
        motion.time[k], str(refusal_of_opening(model, row, error[k, row], size[k, row]))
    )


def _some(count: int) -> Ints:
    """Return every `EVERY`-th number below a count, and the last."""
    return np.append(np.arange(0, count - 1, EVERY), count - 1)


@dataclass(eq=False)
class BalanceWatch:
    """The balance of the energies of a run, checked part by part.

    Parameters
    ----------
    model : Model
    laws : (LAW_COUNT, v) array
    tolerance : float
        Permitted error as a fraction of the exchanged energy.
    floor : float
        Further permitted error as a fraction of the total energy.
    advice : str
        Remedy for a larger error.
    contact_at : callable, optional
        Called with a motion of one time, returns the pair of links that presses hardest.
    gain : float, optional
        Fraction of the energy that contacts may return in an impact beyond the stored energy; if
        omitted the tolerance.
    settling : float, optional
        Time from the start (s) before which both fractions are larger by its ratio to the elapsed
        time: the error of n steps of first order is 1 / n of their exchanged energy.

    Attributes
    ----------
    start_energy : float
        Stored at the first time of all (J).
    """

    model: Model
    laws: Floats
    tolerance: float
    floor: float
    advice: str
    contact_at: Callable[[IntegratedMotion], str] | None = None
    gain: float | None = None
    settling: float = 0.0
    start_energy: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.start: Floats | None = None
        self.start_time = self.turnover = self.magnitude = 0.0
        self._most_lost = self._most_stored = -np.inf
        self._pressed: IntegratedMotion | None = None

    def look(self, motion: IntegratedMotion) -> None:
        """Check a part of the motion: some of its times, with the first and the last.

        Raises
        ------
        SimulationError
            If the balance is off.
        """
        if not len(motion.time):
            return
        motion = motion.part(_some(len(motion.time)))
        for fault in unbalanced([self], motion, energy_of(self.model, self.laws, motion)).values():
            raise fault

    def gain_fault(
        self, motion: IntegratedMotion, here: slice, lost: list[float], allowed: list[float]
    ) -> SimulationError | None:
        """Check that contacts return no more energy than they have stored, in each impact.

        Losses never decrease. The energy stored in contacts is the uncertainty of the losses.

        Parameters
        ----------
        motion : IntegratedMotion
        here : slice
            The times to check.
        lost, allowed : list of float
            Losses and permitted gain at these times (J).
        """
        energies = motion.stored[here, 0].tolist()
        for k, (stored, loss) in enumerate(zip(energies, lost, strict=True), here.start):
            if stored > self._most_stored:
                self._most_stored = stored
                if self.contact_at is not None:
                    self._pressed = motion.part(slice(k, k + 1))
            self._most_lost = max(self._most_lost, loss - stored)
            gain, most = self._most_lost - loss - stored, allowed[k - here.start]
            if gain > most:
                where = "contacts"
                if self.contact_at is not None and self._pressed is not None:
                    where = self.contact_at(self._pressed)
                return SimulationError(
                    motion.time[k],
                    f"{LOST_BALANCE}: {where} returned {gain:.1e} J more than was stored, "
                    f"expected at most {most:.1e} J; {self.advice}, a stiffer contact, or a "
                    "law with restitution or damping",
                )
            if stored <= 0.0:  # all shapes are apart: the next impact
                self._most_lost, self._most_stored = loss, -np.inf
        return None


def unbalanced(
    watches: Sequence[BalanceWatch], motion: IntegratedMotion, energy: EnergyBalance
) -> dict[int, SimulationError]:
    """Check the balances of n motions with the same tolerances; return the faults by number.

    Parameters
    ----------
    watches : sequence of BalanceWatch
    motion : IntegratedMotion
        At n k times: k times of each motion.
    energy : EnergyBalance
        At these times.
    """
    n, first = len(watches), watches[0]
    k = len(motion.time) // n
    time = motion.time.reshape(n, k)
    parts = np.array(energy[:5]).reshape(5, n, k)
    stored = energy.stored
    for i, watch in enumerate(watches):
        if watch.start is None:
            watch.start, watch.start_time = parts[:, i, 0].copy(), float(time[i, 0])
            watch.start_energy = float(stored[i * k])
    start = np.array([watch.start for watch in watches]).T[:, :, None]
    change = parts - start
    error = np.abs(change[:3].sum(axis=0) - change[3] + change[4])
    turnover = np.maximum(np.abs(change).max(axis=0), parts[0])
    known = np.isfinite(turnover)
    largest = np.where(known, turnover, 0.0).max(axis=1)
    magnitude = np.where(known, np.abs(parts).max(axis=0), 0.0).max(axis=1)
    for i, (exchanged, total) in enumerate(zip(largest.tolist(), magnitude.tolist(), strict=True)):
        watch = watches[i]
        watch.turnover = max(watch.turnover, exchanged)
        watch.magnitude = max(watch.magnitude, total)
    floor = (first.floor + ROUND_OFF) * np.array([[watch.magnitude] for watch in watches])
    leniency = np.ones((n, k))
    if first.settling:
        since = time - np.array([[watch.start_time] for watch in watches])
        leniency = np.maximum(1.0, first.settling / np.maximum(since, 1e-3 * first.settling))
    tolerance, moved = leniency * first.tolerance, np.array([[w.turnover] for w in watches])
    allowed = tolerance * moved + floor
    faults: dict[int, SimulationError] = {}
    if motion.memory.shape[1]:
        gain = first.tolerance if first.gain is None else first.gain
        lost, most = energy.lost.reshape(n, k).tolist(), (leniency * gain * moved + floor).tolist()
        for i, watch in enumerate(watches):
            fault = watch.gain_fault(motion, slice(i * k, (i + 1) * k), lost[i], most[i])
            if fault is not None:
                faults[i] = fault
    wrong = ~(error <= allowed)
    for i in np.flatnonzero(wrong.any(axis=1)).tolist():
        j = int(wrong[i].argmax())
        velocity = motion.velocity[i * k + j]
        fastest = int(np.abs(velocity).argmax())
        fault = SimulationError(
            time[i, j],
            f"{LOST_BALANCE} by {error[i, j]:.1e} J, expected at most "
            f"{allowed[i, j]:.1e} J ({tolerance[i, j]:.1e} of the exchanged energy); fastest: "
            f"'{first.model.velocity_names[fastest]}' at {velocity[fastest]:.3g}; "
            f"{first.advice}",
        )
        faults.setdefault(i, fault)
    return faults
