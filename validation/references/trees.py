# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Chains of rods in absolute angles, and the cart-pole in one coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp

from validation.problems import cart_pole as cp
from validation.problems import chain as ch

from .lagrange import ATOL, RTOL, Body, System, vector


def cart_pole() -> System:
    """Return the cart-pole: angle of the pole; the centre of mass stays where it is along x."""
    pole = sp.Symbol("pole")
    slide = cp.MASS * cp.LENGTH * (1 - sp.cos(pole)) / (cp.CART + cp.MASS)
    bodies = [
        Body(cp.CART, vector(slide, 0)),
        Body(
            cp.MASS,
            # slide + LENGTH cos(pole), without what cancels in it
            vector(
                cp.CART * cp.LENGTH * sp.cos(pole) / (cp.CART + cp.MASS), cp.LENGTH * sp.sin(pole)
            ),
        ),
    ]
    return System((pole,), bodies, (0, -cp.GRAVITY, 0))


def slide_of_cart(pole: Any) -> Any:
    """Return where the cart is (m)."""
    return cp.MASS * cp.LENGTH * (1.0 - np.cos(pole)) / (cp.CART + cp.MASS)


class Chain:
    """A chain of slender rods of 1 m and 1 kg; M(i, j) = c(i, j) cos(angle i - angle j)."""

    def __init__(self, count: int) -> None:
        beyond = count - 1.0 - np.arange(count)  # rods that hang on each
        later = np.minimum.outer(beyond, beyond)
        self.factors = later + 0.5
        np.fill_diagonal(self.factors, beyond + 1.0 / 3.0)
        self.arms = beyond + 0.5

    def acceleration(self, angle: Any, rate: Any) -> Any:
        """Return the accelerations of the absolute angles (rad/s^2)."""
        difference = angle[:, None] - angle[None, :]
        mass = self.factors * np.cos(difference)
        bias = (self.factors * np.sin(difference)) @ rate**2
        return np.linalg.solve(mass, -bias - ch.GRAVITY * self.arms * np.cos(angle))

    def energy(self, angle: Any, rate: Any) -> float:
        """Return kinetic and gravitational energy (J)."""
        mass = self.factors * np.cos(angle[:, None] - angle[None, :])
        return float(0.5 * rate @ mass @ rate + ch.GRAVITY * self.arms @ np.sin(angle))

    def motion(self, times: Any) -> tuple[Any, Any]:
        """Return the absolute angles and rates at the times, from rest along x."""
        n = len(self.arms)
        run = solve_ivp(
            lambda _, y: np.concatenate((y[n:], self.acceleration(y[:n], y[n:]))),
            (times[0], times[-1]),
            np.zeros(2 * n),
            method="DOP853",
            t_eval=times,
            rtol=RTOL,
            atol=ATOL,
        )
        return run.y[:n].T, run.y[n:].T
