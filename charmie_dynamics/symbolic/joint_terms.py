# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Terms beside those of the tree: rotors, joint springs, springs between bodies, dampers.

With the reflected inertia I of the rotors of coordinate q, and for each joint spring k (x - rest) +
d x' on a joint x = m q + offset, the effort of q has the terms

    I q'' + m^2 d q' + m k (m q + offset - rest)

A spring between bodies of length l and gradient G has the tension t = k (l - l0) + t0 and
the efforts t G + d G G^T v. One that only pulls has t (1 + sign(l - l0)) / 2; its damper never
pushes, is no matrix times the velocity, and is omitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from charmie_dynamics.core.arrays import Tree
from charmie_dynamics.model.flat.flat_robot import FlatRobot

from .bias import SymbolicTerms
from .engines import Engine
from .loops import member
from .tree import PlacedLinks


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


def with_body_springs(
    terms: SymbolicTerms,
    tree: Tree,
    links: PlacedLinks,
    flat: FlatRobot,
    engine: Engine,
    position: Sequence[Any],
) -> SymbolicTerms:
    """Return the terms of a tree with the springs between its bodies."""
    M, C, g = terms
    springs, laws = flat.mechanisms.by_type.springs, flat.mechanisms.springs
    pins = springs.base_body, springs.p_body_base, springs.tip_body, springs.p_body_tip
    for s, damping, *ends in zip(springs.spring, springs.damping, *pins, strict=True):
        length, G = member(tree, links, engine, position, ends)
        law = laws.stiffness[s], laws.free_length[s], laws.pretension[s], damping
        stiffness, free_length, pretension, damping = engine.numbers(law)
        tension = stiffness * (length - free_length) + pretension
        if laws.pushes[s]:
            C = C + damping * np.outer(G, G)
        else:
            tension *= engine.half() * (1 + engine.module.sign(length - free_length))
        g = g + tension * G
    return SymbolicTerms(M, C, g)
