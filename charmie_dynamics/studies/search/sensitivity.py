# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sensitivity: the contribution of each variable to the variance of each quantity.

Sobol's indices (I. M. Sobol, Mathematics and Computers in Simulation 55 (2001) 271), sampled and
estimated by SALib.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies.design.variables import DesignSpace
from charmie_dynamics.tasks.versions import imported


class Sensitivity(NamedTuple):
    """Sobol's indices of quantities (m, n), with the half widths of their 95 % intervals.

    Attributes
    ----------
    first : (m, n) array
        Contribution of a variable alone to the variance.
    total : (m, n) array
        The same, with interactions.
    first_error, total_error : (m, n) array
    """

    first: Floats
    total: Floats
    first_error: Floats
    total_error: Floats


def sensitivity_candidates(space: DesignSpace, samples: int, seed: int) -> Floats:
    """Return the candidates (N (n + 2), n) for `sensitivities`.

    Raises
    ------
    CharmieError
        If SALib is not installed.
    """
    sample = _salib("sample")
    problem = _problem(space)
    power = 2 ** int(np.ceil(np.log2(samples)))
    shares = sample(problem, power, calc_second_order=False, seed=seed)
    return space.at_shares(np.minimum(shares, 1.0 - 1e-12))


def sensitivities(space: DesignSpace, values: Floats, seed: int) -> Sensitivity:
    """Return the indices from the quantities (N (n + 2), m) of `sensitivity_candidates`.

    Candidates with undefined quantities count as the mean of the others.
    """
    analyze = _salib("analyze")
    shape = values.shape[1], len(space.variables)
    sensitivity = Sensitivity(*(np.full(shape, np.nan) for _ in Sensitivity._fields))
    for k in range(values.shape[1]):
        column = values[:, k].copy()
        known = np.isfinite(column)
        if not known.any():
            continue
        column[~known] = column[known].mean()
        if np.ptp(column) <= 1e-12 * max(1.0, abs(float(column.mean()))):
            for array in sensitivity:
                array[k] = 0.0
            continue
        # SALib ignores a seed of 0
        result = analyze(_problem(space), column, calc_second_order=False, seed=seed + 1)
        for array, key in zip(sensitivity, ("S1", "ST", "S1_conf", "ST_conf"), strict=True):
            array[k] = result[key]
    return sensitivity


def _problem(space: DesignSpace) -> dict[str, object]:
    count = len(space.variables)
    return {"num_vars": count, "names": list(space.names), "bounds": [[0.0, 1.0]] * count}


def _salib(part: str) -> Any:
    """Return ``sample`` or ``analyze`` of Sobol's method."""
    return getattr(imported(f"SALib.{part}.sobol", "sensitivity needs SALib"), part)
