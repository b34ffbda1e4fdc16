# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The mass and the centre of a payload in the result of an identification."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

from .payload_columns import payload_label
from .result import IdentificationResult


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
