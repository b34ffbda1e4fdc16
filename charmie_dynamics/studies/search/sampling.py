# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Candidates that cover a design space: grids, Latin hypercubes, Sobol sequences."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.stats import qmc

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies.design.variables import DesignSpace

MOST = 10_000_000  # candidates of a grid


def grid(space: DesignSpace, points: int) -> Floats:
    """Return all combinations (N, n) of `points` values of each variable, or of all its steps.

    Raises
    ------
    InputError
        If there are too many.

    Examples
    --------
    >>> from charmie_dynamics.studies import DesignSpace, Variable
    >>> from charmie_dynamics.studies.search.sampling import grid
    >>> space = DesignSpace((Variable("k", {"springs.s.stiffness": 1.0}, 0.0, 100.0),))
    >>> grid(space, 3).ravel()
    array([  0.,  50., 100.])
    """
    axes = [v.steps or tuple(np.linspace(v.lower, v.upper, points)) for v in space.variables]
    count = int(np.prod([float(len(axis)) for axis in axes]))
    if count > MOST:
        raise InputError(f"grid: expected at most {MOST} candidates, got {count}; try sobol")
    return np.array(list(product(*axes)), dtype=np.float64)


def latin_hypercube(space: DesignSpace, samples: int, seed: int) -> Floats:
    """Return candidates (N, n), one of them in every N-th of the range of each variable.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.studies import DesignSpace, Variable
    >>> from charmie_dynamics.studies.search.sampling import latin_hypercube
    >>> space = DesignSpace((Variable("k", {"springs.s.stiffness": 1.0}, 0.0, 10.0),))
    >>> np.sort(latin_hypercube(space, 10, 1).ravel()).astype(int)
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    return space.at_shares(qmc.LatinHypercube(len(space.variables), seed=seed).random(samples))


def sobol(space: DesignSpace, samples: int, seed: int) -> Floats:
    """Return the first candidates (N, n) of a scrambled Sobol sequence.

    Examples
    --------
    >>> from charmie_dynamics.studies import DesignSpace, Variable
    >>> from charmie_dynamics.studies.search.sampling import sobol
    >>> space = DesignSpace((Variable("k", {"springs.s.stiffness": 1.0}, 0.0, 10.0),))
    >>> sobol(space, 8, 1).shape
    (8, 1)
    """
    power = max(0, int(np.ceil(np.log2(samples))))
    shares = qmc.Sobol(len(space.variables), seed=seed).random_base2(power)
    return space.at_shares(shares[:samples])
