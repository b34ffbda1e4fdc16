# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A study: a robot, its variables, its motions, and its objectives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats

from .evaluation import Evaluator
from .quantities import StudyQuantity

FEASIBLE = 1e-6  # tolerance of a limit, relative to its size
SMALLEST = 1e-12  # of a scale, if the described robot has a quantity of zero


class Objective(NamedTuple):
    """A quantity to minimise or maximise, and its weight in a sum of objectives."""

    quantity: StudyQuantity
    weight: float = 1.0
    maximise: bool = False

    @property
    def sign(self) -> float:
        """1.0 to minimise, -1.0 to maximise."""
        return -1.0 if self.maximise else 1.0


class Constraint(NamedTuple):
    """A quantity with a lower and an upper bound."""

    quantity: StudyQuantity
    lower: float
    upper: float


@dataclass(frozen=True)
class MethodCall:
    """A method with its options."""

    name: str
    options: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Study:
    """A study that is ready to evaluate candidates.

    Attributes
    ----------
    name : str
    text : str
        The study file.
    evaluator : Evaluator
        Of the quantities of objectives and constraints, in this order.
    objectives : tuple of Objective
    constraints : tuple of Constraint
    methods : tuple of MethodCall
    seed : int
    start : (n,) array
        The candidate nearest to the described robot: within bounds, at a step.
    mechanisms_text : str
        The mechanisms file; empty without one.
    """

    name: str
    text: str
    evaluator: Evaluator
    objectives: tuple[Objective, ...]
    constraints: tuple[Constraint, ...]
    methods: tuple[MethodCall, ...]
    seed: int
    start: Floats
    mechanisms_text: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the quantities."""
        return tuple(quantity.name for quantity in self.evaluator.quantities)

    def scales(self) -> Floats:
        """Return the scale of each objective (k,): its value for the described robot.

        If that is undefined, the value of the candidate `start`.

        Raises
        ------
        InputError
            If both are undefined.
        """
        count = len(self.objectives)
        values = self.evaluator.evaluate_described().values[:count]
        if np.isnan(values).any():
            start_values = self.evaluator.evaluate(self.start)
            values = np.where(np.isnan(values), start_values.values[:count], values)
            if np.isnan(values).any():
                raise InputError(
                    f"study '{self.name}': the described robot cannot be evaluated: "
                    f"{start_values.reason}; expected motions that it can make, and bounds that "
                    "contain it"
                )
        values = np.abs(values)
        return np.where(values > SMALLEST, values, 1.0)

    def goals(self, values: Floats) -> Floats:
        """Return the objectives (N, k) of quantities (N, m), each to be minimised."""
        signs = np.array([objective.sign for objective in self.objectives])
        return np.asarray(values[:, : len(self.objectives)] * signs)

    def excess(self, values: Floats) -> Floats:
        """Return the relative violation (N,) of the constraints by quantities (N, m).

        NaN for candidates with undefined quantities.
        """
        total = np.zeros(len(values))
        for k, (_, lower, upper) in enumerate(self.constraints, len(self.objectives)):
            for beyond, limit in ((values[:, k] - upper, upper), (lower - values[:, k], lower)):
                if np.isfinite(limit):
                    total = total + np.maximum(beyond, 0.0) / max(abs(limit), SMALLEST)
        total[np.isnan(values).any(axis=1)] = np.nan
        return total

    def feasible(self, values: Floats) -> np.ndarray:
        """Return whether candidates (N,) with quantities (N, m) satisfy all constraints."""
        return np.asarray(self.excess(values) <= FEASIBLE)


def start_of(evaluator: Evaluator, numbers: Mapping[str, float]) -> Floats:
    """Return the candidate next to the described robot: for each variable its first number.

    Outside the bounds, or between steps, it is the nearest allowed one.
    """
    values = []
    for variable in evaluator.space.variables:
        path, factor = next(iter(variable.factors.items()))
        value = numbers[path]
        if variable.columns:
            rows = np.abs(np.array(variable.columns[path]) - value)
            values.append(float(np.argmin(rows)))
        else:
            values.append(value / factor)
    candidate = evaluator.space.nearest(np.array([values]))[0]
    return np.asarray(candidate)
