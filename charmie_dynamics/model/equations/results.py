# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the equations of motion consist of, at one state or at many.

All is in the coordinates of the actuators. Arrays have the leading axes of the states. They are the
result's own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from charmie_dynamics.numerics.blocks import Place
from charmie_dynamics.numerics.vectors import Floats

Terms = TypeVar("Terms", bound="TermArrays")


class TermArrays:
    """Some arrays in one block of memory.

    Parameters
    ----------
    block : (..., k) array
    places : mapping of str to Place
        Where each array is.
    """

    __slots__ = ("_block", "_places")

    def __init__(self, block: Floats, places: Mapping[str, Place]) -> None:
        self._block = block
        self._places = places

    def __repr__(self) -> str:
        lead = self._block.shape[:-1]
        arrays = (f"{name} {(*lead, *shape)}" for name, (_, shape) in self._places.items())
        return f"<{type(self).__name__}: {', '.join(arrays)}>"

    @property
    def block(self) -> Floats:
        """All of them one after the other, (..., k)."""
        return self._block

    def of_sample(self: Terms, n: int) -> Terms:
        """Return those of state `n` of many, counted over all leading axes."""
        return type(self)(self._block.reshape(-1, self._block.shape[-1])[n], self._places)

    def get(self, name: str) -> Floats:
        """Return an array by its name."""
        first, shape = self._places[name]
        part = self._block[..., first : first + math.prod(shape)]
        return part.reshape(*self._block.shape[:-1], *shape)


class Equations(TermArrays):
    """The terms of the equations of motion.

    effort = mass_matrix a + coriolis_matrix v + gravity_effort + spring_effort + external_effort
    + friction_effort

    with velocities v and accelerations a of the k coordinates that are not passive, all of them
    without loop joints. The time derivative of the mass matrix less twice the Coriolis matrix is
    skew-symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> model = load_model()
    >>> position, velocity = model.zero_position(), np.full(21, 0.05)
    >>> equations = model.equations(position, velocity)
    >>> effort = equations.coriolis_matrix @ velocity
    >>> effort += equations.gravity_effort + equations.spring_effort
    >>> bool(np.allclose(effort, model.compute(position, velocity).actuator_effort))
    True
    """

    __slots__ = ()

    def effort(self, velocity: Floats, acceleration: Floats) -> Floats:
        """Return the sum of all terms for velocities and accelerations (k,)."""
        motion = self.mass_matrix @ acceleration + self.coriolis_matrix @ velocity
        held = self.gravity_effort + self.spring_effort + self.external_effort
        result: Floats = motion + held + self.friction_effort
        return result

    @property
    def mass_matrix(self) -> Floats:
        """Symmetric, (k, k); kg, kg m or kg m^2."""
        return self.get("mass_matrix")

    @property
    def coriolis_matrix(self) -> Floats:
        """Made of the Christoffel symbols of the mass matrix, (k, k)."""
        return self.get("coriolis_matrix")

    @property
    def gravity_effort(self) -> Floats:
        """What holds the weight of the bodies, (k,); N or N m."""
        return self.get("gravity_effort")

    @property
    def spring_effort(self) -> Floats:
        """What holds the springs, those of balance mechanisms included, (k,); N or N m."""
        return self.get("spring_effort")

    @property
    def external_effort(self) -> Floats:
        """Efforts that hold wrenches and velocities of idle motions, (k,); N or N m."""
        return self.get("external_effort")

    @property
    def friction_effort(self) -> Floats:
        """Efforts that overcome the friction, zero at rest, (k,); N or N m."""
        return self.get("friction_effort")


class Energy(NamedTuple):
    """Energies of a robot (J), each a number, or an array (...) of the leading axes.

    Attributes
    ----------
    kinetic : float
    gravitational : float
        Zero with all mass at the origin of the world.
    elastic : float
        Of the springs, those of balance mechanisms included.
    """

    kinetic: Floats
    gravitational: Floats
    elastic: Floats

    @property
    def total(self) -> Floats:
        """Sum of the three."""
        return self.kinetic + self.gravitational + self.elastic


class Derivatives(TermArrays):
    """Derivatives of the efforts of the actuators, row by row, by the variable of each column.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> model = load_model()
    >>> position = model.zero_position()
    >>> derivatives = model.derivatives(position)
    >>> mass_matrix = model.equations(position).mass_matrix
    >>> bool(np.allclose(derivatives.effort_by_acceleration, mass_matrix))
    True
    """

    __slots__ = ("_by_number",)

    def __init__(
        self, block: Floats, places: Mapping[str, Place], by_number: Floats | None = None
    ) -> None:
        super().__init__(block, places)
        self._by_number = by_number

    @property
    def effort_by_position(self) -> Floats:
        """(k, k) array."""
        return self.get("effort_by_position")

    @property
    def effort_by_velocity(self) -> Floats:
        """(k, k) array, slopes of friction and dampers included."""
        return self.get("effort_by_velocity")

    @property
    def effort_by_acceleration(self) -> Floats:
        """(k, k) array: the mass matrix."""
        return self.get("effort_by_acceleration")

    @property
    def effort_by_parameter(self) -> Floats:
        """(k, n) array, by the numbers that were asked for, in their order."""
        if self._by_number is None:
            return np.zeros((*self.effort_by_acceleration.shape[:-1], 0))
        return self._by_number


class ForwardDerivatives(NamedTuple):
    """Derivatives of the accelerations, each (..., k, k) as `Equations`.

    Attributes
    ----------
    acceleration_by_position, acceleration_by_velocity : array
    acceleration_by_effort : array
        The inverse of the mass matrix.
    acceleration_by_parameter : (..., k, n) array
        By the numbers that were asked for.
    """

    acceleration_by_position: Floats
    acceleration_by_velocity: Floats
    acceleration_by_effort: Floats
    acceleration_by_parameter: Floats
