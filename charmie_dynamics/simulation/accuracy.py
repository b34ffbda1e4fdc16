# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Detection of a loss of accuracy by the balance of energies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from charmie_dynamics.errors import SimulationError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from .energy import energy_of
from .integrated_motion import IntegratedMotion

ROUND_OFF = 1e-12  # of all energy that there is
# Energy that contacts may return in an impact beyond the stored energy, as a multiple of the
# tolerance of fixed steps: these steps lose their order when a contact begins and ends. At the step
# of `contact_need`, 0.2 of a radian, a mass on a spring gains up to 4.4e-3 of its energy by rk4
GAIN = 5.0
LOST_BALANCE = "the balance of the energies is off"
EVERY = 8  # of the times, one in so many is checked
MOST_OPEN = 1e-5  # of loop joints, by the size of their constraints
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
    joint = model.flat.mechanisms.by_type.loop_joints.row_joint[row]
    raise SimulationError(
        motion.time[k],
        f"loop joint '{model.flat.mechanism_names['loop_joints'][joint]}' is open by "
        f"{error[k, row]:.1e}, expected at most {MOST_OPEN * size[k, row]:.1e}; try a shorter step "
        "or a smaller rtol",
    )


def _some(count: int) -> Ints:
    """Return every `EVERY`-th number below a count, and the last."""
    return np.append(np.arange(0, count - 1, EVERY), count - 1)


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

    def __init__(
        self,
        model: Model,
        laws: Floats,
        tolerance: float,
        floor: float,
        advice: str,
        contact_at: Callable[[IntegratedMotion], str] | None = None,
        gain: float | None = None,
        settling: float = 0.0,
    ) -> None:
        self._model = model
        self._laws = laws
        self._tolerance = tolerance
        self._floor = floor + ROUND_OFF
        self._advice = advice
        self._contact_at = contact_at
        self._gain = tolerance if gain is None else gain
        self._settling, self._start_time = settling, 0.0
        self._most_lost = -np.inf
        self._pressed: IntegratedMotion | None = None
        self._start: Floats | None = None
        self.start_energy = 0.0
        self._turnover = self._magnitude = 0.0

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
        time, velocity = motion.time, motion.velocity
        energy = energy_of(self._model, self._laws, motion)
        parts = np.array(energy[:5])
        if self._start is None:
            self._start, self._start_time = parts[:, 0].copy(), float(time[0])
            self.start_energy = float(energy.stored[0])
        change = parts - self._start[:, None]
        error = np.abs(change[:3].sum(axis=0) - change[3] + change[4])
        moved = np.abs(change).max(axis=0)
        turnover = np.maximum(moved, parts[0])
        known = np.isfinite(turnover)
        self._turnover = max(self._turnover, float(turnover[known].max(initial=0.0)))
        self._magnitude = max(self._magnitude, float(np.abs(parts[:, known]).max(initial=0.0)))
        floor = self._floor * self._magnitude
        passed = np.maximum(time - self._start_time, 1e-3 * self._settling)
        leniency = (
            np.maximum(1.0, self._settling / passed) if self._settling else np.ones_like(time)
        )
        tolerance = leniency * self._tolerance
        allowed = tolerance * self._turnover + floor
        if motion.memory.shape[1]:
            gain = leniency * self._gain * self._turnover + floor
            self._require_no_gain(motion, energy.lost, gain)
        wrong = np.flatnonzero(~(error <= allowed))
        if not len(wrong):
            return
        k = int(wrong[0])
        fastest = int(np.abs(velocity[k]).argmax())
        raise SimulationError(
            time[k],
            f"{LOST_BALANCE} by {error[k]:.1e} J, expected at most "
            f"{allowed[k]:.1e} J ({tolerance[k]:.1e} of the exchanged energy); fastest: "
            f"'{self._model.velocity_names[fastest]}' at {velocity[k, fastest]:.3g}; "
            f"{self._advice}",
        )

    def _require_no_gain(self, motion: IntegratedMotion, lost: Floats, allowed: Floats) -> None:
        """Check that contacts return no more energy than they have stored, in each impact.

        Losses never decrease. The energy stored in contacts is the uncertainty of the losses.
        """
        for k, (stored, loss) in enumerate(
            zip(motion.stored[:, 0].tolist(), lost.tolist(), strict=True)
        ):
            if self._pressed is None or stored > self._pressed.stored[0, 0]:
                self._pressed = motion.part(slice(k, k + 1))
            self._most_lost = max(self._most_lost, loss - stored)
            gain = self._most_lost - loss - stored
            if gain > allowed[k]:
                where = "contacts"
                if self._contact_at is not None:
                    where = self._contact_at(self._pressed)
                raise SimulationError(
                    motion.time[k],
                    f"{LOST_BALANCE}: {where} returned {gain:.1e} J more than was stored, "
                    f"expected at most {allowed[k]:.1e} J; {self._advice}, a stiffer contact, or a "
                    "law with restitution or damping",
                )
            if stored <= 0.0:  # all shapes are apart: the next impact
                self._most_lost, self._pressed = loss, None
