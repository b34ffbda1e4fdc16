# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.model.batch import BatchState
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from .energy import EnergyBalance, energy_of
from .integrated_motion import IntegratedMotion


@dataclass(frozen=True, eq=False)
class Run:
    """A simulated motion at k times.

    Attributes
    ----------
    model : Model
        The robot.
    integrator : str
        Name of the method.
    motion : IntegratedMotion
        All that integration gave.
    laws : (LAW_COUNT, v) array
        Limits and stops, see `core.integration.step_arrays`.
    start_energy : float
        Stored at the start (J).
    event_times : tuple of (e,) array
        When each of the events happened (s).
    evaluations : int
        How often accelerations were computed.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation import simulate
    >>> model = load_model("charmie_lar")
    >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
    >>> run.position.shape, run.evaluations
    ((11, 6), 40)
    """

    model: Model
    integrator: str
    motion: IntegratedMotion
    laws: Floats
    start_energy: float
    event_times: tuple[Floats, ...] = ()
    evaluations: int = 0

    @property
    def time(self) -> Floats:
        """Times (k,) in seconds.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import simulate
        >>> model = load_model("charmie_lar")
        >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
        >>> float(run.time[-1])
        0.01
        """
        return self.motion.time

    @property
    def position(self) -> Floats:
        """Positions (k, p): rad, m, pin-to-pin length; quaternions of length one.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import simulate
        >>> model = load_model("charmie_lar")
        >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
        >>> run.position.shape
        (11, 6)
        """
        return self.motion.position

    @property
    def velocity(self) -> Floats:
        """Velocities (k, v).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import simulate
        >>> model = load_model("charmie_lar")
        >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
        >>> run.velocity.shape
        (11, 6)
        """
        return self.motion.velocity

    @property
    def acceleration(self) -> Floats:
        """Accelerations (k, v).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import simulate
        >>> model = load_model("charmie_lar")
        >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
        >>> run.acceleration.shape
        (11, 6)
        """
        return self.motion.acceleration

    @property
    def effort(self) -> Floats:
        """Efforts (k, a) of the actuators, within their limits (N m or N).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import simulate
        >>> model = load_model("charmie_lar")
        >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
        >>> bool(run.effort.any())
        False
        """
        return self.motion.effort

    @cached_property
    def energy(self) -> EnergyBalance:
        """Energies (k,) each (J).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import simulate
        >>> model = load_model("charmie_lar")
        >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
        >>> bool(abs(run.energy.error).max() < 1e-9)
        True
        """
        return energy_of(self.model, self.laws, self.motion, self.start_energy)

    @property
    def constraint_error(self) -> Floats:
        """How far loop joints are open at most (k,): m, or the sine of an angle.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import simulate
        >>> model = load_model("charmie_lar")
        >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
        >>> bool(run.constraint_error.any())  # no constraints
        False
        """
        found: Floats = np.abs(self._of_loops(1)).max(axis=1, initial=0.0)
        return found

    @property
    def constraint_rank(self) -> Ints:
        """How many of the constraints of loop joints are independent (k,).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import simulate
        >>> model = load_model("charmie_lar")
        >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
        >>> int(run.constraint_rank.max())  # no constraints
        0
        """
        if not self.model.flat.sizes.r:
            return np.zeros(len(self.time), dtype=np.int64)
        return self.motion.loops[:, -1].astype(np.int64)

    def constraint_force(self, name: str) -> Floats:
        """Return force, then torque (k, 6) of a loop joint, by the first body on the second.

        World axes, at the second point; see `State.loop_force`.

        Raises
        ------
        UnknownNameError
            If there is no loop joint of that name.

        Examples
        --------
        >>> from charmie_dynamics import UnknownNameError, load_model
        >>> from charmie_dynamics.simulation import simulate
        >>> model = load_model("charmie_lar")
        >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
        >>> try:
        ...     run.constraint_force("pin")
        ... except UnknownNameError as error:
        ...     print(error)
        loop joint 'pin' is unknown. Valid: none
        """
        names = self.model.flat.mechanism_names["loop_joints"]
        if name not in names:
            raise UnknownNameError(f"loop joint '{name}' is unknown{choices(name, names)}")
        motion = self.position, self.velocity, self.acceleration
        multipliers = np.ascontiguousarray(self._of_loops(0))
        return BatchState(self.model.layout, motion, True, 1, multipliers).loop_force(name)

    def _of_loops(self, part: int) -> Floats:
        """Return a part (k, r) of the data on loops, see `IntegratedMotion`."""
        r = self.model.flat.sizes.r
        return self.motion.loops[:, part * r : (part + 1) * r]
