# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Lagrange's equations of a few coordinates with constraints, derived by SymPy.

Nothing of the package is used: bodies are given as positions and rotations in terms of the
coordinates, mass matrix and Christoffel symbols follow by differentiation, and the constrained
system is solved with full precision by an explicit method of order 8 with tolerances near
round-off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp

RTOL, ATOL = 1e-13, 1e-14
NEWTON_STEPS = 50


@dataclass
class Body:
    """A rigid body: mass, place of its centre, rotation, inertia about the centre in body axes."""

    mass: float
    centre: sp.Matrix
    rotation: sp.Matrix = field(default_factory=lambda: sp.eye(3))
    inertia: sp.Matrix = field(default_factory=lambda: sp.zeros(3))


class System:
    """Equations of motion M(q) a + h(q, v) = J(q)^T lambda, J a = gamma.

    Parameters
    ----------
    coordinates : sequence of sympy.Symbol
        q; their rates get the names with ``_rate``.
    bodies : sequence of Body
    gravity : sequence of float
        m/s^2.
    constraints : sequence of sympy.Expr
        Zero for a closed loop.
    potential : sympy.Expr
        Of springs (J).
    force : callable
        ``force(q, v)``: generalised forces as expressions of symbols.
    """

    def __init__(
        self,
        coordinates: Sequence[sp.Symbol],
        bodies: Sequence[Body],
        gravity: Sequence[float],
        constraints: Sequence[sp.Expr] = (),
        potential: Any = 0,
        force: Callable[[sp.Matrix, sp.Matrix], sp.Matrix] | None = None,
    ) -> None:
        q = sp.Matrix(coordinates)
        v = sp.Matrix([sp.Symbol(f"{name}_rate") for name in coordinates])
        mass, energy = sp.zeros(len(q)), sp.sympify(potential)
        for body in bodies:
            linear = body.centre.jacobian(q)
            angular = _angular_jacobian(body.rotation, q)
            mass += body.mass * linear.T * linear + angular.T * body.inertia * angular
            energy -= body.mass * sp.Matrix(gravity).dot(body.centre)
        rates = [mass.diff(x) for x in coordinates]
        total = sum((rate * x for rate, x in zip(rates, v, strict=True)), sp.zeros(len(q)))
        kinetic = sp.Matrix([(v.T * rate * v)[0] / 2 for rate in rates])
        bias = total * v - kinetic + sp.Matrix([energy.diff(x) for x in coordinates])
        if force is not None:
            bias -= force(q, v)
        closure = sp.Matrix(list(constraints))
        jacobian = closure.jacobian(q) if len(closure) else sp.zeros(0, len(q))
        gamma = sp.Matrix([-(v.T * sp.hessian(c, coordinates) * v)[0] for c in closure])
        self.coordinates = tuple(map(str, coordinates))
        arguments = (*q, *v)
        self._terms = sp.lambdify(
            arguments, [mass.tolist(), list(bias), jacobian.tolist(), list(gamma)], "math", cse=True
        )
        self._closure = sp.lambdify(tuple(q), [list(closure), jacobian.tolist()], "math", cse=True)
        self._energy = sp.lambdify(arguments, (v.T * mass * v)[0] / 2 + energy, "math", cse=True)

    def acceleration(self, position: Any, velocity: Any) -> tuple[Any, Any]:
        """Return accelerations (n,) and multipliers (m,)."""
        mass, bias, jacobian, gamma = map(np.array, self._terms(*position, *velocity))
        n, m = len(bias), len(gamma)
        if not m:
            return np.linalg.solve(mass, -bias), gamma
        matrix = np.block([[mass, -jacobian.T], [jacobian, np.zeros((m, m))]])
        solved = np.linalg.solve(matrix, np.concatenate((-bias, gamma)))
        return solved[:n], solved[n:]

    def energy(self, position: Any, velocity: Any) -> float:
        """Return kinetic and potential energy (J)."""
        return float(self._energy(*position, *velocity))

    def closed(self, position: Any, velocity: Any, driven: int = 0) -> tuple[Any, Any]:
        """Return the state with closed loops; the first `driven` coordinates keep their values."""
        q = np.array(position, dtype=float)
        for _ in range(NEWTON_STEPS):
            closure, jacobian = map(np.array, self._closure(*q))
            if not len(closure):
                return q, np.array(velocity, dtype=float)
            step = np.linalg.lstsq(jacobian[:, driven:], closure, rcond=None)[0]
            q[driven:] -= step
            if np.abs(step).max() < 1e-15:
                break
        v, jacobian = np.array(velocity, dtype=float), np.array(self._closure(*q)[1])
        v[driven:] -= np.linalg.lstsq(jacobian[:, driven:], jacobian @ v, rcond=None)[0]
        return q, v

    def inverse(self, position: Any, velocity: Any, driven_acceleration: Any) -> Any:
        """Return the efforts of the driven coordinates, at the front, for their accelerations.

        The state is closed; virtual work: M a + h = J^T lambda, plus the efforts.
        """
        mass, bias, jacobian, gamma = map(np.array, self._terms(*position, *velocity))
        driven = len(driven_acceleration)
        right = gamma - jacobian[:, :driven] @ driven_acceleration
        acceleration = np.concatenate(
            (driven_acceleration, np.linalg.lstsq(jacobian[:, driven:], right, rcond=None)[0])
        )
        needed = mass @ acceleration + bias
        forces = np.linalg.lstsq(jacobian[:, driven:].T, needed[driven:], rcond=None)[0]
        return needed[:driven] - jacobian[:, :driven].T @ forces

    def motion(
        self, position: Any, velocity: Any, times: Iterable[float], method: str = "DOP853"
    ) -> tuple[Any, Any]:
        """Return positions and velocities at the times, the first of which is the start."""
        n = len(self.coordinates)
        q, v = self.closed(position, velocity)
        found_q, found_v = [q], [v]
        for begin, end in pairwise(times):
            run = solve_ivp(
                lambda _, y: np.concatenate((y[n:], self.acceleration(y[:n], y[n:])[0])),
                (begin, end),
                np.concatenate((q, v)),
                method=method,
                rtol=RTOL,
                atol=ATOL,
            )
            if not run.success:
                raise ArithmeticError(run.message)
            q, v = self.closed(run.y[:n, -1], run.y[n:, -1])
            found_q.append(q)
            found_v.append(v)
        return np.array(found_q), np.array(found_v)


def planar_rotation(angle: Any) -> sp.Matrix:
    """Return the rotation by an angle about z."""
    return sp.Matrix(
        [[sp.cos(angle), -sp.sin(angle), 0], [sp.sin(angle), sp.cos(angle), 0], [0, 0, 1]]
    )


def planar_body(
    mass: float, inertia: float, pin: sp.Matrix, angle: Any, centre: Sequence[float]
) -> Body:
    """Return a body in the plane x y: its pin, its angle, its centre from the pin in its axes."""
    rotation = planar_rotation(angle)
    return Body(mass, pin + rotation * vector(*centre), rotation, sp.diag(0, 0, inertia))


def vector(x: Any, y: Any, z: Any = 0) -> sp.Matrix:
    """Return a column of three."""
    return sp.Matrix([x, y, z])


def _angular_jacobian(rotation: sp.Matrix, q: sp.Matrix) -> sp.Matrix:
    """Return what the rates give as angular velocity in body axes (3, n)."""
    columns = []
    for x in q:
        spin = rotation.T * rotation.diff(x)
        columns.append([spin[2, 1], spin[0, 2], spin[1, 0]])
    return sp.Matrix(columns).T
