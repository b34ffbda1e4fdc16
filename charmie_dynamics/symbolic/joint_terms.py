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

from charmie_dynamics.model.flat.flat_robot import FlatRobot

from .bias import SymbolicTerms
from .engines import Engine


def with_joint_terms(
    terms: SymbolicTerms, flat: FlatRobot, engine: Engine, position: Sequence[Any]
) -> SymbolicTerms:
    """Return the terms of a tree with the rotors of its joints and the joint springs.

    Dampers are in the diagonal of the Coriolis matrix, elastic efforts in gravity.
    """
    M, C, g = (each.copy() for each in terms)
    tree, mechanisms = flat.tree, flat.mechanisms
    for c, inertia in enumerate(engine.numbers(mechanisms.rotors.joint_rotor)):
        M[c, c] += inertia
    for body, *law in zip(*mechanisms.by_type.joint_springs, strict=True):
        stiffness, rest, damping = engine.numbers(law)
        m, offset = engine.numbers([tree.multiplier[body], tree.offset[body]])
        c = tree.coordinate[body]
        C[c, c] += m * m * damping
        g[c] += m * m * stiffness * position[c]
        g[c] += m * stiffness * (offset - rest)
    return SymbolicTerms(M, C, g)
