# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The compiled function of generated code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy.typing as npt

from charmie_dynamics.errors import CharmieError, InputError, UnsupportedError
from charmie_dynamics.model.flat.checks import checked
from charmie_dynamics.numerics.jit import compiled_at_once
from charmie_dynamics.numerics.vectors import Floats

from .subject import Subject


class EquationArrays(NamedTuple):
    """The terms of the equations of motion at one position and velocity.

    Attributes
    ----------
    mass_matrix, coriolis_matrix : (v, v) array
    gravity : (v,) array
        Efforts (N m or N).

    Examples
    --------
    >>> from charmie_dynamics.symbolic import derive
    >>> terms = derive("scara", "christoffel").function()([0.1, 0.0, 0.0, 0.0, 0.0])
    >>> terms.gravity.round(4)
    array([162.846 ,   0.    ,   0.    ,   0.    ,  -0.1962])
    """

    mass_matrix: Floats
    coriolis_matrix: Floats
    gravity: Floats


class LoopEquationArrays(NamedTuple):
    """The terms of the equations of motion of a robot with loop joints.

    Attributes
    ----------
    mass_matrix, coriolis_matrix : (v, v) array
    gravity : (v,) array
        Efforts (N m or N).
    jacobian, jacobian_rate : (r, v) array
        The constraints J acceleration + J' velocity = 0, as those of `Model.constraints`.
    """

    mass_matrix: Floats
    coriolis_matrix: Floats
    gravity: Floats
    jacobian: Floats
    jacobian_rate: Floats


class LoopAccelerations(NamedTuple):
    """Forward dynamics with loop joints.

    Attributes
    ----------
    acceleration : (v,) array
    multipliers : (r,) array
        Forces and torques of the loop joints along the rows of the Jacobian (N, N m). The
        generalised forces are jacobian^T multipliers.
    """

    acceleration: Floats
    multipliers: Floats


class LoopEfforts(NamedTuple):
    """Inverse dynamics with loop joints.

    Attributes
    ----------
    effort : (a,) array
        Of the actuators (N m or N).
    multipliers : (r,) array
        As those of `LoopAccelerations`.
    """

    effort: Floats
    multipliers: Floats


class LinearActuatorStates(NamedTuple):
    """Lengths, moment arms dL/dq, rates and forces of linear actuators.

    Attributes
    ----------
    length, moment_arm, rate, force : (b,) array
        In m, m (1 for prismatic joints), m/s and N; a positive force pushes the pins apart.
    """

    length: Floats
    moment_arm: Floats
    rate: Floats
    force: Floats


