# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Accelerations from efforts, by the mass matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.core.forward.articulated_bodies import SMALLEST_PIVOT
from charmie_dynamics.model.description.description_warnings import DescriptionWarning
from charmie_dynamics.model.flat.checks import mass_fault
from charmie_dynamics.numerics.vectors import Floats


def solve_accelerations(
    mass_matrix: Floats,
    effort: Floats,
    names: Sequence[str],
    warnings: Sequence[DescriptionWarning],
) -> Floats:
    """Return M^-1 times some columns.

    Parameters
    ----------
    mass_matrix : (..., v, v) array
    effort : (..., v, k) array
    names : sequence of str
        Of the actuators.
    warnings : sequence of DescriptionWarning
        Of the robot, for messages.

    Raises
    ------
    MassMatrixError
        If a matrix is not positive definite, or so nearly singular that little is left of the
        accuracy.
    """
    diagonal = np.diagonal(mass_matrix, axis1=-2, axis2=-1)
    if not (diagonal > 0.0).all():
        raise mass_fault(int(np.argwhere(~(diagonal > 0.0))[0][-1]), names, warnings)
    root = np.sqrt(diagonal)
    scaled = mass_matrix / (root[..., :, None] * root[..., None, :])
    try:
        pivots = np.diagonal(np.linalg.cholesky(scaled), axis1=-2, axis2=-1) ** 2
    except np.linalg.LinAlgError:
        pivots = _pivots(scaled)
    unfit = np.argwhere(~(pivots > SMALLEST_PIVOT))
    if len(unfit):
        raise mass_fault(int(unfit[0][-1]), names, warnings)
    solution: Floats = np.linalg.solve(scaled, effort / root[..., None]) / root[..., None]
    return solution


def _pivots(matrices: Floats) -> Floats:
    """Return squared diagonals of the Cholesky factors, up to the first that is not positive."""
    v = matrices.shape[-1]
    rows = []
    for matrix in matrices.reshape(-1, v, v):
        pivots = np.ones(v)
        rest = matrix.copy()
        for k in range(v):
            pivots[k] = rest[k, k]
            if not pivots[k] > SMALLEST_PIVOT:
                break
            rest[k:, k:] -= np.outer(rest[k:, k], rest[k, k:]) / pivots[k]
        rows.append(pivots)
    return np.array(rows).reshape(*matrices.shape[:-2], v)
