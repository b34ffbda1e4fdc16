# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Regression columns of a payload of unknown mass, centre and inertia on a described robot.

All bodies keep their described parameters, so that the mass of the payload alone is an unknown. The
mass of a link is not: only its combinations with those of other links affect the efforts.
"""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.errors import InputError, UnknownNameError, choices, shown
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .linear_parameters import LinearParameters
from .plausibility import robot_size

SIZES = np.repeat((0.01, 0.001, 1e-4), (1, 3, 6))  # of the robot's mass, by powers of its size
DEVIATION = 100.0  # expected, in these sizes: a prior without effect on determined parameters
UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
NO_LIMIT = (0.0, *(-math.inf,) * 9)


class PayloadColumns:
    """The columns of a payload in the regression of a robot's efforts.

    Parameters
    ----------
    model : Model
    name : str
        Of the payload, as in the section `payload_links` of the mechanisms file, or of a link.

    Raises
    ------
    UnknownNameError
        If no payload and no link has this name.
    InputError
        If the link is not moved.
    """

    def __init__(self, model: Model, name: str) -> None:
        links = {**{link: link for link in model.tree.links}, **model.mechanisms.payload_links}
        if name not in links:
            known = tuple(model.mechanisms.payload_links) or tuple(model.tree.links)
            raise UnknownNameError(f"payload '{shown(name)}' is unknown{choices(name, known)}")
        names = model.inertial_parameter_names
        if f"{links[name]} m" not in names:
            raise InputError(f"payload '{name}': link '{links[name]}' does not move")
        first = names.index(f"{links[name]} m")
        self._model, self._own = model, slice(first, first + 10)
        bodies = [link.inertial for link in model.tree.links.values() if link.inertial]
        size = robot_size(model) ** np.repeat((0, 1, 2), (1, 3, 6))
        sizes = SIZES * size * sum(body.mass for body in bodies)
        self.parameters = LinearParameters(
            labels=tuple(
                f"{payload_label(name)} {what.rpartition(' ')[2]}" for what in names[self._own]
            ),
            units=UNITS,
            values=np.zeros(10),
            sizes=sizes,
            deviations=DEVIATION * sizes,
            least=np.array(NO_LIMIT),
        )

    def of(self, position: Floats, velocity: Floats, acceleration: Floats) -> Floats:
        """Return the columns (n, a, 10)."""
        result: Floats = self._model.regressor(position, velocity, acceleration)[:, :, self._own]
        return result


def payload_label(name: str) -> str:
    """Return the beginning of the names of the parameters of a payload."""
    return f"payload {name}"
