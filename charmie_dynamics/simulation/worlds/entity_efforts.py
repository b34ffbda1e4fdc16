# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Effort laws of the robots of a world, as one law of the world."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from charmie_dynamics.model.flat.checks import converted
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.integrators.applied_efforts import EffortLaw

from .world import World


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
