# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parts of a scene: fixed lists of shapes, and rows that are updated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import coordinate_limits
from charmie_dynamics.model.stability import Stability, Support, stability_of
from charmie_dynamics.model.state import State

from .appearance import Rows
from .colors import LOAD_COLORS, load_colors, rate_loads
from .shape import Floats, Shape

# Distance from the root to the last body of the robot, along the tree, for which the sizes of
# arrows, arcs, balls and letters are designed (m): that of CHARMIE.
USUAL_REACH = 2.026


class RelativeLoads(NamedTuple):
    """Loads of a state relative to the rated ones; all zero if unknown."""

    effort: Floats  # (q,) from the rated effort; 0 without actuator or rated effort
    effort_color: Floats  # (q, 4) see `load_colors`
    tension: Floats  # (s + b,) springs, from the tension at 1.5 times the free length
    tension_color: Floats  # (s + b, 4) of a spring as of an actuator with the same pull
    stability: Stability | None  # None with unknown loads


class Part(Protocol):
    """Some shapes of a scene.

    `shapes` are in the order of the rows. `update` writes the values that depend on the state and
    its loads. Static parts inherit both methods, which do nothing.
    """

    shapes: Sequence[Shape]

    def attach(self, rows: Rows) -> None:
        """Set the rows to write into; they show `shapes` at first."""
        return

    def update(self, state: State, loads: RelativeLoads) -> None:
        """Write the appearance of the shapes in a state."""
        return


class Rating:
    """Conversion of a state to loads relative to the ratings of actuators and springs."""

    def __init__(self, model: Model, support: Support) -> None:
        self._model = model
        self._support = support
        limits = np.array([limit.effort for limit in coordinate_limits(model)])
        springs = model.flat.mechanisms.springs
        tension = springs.pretension + 0.5 * springs.stiffness * springs.free_length
        self._count = len(limits)
        # a spring pulls: its colour is that of an actuator with a negative effort
        self._per_load = _reciprocal(np.concatenate((limits, tension)))
        self._sign = np.concatenate((np.ones(len(limits)), -np.ones(len(tension))))
        places = model.layout.places
        self._first = places["actuator_effort"].first, places["spring_tension"].first
        none = np.zeros(len(self._per_load))
        self._none = self._divided(none, load_colors(none))
        self._share, self._color = none.copy(), load_colors(none)
        self._loads = self._divided(self._share, self._color)

    def loads(self, state: State) -> RelativeLoads:
        """Return the loads of a state; the next call overwrites the arrays."""
        if not state.has_dynamics:
            return self._none
        rate_loads(
            state.block,
            (*self._first, self._count),
            self._per_load,
            self._sign,
            LOAD_COLORS,
            self._share,
            self._color,
        )
        return self._loads._replace(stability=stability_of(self._model, self._support, state))

    def _divided(self, share: Floats, color: Floats) -> RelativeLoads:
        q = self._count
        return RelativeLoads(share[:q], color[:q], share[q:], color[q:], None)


def size_of(model: Model) -> float:
    """Return the size of a robot as a multiple of CHARMIE's, for shapes without a size."""
    tree = model.flat.tree
    reach = np.zeros(len(tree.parent))
    for i, parent in enumerate(tree.parent):
        if parent >= 0:
            reach[i] = reach[parent] + np.linalg.norm(tree.p_parent_joint[i])
    longest = float(reach.max())
    return longest / USUAL_REACH if longest > 0.0 else 1.0


def _reciprocal(values: Floats) -> Floats:
    usable = np.isfinite(values) & (values > 0.0)
    result: Floats = np.where(usable, 1.0 / np.where(usable, values, 1.0), 0.0)
    return result
