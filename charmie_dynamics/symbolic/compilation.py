# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The compiled function of generated code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy.typing as npt

from charmie_dynamics.model.flat.checks import checked
from charmie_dynamics.numerics.jit import compiled_at_once
from charmie_dynamics.numerics.vectors import Floats


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


class EquationsFunction:
    """Mass matrix, Coriolis matrix and gravity of a position and a velocity.

    Parameters
    ----------
    code : str
        A module of Python.
    name : str
        Of the function in it.
    joint_names : sequence of str
        For messages of errors.

    Examples
    --------
    >>> from charmie_dynamics.symbolic import derive
    >>> function = derive("scara", "christoffel").function()
    >>> function([0.1, 0.2, 0.3, 0.4, 0.5]).mass_matrix.shape
    (5, 5)
    """

    def __init__(self, code: str, name: str, joint_names: Sequence[str]) -> None:
        scope: dict[str, Any] = {"__name__": __name__}
        exec(compile(code, f"<{name}>", "exec"), scope)
        self._compute = compiled_at_once(scope[name], "floats", "floats")
        self._names = tuple(joint_names)
        self._shape = (len(self._names),)

    def __call__(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike | None = None
    ) -> EquationArrays:
        """Return the terms.

        Parameters
        ----------
        position : (v,) array_like
            Of the coordinates (m or rad).
        velocity : (v,) array_like, optional
            Default: zero.

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
                return EquationArrays(*self._compute(q, v))
        except (AttributeError, TypeError):  # not arrays of floats: convert them
            pass
        q = checked("position", position, self._names)
        return EquationArrays(*self._compute(q, checked("velocity", velocity, self._names)))
