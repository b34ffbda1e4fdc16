# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics: from efforts to accelerations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .accelerated import accelerated_state
from .differentiation import Differentiation
from .equations.accelerations import solve_accelerations
from .equations.results import Derivatives, ForwardDerivatives
from .flat.block_layout import BlockLayout
from .state import State


class ForwardDynamics(Differentiation, ABC):
    """The part of a `Model` that turns efforts into accelerations."""

    layout: BlockLayout

    @abstractmethod
    def without_friction(self) -> ForwardDynamics:
        """Return this robot without friction."""

    def forward(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
    ) -> State:
        """Return the state to which efforts lead: forward dynamics.

        Parameters
        ----------
        position : (..., p) array_like
            As for `compute`.
        velocity : (..., v) array_like, optional
            Zero if omitted.
        effort : (..., a) array_like, optional
            Of the actuators (N or N m); zero if omitted.
        friction : bool
            Whether the friction that the files define acts.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        State
            Its ``acceleration`` is the result, its ``actuator_effort`` the given effort. Loads are
            computed on first access.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`; for efforts that are not finite it names the actuator.
        MassMatrixError
            If a joint, or several together, move no mass, or so little that no digit of an
            acceleration would be right.

        Notes
        -----
        By articulated bodies (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3), in
        time linear in the bodies.

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
        if not friction and self.has_friction:
            return self.without_friction().forward(position, velocity, effort, workers=workers)
        return accelerated_state(self, self.layout, (position, velocity, effort), workers)

    def forward_derivatives(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        parameters: Sequence[str] = (),
        friction: bool = True,
        workers: int | None = None,
    ) -> ForwardDerivatives:
        """Return the derivatives of the accelerations to which efforts lead.

        Parameters
        ----------
        position, velocity, effort
            As for `forward`.
        parameters : sequence of str
            As for `derivatives`.
        friction : bool
            As for `forward`.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        ForwardDerivatives
            ``acceleration_by_position``, ``acceleration_by_velocity``, ``acceleration_by_effort``
            (..., v, v), ``acceleration_by_parameter`` (..., v, k).

        Raises
        ------
        InputError, OutOfReachError, MassMatrixError
            As `forward`.
        UnsupportedError
            If there are loop joints.

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
        self.require_no_loop_joints("forward derivatives")
        state = self.forward(position, velocity, effort, friction=friction, workers=workers)
        return self._inverted(
            self.derivatives(
                position,
                velocity,
                state.acceleration.copy(),
                parameters=parameters,
                friction=friction,
                workers=workers,
            )
        )

    def _inverted(self, derivatives: Derivatives) -> ForwardDerivatives:
        # effort(x, a) = const: d effort/dx + M da/dx = 0, for each x
        M = derivatives.effort_by_acceleration
        v = M.shape[-1]
        parts = [
            -derivatives.effort_by_position,
            -derivatives.effort_by_velocity,
            np.broadcast_to(np.eye(v), M.shape),
            -derivatives.effort_by_parameter,
        ]
        columns = np.concatenate(parts, axis=-1)
        found = solve_accelerations(M, columns, self.velocity_names, self.warnings)
        by_position, by_velocity, by_effort, by_number = np.split(found, [v, 2 * v, 3 * v], axis=-1)
        return ForwardDerivatives(by_position, by_velocity, by_effort, by_number)
