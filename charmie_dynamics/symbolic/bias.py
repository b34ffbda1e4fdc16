# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""From a vector of velocity-dependent efforts to matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .engines import Engine, Expressions, rebuilt


class SymbolicTerms(NamedTuple):
    """The terms of effort = mass_matrix acceleration + coriolis_matrix velocity + gravity."""

    mass_matrix: Expressions
    coriolis_matrix: Expressions
    gravity: Expressions


def terms_of_forcing(
    engine: Engine,
    mass_matrix: Any,
    forcing: Any,
    symbols: Mapping[Any, Any],
    velocity: Sequence[Any],
) -> SymbolicTerms:
    """Return the terms from the results of SymPy's methods: M a = forcing, without efforts.

    Minus the forcing at zero velocity is gravity. The remainder, c = -forcing - gravity, is
    quadratic in the velocities, c_i = sum_jk G_ijk v_j v_k with G_ijk = G_ikj, the Christoffel
    symbols. So half of its derivative dc_i/dv_j = 2 sum_k G_ijk v_k is the Coriolis matrix of the
    Christoffel symbols.

    Parameters
    ----------
    engine : Engine
    mass_matrix, forcing : sympy.Matrix
        With functions of time.
    symbols : mapping
        Symbols of SymPy for these functions.
    velocity : sequence of symbol
        Symbols of the velocities, the engine's.
    """
    n = len(velocity)
    expressions = [*mass_matrix, *(-each for each in forcing)]
    terms = engine.of_sympy(rebuilt(expressions, symbols))
    bias = terms[n * n :]
    still = {v: engine.number(0) for v in velocity}
    gravity = [each.subs(still) for each in bias]
    coriolis = [[engine.half() * each.diff(v) for v in velocity] for each in bias]
    return SymbolicTerms(
        np.array(terms[: n * n], dtype=object).reshape(n, n),
        np.array(coriolis, dtype=object).reshape(n, n),
        np.array(gravity, dtype=object),
    )
