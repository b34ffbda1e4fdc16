# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The efforts of a run: none, constant, or a law of time and state, of each robot of a world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from charmie_dynamics.model.flat.checks import checked, converted, require_finite
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

if TYPE_CHECKING:
    from .world import World

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


class EntityEfforts:
    """Efforts of a world, whose robots have laws that are independent of the world.

    Each law is called with the time, and with position and velocity of its entity alone, in the
    order of the robot's own model. Actuators of entities without a law have no effort.

    Parameters
    ----------
    world : World
    laws : mapping of str to callable
        By entity, as of `simulate`: a `control.Controller`, a `control.WheelDrive`, a function.

    Raises
    ------
    UnknownNameError
        If there is no such entity.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.simulation import EntityEfforts, world_of
    >>> world = world_of("entities: {arm: {urdf: scara}, robot: {urdf: scara}}")
    >>> laws = {"robot": lambda time, position, velocity: np.ones(5)}
    >>> run = world.simulate(0.1, EntityEfforts(world, laws))
    >>> run.effort[0]
    array([0., 0., 0., 0., 0., 1., 1., 1., 1., 1.])
    """

    def __init__(self, world: World, laws: Mapping[str, EffortLaw]) -> None:
        self._count = len(world.model.actuator_names)
        self._parts = [
            (
                name,
                law,
                world.columns(name, "position"),
                world.columns(name, "velocity"),
                world.columns(name),
            )
            for name, law in laws.items()
        ]

    def __call__(self, time: float, position: Floats, velocity: Floats) -> Floats:
        """Return the efforts (a,) of all actuators at a time, position (p,) and velocity (v,).

        Raises
        ------
        InputError
            If a law returns another number of efforts than its entity has actuators.
        """
        effort = np.zeros(self._count)
        for name, law, of_position, of_velocity, of_effort in self._parts:
            found = law(time, position[of_position], velocity[of_velocity])
            effort[of_effort] = converted(f"effort of '{name}'", found, (len(of_effort),))
        return effort
