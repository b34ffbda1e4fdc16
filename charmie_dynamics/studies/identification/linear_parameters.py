# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of springs and rotors: the efforts are linear in them, as in inertial parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats


class LinearParameters(NamedTuple):
    """Some parameters, (k,) arrays each.

    Attributes
    ----------
    labels, units : tuple of str
        Name of the spring or actuator, and quantity.
    values : array
        Of the description.
    sizes : array
        Values from which a parameter counts as large.
    deviations : array
        Expected standard deviations from the description.
    least : array
        Smallest possible values.
    """

    labels: tuple[str, ...]
    units: tuple[str, ...]
    values: Floats
    sizes: Floats
    deviations: Floats
    least: Floats


def joined(parts: Iterable[LinearParameters]) -> LinearParameters:
    """Return all parameters of some groups."""
    nothing = np.empty(0)
    some = [LinearParameters((), (), nothing, nothing, nothing, nothing), *parts]
    return LinearParameters(
        tuple(label for part in some for label in part.labels),
        tuple(unit for part in some for unit in part.units),
        *(np.concatenate([part[k] for part in some]) for k in range(2, 6)),
    )
