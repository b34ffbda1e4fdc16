# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The method of the structural paper: explicit coefficients, without derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from charmie_dynamics.core.arrays import FLOATING, Tree
from charmie_dynamics.core.equations.structural import (
    carried_bodies,
    coriolis_matrix,
    structural_coefficients,
    sum_of_bodies,
)

from .bias import SymbolicTerms
from .engines import Engine
from .floating import commutators
from .kinematics import poses
from .tree import expressed


def terms_by_structure(
    tree: Tree, engine: Engine, position: Sequence[Any], velocity: Sequence[Any]
) -> SymbolicTerms:
    """Return the terms of the equations of motion of a tree of numbers."""
    tree = expressed(tree, engine)
    placed = poses(tree, engine, position)
    R, p = (np.array(arrays, dtype=object) for arrays in zip(*placed, strict=True))
    bodies = carried_bodies(tree, R, p)
    whole = sum_of_bodies(structural_coefficients(bodies, len(velocity)))
    matrix = coriolis_matrix(whole, np.array(velocity, dtype=object))
    if FLOATING in tree.joint_type:
        matrix = matrix + engine.half() * (whole.inertia @ commutators(tree, engine, velocity))
    return SymbolicTerms(whole.inertia, matrix, whole.gravity)
