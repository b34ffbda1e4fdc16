# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Periodic motions of finite Fourier series that begin and end at rest, within limits.

An actuator moves as ::

    q(t) = c + sum over l of a_l / (w l) sin(w l t) - b_l / (w l) cos(w l t)

(Swevers et al., Optimal Robot Excitation and Identification, IEEE Trans. Robotics and Automation
13 (1997) 730), here with the sums of a_l and of w l b_l zero, so that velocity and acceleration
are zero at both ends. Free parameters set the shape and the offset in the remaining range; the
amplitude is the largest that the limits of position, velocity and acceleration allow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies.robot_parameters.base_parameters import WIDE

UNRATED = 1.0  # rad/s or m/s: default without a rated velocity
SHARE = 0.9  # used part of the range and of the rated velocity
POINTS = 24  # of the finest sine, to determine the largest values


@dataclass(frozen=True, eq=False)
class FourierMotions:
    """All motions of some actuators with a number of harmonics.

    Parameters
    ----------
    duration : float
        Of a period (s).
    harmonics : int
        At least 3.
    lower, upper, fastest, strongest : (m,) array
        Limits of position, velocity and acceleration.
    """

    duration: float
    harmonics: int
    lower: Floats
    upper: Floats
    fastest: Floats
    strongest: Floats

    @classmethod
    def of(
        cls, model: Model, moving: list[int], duration: float, harmonics: int, rise: float
    ) -> FourierMotions:
        """Return the motions of some actuators within the limits of a robot.

        Parameters
        ----------
        model : Model
        moving : list of int
            Indices of the actuators.
        duration, harmonics
            As for the class.
        rise : float
            Time to reach the rated velocity at the limit of acceleration (s).

        Raises
        ------
        InputError
            For invalid numbers.
        """
        for name, value in (("duration", duration), ("rise", rise)):
            if not (math.isfinite(value) and value > 0.0):
                raise InputError(f"{name}: expected a finite number above 0, got {value:g} s")
        if harmonics < 3:
            raise InputError(f"harmonics: expected at least 3, got {harmonics}")
        limits = [model.actuator_limits()[i] for i in moving]
        low = np.array([max(limit.lower, -WIDE) for limit in limits])
        high = np.array([min(limit.upper, WIDE) for limit in limits])
        middle, half = 0.5 * (low + high), 0.5 * SHARE * (high - low)
        rated = [limit.velocity for limit in limits]
        fastest = SHARE * np.array([v if 0.0 < v < math.inf else UNRATED for v in rated])
        return cls(duration, harmonics, middle - half, middle + half, fastest, fastest / rise)

    @property
    def free(self) -> int:
        """Number of free parameters of each actuator, between -1 and 1."""
        return 2 * self.harmonics - 1

    def at(self, x: Floats, time: Floats) -> tuple[Floats, Floats, Floats]:
        """Return positions, velocities and accelerations (n, m) for free parameters (m, free)."""
        count = POINTS * self.harmonics
        fine = np.linspace(0.0, self.duration, count, endpoint=False)
        position, velocity, acceleration = self._shapes(x, fine)
        low, high = position.min(axis=0), position.max(axis=0)
        room = 0.5 * (self.upper - self.lower)
        peaks = (
            0.5 * (high - low) / room,
            np.abs(velocity).max(axis=0) / self.fastest,
            np.abs(acceleration).max(axis=0) / self.strongest,
        )
        size = 1.0 / np.maximum(np.max(peaks, axis=0), 1e-12)
        left = room - 0.5 * size * (high - low)
        centre = 0.5 * (self.lower + self.upper) - 0.5 * size * (low + high) + x[:, -1] * left
        position, velocity, acceleration = self._shapes(x, time)
        return centre + size * position, size * velocity, size * acceleration

    def _shapes(self, x: Floats, time: Floats) -> tuple[Floats, Floats, Floats]:
        w = 2.0 * math.pi / self.duration * np.arange(1, self.harmonics + 1)
        H = self.harmonics - 1
        a = np.column_stack((x[:, :H], -x[:, :H].sum(axis=1)))
        b = np.column_stack((x[:, H : 2 * H], -(x[:, H : 2 * H] * w[:H]).sum(axis=1) / w[H]))
        sine, cosine = np.sin(np.outer(time, w)), np.cos(np.outer(time, w))
        return (
            (sine / w) @ a.T - (cosine / w) @ b.T,
            cosine @ a.T + sine @ b.T,
            (-w * sine) @ a.T + (w * cosine) @ b.T,
        )
