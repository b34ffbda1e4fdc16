# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of motion of a robot, their matrices and derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.energy import run_energy
from charmie_dynamics.core.equations.equations_of_motion import run_equations
from charmie_dynamics.core.equations.records import (
    EnergyTerms,
    EquationsRoom,
    EquationTerms,
)
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.model.flat.checks import are_many
from charmie_dynamics.model.flat.described_robot import DescribedRobot
from charmie_dynamics.numerics.vectors import Floats

from .evaluation import KernelCall, evaluate
from .jacobians import ORIGIN, Jacobians, Point
from .results import Energy, Equations

EQUATIONS = KernelCall(run_equations, EquationTerms, EquationsRoom)
ENERGY = KernelCall(run_energy, EnergyTerms, EquationsRoom)
JACOBIANS = "jacobians"


class EquationsOfMotion(DescribedRobot):
    """The part of a `Model` that gives matrices: of points, of the equations, of derivatives.

    Everything is in the coordinates of the actuators; the loops, springs and balance mechanisms
    are in it. `Model.open_tree` is the same robot without them, in coordinates of the joints.
    """

    def require_no_loop_joints(self, subject: str) -> None:
        """Refuse a computation that does not take loop joints into account.

        Raises
        ------
        UnsupportedError
            If there are any.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().require_no_loop_joints("derivatives")  # CHARMIE has none
        """
        names = self.flat.mechanism_names["loop_joints"]
        if names:
            raise UnsupportedError(
                f"{subject}: expected a robot without loop joints, got '{self.name}' with "
                f"{', '.join(names)}"
            )

    def jacobian(
        self,
        position: npt.ArrayLike,
        frame: str,
        point: Point = ORIGIN,
        *,
        workers: int | None = None,
    ) -> Floats:
        """Return how the motion of a point depends on the velocities of the actuators.

        Parameters
        ----------
        position : (..., p) array_like
            As for `Model.compute`.
        frame : str
            Name of a link or of an auxiliary body.
        point : (3,) sequence
            Fixed in that frame (m); its origin if omitted.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        (..., 6, v) array
            Three rows of the point's velocity, then three of the angular velocity of the frame;
            world axes.

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        InputError, OutOfReachError
            As `Model.compute`; and for an invalid point.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> jacobian = model.jacobian(model.zero_position(), "left_tool", point=(0, 0, 0.1))
        >>> print(jacobian[2, 3].round(3))  # of the lift actuator, upwards: geared up
        1.014
        """
        prepared = self.flat.blocks.prepared
        jacobians: Jacobians = prepared.get(JACOBIANS) or prepared.setdefault(
            JACOBIANS, Jacobians(self)
        )
        out = np.empty(jacobians.shape)
        try:
            x, y, z = point
            body = jacobians.links[frame]
            given: Any = position
            if (
                given.ndim == 1
                and jacobians.run(jacobians.addresses, given, body, x, y, z, out) == REACHED
            ):
                return out
        except Exception:  # whatever is no array of floats, or read-only: copies are tried below
            pass
        if are_many(position):
            return jacobians.of_rows(position, frame, point, workers)
        return jacobians.of_point(position, frame, point)

    def equations(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
    ) -> Equations:
        """Return the terms of the equations of motion.

        Parameters
        ----------
        position : (..., p) array_like
            As for `Model.compute`.
        velocity : (..., v) array_like, optional
            Zero if omitted.
        friction : bool
            Include the friction that the files define; otherwise `friction_effort` is zero.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        Equations
            ``mass_matrix``, ``coriolis_matrix`` (..., v, v), ``gravity_effort``,
            ``spring_effort``, ``external_effort``, ``friction_effort`` (..., v).

        Raises
        ------
        InputError, OutOfReachError
            As `Model.compute`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> equations = model.equations(model.zero_position())
        >>> print(equations.mass_matrix[0, 0].round(2))  # kg: the whole mass, along x
        57.82
        """
        found = evaluate(self, EQUATIONS, (position, velocity, None), workers)
        return _equations(found, friction)

    def energy(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> Energy:
        """Return kinetic, gravitational (zero: origin of the world) and elastic energy (J).

        Parameters
        ----------
        position, velocity : (..., p) and (..., v) array_like
            As for `equations`.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Raises
        ------
        InputError, OutOfReachError
            As `Model.compute`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> energy = model.energy(model.zero_position())
        >>> f"{energy.gravitational:.1f} J, {energy.elastic:.1f} J"
        '333.0 J, 32.7 J'
        """
        found = evaluate(self, ENERGY, (position, velocity, None), workers)[0]
        if found.ndim == 1:
            return Energy(*found.tolist())
        return Energy(*np.moveaxis(found, -1, 0).copy())


def _equations(found: Any, friction: bool) -> Equations:
    terms = Equations(*terms_of(found))
    if not friction:
        terms.friction_effort[...] = 0.0
    return terms


def terms_of(found: Any) -> tuple[Floats, Any]:
    """Return a result's numbers and where its arrays are."""
    return found[0], found[1].places
