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
from charmie_dynamics.model.flat.described_robot import DescribedRobot
from charmie_dynamics.numerics.vectors import Floats

from .evaluation import KernelCall, evaluate, evaluate_rows
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

    def jacobian(self, position: npt.ArrayLike, frame: str, point: Point = ORIGIN) -> Floats:
        """Return how the motion of a point depends on the velocities of the actuators.

        Parameters
        ----------
        position : (p,) array_like
            As for `Model.compute`.
        frame : str
            Name of a link or of an auxiliary body.
        point : (3,) sequence
            Fixed in that frame (m); its origin if omitted.

        Returns
        -------
        (6, v) array
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
            if jacobians.run(jacobians.addresses, position, body, x, y, z, out) == REACHED:
                return out
        except Exception:  # whatever is no array of floats, or read-only: copies are tried below
            pass
        return jacobians.of_point(position, frame, point)

    def jacobian_batch(
        self,
        position: npt.ArrayLike,
        frame: str,
        point: Point = ORIGIN,
        *,
        workers: int | None = None,
    ) -> Floats:
        """Return the Jacobians (N, 6, v) of a point at N positions (N, p); as `jacobian`.

        Parameters
        ----------
        position : (N, p) array_like
        frame, point
            As for `jacobian`.
        workers : int, optional
            Number of threads; all cores if omitted.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = np.tile(model.zero_position(), (100, 1))
        >>> model.jacobian_batch(position, "head").shape
        (100, 6, 21)
        """
        return Jacobians(self).of_rows(position, frame, point, workers)

    def equations(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
    ) -> Equations:
        """Return the terms of the equations of motion.

        Parameters
        ----------
        position : (p,) array_like
            As for `Model.compute`.
        velocity : (v,) array_like, optional
            Zero if omitted.
        friction : bool
            Include the friction that the files define; otherwise `friction_effort` is zero.

        Returns
        -------
        Equations
            ``mass_matrix``, ``coriolis_matrix`` (v, v), ``gravity_effort``, ``spring_effort``,
            ``external_effort``, ``friction_effort`` (v,).

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
        found = evaluate(self, EQUATIONS, (position, velocity, None))
        return _equations(found, friction)

    def equations_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
    ) -> Equations:
        """Return the terms for N states, each with a leading axis of N; as `equations`.

        Parameters
        ----------
        position, velocity : (N, p) and (N, v) array_like
        friction : bool
            As for `equations`.
        workers : int, optional
            Number of threads; all cores if omitted.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = np.tile(model.zero_position(), (100, 1))
        >>> model.equations_batch(position).mass_matrix.shape
        (100, 21, 21)
        """
        found = evaluate_rows(self, EQUATIONS, (position, velocity, None), workers)
        return _equations(found, friction)

    def energy(self, position: npt.ArrayLike, velocity: npt.ArrayLike | None = None) -> Energy:
        """Return kinetic, gravitational (zero: origin of the world) and elastic energy (J).

        Parameters
        ----------
        position, velocity : (p,) and (v,) array_like
            As for `equations`.

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
        return Energy(*evaluate(self, ENERGY, (position, velocity, None))[0].tolist())

    def energy_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> Energy:
        """Return the energies of N states, (N,) each; as `energy`.

        Parameters
        ----------
        position, velocity : (N, p) and (N, v) array_like
        workers : int, optional
            Number of threads; all cores if omitted.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = np.tile(model.zero_position(), (100, 1))
        >>> model.energy_batch(position).total.shape
        (100,)
        """
        given = position, velocity, None
        return Energy(*evaluate_rows(self, ENERGY, given, workers)[0].T.copy())


def _equations(found: Any, friction: bool) -> Equations:
    terms = Equations(*terms_of(found))
    if not friction:
        terms.friction_effort[...] = 0.0
    return terms


def terms_of(found: Any) -> tuple[Floats, Any]:
    """Return a result's numbers and where its arrays are."""
    return found[0], found[1].places
