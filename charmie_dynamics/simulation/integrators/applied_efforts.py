# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The efforts of a run: none, constant, or a law of time and state."""

from __future__ import annotations

from collections.abc import Callable

import numpy.typing as npt

from charmie_dynamics.model.flat.checks import checked, converted, require_finite
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

# effort (a,) by time, position (p,) and velocity (v,)
EffortLaw = Callable[[float, Floats, Floats], npt.ArrayLike]


class AppliedEfforts:
    """The efforts of the actuators in a run.

    Attributes
    ----------
    held : (a,) array or None
        If they are constant.
    """

    def __init__(self, model: Model, given: npt.ArrayLike | EffortLaw | None) -> None:
        self._names = model.actuator_names
        self._law: EffortLaw
        self.held: Floats | None = None
        if callable(given):
            self._law = given
        else:
            held = self.held = checked("effort", given, self._names)
            self._law = lambda time, position, velocity: held

    def at(self, time: float, position: Floats, velocity: Floats) -> Floats:
        """Return the efforts (a,) at a time and state.

        Raises
        ------
        InputError
            If the law returns another shape, or values that are not finite.
        """
        if self.held is not None:
            return self.held
        # copies, which the law may keep
        found = self._law(time, position.copy(), velocity.copy())
        effort = converted("effort", found, (len(self._names),))
        require_finite("effort", effort, self._names)
        return effort
