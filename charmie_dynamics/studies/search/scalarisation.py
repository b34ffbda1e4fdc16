# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Scalarisation of several objectives: their weighted sum, or the worst objective.

The weighted maximum of the distances to the ideal (Chebyshev norm) reaches every point of a
Pareto front, also non-convex parts, which weighted sums do not. (K. Miettinen, Nonlinear
Multiobjective Optimization (1999), section 3.4.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats, Ints

# with a weight of zero an objective would not count at all
LEAST_WEIGHT = 1e-3


class Scalarisation(NamedTuple):
    """Sum over groups of a cost times the largest ``factor * (objective - offset)`` in the group.

    Attributes
    ----------
    groups : (k,) array of int
        Group of each objective.
    factors, offsets : (k,) array
    costs : (g,) array

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.studies import weighted_sum
    >>> total = weighted_sum(np.array([1.0, 2.0]), np.array([100.0, 10.0]))
    >>> total.value(np.array([[50.0, 10.0]]))
    array([2.5])
    """

    groups: Ints
    factors: Floats
    offsets: Floats
    costs: Floats

    def value(self, goals: Floats) -> Floats:
        """Return the scalarised values (N,) of objectives (N, k)."""
        scaled = self.factors * (goals - self.offsets)
        total = np.zeros(len(goals))
        for group, cost in enumerate(self.costs):
            total = total + cost * scaled[:, self.groups == group].max(axis=1)
        return np.asarray(total)


def weighted_sum(weights: Floats, scales: Floats) -> Scalarisation:
    """Return the weighted sum of objectives, each divided by its scale.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.studies import weighted_sum
    >>> weighted_sum(np.array([1.0, 3.0]), np.array([2.0, 4.0])).value(np.array([[2.0, 4.0]]))
    array([4.])
    """
    count = len(weights)
    return Scalarisation(np.arange(count), 1.0 / scales, np.zeros(count), weights)


def worst_of(weights: Floats, ideal: Floats, worst: Floats) -> Scalarisation:
    """Return the largest weighted distance from the ideal, relative to the worst."""
    width = np.where(worst - ideal > 0.0, worst - ideal, 1.0)
    positive = np.maximum(weights, LEAST_WEIGHT)
    return Scalarisation(
        np.zeros(len(weights), dtype=np.int64), positive / width, ideal, np.ones(1)
    )


def lattice(count: int, objectives: int) -> Floats:
    """Return weights (N, k) that sum to one, evenly spread; N is at least `count` if k > 1.

    I. Das, J. E. Dennis, Normal-boundary intersection, SIAM J. Optim. 8 (1998) 631, section 4.

    Examples
    --------
    >>> from charmie_dynamics.studies.search.scalarisation import lattice
    >>> lattice(3, 2)
    array([[0. , 1. ],
           [0.5, 0.5],
           [1. , 0. ]])
    """
    parts = 1
    while objectives > 1 and len(_compositions(parts, objectives)) < count:
        parts += 1
    return np.array(_compositions(parts, objectives)) / parts


def _compositions(total: int, count: int) -> list[list[int]]:
    if count == 1:
        return [[total]]
    return [
        [first, *rest]
        for first in range(total + 1)
        for rest in _compositions(total - first, count - 1)
    ]


def non_dominated(goals: Floats) -> np.ndarray:
    """Return whether each candidate (N,) with objectives (N, k) is non-dominated.

    A dominating candidate is as good in all objectives and better in one.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.studies.search.scalarisation import non_dominated
    >>> non_dominated(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 4.0]]))
    array([ True,  True, False])
    """
    keep = np.ones(len(goals), dtype=bool)
    for k, own in enumerate(goals):
        better = (goals <= own).all(axis=1) & (goals < own).any(axis=1)
        keep[k] = not better.any()
    return keep
