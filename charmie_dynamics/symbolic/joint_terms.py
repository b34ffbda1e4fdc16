# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Terms of single coordinates: rotors, joint springs and their dampers.

With the reflected inertia I of the rotors of coordinate q, and for each joint spring k (x - rest) +
d x' on a joint x = m q + offset, the effort of q has the terms

    I q'' + m^2 d q' + m k (m q + offset - rest)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from charmie_dynamics.model.model import Model

from .bias import SymbolicTerms
from .engines import Engine


def with_joint_terms(
    terms: SymbolicTerms, model: Model, engine: Engine, position: Sequence[Any]
) -> SymbolicTerms:
    """Return the terms of a tree with the rotors of its joints and the joint springs.

    Dampers are in the diagonal of the Coriolis matrix, elastic efforts in gravity.
    """
    M, C, g = (each.copy() for each in terms)
    tree, mechanisms = model.flat.tree, model.flat.mechanisms
    for c, inertia in enumerate(mechanisms.rotors.joint_rotor.tolist()):
        if inertia != 0.0:
            M[c, c] += engine.number(inertia)
    for body, stiffness, rest, damping in zip(*mechanisms.by_type.joint_springs, strict=True):
        c, m, offset = tree.coordinate[body], tree.multiplier[body], tree.offset[body]
        if damping != 0.0:
            C[c, c] += engine.number(float(m * m * damping))
        g[c] += engine.number(float(m * m * stiffness)) * position[c]
        g[c] += engine.number(float(m * stiffness * (offset - rest)))
    return SymbolicTerms(M, C, g)
