# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The fixed-step methods: their order, their stages and their default step."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.integration.step_arrays import (
    ROSENBROCK,
    RUNGE_KUTTA,
    SEMI_IMPLICIT_EULER,
)
from charmie_dynamics.errors import InputError, UnknownNameError, choices

# Baumgarte's stabilization of loop joints, both coefficients times the step. Measured (Drift, in
# docs/loops.md): semi-implicit Euler is unstable with 1. With rk4, which closes the loops after
# each step, 0.1 would change the motion along these; it is for loops that a step opens too far
STABILIZED = 0.1
STABILIZED_IF_CLOSED = 0.01
SETTLED = 1000  # steps after which a method of first order is as exact as its tolerance


class Integrator(NamedTuple):
    """A fixed-step method.

    Attributes
    ----------
    name : str
    method : int
        By which the kernel knows it.
    order : int
        The error of a run shrinks with this power of the step.
    nodes : tuple of float
        Where in the step its stages are.
    step : float
        Default (s).
    tolerance : float
        Permitted error of the balance as a fraction of the exchanged energy. The error of a step is
        larger at a kink, such as a spring that becomes slack, than in a smooth motion; the energy
        of a method of first order oscillates.
    stability : float
        Radius about zero within which its region of stability is the left half plane.
    """

    name: str
    method: int
    order: int
    nodes: tuple[float, ...]
    step: float
    tolerance: float
    stability: float

    def settling(self, step: float) -> float:
        """Return the time (s) after which the tolerance holds, see `BalanceWatch`."""
        return SETTLED * step if self.order == 1 else 0.0


def stabilization_of(step: float, method: int) -> float:
    """Return both coefficients (1/s) of Baumgarte's stabilization of loop joints for a step (s)."""
    return (STABILIZED_IF_CLOSED if method == RUNGE_KUTTA else STABILIZED) / step


INTEGRATORS = {
    each.name: each
    for each in (
        Integrator("rk4", RUNGE_KUTTA, 4, (0.0, 0.5, 0.5, 1.0), 1e-3, 1e-3, 2.6),
        Integrator("semi_implicit_euler", SEMI_IMPLICIT_EULER, 1, (0.0,), 1e-4, 5e-3, 2.0),
        Integrator("rosenbrock", ROSENBROCK, 2, (0.0, 1.0), 1e-3, 1e-3, np.inf),
    )
}


def integrator_of(name: str) -> Integrator:
    """Return a fixed-step method.

    Raises
    ------
    UnknownNameError
        If the name is unknown.
    """
    found = INTEGRATORS.get(name)
    if found is None:
        raise UnknownNameError(f"integrator '{name}' is unknown{choices(name, INTEGRATORS)}")
    return found


def require_positive(**given: float | None) -> None:
    """Check that given numbers are finite and above zero.

    Raises
    ------
    InputError
        Names the first that is not.
    """
    for name, value in given.items():
        if value is not None and not (math.isfinite(value) and value > 0.0):
            raise InputError(f"{name}: expected a finite number above 0, got {value}")
