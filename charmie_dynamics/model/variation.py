# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots that differ from their description in masses, springs and friction."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .description.robot import JointFriction
from .model import Model

SPRINGS = ("springs", "balance_mechanisms", "joint_springs")  # sections of mechanisms


def varied(
    model: Model,
    mass: Callable[[], float],
    spring: Callable[[], float] = lambda: 1.0,
    friction: Callable[[], float] = lambda: 0.0,
) -> Model:
    """Return a robot with other parameters and the same loads.

    Parameters
    ----------
    model : Model
    mass : callable
        Returns the factor of mass and inertia of a link.
    spring : callable
        Returns the factor of stiffness and pretension of a spring.
    friction : callable
        Returns the additional Coulomb friction of an actuator, as part of its rated effort.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.variation import varied
    >>> model = load_model("scara")
    >>> round(varied(model, lambda: 1.1).total_mass / model.total_mass, 6)
    1.1
    """

    def scaled(part: Any, factor: float, *names: str) -> Any:
        present = [name for name in names if hasattr(part, name)]
        return replace(part, **{name: getattr(part, name) * factor for name in present})

    links = dict(model.tree.links)
    for name, link in model.tree.links.items():
        if link.inertial is not None:
            links[name] = replace(link, inertial=scaled(link.inertial, mass(), "mass", "inertia"))
    old = model.mechanisms
    springs: dict[str, Any] = {
        section: tuple(
            scaled(part, spring(), "stiffness", "pretension") for part in getattr(old, section)
        )
        for section in SPRINGS
    }
    laws = dict(old.friction)
    for name, limit in zip(model.actuator_names, model.actuator_limits(), strict=True):
        own = laws.get(name, JointFriction(0.0, 0.0))
        added = friction() * limit.effort
        if 0.0 < added < math.inf:
            laws[name] = replace(own, coulomb=own.coulomb + added)
    changed = Model(replace(model.tree, links=links), replace(old, friction=laws, **springs))
    return changed.with_loads(*model.robot.loads)
