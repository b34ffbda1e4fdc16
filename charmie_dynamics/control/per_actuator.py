# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers per actuator: one for all, by name, or as an array."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError, UnknownNameError, choices, shown
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

# one for all, (a,), or by the names of the actuators
PerActuator = npt.ArrayLike | Mapping[str, float]


def per_actuator(
    subject: str, given: PerActuator, names: Sequence[str], rest: Floats | None = None
) -> Floats:
    """Return numbers (a,) of at least zero; infinite ones are allowed with `rest`.

    Parameters
    ----------
    subject : str
        Name of the numbers in messages.
    given : float, (a,) array_like or mapping of str to float
    names : sequence of str
        Of the actuators.
    rest : (a,) array, optional
        Values of actuators that a mapping does not name. Without it, all must be named.

    Raises
    ------
    InputError
        If the shape is wrong, or a number is negative or not finite; names the actuator.
    UnknownNameError
        If a mapping names an unknown actuator.
    """
    if isinstance(given, Mapping):
        given = _in_order(subject, given, names, rest)
    try:
        values = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{subject}: expected numbers: {error}") from None
    if values.ndim == 0:
        values = np.full(len(names), values)
    if values.shape != (len(names),):
        raise InputError(
            f"{subject}: expected one number or shape ({len(names)},), got {values.shape}"
        )
    expected = "a finite number" if rest is None else "a number"
    fit = values >= 0.0 if rest is not None else (values >= 0.0) & np.isfinite(values)
    for k in np.flatnonzero(~fit).tolist():
        raise InputError(
            f"{subject}: expected {expected} of at least 0, got {values[k]:g} for '{names[k]}'"
        )
    return values


def _in_order(
    subject: str, given: Mapping[str, float], names: Sequence[str], rest: Floats | None
) -> list[float]:
    for name in given:
        if name not in names:
            raise UnknownNameError(
                f"{subject}: '{shown(name)}' is no actuator{choices(name, names)}"
            )
    if rest is not None:
        return [given.get(name, rest[k]) for k, name in enumerate(names)]
    left = [name for name in names if name not in given]
    if left:
        raise InputError(
            f"{subject}: expected a number for each of the {len(names)} actuators, got none for "
            f"{', '.join(left)}"
        )
    return [given[name] for name in names]


def rated_efforts(model: Model) -> Floats:
    """Return the rated efforts of the actuators (a,); infinite where none is defined."""
    return np.array([limit.effort or math.inf for limit in model.actuator_limits()])
