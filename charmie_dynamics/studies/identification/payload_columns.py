# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Regression columns of a payload of unknown mass, centre and inertia on a described robot.

All bodies keep their described parameters, so that the mass of the payload alone is an unknown. The
mass of a link is not: only its combinations with those of other links affect the efforts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError, UnknownNameError, choices, shown
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .linear_parameters import LinearParameters
from .plausibility import robot_size

if TYPE_CHECKING:
    from .result import IdentificationResult

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


class IdentifiedPayload(NamedTuple):
    """A payload in addition to the loads of the description and of the recording.

    Attributes
    ----------
    name : str
    mass, mass_half_width : float
        kg; inf: the motion does not determine the mass.
    com, com_half_width : (3,) array
        In the frame of its link (m).
    """

    name: str
    mass: float
    mass_half_width: float
    com: Floats
    com_half_width: Floats


def payload_of(result: IdentificationResult) -> IdentifiedPayload | None:
    """Return the payload with bounds of its intervals of 95 %; None if it was no unknown."""
    name = result.columns.unknowns.payload
    if not name:
        return None
    numbers = {number.name: number for number in result.numbers}
    rows = [numbers.get(f"{payload_label(name)} {what}") for what in ("m", "mx", "my", "mz")]
    estimate = np.array([math.nan if row is None else row.estimate for row in rows])
    width = np.array([math.inf if row is None else row.half_width for row in rows])
    com = estimate[1:] / estimate[0]
    # whatever the correlation of mass and moment
    com_width = (width[1:] + np.abs(com) * width[0]) / np.abs(estimate[0])
    return IdentifiedPayload(name, float(estimate[0]), float(width[0]), com, com_width)


def payload_line(payload: IdentifiedPayload) -> str:
    """Return the values of a payload, and the option that sets it."""
    start = f"payload {payload.name}: "
    if not payload.mass_half_width < math.inf:
        return f"{start}the motion does not determine its mass; move more joints below it"
    start += f"mass {payload.mass:.4g} +- {payload.mass_half_width:.2g} kg"
    if payload.mass <= payload.mass_half_width:
        return f"{start}, which does not differ from zero"
    com = payload.com.tolist()
    widths = payload.com_half_width.tolist()
    centre = ", ".join(f"{c:.4f} +- {w:.1g}" for c, w in zip(com, widths, strict=True))
    option = ",".join(f"{value:.4g}" for value in (payload.mass, *com))
    return (
        f"{start}, centre of mass {centre} m in the frame of its link; as an option: --payload "
        f"{payload.name}={option}"
    )
