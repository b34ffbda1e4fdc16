# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Regression columns of the rotors of actuators: each effort depends on its own acceleration.

The first joint of a robot turns its bodies about a fixed axis, so that its rotor cannot be
separated from the inertia of its link. The expected deviation of rotors is large compared with that
of the links: such a sum is attributed to the rotor.
"""

from __future__ import annotations

import numpy as np

from charmie_dynamics.model.equations.rotors import own_rotors
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.studies.robot_parameters.closed_motions import ClosedMotions

from .linear_parameters import LinearParameters

ROTOR = "rotor"
DEVIATION = 10.0  # of the inertia that the actuator moves at the zero position
LEAST_SHARE = 0.1  # of that inertia: smaller rotors do not count as large


def has_rotors(model: Model) -> bool:
    """Return whether the description of a robot has rotors."""
    return bool(model.mechanisms.all_rotors(model.tree))


class RotorColumns:
    """The columns of the rotors in the regression of a robot's efforts.

    Parameters
    ----------
    closing : ClosedMotions
        Of the described robot.
    actuators : (m,) array of int
        With unknown rotors.
    """

    def __init__(self, closing: ClosedMotions, actuators: Ints) -> None:
        model = closing.model
        self._actuators, self._index = actuators, model.actuator_index
        own = own_rotors(model.flat)[self._index[actuators]]
        moved = np.diagonal(model.equations(closing.start).mass_matrix)[actuators]
        names = [model.actuator_names[i] for i in actuators]
        units = ["kg" if model.effort_units[i] == "N" else "kg m^2" for i in actuators]
        self.parameters = LinearParameters(
            labels=tuple(f"{name} {ROTOR}" for name in names),
            units=tuple(units),
            values=own,
            sizes=np.maximum(own, LEAST_SHARE * moved),
            deviations=DEVIATION * moved,
            least=np.zeros(len(own)),
        )

    def of(self, position: Floats, velocity: Floats, acceleration: Floats) -> Floats:
        """Return the columns (n, a, m) at accelerations (n, v).

        They do not depend on position and velocity, which `EffortColumns` passes to all groups.
        """
        result = np.zeros((len(acceleration), len(self._index), len(self._actuators)))
        for k, i in enumerate(self._actuators.tolist()):
            result[:, i, k] = acceleration[:, self._index[i]]
        return result
