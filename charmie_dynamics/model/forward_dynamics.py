# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics: from efforts to accelerations."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from charmie_dynamics.numerics.vectors import Floats

from .accelerated import accelerated_state, accelerations_of_rows
from .batch import BatchState
from .differentiation import Differentiation
from .equations.accelerations import solve_accelerations
from .equations.results import Derivatives, Equations, ForwardDerivatives
from .flat.block_layout import BlockLayout
from .flat.checks import converted, require_finite
from .state import State


class ForwardDynamics(Differentiation, ABC):
    """The part of a `Model` that turns efforts into accelerations."""

    layout: BlockLayout

    def forward(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
    ) -> State:
        """Return the state to which efforts lead: forward dynamics.

        Parameters
        ----------
        position : (v,) array_like
            Of the actuators.
        velocity, effort : (v,) array_like, optional
            Of the actuators; zero if omitted.

        Returns
        -------
        State
            Its ``acceleration`` is the result, its ``actuator_effort`` the given effort.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`.
        MassMatrixError
            If the mass matrix cannot be inverted.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = model.zero_position()
        >>> effort = model.compute(position).actuator_effort  # holds it still
        >>> state = model.forward(position, effort=effort)
        >>> bool(abs(state.acceleration).max() < 1e-9)
        True
        """
        return accelerated_state(self, self.layout, friction, (position, velocity, effort))

    def forward_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
    ) -> BatchState:
        """Return the states to which efforts lead, for N samples; as `forward`.

        Parameters
        ----------
        position, velocity, effort : (N, v) array_like
        friction : bool
            As for `forward`.
        workers : int, optional
            Number of threads; all cores if omitted.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = np.tile(model.zero_position(), (100, 1))
        >>> model.forward_batch(position).acceleration.shape
        (100, 21)
        """
        given = accelerations_of_rows(self, friction, (position, velocity, effort), workers)
        return BatchState(self.layout, given, True, workers, at_once=False)

    def forward_derivatives(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        numbers: Sequence[str] = (),
    ) -> ForwardDerivatives:
        """Return the derivatives of the accelerations to which efforts lead.

        Parameters
        ----------
        position, velocity, effort
            As for `forward`.
        numbers : sequence of str
            As for `derivatives`.

        Returns
        -------
        ForwardDerivatives
            ``acceleration_by_position``, ``acceleration_by_velocity``, ``acceleration_by_effort``
            (v, v), ``acceleration_by_number`` (v, k).

        Raises
        ------
        InputError, OutOfReachError, MassMatrixError
            As `forward`.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = model.zero_position()
        >>> derivatives = model.forward_derivatives(position)
        >>> mass_matrix = model.equations(position).mass_matrix
        >>> product = mass_matrix @ derivatives.acceleration_by_effort
        >>> bool(np.allclose(product, np.eye(21)))
        True
        """
        self._require_no_loop_joints("forward derivatives")
        terms = self.equations(position, velocity)
        acceleration = self._accelerations(terms, velocity, effort)
        return self._inverted(self.derivatives(position, velocity, acceleration, numbers=numbers))

    def forward_derivatives_batch(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        numbers: Sequence[str] = (),
        workers: int | None = None,
    ) -> ForwardDerivatives:
        """Return the derivatives of the accelerations of N samples; as `forward_derivatives`.

        Parameters
        ----------
        position, velocity, effort : (N, v) array_like
        numbers : sequence of str
            As for `derivatives`.
        workers : int, optional
            Number of threads; all cores if omitted.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = np.tile(model.zero_position(), (10, 1))
        >>> model.forward_derivatives_batch(position).acceleration_by_effort.shape
        (10, 21, 21)
        """
        self._require_no_loop_joints("forward derivatives")
        terms = self.equations_batch(position, velocity, workers=workers)
        acceleration = self._accelerations(terms, velocity, effort)
        return self._inverted(
            self.derivatives_batch(
                position, velocity, acceleration, numbers=numbers, workers=workers
            )
        )

    def _accelerations(
        self, terms: Equations, velocity: npt.ArrayLike | None, effort: npt.ArrayLike | None
    ) -> Floats:
        rest = -(terms.gravity_effort + terms.spring_effort + terms.external_effort)
        if velocity is not None:
            # in one order, since products of other ones are summed up in another
            v = np.ascontiguousarray(velocity, dtype=np.float64)
            rest -= (terms.coriolis_matrix @ v[..., None])[..., 0]
        if effort is not None:
            given = converted("effort", effort, (*rest.shape[:-1], len(self.actuator_names)))
            require_finite("effort", given, self.actuator_names)
            rest[..., self.actuator_index] += given
        return self._solve(terms.mass_matrix, rest[..., None])[..., 0]

    def _inverted(self, derivatives: Derivatives) -> ForwardDerivatives:
        # effort(x, a) = const: d effort/dx + M da/dx = 0, for each x
        M = derivatives.effort_by_acceleration
        v = M.shape[-1]
        parts = [
            -derivatives.effort_by_position,
            -derivatives.effort_by_velocity,
            np.broadcast_to(np.eye(v), M.shape),
            -derivatives.effort_by_number,
        ]
        found = self._solve(M, np.concatenate(parts, axis=-1))
        by_position, by_velocity, by_effort, by_number = np.split(found, [v, 2 * v, 3 * v], axis=-1)
        return ForwardDerivatives(by_position, by_velocity, by_effort, by_number)

    def _solve(self, mass_matrix: Floats, columns: Floats) -> Floats:
        return solve_accelerations(mass_matrix, columns, self.velocity_names, self.warnings)