class EquationsFunction:
    """Mass matrix, Coriolis matrix and gravity of a position and a velocity.

    Parameters
    ----------
    code : str
        A module of Python.
    subject : Subject
        Of the code.

    Examples
    --------
    >>> from charmie_dynamics.symbolic import derive
    >>> function = derive("scara", "christoffel").function()
    >>> function([0.1, 0.2, 0.3, 0.4, 0.5]).mass_matrix.shape
    (5, 5)
    """

    def __init__(self, code: str, subject: Subject) -> None:
        name = subject.function
        scope: dict[str, Any] = {"__name__": __name__}
        exec(compile(code, f"<{name}>", "exec"), scope)
        arrays = 3 if subject.parameters else 2
        self._compute = scope[name] = compiled_at_once(scope[name], *["floats"] * arrays)
        self._solvers: list[Callable[..., Any] | None] = [
            scope.get(f"{subject.name}_{end}")
            for end in ("accelerations", "efforts", "linear_actuators")
        ]
        self._subject = subject
        self._has_parameters = bool(subject.parameters)
        # of inputs that need no conversion
        is_plain = len(subject.position) == len(subject.velocity) and not self._has_parameters
        self._shape = (len(subject.velocity),) if is_plain else None
        self._result: Any = LoopEquationArrays if subject.rows else EquationArrays

    def __call__(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        parameters: npt.ArrayLike | None = None,
    ) -> Any:
        """Return the terms: `EquationArrays`, of a robot with loop joints `LoopEquationArrays`.

        Parameters
        ----------
        position : (p,) array_like
            Of the coordinates (m or rad; quaternions of length one).
        velocity : (v,) array_like, optional
            Default: zero.
        parameters : (k,) array_like, optional
            Values of the parameters that are symbols. Default: those of the files.

        Raises
        ------
        InputError
            If the shape is wrong, or a value is not finite.
        """
        q: Any = position
        v: Any = velocity
        try:
            # the product of a value that is not finite is not finite either, even with zero
            if q.shape == v.shape == self._shape and math.isfinite(q.dot(v)):
                return self._result(*self._compute(q, v))
        except (AttributeError, TypeError):  # not arrays of floats: convert them
            pass
        return self._result(*self._compute(*self._inputs(position, velocity, parameters)))

    def accelerations(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        parameters: npt.ArrayLike | None = None,
    ) -> LoopAccelerations:
        """Return the accelerations and the reactions of loop joints that efforts lead to.

        Parameters
        ----------
        position, velocity, parameters
            As for the terms; the loops are closed.
        effort : (a,) array_like, optional
            Of the actuators, default: zero (N m or N).

        Raises
        ------
        InputError
            As for the terms.
        UnsupportedError
            For a robot without loop joints.
        CharmieError
            If a motion that the loops allow moves no mass.
        """
        names = [self._subject.joints[c] for c in self._subject.actuated]
        q, v, *values = self._inputs(position, velocity, parameters)
        try:
            found = self._solver(0)(q, v, *values, checked("effort", effort, names))
        except ArithmeticError as error:
            raise CharmieError(f"robot '{self._subject.robot}': {error}") from None
        return LoopAccelerations(*found)

    def efforts(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        parameters: npt.ArrayLike | None = None,
    ) -> LoopEfforts:
        """Return the efforts of the actuators and the reactions of loop joints for a motion.

        Parameters
        ----------
        position, velocity, parameters
            As for the terms; the loops are closed.
        acceleration : (v,) array_like, optional
            Default: zero. Those of coordinates without actuator change as little as closed loops
            require.

        Raises
        ------
        InputError
            As for the terms.
        UnsupportedError
            For a robot without loop joints.
        CharmieError
            If no efforts of the actuators lead to the motion.
        """
        q, v, *values = self._inputs(position, velocity, parameters)
        a = checked("acceleration", acceleration, self._subject.joints)
        try:
            return LoopEfforts(*self._solver(1)(q, v, *values, a))
        except ArithmeticError as error:
            raise CharmieError(f"robot '{self._subject.robot}': {error}") from None

    def linear_actuators(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        parameters: npt.ArrayLike | None = None,
    ) -> LinearActuatorStates:
        """Return lengths, moment arms, rates and forces of the linear actuators.

        Parameters
        ----------
        position, velocity, parameters
            As for the terms.
        effort : (a,) array_like, optional
            Of the joints with an actuator, default: zero (N m or N).

        Raises
        ------
        InputError
            As for the terms.
        UnsupportedError
            For a robot without linear actuators.
        """
        names = [self._subject.joints[c] for c in self._subject.actuated]
        q, v, *values = self._inputs(position, velocity, parameters)
        u = checked("effort", effort, names)
        return LinearActuatorStates(*self._solver(2)(q, v, *values, u))

    def _solver(self, index: int) -> Callable[..., Any]:
        solve = self._solvers[index]
        if solve is None:
            expected = "linear actuators, got none"
            if index < len(self._solvers) - 1:
                expected = (
                    "loop joints, got none; without loops, solve effort = M acceleration + "
                    "C velocity + g"
                )
            raise UnsupportedError(f"robot '{self._subject.robot}': expected {expected}")
        return solve

    def _inputs(self, position: Any, velocity: Any, parameters: Any) -> list[Floats]:
        """Return checked arrays."""
        subject = self._subject
        result = [
            checked("position", position, subject.position_joints),
            checked("velocity", velocity, subject.joints),
        ]
        if self._has_parameters:
            values = parameters
            if values is None:
                values = [each.value for each in subject.parameters]
            result.append(checked("parameters", values, [p.name for p in subject.parameters]))
        elif parameters is not None:
            raise InputError(
                "parameters: expected none, since no parameter is a symbol; name them by symbols "
                "when deriving"
            )
        return result
